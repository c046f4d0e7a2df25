//! The recorder: numbers the events, hashes and writes the trace, and drives the lanes.

use std::{cell::RefCell, collections::BTreeMap, io, rc::Rc};

use guid_core::{NodeId, Stamp};

use crate::{
    Event, LocalClock, NodeIndex, Purpose, Rng, Streams, TraceHash, WorldConfig,
    checker::{Claim, Convergence, Sessions, StampSkew},
    lane::{Baggage, Lane, LaneConfig},
    sample::Collector,
    stamper::Setup,
    trace::TraceWriter,
};

/// What a restarted node finds of what it had stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Kept,
    Lost,
    /// What there was at the last snapshot.
    Snapshot,
}

/// What a message carries of all lanes.
pub(crate) type Load = Rc<[Baggage]>;

/// Everything that watches a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) events: u64,
    pub(crate) hash: TraceHash,
    trace: Option<TraceWriter>,
    collector: Option<Rc<RefCell<Collector>>>,
    pub(crate) lanes: Vec<Lane>,
    /// The ID that each lane gave to the latest event.
    keys: Vec<u128>,
    /// What messages carried that have arrived.
    spent: Vec<Load>,
    pub(crate) convergence: Convergence,
    /// How far the clocks were off.
    pub(crate) offsets: StampSkew,
    /// What processes counted.
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// What processes claimed.
    pub(crate) claims: BTreeMap<&'static str, Claim>,
    pub(crate) sessions: Sessions,
    /// Every node ID that was ever given out.
    node_ids: Vec<NodeId>,
    /// The one of each node's present incarnation.
    incarnations: Vec<NodeId>,
    fresh_ids: Rng,
    sequences: Rng,
}

impl Recorder {
    pub(crate) fn new(config: &mut WorldConfig, streams: Streams, clocks: &[LocalClock]) -> Self {
        let mut fresh_ids = streams.of_world(Purpose::NodeIds);
        let mut sequences = streams.of_world(Purpose::Sequence);
        let mut node_ids = Vec::new();
        let mut setups = Vec::new();
        for (machine, clock) in NodeIndex::first(config.nodes).zip(clocks) {
            let own = fresh_id(&node_ids, &mut fresh_ids);
            let first =
                config.shared_node.first().filter(|_| config.shared_node.contains(&machine));
            let node = first.and_then(|first| node_ids.get(first.at())).copied().unwrap_or(own);
            let (clock, sequence) = (clock.clone(), random_sequence(&mut sequences));
            let random = streams.of(machine, Purpose::RandomIds);
            setups.push(Setup { node, machine, clock, sequence, random });
            node_ids.push(node);
        }
        let lane = LaneConfig {
            observe: config.observe,
            memory: config.memory,
            gaps_ns: &config.gaps_ns,
            disorder: config.disorder,
            nodes: &setups,
            lanes: config.schemes.len(),
        };
        let lanes = config.schemes.iter().map(|&scheme| Lane::new(scheme, &lane)).collect();
        let mut trace = config.trace.take().map(|out| TraceWriter::new(out, &config.schemes));
        if let Some(trace) = &mut trace {
            trace.header(config);
        }
        Self {
            events: 0,
            hash: TraceHash::default(),
            trace,
            collector: config.collector.take(),
            lanes,
            keys: Vec::new(),
            spent: Vec::new(),
            convergence: Convergence::new(config.nodes),
            offsets: StampSkew::new(config.nodes),
            counts: BTreeMap::new(),
            claims: BTreeMap::new(),
            sessions: Sessions::default(),
            incarnations: node_ids.clone(),
            node_ids,
            fresh_ids,
            sequences,
        }
    }

