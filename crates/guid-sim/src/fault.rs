//! Faults: what goes wrong, and when.

use crate::NodeIndex;

/// Something that goes wrong, or right again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The network splits in two, but for one node that both sides reach.
    Bridge {
        /// The node between.
        node: NodeIndex,
        /// One side; the other is everybody else.
        side: Vec<NodeIndex>,
    },
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
    /// A node's clock is moved without a jump: it runs faster or slower until it has gained or lost
    /// this much. A leap second that is smeared over a day is one.
    ClockSlew {
        /// Whose clock.
        node: NodeIndex,
        /// How far, in nanoseconds; negative is back.
        by_ns: i64,
        /// How fast, in parts per billion.
        ppb: u64,
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
    /// A node starts as a copy of another: its IDs, its generators' state, what it had stored.
    /// Neither knows. Its process is made anew and told by
    /// [`on_restart`](crate::Process::on_restart).
    Clone {
        /// The copy, which has not run before.
        node: NodeIndex,
        /// The node that is copied.
        of: NodeIndex,
    },
    /// A node stops: what it had not persisted is lost, and what is sent to it meanwhile too.
    Crash {
        /// Which node.
        node: NodeIndex,
    },
    /// Every partition ends.
    Heal,
    /// Messages to a node are held back until they are released.
    Hold {
        /// Which node; `None` for all.
        node: Option<NodeIndex>,
    },
    /// A node starts now and not at the beginning.
    Join {
        /// Which node.
        node: NodeIndex,
        /// The node whose ID it is given, while remembering nothing of what was made under it.
        reuse: Option<NodeIndex>,
    },
    /// Messages from some nodes to others are lost; those that go the other way arrive.
    OneWay {
        /// Who is not heard.
        from: Vec<NodeIndex>,
        /// By whom; nobody for everybody else.
        to: Vec<NodeIndex>,
    },
    /// The network splits: each group hears itself alone.
    Partition {
        /// The groups; nodes in none form one of their own.
        groups: Vec<Vec<NodeIndex>>,
    },
    /// A node is suspended: its messages and timers wait.
    Pause {
        /// Which node.
        node: NodeIndex,
        /// For how long, in true time.
        for_ns: u64,
        /// Whether its clock stands still meanwhile, as that of a suspended machine does.
        clock: PausedClock,
    },
    /// Messages that were held back arrive.
    Release,
    /// A crashed node comes back.
    Restart {
        /// Which node.
        node: NodeIndex,
    },
    /// A crashed node comes back without anything that it had stored.
    RestartEmpty {
        /// Which node.
        node: NodeIndex,
    },
    /// A crashed node comes back with what it had stored at the last snapshot.
    RestartStale {
        /// Which node.
        node: NodeIndex,
    },
    /// Each node hears its two neighbours alone.
    Ring,
    /// What a node has stored is copied, for [`Fault::RestartStale`].
    Snapshot {
        /// Which node.
        node: NodeIndex,
    },
}

/// What the clock of a suspended node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it runs or it does not")]
pub enum PausedClock {
    /// It runs on: to the node it jumps when it comes back.
    Runs,
    /// It stands still: the node comes back with a clock that is behind.
    Stops,
}

impl Fault {
    /// The name in traces and errors.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bridge { .. } => "bridge",
            Self::ClockFreeze { .. } => "clock-freeze",
            Self::ClockRate { .. } => "clock-rate",
            Self::ClockSlew { .. } => "clock-slew",
            Self::ClockStep { .. } => "clock-step",
            Self::ClockStrobe { .. } => "clock-strobe",
            Self::Clone { .. } => "clone",
            Self::Crash { .. } => "crash",
            Self::Heal => "heal",
            Self::Hold { .. } => "hold",
            Self::Join { .. } => "join",
            Self::OneWay { .. } => "one-way",
            Self::Partition { .. } => "partition",
            Self::Pause { .. } => "pause",
            Self::Release => "release",
            Self::Restart { .. } | Self::RestartEmpty { .. } | Self::RestartStale { .. } => {
                "restart"
            }
            Self::Ring => "ring",
            Self::Snapshot { .. } => "snapshot",
        }
    }

    /// The node it happens to, if it is one.
    pub const fn node(&self) -> Option<NodeIndex> {
        match *self {
            Self::ClockFreeze { node, .. }
            | Self::ClockRate { node, .. }
            | Self::ClockSlew { node, .. }
            | Self::ClockStep { node, .. }
            | Self::ClockStrobe { node, .. }
            | Self::Clone { node, .. }
            | Self::Crash { node }
            | Self::Join { node, .. }
            | Self::Pause { node, .. }
            | Self::Restart { node }
            | Self::RestartEmpty { node }
            | Self::RestartStale { node }
            | Self::Snapshot { node } => Some(node),
            Self::Hold { node } => node,
            Self::Bridge { .. }
            | Self::Heal
            | Self::OneWay { .. }
            | Self::Partition { .. }
            | Self::Release
            | Self::Ring => None,
        }
    }

    /// Whether a clock shows anything else from there on.
    pub(crate) const fn is_of_clocks(&self) -> bool {
        matches!(
            self,
            Self::ClockFreeze { .. }
                | Self::ClockRate { .. }
                | Self::ClockSlew { .. }
                | Self::ClockStep { .. }
                | Self::ClockStrobe { .. }
                | Self::Pause { .. }
        )
    }

    /// Whether two may live under one node ID from there on, or one again that forgot.
    pub(crate) const fn is_of_identity(&self) -> bool {
        matches!(self, Self::Clone { .. } | Self::RestartEmpty { .. } | Self::RestartStale { .. })
    }

    /// Whether it is about the processes of nodes, which must have started by then.
    pub(crate) const fn is_of_running(&self) -> bool {
        matches!(
            self,
            Self::Clone { .. }
                | Self::Crash { .. }
                | Self::Join { .. }
                | Self::Pause { .. }
                | Self::Restart { .. }
                | Self::RestartEmpty { .. }
                | Self::RestartStale { .. }
                | Self::Snapshot { .. }
        )
    }

    /// Whether a crashed node comes back.
    pub const fn is_restart(&self) -> bool {
        matches!(self, Self::Restart { .. } | Self::RestartEmpty { .. } | Self::RestartStale { .. })
    }

    /// Whether a node starts that did not start at the beginning.
    pub const fn is_first_start(&self) -> bool {
        matches!(self, Self::Clone { .. } | Self::Join { .. })
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
