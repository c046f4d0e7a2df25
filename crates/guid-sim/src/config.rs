//! [`WorldConfig`]: all that a run depends on, beside the code of the nodes.

mod start;
mod builder;

use std::{
    cell::RefCell,
    io::Write,
    rc::Rc,
    sync::{Arc, atomic::AtomicBool},
};

use crate::{
    ClockModel, Distribution, Memory, NetworkModel, NodeIndex, Observe, ScheduledFault, Scheme,
    TraceHash, explain::Finder, plan::Tape, sample::Collector,
};

pub use self::start::{DEFAULT_START_NS, Start};

/// Where a configuration comes from, for whoever finds its trace later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// The hash of the scenario's text; of a world that was made by code there is none.
    pub(crate) hash: Option<TraceHash>,
    /// What was set to something else than the text says: `network.loss=1%`.
    pub(crate) set: Vec<String>,
}

impl Source {
    pub(crate) fn new(text: &str, set: &[(String, String)]) -> Self {
        let mut hash = TraceHash::default();
        hash.bytes(text.as_bytes());
        let set = set.iter().map(|(path, value)| format!("{path}={value}")).collect();
        Self { hash: Some(hash), set }
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
    /// When it begins, in true time: drawn by the seed, or given.
    pub start: Start,
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
    /// Where what happens is taken down for a replay, if anywhere.
    pub(crate) tape: Option<Tape>,
    /// The run is given up beyond this many events.
    pub max_events: u64,
    /// Set by whoever has no more time for the run.
    pub stop: Option<Arc<AtomicBool>>,
    /// The text that it was read from.
    pub(crate) source: Source,
    /// Who keeps what pictures are made of, if anybody.
    pub(crate) collector: Option<Rc<RefCell<Collector>>>,
    /// Who looks for the paths between events, if anybody.
    pub(crate) finder: Option<Rc<RefCell<Finder>>>,
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
            start: Start::Drawn,
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
            tape: None,
            max_events: 20_000_000,
            stop: None,
            source: Source::default(),
            collector: None,
            finder: None,
        }
    }

    /// True time at the start, in Unix nanoseconds: given, or what the seed draws.
    pub fn start_ns(&self) -> u64 {
        self.start.of_seed(self.seed)
    }
}
