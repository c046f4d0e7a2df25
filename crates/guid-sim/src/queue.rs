//! The event queue: by time, then by number.
//!
//! # Invariants
//!
//! Two entries never compare equal (numbers are handed out once), so the order of the run is total
//! and does not depend on how the heap happens to sift.

use std::{cmp::Reverse, collections::BinaryHeap};

/// What happens, ordered by when.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    /// How many were ever pushed: the number of the next one.
    pushed: u64,
}

#[derive(Debug)]
struct Entry<T> {
    at: u64,
    number: u64,
    what: T,
}

impl<T> Queue<T> {
    pub(crate) const fn new() -> Self {
        Self { heap: BinaryHeap::new(), pushed: 0 }
    }

    pub(crate) fn push(&mut self, at: u64, what: T) {
        self.heap.push(Reverse(Entry { at, number: self.pushed, what }));
        self.pushed += 1;
    }

    /// Takes the earliest entry if it is due by `until`.
    pub(crate) fn pop_until(&mut self, until: u64) -> Option<(u64, T)> {
        if self.heap.peek()?.0.at > until {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| (entry.at, entry.what))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
