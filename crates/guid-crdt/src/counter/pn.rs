//! [`PnCounter`]: counts up and down.
//!
//! **Meaning:** the value is the sum of the visible additions, which may be negative.
//!
//! **Growth:** a row a node that ever counted. **Complexity:** reading and joining are linear in
//! the nodes; an addition is logarithmic.
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "A comprehensive study of Convergent and Commutative
//! Replicated Data Types", 2011, specification 7: there with two totals a node, as theirs have no
//! stamp.

use super::tally::{Tally, tally_type};
use crate::{Dot, MutateError};

/// A counter that goes up and down.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, PnCounter};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (PnCounter::new(), PnCounter::new());
/// a.add(dot(1, 10)?, 4)?;
/// a.add(dot(1, 20)?, -1)?;
/// b.add(dot(2, 10)?, -1)?;
/// assert_eq!(a.joined(&b).value(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "positive-negative counter")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PnCounter(Tally<i64>);

impl PnCounter {
    /// Adds to the counter, a negative amount too, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node, or the total of the node would not fit in 64
    /// bits; the counter is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, PnCounter};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut votes = PnCounter::new();
    /// votes.add(dot(1), 2)?;
    /// votes.add(dot(2), -5)?;
    /// assert_eq!(votes.value(), -3);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "inc")]
    #[doc(alias = "dec")]
    pub fn add(&mut self, dot: Dot, amount: i64) -> Result<Self, MutateError> {
        let add = |total: Option<&i64>| {
            total.copied().unwrap_or(0).checked_add(amount).ok_or(MutateError::Overflow)
        };
        self.0.write(dot, add).map(Self)
    }

    /// The sum. 2³² nodes of 64 bits each fit.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, Lattice, PnCounter};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (PnCounter::new(), PnCounter::new());
    /// a.add(dot(1, 5), 2)?;
    /// b.add(dot(2, 5), -3)?;
    /// assert_eq!(a.joined(&b).value(), -1);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn value(&self) -> i128 {
        self.0.iter().map(|(_, &total)| i128::from(total)).sum()
    }
}

tally_type!(PnCounter: i64, b"pctr");
