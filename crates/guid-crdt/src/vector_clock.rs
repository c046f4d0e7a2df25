//! [`VectorClock`]: for each node, the greatest stamp seen.
//!
//! If a state has taken in *every* event of a node up to some stamp, one number per node says all
//! it has seen, and comparing two such tables entry by entry decides happens-before. With counters
//! for stamps this is the textbook structure; stamps with gaps change nothing, as no operation here
//! counts.
//!
//! # Invariants
//!
//! Entries are sorted by node, one per node. An absent node has been heard of not at all.
//!
//! # References
//!
//! Fidge, "Timestamps in Message-Passing Systems That Preserve the Partial Ordering", 1988, and
//! Mattern, "Virtual Time and Global States of Distributed Systems", 1989, section 4.

use core::{cmp::Ordering, fmt};

use guid_core::{NodeId, Stamp};

use crate::{Causality, Dot, Lattice};

/// Node → greatest stamp: what a closed history has seen.
///
/// There is no `Ord`: the order is partial, see [`Causality`].
///
/// ```compile_fail
/// # use guid_crdt::VectorClock;
/// let earlier = VectorClock::new() < VectorClock::new();
/// ```
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Causality, Dot, Lattice, VectorClock};
///
/// let dot = |node, stamp| Ok(Dot::new(NodeId::new(node), Stamp::from_u64(stamp)?));
/// let mut a = VectorClock::from_iter([dot(1, 20)?, dot(2, 10)?]);
/// let b = VectorClock::from_iter([dot(1, 30)?]);
/// assert_eq!(a.compare(&b), Causality::Concurrent);
///
/// a.join(&b);
/// assert_eq!(a.compare(&b), Causality::After);
/// assert_eq!(a.get(NodeId::new(1)), Some(Stamp::from_u64(30)?));
/// assert_eq!(a.to_string(), "{00000001: 30, 00000002: 10}");
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[doc(alias = "vclock")]
#[doc(alias = "version vector")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VectorClock {
    entries: Vec<(NodeId, Stamp)>,
}

impl VectorClock {
    /// Returns the clock that has seen nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::VectorClock;
    ///
    /// assert!(VectorClock::new().is_empty());
    /// ```
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Takes note of a dot, and with it of all earlier ones of its node. Earlier dots change
    /// nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, VectorClock};
    ///
    /// let mut clock = VectorClock::new();
    /// clock.record(Dot::new(NodeId::new(1), Stamp::from_u64(20)?));
    /// clock.record(Dot::new(NodeId::new(1), Stamp::from_u64(10)?));
    /// assert_eq!(clock.get(NodeId::new(1)), Some(Stamp::from_u64(20)?));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// Logarithmic for a node that is known, linear for a new one.
    pub fn record(&mut self, dot: Dot) {
        match self.find(dot.node()) {
            Ok(at) => self.entries[at].1 = self.entries[at].1.max(dot.stamp()),
            Err(at) => self.entries.insert(at, (dot.node(), dot.stamp())),
        }
    }

    /// The greatest stamp seen of a node.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, VectorClock};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let clock = VectorClock::from_iter([dot(2, 5), dot(1, 9), dot(1, 3)]);
    /// assert_eq!(clock.get(NodeId::new(1)), Some(dot(1, 9).stamp()));
    /// assert_eq!(clock.get(NodeId::new(3)), None);
    /// ```
    pub fn get(&self, node: NodeId) -> Option<Stamp> {
        self.find(node).ok().map(|at| self.entries[at].1)
    }

    /// Whether a dot was seen: its stamp is not above that of its node here.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, VectorClock};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let clock = VectorClock::from_iter([dot(9)]);
    /// assert!(clock.contains(dot(4)) && !clock.contains(dot(10)));
    /// ```
    pub fn contains(&self, dot: Dot) -> bool {
        self.get(dot.node()).is_some_and(|seen| dot.stamp() <= seen)
    }

    /// The latest of the greatest dots, in time order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, VectorClock};
    ///
    /// let early = Dot::new(NodeId::new(2), Stamp::MIN);
    /// let late = Dot::new(NodeId::new(1), Stamp::MAX);
    /// assert_eq!(VectorClock::from_iter([early, late]).latest(), Some(late));
    /// ```
    pub fn latest(&self) -> Option<Dot> {
        self.iter().map(|(node, stamp)| Dot::new(node, stamp)).max()
    }

