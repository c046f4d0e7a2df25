//! Sets.

use std::collections::BTreeSet;

use guid_crdt::{AddBias, Dot, GSet, LwwSet, OrSet, RwSet, TwoPhaseSet};

use super::{Event, Mutated, Spec, small};
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub(crate) enum SetOp {
    Insert(Vec<u8>),
    Remove(u8),
    Clear,
}

pub(crate) struct OrSetSpec;

impl Spec for OrSetSpec {
    type State = OrSet<u8>;
    type Op = SetOp;
    type Value = Vec<u8>;
    const NAME: &'static str = "OrSet";

    fn random(rng: &mut Rng) -> SetOp {
        let mut value = || u8::try_from(rng.below(4)).unwrap();
        let (a, b) = (value(), value());
        match rng.below(10) {
            0..5 => SetOp::Insert(vec![a]),
            5 => SetOp::Insert(vec![a, b]),
            6..9 => SetOp::Remove(a),
            _ => SetOp::Clear,
        }
    }

    fn mutate(state: &mut OrSet<u8>, dot: Dot, op: &SetOp) -> Mutated<OrSet<u8>> {
        match op {
            SetOp::Insert(values) => state.insert_all(dot, values.iter().copied()),
            SetOp::Remove(value) => state.remove(dot, value),
            SetOp::Clear => state.clear(dot),
        }
    }

    fn read(state: &OrSet<u8>) -> Vec<u8> {
        state.iter().copied().collect()
    }

    /// x is in iff some visible add of x was seen by no visible remove of x and no visible clear.
    fn meaning(visible: &[&Event<SetOp>]) -> Vec<u8> {
        let removes = |event: &Event<SetOp>, x| match event.operation {
            SetOp::Insert(_) => false,
            SetOp::Remove(value) => value == x,
            SetOp::Clear => true,
        };
        let mut elements = BTreeSet::new();
        for add in visible {
            let SetOp::Insert(values) = &add.operation else { continue };
            elements.extend(
                values
                    .iter()
                    .filter(|&&x| !visible.iter().any(|event| removes(event, x) && event.saw(add))),
            );
        }
        elements.into_iter().collect()
    }
}

/// An add or a remove of an element; or, in sets that can be cleared, a clear.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    In(u8),
    Out(u8),
    Clear,
}

impl Step {
    fn random(rng: &mut Rng) -> Self {
        match rng.below(20) {
            0..10 => Self::In(small(rng, 3)),
            10..19 => Self::Out(small(rng, 3)),
            _ => Self::Clear,
        }
    }

    fn random_without_clear(rng: &mut Rng) -> Self {
        if rng.chance(55) { Self::In(small(rng, 3)) } else { Self::Out(small(rng, 3)) }
    }
}

pub(crate) struct RwSetSpec;

impl Spec for RwSetSpec {
    type State = RwSet<u8>;
    type Op = Step;
    type Value = Vec<u8>;
    const NAME: &'static str = "RwSet";

    fn random(rng: &mut Rng) -> Step {
        Step::random(rng)
    }

    fn mutate(state: &mut RwSet<u8>, dot: Dot, op: &Step) -> Mutated<RwSet<u8>> {
        match *op {
            Step::In(x) => state.insert(dot, x),
            Step::Out(x) => state.remove(dot, x),
            Step::Clear => state.clear(dot),
        }
    }

    fn read(state: &RwSet<u8>) -> Vec<u8> {
        assert_eq!(state.len(), state.iter().count());
        state.iter().copied().collect()
    }

    /// Added, and every remove seen by some add; what a clear has seen is void.
    fn meaning(visible: &[&Event<Step>]) -> Vec<u8> {
        let stands = |event: &&&Event<Step>| {
            !visible.iter().any(|clear| matches!(clear.operation, Step::Clear) && clear.saw(event))
        };
        let of = |x: u8, is_in: bool| {
            visible.iter().filter(stands).filter(move |event| match event.operation {
                Step::In(y) => is_in && x == y,
                Step::Out(y) => !is_in && x == y,
                Step::Clear => false,
            })
        };
        let is_in = |&x: &u8| {
            of(x, true).next().is_some()
                && of(x, false).all(|remove| of(x, true).any(|add| add.saw(remove)))
        };
        (0..3).filter(is_in).collect()
    }
}

