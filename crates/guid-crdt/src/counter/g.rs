//! [`GCounter`]: counts up.
//!
//! **Meaning:** the value is the sum of the visible additions.
//!
//! **Growth:** a row a node that ever counted. **Complexity:** reading and joining are linear in
//! the nodes; an addition is logarithmic.
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "A comprehensive study of Convergent and Commutative
//! Replicated Data Types", 2011, specification 6.

use super::tally::{Tally, tally_type};
use crate::{Dot, MutateError};

/// A counter that only grows.
///
/// Its delta is the row of its writer, of constant size: it may be lost, doubled and late.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, GCounter, Lattice};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let (mut a, mut b) = (GCounter::new(), GCounter::new());
/// a.add(dot(1, 10)?, 2)?;
/// let delta = a.add(dot(1, 20)?, 3)?;
/// b.add(dot(2, 10)?, 1)?;
/// b.join(&delta); // makes up for the first, which never came
/// b.join(&delta);
/// assert_eq!(b.value(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "grow-only counter")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GCounter(Tally<u64>);

impl GCounter {
    /// Adds to the counter and returns the delta.
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
    /// # use guid_crdt::{Dot, GCounter};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut visits = GCounter::new();
    /// visits.add(dot(1), 2)?;
    /// visits.add(dot(2), 3)?;
    /// assert_eq!(visits.value(), 5);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "inc")]
    pub fn add(&mut self, dot: Dot, amount: u64) -> Result<Self, MutateError> {
        let add = |total: Option<&u64>| {
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
    /// # use guid_crdt::{Dot, GCounter, Lattice};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (GCounter::new(), GCounter::new());
    /// a.add(dot(1, 5), 2)?;
    /// b.add(dot(2, 5), 3)?;
    /// assert_eq!(a.joined(&b).value(), 5);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn value(&self) -> u128 {
        self.0.iter().map(|(_, &total)| u128::from(total)).sum()
    }
}

tally_type!(GCounter: u64, b"gctr");
