//! [`OrMap`]: a map of replicated values, in which removing a key resets what is under it.
//!
//! **Meaning:** the value of a key is that of its visible updates which no visible remove of the
//! key (and no clear) has seen, by the meaning of the values' type; what such an update had itself
//! removed stays removed.
//!
//! # The idea
//!
//! The map holds the stores of its values, and one context for all of them, however deep they nest.
//! A remove takes away the dots that it has seen under the key, and what somebody wrote there
//! without its knowledge stays, exactly that. A value with a clock of its own cannot have this: it
//! was built up from what is now removed, and does not know.
//!
//! **Growth:** what the values that are there hold; a removed key leaves nothing behind.
//! **Complexity:** an update costs that of the value, a look-up, and a copy of the context; so does
//! [`get`](OrMap::get).
//!
//! # Invariants
//!
//! No key has an empty store: a value in which nothing stands any more is not there.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.5: `ORMap`.

use core::borrow::Borrow;

use crate::{Causal, Delta, Dot, DotMap, DotStore, MutateError, Nested, nested::causal_type};

/// What a mutation of an [`OrMap`] changed.
pub type OrMapDelta<K, V> = Delta<DotMap<K, <V as Nested>::Store>>;

/// A map from keys to replicated values.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, OrMap, OrSet};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = OrMap::<&str, OrSet<&str>>::new();
/// let (first, second) = (dot(1, 10)?, dot(2, 20)?);
/// a.update(first, "friends", |set| set.insert(first, "ann"))?;
/// let mut b = a.clone();
/// a.remove(dot(1, 20)?, "friends")?; // has seen ann
/// b.update(second, "friends", |set| set.insert(second, "bob"))?;
/// a.join(&b);
/// let friends = a.get("friends").ok_or("bob is there")?;
/// assert!(friends.iter().eq(&["bob"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "ORMap")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrMap<K: Ord + Clone, V: Nested>(Causal<DotMap<K, V::Store>>);

causal_type!([K: Ord + Clone, V: Nested] OrMap<K, V>: DotMap<K, V::Store>, b"ormp");

impl<K: Ord + Clone, V: Nested> OrMap<K, V> {
    /// Changes the value of a key, which is at bottom if it is not there, and returns the delta.
    ///
    /// The closure carries out one mutation under the same dot and returns its delta.
    ///
    /// # Errors
    ///
    /// What the closure returns; or the dot is not after what is known of its node. The map is
    /// unchanged.
    ///
    /// # Examples
    ///
    /// Maps in maps, under one context:
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, OrMap, ResettableCounter};
    ///
    /// let mut stock = OrMap::<&str, OrMap<&str, ResettableCounter>>::new();
    /// let dot = Dot::new(NodeId::new(1), Stamp::from_u64(10)?);
    /// stock.update(dot, "Bern", |town| town.update(dot, "tea", |count| count.add(dot, 7)))?;
    /// let tea = stock.get("Bern").and_then(|town| town.get("tea"));
    /// assert_eq!(tea.map(|count| count.value()), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update(
        &mut self,
        dot: Dot,
        key: K,
        update: impl FnOnce(&mut V) -> Result<Delta<V::Store>, MutateError>,
    ) -> Result<OrMapDelta<K, V>, MutateError> {
        let delta = update(&mut self.value(self.0.store().get(&key)))?;
        let (added, gone) = (delta.added().clone(), delta.gone().clone());
        let added = Some((key.clone(), added)).filter(|(_, store)| !store.is_empty());
        let gone = Some((key, gone)).filter(|(_, store)| !store.is_empty());
        self.0.mutate(dot, added.into_iter().collect(), gone.into_iter().collect())
    }

    /// Removes a key and all that was seen under it here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// map.remove(dot(2), "k")?;
    /// assert!(!map.contains_key("k"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "reset-remove")]
    pub fn remove<Q>(&mut self, dot: Dot, key: &Q) -> Result<OrMapDelta<K, V>, MutateError>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let seen = self.0.store().get_key_value(key);
        let seen = seen.map(|(key, store)| (key.clone(), store.paths()));
        self.0.mutate(dot, DotMap::new(), seen.into_iter().collect())
    }

    /// Removes every key and all that was seen under it here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// map.clear(dot(2))?;
    /// assert!(map.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn clear(&mut self, dot: Dot) -> Result<OrMapDelta<K, V>, MutateError> {
        let all = self.0.store().paths();
        self.0.mutate(dot, DotMap::new(), all)
    }

    /// The value of a key, with the context of the map.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// assert!(map.get("k").is_some_and(|set| set.contains(&7)));
    /// assert!(map.get("other").is_none());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        Some(self.value(Some(self.0.store().get(key)?)))
    }

    /// Whether a key is there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// assert!(map.contains_key("k") && !map.contains_key("other"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.store().get(key).is_some()
    }

    /// The keys and their values, in the order of the keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// let (key, set) = map.iter().next().ok_or("empty")?;
    /// assert!(*key == "k" && set.contains(&7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, V)> + ExactSizeIterator {
        self.0.store().iter().map(|(key, store)| (key, self.value(Some(store))))
    }

    /// The keys, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// assert!(map.keys().eq(["k"].iter()));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.0.store().keys()
    }

    /// How many keys there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// assert_eq!(map.len(), 1);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.0.store().len()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrMap, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = OrMap::<&str, OrSet<u8>>::new();
    /// assert!(map.is_empty());
    /// map.update(dot(1), "k", |set| set.insert(dot(1), 7))?;
    /// assert!(!map.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.store().is_empty()
    }

    fn value(&self, store: Option<&V::Store>) -> V {
        let store = store.cloned().unwrap_or_default();
        V::from_causal(Causal::with_context_of(store, self.0.context()))
    }
}
