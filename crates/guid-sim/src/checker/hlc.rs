//! The counter of a hybrid logical clock: no larger than the number of events that bear its time.
//!
//! An event (l, c) with c > 0 follows one that bears l too, with c − 1; so c events before it do.
//! What happened before it is not known here, what was recorded before it is: that is more, so the
//! bound is weaker than the paper's, and just as certain.
//!
//! # References
//!
//! Kulkarni et al., "Logical Physical Clocks", 2014, section 3.2 (the bound on c).

use std::collections::BTreeMap;

use super::{Case, Cause, Keyed};

/// How many times are remembered; of more, the earliest are forgotten.
const LIMIT: usize = 1 << 16;

#[derive(Debug, Default)]
pub(crate) struct HlcCounter {
    /// Events by the time they bear, and the last of them.
    at: BTreeMap<u64, (u64, Keyed)>,
    forgotten: Option<u64>,
    pub(crate) most: u64,
    /// The largest number of events that was compared with.
    pub(crate) bound: u64,
    pub(crate) zeros: u64,
    pub(crate) violated: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
    pub(crate) overrun: bool,
}

impl HlcCounter {
    pub(crate) fn event(&mut self, keyed: &Keyed) {
        let (ns, count) = ((keyed.key >> 64) as u64, (keyed.key >> 32) as u32);
        let count = u64::from(count);
        self.of += 1;
        self.zeros += u64::from(count == 0);
        self.most = self.most.max(count);
        let (before, last) = self.at.get(&ns).copied().unwrap_or((0, *keyed));
        if count > before {
            if self.forgotten.is_some_and(|forgotten| ns <= forgotten) {
                self.overrun = true;
            } else {
                self.violated += 1;
                let cause = "the counter is larger than the number of events that bear its time";
                self.first.get_or_insert(Case {
                    first: last,
                    second: *keyed,
                    cause: Cause::Said(cause),
                });
            }
        }
        self.bound = self.bound.max(before);
        self.at.insert(ns, (before + 1, *keyed));
        if self.at.len() > LIMIT {
            self.forgotten = self.forgotten.max(self.at.pop_first().map(|(ns, _)| ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, EventKind, NodeIndex};

    #[test]
    fn a_counter_without_its_events_is_caught() {
        let mut hlc = HlcCounter::default();
        for (number, (ns, count)) in (1..).zip([(5, 0), (5, 1), (5, 1), (6, 0), (5, 2)]) {
            let (node, kind) = (NodeIndex::new(0), EventKind::Mint);
            let event = Event { number, node, incarnation: 1, true_ns: 0, local_ns: 0, kind };
            hlc.event(&Keyed { key: ns << 64 | count << 32, event });
            assert_eq!((hlc.violated, hlc.overrun), (0, false));
        }
        let (node, kind) = (NodeIndex::new(0), EventKind::Mint);
        let event = Event { number: 6, node, incarnation: 1, true_ns: 0, local_ns: 0, kind };
        hlc.event(&Keyed { key: 6 << 64 | 2 << 32, event });
        assert_eq!((hlc.violated, hlc.most, hlc.zeros), (1, 2, 2));
    }
}
