//! The engine: one thread, one queue, true time in nanoseconds.
//!
//! # Invariants
//!
//! * The next entry of the queue is the earliest, ties by the order of pushing: the run is a
//!   function of configuration, seed and the code of the nodes, and of nothing else.
//! * A process is called with its own node's context only, and never after it crashed.
//! * Timers and messages of an earlier incarnation reach nobody.

use thiserror::Error;

use guid_core::NodeId;

use crate::{
    ClockModel, Ctx, Event, EventKind, Fault, LocalClock, NodeClock, NodeIndex, Process, Purpose,
    Report, Rng, ScenarioError, SessionOp, Streams, WorldConfig,
    network::{Fate, Network},
    queue::Queue,
    recorder::{Load, Recorder},
    verdict,
};

/// NTP slews at most half a millisecond a second.
const MAX_SLEW_PPB: i128 = 500_000;

/// A run may take this many steps for each event it may make.
const STEPS_AN_EVENT: u64 = 16;

/// Why a run did not come to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scenario expects something of a check that this run does not have.
    #[error("{0}")]
    NoSuchCheck(ScenarioError),
    /// It made more events than allowed.
    #[error("the run was given up after {0} events: lower a rate or the duration")]
    TooManyEvents(u64),
    /// It did more without making events than allowed: timers that set the next one at once.
    #[error("the run was given up after {0} timers and messages, most of which made no event")]
    TooManySteps(u64),
    /// The trace could not be written.
    #[error("the trace cannot be written: {0}")]
    Trace(#[from] std::io::Error),
}

/// Runs the code of the nodes to the end of the configured time, and judges what happened.
///
/// `make` is called for each node at its start and again at each restart.
///
/// # Errors
///
/// See [`RunError`].
///
/// # Examples
///
/// See [`Process`].
pub fn simulate<P: Process>(
    mut config: WorldConfig,
    make: impl FnMut(NodeIndex) -> P,
) -> Result<Report, RunError> {
    let mut world = World::new(&mut config, make);
    let end = config.start_ns.saturating_add(config.duration_ns);
    let mut steps = 0_u64;
    while world.step(end) {
        steps += 1;
        if steps / STEPS_AN_EVENT > config.max_events {
            return Err(RunError::TooManySteps(steps));
        }
        if world.core.recorder.events > config.max_events {
            return Err(RunError::TooManyEvents(config.max_events));
        }
    }
    world.core.recorder.finish_trace()?;
    Ok(verdict::report(&config, &world.core.recorder))
}

struct World<P: Process, F> {
    core: Core<P::Message>,
    processes: Vec<Option<P>>,
    make: F,
}

/// All of the world but the processes: what a [`Ctx`] reaches into.
pub(crate) struct Core<M> {
    now: u64,
    queue: Queue<Due<M>>,
    network: Network,
    nodes: Vec<Node>,
    recorder: Recorder,
    clocks: ClockModel,
    messages: u64,
}

struct Node {
    clock: NodeClock,
    local: LocalClock,
    incarnation: u32,
    /// Whether offset and rate are drawn and disciplined.
    disciplined: bool,
    clock_rng: Rng,
    network_rng: Rng,
    workload_rng: Rng,
    stable: Option<Vec<u8>>,
}

enum Due<M> {
    Start(NodeIndex),
    Deliver(Envelope<M>),
    Timer { node: NodeIndex, incarnation: u32, timer: u64 },
    Fault(Fault),
    Thaw(NodeIndex),
    Strobe(Strobe),
    Poll(NodeIndex),
}

/// A clock that jumps away and back.
#[derive(Clone, Copy)]
struct Strobe {
    node: NodeIndex,
    by_ns: i64,
    every_ns: u64,
    until: u64,
    /// Whether it is away now.
    away: bool,
}

#[derive(Clone)]
struct Envelope<M> {
    number: u64,
    from: NodeIndex,
    to: NodeIndex,
    body: M,
    load: Load,
}

