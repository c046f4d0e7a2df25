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

use core::{cmp::Ordering, fmt};

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
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(from = "crate::serde::DotParts", into = "crate::serde::DotParts")
)]
pub struct Dot {
    // The stamp in halves: 12 bytes that need no alignment to 8, so that a set holds its one dot in
    // 16 bytes. A million elements make a difference of 8 MB.
    high: u32,
    low: u32,
    node: NodeId,
}

const _: () = assert!(size_of::<Dot>() == 12);

impl Dot {
    /// Returns the dot of a node and a stamp.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::Dot;
    ///
    /// let dot = Dot::new(NodeId::new(9), Stamp::from_u64(1000)?);
    /// assert_eq!((dot.node(), dot.stamp().as_u64()), (NodeId::new(9), 1000));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[expect(clippy::cast_possible_truncation, reason = "the halves are what is meant")]
    pub const fn new(node: NodeId, stamp: Stamp) -> Self {
        let stamp = stamp.as_u64();
        Self { high: (stamp >> 32) as u32, low: stamp as u32, node }
    }

    /// Who made the event.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::Dot;
    /// assert_eq!(Dot::new(NodeId::new(9), Stamp::MIN).node(), NodeId::new(9));
    /// ```
    pub const fn node(self) -> NodeId {
        self.node
    }

    /// When, in logical time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::Dot;
    /// assert_eq!(Dot::new(NodeId::new(9), Stamp::MAX).stamp(), Stamp::MAX);
    /// ```
    pub const fn stamp(self) -> Stamp {
        match Stamp::from_u64(self.number()) {
            Ok(stamp) => stamp,
            Err(_) => Stamp::MAX, // never: the halves are of a stamp
        }
    }

    /// The number of the stamp.
    const fn number(self) -> u64 {
        (self.high as u64) << 32 | self.low as u64
    }
}

impl Ord for Dot {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.number(), self.node).cmp(&(other.number(), other.node))
    }
}

impl PartialOrd for Dot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Dot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dot({self})")
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
        write!(f, "{}@{}", self.node, self.number())
    }
}
