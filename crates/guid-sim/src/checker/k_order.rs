//! How far from sorted a scheme's k-order is, against the bound W + E.
//!
//! Two numbers: the *radius* (all IDs that many places apart are in order), and the *time radius*
//! (the greatest true gap of a pair in the wrong order). For an event x the pair that is furthest
//! apart is with the earliest event greater than x, and that one is a strict prefix maximum.
//!
//! # Invariants
//!
//! `records` holds the strict prefix maxima, greatest last. When there are many, neighbours of one
//! node and one window are folded into one record: a sound node makes no ID between them any more,
//! and nobody else can. Beyond the limit the oldest records are dropped. An event that would have
//! needed what was folded or dropped makes the verdict unknown.
//!
//! # References
//!
//! Altman and Igarashi, "Roughly Sorting: Sequential and Parallel Approach", 1989 (the radius).

use std::collections::VecDeque;

use super::{Case, Cause, Keyed};
use crate::Event;

/// How many records the lanes of a run keep between them, some fifty megabytes.
pub(crate) const LIMIT: usize = 1 << 19;

#[derive(Debug)]
pub(crate) struct KOrder {
    records: VecDeque<Record>,
    /// How many records were taken from the front: the number of the first one that is left.
    taken: usize,
    /// For each node, the number of the record it was compared with last.
    hints: Vec<usize>,
    /// The greatest record dropped.
    dropped: Option<u128>,
    /// IDs that differ in their lowest bits alone, this many, are of one node and one window.
    cell_bits: u32,
    limit: usize,
    place: u64,
    /// The least k such that IDs k or more places apart are in order, less one.
    pub(crate) displacement: u64,
    /// The greatest true gap of a pair in the wrong order.
    pub(crate) gap_ns: u64,
    pub(crate) widest: Option<Case>,
    pub(crate) overrun: bool,
}

/// A strict prefix maximum, and those that were folded into it.
#[derive(Clone, Copy, Debug)]
struct Record {
    place: u64,
    keyed: Keyed,
    /// The greatest key of those folded into it; its own if there is none.
    upto: u128,
}

impl KOrder {
    /// `cell_bits` is zero for schemes whose IDs of one node and window are not next to each other.
    pub(crate) fn new(nodes: u32, cell_bits: u32, limit: usize) -> Self {
        Self {
            records: VecDeque::new(),
            taken: 0,
            hints: vec![0; nodes as usize],
            dropped: None,
            cell_bits,
            limit: limit.max(2),
            place: 0,
            displacement: 0,
            gap_ns: 0,
            widest: None,
            overrun: false,
        }
    }

    pub(crate) fn event(&mut self, keyed: &Keyed) {
        let place = self.place;
        self.place += 1;
        if self.records.back().is_none_or(|record| keyed.key > record.upto) {
            // Before there is one too many: the memory of the records then never grows beyond them.
            if self.records.len() == self.limit {
                self.make_room();
            }
            self.records.push_back(Record { place, keyed: *keyed, upto: keyed.key });
            return;
        }
        self.overrun |= self.dropped.is_some_and(|dropped| keyed.key < dropped);
        let first = self.first_above(keyed);
        // One that was folded away may be the first above.
        let folded = first.checked_sub(1).and_then(|before| self.records.get(before));
        self.overrun |= folded.is_some_and(|folded| folded.upto > keyed.key);
        let Some(&record) = self.records.get(first) else { return };
        self.displacement = self.displacement.max(place - record.place);
        let gap = keyed.event.true_ns - record.keyed.event.true_ns;
        if gap >= self.gap_ns {
            let (first, second) = (record.keyed, *keyed);
            self.widest = Some(Case { first, second, cause: Cause::Order });
            self.gap_ns = gap;
        }
    }

    /// The place among the records of the first one above a key. IDs of a node rise, so it is where
    /// the search of its last ID ended, or not far behind.
    fn first_above(&mut self, keyed: &Keyed) -> usize {
        let hint = &mut self.hints[keyed.event.node.at()];
        let within = |record: Option<&Record>| record.is_some_and(|r| r.keyed.key <= keyed.key);
        let start = hint.saturating_sub(self.taken).min(self.records.len());
        let found = if start == 0 || within(self.records.get(start - 1)) {
            let (mut low, mut step) = (start, 1);
            while within(self.records.get(low + step - 1)) {
                low += step;
                step *= 2;
            }
            let high = (low + step - 1).min(self.records.len());
            low + partition(low, high, |at| within(self.records.get(at)))
        } else {
            self.records.partition_point(|record| record.keyed.key <= keyed.key)
        };
        *hint = self.taken + found;
        found
    }

    fn make_room(&mut self) {
        if self.cell_bits > 0 {
            self.fold();
        }
        // A quarter at a time, so that folding is tried once in many events.
        while self.records.len() > self.limit - self.limit / 4 {
            if let Some(oldest) = self.records.pop_front() {
                self.dropped = Some(oldest.upto);
                self.taken += 1;
            }
        }
    }

    /// Folds neighbours of one cell in the older half; a node may still go back a little.
    fn fold(&mut self) {
        let older = self.records.len() / 2;
        let mut folded: VecDeque<Record> = VecDeque::new();
        for (i, record) in self.records.drain(..).enumerate() {
            match folded.back_mut() {
                Some(last)
                    if i < older
                        && (last.upto ^ record.keyed.key) >> self.cell_bits == 0
                        && last.keyed.event.node == record.keyed.event.node =>
                {
                    last.upto = record.upto;
                }
                _ => folded.push_back(record),
            }
        }
        self.records = folded;
        // Numbers have changed: every node searches anew.
        self.taken = 0;
        self.hints.fill(0);
    }

