//! Vector clocks against the recorded graph: e → f if and only if VC(e) < VC(f).
//!
//! All pairs of the first events, up to a limit: a prefix of a run is closed under happens-before,
//! so what the prefix says is exact.

use guid_crdt::{Causality, Lattice, VectorClock};

use super::{Case, Cause, Keyed};

/// All pairs of this many events are compared.
const LIMIT: usize = 2_000;

#[derive(Debug, Default)]
pub(crate) struct VectorIff {
    events: Vec<Recorded>,
    /// The last event of each node.
    last: Vec<Option<usize>>,
}

#[derive(Debug)]
struct Recorded {
    keyed: Keyed,
    clock: VectorClock,
    /// Bit i: event i happened before this one.
    ancestors: Vec<u64>,
}

impl VectorIff {
    pub(crate) fn new(nodes: u32) -> Self {
        Self { events: Vec::new(), last: vec![None; nodes as usize] }
    }

    /// Records an event; `sent` is the number of the send it received. Returns its place.
    pub(crate) fn event(
        &mut self,
        keyed: Keyed,
        clock: &VectorClock,
        sent: Option<usize>,
    ) -> Option<usize> {
        let place = self.events.len();
        if place == LIMIT {
            return None;
        }
        let last = self.last[keyed.event.node.at()].replace(place);
        let mut ancestors = vec![0; place / 64 + 1];
        for parent in last.into_iter().chain(sent) {
            for (own, theirs) in ancestors.iter_mut().zip(&self.events[parent].ancestors) {
                *own |= theirs;
            }
            ancestors[parent / 64] |= 1 << (parent % 64);
        }
        self.events.push(Recorded { keyed, clock: clock.clone(), ancestors });
        Some(place)
    }

    /// The node begins anew, with no past.
    pub(crate) fn forget(&mut self, node: crate::NodeIndex) {
        self.last[node.at()] = None;
    }

    /// Pairs for which clock and graph disagree, of all, and the first one.
    pub(crate) fn judge(&self) -> (u64, u64, Option<Case>) {
        let (mut wrong, mut of, mut first) = (0, 0, None);
        for (j, f) in self.events.iter().enumerate() {
            for (i, e) in self.events[..j].iter().enumerate() {
                of += 1;
                let happened_before = f.ancestors[i / 64] >> (i % 64) & 1 == 1;
                let said = e.clock.compare(&f.clock);
                let expected =
                    if happened_before { Causality::Before } else { Causality::Concurrent };
                if said != expected {
                    wrong += 1;
                    let cause = "the clocks say otherwise than the messages";
                    first.get_or_insert(Case {
                        first: e.keyed,
                        second: f.keyed,
                        cause: Cause::Said(cause),
                    });
                }
            }
        }
        (wrong, of, first)
    }
}
