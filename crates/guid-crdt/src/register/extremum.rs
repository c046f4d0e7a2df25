//! [`Max`] and [`Min`]: the greatest and the least value ever written.
//!
//! **Meaning:** the value is the greatest (the least) of those of the visible writes.
//!
//! No dots: the order of the values is all it takes. **Growth:** none. **Complexity:** constant.
//!
//! # References
//!
//! A chain is a lattice: Shapiro, Preguica, Baquero, Zawirski, "Conflict-free Replicated Data
//! Types", 2011, section 2.3.

use core::cmp::Reverse;

use crate::{Causality, Changed, Gap, Lattice, Replicated, VectorClock, replicated::join_as_delta};

/// A register that keeps the greatest value.
///
/// # Examples
///
/// ```
/// use guid_crdt::{Lattice, Max};
///
/// let (mut a, mut b) = (Max::new(), Max::new());
/// let delta = a.raise(5);
/// let _less = a.raise(4); // changes nothing
/// b.join(&delta);
/// assert_eq!(b.get(), Some(&5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Max<V>(Option<V>);

/// A register that keeps the least value.
///
/// # Examples
///
/// ```
/// use guid_crdt::{Lattice, Min};
///
/// let (mut a, mut b) = (Min::new(), Min::new());
/// let delta = a.lower(3);
/// b.join(&delta);
/// assert_eq!(b.get(), Some(&3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Min<V>(Option<V>);

impl<V: Ord> Max<V> {
    fn rank(&self) -> Option<&V> {
        self.0.as_ref()
    }
}

impl<V: Ord> Min<V> {
    /// Without a value it is below all; then the greater the value, the lower.
    fn rank(&self) -> Option<Reverse<&V>> {
        self.0.as_ref().map(Reverse)
    }
}

impl<V: Clone + Ord> Max<V> {
    /// Takes in a value and returns the delta: the value alone.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Max;
    ///
    /// let mut highest = Max::new();
    /// highest.raise(7);
    /// highest.raise(3);
    /// assert_eq!(highest.get(), Some(&7));
    /// ```
    #[must_use = "the delta is what others need"]
    pub fn raise(&mut self, value: V) -> Self {
        let delta = Self(Some(value));
        self.join(&delta);
        delta
    }
}

impl<V: Clone + Ord> Min<V> {
    /// Takes in a value and returns the delta: the value alone.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Min;
    ///
    /// let mut lowest = Min::new();
    /// lowest.lower(7);
    /// lowest.lower(3);
    /// assert_eq!(lowest.get(), Some(&3));
    /// ```
    #[must_use = "the delta is what others need"]
    pub fn lower(&mut self, value: V) -> Self {
        let delta = Self(Some(value));
        self.join(&delta);
        delta
    }
}

macro_rules! extremum {
    ($type:ident, $tag:literal) => {
        impl<V> Default for $type<V> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<V> $type<V> {
            /// Returns the register that was never written.
            ///
            /// # Examples
            ///
            /// See [`Self`].
            pub const fn new() -> Self {
                Self(None)
            }

            /// The value.
            ///
            /// # Examples
            ///
            /// See [`Self`].
            pub const fn get(&self) -> Option<&V> {
                self.0.as_ref()
            }
        }

        impl<V: Clone + Ord> Lattice for $type<V> {
            fn join(&mut self, other: &Self) {
                if self.rank() < other.rank() {
                    self.0.clone_from(&other.0);
                }
            }

            fn compare(&self, other: &Self) -> Causality {
                self.rank().cmp(&other.rank()).into()
            }
        }

        impl<V: Clone + Ord> Replicated for $type<V> {
            type Delta = Self;

            fn frontier(&self) -> VectorClock {
                VectorClock::new()
            }

            fn delta_frontier(_: &Self) -> VectorClock {
                VectorClock::new()
            }

            fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
                Ok(join_as_delta(self, delta))
            }
        }

        crate::version::state_is_version!([V: Clone + Ord] $type<V>);

        #[cfg(feature = "wire")]
        impl<V: serde::Serialize + serde::de::DeserializeOwned> crate::wire::Wire for $type<V> {
            const TAG: [u8; 4] = *$tag;

            fn write(&self, out: &mut crate::wire::Encoder) -> Result<(), crate::wire::WireError> {
                out.value(&self.0)
            }

            fn read(input: &mut crate::wire::Decoder<'_>) -> Result<Self, crate::wire::WireError> {
                input.value().map(Self)
            }
        }
    };
}

extremum!(Max, b"maxr");
extremum!(Min, b"minr");
