//! [`Versioned`]: states that can say what they have taken in.
//!
//! # The idea
//!
//! Two peers that compare states would have to send them. So they compare *versions*: values that
//! stand to each other as the states do, and are small where there is a context or a clock. Whoever
//! sees the version of a peer knows whether it lacks anything, and which deltas.
//!
//! A state is the version of itself where it is small (a register), or keeps no book (a set without
//! dots).
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 6: what to send
//! follows from what the other has.

use crate::{Causal, CausalContext, Delta, DotStore, Lattice, Replicated};

/// A replicated state with a version: what it has taken in.
///
/// The laws: `a.version()` stands to `b.version()` as `a` to `b`; the version of a join is the join
/// of the versions; and where a delta was applied, its version is within that of the state.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, GCounter, Lattice, Versioned};
///
/// let dot = |node| Dot::new(NodeId::new(node), Stamp::MIN);
/// let (mut a, mut b) = (GCounter::new(), GCounter::new());
/// a.add(dot(1), 5)?;
/// b.add(dot(2), 7)?;
/// let lacks = a.delta_since(&b.version()).ok_or("a counter has every delta")?;
/// b.join(&lacks);
/// assert_eq!(b.value(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Versioned: Replicated {
    /// What a state of this type has taken in.
    type Version: Lattice + Clone;

    /// What the state has taken in.
    fn version(&self) -> Self::Version;

    /// What a delta brings.
    fn delta_version(delta: &Self::Delta) -> Self::Version;

    /// Returns the delta that brings whoever has taken in `seen` up to this state, where the state
    /// alone tells it; `None` where only recent deltas or the state itself will do.
    ///
    /// Exact for counters and for maps and sets in which the last writer wins: whoever applies it,
    /// whatever else it has seen. A causal state keeps no trace of what it removed, so it has a
    /// delta only for who lacks nothing. (Its whole store would do for who has seen none of it; but
    /// such a delta may come late, and who has seen a part by then would keep what is removed.)
    fn delta_since(&self, seen: &Self::Version) -> Option<Self::Delta>;
}

impl<S: DotStore> Versioned for Causal<S> {
    type Version = CausalContext;

    fn version(&self) -> CausalContext {
        self.context().clone()
    }

    fn delta_version(delta: &Delta<S>) -> CausalContext {
        delta.intervals().clone()
    }

    fn delta_since(&self, seen: &CausalContext) -> Option<Delta<S>> {
        self.context().compare(seen).is_within().then(Delta::nothing)
    }
}

/// Types whose state is the version of itself, and the delta of itself.
macro_rules! state_is_version {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $crate::Versioned for $type {
            type Version = Self;

            fn version(&self) -> Self {
                self.clone()
            }

            fn delta_version(delta: &Self) -> Self {
                delta.clone()
            }

            fn delta_since(&self, _: &Self) -> Option<Self> {
                Some(self.clone())
            }
        }
    };
}

/// Types that wrap a [`Causal`] state and have its version.
macro_rules! causal_version {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $crate::Versioned for $type {
            type Version = $crate::CausalContext;

            fn version(&self) -> $crate::CausalContext {
                self.0.version()
            }

            fn delta_version(delta: &Self::Delta) -> $crate::CausalContext {
                delta.intervals().clone()
            }

            fn delta_since(&self, seen: &$crate::CausalContext) -> Option<Self::Delta> {
                self.0.delta_since(seen)
            }
        }
    };
}

pub(crate) use {causal_version, state_is_version};