    /// Whether any pair was in the wrong order.
    pub(crate) fn disordered(&self) -> bool {
        self.displacement > 0
    }
}

/// How many of the places from `low` on are within, of those before `high`.
fn partition(low: usize, high: usize, within: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (low, high);
    while from < to {
        let middle = usize::midpoint(from, to);
        if within(middle) { from = middle + 1 } else { to = middle }
    }
    from - low
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

    /// The largest difference seen, at any two moments: of two nodes' extremes, the greatest of one
    /// and the least of the other.
    pub(crate) fn spread(&self) -> i128 {
        let seen = || self.errors.iter().enumerate().filter_map(|(node, of)| Some((node, (*of)?)));
        let highest = two_largest(seen().map(|(node, (_, high))| (high, node)));
        let lowest = two_largest(seen().map(|(node, (low, _))| (-low, node)));
        let pairs = highest.iter().flatten().flat_map(|high| {
            let others = lowest.iter().flatten().filter(|low| low.1 != high.1);
            others.map(|low| high.0 + low.0)
        });
        pairs.max().unwrap_or(0).max(0)
    }
}

/// The largest and the second largest.
fn two_largest(all: impl Iterator<Item = (i128, usize)>) -> [Option<(i128, usize)>; 2] {
    all.fold([None, None], |[first, second], one| match Some(one) {
        one if one > first => [one, first],
        one => [first, second.max(one)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventKind, NodeIndex, Purpose, Streams};

    fn keyed(i: u64, node: u32, key: u128) -> Keyed {
        let (node, kind) = (NodeIndex::new(node), EventKind::Mint);
        let event = Event { number: i, node, incarnation: 1, true_ns: i * 7, local_ns: 0, kind };
        Keyed { key, event }
    }

    #[test]
    fn the_radius_is_that_of_all_pairs() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        for _ in 0..4_000 {
            let keys: Vec<u128> = (0..12).map(|_| u128::from(rng.below(10))).collect();
            let mut k_order = KOrder::new(3, 0, LIMIT);
            for (i, &key) in (0..).zip(&keys) {
                k_order.event(&keyed(i, u32::try_from(key % 3).unwrap(), key));
            }
            let pairs = || (0..12_usize).flat_map(|j| (0..j).map(move |i| (i, j)));
            let furthest =
                pairs().filter(|&(i, j)| keys[i] > keys[j]).map(|(i, j)| j - i).max().unwrap_or(0);
            assert_eq!(k_order.displacement, furthest as u64, "{keys:?}");
            assert_eq!(k_order.gap_ns, furthest as u64 * 7);
        }
    }

    /// Nodes whose IDs rise in cells of 64, the greater node above: with room for few records it
    /// says the same as with room for all, or that it does not know.
    #[test]
    fn folding_and_dropping_never_change_what_is_said_but_for_unknown() {
        let mut rng = Streams::new(7).of_world(Purpose::Workload);
        let (mut known, mut unknown) = (0, 0);
        for round in 0..200_u64 {
            let cells = if round % 2 == 0 { 6 } else { 0 };
            let mut whole = KOrder::new(4, cells, LIMIT);
            let mut small = KOrder::new(4, cells, 64);
            for i in 0..1_000_u64 {
                let node = u32::try_from(rng.below(4)).unwrap();
                // A clock set back for a moment, in every fourth round.
                let back = if round % 4 == 3 && rng.below(100) == 0 { 600 } else { 0 };
                let time = u128::from(i.saturating_sub(back));
                let (window, within) = (time / 256, time % 256);
                let cell = window << 4 | u128::from(node);
                let key = cell << 6 | (within / 4);
                let keyed = keyed(i, node, key);
                whole.event(&keyed);
                small.event(&keyed);
            }
            assert!(!whole.overrun && small.records.len() <= 64);
            if small.overrun {
                unknown += 1;
            } else {
                known += 1;
                let said = |k_order: &KOrder| (k_order.displacement, k_order.gap_ns);
                assert_eq!(said(&small), said(&whole), "round {round}");
            }
        }
        assert!(known >= 140 && unknown >= 40, "{known} {unknown}");
    }

    #[test]
    fn the_spread_is_that_of_all_pairs_of_nodes() {
        let mut rng = Streams::new(8).of_world(Purpose::Workload);
        for _ in 0..2_000 {
            let nodes = 1 + u32::try_from(rng.below(5)).unwrap();
            let mut skew = StampSkew::new(nodes);
            let mut errors = Vec::new();
            for _ in 0..rng.below(8) {
                let node = u32::try_from(rng.below(nodes.into())).unwrap();
                let mut event = keyed(1_000, node, 0).event;
                event.true_ns = 1_000;
                let stamp = 900 + rng.below(200);
                skew.event(&event, stamp);
                errors.push((node, i128::from(stamp) - 1_000));
            }
            let pairs = errors.iter().flat_map(|a| errors.iter().map(move |b| (a, b)));
            let apart = pairs.filter(|(a, b)| a.0 != b.0).map(|(a, b)| (a.1 - b.1).abs());
            assert_eq!(skew.spread(), apart.max().unwrap_or(0));
        }
    }
}
