//! Counters.

use std::{cell::Cell, collections::BTreeMap};

use guid_core::NodeId;
use guid_crdt::{BoundedCounter, Dot, GCounter, MutateError, PnCounter, ResettableCounter};

use super::{Event, Mutated, Spec};
use crate::rng::Rng;

fn amount(rng: &mut Rng) -> i64 {
    i64::try_from(rng.below(13)).unwrap() - 6
}

pub(crate) struct GCounterSpec;

impl Spec for GCounterSpec {
    type State = GCounter;
    type Op = u64;
    type Value = u128;
    const NAME: &'static str = "GCounter";

    fn random(rng: &mut Rng) -> u64 {
        rng.next() % 10
    }

    fn mutate(state: &mut GCounter, dot: Dot, op: &u64) -> Mutated<GCounter> {
        state.add(dot, *op)
    }

    fn read(state: &GCounter) -> u128 {
        state.value()
    }

    fn meaning(visible: &[&Event<u64>]) -> u128 {
        visible.iter().map(|event| u128::from(event.operation)).sum()
    }
}

pub(crate) struct PnCounterSpec;

impl Spec for PnCounterSpec {
    type State = PnCounter;
    type Op = i64;
    type Value = i128;
    const NAME: &'static str = "PnCounter";

    fn random(rng: &mut Rng) -> i64 {
        amount(rng)
    }

    fn mutate(state: &mut PnCounter, dot: Dot, op: &i64) -> Mutated<PnCounter> {
        state.add(dot, *op)
    }

    fn read(state: &PnCounter) -> i128 {
        state.value()
    }

    fn meaning(visible: &[&Event<i64>]) -> i128 {
        visible.iter().map(|event| i128::from(event.operation)).sum()
    }
}

pub(crate) struct ResettableSpec;

impl Spec for ResettableSpec {
    type State = ResettableCounter;
    /// An addition, or a reset.
    type Op = Option<i64>;
    type Value = i128;
    const NAME: &'static str = "ResettableCounter";

    fn random(rng: &mut Rng) -> Option<i64> {
        (!rng.chance(20)).then(|| amount(rng))
    }

    fn mutate(
        state: &mut ResettableCounter,
        dot: Dot,
        op: &Option<i64>,
    ) -> Mutated<ResettableCounter> {
        match op {
            Some(amount) => state.add(dot, *amount),
            None => state.reset(dot),
        }
    }

    fn read(state: &ResettableCounter) -> i128 {
        state.value()
    }

    /// The additions that no reset has seen.
    fn meaning(visible: &[&Event<Option<i64>>]) -> i128 {
        let reset = |add: &Event<_>| visible.iter().any(|e| e.operation.is_none() && e.saw(add));
        let standing = visible.iter().filter(|add| !reset(add));
        standing.filter_map(|add| add.operation.map(i128::from)).sum()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Add,
    Take,
    Transfer(NodeId),
}

#[derive(Clone, Debug)]
pub(crate) struct BoundedOp {
    kind: Kind,
    amount: u64,
    /// Whether the author held the rights: noted when it is carried out.
    accepted: Cell<bool>,
}

pub(crate) struct BoundedSpec;

impl Spec for BoundedSpec {
    type State = BoundedCounter;
    type Op = BoundedOp;
    /// What is left, and the rights of nodes 1 to 5.
    type Value = (i128, Vec<i128>);
    const NAME: &'static str = "BoundedCounter";
    /// A refused operation leaves no dot.
    const DOTS: bool = false;

    fn random(rng: &mut Rng) -> BoundedOp {
        let kind = match rng.below(10) {
            0..4 => Kind::Add,
            4..8 => Kind::Take,
            _ => Kind::Transfer(NodeId::new(1 + u32::try_from(rng.below(5)).unwrap())),
        };
        BoundedOp { kind, amount: rng.next() % 6, accepted: Cell::new(false) }
    }

    fn mutate(state: &mut BoundedCounter, dot: Dot, op: &BoundedOp) -> Mutated<BoundedCounter> {
        let before = state.clone();
        let changed = match op.kind {
            Kind::Add => state.add(dot, op.amount),
            Kind::Take => state.take(dot, op.amount),
            Kind::Transfer(to) => state.transfer(dot, to, op.amount),
        };
        if let Err(MutateError::Rights { held, needed }) = changed {
            assert!(held < needed && held == before.rights_of(dot.node()));
            assert_eq!(state, &before);
            return Ok(before);
        }
        op.accepted.set(true);
        changed
    }

    fn read(state: &BoundedCounter) -> (i128, Vec<i128>) {
        let rights = (1..=5).map(|node| i128::from(state.rights_of(NodeId::new(node))));
        (state.value().try_into().unwrap(), rights.collect())
    }

    /// What was added less what was taken: the rights of all nodes together.
    fn meaning(visible: &[&Event<BoundedOp>]) -> (i128, Vec<i128>) {
        let mut rights: BTreeMap<NodeId, i128> = (1..=5).map(|n| (NodeId::new(n), 0)).collect();
        for event in visible.iter().filter(|event| event.operation.accepted.get()) {
            let amount = i128::from(event.operation.amount);
            let mut give = |node, amount| *rights.get_mut(&node).unwrap() += amount;
            match event.operation.kind {
                Kind::Add => give(event.dot.node(), amount),
                Kind::Take => give(event.dot.node(), -amount),
                Kind::Transfer(to) => {
                    give(event.dot.node(), -amount);
                    give(to, amount);
                }
            }
        }
        assert!(rights.values().all(|&rights| rights >= 0), "a right was spent twice: {rights:?}");
        (rights.values().sum(), rights.into_values().collect())
    }
}
