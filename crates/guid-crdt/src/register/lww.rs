//! [`LwwRegister`]: the last writer wins.
//!
//! **Meaning:** the value is that of the visible write with the greatest dot, in time order.
//!
//! "Last" is decided by logical time, not by the wall: a replica stamps a write after everything it
//! has seen, so a write that overwrites what its author saw always wins, whatever the clocks. Only
//! between concurrent writes do clocks, and then node IDs, decide.
//!
//! # Invariants
//!
//! The state is a dot and a value, ordered by the dot, and by the value between equal dots. That
//! order is total: `compare` never says concurrent, and there is no tie for luck to break.
//!
//! **Growth:** one value and its dot. **Complexity:** constant. Deltas need no order.
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "A comprehensive study of Convergent and Commutative
//! Replicated Data Types", 2011, specification 8.

use crate::{
    Causality, Changed, Conflict, Dot, Gap, Lattice, MutateError, Replicated, VectorClock,
};

/// A register that keeps the write with the greatest dot.
///
/// Its delta is itself, of constant size; there are no tombstones.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, LwwRegister};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (LwwRegister::new(), LwwRegister::new());
/// a.set(dot(9, 1000)?, "old")?;
/// b.set(dot(3, 1060)?, "new")?; // the smaller node, the later time
/// a.join(&b);
/// assert_eq!(a.get(), Some(&"new"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "last-writer-wins")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct LwwRegister<V> {
    write: Option<(Dot, V)>,
}

impl<V> Default for LwwRegister<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> LwwRegister<V> {
    /// Returns the register that was never written.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::LwwRegister;
    ///
    /// assert_eq!(LwwRegister::<u8>::new().get(), None);
    /// ```
    pub const fn new() -> Self {
        Self { write: None }
    }

    /// Returns the register that holds one write: what importers join.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, LwwRegister};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let (old, new) = (LwwRegister::written(dot(1), "a"), LwwRegister::written(dot(2), "b"));
    /// assert_eq!(new.joined(&old).get(), Some(&"b"));
    /// ```
    pub const fn written(dot: Dot, value: V) -> Self {
        Self { write: Some((dot, value)) }
    }

    /// The value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, LwwRegister};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (LwwRegister::new(), LwwRegister::new());
    /// a.set(dot(1, 5), "a")?;
    /// b.set(dot(2, 9), "b")?;
    /// assert_eq!(a.joined(&b).get(), Some(&"b"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn get(&self) -> Option<&V> {
        self.write.as_ref().map(|(_, value)| value)
    }

    /// The dot of the write that holds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, LwwRegister};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (LwwRegister::new(), LwwRegister::new());
    /// a.set(dot(1, 5), "a")?;
    /// b.set(dot(2, 9), "b")?;
    /// assert_eq!(a.joined(&b).dot(), Some(dot(2, 9)));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn dot(&self) -> Option<Dot> {
        self.write.as_ref().map(|&(dot, _)| dot)
    }
}

impl<V: Clone + Ord> LwwRegister<V> {
    /// Writes a value and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after that of the value it would overwrite, so the write would be lost; the
    /// register is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Stamp};
    /// use guid_crdt::{Dot, LwwRegister};
    ///
    /// let dot =
    ///     |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
    /// let mut register = LwwRegister::new();
    /// register.set(dot(1, 10)?, "blue")?;
    /// assert!(register.set(dot(2, 9)?, "red").is_err()); // would lose, and says so
    /// assert_eq!(register.get(), Some(&"blue"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set(&mut self, dot: Dot, value: V) -> Result<Self, MutateError> {
        match self.dot() {
            Some(known) if dot <= known => Err(MutateError::Stale { dot, known }),
            _ => {
                self.write = Some((dot, value));
                Ok(self.clone())
            }
        }
    }
}

impl<V: Clone + Ord> Lattice for LwwRegister<V> {
    fn join(&mut self, other: &Self) {
        if self.write < other.write {
            self.write.clone_from(&other.write);
        }
    }

    fn compare(&self, other: &Self) -> Causality {
        self.write.cmp(&other.write).into()
    }
}

impl<V: Clone + Ord> Replicated for LwwRegister<V> {
    type Delta = Self;

    fn frontier(&self) -> VectorClock {
        self.dot().into_iter().collect()
    }

    fn delta_frontier(delta: &Self) -> VectorClock {
        delta.frontier()
    }

    fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
        let changed = if self.write < delta.write { Changed::Yes } else { Changed::No };
        self.join(delta);
        Ok(changed)
    }

    fn conflict(&self, other: &Self) -> Option<Conflict> {
        let ((dot, mine), (other_dot, theirs)) = (self.write.as_ref()?, other.write.as_ref()?);
        (dot == other_dot && mine != theirs).then(|| Conflict::new(*dot))
    }
}

crate::version::state_is_version!([V: Clone + Ord] LwwRegister<V>);
