//! How far from sorted a scheme's k-order is, against the bound W + E.
//!
//! Two numbers: the *radius* (all IDs that many places apart are in order), and the *time radius*
//! (the greatest true gap of a pair in the wrong order). For an event x the pair that is furthest
//! apart is with the earliest event greater than x, and that one is a strict prefix maximum.
//!
//! # Invariants
//!
//! `records` holds the strict prefix maxima, greatest last. Those older than the horizon are
//! dropped, and an event that would have needed one makes the verdict unknown.
//!
//! # References
//!
//! Altman and Igarashi, "Roughly Sorting: Sequential and Parallel Approach", 1989 (the radius).

use std::collections::VecDeque;

use super::{Case, Keyed};
use crate::Event;

/// Records older than this many windows are dropped once there are many.
const HORIZON_WINDOWS: u64 = 4;
const MANY: usize = 1 << 16;
/// How many records the lanes of a run keep between them, about half a gigabyte.
pub(crate) const LIMIT: usize = 4_000_000;

#[derive(Debug)]
pub(crate) struct KOrder {
    /// (place, prefix maximum).
    records: VecDeque<(u64, Keyed)>,
    /// The greatest record dropped.
    dropped: Option<u128>,
    horizon_ns: u64,
    limit: usize,
    place: u64,
    /// The least k such that IDs k or more places apart are in order, less one.
    pub(crate) displacement: u64,
    /// The greatest true gap of a pair in the wrong order.
    pub(crate) gap_ns: u64,
    pub(crate) widest: Option<Case>,
    pub(crate) overrun: bool,
}

impl KOrder {
    pub(crate) fn new(window_ns: u64, limit: usize) -> Self {
        Self {
            records: VecDeque::new(),
            dropped: None,
            // An hour at least: schemes that put time first have no window to speak of.
            horizon_ns: (window_ns * HORIZON_WINDOWS).max(3_600_000_000_000),
            limit,
            place: 0,
            displacement: 0,
            gap_ns: 0,
            widest: None,
            overrun: false,
        }
    }

    pub(crate) fn event(&mut self, keyed: Keyed) {
        let place = self.place;
        self.place += 1;
        if self.records.back().is_none_or(|(_, record)| keyed.key > record.key) {
            self.records.push_back((place, keyed));
            self.prune(keyed.event.true_ns);
            return;
        }
        self.overrun |= self.dropped.is_some_and(|dropped| keyed.key < dropped);
        let first = self.records.partition_point(|(_, record)| record.key <= keyed.key);
        let Some(&(earlier, record)) = self.records.get(first) else { return };
        self.displacement = self.displacement.max(place - earlier);
        let gap = keyed.event.true_ns - record.event.true_ns;
        if gap >= self.gap_ns {
            let cause = "inside a window the node decides, not the time";
            self.widest = Some(Case { first: record, second: keyed, cause });
            self.gap_ns = gap;
        }
    }

    fn prune(&mut self, now: u64) {
        while self.records.len() > MANY {
            match self.records.front() {
                Some((_, oldest))
                    if oldest.event.true_ns + self.horizon_ns < now
                        || self.records.len() > self.limit.max(MANY) =>
                {
                    self.dropped = Some(oldest.key);
                    self.records.pop_front();
                }
                _ => return,
            }
        }
    }

    /// Whether any pair was in the wrong order.
    pub(crate) fn disordered(&self) -> bool {
        self.displacement > 0
    }
}

/// E: the largest difference, between two nodes, of (time in the stamp − true time).
#[derive(Debug)]
pub(crate) struct StampSkew {
    /// Least and greatest error of each node.
    errors: Vec<Option<(i128, i128)>>,
}

impl StampSkew {
    pub(crate) fn new(nodes: u32) -> Self {
        Self { errors: vec![None; nodes as usize] }
    }

    pub(crate) fn event(&mut self, event: &Event, stamp_ns: u64) {
        let error = i128::from(stamp_ns) - i128::from(event.true_ns);
        let of = &mut self.errors[event.node.at()];
        *of = Some(of.map_or((error, error), |(low, high)| (low.min(error), high.max(error))));
    }

    /// The largest difference seen, at any two moments.
    pub(crate) fn spread(&self) -> i128 {
        let seen = || self.errors.iter().enumerate().filter_map(|(i, error)| Some((i, (*error)?)));
        // The highest less the lowest; where both are of one node, one of them is the second best.
        let high = seen().max_by_key(|&(_, (_, high))| high);
        let low = seen().min_by_key(|&(_, (low, _))| low);
        let (Some((highest, (_, high))), Some((lowest, (low, _)))) = (high, low) else { return 0 };
        if highest != lowest {
            return (high - low).max(0);
        }
        let others = || seen().filter(|&(i, _)| i != highest).map(|(_, error)| error);
        let second_low = others().map(|(low, _)| high - low).max();
        let second_high = others().map(|(_, high)| high - low).max();
        second_low.max(second_high).unwrap_or(0).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventKind, NodeIndex, Purpose, Streams};

    #[test]
    fn the_spread_is_that_of_all_pairs_of_nodes() {
        let mut rng = Streams::new(7).of_world(Purpose::Workload);
        for _ in 0..2_000 {
            let nodes = 1 + u32::try_from(rng.below(4)).unwrap();
            let (mut skew, mut seen) = (StampSkew::new(nodes), Vec::new());
            for number in 0..rng.below(8) {
                let node = NodeIndex::new(u32::try_from(rng.below(nodes.into())).unwrap());
                let (true_ns, stamp_ns) = (rng.below(50), rng.below(50));
                let (incarnation, local_ns, kind) = (1, 0, EventKind::Mint);
                let event = Event { number, node, incarnation, true_ns, local_ns, kind };
                skew.event(&event, stamp_ns);
                seen.push((node, i128::from(stamp_ns) - i128::from(true_ns)));
            }
            let pairs = seen.iter().flat_map(|a| seen.iter().map(move |b| (a, b)));
            let apart = pairs.filter(|(a, b)| a.0 != b.0).map(|(a, b)| a.1 - b.1);
            assert_eq!(skew.spread(), apart.max().unwrap_or(0).max(0), "{seen:?}");
        }
    }

    #[test]
    fn the_radius_is_that_of_all_pairs() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        for _ in 0..4_000 {
            let keys: Vec<u128> = (0..12).map(|_| u128::from(rng.below(10))).collect();
            let mut k_order = KOrder::new(1, LIMIT);
            for (i, &key) in (0..).zip(&keys) {
                let (node, kind) = (NodeIndex::new(0), EventKind::Mint);
                let event =
                    Event { number: i, node, incarnation: 1, true_ns: i * 7, local_ns: 0, kind };
                k_order.event(Keyed { key, event });
            }
            let pairs = || (0..12_usize).flat_map(|j| (0..j).map(move |i| (i, j)));
            let furthest =
                pairs().filter(|&(i, j)| keys[i] > keys[j]).map(|(i, j)| j - i).max().unwrap_or(0);
            assert_eq!(k_order.displacement, furthest as u64, "{keys:?}");
            assert_eq!(k_order.gap_ns, furthest as u64 * 7);
        }
    }
}
