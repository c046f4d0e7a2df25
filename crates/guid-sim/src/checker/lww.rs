//! Overwrites that last-writer-wins loses.
//!
//! A node overwrites a value that it has seen. If the new ID is not the greater one, the register
//! keeps the old value and the write is lost, silently. Counted apart: overwrites of fresh values
//! (every register overwritten once), for which a closed form exists, and of one register that
//! lives on, which sticks to the greatest node for a whole window.

use std::collections::BTreeMap;

use super::{Case, Cause, Chance, Keyed, Tally};
use crate::{EventKind, predict};

/// The register that lives on; every other is written, overwritten once, and forgotten.
pub(crate) const LONG_LIVED: u64 = 0;

/// How many fresh values may wait for their overwrite; older ones are forgotten first.
const WAITING: usize = 1 << 20;

/// The order the register decides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Bytes,
    Time,
}

#[derive(Debug)]
pub(crate) struct Lww {
    order: Order,
    window_ns: Option<u64>,
    /// The value each register holds: its ID, and the time in its stamp.
    winners: BTreeMap<u64, (Keyed, u64)>,
    pub(crate) fresh: Lost,
    pub(crate) long_lived: Lost,
}

/// Overwrites of one kind, and the first that was lost.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    pub(crate) tally: Tally,
    pub(crate) first: Option<Case>,
}

impl Lost {
    fn add(&mut self, lost: bool, first: Keyed, second: Keyed, chance: Option<Chance>) {
        self.tally.add(lost, second.event.true_ns, chance);
        if lost {
            self.first.get_or_insert(Case { first, second, cause: Cause::Lost });
        }
    }
}

impl Lww {
    /// `window_ns` is that of the closed form for the order; `None` where there is none.
    pub(crate) fn new(order: Order, window_ns: Option<u64>) -> Self {
        Self {
            order,
            window_ns,
            winners: BTreeMap::new(),
            fresh: Lost::default(),
            long_lived: Lost::default(),
        }
    }

    pub(crate) fn order(&self) -> Order {
        self.order
    }

    pub(crate) fn event(&mut self, keyed: Keyed, ns: u64) {
        let EventKind::Write { register, overwrite } = keyed.event.kind else { return };
        let Some(&(winner, winner_ns)) = self.winners.get(&register).filter(|_| overwrite) else {
            if !overwrite {
                self.hold(register, keyed, ns);
            }
            return;
        };
        let lost = keyed.key <= winner.key;
        if register == LONG_LIVED {
            // A node always wins over itself: what counts is writing over somebody else's value.
            if winner.event.node != keyed.event.node {
                self.long_lived.add(lost, winner, keyed, None);
            }
            if !lost {
                self.hold(register, keyed, ns);
            }
        } else {
            self.fresh.add(lost, winner, keyed, self.chance(winner_ns, ns));
            self.winners.remove(&register);
        }
    }

    fn hold(&mut self, register: u64, keyed: Keyed, ns: u64) {
        self.winners.insert(register, (keyed, ns));
        if self.winners.len() > WAITING {
            // The long-lived register has the smallest number: leave it.
            let oldest = self.winners.keys().find(|&&register| register != LONG_LIVED).copied();
            oldest.and_then(|register| self.winners.remove(&register));
        }
    }

    /// The two nodes of a fresh value are random, so the first is the greater with even odds.
    fn chance(&self, first_ns: u64, second_ns: u64) -> Option<Chance> {
        let window_ns = self.window_ns?;
        let delta = second_ns as f64 - first_ns as f64;
        let decides = if delta < 0.0 { 0.5 } else { -0.5 };
        let p = predict::lww_lost(delta, window_ns as f64);
        Some(Chance::new(p, [first_ns, second_ns], window_ns, decides))
    }
}
