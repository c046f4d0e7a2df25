//! Events: what truly happened, with true time and local time.

use crate::NodeIndex;

/// One thing that happened on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Counts the events of a run, from one.
    pub number: u64,
    /// Where.
    pub node: NodeIndex,
    /// How often the node had been started by then: one, plus its restarts.
    pub incarnation: u32,
    /// True time, in Unix nanoseconds.
    pub true_ns: u64,
    /// What the node's clock read.
    pub local_ns: u64,
    /// What.
    pub kind: EventKind,
}

/// What an event is. The first four bear an ID of every scheme; they are the events that
/// happens-before speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A node made an ID for something of its own.
    Mint,
    /// A node wrote a register, having seen (`overwrite`) or not seen a value there.
    Write {
        /// Which register.
        register: u64,
        /// Whether it wrote over a value that it had seen.
        overwrite: bool,
    },
    /// A node sent a message.
    Send {
        /// The number of the message.
        message: u64,
        /// To whom.
        to: NodeIndex,
    },
    /// A node received a message.
    Receive {
        /// The number of the message.
        message: u64,
        /// From whom.
        from: NodeIndex,
    },
    /// A message was lost, on the way or at a node that was down.
    Lost {
        /// The number of the message.
        message: u64,
    },
    /// The clock was changed by this much: a step, or what a freeze or another rate begins with.
    ClockFault {
        /// How far it jumped, in nanoseconds.
        by_ns: i64,
    },
    /// The node stopped.
    Crash,
    /// The node came back.
    Restart,
    /// The network split.
    Partition,
    /// The network is whole again.
    Heal,
    /// The node was suspended.
    Pause,
    /// The node came back from being suspended.
    Resume,
    /// Messages to the node are held back from here on.
    Hold,
    /// Messages that were held back arrive.
    Release,
    /// The node started late.
    Join,
    /// The node started as a copy of another one.
    Clone,
}

impl EventKind {
    /// The name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mint => "mint",
            Self::Write { .. } => "write",
            Self::Send { .. } => "send",
            Self::Receive { .. } => "receive",
            Self::Lost { .. } => "lost",
            Self::ClockFault { .. } => "clock-fault",
            Self::Crash => "crash",
            Self::Restart => "restart",
            Self::Partition => "partition",
            Self::Heal => "heal",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Join => "join",
            Self::Clone => "clone",
        }
    }

    /// Whether it bears IDs.
    pub const fn is_stamped(self) -> bool {
        matches!(self, Self::Mint | Self::Write { .. } | Self::Send { .. } | Self::Receive { .. })
    }

    /// Three numbers that tell it from every other kind, for the hash of the trace.
    pub(crate) const fn code(self) -> [u64; 3] {
        match self {
            Self::Mint => [1, 0, 0],
            Self::Write { register, overwrite } => [2, register, overwrite as u64],
            Self::Send { message, to } => [3, message, to.as_u32() as u64],
            Self::Receive { message, from } => [4, message, from.as_u32() as u64],
            Self::Lost { message } => [5, message, 0],
            Self::ClockFault { by_ns } => [6, by_ns.cast_unsigned(), 0],
            Self::Crash => [7, 0, 0],
            Self::Restart => [8, 0, 0],
            Self::Partition => [9, 0, 0],
            Self::Heal => [10, 0, 0],
            Self::Pause => [11, 0, 0],
            Self::Resume => [12, 0, 0],
            Self::Hold => [13, 0, 0],
            Self::Release => [14, 0, 0],
            Self::Join => [15, 0, 0],
            Self::Clone => [16, 0, 0],
        }
    }
}
