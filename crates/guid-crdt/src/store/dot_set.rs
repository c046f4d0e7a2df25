//! [`DotSet`]: that something is there, and which writes say so.
//!
//! Nearly always one write says so, hence one dot is held in place, without an allocation.
//!
//! # Invariants
//!
//! Dots are sorted and distinct; `Many` holds two or more, so that equal sets are equal values.

use std::sync::Arc;

use super::DotStore;
use crate::{CausalContext, Dot};

/// A set of dots.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Dot, DotSet};
///
/// let [a, b] = [1, 2].map(|node| Dot::new(NodeId::new(node), Stamp::MIN));
/// let dots = DotSet::from_iter([b, a, b]);
/// assert_eq!(dots.as_slice(), [a, b]);
/// assert!(dots.contains(a));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DotSet(Repr);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum Repr {
    #[default]
    None,
    One(Dot),
    Many(Arc<Box<[Dot]>>), // a thin pointer: the whole is 16 bytes
}

const _: () = assert!(size_of::<DotSet>() == 16);

impl DotSet {
    /// Returns the empty set.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::DotSet;
    ///
    /// assert!(DotSet::new().is_empty());
    /// ```
    pub const fn new() -> Self {
        Self(Repr::None)
    }

    /// Returns the set of one dot.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert!(DotSet::one(dot(1)).contains(dot(1)));
    /// ```
    pub const fn one(dot: Dot) -> Self {
        Self(Repr::One(dot))
    }

    /// The dots, in time order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let dots = DotSet::from_iter([dot(2), dot(1), dot(2)]);
    /// assert_eq!(dots.as_slice(), [dot(1), dot(2)]);
    /// ```
    pub fn as_slice(&self) -> &[Dot] {
        match &self.0 {
            Repr::None => &[],
            Repr::One(dot) => core::slice::from_ref(dot),
            Repr::Many(dots) => dots,
        }
    }

    /// Whether a dot is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let dots = DotSet::from_iter([dot(2), dot(1), dot(2)]);
    /// assert!(dots.contains(dot(1)) && !dots.contains(dot(3)));
    /// ```
    pub fn contains(&self, dot: Dot) -> bool {
        self.as_slice().binary_search(&dot).is_ok()
    }

    /// The dots, in time order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let dots = DotSet::from_iter([dot(2), dot(1), dot(2)]);
    /// assert!(dots.iter().eq([dot(1), dot(2)]));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Dot> + '_ {
        self.as_slice().iter().copied()
    }

    /// How many there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let dots = DotSet::from_iter([dot(2), dot(1), dot(2)]);
    /// assert_eq!(dots.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Dot, DotSet};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// assert!(DotSet::new().is_empty() && !DotSet::one(dot(1)).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }
}

impl DotStore for DotSet {
    type Gone = Self;

    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    fn for_each_dot(&self, f: &mut dyn FnMut(Dot)) {
        self.iter().for_each(f);
    }

    fn join(&mut self, context: &CausalContext, other: &Self, other_context: &CausalContext) {
        if self == other {
            return;
        }
        let kept = self.iter().filter(|&dot| other.contains(dot) || !other_context.contains(dot));
        let new = other.iter().filter(|&dot| !context.contains(dot));
        *self = kept.chain(new).collect();
    }

    fn apply(&mut self, context: &CausalContext, added: &Self, gone: &Self) {
        let kept = self.iter().filter(|&dot| !gone.contains(dot));
        let new = added.iter().filter(|&dot| !context.contains(dot));
        *self = kept.chain(new).collect();
    }

    fn changes_from(&self, before: &Self) -> (Self, Self) {
        let added = self.iter().filter(|&dot| !before.contains(dot)).collect();
        (added, before.iter().filter(|&dot| !self.contains(dot)).collect())
    }

    fn paths(&self) -> Self {
        self.clone()
    }
}

impl FromIterator<Dot> for DotSet {
    fn from_iter<I: IntoIterator<Item = Dot>>(iter: I) -> Self {
        let mut dots = iter.into_iter();
        let Some(first) = dots.next() else { return Self::new() };
        let Some(second) = dots.next() else { return Self::one(first) };
        let mut all: Vec<Dot> = [first, second].into_iter().chain(dots).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() == 1 { Self::one(first) } else { Self(Repr::Many(Arc::new(all.into()))) }
    }
}
