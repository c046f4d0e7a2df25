//! The meaning of each type, as a function of visible events and happens-before.

use std::collections::BTreeSet;
use std::fmt::Debug;

use guid_crdt::{
    Dot, LwwRegister, MutateError, MvRegister, MvRegisterDelta, OrSet, OrSetDelta, Replicated,
};

use crate::rng::Rng;

/// A set of events, by number.
pub(crate) type Events = u64;

pub(crate) struct Event<O> {
    pub(crate) number: usize,
    pub(crate) dot: Dot,
    pub(crate) operation: O,
    /// The events that happened before it: those its author had seen.
    pub(crate) seen: Events,
}

impl<O> Event<O> {
    pub(crate) fn saw(&self, other: &Self) -> bool {
        self.seen >> other.number & 1 == 1
    }
}

pub(crate) trait Spec {
    type State: Replicated<Delta: Clone> + PartialEq + Debug;
    type Op: Debug;
    type Value: PartialEq + Debug;
    const NAME: &'static str;

    fn random(rng: &mut Rng) -> Self::Op;
    fn mutate(
        state: &mut Self::State,
        dot: Dot,
        op: &Self::Op,
    ) -> Result<<Self::State as Replicated>::Delta, MutateError>;
    fn group(
        delta: &mut <Self::State as Replicated>::Delta,
        next: &<Self::State as Replicated>::Delta,
    ) -> bool;
    fn read(state: &Self::State) -> Self::Value;
    /// What must be read where these events are visible.
    fn meaning(visible: &[&Event<Self::Op>]) -> Self::Value;
    fn bytes(state: &Self::State) -> Vec<u8>;
}

#[cfg(feature = "wire")]
fn encoded<T: guid_crdt::wire::Wire + PartialEq + Debug>(state: &T) -> Vec<u8> {
    let bytes = guid_crdt::wire::encode(state).unwrap();
    assert_eq!(guid_crdt::wire::decode::<T>(&bytes).as_ref(), Ok(state));
    bytes
}

#[cfg(not(feature = "wire"))]
fn encoded<T>(_: &T) -> Vec<u8> {
    Vec::new()
}

#[derive(Debug)]
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

    fn mutate(state: &mut OrSet<u8>, dot: Dot, op: &SetOp) -> Result<OrSetDelta<u8>, MutateError> {
        match op {
            SetOp::Insert(values) => state.insert_all(dot, values.iter().copied()),
            SetOp::Remove(value) => state.remove(dot, value),
            SetOp::Clear => state.clear(dot),
        }
    }

    fn group(delta: &mut OrSetDelta<u8>, next: &OrSetDelta<u8>) -> bool {
        delta.join(next).is_ok()
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

    fn bytes(state: &OrSet<u8>) -> Vec<u8> {
        encoded(state)
    }
}

pub(crate) struct LwwSpec;

impl Spec for LwwSpec {
    type State = LwwRegister<u8>;
    type Op = u8;
    type Value = Option<u8>;
    const NAME: &'static str = "LwwRegister";

    fn random(rng: &mut Rng) -> u8 {
        u8::try_from(rng.below(200)).unwrap()
    }

    fn mutate(
        state: &mut LwwRegister<u8>,
        dot: Dot,
        op: &u8,
    ) -> Result<LwwRegister<u8>, MutateError> {
        state.set(dot, *op)
    }

    fn group(delta: &mut LwwRegister<u8>, next: &LwwRegister<u8>) -> bool {
        guid_crdt::Lattice::join(delta, next);
        true
    }

    fn read(state: &LwwRegister<u8>) -> Option<u8> {
        state.get().copied()
    }

    /// The value of the visible write with the greatest stamp, and of those the greatest node.
    fn meaning(visible: &[&Event<u8>]) -> Option<u8> {
        let last = visible.iter().max_by_key(|event| (event.dot.stamp(), event.dot.node()));
        last.map(|event| event.operation)
    }

    fn bytes(state: &LwwRegister<u8>) -> Vec<u8> {
        encoded(state)
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

    fn mutate(
        state: &mut MvRegister<u8>,
        dot: Dot,
        op: &Option<u8>,
    ) -> Result<MvRegisterDelta<u8>, MutateError> {
        match op {
            Some(value) => state.set(dot, *value),
            None => state.clear(dot),
        }
    }

    fn group(delta: &mut MvRegisterDelta<u8>, next: &MvRegisterDelta<u8>) -> bool {
        delta.join(next).is_ok()
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

    fn bytes(state: &MvRegister<u8>) -> Vec<u8> {
        encoded(state)
    }
}
