//! [`LwwMap`]: each key has what was last written to it.
//!
//! **Meaning:** of the visible puts and removes of a key the one with the greatest dot decides: the
//! value that was put, or none.
//!
//! **Growth:** an entry for each key ever written, removed or not. **Complexity:** logarithmic in
//! those; [`len`](LwwMap::len) and iteration are linear in them. Deltas need no order.
//!
//! # References
//!
//! A last-writer-wins register a key: Shapiro, Preguica, Baquero, Zawirski, "A comprehensive study
//! of Convergent and Commutative Replicated Data Types", 2011, specification 8. To keep the
//! greatest stamp of a *removed* key too is what makes it converge: Kleppmann, "Assessing the
//! understandability of a distributed algorithm by tweeting buggy pseudocode", 2022.

use core::borrow::Borrow;

use crate::{
    Dot, MutateError,
    pointwise::{ByDot, Latest, latest_type},
};

/// A map in which the later of two writes of a key stands.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, LwwMap};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = LwwMap::new();
/// a.put(dot(1, 10)?, "colour", "red")?;
/// let mut b = a.clone();
/// b.put(dot(2, 20)?, "colour", "blue")?;
/// a.remove(dot(1, 30)?, "colour")?;
/// assert_eq!(a.joined(&b).get("colour"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LwwMap<K: Ord + Clone, V: Ord + Clone>(Latest<K, Option<V>, ByDot>);

latest_type!([K: Ord + Clone, V: Ord + Clone] LwwMap<K, V>: K, Option<V>, b"lwwm");

impl<K: Ord + Clone, V: Ord + Clone> LwwMap<K, V> {
    /// Returns the map of one write, `None` for a remove: what importers join.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, LwwMap};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let put = LwwMap::written(dot(1), "k", Some(1));
    /// let remove = LwwMap::written(dot(2), "k", None);
    /// assert!(remove.joined(&put).is_empty()); // the later of the two stands
    /// ```
    pub fn written(dot: Dot, key: K, value: Option<V>) -> Self {
        Self(Latest::written(dot, key, value))
    }

    /// Writes a value and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node, or the write would lose against the last of
    /// its key; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwMap};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = LwwMap::new();
    /// map.put(dot(1), "k", 1)?;
    /// assert_eq!((map.get("k"), map.len()), (Some(&1), 1));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "insert")]
    pub fn put(&mut self, dot: Dot, key: K, value: V) -> Result<Self, MutateError> {
        self.0.write(dot, key, Some(value)).map(Self)
    }

    /// Removes a key, whether it is there or not, and returns the delta.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, LwwMap};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let mut a = LwwMap::new();
    /// a.put(dot(1, 1), "k", 1)?;
    /// let mut b = a.clone();
    /// b.put(dot(2, 2), "k", 2)?;
    /// a.remove(dot(1, 9), "k")?; // later, so it stands
    /// assert!(a.joined(&b).is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn remove(&mut self, dot: Dot, key: K) -> Result<Self, MutateError> {
        self.0.write(dot, key, None).map(Self)
    }

    /// The value of a key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwMap};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = LwwMap::new();
    /// map.put(dot(1), "k", 1)?;
    /// assert_eq!((map.get("k"), map.get("other")), (Some(&1), None));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.get(key)?.value.as_ref()
    }

    /// The keys and their values, in the order of the keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwMap};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = LwwMap::new();
    /// map.put(dot(1), "b", 1)?;
    /// map.put(dot(2), "a", 2)?;
    /// assert!(map.iter().eq([(&"a", &2), (&"b", &1)]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().filter_map(|(key, write)| Some((key, write.value.as_ref()?)))
    }

    /// How many keys there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwMap};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = LwwMap::new();
    /// map.put(dot(1), "b", 1)?;
    /// map.put(dot(2), "a", 2)?;
    /// assert_eq!(map.len(), 2);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwMap};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = LwwMap::new();
    /// assert!(map.is_empty());
    /// map.put(dot(1), "k", 1)?;
    /// assert!(!map.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}
