//! Pairs of events in the wrong k-order, against the closed form.
//!
//! For a pair whose nodes are known the only chance is the phase of the window, so each pair has
//! its own probability; their sum is the expectation of the count, and z follows.

use std::collections::VecDeque;

use guid_core::NodeId;

use super::{Case, Chance, Keyed, Tally};
use crate::predict;

/// One end of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint {
    pub(crate) keyed: Keyed,
    /// The time that the scheme went by: in the stamp, or on the clock.
    pub(crate) ns: u64,
    pub(crate) id: NodeId,
}

/// How a scheme decides between two stamps that its window does not tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    /// By the node, whatever the time: a 96-bit ID.
    Node,
    /// By a sequence or counter that knows nothing of the other node: even odds.
    Chance,
    /// By having observed the first of the two: always right.
    Observed,
}

/// Counts a pair in its order of happening.
pub(crate) fn count(
    tally: &mut Tally,
    first: &Endpoint,
    second: &Endpoint,
    window_ns: u64,
    inside: Inside,
) {
    let q = match inside {
        Inside::Node if first.id > second.id => 1.0,
        Inside::Node => 0.0,
        Inside::Chance => 0.5,
        Inside::Observed => {
            let against = second.keyed.key < first.keyed.key;
            return tally.add(against, second.keyed.event.true_ns, Some(Chance::default()));
        }
    };
    let delta = second.ns as f64 - first.ns as f64;
    let window = window_ns as f64;
    let swing_ns = if delta.abs() < window { q * delta.abs() } else { 0.0 };
    let chance = Chance { p: predict::misorder(delta, window, q), swing_ns };
    tally.add(second.keyed.key < first.keyed.key, second.keyed.event.true_ns, Some(chance));
}

/// Each event against the latest one of another node that is at least `gap_ns` older.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub(crate) gap_ns: u64,
    window_ns: u64,
    inside: Inside,
    /// Events younger than the gap, oldest first, and the two latest older ones of distinct nodes.
    young: VecDeque<Endpoint>,
    old: [Option<Endpoint>; 2],
    pub(crate) tally: Tally,
    pub(crate) first: Option<Case>,
}

impl Pairs {
    pub(crate) fn new(gap_ns: u64, window_ns: u64, inside: Inside) -> Self {
        let (young, tally) = (VecDeque::new(), Tally::default());
        Self { gap_ns, window_ns, inside, young, old: [None; 2], tally, first: None }
    }

    pub(crate) fn event(&mut self, end: Endpoint) {
        self.young.push_back(end);
        let due = end.keyed.event.true_ns.saturating_sub(self.gap_ns);
        while let Some(aged) = self.young.front().filter(|aged| aged.keyed.event.true_ns <= due) {
            let aged = *aged;
            if aged.keyed.event.number == end.keyed.event.number {
                break;
            }
            self.young.pop_front();
            if self.old[0].is_some_and(|latest| latest.id != aged.id) {
                self.old[1] = self.old[0];
            }
            self.old[0] = Some(aged);
        }
        let partner = self.old.iter().flatten().find(|old| old.id != end.id);
        if let Some(partner) = partner {
            let before = self.tally.count;
            count(&mut self.tally, partner, &end, self.window_ns, self.inside);
            if self.tally.count > before {
                let cause = "inside a window the node decides, not the time";
                let (first, second) = (partner.keyed, end.keyed);
                self.first.get_or_insert(Case { first, second, cause });
            }
        }
    }
}
