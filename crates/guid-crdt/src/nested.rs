//! [`Nested`]: types that can live inside others, all under one context.
//!
//! # The idea
//!
//! A causal type is a store of dots and a reading of it; the context is not part of the meaning. So
//! a map can hold the *stores* of its values, keep one context for all of them, and hand out a
//! value by putting the two together. A key that is removed takes away the dots that were seen
//! under it, at whatever depth, and nothing below has a clock of its own that could disagree.
//!
//! # Invariants
//!
//! `from_causal` and `causal` are inverse. What a value shows depends on its store alone.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.5: embedding.

use crate::{Causal, Delta, DotStore, Replicated};

/// A replicated type that is a [`Causal`] state with a reading of its own.
///
/// Implement it for a type of your own, and [`OrMap`](crate::OrMap) takes it as a value.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, MvRegister, Nested};
///
/// let mut register = MvRegister::new();
/// register.set(Dot::new(NodeId::new(1), Stamp::MIN), 7)?;
/// assert_eq!(MvRegister::from_causal(register.causal().clone()), register);
/// # Ok::<(), guid_crdt::MutateError>(())
/// ```
pub trait Nested: Replicated<Delta = Delta<Self::Store>> {
    /// Where its data is.
    type Store: DotStore;

    /// Returns the value that a state shows.
    fn from_causal(state: Causal<Self::Store>) -> Self;

    /// The state.
    fn causal(&self) -> &Causal<Self::Store>;
}

impl<S: DotStore> Nested for Causal<S> {
    type Store = S;

    fn from_causal(state: Self) -> Self {
        state
    }

    fn causal(&self) -> &Self {
        self
    }
}

/// What is the same for every type that wraps a [`Causal`] state: how it is joined, compared, sent,
/// nested, and written. `[generics] type: store, the tag of its bytes`.
macro_rules! causal_type {
    ([$($generics:tt)*] $type:ty: $store:ty, $tag:literal) => {
        impl<$($generics)*> Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<$($generics)*> $type {
            /// Returns the state in which nothing has happened.
            ///
            /// # Examples
            ///
            /// See [`Self`].
            pub fn new() -> Self {
                Self($crate::Causal::default())
            }

            /// Applies a delta.
            ///
            /// # Errors
            ///
            /// A [`Gap`](crate::Gap): events before the delta are missing. Nothing is changed.
            ///
            /// # Examples
            ///
            /// See [`Causal::apply`](crate::Causal::apply).
            pub fn apply(
                &mut self,
                delta: &$crate::Delta<$store>,
            ) -> Result<$crate::Changed, $crate::Gap> {
                self.0.apply(delta)
            }

            /// What was taken in.
            ///
            /// # Examples
            ///
            /// See [`Causal::context`](crate::Causal::context).
            pub const fn context(&self) -> &$crate::CausalContext {
                self.0.context()
            }
        }

        impl<$($generics)*> $crate::Lattice for $type {
            fn join(&mut self, other: &Self) {
                self.0.join(&other.0);
            }

            fn compare(&self, other: &Self) -> $crate::Causality {
                self.0.compare(&other.0)
            }
        }

        impl<$($generics)*> $crate::Replicated for $type {
            type Delta = $crate::Delta<$store>;

            fn frontier(&self) -> $crate::VectorClock {
                self.0.frontier()
            }

            fn delta_frontier(delta: &Self::Delta) -> $crate::VectorClock {
                delta.frontier()
            }

            fn apply(&mut self, delta: &Self::Delta) -> Result<$crate::Changed, $crate::Gap> {
                self.0.apply(delta)
            }
        }

        $crate::nested::causal_wrapper!([$($generics)*] $type: $store, $tag);
    };
}

/// The part of [`causal_type`] that types with a join of their own share.
macro_rules! causal_wrapper {
    ([$($generics:tt)*] $type:ty: $store:ty, $tag:literal) => {
        impl<$($generics)*> $crate::Nested for $type {
            type Store = $store;

            fn from_causal(state: $crate::Causal<$store>) -> Self {
                Self(state)
            }

            fn causal(&self) -> &$crate::Causal<$store> {
                &self.0
            }
        }

        $crate::version::causal_version!([$($generics)*] $type);

        #[cfg(feature = "serde")]
        impl<$($generics)*> ::serde::Serialize for $type
        where
            $store: ::serde::Serialize,
        {
            fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                self.0.serialize(serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de, $($generics)*> ::serde::Deserialize<'de> for $type
        where
            $store: ::serde::Deserialize<'de>,
        {
            fn deserialize<Z: ::serde::Deserializer<'de>>(input: Z) -> Result<Self, Z::Error> {
                $crate::Causal::deserialize(input).map(Self)
            }
        }

        #[cfg(feature = "wire")]
        impl<$($generics)*> $crate::wire::Wire for $type
        where
            $store: $crate::wire::WireStore,
        {
            const TAG: [u8; 4] = *$tag;

            fn write(
                &self,
                out: &mut $crate::wire::Encoder,
            ) -> Result<(), $crate::wire::WireError> {
                self.0.write(out)
            }

            fn read(
                input: &mut $crate::wire::Decoder<'_>,
            ) -> Result<Self, $crate::wire::WireError> {
                $crate::Causal::read(input).map(Self)
            }
        }
    };
}

pub(crate) use {causal_type, causal_wrapper};
