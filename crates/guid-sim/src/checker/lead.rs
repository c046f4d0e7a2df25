//! How far stamps lead the clock of their node: no further than some clock was ever ahead of it.
//!
//! With a receive rule a stamp follows the greatest reading that reached it. So stamp − reading is
//! at most ε, the greatest reading of any clock so far less the node's own, and what counting adds:
//! a tick, and one more for every 2¹⁴ IDs made at one reading of a clock.
//!
//! # References
//!
//! Kulkarni et al., "Logical Physical Clocks", 2014, theorem 3 (l − pt ≤ ε).

use std::collections::BTreeMap;

use guid_core::{Seq, Tick};

use super::{Case, Keyed};
use crate::{Event, NodeIndex};

#[derive(Debug, Default)]
pub(crate) struct Lead {
    /// The event with the greatest reading of any clock so far.
    peak: Option<Keyed>,
    /// The last reading of each node, and how many IDs were made at it.
    at_reading: BTreeMap<NodeIndex, (u64, u64)>,
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
    pub(crate) fn event(&mut self, keyed: Keyed, stamp_ns: u64) {
        let own = keyed.event.local_ns;
        let peak = match self.peak {
            Some(peak) if peak.event.local_ns >= own => peak,
            _ => keyed,
        };
        self.peak = Some(peak);
        self.count(&keyed.event);
        let counted = Tick::NANOS.saturating_mul(self.carried + 1);
        let allowed = (peak.event.local_ns - own).saturating_add(counted);
        let lead = stamp_ns.saturating_sub(own);
        (self.most_ns, self.bound_ns) = (self.most_ns.max(lead), self.bound_ns.max(allowed));
        self.of += 1;
        if lead > allowed {
            self.violated += 1;
            let cause = "the stamp is further ahead than any clock was";
            self.first.get_or_insert(Case { first: peak, second: keyed, cause });
        }
    }

    fn count(&mut self, event: &Event) {
        let (reading, made) = self.at_reading.entry(event.node).or_default();
        // A clock that goes back is as good as one that stands still: the generator counts on.
        *made = if event.local_ns > *reading { 1 } else { *made + 1 };
        *reading = event.local_ns.max(*reading);
        self.carried = self.carried.max(*made / (u64::from(Seq::MAX.as_u16()) + 1));
    }
}
