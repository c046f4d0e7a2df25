//! [`Span`]: an interval of one node's history.
//!
//! # Invariants
//!
//! `first ≤ upto`: a span holds at least one stamp. The beginning of time is no special case: a
//! span that holds stamp 0 is a prefix, and "after nothing" is `after() == None`.

use core::fmt;

use guid_core::{NodeId, Stamp};

use crate::Dot;

/// Every dot of one node after one stamp and up to another.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Span};
///
/// let (node, [two, five]) = (NodeId::new(1), [Stamp::from_u64(2)?, Stamp::from_u64(5)?]);
/// let span = Span::between(node, two, five).unwrap();
/// assert!(span.contains(Dot::new(node, five)) && !span.contains(Dot::new(node, two)));
/// assert_eq!(span.to_string(), "00000001: (2, 5]");
///
/// assert!(Span::up_to(node, two).contains(Dot::new(node, Stamp::MIN))); // from the beginning
/// assert_eq!(Span::exact(Dot::new(node, two)).after(), Some(Stamp::from_u64(1)?));
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    node: NodeId,
    first: Stamp,
    upto: Stamp,
}

impl Span {
    /// Returns the span of everything up to a stamp, from the beginning.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let span = Span::up_to(NodeId::new(1), dot(5).stamp());
    /// assert_eq!((span.first(), span.upto()), (Stamp::MIN, dot(5).stamp()));
    /// ```
    pub const fn up_to(node: NodeId, upto: Stamp) -> Self {
        Self { node, first: Stamp::MIN, upto }
    }

    /// Returns the span of everything after one stamp and up to another; `None` if it is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let between = |after, upto| Span::between(NodeId::new(1), after, upto);
    /// let [two, five] = [dot(2).stamp(), dot(5).stamp()];
    /// assert_eq!(between(two, five).and_then(Span::after), Some(two));
    /// assert_eq!(between(five, five), None);
    /// ```
    pub fn between(node: NodeId, after: Stamp, upto: Stamp) -> Option<Self> {
        Self::new(node, after.next()?, upto)
    }

    /// Returns the span that holds one dot.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let span = Span::exact(dot(5));
    /// assert!(span.contains(dot(5)) && !span.contains(dot(4)) && !span.contains(dot(6)));
    /// ```
    pub const fn exact(dot: Dot) -> Self {
        Self { node: dot.node(), first: dot.stamp(), upto: dot.stamp() }
    }

    /// Returns the span that a write closes: everything after the `last` dot of its node that is
    /// known, up to and with this one; `None` if the dot is not after `last`.
    pub(crate) fn closing(last: Option<Stamp>, dot: Dot) -> Option<Self> {
        match last {
            None => Some(Self::up_to(dot.node(), dot.stamp())),
            Some(last) => Self::between(dot.node(), last, dot.stamp()),
        }
    }

    pub(crate) fn new(node: NodeId, first: Stamp, upto: Stamp) -> Option<Self> {
        (first <= upto).then_some(Self { node, first, upto })
    }

    /// Whose history it is.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert_eq!(Span::exact(dot(5)).node(), NodeId::new(1));
    /// ```
    pub const fn node(self) -> NodeId {
        self.node
    }

    /// The first stamp inside.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let span = Span::between(NodeId::new(1), dot(2).stamp(), dot(5).stamp());
    /// assert_eq!(span.map(Span::first), Some(dot(3).stamp()));
    /// ```
    pub const fn first(self) -> Stamp {
        self.first
    }

    /// The last stamp inside.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let span = Span::between(NodeId::new(1), dot(2).stamp(), dot(5).stamp());
    /// assert_eq!(span.map(Span::upto), Some(dot(5).stamp()));
    /// ```
    pub const fn upto(self) -> Stamp {
        self.upto
    }

    /// The stamp before the first one inside; `None` if the span starts at the beginning.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert_eq!(Span::exact(dot(5)).after(), Some(dot(4).stamp()));
    /// assert_eq!(Span::up_to(NodeId::new(1), dot(5).stamp()).after(), None);
    /// ```
    pub fn after(self) -> Option<Stamp> {
        let number = self.first.as_u64().checked_sub(1)?;
        Stamp::from_u64(number).ok()
    }

    /// Whether it starts at the beginning.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert!(Span::up_to(NodeId::new(1), dot(5).stamp()).is_prefix());
    /// assert!(!Span::exact(dot(5)).is_prefix());
    /// ```
    pub fn is_prefix(self) -> bool {
        self.first == Stamp::MIN
    }

    /// Whether a dot is inside.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let span = Span::between(NodeId::new(1), dot(2).stamp(), dot(5).stamp()).ok_or("empty")?;
    /// assert!(!span.contains(dot(2)) && span.contains(dot(3)) && span.contains(dot(5)));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn contains(self, dot: Dot) -> bool {
        self.node == dot.node() && self.first <= dot.stamp() && dot.stamp() <= self.upto
    }

    /// Whether it ends before another starts, with at least one stamp between them.
    pub(super) fn is_left_of(self, other: Self) -> bool {
        // Below 2^61, so the sum does not overflow.
        (self.node, self.upto.as_u64() + 1) < (other.node, other.first.as_u64())
    }

    /// Whether the two overlap or lie side by side.
    pub(super) fn touches(self, other: Self) -> bool {
        self.node == other.node && !self.is_left_of(other) && !other.is_left_of(self)
    }

    /// The least span that holds two of one node.
    pub(super) fn hull(self, other: Self) -> Self {
        debug_assert_eq!(self.node, other.node, "spans of two nodes have no hull");
        Self {
            node: self.node,
            first: self.first.min(other.first),
            upto: self.upto.max(other.upto),
        }
    }
}

/// `node: (after, upto]`, or `node: upto]` from the beginning.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.node)?;
        if let Some(after) = self.after() {
            write!(f, "({}, ", after.as_u64())?;
        }
        write!(f, "{}]", self.upto.as_u64())
    }
}
