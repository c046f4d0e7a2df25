//! Registers.

use std::collections::BTreeSet;

use guid_crdt::{Dot, FwwRegister, LwwRegister, Max, Min, MutateError, MvRegister};

use super::{Event, Mutated, Spec, small};
use crate::rng::Rng;

pub(crate) struct LwwSpec;

impl Spec for LwwSpec {
    type State = LwwRegister<u8>;
    type Op = u8;
    type Value = Option<u8>;
    const NAME: &'static str = "LwwRegister";

    fn random(rng: &mut Rng) -> u8 {
        u8::try_from(rng.below(200)).unwrap()
    }

    fn mutate(state: &mut LwwRegister<u8>, dot: Dot, op: &u8) -> Mutated<LwwRegister<u8>> {
        state.set(dot, *op)
    }

    fn read(state: &LwwRegister<u8>) -> Option<u8> {
        state.get().copied()
    }

    /// The value of the visible write with the greatest stamp, and of those the greatest node.
    fn meaning(visible: &[&Event<u8>]) -> Option<u8> {
        let last = visible.iter().max_by_key(|event| (event.dot.stamp(), event.dot.node()));
        last.map(|event| event.operation)
    }
}

pub(crate) struct MvSpec;

impl Spec for MvSpec {
    type State = MvRegister<u8>;
    type Op = Option<u8>;
    type Value = Vec<u8>;
    const NAME: &'static str = "MvRegister";

    fn random(rng: &mut Rng) -> Option<u8> {
        (!rng.chance(20)).then(|| u8::try_from(rng.below(6)).unwrap())
    }

    fn mutate(state: &mut MvRegister<u8>, dot: Dot, op: &Option<u8>) -> Mutated<MvRegister<u8>> {
        match op {
            Some(value) => state.set(dot, *value),
            None => state.clear(dot),
        }
    }

    fn read(state: &MvRegister<u8>) -> Vec<u8> {
        state.values().into_iter().copied().collect()
    }

    /// The values of the visible writes that no visible write or clear has seen.
    fn meaning(visible: &[&Event<Option<u8>>]) -> Vec<u8> {
        let unseen = visible.iter().filter(|write| !visible.iter().any(|event| event.saw(write)));
        let values: BTreeSet<u8> = unseen.filter_map(|write| write.operation).collect();
        values.into_iter().collect()
    }
}

pub(crate) struct FwwSpec;

impl Spec for FwwSpec {
    type State = FwwRegister<u8>;
    type Op = u8;
    type Value = Option<u8>;
    const NAME: &'static str = "FwwRegister";
    /// It shows the least dot, not the greatest.
    const DOTS: bool = false;

    fn random(rng: &mut Rng) -> u8 {
        small(rng, 200)
    }

    fn mutate(state: &mut FwwRegister<u8>, dot: Dot, op: &u8) -> Mutated<FwwRegister<u8>> {
        match state.set(dot, *op) {
            Err(MutateError::Taken { .. }) => Ok(state.clone()),
            written => written,
        }
    }

    fn read(state: &FwwRegister<u8>) -> Option<u8> {
        state.get().copied()
    }

    /// The value of the visible write with the least stamp, and of those the least node.
    fn meaning(visible: &[&Event<u8>]) -> Option<u8> {
        let first = visible.iter().min_by_key(|event| (event.dot.stamp(), event.dot.node()));
        first.map(|event| event.operation)
    }
}

pub(crate) struct MaxSpec;

impl Spec for MaxSpec {
    type State = Max<u8>;
    type Op = u8;
    type Value = Option<u8>;
    const NAME: &'static str = "Max";
    const DOTS: bool = false;

    fn random(rng: &mut Rng) -> u8 {
        small(rng, 200)
    }

    fn mutate(state: &mut Max<u8>, _: Dot, op: &u8) -> Mutated<Max<u8>> {
        Ok(state.raise(*op))
    }

    fn read(state: &Max<u8>) -> Option<u8> {
        state.get().copied()
    }

    fn meaning(visible: &[&Event<u8>]) -> Option<u8> {
        visible.iter().map(|event| event.operation).max()
    }
}

pub(crate) struct MinSpec;

impl Spec for MinSpec {
    type State = Min<u8>;
    type Op = u8;
    type Value = Option<u8>;
    const NAME: &'static str = "Min";
    const DOTS: bool = false;

    fn random(rng: &mut Rng) -> u8 {
        small(rng, 200)
    }

    fn mutate(state: &mut Min<u8>, _: Dot, op: &u8) -> Mutated<Min<u8>> {
        Ok(state.lower(*op))
    }

    fn read(state: &Min<u8>) -> Option<u8> {
        state.get().copied()
    }

    fn meaning(visible: &[&Event<u8>]) -> Option<u8> {
        visible.iter().map(|event| event.operation).min()
    }
}