    /// Returns the entries that `other` has not seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::VectorClock;
    ///
    /// let [a, b] = [NodeId::new(1), NodeId::new(2)];
    /// let [one, two, three] = [Stamp::from_u64(1)?, Stamp::from_u64(2)?, Stamp::from_u64(3)?];
    /// let left = VectorClock::from_iter([(a, two), (b, one)]);
    /// let right = VectorClock::from_iter([(a, three)]);
    /// assert_eq!(left.minus(&right), VectorClock::from_iter([(b, one)]));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.iter().filter(|&(node, stamp)| !other.contains(Dot::new(node, stamp))).collect()
    }

    /// Returns what both have seen: the greatest lower bound, ⊓.
    ///
    /// Over the clocks of all peers this is what is *stable*: seen by everybody.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::VectorClock;
    ///
    /// let seen = |node, stamp| Stamp::from_u64(stamp).map(|stamp| (NodeId::new(node), stamp));
    /// let a = VectorClock::from_iter([seen(1, 20)?, seen(2, 10)?]);
    /// let b = VectorClock::from_iter([seen(1, 30)?]);
    /// assert_eq!(a.meet(&b), VectorClock::from_iter([seen(1, 20)?]));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[doc(alias = "glb")]
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let both = |(node, stamp): (_, Stamp)| Some((node, stamp.min(other.get(node)?)));
        self.iter().filter_map(both).collect()
    }

    /// The entries, in the order of the nodes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, VectorClock};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let clock = VectorClock::from_iter([dot(2, 5), dot(1, 9), dot(1, 3)]);
    /// assert!(clock.iter().eq([dot(1, 9), dot(2, 5)].map(|dot| (dot.node(), dot.stamp()))));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeId, Stamp)> + '_ {
        self.entries.iter().copied()
    }

    /// How many nodes were heard of.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, VectorClock};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let clock = VectorClock::from_iter([dot(2, 5), dot(1, 9), dot(1, 3)]);
    /// assert_eq!(clock.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, VectorClock};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let clock = VectorClock::from_iter([dot(2, 5), dot(1, 9), dot(1, 3)]);
    /// assert!(!clock.is_empty() && VectorClock::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn find(&self, node: NodeId) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&node, |&(node, _)| node)
    }
}

/// Join and compare run through both tables once. Between replicas that know each other the tables
/// have the same nodes, so that case is a plain walk, in place.
impl Lattice for VectorClock {
    fn join(&mut self, other: &Self) {
        if self.has_nodes_of(other) {
            for (mine, theirs) in self.entries.iter_mut().zip(&other.entries) {
                mine.1 = mine.1.max(theirs.1);
            }
        } else {
            self.entries = union(&self.entries, &other.entries);
        }
    }

    fn compare(&self, other: &Self) -> Causality {
        self.compare_same_nodes(other)
            .unwrap_or_else(|| Causality::from_within(self.is_within(other), other.is_within(self)))
    }
}

impl VectorClock {
    fn has_nodes_of(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.entries.iter().zip(&other.entries).all(|(mine, theirs)| mine.0 == theirs.0)
    }

    /// Compares in one walk, if the tables have the same nodes. A stretch at a time is compared
    /// without a branch; between stretches it stops once the answer is known.
    fn compare_same_nodes(&self, other: &Self) -> Option<Causality> {
        const STRETCH: usize = 16;
        if self.len() != other.len() {
            return None;
        }
        let (mut within, mut contains) = (true, true);
        for (mine, theirs) in self.entries.chunks(STRETCH).zip(other.entries.chunks(STRETCH)) {
            let mut same_nodes = true;
            for (a, b) in mine.iter().zip(theirs) {
                same_nodes &= a.0 == b.0;
                within &= a.1 <= b.1;
                contains &= b.1 <= a.1;
            }
            if !same_nodes {
                return None;
            }
            if !within && !contains {
                return Some(Causality::Concurrent); // whatever other nodes say
            }
        }
        Some(Causality::from_within(within, contains))
    }

    fn is_within(&self, other: &Self) -> bool {
        let mut theirs = other.entries.iter();
        self.entries.iter().all(|&(node, stamp)| {
            theirs
                .find(|&&(other, _)| node <= other)
                .is_some_and(|&(other, seen)| node == other && stamp <= seen)
        })
    }
}

fn union(left: &[(NodeId, Stamp)], right: &[(NodeId, Stamp)]) -> Vec<(NodeId, Stamp)> {
    let mut joined = Vec::with_capacity(left.len().max(right.len()));
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        let (a, b) = (left[i], right[j]);
        joined.push(match a.0.cmp(&b.0) {
            Ordering::Less => a,
            Ordering::Greater => b,
            Ordering::Equal => (a.0, a.1.max(b.1)),
        });
        i += usize::from(a.0 <= b.0);
        j += usize::from(b.0 <= a.0);
    }
    joined.extend_from_slice(&left[i..]);
    joined.extend_from_slice(&right[j..]);
    joined
}

impl Extend<Dot> for VectorClock {
    fn extend<I: IntoIterator<Item = Dot>>(&mut self, iter: I) {
        iter.into_iter().for_each(|dot| self.record(dot));
    }
}

impl FromIterator<Dot> for VectorClock {
    fn from_iter<I: IntoIterator<Item = Dot>>(iter: I) -> Self {
        let mut clock = Self::new();
        clock.extend(iter);
        clock
    }
}

impl FromIterator<(NodeId, Stamp)> for VectorClock {
    fn from_iter<I: IntoIterator<Item = (NodeId, Stamp)>>(iter: I) -> Self {
        iter.into_iter().map(|(node, stamp)| Dot::new(node, stamp)).collect()
    }
}

/// `{node: stamp, …}` in the order of the nodes.
impl fmt::Display for VectorClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, (node, stamp)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{node}: {}", stamp.as_u64())?;
        }
        f.write_str("}")
    }
}