impl<P: Process, F: FnMut(NodeIndex) -> P> World<P, F> {
    fn new(config: &mut WorldConfig, make: F) -> Self {
        let core = Core::new(config);
        let processes = NodeIndex::first(config.nodes).map(|_| None).collect();
        Self { core, processes, make }
    }

    /// Does what is due next; false when nothing is due before the end.
    fn step(&mut self, end: u64) -> bool {
        let Some((at, due)) = self.core.queue.pop_until(end) else { return false };
        debug_assert!(at >= self.core.now, "time does not run backwards");
        self.core.now = at;
        match due {
            Due::Start(node) => {
                self.processes[node.at()] = Some((self.make)(node));
                self.call(node, P::on_start);
            }
            Due::Deliver(envelope) => self.deliver(envelope),
            Due::Timer { node, incarnation, timer } => {
                if self.core.nodes[node.at()].incarnation == incarnation {
                    self.call(node, |process, ctx| process.on_timer(ctx, timer));
                }
            }
            Due::Fault(fault) => self.fault(&fault),
            Due::Thaw(node) => self.core.nodes[node.at()].clock.thaw(at),
            Due::Strobe(strobe) => self.core.strobe(strobe),
            Due::Poll(node) => self.core.poll(node),
        }
        true
    }

    /// Calls a process, if the node is up.
    fn call(&mut self, node: NodeIndex, handle: impl FnOnce(&mut P, &mut Ctx<'_, P::Message>)) {
        if let Some(process) = &mut self.processes[node.at()] {
            self.core.show_clock(node);
            handle(process, &mut Ctx { core: &mut self.core, node });
        }
    }

    fn deliver(&mut self, envelope: Envelope<P::Message>) {
        let Envelope { number, from, to, body, load } = envelope;
        let up = self.processes[to.at()].is_some();
        if !up || !self.core.network.connected(from, to) {
            self.core.record(to, EventKind::Lost { message: number }, None);
            return;
        }
        self.core.record(to, EventKind::Receive { message: number, from }, Some(&load));
        self.call(to, |process, ctx| process.on_message(ctx, from, body));
    }

    fn fault(&mut self, fault: &Fault) {
        let now = self.core.now;
        match *fault {
            Fault::ClockFreeze { node, for_ns } => {
                self.core.record(node, EventKind::ClockFault { by_ns: 0 }, None);
                self.core.nodes[node.at()].clock.freeze(now);
                self.core.queue.push(now.saturating_add(for_ns), Due::Thaw(node));
            }
            Fault::ClockRate { node, ppb } => {
                self.core.record(node, EventKind::ClockFault { by_ns: 0 }, None);
                self.core.nodes[node.at()].clock.set_rate(now, ppb);
            }
            Fault::ClockStep { node, by_ns } => {
                self.core.nodes[node.at()].clock.step(now, by_ns);
                self.core.record(node, EventKind::ClockFault { by_ns }, None);
            }
            Fault::ClockStrobe { node, by_ns, every_ns, for_ns } => {
                let (every_ns, until) = (every_ns.max(1), now.saturating_add(for_ns));
                self.core.strobe(Strobe { node, by_ns, every_ns, until, away: false });
            }
            Fault::Crash { node } => self.crash(node),
            Fault::Restart { node } => self.restart(node),
            Fault::Partition { ref groups } => {
                self.core.record(NodeIndex::new(0), EventKind::Partition, None);
                let nodes = self.core.node_count();
                self.core.network.partition(nodes, groups);
            }
            Fault::Heal => {
                self.core.record(NodeIndex::new(0), EventKind::Heal, None);
                self.core.network.heal();
            }
        }
    }

    fn crash(&mut self, node: NodeIndex) {
        if let Some(mut process) = self.processes[node.at()].take() {
            process.on_crash();
            self.core.record(node, EventKind::Crash, None);
            // Timers of the dead incarnation match nobody from here on.
            self.core.nodes[node.at()].incarnation += 1;
        }
    }

    fn restart(&mut self, node: NodeIndex) {
        if self.processes[node.at()].is_none() {
            self.processes[node.at()] = Some((self.make)(node));
            self.core.record(node, EventKind::Restart, None);
            self.call(node, P::on_restart);
        }
    }
}

impl<M> Core<M> {
    fn new(config: &mut WorldConfig) -> Self {
        let streams = Streams::new(config.seed);
        let start = config.start_ns;
        let nodes: Vec<Node> = NodeIndex::first(config.nodes)
            .map(|node| Node::new(node, start, &config.clocks, streams))
            .collect();
        let locals: Vec<LocalClock> = nodes.iter().map(|node| node.local.clone()).collect();
        let mut queue = Queue::new();
        for fault in &config.faults {
            queue.push(start.saturating_add(fault.at_ns), Due::Fault(fault.fault.clone()));
        }
        for (index, node) in NodeIndex::first(config.nodes).zip(&nodes) {
            if node.disciplined {
                queue.push(start, Due::Poll(index));
            }
            queue.push(start, Due::Start(index));
        }
        Self {
            now: start,
            queue,
            network: Network::new(config.network.clone()),
            nodes,
            recorder: Recorder::new(config, streams, &locals),
            clocks: config.clocks.clone(),
            messages: 0,
        }
    }

