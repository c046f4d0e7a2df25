//! [`EwFlag`]: enable wins.
//!
//! **Meaning:** the flag is on exactly if some visible enable was seen by no visible disable.
//!
//! **Growth:** a dot for each concurrent enable; nothing when off. **Complexity:** linear in those.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.4: `EWFlag`.

use crate::{Causal, Delta, Dot, DotSet, DotStore, MutateError, nested::causal_type};

/// A flag that is off at first, in which a concurrent enable wins over a disable.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, EwFlag, Lattice};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = EwFlag::new();
/// a.enable(dot(1, 10)?)?;
/// let mut b = a.clone();
/// a.disable(dot(1, 20)?)?;
/// b.enable(dot(2, 20)?)?; // not seen by the disable
/// assert!(a.joined(&b).is_on());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EwFlag(pub(crate) Causal<DotSet>);

causal_type!([] EwFlag: DotSet, b"ewfl");

impl EwFlag {
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
    /// # use guid_crdt::{Dot, EwFlag};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = EwFlag::new();
    /// flag.enable(dot(1))?;
    /// assert!(flag.is_on());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn enable(&mut self, dot: Dot) -> Result<Delta<DotSet>, MutateError> {
        let seen = self.0.store().paths();
        self.0.mutate(dot, DotSet::one(dot), seen)
    }

    /// Turns it off, as far as it was seen on here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the flag is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, EwFlag};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let mut a = EwFlag::new();
    /// a.enable(dot(1, 1))?;
    /// let mut b = a.clone();
    /// a.disable(dot(1, 2))?;
    /// b.enable(dot(2, 2))?; // neither saw the other
    /// assert!(a.joined(&b).is_on());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn disable(&mut self, dot: Dot) -> Result<Delta<DotSet>, MutateError> {
        let seen = self.0.store().paths();
        self.0.mutate(dot, DotSet::new(), seen)
    }

    /// Whether it is on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, EwFlag};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut flag = EwFlag::new();
    /// assert!(!flag.is_on());
    /// flag.enable(dot(1))?;
    /// assert!(flag.is_on());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_on(&self) -> bool {
        !self.0.store().is_empty()
    }
}
