//! [`Delta`]: what one mutation changed, to be sent instead of the state.
//!
//! # The idea
//!
//! A delta is a small state. Its context must not claim more than it holds: "the greatest stamp I
//! have seen" would claim all earlier events too, and a receiver that lacks one of them would take
//! it for removed. So a delta claims the *interval* from its writer's previous event (exclusive) to
//! its own, and, one by one, the dots that it removed.
//!
//! The intervals must connect to what the receiver has; otherwise applying is refused with a
//! [`Gap`], and nothing is lost. Removed dots need not connect: a remove that comes before its add
//! is remembered as a stray dot.
//!
//! # Invariants
//!
//! * The context holds the intervals, the removed dots, and every dot of the store.
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
    context: CausalContext,
}

impl<S: DotStore> Delta<S> {
    pub(crate) fn new(store: S, interval: Span, removed: CausalContext) -> Self {
        let mut context = removed;
        context.insert(interval);
        store.for_each_dot(&mut |dot| context.insert(Span::exact(dot)));
        Self { store, intervals: CausalContext::from_iter([interval]), context }
    }

    /// Joins a delta that continues or overlaps this one, so that both can be sent as one.
    ///
    /// # Errors
    ///
    /// A [`Gap`] between the two: of some node the other starts after this one ends. (Joined, they
    /// would fit only where the events between them are known.) This delta is unchanged.
    pub fn join(&mut self, other: &Self) -> Result<(), Gap> {
        let joined = self.intervals.clone().joined(&other.intervals);
        if let Some(gap) = first_hole(&joined) {
            return Err(gap);
        }
        self.store.apply(&self.context, &other.store, &other.context, Emptied::Keep);
        self.context.join(&other.context);
        self.intervals = joined;
        Ok(())
    }

    /// What was written, and the keys under which something was removed.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The parts of history it closes: they must connect to what the receiver knows.
    pub const fn intervals(&self) -> &CausalContext {
        &self.intervals
    }

    /// All it claims to have taken in: the intervals, and the dots it removed.
    pub const fn context(&self) -> &CausalContext {
        &self.context
    }

    /// The greatest stamp of each node in it.
    pub fn frontier(&self) -> VectorClock {
        self.context.frontier()
    }

    /// Returns a delta of parts from elsewhere, if they keep the invariants that can be seen.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(
        store: S,
        intervals: CausalContext,
        context: CausalContext,
    ) -> Option<Self> {
        let holds = intervals.compare(&context).is_within()
            && first_hole(&intervals).is_none()
            && context.contains_all(&store);
        holds.then_some(Self { store, intervals, context })
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
