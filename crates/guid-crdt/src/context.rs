//! [`CausalContext`]: the set of dots a state has taken in.
//!
//! "Not in my copy" can mean *never heard of* or *heard of, and removed since*. A context tells the
//! two apart without keeping tombstones: a dot that is in the context and not in the data was
//! removed.
//!
//! # The idea
//!
//! A context is a set of dots, and nothing else. Since stamps are integers below 2⁶¹, a set of them
//! can be written as closed intervals, [`Span`]s:
//!
//! ```text
//! node a   ■■■■■■■■■■■■■■■■■■□□□□□□□□■■□□□□□□     ■ known   □ not known
//!          └── everything up to ──┘  └ everything after s and up to u
//! ```
//!
//! A span claims *every* dot that its node made inside it, for this object, without knowing which
//! those are: there is no "next stamp", so nothing here counts. All that is in use has this shape:
//!
//! * what a state has seen of a node: one span from the beginning, a **prefix**;
//! * what a delta adds: the interval from its writer's previous event, exclusive, to this one;
//! * a single dot, as a delta names one it removed: the span that holds this one stamp.
//!
//! So a "vector clock plus cloud of stray dots, each with its predecessor" is a set of spans,
//! compaction is the fusing of spans that touch, and join, [`meet`](CausalContext::meet),
//! [`minus`](CausalContext::minus) and inclusion are those of sets. The tests check each against
//! sets of single dots.
//!
//! # Invariants
//!
//! Spans are sorted by node and stamp; no two of one node overlap or touch. Hence equal sets are
//! equal values.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.2: causal
//! contexts and their compaction. Malkhi, Terry, "Concise Version Vectors", 2005:
//! vectors with exceptions, the same sets for counters.

mod span;
mod set;

use core::fmt;

use guid_core::{NodeId, Stamp};

use crate::{Causality, Dot, Lattice, VectorClock};

pub use self::span::Span;

/// The set of dots that a state has taken in, as intervals per node.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{CausalContext, Dot, Lattice, Span};
///
/// let node = NodeId::new(1);
/// let [ten, twenty, thirty] = [10, 20, 30].map(|n| Stamp::from_u64(n).unwrap());
///
/// let mut seen = CausalContext::from_iter([Span::up_to(node, ten)]);
/// let step = CausalContext::from_iter([Span::between(node, twenty, thirty).unwrap()]);
/// assert_eq!(seen.gap(&step).unwrap().needs, twenty); // (10, 20] is missing in between
///
/// seen.join(&step);
/// assert!(seen.contains(Dot::new(node, thirty)) && !seen.contains(Dot::new(node, twenty)));
/// seen.join(&CausalContext::from_iter([Span::between(node, ten, twenty).unwrap()]));
/// assert!(seen.is_prefix()); // the hole is closed: one span again
/// assert_eq!(seen.clock().get(node), Some(thirty));
/// ```
#[doc(alias = "dot cloud")]
#[doc(alias = "dot context")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CausalContext {
    spans: Vec<Span>,
}

impl CausalContext {
    /// Returns the context that has seen nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::CausalContext;
    ///
    /// assert!(CausalContext::new().is_empty());
    /// ```
    pub const fn new() -> Self {
        Self { spans: Vec::new() }
    }

    /// Whether a dot was seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let seen = CausalContext::from_iter([Span::up_to(NodeId::new(1), dot(9).stamp())]);
    /// assert!(seen.contains(dot(4)) && !seen.contains(dot(10)));
    /// ```
    ///
    /// # Complexity
    ///
    /// Logarithmic in the number of spans.
    pub fn contains(&self, dot: Dot) -> bool {
        let key = (dot.node(), dot.stamp());
        let after = self.spans.partition_point(|span| (span.node(), span.first()) <= key);
        after.checked_sub(1).is_some_and(|at| self.spans[at].contains(dot))
    }

    /// Whether every dot of a store was seen.
    #[cfg(feature = "serde")]
    pub(crate) fn contains_all(&self, store: &impl crate::DotStore) -> bool {
        let mut all = true;
        store.for_each_dot(&mut |dot| all &= self.contains(dot));
        all
    }

