//! [`ByTime`]: time order as a type.
//!
//! Two orders exist and are never mixed. `Ord` on [`Guid`] is k-order. Whatever decides by "later"
//! (last-writer-wins, lists, moves) wraps its IDs in `ByTime`, and the type says so.

use core::{cmp::Ordering, fmt};

use crate::Guid;

/// A [`Guid`] that compares by time: stamp, then node.
///
/// When every node observes what it receives, happens-before implies smaller in this order.
///
/// # Examples
///
/// ```
/// use guid_core::{ByTime, Drift, Guid, NodeId, Stamp};
///
/// let first = Guid::new(Drift::D3, NodeId::new(2), Stamp::from_unix_nanos(1_000_000_000));
/// let second = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(2_000_000_000));
/// assert!(ByTime(first) < ByTime(second));
/// assert!(first > second);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper: it will never hold anything else")]
pub struct ByTime(pub Guid);

impl PartialOrd for ByTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.time_cmp(&other.0)
    }
}

impl fmt::Debug for ByTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByTime({})", self.0)
    }
}
