//! The recorder: numbers the events, hashes and writes the trace, and drives the lanes.

use std::{borrow::Cow, cell::RefCell, collections::BTreeMap, io, rc::Rc};

use guid_core::{NodeId, Stamp};

use crate::{
    Event, EventKind, NodeIndex, SessionOp, TraceHash, WorldConfig,
    checker::{Claim, Convergence, Jumps, Sessions, StampSkew},
    explain::Finder,
    lane::{Baggage, Lane, LaneConfig},
    plan::{Tape, What},
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
    /// What happened, for who wants to replay it.
    tape: Option<Tape>,
    collector: Option<Rc<RefCell<Collector>>>,
    finder: Option<Rc<RefCell<Finder>>>,
    pub(crate) lanes: Vec<Lane>,
    /// The ID that each lane gave to the latest event.
    pub(crate) keys: Vec<u128>,
    /// What messages carried that have arrived.
    spent: Vec<Load>,
    pub(crate) convergence: Convergence,
    /// How far the clocks were off.
    pub(crate) offsets: StampSkew,
    /// How far they were stepped.
    pub(crate) jumps: Jumps,
    /// What processes counted.
    pub(crate) counts: BTreeMap<Cow<'static, str>, u64>,
    /// What processes claimed.
    pub(crate) claims: BTreeMap<Cow<'static, str>, Claim>,
    pub(crate) sessions: Sessions,
    /// The node ID of each node's present incarnation.
    incarnations: Vec<NodeId>,
}

impl Recorder {
    /// `setups` is what each node brings along.
    pub(crate) fn new(config: &mut WorldConfig, setups: &[Setup]) -> Self {
        let lane = LaneConfig {
            observe: config.observe,
            memory: config.memory,
            gaps_ns: &config.gaps_ns,
            disorder: config.disorder,
            nodes: setups,
            lanes: config.schemes.len(),
        };
        let lanes = config.schemes.iter().map(|&scheme| Lane::new(scheme, &lane)).collect();
        let mut trace = config.trace.take().map(|out| TraceWriter::new(out, &config.schemes));
        if let Some(trace) = &mut trace {
            trace.header(config);
        }
        let tape = config.tape.take();
        if let Some(tape) = &tape {
            tape.start(setups);
        }
        Self {
            events: 0,
            hash: TraceHash::default(),
            trace,
            tape,
            collector: config.collector.take(),
            finder: config.finder.take(),
            lanes,
            keys: Vec::new(),
            spent: Vec::new(),
            convergence: Convergence::new(config.nodes),
            offsets: StampSkew::new(config.nodes),
            jumps: Jumps::default(),
            counts: BTreeMap::new(),
            claims: BTreeMap::new(),
            sessions: Sessions::default(),
            incarnations: setups.iter().map(|setup| setup.node).collect(),
        }
    }

    /// Records an event and stamps it if it bears IDs. `received` is what its message carried.
    pub(crate) fn event(&mut self, mut event: Event, received: Option<&Load>) {
        self.events += 1;
        event.number = self.events;
        self.hash.event(&event);
        self.offsets.event(&event, event.local_ns);
        self.jumps.event(&event);
        self.keys.clear();
        match event.kind {
            EventKind::Crash => self.convergence.crash(event.node),
            EventKind::Restart => self.convergence.restart(event.node),
            _ => {}
        }
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
        if let Some(tape) = &self.tape {
            tape.event(&event, &self.lanes, &self.keys);
        }
        if let Some(collector) = &self.collector {
            collector.borrow_mut().event(&event, &self.keys, &self.lanes);
        }
        if let Some(finder) = &self.finder {
            finder.borrow_mut().event(&event);
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

    /// A node came back; if it remembers nothing it is this fresh one.
    pub(crate) fn restart(
        &mut self,
        node: NodeIndex,
        fresh: NodeId,
        sequence: Stamp,
        storage: Storage,
    ) {
        self.note(|| What::Restart { storage, fresh, sequence });
        self.incarnations[node.at()] = fresh;
        for lane in &mut self.lanes {
            lane.restart(node, fresh, sequence, storage);
        }
    }

    /// What a node's ID sources have stored is copied.
    pub(crate) fn snapshot(&mut self, here: &Event) {
        self.tell(here, || What::Snapshot);
        self.lanes.iter_mut().for_each(|lane| lane.snapshot(here.node));
    }

    /// A node is a copy of another from here on.
    pub(crate) fn clone_node(&mut self, node: NodeIndex, of: NodeIndex) {
        self.note(|| What::Clone { of });
        self.incarnations[node.at()] = self.incarnations[of.at()];
        self.lanes.iter_mut().for_each(|lane| lane.clone_node(node, of));
    }

    /// A node bears the ID of another from here on, and knows nothing of what was made under it.
    pub(crate) fn reuse(&mut self, node: NodeIndex, of: NodeIndex) {
        self.note(|| What::Join { reuse: Some(of) });
        self.incarnations[node.at()] = self.incarnations[of.at()];
        self.lanes.iter_mut().for_each(|lane| lane.reuse(node, of));
    }

    /// A process claims something of itself.
    pub(crate) fn claim(&mut self, here: Event, name: Cow<'static, str>, holds: bool) {
        self.tell(&here, || What::Claim { name: name.clone(), holds });
        self.claims.entry(name).or_default().add(here, holds);
    }

    /// A client does something at a replica.
    pub(crate) fn session(&mut self, here: Event, client: u64, op: SessionOp<'_>) {
        self.tell(&here, || What::session(client, op));
        match op {
            SessionOp::Read { seen } => self.sessions.read(client, seen, here),
            SessionOp::Write { seen, dot } => self.sessions.write(client, seen, dot, here),
        }
        if let Some(collector) = &self.collector {
            collector.borrow_mut().sessions(here.true_ns, &self.sessions.guarantees);
        }
    }

    /// A replica has received this and shows that.
    pub(crate) fn replica_state(&mut self, here: &Event, received: u128, shown: u128) {
        self.tell(here, || What::State { received, shown });
        self.hash.wide(received);
        self.hash.wide(shown);
        self.convergence.state(here, received, shown);
    }

    pub(crate) fn count(&mut self, here: &Event, name: Cow<'static, str>, by: u64) {
        self.tell(here, || What::Count { name: name.clone(), by });
        let total = self.counts.get(&name).map_or(by, |before| before.saturating_add(by));
        if let Some(collector) = &self.collector {
            collector.borrow_mut().count(&name, here.true_ns, total);
        }
        self.counts.insert(name, total);
    }

    pub(crate) fn record_max(&mut self, here: &Event, name: Cow<'static, str>, value: u64) {
        self.tell(here, || What::Most { name: name.clone(), value });
        if let Some(collector) = &self.collector {
            collector.borrow_mut().value(&name, here.true_ns, value);
        }
        let max = self.counts.entry(name).or_default();
        *max = value.max(*max);
    }

    /// Takes down what happens beside events.
    fn tell(&self, here: &Event, what: impl FnOnce() -> What) {
        if let Some(tape) = &self.tape {
            tape.tell(here, what());
        }
    }

    /// Takes down what the latest event was, in full.
    fn note(&self, what: impl FnOnce() -> What) {
        if let Some(tape) = &self.tape {
            tape.note(what());
        }
    }

    pub(crate) fn node_id(&self, node: NodeIndex) -> NodeId {
        self.incarnations[node.at()]
    }

    pub(crate) fn finish_trace(&mut self) -> io::Result<()> {
        self.trace.take().map_or(Ok(()), TraceWriter::finish)
    }
}
