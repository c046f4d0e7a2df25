//! Generators: strict, never blocking, one word of state.
//!
//! # The idea
//!
//! The state is the last stamp, one integer. The next one is
//!
//! ```text
//! next = max(last + 1, tick of the clock << 14 | (last + 1) & 0x3fff)
//! ```
//!
//! With the clock ahead, the tick is the clock's and the sequence runs on; otherwise the stamp
//! counts up, and a sequence that overflows carries into the tick. [`Generator`] does this by
//! compare-and-swap on an atomic word, [`LocalGenerator`] on a plain one. `fill` and `batch` take
//! a run of stamps by one such step.
//!
//! Which one? A process that draws a random node when it starts needs [`Generator`], or `guid()`,
//! which holds one for the whole process. One that keeps its node over restarts needs
//! `DurableGenerator`, whose `HighWater` remembers for it.
//!
//! # When the node must change
//!
//! A generator is only as unique as its node. Two ways out, both under a node *never used before*
//! (with the feature `rand`, a random one):
//!
//! * `reseed`: after the machine was cloned or restored from a snapshot, which no program can see
//!   from inside (call it from the platform's hook). The stamp is kept: what is made afterwards is
//!   later than what was made or observed before.
//! * `restart`: after the clock ran ahead and was set right, so that every stamp leads it. The
//!   stamp is forgotten and follows the clock again; the price is that IDs made or observed
//!   before may be later, in both orders, than those made next.
//!
//! # Invariants
//!
//! * Stamps of one generator strictly increase: over threads, a clock that steps back or stands
//!   still, and any number of IDs in one tick. Hence no duplicate.
//! * No call waits, spins on a clock, or sleeps. Of racing threads one always makes progress.
//! * A failing call changes nothing.
//!
//! # References
//!
//! The receive rule is that of hybrid logical clocks: Kulkarni, Demirbas, Madappa, Avva, Leone,
//! "Logical Physical Clocks", OPODIS 2014, section 3.

mod rule;
mod batch;
mod local;
#[cfg(target_has_atomic = "64")]
mod word;
#[cfg(target_has_atomic = "64")]
mod shared;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod fork;
#[cfg(feature = "std")]
mod high_water;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod durable;
#[cfg(all(feature = "rand", target_has_atomic = "64"))]
mod process;

use core::{error::Error, fmt, time::Duration};

use crate::Guid;

#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use self::durable::{DurableError, DurableGenerator};
#[cfg(feature = "std")]
pub use self::high_water::{FileHighWater, HighWater, HighWaterError, MemoryHighWater};
#[cfg(all(feature = "rand", target_has_atomic = "64"))]
pub use self::process::{guid, try_guid};
#[cfg(target_has_atomic = "64")]
pub use self::shared::Generator;
pub use self::{batch::Batch, local::LocalGenerator};

/// How far a stamp may lead the clock by default before the checked calls refuse: 60 s.
pub const MAX_AHEAD: Duration = Duration::from_secs(60);

/// Why a generator gave no ID. Nothing was consumed.
///
/// # Examples
///
/// ```
/// use guid_core::{GenerateError, LocalGenerator, NodeId, Stamp};
///
/// let mut ids = LocalGenerator::new(NodeId::new(1), || 0).with_last(Stamp::MAX);
/// assert_eq!(ids.try_next(), Err(GenerateError::Exhausted));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GenerateError {
    /// The next stamp would lead the clock by more than `max_ahead`: the clock went back, or IDs
    /// were made faster than time passes.
    Ahead {
        /// How far it would lead.
        by: Duration,
    },
    /// The last of 2⁶¹ stamps was given out: the end of time, in 2554.
    Exhausted,
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ahead { by } => write!(f, "the next ID would be {by:?} ahead of the clock"),
            Self::Exhausted => f.write_str("no stamp is left before the end of time"),
        }
    }
}

impl Error for GenerateError {}

/// Why an ID from elsewhere was not observed. The generator is unchanged.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, Guid, LocalGenerator, NodeId, ObserveError, Stamp};
///
/// let mut ids = LocalGenerator::new(NodeId::new(1), || 5 << 17);
/// let twin = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(6 << 17));
/// assert_eq!(ids.observe(twin), Err(ObserveError::NodeCollision { id: twin }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObserveError {
    /// The ID is from further in the future than `max_ahead` allows: following it would carry a
    /// bad clock over to this node.
    Ahead {
        /// How far it leads the clock.
        by: Duration,
    },
    /// The ID bears our own node and a stamp we never issued: somebody else writes under it (a
    /// clone, a fork, a copied configuration). Known not to be ours are the stamps after the last
    /// one and those that the last row of observed IDs made us jump over. That catches most such
    /// cases, not all: among the stamps behind us, nobody remembers which were issued.
    NodeCollision {
        /// The ID that we did not make.
        id: Guid,
    },
}

impl fmt::Display for ObserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ahead { by } => write!(f, "the observed ID is {by:?} ahead of the clock"),
            Self::NodeCollision { id } => {
                write!(f, "ID {id} bears our node {} but was not made here", id.node())
            }
        }
    }
}

impl Error for ObserveError {}
