//! [`Lattice`]: what it takes for copies to converge.
//!
//! Copies that exchange states in any order, any number of times, end up equal if combining two
//! states loses nothing and depends on neither order nor repetition. That is a *join*: the least
//! state that contains both. A fresh copy is *bottom*, contained in every state: `Default`.
//!
//! ```text
//!              {tea, milk, eggs}            a ⊔ b: nothing of either is lost
//!               ╱             ╲
//!       a {tea, milk}     b {milk, eggs}    a ∥ b: each has what the other lacks
//!               ╲             ╱
//!                   {milk}                  what both grew from
//!                     │
//!                     ⊥                     bottom: {}
//! ```
//!
//! States only go up. Two that went different ways meet above, at one place, by whatever way.
//!
//! # Invariants
//!
//! For all states a, b, c (the suite `laws`, feature `proptest`, checks them for any type):
//!
//! * `join_is_associative`, `join_is_commutative`, `join_is_idempotent`
//! * `bottom_is_neutral`: ⊥ ⊔ a = a
//! * `join_is_an_upper_bound`: a ≤ a ⊔ b and b ≤ a ⊔ b
//! * `compare_agrees_with_join`: a ≤ b exactly if a ⊔ b = b, and `Equal` exactly if a = b
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "Conflict-free Replicated Data Types", 2011, section 2.3.

use crate::Causality;

/// A join-semilattice with a bottom: states that converge.
///
/// # Examples
///
/// ```
/// use guid_crdt::{Causality, Lattice};
///
/// /// The highest water mark seen anywhere.
/// #[derive(Debug, Default)]
/// struct Highest(u64);
///
/// impl Lattice for Highest {
///     fn join(&mut self, other: &Self) {
///         self.0 = self.0.max(other.0);
///     }
///
///     fn compare(&self, other: &Self) -> Causality {
///         self.0.cmp(&other.0).into()
///     }
/// }
///
/// let (mut here, there) = (Highest(3), Highest(5));
/// assert_eq!(here.compare(&there), Causality::Before);
/// here.join(&there);
/// assert_eq!(here.0, 5);
/// ```
#[doc(alias = "CvRDT")]
#[doc(alias = "semilattice")]
pub trait Lattice: Default {
    /// Makes this state the least one that contains both: ⊔. Total: every two states join.
    #[doc(alias = "merge")]
    fn join(&mut self, other: &Self);

    /// Tells how this state stands to another: which of them contains the other.
    fn compare(&self, other: &Self) -> Causality;

    /// Returns the join of two states.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Lattice, VectorClock};
    ///
    /// let clock = |node| VectorClock::from_iter([(NodeId::new(node), Stamp::MIN)]);
    /// let both = clock(1).joined(&clock(2));
    /// assert_eq!(both.len(), 2);
    /// ```
    #[must_use]
    fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}

/// Whether an operation changed the state.
///
/// # Examples
///
/// ```
/// use guid_crdt::Changed;
///
/// let parts = [Changed::No, Changed::Yes];
/// assert!(parts.into_iter().fold(Changed::No, Changed::or).is_yes());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::exhaustive_enums, reason = "a named yes or no")]
pub enum Changed {
    /// The state is as it was: it had all of it already.
    No,
    /// The state has grown.
    Yes,
}

impl Changed {
    /// Whether the state has grown.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Changed;
    ///
    /// assert!(Changed::Yes.is_yes() && !Changed::No.is_yes());
    /// ```
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Whether either of two parts of a state has grown.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Changed;
    ///
    /// assert_eq!(Changed::No.or(Changed::Yes), Changed::Yes);
    /// ```
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        if self.is_yes() { self } else { other }
    }
}
