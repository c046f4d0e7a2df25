//! [`FwwRegister`]: the first writer wins.
//!
//! **Meaning:** the value is that of the visible write with the least dot, in time order.
//!
//! A write stamped after everything its author saw can only win over concurrent ones; over one it
//! has seen it would lose, and is refused. So a value is settled once everybody has seen it.
//!
//! **Growth:** none. **Complexity:** constant.
//!
//! # References
//!
//! The mirror image of the last-writer-wins register: Shapiro, Preguica, Baquero, Zawirski, "A
//! comprehensive study of Convergent and Commutative Replicated Data Types", 2011, specification 8.

use core::cmp::Reverse;

use super::LwwRegister;
use crate::{
    Causality, Changed, Conflict, Dot, Gap, Lattice, MutateError, Replicated, VectorClock,
    replicated::join_as_delta,
};

/// A register that keeps the write with the least dot: who claims a name first, has it.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, FwwRegister, Lattice};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (FwwRegister::new(), FwwRegister::new());
/// a.set(dot(1, 20)?, "ann")?;
/// b.set(dot(2, 10)?, "bob")?;
/// a.join(&b);
/// assert_eq!(a.get(), Some(&"bob"));
/// assert!(a.set(dot(1, 30)?, "eve").is_err()); // taken
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "first-writer-wins")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct FwwRegister<V>(LwwRegister<V>);

impl<V> Default for FwwRegister<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> FwwRegister<V> {
    /// Returns the register that was never written.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::FwwRegister;
    ///
    /// assert_eq!(FwwRegister::<u8>::new().get(), None);
    /// ```
    pub const fn new() -> Self {
        Self(LwwRegister::new())
    }

    /// The value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, FwwRegister, Lattice};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (FwwRegister::new(), FwwRegister::new());
    /// a.set(dot(1, 5), "a")?;
    /// b.set(dot(2, 9), "b")?;
    /// assert_eq!(a.joined(&b).get(), Some(&"a"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn get(&self) -> Option<&V> {
        self.0.get()
    }

    /// The dot of the write that holds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, FwwRegister, Lattice};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (FwwRegister::new(), FwwRegister::new());
    /// a.set(dot(1, 5), "a")?;
    /// b.set(dot(2, 9), "b")?;
    /// assert_eq!(a.joined(&b).dot(), Some(dot(1, 5)));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn dot(&self) -> Option<Dot> {
        self.0.dot()
    }

    /// The order of the states: unwritten first, then the latest write, and so on to the earliest.
    fn rank(&self) -> Option<Reverse<(Dot, &V)>> {
        Some(Reverse((self.dot()?, self.get()?)))
    }
}

impl<V: Clone + Ord> FwwRegister<V> {
    /// Writes a value and returns the delta.
    ///
    /// # Errors
    ///
    /// There is an [earlier write](MutateError::Taken), so this one would be lost; the register is
    /// unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, FwwRegister, MutateError};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut owner = FwwRegister::new();
    /// owner.set(dot(1), "ann")?;
    /// assert_eq!(owner.set(dot(2), "bob"), Err(MutateError::Taken { dot: dot(1) }));
    /// assert_eq!(owner.get(), Some(&"ann"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn set(&mut self, dot: Dot, value: V) -> Result<Self, MutateError> {
        match self.dot() {
            Some(known) if known <= dot => Err(MutateError::Taken { dot: known }),
            _ => {
                self.0 = LwwRegister::written(dot, value);
                Ok(self.clone())
            }
        }
    }
}

impl<V: Clone + Ord> Lattice for FwwRegister<V> {
    fn join(&mut self, other: &Self) {
        if self.rank() < other.rank() {
            self.0.clone_from(&other.0);
        }
    }

    fn compare(&self, other: &Self) -> Causality {
        self.rank().cmp(&other.rank()).into()
    }
}

impl<V: Clone + Ord> Replicated for FwwRegister<V> {
    type Delta = Self;

    fn frontier(&self) -> VectorClock {
        self.0.frontier()
    }

    fn delta_frontier(delta: &Self) -> VectorClock {
        delta.frontier()
    }

    fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
        Ok(join_as_delta(self, delta))
    }

    fn conflict(&self, other: &Self) -> Option<Conflict> {
        self.0.conflict(&other.0)
    }
}

crate::version::state_is_version!([V: Clone + Ord] FwwRegister<V>);

#[cfg(feature = "wire")]
impl<V> crate::wire::Wire for FwwRegister<V>
where
    V: Clone + Ord + serde::Serialize + serde::de::DeserializeOwned,
{
    const TAG: [u8; 4] = *b"fwwr";

    fn write(&self, out: &mut crate::wire::Encoder) -> Result<(), crate::wire::WireError> {
        self.0.write(out)
    }

    fn read(input: &mut crate::wire::Decoder<'_>) -> Result<Self, crate::wire::WireError> {
        LwwRegister::read(input).map(Self)
    }
}
