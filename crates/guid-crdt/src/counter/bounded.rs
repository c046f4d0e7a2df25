//! [`BoundedCounter`]: a counter that never goes below zero, with nobody to ask.
//!
//! **Meaning:** the value is what was added less what was taken, over the visible events; each node
//! takes only what it has the rights to, so no state ever shows less than zero.
//!
//! An addition gives its node as many rights; taking spends rights; rights can be handed to another
//! node. Two nodes cannot spend one right, so two that take at once cannot take too much together.
//! The price: a node can be refused though the counter as a whole would allow it. Then it asks
//! another for rights.
//!
//! **Growth:** a row per node that ever counted, and in it an entry per node it gave rights to.
//! **Complexity:** reading and joining are linear in the rows.
//!
//! # Invariants
//!
//! A row only grows, and holds the rights it gives away, so that a right is never in two rows.
//!
//! # References
//!
//! Balegas et al., "Extending Eventually Consistent Cloud Databases for Enforcing Numeric
//! Invariants", 2015, section 4.

use std::collections::BTreeMap;

use guid_core::NodeId;

use super::tally::{Tally, tally_type};
use crate::{Dot, MutateError};

/// What one node did: added, taken, and given to others.
type Row = (u64, u64, BTreeMap<NodeId, u64>);

/// A counter that refuses to go below zero.
///
/// Its delta is the whole counter: a row alone could show what was taken without the rights that
/// were spent.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{BoundedCounter, Dot, Lattice, MutateError};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let [one, two] = [NodeId::new(1), NodeId::new(2)];
/// let (mut a, mut b) = (BoundedCounter::new(), BoundedCounter::new());
/// a.add(dot(1, 10)?, 10)?; // ten seats
/// b.join(&a);
/// assert_eq!(b.take(dot(2, 20)?, 1), Err(MutateError::Rights { held: 0, needed: 1 }));
///
/// a.transfer(dot(1, 20)?, two, 4)?;
/// b.join(&a);
/// b.take(dot(2, 30)?, 3)?;
/// a.take(dot(1, 30)?, 6)?; // at the same time
/// a.join(&b);
/// assert_eq!((a.value(), a.rights_of(one), a.rights_of(two)), (1, 0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "escrow")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundedCounter(Tally<Row>);

impl BoundedCounter {
    /// Adds to the counter, gives the dot's node as many rights, and returns the delta.
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
    /// # use guid_crdt::{BoundedCounter, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut stock = BoundedCounter::new();
    /// stock.add(dot(1), 10)?;
    /// assert_eq!((stock.value(), stock.rights_of(NodeId::new(1))), (10, 10));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn add(&mut self, dot: Dot, amount: u64) -> Result<Self, MutateError> {
        self.change(dot, 0, |(added, _, _)| grow(added, amount))
    }

    /// Takes from the counter, spending rights of the dot's node, and returns the delta.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), or the node holds [fewer rights](MutateError::Rights).
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{BoundedCounter, Dot, MutateError};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut stock = BoundedCounter::new();
    /// stock.add(dot(1), 10)?;
    /// stock.take(dot(2), 7)?;
    /// let refused = MutateError::Rights { held: 3, needed: 4 };
    /// assert_eq!(stock.take(dot(3), 4), Err(refused)); // never below zero
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn take(&mut self, dot: Dot, amount: u64) -> Result<Self, MutateError> {
        self.change(dot, amount, |(_, taken, _)| grow(taken, amount))
    }

    /// Hands rights of the dot's node to another, and returns the delta.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{BoundedCounter, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut stock = BoundedCounter::new();
    /// stock.add(dot(1), 10)?;
    /// stock.transfer(dot(2), NodeId::new(2), 4)?; // node 2 may take 4
    /// assert_eq!(stock.rights_of(NodeId::new(1)), 6);
    /// assert_eq!((stock.rights_of(NodeId::new(2)), stock.value()), (4, 10));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn transfer(&mut self, dot: Dot, to: NodeId, amount: u64) -> Result<Self, MutateError> {
        self.change(dot, amount, |(_, _, given)| grow(given.entry(to).or_default(), amount))
    }

    fn change(
        &mut self,
        dot: Dot,
        needed: u64,
        change: impl FnOnce(&mut Row) -> Result<(), MutateError>,
    ) -> Result<Self, MutateError> {
        let held = self.rights_of(dot.node());
        self.0.write(dot, |row| {
            if held < needed {
                return Err(MutateError::Rights { held, needed });
            }
            let mut row = row.cloned().unwrap_or_default();
            change(&mut row)?;
            Ok(row)
        })?;
        Ok(self.clone())
    }

    /// How much is left.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{BoundedCounter, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut stock = BoundedCounter::new();
    /// stock.add(dot(1), 10)?;
    /// stock.take(dot(2), 3)?;
    /// assert_eq!(stock.value(), 7);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn value(&self) -> u128 {
        let rows = || self.0.iter().map(|(_, row)| row);
        let added: u128 = rows().map(|row| u128::from(row.0)).sum();
        // Honest rows never take more than was added; others shall not make it overflow.
        added.saturating_sub(rows().map(|row| u128::from(row.1)).sum())
    }

    /// How much a node may take or hand on, as far as is known here.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{BoundedCounter, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut stock = BoundedCounter::new();
    /// stock.add(dot(1), 10)?;
    /// assert_eq!([1, 2].map(|node| stock.rights_of(NodeId::new(node))), [10, 0]);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn rights_of(&self, node: NodeId) -> u64 {
        let received = self.0.iter().filter_map(|(_, (_, _, given))| given.get(&node));
        let mut rights: u128 = received.map(|&amount| u128::from(amount)).sum();
        if let Some((added, taken, given)) = self.0.get(node) {
            rights += u128::from(*added);
            let spent = given.values().map(|&amount| u128::from(amount)).sum::<u128>();
            rights = rights.saturating_sub(spent + u128::from(*taken));
        }
        u64::try_from(rights).unwrap_or(u64::MAX)
    }
}

fn grow(total: &mut u64, amount: u64) -> Result<(), MutateError> {
    *total = total.checked_add(amount).ok_or(MutateError::Overflow)?;
    Ok(())
}

tally_type!(BoundedCounter: Row, b"bctr");
