//! Maps. The meaning of a nested value is that of its type over the updates that stand.

use core::{fmt::Debug, marker::PhantomData};
use std::collections::BTreeMap;

use guid_crdt::{AwLwwMap, Dot, LwwMap, Nested, OrMap};

use super::{Bytes, Event, Mutated, Spec, small};
use crate::rng::Rng;

/// A put, a remove, or in maps that have it a clear.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Put(u8, u8),
    Remove(u8),
    Clear,
}

impl Step {
    fn touches(self, key: u8) -> bool {
        match self {
            Self::Put(k, _) | Self::Remove(k) => k == key,
            Self::Clear => true,
        }
    }
}

pub(crate) struct LwwMapSpec;

impl Spec for LwwMapSpec {
    type State = LwwMap<u8, u8>;
    type Op = Step;
    type Value = BTreeMap<u8, u8>;
    const NAME: &'static str = "LwwMap";

    fn random(rng: &mut Rng) -> Step {
        let (key, value) = (small(rng, 3), small(rng, 100));
        if rng.chance(65) { Step::Put(key, value) } else { Step::Remove(key) }
    }

    fn mutate(state: &mut LwwMap<u8, u8>, dot: Dot, op: &Step) -> Mutated<LwwMap<u8, u8>> {
        match *op {
            Step::Put(key, value) => state.put(dot, key, value),
            Step::Remove(key) => state.remove(dot, key),
            Step::Clear => unreachable!("not made"),
        }
    }

    fn read(state: &LwwMap<u8, u8>) -> BTreeMap<u8, u8> {
        state.iter().map(|(&key, &value)| (key, value)).collect()
    }

    /// What the write with the greatest dot says.
    fn meaning(visible: &[&Event<Step>]) -> BTreeMap<u8, u8> {
        let last = |key| {
            let writes = visible.iter().filter(|event| event.operation.touches(key));
            let last = writes.max_by_key(|event| (event.dot.stamp(), event.dot.node()))?;
            match last.operation {
                Step::Put(_, value) => Some((key, value)),
                _ => None,
            }
        };
        (0..3).filter_map(last).collect()
    }
}

pub(crate) struct AwLwwMapSpec;

impl Spec for AwLwwMapSpec {
    type State = AwLwwMap<u8, u8>;
    type Op = Step;
    type Value = BTreeMap<u8, u8>;
    const NAME: &'static str = "AwLwwMap";

    fn random(rng: &mut Rng) -> Step {
        let (key, value) = (small(rng, 3), small(rng, 100));
        match rng.below(20) {
            0..13 => Step::Put(key, value),
            13..19 => Step::Remove(key),
            _ => Step::Clear,
        }
    }

    fn mutate(state: &mut AwLwwMap<u8, u8>, dot: Dot, op: &Step) -> Mutated<AwLwwMap<u8, u8>> {
        match *op {
            Step::Put(key, value) => state.put(dot, key, value),
            Step::Remove(key) => state.remove(dot, &key),
            Step::Clear => state.clear(dot),
        }
    }

    fn read(state: &AwLwwMap<u8, u8>) -> BTreeMap<u8, u8> {
        state.iter().map(|(&key, &value)| (key, value)).collect()
    }

    /// Of the puts that no write of the key has seen, the one with the greatest dot.
    fn meaning(visible: &[&Event<Step>]) -> BTreeMap<u8, u8> {
        let last = |key| {
            let unseen = |put: &&&Event<Step>| {
                !visible.iter().any(|event| event.operation.touches(key) && event.saw(put))
            };
            let puts = visible.iter().filter(unseen).filter_map(|event| match event.operation {
                Step::Put(k, value) if k == key => Some((event.dot, value)),
                _ => None,
            });
            puts.max().map(|(_, value)| (key, value))
        };
        (0..3).filter_map(last).collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) enum MapOp<O> {
    Update(u8, O),
    Remove(u8),
    Clear,
}

/// An [`OrMap`] of what `I` is the meaning of.
pub(crate) struct OrMapSpec<I>(PhantomData<I>);

impl<I> Spec for OrMapSpec<I>
where
    I: Spec<State: Nested, Value: Clone>,
    OrMap<u8, I::State>: Bytes + Debug,
{
    type State = OrMap<u8, I::State>;
    type Op = MapOp<I::Op>;
    type Value = BTreeMap<u8, I::Value>;
    const NAME: &'static str = I::NAME;

    fn random(rng: &mut Rng) -> MapOp<I::Op> {
        match rng.below(20) {
            0..14 => MapOp::Update(small(rng, 2), I::random(rng)),
            14..19 => MapOp::Remove(small(rng, 2)),
            _ => MapOp::Clear,
        }
    }

    fn mutate(state: &mut Self::State, dot: Dot, op: &MapOp<I::Op>) -> Mutated<Self::State> {
        match op {
            MapOp::Update(key, op) => state.update(dot, *key, |value| I::mutate(value, dot, op)),
            MapOp::Remove(key) => state.remove(dot, key),
            MapOp::Clear => state.clear(dot),
        }
    }

    /// Keys whose value shows nothing are left out.
    fn read(state: &Self::State) -> Self::Value {
        let nothing = I::meaning(&[]);
        let values = state.iter().map(|(&key, value)| (key, I::read(&value)));
        values.filter(|(_, value)| *value != nothing).collect()
    }

    fn meaning(visible: &[&Event<MapOp<I::Op>>]) -> Self::Value {
        let removed = |key, update: &Event<_>| {
            visible.iter().any(|event| {
                let removes = match event.operation {
                    MapOp::Update(..) => false,
                    MapOp::Remove(k) => k == key,
                    MapOp::Clear => true,
                };
                removes && event.saw(update)
            })
        };
        let nothing = I::meaning(&[]);
        let value = |key| {
            let updates = visible.iter().filter(|update| !removed(key, update));
            let updates = updates.filter_map(|event| match &event.operation {
                MapOp::Update(k, op) if *k == key => Some(event.of(op.clone())),
                _ => None,
            });
            let updates: Vec<_> = updates.collect();
            (key, I::meaning(&updates.iter().collect::<Vec<_>>()))
        };
        (0..2).map(value).filter(|(_, value)| *value != nothing).collect()
    }
}
