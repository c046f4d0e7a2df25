//! [`Dot`]: the name of one event of one node.
//!
//! Causality is bookkeeping about *which events a state has taken in*, so events need names. The
//! pair (node, stamp) is one, and every [`Guid`] carries that pair: an ID *is* a dot. (Its drift
//! code says where an ID sorts in an index and names nothing.)
//!
//! # Invariants
//!
//! A dot names one event only if each node's stamps strictly increase and a node belongs to one
//! replica; [`Replica`](crate::Replica) sees to both.
//!
//! # References
//!
//! Preguica, Baquero, Almeida, Fonte, Goncalves, "Dotted Version Vectors", 2010, section 4: dots.
//! There a dot counts 1, 2, 3; here stamps have gaps, so nothing may ask for "the next dot".

use core::fmt;

use guid_core::{Guid, NodeId, Stamp};

/// One event of one node.
///
/// `Ord` is *time order*: stamp, then node. When replicas observe what they join, an event that
/// happens before another has the smaller dot.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, Guid, NodeId, Stamp};
/// use guid_crdt::Dot;
///
/// let id = Guid::new(Drift::D3, NodeId::new(9), Stamp::from_u64(1000)?);
/// let (early, late) = (Dot::from(id), Dot::new(NodeId::new(3), Stamp::from_u64(1060)?));
/// assert!(early < late); // time decides, then the node
/// assert_eq!(early.to_string(), "00000009@1000");
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[doc(alias = "OpId")]
#[doc(alias = "birth dot")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dot {
    // The order of the fields is the order of the comparison.
    stamp: Stamp,
    node: NodeId,
}

impl Dot {
    /// Returns the dot of a node and a stamp.
    pub const fn new(node: NodeId, stamp: Stamp) -> Self {
        Self { stamp, node }
    }

    /// Who made the event.
    pub const fn node(self) -> NodeId {
        self.node
    }

    /// When, in logical time.
    pub const fn stamp(self) -> Stamp {
        self.stamp
    }
}

impl From<Guid> for Dot {
    fn from(id: Guid) -> Self {
        Self::new(id.node(), id.stamp())
    }
}

/// The node, `@`, the number of the stamp.
impl fmt::Display for Dot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.node, self.stamp.as_u64())
    }
}
