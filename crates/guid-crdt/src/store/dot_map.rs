//! [`DotMap`]: a store per key, all under one context.
//!
//! The map is persistent: a clone is one pointer, and two clones that diverged share what neither
//! touched. A join walks the *difference* of the two maps, so shared parts cost nothing.
//!
//! # Invariants
//!
//! No key has an empty store: what is removed is gone.

use core::fmt;

use im::{OrdMap, ordmap::DiffItem};

use super::DotStore;
use crate::{CausalContext, Dot};

/// A map from keys to dot stores.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, DotMap, DotSet};
///
/// let dot = Dot::new(NodeId::new(1), Stamp::MIN);
/// let map = DotMap::from_iter([("x", DotSet::one(dot))]);
/// assert_eq!(map.get("x"), Some(&DotSet::one(dot)));
/// assert_eq!(map.get("y"), None);
/// ```
#[derive(Clone)]
pub struct DotMap<K, S> {
    map: OrdMap<K, S>,
}

impl<K, S> Default for DotMap<K, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, S> DotMap<K, S> {
    /// Returns the map without a key.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::{DotMap, DotSet};
    ///
    /// assert!(DotMap::<u8, DotSet>::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self { map: OrdMap::new() }
    }

    /// How many keys there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotMap, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let map = DotMap::from_iter([2, 1].map(|n| (n, DotSet::one(dot(n)))));
    /// assert_eq!(map.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotMap, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let map = DotMap::from_iter([2, 1].map(|n| (n, DotSet::one(dot(n)))));
    /// assert!(!map.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
}

impl<K: Ord, S> DotMap<K, S> {
    /// The store of a key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotMap, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let map = DotMap::from_iter([("k", DotSet::one(dot(1)))]);
    /// assert_eq!(map.get("k"), Some(&DotSet::one(dot(1))));
    /// ```
    pub fn get<Q>(&self, key: &Q) -> Option<&S>
    where
        K: core::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.map.get(key)
    }

    /// The key as it is held, and its store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotMap, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let map = DotMap::from_iter([2, 1].map(|n| (n, DotSet::one(dot(n)))));
    /// assert_eq!(map.get_key_value(&2), Some((&2, &DotSet::one(dot(2)))));
    /// assert_eq!(map.get_key_value(&3), None);
    /// ```
    pub fn get_key_value<Q>(&self, key: &Q) -> Option<(&K, &S)>
    where
        K: core::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.map.get_key_value(key)
    }

    /// The keys and their stores, in the order of the keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotMap, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let map = DotMap::from_iter([2, 1].map(|n| (n, DotSet::one(dot(n)))));
    /// assert!(map.iter().eq([(&1, &DotSet::one(dot(1))), (&2, &DotSet::one(dot(2)))]));
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &S)> + ExactSizeIterator {
        self.map.iter()
    }

    /// The keys, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotMap, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let map = DotMap::from_iter([2, 1].map(|n| (n, DotSet::one(dot(n)))));
    /// assert!(map.keys().eq(&[1, 2]));
    /// ```
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.map.iter().map(|(key, _)| key)
    }
}

impl<K: Ord + Clone, S: DotStore> DotMap<K, S> {
    /// What a key becomes in a join, if it changes: `mine` and `theirs` are its two stores.
    fn joined(
        mine: Option<&S>,
        context: &CausalContext,
        theirs: Option<&S>,
        other_context: &CausalContext,
    ) -> Option<S> {
        let bottom = S::default();
        let mine = mine.unwrap_or(&bottom);
        let mut joined = mine.clone();
        joined.join(context, theirs.unwrap_or(&bottom), other_context);
        (joined != *mine).then_some(joined)
    }

    fn change(&mut self, key: &K, context: &CausalContext, added: &S, gone: &S::Gone) {
        let before = self.map.get(key);
        let mut after = before.cloned().unwrap_or_default();
        after.apply(context, added, gone);
        // A map that is shared is copied where it is written, so what stays is not written.
        if before.unwrap_or(&S::default()) != &after {
            self.put(key.clone(), after);
        }
    }

    /// Changes the store of a key, which may be empty before and after.
    pub(crate) fn edit(&mut self, key: K, edit: impl FnOnce(&mut S)) {
        let mut store = self.map.get(&key).cloned().unwrap_or_default();
        edit(&mut store);
        self.put(key, store);
    }

    /// Takes away all that is under a key.
    pub(crate) fn remove<Q>(&mut self, key: &Q)
    where
        K: core::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.map.remove(key);
    }

    fn put(&mut self, key: K, store: S) {
        if store.is_empty() {
            self.map.remove(&key);
        } else {
            self.map.insert(key, store);
        }
    }
}

impl<K: Ord + Clone, S: DotStore> DotStore for DotMap<K, S> {
    type Gone = DotMap<K, S::Gone>;

    fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    fn for_each_dot(&self, f: &mut dyn FnMut(Dot)) {
        self.map.values().for_each(|store| store.for_each_dot(f));
    }

    fn join(&mut self, context: &CausalContext, other: &Self, other_context: &CausalContext) {
        // Collected first: the difference borrows the map that it is to change.
        let changes: Vec<(K, S)> = self
            .map
            .diff(&other.map)
            .filter_map(|item| {
                let (key, mine, theirs) = match item {
                    DiffItem::Add(key, theirs) => (key, None, Some(theirs)),
                    DiffItem::Remove(key, mine) => (key, Some(mine), None),
                    DiffItem::Update { old: (key, mine), new: (_, theirs) } => {
                        (key, Some(mine), Some(theirs))
                    }
                };
                let joined = Self::joined(mine, context, theirs, other_context)?;
                Some((key.clone(), joined))
            })
            .collect();
        for (key, store) in changes {
            self.put(key, store);
        }
    }

    fn apply(&mut self, context: &CausalContext, added: &Self, gone: &Self::Gone) {
        let nothing_gone = S::Gone::default();
        for (key, store) in &added.map {
            self.change(key, context, store, gone.get(key).unwrap_or(&nothing_gone));
        }
        let nothing_added = S::default();
        for (key, gone) in gone.iter().filter(|(key, _)| added.get(*key).is_none()) {
            self.change(key, context, &nothing_added, gone);
        }
    }

    fn changes_from(&self, before: &Self) -> (Self, Self::Gone) {
        let (mut added, mut gone) = (Self::new(), Self::Gone::new());
        let bottom = S::default();
        for item in before.map.diff(&self.map) {
            let (key, before, after) = match item {
                DiffItem::Add(key, after) => (key, &bottom, after),
                DiffItem::Remove(key, before) => (key, before, &bottom),
                DiffItem::Update { old: (key, before), new: (_, after) } => (key, before, after),
            };
            let (new, old) = after.changes_from(before);
            added.put(key.clone(), new);
            gone.put(key.clone(), old);
        }
        (added, gone)
    }

    fn paths(&self) -> Self::Gone {
        self.map.iter().map(|(key, store)| (key.clone(), store.paths())).collect()
    }

    fn has_emptied(&self) -> bool {
        self.map.values().any(|store| store.is_empty() || store.has_emptied())
    }
}

impl<K: Ord + Clone, S: Clone> FromIterator<(K, S)> for DotMap<K, S> {
    fn from_iter<I: IntoIterator<Item = (K, S)>>(iter: I) -> Self {
        Self { map: iter.into_iter().collect() }
    }
}

impl<K: Ord, S: PartialEq> PartialEq for DotMap<K, S> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<K: Ord, S: Eq> Eq for DotMap<K, S> {}

impl<K: Ord + fmt::Debug, S: fmt::Debug> fmt::Debug for DotMap<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
