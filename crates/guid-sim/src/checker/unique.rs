//! No ID is made twice.
//!
//! Exactly, for any order of IDs, yet quick where they rise. The latest IDs are in a small hash
//! table. When it is full, those that every node has gone past are moved to an archive of blocks,
//! in which an ID is looked for only if it is not above all that was ever archived: with sound
//! generators and clocks in step that is never. The archive forgets its oldest blocks beyond a
//! limit; an ID that might have been in one of those makes the verdict unknown.
//!
//! Which IDs are archived when changes the speed and nothing else. IDs are compared as they stand
//! in time order, in which those of all nodes rise together.

mod archive;

use super::{Case, Cause, Keyed, Moment};
use crate::Event;

use self::archive::Archive;

/// How many IDs the lanes of a run remember between them, some sixty megabytes.
pub(crate) const LIMIT: usize = 1 << 20;

/// IDs in the hash table before it is looked through for the first time, and at most.
const FULL: usize = 1 << 8;
const FULLEST: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Unique {
    recent: Vec<Seen>,
    /// Open addressing: places in `recent`, from one; zero is free. Twice as many as IDs, or more.
    table: Vec<u32>,
    /// How many IDs are looked through next.
    full: usize,
    archive: Archive,
    nodes: Vec<Progress>,
    pub(crate) duplicates: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
    pub(crate) overrun: bool,
}

/// An ID that was made, and by which event.
#[derive(Clone, Copy, Debug)]
struct Seen {
    time: u128,
    by: Moment,
}

/// How far a node has come.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Its last ID, in time order.
    last: Option<u128>,
    /// The latest that its clock read.
    latest_ns: u64,
}

impl Unique {
    pub(crate) fn new(nodes: u32, limit: usize) -> Self {
        Self {
            recent: Vec::new(),
            table: vec![0; 2 * FULL],
            full: FULL,
            archive: Archive::new(limit),
            nodes: vec![Progress::default(); nodes as usize],
            duplicates: 0,
            of: 0,
            first: None,
            overrun: false,
        }
    }

    /// Takes note of an ID: as it is shown, and in time order.
    pub(crate) fn event(&mut self, keyed: &Keyed, time: u128) {
        self.of += 1;
        let node = &mut self.nodes[keyed.event.node.at()];
        let before = node.latest_ns;
        (node.last, node.latest_ns) = (Some(time), before.max(keyed.event.local_ns));
        let slot = self.slot(time);
        let found = self.table[slot].checked_sub(1).map(|at| self.recent[at as usize].by);
        let found = found.or_else(|| self.archive.find(time));
        if let Some(maker) = found {
            self.duplicates += 1;
            self.first.get_or_insert_with(|| case(maker, keyed, before));
            return;
        }
        self.overrun |= self.archive.may_have_forgotten(time);
        self.insert(slot, Seen { time, by: Moment::of(&keyed.event) });
        if self.recent.len() >= self.full {
            self.tidy();
        }
    }

