//! Maelstrom: a test of distributed systems in which a node is a process that speaks JSON lines.
//!
//! [`node`] is a node of ours, built on the IDs and the replicated types. [`harness`] runs any
//! program as such nodes, does to them what networks and machines do, and judges what its clients
//! saw.
//!
//! # References
//!
//! The protocol of <https://github.com/jepsen-io/maelstrom>: `doc/protocol.md`, `doc/workloads.md`.

pub(crate) mod node;
pub(crate) mod harness;
mod protocol;

use std::time::{SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use guid_core::Clock;

/// The wall clock, always by way of libc: `libfaketime` stands before that, and not before a system
/// call, which is how guid-core reads it with the feature `fast-clock`.
#[derive(Clone, Copy, Debug)]
struct LibcClock;

impl Clock for LibcClock {
    #[expect(clippy::disallowed_methods, reason = "a node lives in real time")]
    fn unix_nanos(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What the nodes are to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workload {
    /// Say again what was said
    Echo,
    /// Make IDs that nobody else makes
    UniqueIds,
    /// Hand values on to all nodes
    Broadcast,
    /// A set that grows
    GSet,
    /// A counter that grows
    GCounter,
    /// A counter that goes up and down
    PnCounter,
}

impl Workload {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::UniqueIds => "unique-ids",
            Self::Broadcast => "broadcast",
            Self::GSet => "g-set",
            Self::GCounter => "g-counter",
            Self::PnCounter => "pn-counter",
        }
    }
}
