//! Pairs of events in the wrong k-order, against the closed form.
//!
//! Inside a window the tail of the IDs decides: the node, a sequence, random bits. Of a pair the
//! tails are known, so the only chance is the phase of the window, and each pair has its own
//! probability; their sum is the expectation of the count, and z follows.

use std::collections::VecDeque;

use guid_core::NodeId;

use super::{Case, Cause, Chance, Keyed, Tally};
use crate::predict;

/// One end of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint {
    pub(crate) keyed: Keyed,
    /// The time that the scheme went by: in the stamp, or on the clock.
    pub(crate) ns: u64,
    /// What decides between two IDs of one window.
    pub(crate) tail: u128,
    pub(crate) id: NodeId,
}

/// The two ends of messages, and the first that are in the wrong order.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pub(crate) tally: Tally,
    pub(crate) first: Option<Case>,
}

impl Edges {
    /// Counts a message.
    pub(crate) fn count(
        &mut self,
        sent: &Endpoint,
        received: &Endpoint,
        window_ns: u64,
        observed: Observed,
    ) {
        let before = self.tally.count;
        count(&mut self.tally, sent, received, window_ns, observed);
        if self.tally.count > before {
            let (first, second) = (sent.keyed, received.keyed);
            self.first.get_or_insert(Case { first, second, cause: Cause::Order });
        }
    }
}

/// Counts a pair in its order of happening. `observed` says that the second was made by somebody
/// who had observed the first, where that puts it after: then nothing is left to chance.
pub(crate) fn count(
    tally: &mut Tally,
    first: &Endpoint,
    second: &Endpoint,
    window_ns: u64,
    observed: Observed,
) {
    let (delta, window) = (second.ns as f64 - first.ns as f64, window_ns as f64);
    let q = if first.tail > second.tail { 1.0 } else { 0.0 };
    let chance = match observed {
        Observed::Unpredicted => None,
        Observed::Yes => Some(Chance::default()),
        Observed::No => {
            // What a boundary between the two makes of the tails' word: order of a gap, disorder of
            // stamps that are the wrong way round.
            let decides = if delta < 0.0 { 1.0 - q } else { -q };
            let p = predict::misorder(delta, window, q);
            Some(Chance::new(p, [first.ns, second.ns], window_ns, decides))
        }
    };
    tally.add(second.keyed.key < first.keyed.key, second.keyed.event.true_ns, chance);
}

/// Whether the receive rule puts the second of a pair after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observed {
    No,
    Yes,
    /// There is no closed form for the scheme.
    Unpredicted,
}

/// How many events wait for their pair at most; of more, the oldest find none.
const YOUNG: usize = 1 << 18;

/// Each event against the latest one of another node that is at least `gap_ns` older.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub(crate) gap_ns: u64,
    window_ns: u64,
    /// Events younger than the gap, oldest first, and the two latest older ones of distinct nodes.
    young: VecDeque<Endpoint>,
    old: [Option<Endpoint>; 2],
    pub(crate) tally: Tally,
    pub(crate) first: Option<Case>,
}

impl Pairs {
    pub(crate) fn new(gap_ns: u64, window_ns: u64) -> Self {
        let (young, tally) = (VecDeque::new(), Tally::default());
        Self { gap_ns, window_ns, young, old: [None; 2], tally, first: None }
    }

    pub(crate) fn event(&mut self, end: Endpoint) {
        if self.young.len() == YOUNG {
            self.young.pop_front();
        }
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
            count(&mut self.tally, partner, &end, self.window_ns, Observed::No);
            if self.tally.count > before {
                let (first, second) = (partner.keyed, end.keyed);
                self.first.get_or_insert(Case { first, second, cause: Cause::Order });
            }
        }
    }
}
