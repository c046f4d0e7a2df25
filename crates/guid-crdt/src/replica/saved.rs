//! [`Saved`]: a replica at rest.
//!
//! # Invariants
//!
//! The state covers everything that its node wrote, and `last` is not before any stamp it made or
//! observed: whoever continues after `last` keeps I1 and I3.

use guid_core::{NodeId, Stamp};

use super::NodeCollision;

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
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The last stamp made or observed.
    pub const fn last(&self) -> Stamp {
        self.last
    }

    /// The state.
    pub const fn state(&self) -> &T {
        &self.state
    }
}
