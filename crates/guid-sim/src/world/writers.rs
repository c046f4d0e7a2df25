//! Writes of replicas, by their dots: who may go on writing under a node, and what crashes lost.
//!
//! A replica that comes back must know all that was written under its node, or go on under another
//! one: a state that is older than its own writes makes dots that stand for two things, or that
//! cover what others hold and it has forgotten.

use std::collections::BTreeMap;

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, VectorClock};

use crate::{NodeIndex, recorder::Storage};

/// So many acknowledged writes are remembered.
const LIMIT: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Writers {
    /// The latest write under each node ID.
    latest: BTreeMap<NodeId, Stamp>,
    /// All of them, to see in the end who has them.
    acknowledged: BTreeMap<NodeId, Vec<Stamp>>,
    remembered: u64,
    forgotten: u64,
    nodes: Vec<Holder>,
}

/// What the replica of a node has, running or stored: of each node ID, all writes up to one.
#[derive(Clone, Debug, Default)]
struct Holder {
    has: VectorClock,
    had_at_snapshot: VectorClock,
    /// Whether it came back, or is a copy, so that its node ID may have had another writer.
    came_back: bool,
}

impl Writers {
    pub(super) fn new(nodes: u32) -> Self {
        Self {
            latest: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            remembered: 0,
            forgotten: 0,
            nodes: vec![Holder::default(); nodes as usize],
        }
    }

    /// A write under a dot, on a state that had `seen` so much. For a node that came back: whether
    /// it knew what had been written under its node ID, and did not write the same dot again.
    pub(super) fn wrote(&mut self, node: NodeIndex, dot: Dot, seen: &VectorClock) -> Option<bool> {
        let (id, stamp) = (dot.node(), dot.stamp());
        let latest = self.latest.get(&id).copied();
        let builds_on_own = latest.is_none_or(|latest| {
            latest < stamp && seen.get(id).is_some_and(|known| latest <= known)
        });
        self.latest.insert(id, latest.map_or(stamp, |latest| latest.max(stamp)));
        if self.remembered < LIMIT {
            self.remembered += 1;
            self.acknowledged.entry(id).or_default().push(stamp);
        } else {
            self.forgotten += 1;
        }
        self.nodes[node.at()].came_back.then_some(builds_on_own)
    }

    pub(super) fn holds(&mut self, node: NodeIndex, seen: VectorClock) {
        self.nodes[node.at()].has = seen;
    }

    pub(super) fn snapshot(&mut self, node: NodeIndex) {
        let of = &mut self.nodes[node.at()];
        of.had_at_snapshot = of.has.clone();
    }

    pub(super) fn restart(&mut self, node: NodeIndex, storage: Storage) {
        let of = &mut self.nodes[node.at()];
        of.came_back = true;
        match storage {
            Storage::Kept => {}
            Storage::Lost => of.has = VectorClock::new(),
            Storage::Snapshot => of.has = of.had_at_snapshot.clone(),
        }
    }

    pub(super) fn copy(&mut self, node: NodeIndex, of: NodeIndex) {
        self.nodes[node.at()] = Holder { came_back: true, ..self.nodes[of.at()].clone() };
        self.nodes[of.at()].came_back = true;
    }

    /// How many acknowledged writes no replica has now, up or stored, and how many were too many to
    /// remember; `None` where nothing was written, or no node came back that could have lost any.
    pub(super) fn lost(&self) -> Option<(u64, u64)> {
        if self.remembered == 0 || !self.nodes.iter().any(|of| of.came_back) {
            return None;
        }
        let lost_of = |(&id, stamps): (&NodeId, &Vec<Stamp>)| {
            let had = self.nodes.iter().filter_map(|of| of.has.get(id)).max();
            stamps.iter().filter(|&&stamp| had.is_none_or(|had| had < stamp)).count() as u64
        };
        Some((self.acknowledged.iter().map(lost_of).sum(), self.forgotten))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(node: u32, stamp: u64) -> Dot {
        Dot::new(NodeId::new(node), Stamp::from_u64(stamp).unwrap())
    }

    fn seen(dots: &[Dot]) -> VectorClock {
        let mut seen = VectorClock::new();
        for &dot in dots {
            seen.record(dot);
        }
        seen
    }

    #[test]
    fn what_nobody_has_is_lost() {
        let [a, b] = [0, 1].map(NodeIndex::new);
        let mut writers = Writers::new(2);
        for stamp in 1..=5 {
            assert_eq!(writers.wrote(a, dot(7, stamp), &seen(&[])), None);
        }
        writers.holds(a, seen(&[dot(7, 5)]));
        writers.holds(b, seen(&[dot(7, 3)]));
        assert_eq!(writers.lost(), None, "nobody came back");
        writers.restart(a, Storage::Kept);
        assert_eq!(writers.lost(), Some((0, 0)));
        writers.restart(a, Storage::Lost);
        assert_eq!(writers.lost(), Some((2, 0)));
        writers.holds(a, seen(&[dot(7, 3)]));
        assert_eq!(writers.lost(), Some((2, 0)));
    }

    #[test]
    fn a_snapshot_brings_back_what_was_there() {
        let a = NodeIndex::new(0);
        let mut writers = Writers::new(1);
        for stamp in 1..=5 {
            writers.wrote(a, dot(7, stamp), &seen(&[]));
            writers.holds(a, seen(&[dot(7, stamp)]));
            if stamp == 2 {
                writers.snapshot(a);
            }
        }
        writers.restart(a, Storage::Snapshot);
        assert_eq!(writers.lost(), Some((3, 0)));
    }

    #[test]
    fn who_comes_back_must_know_its_own_writes() {
        let a = NodeIndex::new(0);
        let mut writers = Writers::new(1);
        writers.wrote(a, dot(7, 5), &seen(&[]));
        writers.restart(a, Storage::Snapshot);
        // A dot again; a later one, on a state that lacks the first; on one that has it; another.
        assert_eq!(writers.wrote(a, dot(7, 5), &seen(&[dot(7, 5)])), Some(false));
        assert_eq!(writers.wrote(a, dot(7, 6), &seen(&[dot(7, 4)])), Some(false));
        assert_eq!(writers.wrote(a, dot(7, 7), &seen(&[dot(7, 6)])), Some(true));
        assert_eq!(writers.wrote(a, dot(8, 1), &seen(&[])), Some(true));
    }
}
