//! [`LwwSet`]: each element is in or out by its last write.
//!
//! **Meaning:** x is in the set exactly if, of the visible adds and removes of x, the one with the
//! greatest stamp is an add; between equal stamps the bias decides, then the node.
//!
//! **Growth:** an entry for each element ever written, removed or not. **Complexity:** logarithmic
//! in those; [`len`](LwwSet::len) and iteration are linear in them. Deltas need no order.
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "A comprehensive study of Convergent and Commutative
//! Replicated Data Types", 2011, section 3.3.3: LWW-element-Set.

use core::{borrow::Borrow, cmp::Ordering, fmt::Debug};

use crate::{
    Dot, MutateError,
    pointwise::{Latest, Rule, latest_type},
};

/// What an [`LwwSet`] does where an add and a remove have the same stamp.
pub trait Bias: Copy + Debug + Eq + sealed::Sealed {
    /// Whether the add stays.
    const ADD: bool;
}

mod sealed {
    #[expect(unnameable_types, reason = "that is what seals the trait")]
    pub trait Sealed {}
    impl Sealed for super::AddBias {}
    impl Sealed for super::RemoveBias {}
}

/// Of an add and a remove at one stamp the add stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddBias;

/// Of an add and a remove at one stamp the remove stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoveBias;

impl Bias for AddBias {
    const ADD: bool = true;
}

impl Bias for RemoveBias {
    const ADD: bool = false;
}

impl<B: Bias> Rule<bool> for B {
    fn order((a, a_in): (Dot, &bool), (b, b_in): (Dot, &bool)) -> Ordering {
        let rank = |dot: Dot, is_in: bool| (dot.stamp(), is_in == B::ADD, dot.node());
        rank(a, *a_in).cmp(&rank(b, *b_in))
    }
}

/// A set in which the later of an add and a remove stands.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, Lattice, LwwSet};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = LwwSet::<&str>::new();
/// a.insert(dot(1, 10)?, "x")?;
/// let mut b = a.clone();
/// b.insert(dot(2, 20)?, "x")?;
/// a.remove(dot(1, 30)?, "x")?; // concurrent, and later
/// assert!(!a.joined(&b).contains("x"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "LWW-element-Set")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LwwSet<V: Ord + Clone, B: Bias = AddBias>(Latest<V, bool, B>);

latest_type!([V: Ord + Clone, B: Bias] LwwSet<V, B>: V, bool, b"lwws");

impl<V: Ord + Clone, B: Bias> LwwSet<V, B> {
    /// Returns the set of one write, an add or not: what importers join.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet, Member};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let set = LwwSet::<&str>::written(dot(1), "x", Member::In);
    /// assert!(set.contains("x"));
    /// ```
    pub fn written(dot: Dot, value: V, is_in: Member) -> Self {
        Self(Latest::written(dot, value, is_in == Member::In))
    }

    /// Adds an element and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node, or the add would lose against the last write
    /// of the element; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = LwwSet::<&str>::new();
    /// set.insert(dot(5), "x")?;
    /// assert!(set.insert(dot(4), "x").is_err()); // it would be lost
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "add")]
    pub fn insert(&mut self, dot: Dot, value: V) -> Result<Self, MutateError> {
        self.0.write(dot, value, true).map(Self)
    }

    /// Removes an element, whether it is there or not, and returns the delta.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = LwwSet::<&str>::new();
    /// set.insert(dot(1), "x")?;
    /// set.remove(dot(2), "x")?;
    /// assert!(set.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn remove(&mut self, dot: Dot, value: V) -> Result<Self, MutateError> {
        self.0.write(dot, value, false).map(Self)
    }

    /// Whether an element is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = LwwSet::<&str>::new();
    /// set.insert(dot(1), "tea")?;
    /// assert!(set.contains("tea") && !set.contains("ale"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn contains<Q>(&self, value: &Q) -> bool
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.get(value).is_some_and(|write| write.value)
    }

    /// The elements, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = LwwSet::<&str>::new();
    /// set.insert(dot(1), "tea")?;
    /// set.insert(dot(2), "ale")?;
    /// assert!(set.iter().eq(&["ale", "tea"]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.iter().filter(|(_, write)| write.value).map(|(value, _)| value)
    }

    /// How many elements there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = LwwSet::<&str>::new();
    /// set.insert(dot(1), "tea")?;
    /// set.insert(dot(2), "ale")?;
    /// set.remove(dot(3), "ale")?;
    /// assert_eq!(set.len(), 1);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, LwwSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut set = LwwSet::<&str>::new();
    /// assert!(set.is_empty());
    /// set.insert(dot(1), "tea")?;
    /// assert!(!set.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

/// Whether a write adds its element or removes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a named yes or no")]
pub enum Member {
    /// It adds it.
    In,
    /// It removes it.
    Out,
}
