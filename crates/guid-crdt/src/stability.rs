//! [`Stability`]: what everybody has seen.
//!
//! # The idea
//!
//! An event is *stable* once every member has taken it in: nobody will write anything concurrent to
//! it any more. What all contexts have in common is stable, hence their
//! [meet](CausalContext::meet). One member that is silent holds stability back for ever; so who is
//! a member is said aloud, and a member that will not come back is [retired](Stability::retire).
//!
//! # What may be forgotten
//!
//! | type | keeps of what is removed | once that is stable |
//! |---|---|---|
//! | causal types: `OrSet`, `OrMap`, `Doc`, `MvRegister`, `EwFlag`, … | nothing | nothing to forget |
//! | `RwSet` | the dots of the last removes of each element | [`forget`](crate::RwSet::forget) |
//! | `DwFlag` | the dots of the last disables, at most one a node | nothing to forget |
//! | `LwwMap`, `LwwSet`, `TwoPhaseSet` | an entry a key | start a new map from what is there |
//! | `ResettableCounter` | each addition since the last reset | `reset` it, and add what it showed |
//! | other counters | a row a node | a retired node's row stays: it is part of the sum |
//! | every context | a span a node | the spans of retired nodes stay |
//!
//! (`tests/growth.rs` measures each row.) Forgetting is an event as any other, with a dot and a
//! delta: two states with equal versions must be equal, so a copy that forgot alone could no longer
//! be told from one that did not.
//!
//! Stable is not enough for it. That everybody has seen a remove says that nobody will write
//! anything concurrent to it *any more*; somebody may have done so before, and we may not have it
//! yet. An event is *settled* here once everybody has seen it, and we have seen all that they had
//! seen by then ([`settled`](Stability::settled)): nothing concurrent to it is still to come.
//!
//! # References
//!
//! Baquero, Almeida, Shoker, "Pure Operation-Based Replicated Data Types", 2017, section 5: causal
//! stability.

use std::collections::BTreeMap;

use guid_core::NodeId;

use crate::{CausalContext, Lattice};

/// The contexts of the members of a group, as far as they were heard of.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{CausalContext, Span, Stability};
///
/// let [a, b] = [NodeId::new(1), NodeId::new(2)];
/// let upto = |stamp| {
///     Stamp::from_u64(stamp).map(|stamp| CausalContext::from_iter([Span::up_to(a, stamp)]))
/// };
/// let mut group = Stability::of([a, b]);
/// group.heard(a, &upto(30)?);
/// assert!(group.stable().is_empty()); // b has said nothing yet
/// group.heard(b, &upto(20)?);
/// assert_eq!(group.stable(), upto(20)?);
/// group.retire(b);
/// assert_eq!(group.stable(), upto(30)?);
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stability {
    members: BTreeMap<NodeId, CausalContext>,
}

impl Stability {
    /// Returns the group of these members, of which nothing was heard.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::Stability;
    /// let group = Stability::of([2, 1].map(NodeId::new));
    /// assert!(group.members().eq([1, 2].map(NodeId::new)) && group.stable().is_empty());
    /// ```
    pub fn of(members: impl IntoIterator<Item = NodeId>) -> Self {
        let members = members.into_iter().map(|member| (member, CausalContext::new()));
        Self { members: members.collect() }
    }

    /// Takes note of what a member has seen. Who is not a member becomes one.
    ///
    /// Contexts only grow, so old news changes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Span, Stability};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// # let seen = |n| CausalContext::from_iter([Span::up_to(NodeId::new(1), dot(n).stamp())]);
    /// let mut group = Stability::of([NodeId::new(1)]);
    /// group.heard(NodeId::new(1), &seen(9));
    /// group.heard(NodeId::new(1), &seen(5)); // old news
    /// assert_eq!(group.stable(), seen(9));
    /// ```
    pub fn heard(&mut self, member: NodeId, seen: &CausalContext) {
        self.members.entry(member).or_default().join(seen);
    }

    /// Strikes a member that will not come back. If it does all the same, it must come as a new
    /// node, with a state that somebody gives it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Span, Stability};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let seen = CausalContext::from_iter([Span::up_to(NodeId::new(1), dot(9).stamp())]);
    /// let mut group = Stability::of([1, 2].map(NodeId::new));
    /// group.heard(NodeId::new(1), &seen);
    /// group.retire(NodeId::new(2)); // it was silent, and held everything back
    /// assert_eq!(group.stable(), seen);
    /// ```
    pub fn retire(&mut self, member: NodeId) {
        self.members.remove(&member);
    }

    /// The members, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{CausalContext, Stability};
    /// let mut group = Stability::of([NodeId::new(7)]);
    /// group.heard(NodeId::new(3), &CausalContext::new());
    /// assert!(group.members().eq([3, 7].map(NodeId::new)));
    /// ```
    pub fn members(&self) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        self.members.keys().copied()
    }

    /// What is settled for a state that has taken in this much: no event that is concurrent to any
    /// of it is still to come. Nothing, while the state lacks something that a member had seen.
    ///
    /// # Examples
    ///
    /// See [`RwSet::forget`](crate::RwSet::forget).
    pub fn settled(&self, seen: &CausalContext) -> CausalContext {
        let lacks_nothing = |theirs: &CausalContext| theirs.compare(seen).is_within();
        if self.members.values().all(lacks_nothing) { self.stable() } else { CausalContext::new() }
    }

    /// What every member has seen; nothing, in a group without members.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{CausalContext, Dot, Span, Stability};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// # let seen = |n| CausalContext::from_iter([Span::up_to(NodeId::new(1), dot(n).stamp())]);
    /// let mut group = Stability::of([1, 2].map(NodeId::new));
    /// group.heard(NodeId::new(1), &seen(9));
    /// group.heard(NodeId::new(2), &seen(5));
    /// assert_eq!(group.stable(), seen(5)); // what both have seen
    /// ```
    pub fn stable(&self) -> CausalContext {
        let mut contexts = self.members.values();
        let first = contexts.next().cloned().unwrap_or_default();
        contexts.fold(first, |stable, context| stable.meet(context))
    }
}