    /// Adds all dots of a span; spans that touch it are fused with it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{CausalContext, Dot, Span};
    ///
    /// let mut seen = CausalContext::new();
    /// for stamp in [1, 3, 2] {
    ///     seen.insert(Span::exact(Dot::new(NodeId::new(1), Stamp::from_u64(stamp)?)));
    /// }
    /// assert_eq!(seen.len(), 1); // 1, 2 and 3 are one span
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// Logarithmic where the span extends one that is there, as a write of a known node does.
    pub fn insert(&mut self, span: Span) {
        let start = self.spans.partition_point(|old| old.is_left_of(span));
        let touching = self.spans[start..].iter().take_while(|old| old.touches(span)).count();
        match touching {
            0 => self.spans.insert(start, span),
            1 => self.spans[start] = self.spans[start].hull(span),
            _ => {
                let last = self.spans[start + touching - 1];
                self.spans[start] = self.spans[start].hull(span).hull(last);
                self.spans.drain(start + 1..start + touching);
            }
        }
    }

    /// Appends a span that lies after all others and touches none; tells whether it did.
    #[cfg(feature = "wire")]
    pub(crate) fn push(&mut self, span: Span) -> bool {
        let fits = self.spans.last().is_none_or(|last| last.is_left_of(span));
        if fits {
            self.spans.push(span);
        }
        fits
    }

    /// The greatest stamp of a node that was seen, whatever is missing below it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let seen = CausalContext::from_iter([dot(3), dot(9)]);
    /// assert_eq!(seen.latest_of(NodeId::new(1)), Some(dot(9).stamp()));
    /// assert_eq!(seen.latest_of(NodeId::new(2)), None);
    /// ```
    pub fn latest_of(&self, node: NodeId) -> Option<Stamp> {
        let after = self.spans.partition_point(|span| span.node() <= node);
        let last = self.spans[..after].last()?;
        (last.node() == node).then(|| last.upto())
    }

    /// The greatest stamp of a node up to which *everything* was seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{CausalContext, Dot, Span};
    ///
    /// let (node, [two, nine]) = (NodeId::new(1), [Stamp::from_u64(2)?, Stamp::from_u64(9)?]);
    /// let stray = Span::exact(Dot::new(node, nine));
    /// let seen = CausalContext::from_iter([Span::up_to(node, two), stray]);
    /// assert_eq!(seen.closed_upto(node), Some(two));
    /// assert_eq!(seen.latest_of(node), Some(nine));
    /// assert_eq!((seen.clock().get(node), seen.frontier().get(node)), (Some(two), Some(nine)));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn closed_upto(&self, node: NodeId) -> Option<Stamp> {
        let first = self.spans.get(self.spans.partition_point(|span| span.node() < node))?;
        (first.node() == node && first.is_prefix()).then(|| first.upto())
    }

    /// Whether every span starts at the beginning: nothing is missing below anything seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let stray = CausalContext::from_iter([dot(9)]);
    /// assert!(!stray.is_prefix()); // what came before is missing
    /// ```
    pub fn is_prefix(&self) -> bool {
        self.spans.iter().all(|span| span.is_prefix())
    }

    /// The closed part as a vector clock: per node, the stamp up to which everything was seen.
    ///
    /// This is what a peer may be told in one number per node, and what stability is the
    /// [`meet`](VectorClock::meet) of.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Lattice, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let closed = CausalContext::from_iter([Span::up_to(NodeId::new(1), dot(5).stamp())]);
    /// let seen = closed.joined(&CausalContext::from_iter([dot(9)])); // and a stray one
    /// assert_eq!(seen.clock().get(NodeId::new(1)), Some(dot(5).stamp()));
    /// ```
    pub fn clock(&self) -> VectorClock {
        let closed = self.spans.iter().filter(|span| span.is_prefix());
        closed.map(|span| (span.node(), span.upto())).collect()
    }

    /// The greatest stamp of each node that was seen, whatever is missing below.
    ///
    /// What a replica must be ahead of before it writes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let seen = CausalContext::from_iter([dot(3), dot(9)]);
    /// assert_eq!(seen.frontier().get(NodeId::new(1)), Some(dot(9).stamp()));
    /// ```
    pub fn frontier(&self) -> VectorClock {
        self.spans.iter().map(|span| (span.node(), span.upto())).collect()
    }

    /// Returns the first span of `other` that does not connect to what is closed here.
    ///
    /// A span connects if everything below its start was seen.
    ///
    /// # Examples
    ///
    /// See [`CausalContext`].
    pub fn gap(&self, other: &Self) -> Option<Gap> {
        other.spans.iter().find_map(|span| {
            let needs = span.after()?;
            let have = self.closed_upto(span.node());
            (have < Some(needs)).then_some(Gap { node: span.node(), have, needs })
        })
    }

    /// The spans, by node and stamp.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let seen = CausalContext::from_iter([dot(9), dot(3)]);
    /// assert!(seen.iter().eq([dot(3), dot(9)].map(Span::exact)));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Span> + '_ {
        self.spans.iter().copied()
    }

    /// Returns the first span of `other` that was not seen here.
    pub(crate) fn missing(&self, other: &Self) -> Option<Gap> {
        if other.compare(self).is_within() {
            return None;
        }
        let span = *other.minus(self).spans.first()?;
        Some(Gap { node: span.node(), have: self.closed_upto(span.node()), needs: span.upto() })
    }

    /// How many spans there are: one per node, where nothing is missing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert_eq!(CausalContext::from_iter([dot(3), dot(9)]).len(), 2); // a hole in between
    /// assert_eq!(CausalContext::from_iter([dot(3), dot(4)]).len(), 1); // none
    /// ```
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether nothing was seen.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert!(CausalContext::new().is_empty());
    /// assert!(!CausalContext::from_iter([dot(3)]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