    /// Steers a disciplined clock towards its next target.
    fn poll(&mut self, node: NodeIndex) {
        let Some(discipline) = self.clocks.discipline else { return };
        let of = &mut self.nodes[node.at()];
        let target = i128::from(discipline.target.sample(&mut of.clock_rng));
        let every = i128::from(discipline.every_ns.max(1));
        let ppb = (target - of.clock.offset(self.now)) * 1_000_000_000 / every;
        let ppb = i64::try_from(ppb.clamp(-MAX_SLEW_PPB, MAX_SLEW_PPB)).unwrap_or(0);
        of.clock.set_rate(self.now, ppb);
        self.queue.push(self.now.saturating_add(discipline.every_ns.max(1)), Due::Poll(node));
    }

    /// Jumps the other way, unless it is over and the clock is back.
    fn strobe(&mut self, strobe: Strobe) {
        let over = self.now >= strobe.until;
        if over && !strobe.away {
            return;
        }
        let by_ns = if strobe.away { strobe.by_ns.saturating_neg() } else { strobe.by_ns };
        self.nodes[strobe.node.at()].clock.step(self.now, by_ns);
        self.record(strobe.node, EventKind::ClockFault { by_ns }, None);
        let next = self.now.saturating_add(strobe.every_ns);
        self.queue.push(next, Due::Strobe(Strobe { away: !strobe.away, ..strobe }));
    }

    fn show_clock(&self, node: NodeIndex) {
        let of = &self.nodes[node.at()];
        of.local.set(of.clock.read(self.now));
    }

    fn record(&mut self, node: NodeIndex, kind: EventKind, received: Option<&Load>) -> Load {
        self.show_clock(node);
        let of = &self.nodes[node.at()];
        let event = Event {
            number: 0, // given by the recorder
            node,
            incarnation: of.incarnation,
            true_ns: self.now,
            local_ns: of.clock.read(self.now),
            kind,
        };
        self.recorder.event(event, received)
    }

