//! [`ResettableCounter`]: a counter that can be set back, and lives inside maps.
//!
//! **Meaning:** the value is the sum of the visible additions that no visible reset has seen.
//!
//! An addition that a reset has not seen counts, also if its author had added before and *that* was
//! reset. So additions stay apart, each under its own dot: were they folded into one total, a reset
//! that saw half of the total could not take it away.
//!
//! **Growth:** an entry for each addition since the last reset; nothing stays of what was reset.
//! For a count that is never reset, take [`PnCounter`](crate::PnCounter). **Complexity:** reading,
//! adding and joining are linear in the entries.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.4: causal types;
//! theirs folds, and keeps what a reset missed a part of. Younes, Almeida, Baquero, "Compact
//! Resettable Counters through Causal Stability", 2017.

use crate::{Causal, Delta, Dot, DotFun, DotStore, MutateError, nested::causal_type};

/// A counter that can be reset to zero.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, ResettableCounter};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (ResettableCounter::new(), ResettableCounter::new());
/// a.add(dot(1, 10)?, 2)?;
/// b.join(&a);
/// b.reset(dot(2, 20)?)?; // has seen the 2 …
/// a.add(dot(1, 15)?, 3)?; // … and not the 3
/// assert_eq!(a.joined(&b).value(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResettableCounter(pub(crate) Causal<DotFun<i64>>);

causal_type!([] ResettableCounter: DotFun<i64>, b"rctr");

impl ResettableCounter {
    /// Adds to the counter, a negative amount too, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the counter is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, ResettableCounter};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut unread = ResettableCounter::new();
    /// unread.add(dot(1), 2)?;
    /// unread.add(dot(2), 3)?;
    /// assert_eq!(unread.value(), 5);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn add(&mut self, dot: Dot, amount: i64) -> Result<Delta<DotFun<i64>>, MutateError> {
        self.0.mutate(dot, DotFun::one(dot, amount), DotFun::<i64>::new().paths())
    }

    /// Takes away every addition that was seen here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the counter is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, ResettableCounter};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (ResettableCounter::new(), ResettableCounter::new());
    /// a.add(dot(1, 1), 2)?;
    /// b.add(dot(2, 1), 3)?;
    /// a.reset(dot(1, 2))?; // has not seen the 3
    /// assert_eq!(a.joined(&b).value(), 3);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn reset(&mut self, dot: Dot) -> Result<Delta<DotFun<i64>>, MutateError> {
        let seen = self.0.store().paths();
        self.0.mutate(dot, DotFun::new(), seen)
    }

    /// The sum.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, ResettableCounter};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut unread = ResettableCounter::new();
    /// unread.add(dot(1), 2)?;
    /// unread.reset(dot(2))?;
    /// assert_eq!(unread.value(), 0);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn value(&self) -> i128 {
        sum(self.0.store())
    }
}

/// The sum of the entries; memory ends before 2⁶⁴ of them overflow it.
pub(crate) fn sum(entries: &DotFun<i64>) -> i128 {
    entries.iter().map(|(_, &amount)| i128::from(amount)).sum()
}
