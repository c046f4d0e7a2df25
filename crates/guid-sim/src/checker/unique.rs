//! No ID is made twice.

use std::collections::BTreeMap;

use super::{Case, Keyed};
use crate::{Event, NodeIndex};

/// How many IDs the lanes of a run remember between them, about a gigabyte; after that the verdict
/// can only be "unknown" or "violated".
pub(crate) const LIMIT: usize = 8_000_000;

#[derive(Debug)]
pub(crate) struct Unique {
    limit: usize,
    seen: BTreeMap<u128, Keyed>,
    /// The latest that each node's clock read.
    latest: BTreeMap<NodeIndex, u64>,
    pub(crate) duplicates: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
    pub(crate) overrun: bool,
}

impl Unique {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            seen: BTreeMap::new(),
            latest: BTreeMap::new(),
            duplicates: 0,
            of: 0,
            first: None,
            overrun: false,
        }
    }

    pub(crate) fn event(&mut self, keyed: Keyed) {
        self.of += 1;
        let latest = self.latest.entry(keyed.event.node).or_default();
        let before = *latest;
        *latest = before.max(keyed.event.local_ns);
        if let Some(&earlier) = self.seen.get(&keyed.key) {
            self.duplicates += 1;
            let case = Case {
                first: earlier,
                second: keyed,
                cause: cause(&earlier.event, &keyed.event, before),
            };
            self.first.get_or_insert(case);
        } else if self.seen.len() < self.limit {
            self.seen.insert(keyed.key, keyed);
        } else {
            self.overrun = true;
        }
    }
}

/// Names what brought the same ID about twice. `latest` is the latest that the node's clock had
/// read before the second event.
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
    use super::*;
    use crate::EventKind;

    fn keyed(key: u128, number: u64, incarnation: u32, true_ns: u64, local_ns: u64) -> Keyed {
        let (node, kind) = (NodeIndex::new(0), EventKind::Mint);
        Keyed { key, event: Event { number, node, incarnation, true_ns, local_ns, kind } }
    }

    #[test]
    fn duplicates_are_counted_and_their_cause_is_named() {
        let mut unique = Unique::new(3);
        unique.event(keyed(7, 1, 1, 0, 0));
        unique.event(keyed(8, 2, 1, 1_000, 1_000));
        assert_eq!(unique.duplicates, 0);
        unique.event(keyed(7, 3, 1, 2_000_000, 10));
        unique.event(keyed(7, 4, 2, 3_000_000, 10));
        assert_eq!((unique.duplicates, unique.of), (2, 4));
        let first = unique.first.unwrap();
        assert_eq!((first.first.event.number, first.second.event.number), (1, 3));
        assert!(!unique.overrun);
        unique.event(keyed(9, 5, 2, 4_000_000, 11));
        unique.event(keyed(10, 6, 2, 5_000_000, 12));
        assert!(unique.overrun, "it says that it has forgotten");
        assert_eq!(first.cause, "the clock came back to a tick of its past");
        let why = |incarnation, latest| {
            cause(&keyed(7, 1, 1, 0, 0).event, &keyed(7, 4, incarnation, 9, 3).event, latest)
        };
        assert!(why(2, 0).contains("restart"));
        assert!(why(1, 4).contains("came back"));
        assert!(why(1, 3).contains("sequence"), "a frozen clock did not come back");
    }
}
