//! Faults: what goes wrong, and when.

use crate::NodeIndex;

/// Something that goes wrong, or right again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A node's clock stands still for this many nanoseconds.
    ClockFreeze {
        /// Whose clock.
        node: NodeIndex,
        /// For how long, in true time.
        for_ns: u64,
    },
    /// A node's clock runs at another rate from here on.
    ClockRate {
        /// Whose clock.
        node: NodeIndex,
        /// The rate error in parts per billion.
        ppb: i64,
    },
    /// A node's clock jumps.
    ClockStep {
        /// Whose clock.
        node: NodeIndex,
        /// How far, in nanoseconds; negative is back.
        by_ns: i64,
    },
    /// A node's clock jumps away and back, again and again.
    ClockStrobe {
        /// Whose clock.
        node: NodeIndex,
        /// How far, in nanoseconds.
        by_ns: i64,
        /// From jump to jump, in true time.
        every_ns: u64,
        /// For how long, in true time; then it is back.
        for_ns: u64,
    },
    /// A node stops: what it had not persisted is lost, and what is sent to it meanwhile too.
    Crash {
        /// Which node.
        node: NodeIndex,
    },
    /// The partition ends.
    Heal,
    /// The network splits: each group hears itself alone.
    Partition {
        /// The groups; nodes in none form one of their own.
        groups: Vec<Vec<NodeIndex>>,
    },
    /// A crashed node comes back.
    Restart {
        /// Which node.
        node: NodeIndex,
    },
}

impl Fault {
    /// The name in scenario files and traces.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ClockFreeze { .. } => "clock-freeze",
            Self::ClockRate { .. } => "clock-rate",
            Self::ClockStep { .. } => "clock-step",
            Self::ClockStrobe { .. } => "clock-strobe",
            Self::Crash { .. } => "crash",
            Self::Heal => "heal",
            Self::Partition { .. } => "partition",
            Self::Restart { .. } => "restart",
        }
    }

    /// The node it happens to, if it is one.
    pub const fn node(&self) -> Option<NodeIndex> {
        match *self {
            Self::ClockFreeze { node, .. }
            | Self::ClockRate { node, .. }
            | Self::ClockStep { node, .. }
            | Self::ClockStrobe { node, .. }
            | Self::Crash { node }
            | Self::Restart { node } => Some(node),
            Self::Heal | Self::Partition { .. } => None,
        }
    }
}

/// A fault and its moment, counted from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduledFault {
    /// Nanoseconds of true time since the start.
    pub at_ns: u64,
    /// What happens.
    pub fault: Fault,
}

impl ScheduledFault {
    /// Returns a fault that happens `at_ns` after the start.
    pub const fn new(at_ns: u64, fault: Fault) -> Self {
        Self { at_ns, fault }
    }
}