    /// Records an event and stamps it if it bears IDs. `received` is what its message carried.
    pub(crate) fn event(&mut self, mut event: Event, received: Option<&Load>) {
        self.events += 1;
        event.number = self.events;
        self.hash.event(&event);
        self.offsets.event(&event, event.local_ns);
        self.keys.clear();
        if event.kind.is_stamped() {
            for (i, lane) in self.lanes.iter_mut().enumerate() {
                let key = lane.event(&event, received.map(|load| &load[i]));
                self.hash.wide(key);
                self.keys.push(key);
            }
        }
        if let Some(trace) = &mut self.trace {
            trace.event(&event, &self.keys);
        }
        if let Some(collector) = &self.collector {
            collector.borrow_mut().event(&event, &self.keys, &self.lanes);
        }
    }

    /// A process counted something.
    pub(crate) fn count(&mut self, name: &'static str, true_ns: u64, by: u64) {
        let total = self.counts.entry(name).or_default();
        *total += by;
        if let Some(collector) = &self.collector {
            collector.borrow_mut().count(name, true_ns, *total);
        }
    }

    /// A process saw a value of which the greatest counts.
    pub(crate) fn record_max(&mut self, name: &'static str, true_ns: u64, value: u64) {
        let max = self.counts.entry(name).or_default();
        *max = value.max(*max);
        if let Some(collector) = &self.collector {
            collector.borrow_mut().value(name, true_ns, value);
        }
    }

    /// What a message carries whose sending is the latest event.
    pub(crate) fn load(&mut self) -> Load {
        if let Some(mut load) = self.spent.pop()
            && let Some(baggage) = Rc::get_mut(&mut load)
        {
            for (lane, baggage) in self.lanes.iter().zip(baggage) {
                lane.pack(baggage);
            }
            return load;
        }
        self.lanes.iter().filter_map(Lane::baggage).collect()
    }

    /// Takes back what a message carried: a later one carries its own in the same memory.
    pub(crate) fn unload(&mut self, load: Load) {
        // A copy of the message may still be on its way.
        if Rc::strong_count(&load) == 1 {
            self.spent.push(load);
        }
    }

    /// A node came back.
    pub(crate) fn restart(&mut self, node: NodeIndex, storage: Storage) {
        let fresh = fresh_id(&self.node_ids, &mut self.fresh_ids);
        self.node_ids.push(fresh);
        self.incarnations[node.at()] = fresh;
        let sequence = random_sequence(&mut self.sequences);
        for lane in &mut self.lanes {
            lane.restart(node, fresh, sequence, storage);
        }
    }

    /// What a node's ID sources have stored is copied.
    pub(crate) fn snapshot(&mut self, node: NodeIndex) {
        self.lanes.iter_mut().for_each(|lane| lane.snapshot(node));
    }

    /// A node is a copy of another from here on.
    pub(crate) fn clone_node(&mut self, node: NodeIndex, of: NodeIndex) {
        self.incarnations[node.at()] = self.incarnations[of.at()];
        self.lanes.iter_mut().for_each(|lane| lane.clone_node(node, of));
    }

    /// A node bears the ID of another from here on, and knows nothing of what was made under it.
    pub(crate) fn reuse(&mut self, node: NodeIndex, of: NodeIndex) {
        self.incarnations[node.at()] = self.incarnations[of.at()];
        self.lanes.iter_mut().for_each(|lane| lane.reuse(node, of));
    }

    pub(crate) fn node_id(&self, node: NodeIndex) -> NodeId {
        self.incarnations[node.at()]
    }

    pub(crate) fn finish_trace(&mut self) -> io::Result<()> {
        self.trace.take().map_or(Ok(()), TraceWriter::finish)
    }
}

/// A random node ID that no node bears yet. (That two may share one is a scenario of its own.)
pub(crate) fn fresh_id(taken: &[NodeId], rng: &mut Rng) -> NodeId {
    loop {
        let id = NodeId::new((rng.next_u64() >> 32) as u32);
        if !taken.contains(&id) {
            return id;
        }
    }
}

/// A stamp of tick zero: a place for the sequence to start from.
fn random_sequence(rng: &mut Rng) -> Stamp {
    Stamp::from_u64(rng.next_u64() >> 50).unwrap_or_default()
}
