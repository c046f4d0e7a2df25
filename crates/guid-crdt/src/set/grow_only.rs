//! [`GSet`] and [`TwoPhaseSet`]: sets in which nothing comes back.
//!
//! **Meaning:** x is in a `GSet` exactly if some visible event added it; in a `TwoPhaseSet`, if
//! moreover no visible event removed it.
//!
//! No dots: an element goes one way, from outside to in (to out). **Growth:** an entry for each
//! element ever added. **Complexity:** logarithmic in those. Deltas need no order.
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "A comprehensive study of Convergent and Commutative
//! Replicated Data Types", 2011, specifications 11 and 12.

use core::borrow::Borrow;

use crate::{
    Causality, Changed, Gap, Lattice, Replicated, VectorClock, pointwise::Pointwise,
    replicated::join_as_delta,
};

/// A set that only grows.
///
/// # Examples
///
/// ```
/// use guid_crdt::{GSet, Lattice};
///
/// let (mut a, mut b) = (GSet::new(), GSet::new());
/// let delta = a.insert("x");
/// b.join(&delta);
/// assert!(b.contains("x"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GSet<V: Ord + Clone>(Pointwise<V, ()>);

/// A set in which what was removed stays removed.
///
/// # Examples
///
/// ```
/// use guid_crdt::TwoPhaseSet;
///
/// let mut set = TwoPhaseSet::new();
/// let _added = set.insert("ticket");
/// let _used = set.remove("ticket");
/// let _added = set.insert("ticket"); // too late
/// assert!(!set.contains("ticket"));
/// ```
#[doc(alias = "2P-Set")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoPhaseSet<V: Ord + Clone>(Pointwise<V, bool>);

impl<V: Ord + Clone> GSet<V> {
    /// Adds an element and returns the delta: the set of it alone.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::GSet;
    ///
    /// let mut seen = GSet::new();
    /// seen.insert("a");
    /// assert!(seen.contains("a") && seen.len() == 1);
    /// ```
    #[must_use = "the delta is what others need"]
    #[doc(alias = "add")]
    pub fn insert(&mut self, value: V) -> Self {
        let delta = Self(Pointwise::one(value, ()));
        self.join(&delta);
        delta
    }

    /// Whether an element is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::GSet;
    ///
    /// let mut set = GSet::new();
    /// set.insert("tea");
    /// assert!(set.contains("tea") && !set.contains("ale"));
    /// ```
    pub fn contains<Q>(&self, value: &Q) -> bool
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.get(value).is_some()
    }

    /// The elements, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::GSet;
    ///
    /// let mut set = GSet::new();
    /// set.insert("tea");
    /// set.insert("ale");
    /// assert!(set.iter().eq(&["ale", "tea"]));
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.0.iter().map(|(value, ())| value)
    }

    /// How many elements there are.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::GSet;
    ///
    /// let mut set = GSet::new();
    /// set.insert("tea");
    /// set.insert("ale");
    /// assert_eq!(set.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.iter().len()
    }
}

impl<V: Ord + Clone> TwoPhaseSet<V> {
    /// Adds an element, unless it was removed before, and returns the delta.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::TwoPhaseSet;
    ///
    /// let mut keys = TwoPhaseSet::new();
    /// keys.insert("k");
    /// assert!(keys.contains("k"));
    /// ```
    #[must_use = "the delta is what others need"]
    #[doc(alias = "add")]
    pub fn insert(&mut self, value: V) -> Self {
        let delta = Self(Pointwise::one(value, false));
        self.join(&delta);
        delta
    }

    /// Removes an element for good, if it is there, and returns the delta.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::TwoPhaseSet;
    ///
    /// let mut keys = TwoPhaseSet::new();
    /// keys.insert("k");
    /// keys.remove("k");
    /// keys.insert("k"); // out for good
    /// assert!(!keys.contains("k"));
    /// ```
    #[must_use = "the delta is what others need"]
    pub fn remove(&mut self, value: V) -> Self {
        if !self.contains(&value) {
            return Self::new();
        }
        let delta = Self(Pointwise::one(value, true));
        self.join(&delta);
        delta
    }

