//! [`Saved`]: a replica at rest.
//!
//! # Invariants
//!
//! The state covers everything that its node wrote, and `last` is not before any stamp it made or
//! observed: whoever continues after `last` keeps I1 and I3.

use guid_core::{NodeId, Stamp};

use super::NodeCollision;
use crate::{Changed, Gap, Replicated};

/// All it takes to continue a [`Replica`](crate::Replica) later.
///
/// A copy of it is a second writer under one node (I2): restore it once, and only the latest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saved<T> {
    pub(super) node: NodeId,
    pub(super) last: Stamp,
    pub(super) issued: Option<Stamp>,
    pub(super) collision: Option<NodeCollision>,
    pub(super) state: T,
}

impl<T: Replicated> Saved<T> {
    /// Applies a delta that was stored after this was: of a write here, or of one taken in.
    ///
    /// So a log of deltas behind a saved replica is as good as a later save. (Where deltas bear no
    /// dot, as those of [`GSet`](crate::GSet) do, [`last_made`](Self::last_made) stays behind.)
    ///
    /// # Errors
    ///
    /// A [`Gap`]: deltas before this one are missing. Nothing is changed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{ManualClock, NodeId};
    /// use guid_crdt::{OrSet, Replica};
    ///
    /// let mut set = Replica::<OrSet<u8>, _>::new(NodeId::new(1), ManualClock::new(9 << 30));
    /// let mut saved = set.save();
    /// let delta = set.write(|set, dot| set.insert(dot, 7))?;
    /// saved.apply(&delta)?;
    /// assert_eq!(saved, set.save());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, delta: &T::Delta) -> Result<Changed, Gap> {
        let changed = self.state.apply(delta)?;
        let frontier = T::delta_frontier(delta);
        self.issued = self.issued.max(frontier.get(self.node));
        self.last = frontier.latest().map_or(self.last, |dot| self.last.max(dot.stamp()));
        Ok(changed)
    }
}

impl<T> Saved<T> {
    /// Returns what was taken apart for the wire.
    #[cfg(feature = "wire")]
    pub(crate) fn from_parts(
        node: NodeId,
        last: Stamp,
        issued: Option<Stamp>,
        collision: Option<NodeCollision>,
        state: T,
    ) -> Self {
        Self { node, last, issued, collision, state }
    }

    /// The last stamp made, and the proof that the node writes elsewhere too, where there are any.
    #[cfg(feature = "wire")]
    pub(crate) const fn marks(&self) -> (Option<Stamp>, Option<NodeCollision>) {
        (self.issued, self.collision)
    }

    /// The node it writes under.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{ManualClock, NodeId};
    /// # use guid_crdt::{OrSet, Replica};
    /// # let set = Replica::<OrSet<u8>, _>::new(NodeId::new(1), ManualClock::new(9 << 30));
    /// assert_eq!((set.save().node(), set.node()), (NodeId::new(1), NodeId::new(1)));
    /// ```
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The last stamp made or observed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{ManualClock, NodeId};
    /// # use guid_crdt::{OrSet, Replica};
    /// # let mut set = Replica::<OrSet<u8>, _>::new(NodeId::new(1), ManualClock::new(9 << 30));
    /// let dot = set.write(|_, dot| Ok(dot))?;
    /// assert_eq!(set.save().last(), dot.stamp());
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub const fn last(&self) -> Stamp {
        self.last
    }

    /// The last stamp made.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{ManualClock, NodeId};
    /// # use guid_crdt::{OrSet, Replica};
    /// # let mut set = Replica::<OrSet<u8>, _>::new(NodeId::new(1), ManualClock::new(9 << 30));
    /// assert_eq!(set.save().last_made(), None);
    /// let dot = set.write(|_, dot| Ok(dot))?;
    /// assert_eq!(set.save().last_made(), Some(dot.stamp()));
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub const fn last_made(&self) -> Option<Stamp> {
        self.issued
    }

    /// The state.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{ManualClock, NodeId};
    /// # use guid_crdt::{OrSet, Replica};
    /// # let mut set = Replica::<OrSet<u8>, _>::new(NodeId::new(1), ManualClock::new(9 << 30));
    /// let before = set.snapshot();
    /// set.write(|set, dot| set.insert(dot, 7))?;
    /// assert_eq!((before.len(), set.save().state().len()), (0, 1));
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub const fn state(&self) -> &T {
        &self.state
    }
}