    /// Where an ID stands in the table, or would.
    fn slot(&self, time: u128) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = spread(time) & mask;
        // Half of the table is free, so this ends.
        while let Some(at) = self.table[slot].checked_sub(1) {
            if self.recent[at as usize].time == time {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn insert(&mut self, slot: usize, seen: Seen) {
        self.recent.push(seen);
        self.table[slot] = self.recent.len() as u32;
    }

    /// Archives what all nodes have gone past. If that is too little, the table grows; if it cannot
    /// grow, everything is archived.
    fn tidy(&mut self) {
        let floor = self.nodes.iter().filter_map(|node| node.last).min().unwrap_or(0);
        let staying = self.recent.iter().filter(|seen| seen.time > floor).count();
        let floor = if staying <= FULLEST / 2 { floor } else { u128::MAX };
        self.archive.add(self.recent.iter().filter(|seen| seen.time <= floor));
        self.recent.retain(|seen| seen.time > floor);
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.full = (2 * self.recent.len()).max(FULL);
        self.table.clear();
        self.table.resize(2 * self.full.next_power_of_two(), 0);
        for at in 0..self.recent.len() {
            let slot = self.slot(self.recent[at].time);
            self.table[slot] = at as u32 + 1;
        }
    }
}

/// The upper bits of a product: all bits of the ID reach them.
const fn spread(time: u128) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (high, low) = ((time >> 64) as u64, time as u64);
    let mixed = (low ^ high.rotate_left(32)).wrapping_mul(ODD);
    ((mixed ^ mixed >> 29).wrapping_mul(ODD) >> 32) as usize
}

/// The case of an ID made again. `latest` is the latest that the node's clock had read before.
fn case(maker: Moment, second: &Keyed, latest: u64) -> Case {
    let event = maker.event(second.event.kind);
    let cause = cause(&event, &second.event, latest);
    Case { first: Keyed { key: second.key, event }, second: *second, cause: Cause::Said(cause) }
}

/// Names what brought the same ID about twice.
fn cause(first: &Event, second: &Event, latest: u64) -> &'static str {
    if first.node != second.node {
        "two live nodes share one node ID"
    } else if first.incarnation != second.incarnation {
        "the source forgot at a restart what it had made"
    } else if second.local_ns < latest {
        "the clock came back to a tick of its past"
    } else {
        "the sequence came round inside one reading of the clock"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{EventKind, NodeIndex, Purpose, Streams};

    fn keyed(key: u128, number: u64, incarnation: u32, true_ns: u64, local_ns: u64) -> Keyed {
        let (node, kind) = (NodeIndex::new(0), EventKind::Mint);
        Keyed { key, event: Event { number, node, incarnation, true_ns, local_ns, kind } }
    }

    #[test]
    fn duplicates_are_counted_and_their_cause_is_named() {
        let mut unique = Unique::new(1, 100);
        let mut event = |keyed: Keyed| {
            unique.event(&keyed, keyed.key);
            (unique.duplicates, unique.of)
        };
        event(keyed(7, 1, 1, 0, 0));
        assert_eq!(event(keyed(8, 2, 1, 1_000, 1_000)), (0, 2));
        event(keyed(7, 3, 1, 2_000_000, 10));
        assert_eq!(event(keyed(7, 4, 2, 3_000_000, 10)), (2, 4));
        let first = unique.first.unwrap();
        assert_eq!((first.first.event.number, first.second.event.number), (1, 3));
        assert!(!unique.overrun);
        assert_eq!(first.cause, Cause::Said("the clock came back to a tick of its past"));
        let why = |incarnation, latest| {
            cause(&keyed(7, 1, 1, 0, 0).event, &keyed(7, 4, incarnation, 9, 3).event, latest)
        };
        assert!(why(2, 0).contains("restart"));
        assert!(why(1, 4).contains("came back"));
        assert!(why(1, 3).contains("sequence"), "a frozen clock did not come back");
    }

    /// Nodes whose IDs rise at their own pace, stall, and now and then go back far or near.
    fn run(seed: u64, limit: usize, events: u64) -> (Unique, u64, Option<(u64, u64)>) {
        let mut rng = Streams::new(seed).of_world(Purpose::Workload);
        let mut unique = Unique::new(5, limit);
        let (mut made, mut first) = (BTreeMap::new(), None);
        let (mut duplicates, mut at) = (0, [0_u64; 5]);
        for number in 1..=events {
            // Node 4 falls silent early.
            let node = rng.below(if number > events / 4 { 4 } else { 5 });
            let own = &mut at[usize::try_from(node).unwrap()];
            *own = match rng.below(1_000) {
                0 => own.saturating_sub(rng.below(1_000_000)),
                1..20 => own.saturating_sub(rng.below(50)),
                _ => *own + rng.below(60),
            };
            let time = u128::from(*own) << 2 | u128::from(node & 2);
            let index = NodeIndex::new(u32::try_from(node).unwrap());
            let mut keyed = keyed(time ^ 0xff, number, 1, 0, 0);
            keyed.event.node = index;
            unique.event(&keyed, time);
            match made.get(&time) {
                Some(&earlier) => {
                    duplicates += 1;
                    first.get_or_insert((earlier, number));
                }
                None => drop(made.insert(time, number)),
            }
        }
        (unique, duplicates, first)
    }

    #[test]
    fn it_counts_what_a_set_of_all_counts() {
        for seed in 0..6 {
            let (unique, duplicates, first) = run(seed, 200_000, 150_000);
            assert!(duplicates > 1_000 && !unique.overrun);
            assert_eq!(unique.duplicates, duplicates);
            let witness = unique.first.unwrap();
            let found = (witness.first.event.number, witness.second.event.number);
            assert_eq!(Some(found), first);
        }
    }

    #[test]
    fn it_says_that_it_has_forgotten_and_never_counts_too_many() {
        for seed in 0..6 {
            let (unique, duplicates, _) = run(seed, 10_000, 150_000);
            assert!(unique.duplicates <= duplicates);
            assert!(unique.overrun);
        }
    }

    #[test]
    fn ids_that_rise_are_never_looked_for_and_never_overrun() {
        let mut unique = Unique::new(2, 1_000);
        for number in 0..100_000_u64 {
            let mut keyed = keyed(number.into(), number, 1, number, number);
            keyed.event.node = NodeIndex::new(u32::from(number % 7 == 0));
            unique.event(&keyed, keyed.key);
        }
        assert_eq!((unique.duplicates, unique.of, unique.overrun), (0, 100_000, false));
        assert!(unique.recent.len() <= FULL && unique.table.len() <= 4 * FULL);
    }
}
