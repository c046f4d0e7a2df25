//! [`Causal`]: a dot store and its context, a state that converges.
//!
//! # The idea
//!
//! One context covers everything in the store, however deeply nested. That is what makes removing a
//! key reset all of it, by construction: nothing below keeps a clock of its own that could
//! disagree.
//!
//! **Every mutation bears a dot, a remove too.** So the context names every event that the state
//! has taken in, equal contexts mean equal states, and a context contained in another means a state
//! that has nothing new. Where removes move no clock, exactly these shortcuts lose removes; here
//! they are sound, and a join of two copies of which one is behind costs no more than comparing
//! contexts.
//!
//! **A mutator makes its delta first and applies it to its own state.** So a delta has the effect
//! of the mutation by definition, not by proof.
//!
//! # Invariants
//!
//! * The context holds every dot of the store, and every span of it is a prefix: nothing is missing
//!   below anything seen (I4).
//! * A state that holds a dot in its context has taken in all that the event of the dot did.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.

use guid_core::Stamp;

use crate::{
    CausalContext, Causality, Changed, Delta, Dot, DotStore, Gap, Lattice, Replicated, Span,
    VectorClock,
};

/// A state made of a dot store and the context of what it has taken in.
///
/// # Examples
///
/// A type of your own, on a store of your choice: a mutator says what it adds and what is gone.
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Causal, Dot, DotSet, DotStore, Lattice};
///
/// // An enable-wins flag: on, if some enable was not seen by a disable.
/// let mut flag = Causal::<DotSet>::default();
/// let mut copy = flag.clone();
/// let dot = |stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(1), stamp));
///
/// let seen = flag.store().paths();
/// let on = flag.mutate(dot(10)?, DotSet::one(dot(10)?), seen)?;
/// let seen = flag.store().paths();
/// let off = flag.mutate(dot(20)?, DotSet::new(), seen)?;
///
/// copy.apply(&on)?;
/// assert!(!copy.store().is_empty());
/// copy.apply(&off)?;
/// assert_eq!(copy, flag);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causal<S> {
    store: S,
    context: CausalContext,
}

