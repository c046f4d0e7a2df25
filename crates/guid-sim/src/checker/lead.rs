//! Stamps follow the clock of their node: never behind it, ahead by no more than clocks are apart,
//! or were set back.
//!
//! From below: a stamp is at least the reading, rounded down to what the scheme can tell. From
//! above: with a receive rule a stamp follows the greatest reading that reached it. So stamp −
//! reading is at most ε, the greatest reading of any clock so far less the node's own, and what
//! counting adds: a tick, and one more for every 2¹⁴ IDs made at one reading of a clock. Without a
//! receive rule ε is taken over the node's own past alone.
//!
//! # References
//!
//! Kulkarni et al., "Logical Physical Clocks", 2014, theorem 3 (l − pt ≤ ε).

use guid_core::Seq;

use super::{Case, Cause, Keyed};
use crate::Event;

#[derive(Debug)]
pub(crate) struct Lead {
    /// What the scheme can tell apart.
    granularity_ns: u64,
    /// Whether stamps follow what is received.
    observes: bool,
    /// The event with the greatest reading so far: of any clock, or of the node's own.
    peaks: Vec<Option<Keyed>>,
    /// The last reading of each node, and how many IDs were made at it.
    at_reading: Vec<(u64, u64)>,
    /// The most ticks that counting added anywhere.
    carried: u64,
    /// The greatest lead, and the greatest that was allowed.
    pub(crate) most_ns: u64,
    pub(crate) bound_ns: u64,
    pub(crate) violated: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
}

impl Lead {
    pub(crate) fn new(nodes: u32, granularity_ns: u64, observes: bool) -> Self {
        let nodes = nodes as usize;
        Self {
            granularity_ns,
            observes,
            peaks: vec![None; if observes { 1 } else { nodes }],
            at_reading: vec![(0, 0); nodes],
            carried: 0,
            most_ns: 0,
            bound_ns: 0,
            violated: 0,
            of: 0,
            first: None,
        }
    }

    /// What counting may have added to a stamp.
    pub(crate) fn counted_ns(&self) -> u64 {
        self.granularity_ns.saturating_mul(self.carried + 1)
    }

    pub(crate) fn event(&mut self, keyed: &Keyed, stamp_ns: u64) {
        let own = keyed.event.local_ns;
        self.count(&keyed.event);
        let counted = self.counted_ns();
        let whose = if self.observes { 0 } else { keyed.event.node.at() };
        let peak = self.peaks[whose].get_or_insert(*keyed);
        if own > peak.event.local_ns {
            *peak = *keyed;
        }
        let allowed = (peak.event.local_ns - own).saturating_add(counted);
        let lead = stamp_ns.saturating_sub(own);
        (self.most_ns, self.bound_ns) = (self.most_ns.max(lead), self.bound_ns.max(allowed));
        self.of += 1;
        let behind = stamp_ns.saturating_add(self.granularity_ns) <= own;
        if lead > allowed || behind {
            self.violated += 1;
            let cause = if behind {
                "the stamp is behind the clock"
            } else {
                "the stamp is further ahead than any clock was"
            };
            self.first.get_or_insert(Case {
                first: *peak,
                second: *keyed,
                cause: Cause::Said(cause),
            });
        }
    }

    fn count(&mut self, event: &Event) {
        let (reading, made) = &mut self.at_reading[event.node.at()];
        // A clock that goes back is as good as one that stands still: the generator counts on.
        *made = if event.local_ns > *reading { 1 } else { *made + 1 };
        *reading = event.local_ns.max(*reading);
        self.carried = self.carried.max(*made / (u64::from(Seq::MAX.as_u16()) + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventKind, NodeIndex};

    fn at(node: u32, local_ns: u64) -> Keyed {
        let (node, kind) = (NodeIndex::new(node), EventKind::Mint);
        let event = Event { number: 1, node, incarnation: 1, true_ns: 0, local_ns, kind };
        Keyed { key: 0, event }
    }

    #[test]
    fn a_stamp_behind_its_clock_is_caught() {
        let mut lead = Lead::new(2, 100, true);
        lead.event(&at(0, 1_050), 1_000);
        assert_eq!(lead.violated, 0, "rounded down");
        lead.event(&at(0, 1_100), 1_000);
        assert_eq!(lead.violated, 1);
    }

    #[test]
    fn a_stamp_ahead_of_all_clocks_is_caught() {
        let mut follows = Lead::new(2, 100, true);
        let mut alone = Lead::new(2, 100, false);
        for lead in [&mut follows, &mut alone] {
            lead.event(&at(1, 5_000), 5_000);
            lead.event(&at(0, 1_000), 5_000); // as if it had observed the other
        }
        assert_eq!((follows.violated, alone.violated), (0, 1));
        follows.event(&at(0, 1_000), 5_200);
        assert_eq!(follows.violated, 1);
    }
}
