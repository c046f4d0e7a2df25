//! Why a [`Replica`](crate::Replica) refused: one error for each of write, join and apply.

use core::time::Duration;

use guid_core::{GenerateError, NodeId, Stamp};

use super::MutateError;
use crate::{Dot, Gap};

/// Somebody else writes under our node: a state shows an event of it that we did not make.
///
/// A clone of the machine, a copied file, a restart from an old state. The replica stops writing,
/// as each further write could name two events by one dot. It catches most such cases, not all: a
/// twin that is behind us is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[error("dot {dot} bears our node but was not made here: the node writes in two places")]
#[non_exhaustive]
pub struct NodeCollision {
    /// The latest event of our node that was seen elsewhere.
    pub dot: Dot,
    /// The last stamp that we made.
    pub issued: Option<Stamp>,
}

impl NodeCollision {
    /// Returns what was taken apart for the wire.
    #[cfg(feature = "wire")]
    pub(crate) const fn new(dot: Dot, issued: Option<Stamp>) -> Self {
        Self { dot, issued }
    }
}

/// A state that lacks writes which its node has made. Under its node it would make dots that claim
/// those writes and do not hold them: every peer would take them for removed.
///
/// Put the latest state back. If it is lost, [`restore`](crate::Replica::restore) this one and
/// [`renew`](crate::Replica::renew) the node; what is missing comes from whoever has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error(
    "the state of node {node} covers its writes up to {}, but it wrote up to {}: \
     put the latest state back, or go on under a new node",
    covers.map_or_else(|| "none".to_owned(), |stamp| stamp.as_u64().to_string()), mark.as_u64()
)]
#[non_exhaustive]
pub struct StaleState {
    /// Whose state it is.
    pub node: NodeId,
    /// The last stamp of the node that the state covers.
    pub covers: Option<Stamp>,
    /// The last stamp that the node is known to have made.
    pub mark: Stamp,
}

/// Why a write was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The stamp would lead the clock by more than allowed.
    #[error("the write would be {by:?} ahead of the clock")]
    Ahead {
        /// How far it would lead.
        by: Duration,
    },
    /// The node was seen to write elsewhere.
    #[error(transparent)]
    Collision(#[from] NodeCollision),
    /// No stamp is left before the end of time.
    #[error("no stamp is left before the end of time")]
    Exhausted,
    /// The mutator refused.
    #[error(transparent)]
    Refused(#[from] MutateError),
}

impl From<GenerateError> for WriteError {
    fn from(error: GenerateError) -> Self {
        match error {
            GenerateError::Ahead { by } => Self::Ahead { by },
            _ => Self::Exhausted,
        }
    }
}

/// Why a state was not joined. The replica's state is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// The state has events from further in the future than allowed.
    #[error("the state is {by:?} ahead of the clock")]
    Ahead {
        /// How far its latest stamp leads the clock.
        by: Duration,
    },
    /// The state shows that our node writes elsewhere.
    #[error(transparent)]
    Collision(#[from] NodeCollision),
}

/// Why a delta was not applied. The replica's state is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The delta has events from further in the future than allowed.
    #[error("the delta is {by:?} ahead of the clock")]
    Ahead {
        /// How far its latest stamp leads the clock.
        by: Duration,
    },
    /// The delta shows that our node writes elsewhere.
    #[error(transparent)]
    Collision(#[from] NodeCollision),
    /// Events before the delta are missing.
    #[error(transparent)]
    Gap(#[from] Gap),
}

impl From<JoinError> for ApplyError {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::Ahead { by } => Self::Ahead { by },
            JoinError::Collision(collision) => Self::Collision(collision),
        }
    }
}