    /// Whether an element is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::TwoPhaseSet;
    ///
    /// let mut set = TwoPhaseSet::new();
    /// set.insert("tea");
    /// set.insert("ale");
    /// set.remove("tea");
    /// assert!(set.contains("ale") && !set.contains("tea"));
    /// ```
    pub fn contains<Q>(&self, value: &Q) -> bool
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.get(value) == Some(&false)
    }

    /// The elements, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::TwoPhaseSet;
    ///
    /// let mut set = TwoPhaseSet::new();
    /// set.insert("tea");
    /// set.insert("ale");
    /// set.remove("tea");
    /// assert!(set.iter().eq(&["ale"]));
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.iter().filter(|&(_, &removed)| !removed).map(|(value, _)| value)
    }

    /// How many elements there are.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::TwoPhaseSet;
    ///
    /// let mut set = TwoPhaseSet::new();
    /// set.insert("tea");
    /// set.insert("ale");
    /// set.remove("tea");
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.iter().count()
    }
}

macro_rules! pointwise_set {
    ($type:ident, $entry:ty, $tag:literal) => {
        impl<V: Ord + Clone> Default for $type<V> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<V: Ord + Clone> $type<V> {
            /// Returns the empty set.
            ///
            /// # Examples
            ///
            /// See [`Self`].
            pub fn new() -> Self {
                Self(Pointwise::new())
            }

            /// Whether there is none.
            ///
            /// # Examples
            ///
            /// ```
            /// use guid_crdt::{GSet, TwoPhaseSet};
            ///
            /// assert!(GSet::<u8>::new().is_empty() && TwoPhaseSet::<u8>::new().is_empty());
            /// ```
            pub fn is_empty(&self) -> bool {
                self.iter().next().is_none()
            }
        }

        impl<V: Ord + Clone> Lattice for $type<V> {
            fn join(&mut self, other: &Self) {
                self.0.join(&other.0);
            }

            fn compare(&self, other: &Self) -> Causality {
                self.0.compare(&other.0)
            }
        }

        impl<V: Ord + Clone> Replicated for $type<V> {
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

        crate::version::state_is_version!([V: Ord + Clone] $type<V>);

        #[cfg(feature = "serde")]
        impl<V: Ord + Clone + serde::Serialize> serde::Serialize for $type<V> {
            fn serialize<Z: serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                serializer.collect_seq(self.0.iter())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de, V> serde::Deserialize<'de> for $type<V>
        where
            V: Ord + Clone + serde::Deserialize<'de>,
        {
            fn deserialize<Z: serde::Deserializer<'de>>(input: Z) -> Result<Self, Z::Error> {
                let entries = Vec::<(V, $entry)>::deserialize(input)?;
                Ok(Self(entries.into_iter().collect()))
            }
        }

        /// How many, then the elements and what is said of them.
        #[cfg(feature = "wire")]
        impl<V> crate::wire::Wire for $type<V>
        where
            V: Ord + Clone + serde::Serialize + serde::de::DeserializeOwned,
        {
            const TAG: [u8; 4] = *$tag;

            fn write(&self, out: &mut crate::wire::Encoder) -> Result<(), crate::wire::WireError> {
                out.count(self.0.iter().len());
                self.0.iter().try_for_each(|entry| out.value(&entry))
            }

            fn read(input: &mut crate::wire::Decoder<'_>) -> Result<Self, crate::wire::WireError> {
                let entries: Result<Vec<(V, $entry)>, _> =
                    (0..input.count()?).map(|_| input.value()).collect();
                Ok(Self(entries?.into_iter().collect()))
            }
        }
    };
}

pointwise_set!(GSet, (), b"gset");
pointwise_set!(TwoPhaseSet, bool, b"2pst");