impl<S: DotStore> Causal<S> {
    /// Carries out a mutation and returns its delta.
    ///
    /// `added` holds what it writes, under `dot`; `gone` names what it removes or replaces, dot by
    /// dot under their paths.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node, or another dot in `added` or `gone` was not
    /// seen; see [`MutateError`]. The state is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Causal, Dot, DotSet, DotStore};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = Causal::<DotSet>::default();
    /// flag.mutate(dot(10), DotSet::one(dot(10)), DotSet::new())?; // on
    /// let seen = flag.store().paths();
    /// flag.mutate(dot(20), DotSet::new(), seen)?; // off: what was seen is gone
    /// assert!(flag.store().is_empty() && flag.context().contains(dot(20)));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn mutate(&mut self, dot: Dot, added: S, gone: S::Gone) -> Result<Delta<S>, MutateError> {
        let last = self.context.latest_of(dot.node());
        let known = Dot::new(dot.node(), last.unwrap_or(Stamp::MIN));
        let interval = Span::closing(last, dot).ok_or(MutateError::Stale { dot, known })?;
        let named = added.dots().joined(&gone.dots()).minus(&self.context);
        if let Some(span) = named.iter().find(|&span| span != Span::exact(dot)) {
            return Err(MutateError::Unseen { dot: Dot::new(span.node(), span.upto()) });
        }
        let delta = Delta::new(added, gone, interval);
        self.take(&delta);
        Ok(delta)
    }

    /// Applies a delta.
    ///
    /// # Errors
    ///
    /// A [`Gap`]: the delta builds on events that this state has not seen. Nothing is changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Causal, Changed, Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut here, mut there) = (Causal::<DotSet>::default(), Causal::default());
    /// let delta = here.mutate(dot(10), DotSet::one(dot(10)), DotSet::new())?;
    /// assert_eq!(there.apply(&delta)?, Changed::Yes);
    /// assert_eq!(there.apply(&delta)?, Changed::No); // again: nothing new
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, delta: &Delta<S>) -> Result<Changed, Gap> {
        if let Some(gap) = self.context.gap(delta.intervals()) {
            return Err(gap);
        }
        if let Some(gap) = self.context.missing(&delta.builds_on()) {
            return Err(gap);
        }
        if delta.intervals().compare(&self.context).is_within() {
            return Ok(Changed::No);
        }
        self.take(delta);
        Ok(Changed::Yes)
    }

    /// Carries out a mutation on a copy of the store and returns the delta: what differs.
    ///
    /// For a batch of changes under one dot: what is written must be written under that dot.
    ///
    /// # Errors
    ///
    /// As [`mutate`](Self::mutate). The state is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Causal, Dot, DotSet};
    ///
    /// let mut flag = Causal::<DotSet>::default();
    /// let dot = Dot::new(NodeId::new(1), Stamp::MIN);
    /// let on = flag.edit(dot, |store| *store = DotSet::one(dot))?;
    /// assert_eq!(on.added(), flag.store());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn edit(&mut self, dot: Dot, edit: impl FnOnce(&mut S)) -> Result<Delta<S>, MutateError> {
        let mut after = self.store.clone();
        edit(&mut after);
        let (added, gone) = after.changes_from(&self.store);
        self.mutate(dot, added, gone)
    }

    fn take(&mut self, delta: &Delta<S>) {
        self.store.apply(&self.context, delta.added(), delta.gone());
        self.context.join(delta.intervals());
    }

    /// The store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Causal, Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = Causal::<DotSet>::default();
    /// flag.mutate(dot(10), DotSet::one(dot(10)), DotSet::new())?;
    /// assert_eq!(flag.store().as_slice(), [dot(10)]);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// What the state has taken in.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Causal, Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = Causal::<DotSet>::default();
    /// flag.mutate(dot(10), DotSet::new(), DotSet::new())?; // writes nothing, and is known
    /// assert!(flag.store().is_empty() && flag.context().contains(dot(10)));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn context(&self) -> &CausalContext {
        &self.context
    }

    /// Part of a state: a store of some of its dots, with all of its context.
    pub(crate) fn with_context_of(store: S, context: &CausalContext) -> Self {
        Self { store, context: context.clone() }
    }

    pub(crate) const fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Returns a state of parts from elsewhere, if they keep the invariants that can be seen.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(store: S, context: CausalContext) -> Option<Self> {
        let holds = context.is_prefix() && context.contains_all(&store) && !store.has_emptied();
        holds.then_some(Self { store, context })
    }
}

impl<S: DotStore> Lattice for Causal<S> {
    fn join(&mut self, other: &Self) {
        match self.context.compare(&other.context) {
            Causality::Equal | Causality::After => {}
            Causality::Before => self.clone_from(other),
            Causality::Concurrent => {
                self.store.join(&self.context, &other.store, &other.context);
                self.context.join(&other.context);
            }
        }
    }

    /// Compares the contexts: they name all that the states have taken in.
    fn compare(&self, other: &Self) -> Causality {
        self.context.compare(&other.context)
    }
}

impl<S: DotStore> Replicated for Causal<S> {
    type Delta = Delta<S>;

    fn frontier(&self) -> VectorClock {
        self.context.frontier()
    }

    fn delta_frontier(delta: &Self::Delta) -> VectorClock {
        delta.frontier()
    }

    fn apply(&mut self, delta: &Self::Delta) -> Result<Changed, Gap> {
        self.apply(delta)
    }
}

/// Why a mutator refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum MutateError {
    /// The dot of the write is not after what it must be after: a clock or a node was used past its
    /// [`Replica`](crate::Replica), or one dot was used twice.
    #[error("dot {dot} is not after {known}, which is known already")]
    Stale {
        /// The dot of the write.
        dot: Dot,
        /// The dot that it would have to be after.
        known: Dot,
    },
    /// A sum would leave the range of its numbers.
    #[error("the sum is out of range")]
    Overflow,
    /// A bounded counter holds fewer rights here than the mutation would spend.
    #[error("{needed} rights are needed and {held} are held here")]
    Rights {
        /// How many this replica holds.
        held: u64,
        /// How many it would spend.
        needed: u64,
    },
    /// Somebody was first: the register is written already.
    #[error("the register was written before, at {dot}")]
    Taken {
        /// The first write.
        dot: Dot,
    },
    /// The write is to remove what has not arrived here: join the state in which it was seen first.
    #[error("dot {dot} is to be removed, but was not seen here")]
    Unseen {
        /// The dot.
        dot: Dot,
    },
}
