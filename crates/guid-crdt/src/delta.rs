//! [`Delta`]: what one mutation changed, to be sent instead of the state.
//!
//! # The idea
//!
//! A delta is a small state. Its context must not claim more than it holds: "the greatest stamp I
//! have seen" would claim all earlier events too, and a receiver that lacks one of them would take
//! it for removed. So a delta claims the *interval* from its writer's previous event (exclusive) to
//! its own, and names, one by one, the dots that it removed.
//!
//! Both must connect to what the receiver has: it must have seen everything before the interval,
//! and the events that are removed. Otherwise applying is refused with a [`Gap`], and nothing is
//! lost. The second half matters as much as the first: to note "dot d is gone" without having taken
//! in the event d would lose what *that* event removed.
//!
//! So deltas of one writer are applied in order, and a remove after what it removes; apart from
//! that, those of several writers may come in any order.
//!
//! Of each dot under each path a delta says *added*, *gone* or nothing, and these only ever go one
//! way. Hence two deltas join as sets do. Naming the path matters: one event can write several
//! elements, and a later one may remove only some of them.
//!
//! # Invariants
//!
//! * Every dot added lies in the intervals; every dot gone lies in them or before.
//! * Nothing is both added and gone; intervals of one node have no holes between them.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 5.2: delta
//! intervals and causal merging, there with sequence numbers beside the dots.

use crate::{CausalContext, DotStore, Gap, Lattice, Span, VectorClock};

/// The change that one or several mutations made.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, OrSet};
///
/// let dot = |stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(1), stamp));
/// let (mut here, mut there) = (OrSet::new(), OrSet::new());
/// let mut first = here.insert(dot(10)?, "milk")?;
/// let second = here.remove(dot(20)?, "milk")?;
///
/// let gap = there.apply(&second).unwrap_err(); // refused: the first is missing
/// assert_eq!((gap.have, gap.needs), (None, dot(10)?.stamp()));
///
/// first.join(&second)?; // both in one
/// there.apply(&first)?;
/// assert_eq!(there, here);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta<S: DotStore> {
    added: S,
    gone: S::Gone,
    intervals: CausalContext,
}

impl<S: DotStore> Delta<S> {
    pub(crate) fn new(added: S, gone: S::Gone, interval: Span) -> Self {
        Self { added, gone, intervals: CausalContext::from_iter([interval]) }
    }

    /// The delta of no mutation.
    pub(crate) fn nothing() -> Self {
        let (added, gone) = (S::default(), S::Gone::default());
        Self { added, gone, intervals: CausalContext::new() }
    }

    /// Joins a delta that continues or overlaps this one, so that both can be sent as one.
    ///
    /// # Errors
    ///
    /// A [`Gap`] between the two: of some node the other starts after this one ends. (Joined, they
    /// would fit only where the events between them are known.) This delta is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// let mut both = set.insert(dot(1), "tea")?;
    /// both.join(&set.insert(dot(2), "ale")?)?;
    /// let mut copy = OrSet::new();
    /// copy.apply(&both)?;
    /// assert_eq!(copy, set);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn join(&mut self, other: &Self) -> Result<(), Gap> {
        let intervals = self.intervals.clone().joined(&other.intervals);
        if let Some(gap) = first_hole(&intervals) {
            return Err(gap);
        }
        // Everything is new to the empty context: so this is the union, less what is gone.
        let nothing = CausalContext::new();
        self.added.apply(&nothing, &other.added, &other.gone);
        self.added.apply(&nothing, &S::default(), &self.gone);
        self.gone.apply(&nothing, &other.gone, &S::Gone::default());
        self.intervals = intervals;
        Ok(())
    }

    /// What was written, where it still stands.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let delta = OrSet::new().insert(dot(1), "tea")?;
    /// assert_eq!(delta.added().get("tea"), Some(&DotSet::one(dot(1))));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn added(&self) -> &S {
        &self.added
    }

    /// What was removed or replaced, by path.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(1), "tea")?;
    /// let delta = set.remove(dot(2), "tea")?;
    /// assert_eq!(delta.gone().get("tea"), Some(&DotSet::one(dot(1))));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn gone(&self) -> &S::Gone {
        &self.gone
    }

    /// The parts of history it closes: the receiver must know everything before them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, OrSet, Span};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(3), "tea")?;
    /// let delta = set.insert(dot(9), "ale")?; // says that nothing was in between
    /// let since = Span::between(NodeId::new(1), dot(3).stamp(), dot(9).stamp());
    /// assert_eq!(*delta.intervals(), CausalContext::from_iter(since));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn intervals(&self) -> &CausalContext {
        &self.intervals
    }

    /// The dots that it removes and did not bring: the receiver must know them.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, OrSet};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let mut set = OrSet::new();
    /// set.insert(dot(1, 10)?, "milk")?;
    /// let delta = set.remove(dot(2, 20)?, "milk")?;
    /// assert!(delta.builds_on().contains(dot(1, 10)?)); // only for who knows the add
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builds_on(&self) -> CausalContext {
        self.gone.dots().minus(&self.intervals)
    }

    /// The greatest stamp of each node in it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let delta = OrSet::new().insert(dot(9), "tea")?;
    /// assert_eq!(delta.frontier().get(NodeId::new(1)), Some(dot(9).stamp()));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn frontier(&self) -> VectorClock {
        self.intervals.frontier().joined(&self.builds_on().frontier())
    }

    /// Returns a delta of parts from elsewhere, if they keep the invariants that can be seen.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(added: S, gone: S::Gone, intervals: CausalContext) -> Option<Self> {
        let mut standing = added.clone();
        standing.apply(&CausalContext::new(), &S::default(), &gone);
        let holds = standing == added
            && !added.has_emptied()
            && !gone.has_emptied()
            && intervals.contains_all(&added)
            && first_hole(&intervals).is_none();
        holds.then_some(Self { added, gone, intervals })
    }
}

/// The first hole between two intervals of one node.
fn first_hole(intervals: &CausalContext) -> Option<Gap> {
    let next = intervals.iter().skip(1);
    intervals.iter().zip(next).find_map(|(a, b)| {
        let gap = Gap { node: a.node(), have: Some(a.upto()), needs: b.after()? };
        (a.node() == b.node()).then_some(gap)
    })
}
