//! [`OrSet`]: the observed-remove set, in which adds win, without tombstones.
//!
//! **Meaning:** x is in the set exactly if some visible add of x was seen by no visible remove of x
//! and no visible clear.
//!
//! # The idea
//!
//! *When an element is in my copy and not in yours, did you remove it, or have you never heard of
//! it?* Each element keeps the dot of its add, its birth dot. If your context holds that dot, you
//! knew it and removed it; if not, it is news to you. Nothing of a removed element stays behind but
//! its dots in the context, which costs one span per node however many there were.
//!
//! **Growth:** the elements that are there, and a span a node. **Complexity:** logarithmic in the
//! elements, whatever the number of nodes; a join of two that share structure costs what differs.
//!
//! # Invariants
//!
//! Every element has at least one dot. An add replaces the dots that its author saw.
//!
//! # References
//!
//! Bieniusa et al., "An Optimized Conflict-free Replicated Set", 2012, section 4. Almeida, Shoker,
//! Baquero, "Delta State Replicated Data Types", 2018, section 7.4.1. The question above is that
//! of the header of `riak_dt_orswot.erl`.

use core::{borrow::Borrow, fmt};

use crate::{Causal, Delta, Dot, DotMap, DotSet, DotStore, MutateError};

/// The store of an [`OrSet`]: for each element the dots of its adds.
pub(crate) type Elements<V> = DotMap<V, DotSet>;

/// What a mutation of an [`OrSet`] changed.
pub type OrSetDelta<V> = Delta<DotMap<V, DotSet>>;

/// A set in which a concurrent add wins over a remove.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, OrSet};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (OrSet::new(), OrSet::new());
/// a.insert(dot(1, 10)?, "milk")?;
/// b.join(&a);
///
/// a.remove(dot(1, 20)?, "milk")?;
/// b.insert(dot(2, 15)?, "milk")?; // concurrent: not seen by the remove
/// a.join(&b);
/// b.join(&a);
/// assert!(a.contains("milk"));
/// assert_eq!(a, b);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "ORSWOT")]
#[doc(alias = "add-wins set")]
#[derive(Clone, PartialEq, Eq)]
pub struct OrSet<V: Ord + Clone>(pub(crate) Causal<Elements<V>>);

impl<V: Ord + Clone> OrSet<V> {
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
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(1), "tea")?;
    /// assert!(set.contains("tea") && set.len() == 1);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "add")]
    pub fn insert(&mut self, dot: Dot, value: V) -> Result<OrSetDelta<V>, MutateError> {
        self.insert_all(dot, [value])
    }

    /// Adds several elements under one dot and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, OrSet};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let mut set = OrSet::new();
    /// set.insert_all(dot(1, 10)?, ["tea", "milk"])?; // one event
    /// assert!(set.iter().eq(&["milk", "tea"]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "add_all")]
    pub fn insert_all<I>(&mut self, dot: Dot, values: I) -> Result<OrSetDelta<V>, MutateError>
    where
        I: IntoIterator<Item = V>,
    {
        let added: Elements<V> =
            values.into_iter().map(|value| (value, DotSet::one(dot))).collect();
        let replaced = added.keys().filter_map(|value| self.entry(value)).collect();
        self.0.mutate(dot, added, replaced)
    }

    /// Removes an element, as far as its adds were seen here, and returns the delta.
    ///
    /// Removing what is not there changes no element, and is an event all the same.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, OrSet};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let mut set = OrSet::new();
    /// set.insert(dot(1, 10)?, "tea".to_owned())?;
    /// assert!(set.remove(dot(1, 10)?, "tea").is_err()); // a remove is an event of its own
    /// set.remove(dot(1, 11)?, "tea")?;
    /// assert!(set.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove<Q>(&mut self, dot: Dot, value: &Q) -> Result<OrSetDelta<V>, MutateError>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let seen = self.entry(value).into_iter().collect();
        self.0.mutate(dot, Elements::new(), seen)
    }

    /// Removes those adds of an element that somebody saw, and returns the delta.
    ///
    /// For a server that acts for a client: the client read [`seen`](Self::seen), here or at
    /// another replica, and may have missed adds since; those stay.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node, or an add that was seen has not arrived here
    /// (then join the state in which it was seen first); the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, Lattice, OrSet};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let (mut a, mut b) = (OrSet::new(), OrSet::new());
    /// a.insert(dot(1, 10)?, "x")?;
    /// let seen = a.seen("x"); // a client reads at a …
    /// b.join(&a);
    /// a.insert(dot(1, 20)?, "x")?; // … somebody adds it again …
    /// b.remove_seen(dot(2, 10)?, "x", &seen)?; // … and the client removes at b what it saw
    /// assert!(!b.contains("x"));
    /// b.join(&a);
    /// assert!(b.contains("x"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove_seen(
        &mut self,
        dot: Dot,
        value: V,
        seen: &DotSet,
    ) -> Result<OrSetDelta<V>, MutateError> {
        let gone = Some((value, seen.clone())).filter(|(_, seen)| !seen.is_empty());
        self.0.mutate(dot, Elements::new(), gone.into_iter().collect())
    }

    /// Removes every element, as far as its adds were seen here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, Lattice, OrSet};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let (mut a, mut b) = (OrSet::new(), OrSet::new());
    /// a.insert_all(dot(1, 10)?, [1, 2])?;
    /// b.insert(dot(2, 10)?, 3)?;
    /// a.clear(dot(1, 11)?)?; // has not seen 3
    /// a.join(&b);
    /// assert!(a.iter().eq(&[3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self, dot: Dot) -> Result<OrSetDelta<V>, MutateError> {
        let all = self.0.store().paths();
        self.0.mutate(dot, Elements::new(), all)
    }

    /// Whether an element is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(1), "tea")?;
    /// assert!(set.contains("tea") && !set.contains("ale"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// Logarithmic in the number of elements; the number of nodes does not matter.
    pub fn contains<Q>(&self, value: &Q) -> bool
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.store().get(value).is_some()
    }

    /// The adds of an element that hold it in the set: what a remove removes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(1), "tea")?;
    /// assert_eq!(set.seen("tea").as_slice(), [dot(1)]);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn seen<Q>(&self, value: &Q) -> DotSet
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.store().get(value).cloned().unwrap_or_default()
    }

    /// The elements, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(1), "tea")?;
    /// set.insert(dot(2), "ale")?;
    /// assert!(set.iter().eq(&["ale", "tea"]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.0.store().keys()
    }

    /// How many elements there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// set.insert(dot(1), "tea")?;
    /// set.insert(dot(2), "ale")?;
    /// set.remove(dot(3), "ale")?;
    /// assert_eq!(set.len(), 1);
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
    /// # use guid_crdt::{Dot, OrSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = OrSet::new();
    /// assert!(set.is_empty());
    /// set.insert(dot(1), "tea")?;
    /// assert!(!set.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.store().is_empty()
    }

    fn entry<Q>(&self, value: &Q) -> Option<(V, DotSet)>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let (value, dots) = self.0.store().get_key_value(value)?;
        Some((value.clone(), dots.clone()))
    }
}

crate::nested::causal_type!([V: Ord + Clone] OrSet<V>: Elements<V>, b"orst");

/// The elements.
impl<V: Ord + Clone + fmt::Debug> fmt::Debug for OrSet<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrSet")
            .field("elements", self.0.store())
            .field("context", self.context())
            .finish()
    }
}