impl Lattice for CausalContext {
    /// Union of the sets.
    fn join(&mut self, other: &Self) {
        if set::are_prefixes_of_the_same_nodes(&self.spans, &other.spans) {
            // Replicas that know each other: nothing moves, and nothing can come to touch.
            for (mine, theirs) in self.spans.iter_mut().zip(&other.spans) {
                *mine = mine.hull(*theirs);
            }
        } else if other.spans.len() <= self.spans.len() / 8 {
            // A delta has a span or two, so looking up their places beats copying the table.
            other.iter().for_each(|span| self.insert(span));
        } else {
            self.spans = set::union(&self.spans, &other.spans);
        }
    }

    /// Inclusion of the sets.
    fn compare(&self, other: &Self) -> Causality {
        let (left, right) = (&self.spans, &other.spans);
        let (within, contains) = set::within_each_other(left, right)
            .unwrap_or_else(|| (set::is_within(left, right), set::is_within(right, left)));
        Causality::from_within(within, contains)
    }
}

impl CausalContext {
    /// Returns the dots seen here and not there.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{CausalContext, Span};
    ///
    /// let (node, [two, five]) = (NodeId::new(1), [Stamp::from_u64(2)?, Stamp::from_u64(5)?]);
    /// let here = CausalContext::from_iter([Span::up_to(node, five)]);
    /// let there = CausalContext::from_iter([Span::up_to(node, two)]);
    /// let news = CausalContext::from_iter(Span::between(node, two, five));
    /// assert_eq!(here.minus(&there), news);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self { spans: set::difference(&self.spans, &other.spans) }
    }

    /// Returns the dots seen both here and there: the greatest lower bound, ⊓.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let upto = |n| CausalContext::from_iter([Span::up_to(NodeId::new(1), dot(n).stamp())]);
    /// assert_eq!(upto(5).meet(&upto(9)), upto(5)); // what both have seen
    /// ```
    #[doc(alias = "glb")]
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        Self { spans: set::intersection(&self.spans, &other.spans) }
    }
}

impl Extend<Span> for CausalContext {
    fn extend<I: IntoIterator<Item = Span>>(&mut self, iter: I) {
        iter.into_iter().for_each(|span| self.insert(span));
    }
}

impl FromIterator<Span> for CausalContext {
    fn from_iter<I: IntoIterator<Item = Span>>(iter: I) -> Self {
        let mut context = Self::new();
        context.extend(iter);
        context
    }
}

/// Exactly these dots, each a span of one stamp.
impl FromIterator<Dot> for CausalContext {
    fn from_iter<I: IntoIterator<Item = Dot>>(iter: I) -> Self {
        iter.into_iter().map(Span::exact).collect()
    }
}

/// A closed history as a context: a prefix per node.
impl From<&VectorClock> for CausalContext {
    fn from(clock: &VectorClock) -> Self {
        Self { spans: clock.iter().map(|(node, stamp)| Span::up_to(node, stamp)).collect() }
    }
}

/// `{span, …}`.
impl fmt::Display for CausalContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, span) in self.iter().enumerate() {
            write!(f, "{}{span}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("}")
    }
}

/// What is missing between a state and a delta: the delta was not applied, and nothing changed.
///
/// The answer to a gap is a bigger delta, one that starts at or before `have`, or the full state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[error("of node {node} everything up to {} is known, but the delta builds on {}",
    have.map_or_else(|| "nothing".to_owned(), |stamp| stamp.as_u64().to_string()), needs.as_u64())]
#[non_exhaustive]
pub struct Gap {
    /// Whose events are missing.
    pub node: NodeId,
    /// Up to where they are known; `None` if not at all.
    pub have: Option<Stamp>,
    /// Up to where they would have to be known.
    pub needs: Stamp,
}
