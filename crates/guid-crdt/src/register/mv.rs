//! [`MvRegister`]: concurrent writes are all kept.
//!
//! **Meaning:** the values are those of the visible writes that no visible write or clear has seen.
//!
//! **Growth:** at most one value a node, and a span a node. **Complexity:** linear in the values,
//! which are few, and in the nodes where contexts are joined.
//!
//! # Invariants
//!
//! The writes it holds are pairwise concurrent: a write replaces all that its author saw.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.4.2. A dot per
//! value, and not a clock per value: Preguica et al., "Dotted Version Vectors", 2010.

use crate::{
    Causal, CausalContext, Causality, Changed, Conflict, Delta, Dot, DotFun, DotStore, Gap,
    Lattice, MutateError, Replicated, VectorClock,
};

/// What a mutation of an [`MvRegister`] changed.
pub type MvRegisterDelta<V> = Delta<DotFun<V>>;

/// A register that keeps every value nobody has overwritten.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, MvRegister};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (MvRegister::new(), MvRegister::new());
/// a.set(dot(1, 10)?, "bob")?;
/// b.set(dot(2, 10)?, "alice")?;
/// a.join(&b);
/// assert_eq!(a.values(), [&"alice", &"bob"]); // both: neither saw the other
///
/// a.set(dot(1, 11)?, "carol")?;
/// assert_eq!(a.values(), [&"carol"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "multi-value register")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MvRegister<V>(pub(crate) Causal<DotFun<V>>);

impl<V: Clone + Ord> Default for MvRegister<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Clone + Ord> MvRegister<V> {
    /// Returns the register that was never written.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::MvRegister;
    ///
    /// assert!(MvRegister::<u8>::new().values().is_empty());
    /// ```
    pub fn new() -> Self {
        Self(Causal::default())
    }

    /// Writes a value in place of all that are there, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the register is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, MvRegister};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut register = MvRegister::new();
    /// register.set(dot(1), "a")?;
    /// register.set(dot(2), "b")?; // has seen the first
    /// assert_eq!(register.values(), [&"b"]);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn set(&mut self, dot: Dot, value: V) -> Result<MvRegisterDelta<V>, MutateError> {
        let seen = self.0.store().paths();
        self.0.mutate(dot, DotFun::one(dot, value), seen)
    }

    /// Removes all values that are there, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the register is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, Lattice, MvRegister};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let (mut a, mut b) = (MvRegister::new(), MvRegister::new());
    /// a.set(dot(1, 10)?, "bob")?;
    /// a.clear(dot(1, 11)?)?;
    /// b.set(dot(2, 10)?, "alice")?; // not seen by the clear
    /// a.join(&b);
    /// assert_eq!(a.values(), [&"alice"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self, dot: Dot) -> Result<MvRegisterDelta<V>, MutateError> {
        let seen = self.0.store().paths();
        self.0.mutate(dot, DotFun::new(), seen)
    }

    /// Applies a delta.
    ///
    /// # Errors
    ///
    /// A [`Gap`]: events before the delta are missing. Nothing is changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, MvRegister};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut here, mut there) = (MvRegister::new(), MvRegister::new());
    /// let delta = here.set(dot(1), "a")?;
    /// there.apply(&delta)?;
    /// assert_eq!(there.values(), [&"a"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, delta: &MvRegisterDelta<V>) -> Result<Changed, Gap> {
        self.0.apply(delta)
    }

    /// The values, each once, in their own order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, MvRegister};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (MvRegister::new(), MvRegister::new());
    /// a.set(dot(1, 5), "tea")?;
    /// b.set(dot(2, 9), "ale")?;
    /// assert_eq!(a.joined(&b).values(), [&"ale", &"tea"]); // neither saw the other
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn values(&self) -> Vec<&V> {
        let mut values: Vec<_> = self.iter().map(|(_, value)| value).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The value of the latest write among them: the register read as one in which the last writer
    /// wins.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, MvRegister};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (MvRegister::new(), MvRegister::new());
    /// a.set(dot(1, 7), "a")?;
    /// b.set(dot(2, 9), "b")?;
    /// a.join(&b);
    /// assert_eq!((a.values().len(), a.latest()), (2, Some(&"b")));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn latest(&self) -> Option<&V> {
        self.iter().next_back().map(|(_, value)| value)
    }

    /// The writes, in time order; equal values of two writers are two writes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, MvRegister};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (MvRegister::new(), MvRegister::new());
    /// a.set(dot(1, 5), "tea")?;
    /// b.set(dot(2, 9), "tea")?;
    /// let both = a.joined(&b);
    /// assert!(both.iter().eq([(dot(1, 5), &"tea"), (dot(2, 9), &"tea")]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Dot, &V)> + ExactSizeIterator {
        self.0.store().iter()
    }

    /// What the register has taken in.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, MvRegister};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut register = MvRegister::new();
    /// register.set(dot(1), "a")?;
    /// register.set(dot(2), "b")?;
    /// assert!(register.context().contains(dot(1)) && register.iter().len() == 1);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn context(&self) -> &CausalContext {
        self.0.context()
    }
}

crate::nested::causal_wrapper!([V: Clone + Ord] MvRegister<V>: DotFun<V>, b"mvrg");

impl<V: Clone + Ord> Lattice for MvRegister<V> {
    fn join(&mut self, other: &Self) {
        // Equal contexts mean equal states unless a dot was used twice; then the greater value is
        // taken by hand, so that copies agree even so.
        let mine = self.conflict(other).map(|_| self.0.store().clone());
        self.0.join(&other.0);
        if let Some(mine) = mine {
            self.0.store_mut().settle(&mine);
            self.0.store_mut().settle(other.0.store());
        }
    }

    fn compare(&self, other: &Self) -> Causality {
        self.0.compare(&other.0)
    }
}

impl<V: Clone + Ord> Replicated for MvRegister<V> {
    type Delta = MvRegisterDelta<V>;

    fn frontier(&self) -> VectorClock {
        self.context().frontier()
    }

    fn delta_frontier(delta: &Self::Delta) -> VectorClock {
        delta.frontier()
    }

    fn apply(&mut self, delta: &Self::Delta) -> Result<Changed, Gap> {
        self.0.apply(delta)
    }

    fn conflict(&self, other: &Self) -> Option<Conflict> {
        let differ = |&(dot, value): &(Dot, &V)| {
            other.0.store().get(dot).is_some_and(|theirs| theirs != value)
        };
        self.iter().find(differ).map(|(dot, _)| Conflict::new(dot))
    }
}
