//! The event queue: by time, then in the order of pushing.
//!
//! A radix heap. Time never runs backwards, so every entry is at the time of the last one taken or
//! later, and an entry can stand in the bucket of the highest bit in which its time differs from
//! that time. Only the lowest bucket that holds anything is ever looked into: its earliest time
//! becomes the last one, and its entries move to lower buckets. An entry moves down at most once a
//! bit, in practice a handful of times, and nothing is sifted.
//!
//! # Invariants
//!
//! * Entries of one time are in one bucket, in the order of pushing: the bucket depends on the time
//!   alone, and entries move in their order. So the order of the run is total.
//! * Every entry of a bucket is earlier than all of the buckets above.
//!
//! # References
//!
//! Ahuja, Mehlhorn, Orlin, Tarjan, "Faster Algorithms for the Shortest Path Problem", 1990,
//! section 2 (the one-level radix heap).

use std::collections::VecDeque;

/// What happens, ordered by when.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    /// The time of the entry taken last: none that waits is earlier.
    last: u64,
    /// What is due at `last`.
    now: VecDeque<usize>,
    /// Bucket b holds the times whose highest bit that differs from `last` is bit b.
    buckets: [Vec<Entry>; 64],
    /// Bit b: bucket b holds something.
    filled: u64,
    slots: Vec<Option<T>>,
    free: Vec<usize>,
}

/// When, and where what happens is kept.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    slot: usize,
}

impl<T> Queue<T> {
    pub(crate) fn new() -> Self {
        Self {
            last: 0,
            now: VecDeque::new(),
            buckets: std::array::from_fn(|_| Vec::new()),
            filled: 0,
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Adds an entry; a time that has passed is taken for now.
    pub(crate) fn push(&mut self, at: u64, what: T) {
        let slot = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => *free = Some(what),
            None => self.slots.push(Some(what)),
        }
        self.put(Entry { at: at.max(self.last), slot });
    }

    /// How many entries waited at once, at most.
    pub(crate) const fn most(&self) -> usize {
        self.slots.len()
    }

    fn put(&mut self, entry: Entry) {
        match (entry.at ^ self.last).checked_ilog2() {
            None => self.now.push_back(entry.slot),
            Some(bucket) => {
                self.buckets[bucket as usize].push(entry);
                self.filled |= 1 << bucket;
            }
        }
    }

    /// Takes the earliest entry if it is due by `until`.
    pub(crate) fn pop_until(&mut self, until: u64) -> Option<(u64, T)> {
        if self.now.is_empty() && !self.advance(until) {
            return None;
        }
        if self.last > until {
            return None;
        }
        let slot = self.now.pop_front()?;
        self.free.push(slot);
        self.slots[slot].take().map(|what| (self.last, what))
    }

    /// Moves on to the earliest time at which something is due, unless that is after `until`.
    fn advance(&mut self, until: u64) -> bool {
        if self.filled == 0 {
            return false;
        }
        let lowest = self.filled.trailing_zeros() as usize;
        let earliest = self.buckets[lowest].iter().map(|entry| entry.at).min();
        let Some(earliest) = earliest.filter(|&at| at <= until) else { return false };
        self.last = earliest;
        self.filled &= self.filled - 1;
        if let [only] = self.buckets[lowest][..] {
            self.buckets[lowest].clear();
            self.now.push_back(only.slot);
            return true;
        }
        // The bucket keeps its memory: what it held moves to other ones.
        let mut entries = std::mem::take(&mut self.buckets[lowest]);
        entries.drain(..).for_each(|entry| self.put(entry));
        self.buckets[lowest] = entries;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    #[test]
    fn entries_come_by_time_then_in_the_order_of_pushing() {
        let mut queue = Queue::new();
        for (at, what) in [(5, 'c'), (3, 'a'), (5, 'd'), (3, 'b'), (9, 'z')] {
            queue.push(at, what);
        }
        let order: String =
            std::iter::from_fn(|| queue.pop_until(5)).map(|(_, what)| what).collect();
        assert_eq!(order, "abcd");
        assert_eq!(queue.pop_until(9), Some((9, 'z')));
    }

    /// Against a sorted list, with pushes between pops, many of one time, and far apart ones.
    #[test]
    fn the_order_is_that_of_a_sorted_list() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        let (mut queue, mut list) = (Queue::new(), Vec::new());
        let (mut now, mut pushed) = (0, 0_u64);
        for _ in 0..50_000 {
            if rng.below(100) < 52 {
                let (bits, near) = (rng.below(62), rng.below(4));
                let at = now + rng.below(1 << (bits * near / 3));
                queue.push(at, pushed);
                list.push((at, pushed));
                pushed += 1;
            } else {
                let until = now + (1 << rng.below(62));
                let earliest = list.iter().copied().min().filter(|&(at, _)| at <= until);
                list.retain(|&entry| Some(entry) != earliest);
                assert_eq!(queue.pop_until(until), earliest);
                now = earliest.map_or(now, |(at, _)| at);
            }
        }
        assert_eq!(queue.slots.iter().flatten().count(), list.len());
    }
}