pub(crate) struct LwwSetSpec;

impl Spec for LwwSetSpec {
    type State = LwwSet<u8, AddBias>;
    type Op = Step;
    type Value = Vec<u8>;
    const NAME: &'static str = "LwwSet";

    fn random(rng: &mut Rng) -> Step {
        Step::random_without_clear(rng)
    }

    fn mutate(state: &mut LwwSet<u8>, dot: Dot, op: &Step) -> Mutated<LwwSet<u8>> {
        match *op {
            Step::In(x) => state.insert(dot, x),
            Step::Out(x) => state.remove(dot, x),
            Step::Clear => unreachable!("not made"),
        }
    }

    fn read(state: &LwwSet<u8>) -> Vec<u8> {
        state.iter().copied().collect()
    }

    /// The write with the greatest stamp is an add; between equal stamps adds come last.
    fn meaning(visible: &[&Event<Step>]) -> Vec<u8> {
        let last = |x: u8| {
            let of_x = visible.iter().filter_map(move |event| match event.operation {
                Step::In(y) if x == y => Some((event.dot.stamp(), true)),
                Step::Out(y) if x == y => Some((event.dot.stamp(), false)),
                _ => None,
            });
            of_x.max()
        };
        (0..3).filter(|&x| last(x).is_some_and(|(_, is_in)| is_in)).collect()
    }
}

pub(crate) struct GSetSpec;

impl Spec for GSetSpec {
    type State = GSet<u8>;
    type Op = u8;
    type Value = Vec<u8>;
    const NAME: &'static str = "GSet";
    const DOTS: bool = false;

    fn random(rng: &mut Rng) -> u8 {
        small(rng, 12)
    }

    fn mutate(state: &mut GSet<u8>, _: Dot, op: &u8) -> Mutated<GSet<u8>> {
        Ok(state.insert(*op))
    }

    fn read(state: &GSet<u8>) -> Vec<u8> {
        state.iter().copied().collect()
    }

    /// All that was added.
    fn meaning(visible: &[&Event<u8>]) -> Vec<u8> {
        let all: BTreeSet<u8> = visible.iter().map(|event| event.operation).collect();
        all.into_iter().collect()
    }
}

pub(crate) struct TwoPhaseSpec;

impl Spec for TwoPhaseSpec {
    type State = TwoPhaseSet<u8>;
    type Op = Step;
    type Value = Vec<u8>;
    const NAME: &'static str = "TwoPhaseSet";
    const DOTS: bool = false;

    fn random(rng: &mut Rng) -> Step {
        if rng.chance(70) { Step::In(small(rng, 6)) } else { Step::Out(small(rng, 6)) }
    }

    fn mutate(state: &mut TwoPhaseSet<u8>, _: Dot, op: &Step) -> Mutated<TwoPhaseSet<u8>> {
        match *op {
            Step::In(x) => Ok(state.insert(x)),
            Step::Out(x) => Ok(state.remove(x)),
            Step::Clear => unreachable!("not made"),
        }
    }

    fn read(state: &TwoPhaseSet<u8>) -> Vec<u8> {
        state.iter().copied().collect()
    }

    /// All that was added and not removed by somebody who had seen it added.
    fn meaning(visible: &[&Event<Step>]) -> Vec<u8> {
        let adds = |event: &Event<Step>, x| matches!(event.operation, Step::In(y) if x == y);
        let removes = |event: &Event<Step>, x| {
            matches!(event.operation, Step::Out(y) if x == y)
                && visible.iter().any(|add| adds(add, x) && event.saw(add))
        };
        let is_in = |&x: &u8| {
            visible.iter().any(|event| adds(event, x))
                && !visible.iter().any(|event| removes(event, x))
        };
        (0..6).filter(is_in).collect()
    }
}
