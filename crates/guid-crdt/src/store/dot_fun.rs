//! [`DotFun`]: a value per dot.
//!
//! Each write that nobody has overwritten is there with what it wrote. Such writes are concurrent,
//! hence few: a sorted vector holds them.
//!
//! # Invariants
//!
//! Entries are sorted by dot, one per dot.

use super::{DotSet, DotStore};
use crate::{CausalContext, Dot};

/// A function from dots to values.
///
/// A dot names one event, and one event writes one value. Should two values meet under one dot all
/// the same (a node that was used twice), the greater one is taken, so that copies still agree.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, DotFun};
///
/// let dot = Dot::new(NodeId::new(1), Stamp::MIN);
/// let store = DotFun::one(dot, "blue");
/// assert_eq!(store.get(dot), Some(&"blue"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotFun<V> {
    entries: Vec<(Dot, V)>,
}

impl<V> Default for DotFun<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> DotFun<V> {
    /// Returns the store without an entry.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::DotFun;
    ///
    /// assert!(DotFun::<u8>::new().is_empty());
    /// ```
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Returns the store of one entry.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotFun};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let store = DotFun::one(dot(1), "blue");
    /// assert_eq!((store.get(dot(1)), store.len()), (Some(&"blue"), 1));
    /// ```
    pub fn one(dot: Dot, value: V) -> Self {
        Self { entries: vec![(dot, value)] }
    }

    /// The value under a dot.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotFun};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let store = DotFun::from_iter([(dot(2), "red"), (dot(1), "blue")]);
    /// assert_eq!((store.get(dot(2)), store.get(dot(3))), (Some(&"red"), None));
    /// ```
    pub fn get(&self, dot: Dot) -> Option<&V> {
        let at = self.entries.binary_search_by_key(&dot, |&(dot, _)| dot).ok()?;
        Some(&self.entries[at].1)
    }

    /// The entries, in time order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotFun};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let store = DotFun::from_iter([(dot(2), "red"), (dot(1), "blue")]);
    /// assert!(store.iter().eq([(dot(1), &"blue"), (dot(2), &"red")]));
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Dot, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(dot, value)| (*dot, value))
    }

    /// How many there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotFun};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let store = DotFun::from_iter([(dot(2), "red"), (dot(1), "blue")]);
    /// assert_eq!(store.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotFun};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert!(DotFun::<u8>::new().is_empty() && !DotFun::one(dot(1), 7).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<V: Clone + Ord> DotFun<V> {
    /// Takes the greater value where both hold one under a dot.
    pub(crate) fn settle(&mut self, other: &Self) {
        for (dot, value) in &mut self.entries {
            match other.get(*dot) {
                Some(theirs) if theirs > value => value.clone_from(theirs),
                _ => {}
            }
        }
    }
}

impl<V: Clone + Ord> DotStore for DotFun<V> {
    type Gone = DotSet;

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn for_each_dot(&self, f: &mut dyn FnMut(Dot)) {
        self.entries.iter().for_each(|&(dot, _)| f(dot));
    }

    fn join(&mut self, context: &CausalContext, other: &Self, other_context: &CausalContext) {
        self.entries.retain(|&(dot, _)| other.get(dot).is_some() || !other_context.contains(dot));
        self.settle(other);
        let new = other.entries.iter().filter(|(dot, _)| !context.contains(*dot));
        self.entries.extend(new.cloned());
        self.entries.sort_unstable_by_key(|&(dot, _)| dot);
    }

    fn apply(&mut self, context: &CausalContext, added: &Self, gone: &DotSet) {
        self.entries.retain(|&(dot, _)| !gone.contains(dot));
        let new = |&&(dot, _): &&(Dot, V)| !context.contains(dot) && self.get(dot).is_none();
        let new: Vec<_> = added.entries.iter().filter(new).cloned().collect();
        self.entries.extend(new);
        self.entries.sort_unstable_by_key(|&(dot, _)| dot);
    }

    fn changes_from(&self, before: &Self) -> (Self, DotSet) {
        let added = self.entries.iter().filter(|(dot, _)| before.get(*dot).is_none()).cloned();
        let gone = before.iter().filter(|&(dot, _)| self.get(dot).is_none());
        (Self { entries: added.collect() }, gone.map(|(dot, _)| dot).collect())
    }

    fn paths(&self) -> DotSet {
        self.entries.iter().map(|&(dot, _)| dot).collect()
    }
}

/// Of two values under one dot the greater is taken.
impl<V: Ord> FromIterator<(Dot, V)> for DotFun<V> {
    fn from_iter<I: IntoIterator<Item = (Dot, V)>>(iter: I) -> Self {
        let mut entries: Vec<_> = iter.into_iter().collect();
        entries.sort_unstable_by(|a, b| (a.0, &b.1).cmp(&(b.0, &a.1)));
        entries.dedup_by_key(|&mut (dot, _)| dot);
        Self { entries }
    }
}
