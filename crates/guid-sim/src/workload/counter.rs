//! Counters that every node adds to, of any kind that `guid-crdt` has.

use std::{cell::Cell, rc::Rc};

use guid_crdt::{
    BoundedCounter, Dot, GCounter, MutateError, PnCounter, Replicated, ResettableCounter,
};

use super::{Share, Sharing, SharingConfig};
use crate::{Report, Rng, RunError, WorldConfig, simulate};

/// Which counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CounterKind {
    /// It only grows.
    Grow,
    /// It goes both ways.
    PosNeg,
    /// It goes both ways, and one change in fifty sets it to zero.
    Resettable,
    /// It never goes below zero: a node takes only what it has the right to.
    Bounded,
}

/// Add to a counter.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CounterWorkload {
    /// Which one.
    pub kind: CounterKind,
    /// How it is shared.
    pub sharing: SharingConfig,
}

/// What all nodes of a run did to the counter: what none of them can know.
#[derive(Clone, Debug, Default)]
struct Ledger {
    added: Rc<Cell<i128>>,
    taken: Rc<Cell<i128>>,
}

impl Ledger {
    fn note(&self, amount: i64) {
        let of = if amount < 0 { &self.taken } else { &self.added };
        of.set(of.get() + i128::from(amount));
    }

    /// No copy shows more than was added, or less than was taken away.
    fn holds(&self, value: i128) -> bool {
        (self.taken.get()..=self.added.get()).contains(&value)
    }
}

pub(super) fn run(workload: &CounterWorkload, config: WorldConfig) -> Result<Report, RunError> {
    let (sharing, ledger) = (workload.sharing, Ledger::default());
    match workload.kind {
        CounterKind::Grow => {
            simulate(config, |_| Sharing::new(Grow { ledger: ledger.clone() }, sharing))
        }
        CounterKind::PosNeg => {
            simulate(config, |_| Sharing::new(PosNeg { ledger: ledger.clone() }, sharing))
        }
        CounterKind::Resettable => {
            simulate(config, |_| Sharing::new(Resettable { ledger: ledger.clone() }, sharing))
        }
        CounterKind::Bounded => {
            simulate(config, |_| Sharing::new(Bounded { ledger: ledger.clone() }, sharing))
        }
    }
}

/// One to nine.
fn amount(rng: &mut Rng) -> u64 {
    1 + rng.below(9)
}

/// An amount that is negative one time in three.
fn signed(rng: &mut Rng) -> i64 {
    let amount = i64::try_from(amount(rng)).unwrap_or(1);
    if rng.below(3) == 0 { -amount } else { amount }
}

struct Grow {
    ledger: Ledger,
}

impl Share for Grow {
    type State = GCounter;

    fn change(
        &mut self,
        state: &mut GCounter,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<<GCounter as Replicated>::Delta, MutateError> {
        let amount = amount(rng);
        let delta = state.add(dot, amount)?;
        self.ledger.note(i64::try_from(amount).unwrap_or(0));
        Ok(delta)
    }

    fn show(&self, state: &GCounter) -> String {
        state.value().to_string()
    }

    fn holds(&self, state: &GCounter) -> bool {
        i128::try_from(state.value()).is_ok_and(|value| self.ledger.holds(value))
    }
}

struct PosNeg {
    ledger: Ledger,
}

impl Share for PosNeg {
    type State = PnCounter;

    fn change(
        &mut self,
        state: &mut PnCounter,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<<PnCounter as Replicated>::Delta, MutateError> {
        let amount = signed(rng);
        let delta = state.add(dot, amount)?;
        self.ledger.note(amount);
        Ok(delta)
    }

    fn show(&self, state: &PnCounter) -> String {
        state.value().to_string()
    }

    fn holds(&self, state: &PnCounter) -> bool {
        self.ledger.holds(state.value())
    }
}

struct Resettable {
    ledger: Ledger,
}

impl Share for Resettable {
    type State = ResettableCounter;

    fn change(
        &mut self,
        state: &mut ResettableCounter,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<<ResettableCounter as Replicated>::Delta, MutateError> {
        if rng.below(50) == 0 {
            return state.reset(dot);
        }
        let amount = signed(rng);
        let delta = state.add(dot, amount)?;
        self.ledger.note(amount);
        Ok(delta)
    }

    fn show(&self, state: &ResettableCounter) -> String {
        state.value().to_string()
    }

    fn holds(&self, state: &ResettableCounter) -> bool {
        self.ledger.holds(state.value())
    }
}

struct Bounded {
    ledger: Ledger,
}

impl Share for Bounded {
    type State = BoundedCounter;

    fn change(
        &mut self,
        state: &mut BoundedCounter,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<<BoundedCounter as Replicated>::Delta, MutateError> {
        let amount = amount(rng);
        if rng.below(3) == 0 && state.rights_of(dot.node()) >= amount {
            let delta = state.take(dot, amount)?;
            self.ledger.note(-i64::try_from(amount).unwrap_or(0));
            return Ok(delta);
        }
        let delta = state.add(dot, amount)?;
        self.ledger.note(i64::try_from(amount).unwrap_or(0));
        Ok(delta)
    }

    fn show(&self, state: &BoundedCounter) -> String {
        state.value().to_string()
    }

    /// Never below zero, which its type shows, and never above what was added.
    fn holds(&self, state: &BoundedCounter) -> bool {
        i128::try_from(state.value()).is_ok_and(|value| self.ledger.holds(value))
    }
}
