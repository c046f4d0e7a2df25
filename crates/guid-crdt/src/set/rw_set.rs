//! [`RwSet`]: the observed-remove set in which removes win.
//!
//! **Meaning:** x is in the set exactly if it was added and every visible remove of x was seen by
//! some visible add of x; a clear voids the adds and removes that it has seen.
//!
//! Each element has a flag in which disable wins: see [`DwFlag`](crate::DwFlag).
//!
//! **Growth:** a removed element keeps the dot of its remove, so that it can win over adds that
//! have not seen it; adding it again, a clear, or [`forget`](RwSet::forget) once it is settled,
//! takes that away. **Complexity:** logarithmic in the elements ever seen; [`len`](RwSet::len) and
//! iteration are linear in them.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.4: `RWSet`.

use core::borrow::Borrow;

use crate::{
    Causal, CausalContext, Delta, Dot, DotFun, DotMap, DotStore, MutateError, flag::all_on,
    nested::causal_type,
};

/// The store of a [`RwSet`]: for each element its adds (true) and removes.
type Writes<V> = DotMap<V, DotFun<bool>>;

/// A set in which a concurrent remove wins over an add.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, RwSet};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = RwSet::new();
/// a.insert(dot(1, 10)?, "key")?;
/// let mut b = a.clone();
/// a.remove(dot(1, 20)?, "key")?; // revoked …
/// b.insert(dot(2, 20)?, "key")?; // … and granted again, without knowing
/// assert!(!a.joined(&b).contains("key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "remove-wins set")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RwSet<V: Ord + Clone>(pub(crate) Causal<Writes<V>>);

causal_type!([V: Ord + Clone] RwSet<V>: DotMap<V, DotFun<bool>>, b"rwst");

impl<V: Ord + Clone> RwSet<V> {
    /// Adds an element and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// set.insert(dot(1), "key")?;
    /// assert!(set.contains("key"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "add")]
    pub fn insert(&mut self, dot: Dot, value: V) -> Result<Delta<Writes<V>>, MutateError> {
        self.write(dot, value, true)
    }

    /// Removes an element, whether it is there or not, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// set.insert(dot(1), "key")?;
    /// set.remove(dot(2), "key")?;
    /// assert!(!set.contains("key") && set.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn remove(&mut self, dot: Dot, value: V) -> Result<Delta<Writes<V>>, MutateError> {
        self.write(dot, value, false)
    }

    fn write(&mut self, dot: Dot, value: V, on: bool) -> Result<Delta<Writes<V>>, MutateError> {
        let seen = self.0.store().get(&value).map(|writes| (value.clone(), writes.paths()));
        let added = DotMap::from_iter([(value, DotFun::one(dot, on))]);
        self.0.mutate(dot, added, seen.into_iter().collect())
    }

    /// Voids all adds and removes seen here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// set.remove(dot(1), "key")?;
    /// set.clear(dot(2))?; // the remove is void too
    /// assert_eq!(set, set.clone());
    /// assert!(set.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn clear(&mut self, dot: Dot) -> Result<Delta<Writes<V>>, MutateError> {
        let all = self.0.store().paths();
        self.0.mutate(dot, DotMap::new(), all)
    }

    /// Takes away what is kept of removed elements, as far as it is settled, and returns the delta.
    ///
    /// No copy shows anything else for it, now or later: `settled` is what
    /// [`Stability::settled`](crate::Stability::settled) says for the context of this set.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, RwSet, Stability};
    ///
    /// let dot = |stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(1), stamp));
    /// let mut set = RwSet::new();
    /// set.insert(dot(10)?, "key")?;
    /// set.remove(dot(20)?, "key")?;
    /// let mut group = Stability::of([NodeId::new(1), NodeId::new(2)]);
    /// group.heard(NodeId::new(1), set.context());
    /// assert!(group.settled(set.context()).is_empty()); // node 2 may not have seen it yet
    /// group.heard(NodeId::new(2), set.context());
    /// let delta = set.forget(dot(30)?, &group.settled(set.context()))?;
    /// assert!(delta.builds_on().contains(dot(20)?)); // the remove is no longer needed
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// Linear in the elements ever seen.
    pub fn forget(
        &mut self,
        dot: Dot,
        settled: &CausalContext,
    ) -> Result<Delta<Writes<V>>, MutateError> {
        let is_over = |writes: &DotFun<bool>| {
            !all_on(writes) && writes.iter().all(|(dot, _)| settled.contains(dot))
        };
        let over = self.0.store().iter().filter(|(_, writes)| is_over(writes));
        let over = over.map(|(value, writes)| (value.clone(), writes.paths())).collect();
        self.0.mutate(dot, DotMap::new(), over)
    }

    /// Whether an element is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// set.insert(dot(1), "tea")?;
    /// assert!(set.contains("tea") && !set.contains("ale"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn contains<Q>(&self, value: &Q) -> bool
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.store().get(value).is_some_and(all_on)
    }

    /// The elements, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// set.insert(dot(1), "tea")?;
    /// set.insert(dot(2), "ale")?;
    /// assert!(set.iter().eq(&["ale", "tea"]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.store().iter().filter(|(_, writes)| all_on(writes)).map(|(value, _)| value)
    }

    /// How many elements there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// set.insert(dot(1), "tea")?;
    /// set.insert(dot(2), "ale")?;
    /// set.remove(dot(3), "ale")?;
    /// assert_eq!(set.len(), 1);
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
    /// # use guid_crdt::{Dot, RwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = RwSet::new();
    /// assert!(set.is_empty());
    /// set.insert(dot(1), "tea")?;
    /// assert!(!set.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}
