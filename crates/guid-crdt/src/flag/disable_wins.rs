//! [`DwFlag`]: disable wins.
//!
//! **Meaning:** the flag is on exactly if it was enabled, and every visible disable was seen by a
//! visible enable.
//!
//! Both kinds of write are kept under their dots, each in place of all that it has seen: what stays
//! is what was written last, by several at once perhaps. It is on if they all say so.
//!
//! **Growth:** a dot for each concurrent write, at least one once written. **Complexity:** linear
//! in those.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.4: `DWFlag`,
//! there with the disables alone, and on at first.

use crate::{Causal, Delta, Dot, DotFun, DotStore, MutateError, nested::causal_type};

/// A flag that is off at first, in which a concurrent disable wins over an enable.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, DwFlag, Lattice};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = DwFlag::new();
/// a.enable(dot(1, 10)?)?;
/// let mut b = a.clone();
/// a.disable(dot(1, 20)?)?;
/// b.enable(dot(2, 20)?)?; // has not seen the disable
/// assert!(b.is_on() && !a.joined(&b).is_on());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DwFlag(pub(crate) Causal<DotFun<bool>>);

causal_type!([] DwFlag: DotFun<bool>, b"dwfl");

impl DwFlag {
    /// Turns it on and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the flag is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DwFlag};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = DwFlag::new();
    /// flag.enable(dot(1))?;
    /// assert!(flag.is_on());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn enable(&mut self, dot: Dot) -> Result<Delta<DotFun<bool>>, MutateError> {
        self.write(dot, true)
    }

    /// Turns it off and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the flag is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, DwFlag};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let mut a = DwFlag::new();
    /// a.enable(dot(1, 1))?;
    /// let mut b = a.clone();
    /// a.disable(dot(1, 2))?;
    /// b.enable(dot(2, 2))?; // neither saw the other
    /// assert!(!a.joined(&b).is_on());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn disable(&mut self, dot: Dot) -> Result<Delta<DotFun<bool>>, MutateError> {
        self.write(dot, false)
    }

    fn write(&mut self, dot: Dot, on: bool) -> Result<Delta<DotFun<bool>>, MutateError> {
        let seen = self.0.store().paths();
        self.0.mutate(dot, DotFun::one(dot, on), seen)
    }

    /// Whether it is on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DwFlag};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = DwFlag::new();
    /// assert!(!flag.is_on());
    /// flag.enable(dot(1))?;
    /// assert!(flag.is_on());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_on(&self) -> bool {
        all_on(self.0.store())
    }
}

/// Whether there are writes, and all of them enable.
pub(crate) fn all_on(writes: &DotFun<bool>) -> bool {
    !writes.is_empty() && writes.iter().all(|(_, &on)| on)
}
