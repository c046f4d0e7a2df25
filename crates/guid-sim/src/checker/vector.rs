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

    /// A node is a copy of another: its past is that of its original.
    pub(crate) fn copy(&mut self, node: crate::NodeIndex, of: crate::NodeIndex) {
        self.last[node.at()] = self.last[of.at()];
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

#[cfg(test)]
mod tests {
    use guid_core::{NodeId, Stamp};
    use guid_crdt::Dot;

    use super::*;
    use crate::{Event, EventKind, NodeIndex, Purpose, Rng, Streams};

    /// A run by clocks that are as they must be: a copy takes over what its original knew, and goes
    /// on under a name of its own.
    #[derive(Default)]
    struct Right {
        clocks: Vec<VectorClock>,
        names: Vec<u32>,
        made: u32,
        count: u64,
    }

    impl Right {
        fn new(nodes: u32) -> Self {
            let clocks = (0..nodes).map(|_| VectorClock::new()).collect();
            Self { clocks, names: (0..nodes).collect(), made: nodes, count: 0 }
        }

        fn copy(&mut self, node: usize, of: usize) {
            self.clocks[node] = self.clocks[of].clone();
            self.names[node] = self.made;
            self.made += 1;
        }

        fn event(&mut self, node: usize, received: Option<&VectorClock>) -> VectorClock {
            if let Some(received) = received {
                self.clocks[node].join(received);
            }
            self.count += 1;
            let stamp = Stamp::from_u64(self.count).unwrap();
            self.clocks[node].record(Dot::new(NodeId::new(self.names[node]), stamp));
            self.clocks[node].clone()
        }
    }

    fn index(rng: &mut Rng, below: u64) -> usize {
        usize::try_from(rng.below(below)).unwrap()
    }

    /// Right clocks are never accused, whoever was copied; clocks that forget what they received
    /// are.
    #[test]
    fn a_copy_has_the_past_of_its_original() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        let mut accused = 0;
        for round in 0..500 {
            let (nodes, forgetful) = (3, round % 2 == 1);
            let (mut checker, mut right) = (VectorIff::new(nodes), Right::new(nodes));
            let mut clocks = Vec::new();
            for number in 0..30 {
                let at = NodeIndex::new(u32::try_from(index(&mut rng, 3)).unwrap());
                if rng.below(6) == 0 {
                    let of = NodeIndex::new(u32::try_from(index(&mut rng, 3)).unwrap());
                    checker.copy(at, of);
                    right.copy(at.at(), of.at());
                }
                let sent = (number > 0 && rng.below(2) == 0).then(|| index(&mut rng, number));
                let kind = EventKind::Mint;
                let event =
                    Event { number: 0, node: at, incarnation: 1, true_ns: 0, local_ns: 0, kind };
                let received = sent.map(|sent| &clocks[sent]).filter(|_| !forgetful);
                let clock = right.event(at.at(), received);
                checker.event(Keyed { key: 0, event }, &clock, sent);
                clocks.push(clock);
            }
            let (wrong, of, _) = checker.judge();
            assert_eq!(of, 30 * 29 / 2);
            assert!(forgetful || wrong == 0, "{wrong} of {of}");
            accused += u64::from(wrong > 0);
        }
        assert!(accused > 240, "{accused}");
    }
}
