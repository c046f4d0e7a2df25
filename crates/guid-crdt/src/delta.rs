//! [`Delta`]: what one mutation changed, to be sent instead of the state.
//!
//! # The idea
//!
//! A delta is a small state. Its context must not claim more than it holds: "the greatest stamp I
//! have seen" would claim all earlier events too, and a receiver that lacks one of them would take
//! it for removed. So a delta claims the *interval* from its writer's previous event (exclusive) to
//! its own, and names, one by one, the dots that it removed.
//!
//! Both must connect to what the receiver has: it must have seen everything before the interval, and
//! the events that are removed. Otherwise applying is refused with a [`Gap`], and nothing is lost.
//! The second half matters as much as the first: to note "dot d is gone" without having taken in
//! the event d would lose what *that* event removed.
//!
//! So deltas of one writer are applied in order, and a remove after what it removes; apart from
//! that, those of several writers may come in any order.
//!
//! # Invariants
//!
//! * The context (intervals and removed dots) holds every dot of the store.
//! * Intervals of one node have no holes between them; removed dots lie outside the intervals.
//! * Every dot of the context that was ever written lies under a key that the store names.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 5.2: delta
//! intervals and causal merging, there with sequence numbers beside the dots.

use crate::{CausalContext, DotStore, Gap, Lattice, Span, VectorClock, store::Emptied};

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
pub struct Delta<S> {
    store: S,
    intervals: CausalContext,
    removed: CausalContext,
}

impl<S: DotStore> Delta<S> {
    pub(crate) fn new(store: S, interval: Span, removed: &CausalContext) -> Self {
        let intervals = CausalContext::from_iter([interval]);
        let removed = removed.minus(&intervals);
        Self { store, intervals, removed }
    }

    /// Joins a delta that continues or overlaps this one, so that both can be sent as one.
    ///
    /// # Errors
    ///
    /// A [`Gap`] between the two: of some node the other starts after this one ends. (Joined, they
    /// would fit only where the events between them are known.) This delta is unchanged.
    pub fn join(&mut self, other: &Self) -> Result<(), Gap> {
        let intervals = self.intervals.clone().joined(&other.intervals);
        if let Some(gap) = first_hole(&intervals) {
            return Err(gap);
        }
        self.store.apply(&self.context(), &other.store, &other.context(), Emptied::Keep);
        self.removed = self.removed.clone().joined(&other.removed).minus(&intervals);
        self.intervals = intervals;
        Ok(())
    }

    /// What was written, and the keys under which something was removed.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The parts of history it closes: the receiver must know everything before them.
    pub const fn intervals(&self) -> &CausalContext {
        &self.intervals
    }

    /// The dots it removed, apart from those in the intervals: the receiver must know them.
    pub const fn removed(&self) -> &CausalContext {
        &self.removed
    }

    /// All it claims to have taken in: the intervals and the removed dots.
    pub fn context(&self) -> CausalContext {
        self.intervals.clone().joined(&self.removed)
    }

    /// The greatest stamp of each node in it.
    pub fn frontier(&self) -> VectorClock {
        self.context().frontier()
    }

    /// Returns a delta of parts from elsewhere, if they keep the invariants that can be seen.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(
        store: S,
        intervals: CausalContext,
        removed: CausalContext,
    ) -> Option<Self> {
        let delta = Self { store, intervals, removed };
        let holds = delta.intervals.meet(&delta.removed).is_empty()
            && first_hole(&delta.intervals).is_none()
            && delta.context().contains_all(&delta.store);
        holds.then_some(delta)
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
