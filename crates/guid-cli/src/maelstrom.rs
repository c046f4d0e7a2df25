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

use clap::ValueEnum;

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
