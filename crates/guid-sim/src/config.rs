//! [`WorldConfig`]: all that a run depends on, beside the code of the nodes.

mod builder;

use std::io::Write;

use crate::{Distribution, Memory, NetworkModel, NodeIndex, Observe, ScheduledFault, Scheme};

/// 2026-01-01T00:00:00Z: where runs begin unless told otherwise.
pub const DEFAULT_START_NS: u64 = 1_767_225_600_000_000_000;

/// How the clocks of the nodes are wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClockModel {
    /// The offset each clock starts with.
    pub offset: Distribution,
    /// The rate error of each clock, in parts per billion read as nanoseconds per second.
    pub rate: Distribution,
    /// How clocks are disciplined, if they are.
    pub discipline: Option<Discipline>,
    /// Nodes whose clocks are set by hand: they are not drawn and not disciplined.
    pub fixed: Vec<FixedClock>,
    /// Clocks show multiples of this many nanoseconds.
    pub granularity_ns: u64,
}

impl ClockModel {
    /// Clocks that are right.
    pub const fn perfect() -> Self {
        Self {
            offset: Distribution::constant(0),
            rate: Distribution::constant(0),
            discipline: None,
            fixed: Vec::new(),
            granularity_ns: 1,
        }
    }

    /// Clocks that are kept around true time: offsets are normal with this deviation, and wander.
    pub const fn disciplined(sigma_ns: f64) -> Self {
        Self {
            offset: Distribution::normal(sigma_ns),
            rate: Distribution::constant(0),
            discipline: Some(Discipline {
                every_ns: 16_000_000_000,
                target: Distribution::normal(sigma_ns),
            }),
            fixed: Vec::new(),
            granularity_ns: 1,
        }
    }
}

/// A statistical model of a clock under NTP: at every poll the rate is set so that the offset
/// reaches a freshly drawn target by the next poll, within the 500 ppm that NTP slews at most. The
/// reading is continuous, and its offset has the distribution of the targets at every poll.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Discipline {
    /// From poll to poll.
    pub every_ns: u64,
    /// Where the offset goes.
    pub target: Distribution,
}

/// A clock set by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedClock {
    /// Whose.
    pub node: NodeIndex,
    /// Its offset at the start.
    pub offset_ns: i64,
    /// Its rate error.
    pub ppb: i64,
}

impl FixedClock {
    /// Returns a clock that starts with this offset and runs at this rate.
    pub const fn new(node: NodeIndex, offset_ns: i64, ppb: i64) -> Self {
        Self { node, offset_ns, ppb }
    }
}

/// All that a run depends on, beside the code of the nodes.
///
/// # Examples
///
/// ```
/// use guid_sim::{ClockModel, WorldConfig};
///
/// let mut config = WorldConfig::new(3, 42);
/// config.clocks = ClockModel::disciplined(33_000.0);
/// config.duration_ns = 60_000_000_000;
/// ```
#[non_exhaustive]
pub struct WorldConfig {
    /// The name in the report and the trace.
    pub name: String,
    /// How many nodes.
    pub nodes: u32,
    /// Where all randomness comes from.
    pub seed: u64,
    /// True time at the start, in Unix nanoseconds.
    pub start_ns: u64,
    /// How long it runs, in true time.
    pub duration_ns: u64,
    /// The clocks.
    pub clocks: ClockModel,
    /// The network.
    pub network: NetworkModel,
    /// What goes wrong, and when.
    pub faults: Vec<ScheduledFault>,
    /// What stamps the events.
    pub schemes: Vec<Scheme>,
    /// What schemes do with the IDs that nodes receive.
    pub observe: Observe,
    /// How ID sources come back after a crash.
    pub memory: Memory,
    /// Nodes that bear one node ID between them: a fault worth showing.
    pub shared_node: Vec<NodeIndex>,
    /// Pairs of events this far apart are compared with the closed form.
    pub gaps_ns: Vec<u64>,
    /// Whether displacement, inversions and stride of the IDs are taken: it needs all of them.
    pub disorder: bool,
    /// Where the trace goes, if anywhere.
    pub trace: Option<Box<dyn Write>>,
    /// The run is given up beyond this many events.
    pub max_events: u64,
}

impl std::fmt::Debug for WorldConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldConfig")
            .field("name", &self.name)
            .field("nodes", &self.nodes)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl WorldConfig {
    /// Returns a minute of `nodes` nodes with right clocks on a LAN, stamped by the default scheme
    /// with the receive rule.
    pub fn new(nodes: u32, seed: u64) -> Self {
        Self {
            name: String::from("unnamed"),
            nodes,
            seed,
            start_ns: DEFAULT_START_NS,
            duration_ns: 60_000_000_000,
            clocks: ClockModel::perfect(),
            network: NetworkModel::new(Distribution::constant(250_000)),
            faults: Vec::new(),
            schemes: vec![Scheme::Guid96(guid_core::Drift::D3)],
            observe: Observe::Follow,
            memory: Memory::HighWater,
            shared_node: Vec::new(),
            gaps_ns: Vec::new(),
            disorder: false,
            trace: None,
            max_events: 20_000_000,
        }
    }
}