    pub(crate) fn node_count(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn node_id(&self, node: NodeIndex) -> NodeId {
        self.recorder.node_id(node)
    }

    pub(crate) fn local_ns(&self, node: NodeIndex) -> u64 {
        self.nodes[node.at()].clock.read(self.now)
    }

    pub(crate) fn local_clock(&self, node: NodeIndex) -> LocalClock {
        self.nodes[node.at()].local.clone()
    }

    pub(crate) fn workload_rng(&mut self, node: NodeIndex) -> &mut Rng {
        &mut self.nodes[node.at()].workload_rng
    }

    pub(crate) fn set_timer(&mut self, node: NodeIndex, local_ns: u64, timer: u64) {
        let of = &self.nodes[node.at()];
        let at = self.now.saturating_add(of.clock.true_delay(local_ns));
        self.queue.push(at, Due::Timer { node, incarnation: of.incarnation, timer });
    }

    pub(crate) fn mint(&mut self, node: NodeIndex) {
        self.record(node, EventKind::Mint, None);
    }

    pub(crate) fn write(&mut self, node: NodeIndex, register: u64, overwrite: bool) {
        self.record(node, EventKind::Write { register, overwrite }, None);
    }

    pub(crate) fn replica_state(&mut self, node: NodeIndex, received: u128, shown: u128) {
        self.recorder.convergence.state(node, received, shown);
    }

    pub(crate) fn count(&mut self, name: &'static str, by: u64) {
        *self.recorder.counts.entry(name).or_default() += by;
    }

    pub(crate) fn record_max(&mut self, name: &'static str, value: u64) {
        let max = self.recorder.counts.entry(name).or_default();
        *max = value.max(*max);
    }

    /// The latest event, as seen from a node.
    fn here(&self, node: NodeIndex) -> Event {
        let of = &self.nodes[node.at()];
        Event {
            number: self.recorder.events,
            node,
            incarnation: of.incarnation,
            true_ns: self.now,
            local_ns: of.clock.read(self.now),
            kind: EventKind::Mint,
        }
    }

    pub(crate) fn claim(&mut self, node: NodeIndex, name: &'static str, holds: bool) {
        let event = self.here(node);
        self.recorder.claims.entry(name).or_default().add(event, holds);
    }

    pub(crate) fn session(&mut self, node: NodeIndex, client: u64, op: SessionOp<'_>) {
        let event = self.here(node);
        let sessions = &mut self.recorder.sessions;
        match op {
            SessionOp::Read { seen } => sessions.read(client, seen, event),
            SessionOp::Write { seen, dot } => sessions.write(client, seen, dot, event),
        }
    }

    pub(crate) fn persist(&mut self, node: NodeIndex, bytes: Vec<u8>) {
        self.nodes[node.at()].stable = Some(bytes);
    }

    pub(crate) fn persisted(&self, node: NodeIndex) -> Option<&[u8]> {
        self.nodes[node.at()].stable.as_deref()
    }
}

impl<M: Clone> Core<M> {
    pub(crate) fn send(&mut self, from: NodeIndex, to: NodeIndex, body: M) {
        self.messages += 1;
        let number = self.messages;
        let load = self.record(from, EventKind::Send { message: number, to }, None);
        let envelope = Envelope { number, from, to, body, load };
        let fate = self.network.route(from, to, &mut self.nodes[from.at()].network_rng);
        match fate {
            Fate::Lost => {
                self.record(from, EventKind::Lost { message: number }, None);
            }
            Fate::Once(after) => self.push_delivery(after, envelope),
            Fate::Twice(first, second) => {
                self.push_delivery(first, envelope.clone());
                self.push_delivery(second, envelope);
            }
        }
    }

    fn push_delivery(&mut self, after: u64, envelope: Envelope<M>) {
        self.queue.push(self.now.saturating_add(after), Due::Deliver(envelope));
    }
}

impl Node {
    fn new(node: NodeIndex, start: u64, model: &ClockModel, streams: Streams) -> Self {
        let mut clock_rng = streams.of(node, Purpose::Clock);
        let (offset, rate) =
            (model.offset.sample(&mut clock_rng), model.rate.sample(&mut clock_rng));
        let fixed = model.fixed.iter().find(|fixed| fixed.node == node);
        let (offset, ppb) = fixed.map_or((offset, rate), |fixed| (fixed.offset_ns, fixed.ppb));
        let clock = NodeClock::new(start, offset, ppb).with_granularity(model.granularity_ns);
        let local = LocalClock::default();
        local.set(clock.read(start));
        Self {
            clock,
            local,
            incarnation: 1,
            disciplined: fixed.is_none() && model.discipline.is_some(),
            clock_rng,
            network_rng: streams.of(node, Purpose::Network),
            workload_rng: streams.of(node, Purpose::Workload),
            stable: None,
        }
    }
}
