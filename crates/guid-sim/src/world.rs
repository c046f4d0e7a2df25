//! The engine: one thread, one queue, true time in nanoseconds.
//!
//! # Invariants
//!
//! * The next entry of the queue is the earliest, ties by the order of pushing: the run is a
//!   function of configuration, seed and the code of the nodes, and of nothing else.
//! * A process is called with its own node's context only, and never after it crashed.
//! * Timers and messages of an earlier incarnation reach nobody.

mod node;
mod clocks;
mod faults;
mod writers;

use std::{any::Any, borrow::Cow, rc::Rc, sync::atomic::Ordering};

use guid_core::NodeId;
use guid_crdt::{Dot, VectorClock};
use thiserror::Error;

use crate::{
    ClockModel, Ctx, Event, EventKind, Fault, LocalClock, Memory, NodeIndex, Process, Report, Rng,
    ScenarioError, ScheduledFault, SessionOp, Streams, WorldConfig,
    identity::Identities,
    network::{Fate, Network},
    queue::Queue,
    recorder::{Load, Recorder},
    verdict,
};

use self::{
    clocks::{Strobe, Tending},
    node::Node,
    writers::Writers,
};

/// A run may take this many steps for each event it may make.
const STEPS_AN_EVENT: u64 = 16;

/// So many steps may be taken at one moment of true time: many times what any number of nodes and
/// messages needs, and soon over.
const STEPS_A_MOMENT: u64 = 1 << 22;

/// So many timers and messages may be under way at once: some half a gigabyte, or more where
/// messages are large.
const MOST_UNDER_WAY: usize = 1 << 22;

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
    /// Time stood still: timers that set the next one for at once, messages that take no time.
    #[error(
        "the run was given up after {0} timers and messages at one moment: time does not go on \
         where each sets or sends the next with no delay"
    )]
    TimeStandsStill(u64),
    /// More was under way at once than allowed: timers that set two, messages that are answered by
    /// two.
    #[error("the run was given up with {0} timers and messages under way: each may make several")]
    TooMuchUnderWay(usize),
    /// Whoever waited for it waits no longer.
    #[error("the run was stopped: it took too long, or too much memory")]
    Stopped,
    /// The trace could not be written.
    #[error("the trace cannot be written: {0}")]
    Trace(#[from] std::io::Error),
}

impl RunError {
    /// Whether the run was given up for its size: what it would have shown cannot be told.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(guid_sim::RunError::TooManyEvents(20_000_000).is_limit());
    /// ```
    pub const fn is_limit(&self) -> bool {
        !matches!(self, Self::NoSuchCheck(_) | Self::Trace(_))
    }
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
    let end = config.start_ns().saturating_add(config.duration_ns);
    let (mut steps, mut now, mut steps_before) = (0_u64, config.start_ns(), 0);
    while world.step(end) {
        steps += 1;
        if config.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(RunError::Stopped);
        }
        if world.core.now > now {
            (now, steps_before) = (world.core.now, steps);
        } else if steps - steps_before > STEPS_A_MOMENT {
            return Err(RunError::TimeStandsStill(STEPS_A_MOMENT));
        }
        if steps / STEPS_AN_EVENT > config.max_events {
            return Err(RunError::TooManySteps(steps));
        }
        let under_way = world.core.queue.most() + world.core.held.len();
        if under_way > MOST_UNDER_WAY {
            return Err(RunError::TooMuchUnderWay(under_way));
        }
        if world.core.recorder.events > config.max_events {
            return Err(RunError::TooManyEvents(config.max_events));
        }
    }
    world.core.count_lost();
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
    identities: Identities,
    clocks: ClockModel,
    writers: Writers,
    memory: Memory,
    start: u64,
    messages: u64,
    /// Whether messages to each node are held back, and those that are.
    held_back: Vec<bool>,
    held: Vec<Envelope<M>>,
}

enum Due<M> {
    Start(NodeIndex),
    Deliver(Envelope<M>),
    Timer { node: NodeIndex, incarnation: u32, timer: u64 },
    Fault(Fault),
    Resume(NodeIndex),
    Strobe(Strobe),
    Clock(NodeIndex, Tending),
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
            Due::Start(node) => self.start(node),
            Due::Deliver(ref envelope) if self.core.is_paused(envelope.to) => {
                let until = self.core.nodes[envelope.to.at()].paused_until;
                self.core.queue.push(until, due);
            }
            Due::Deliver(envelope) => self.deliver(envelope),
            Due::Timer { node, .. } if self.core.is_paused(node) => {
                let until = self.core.nodes[node.at()].paused_until;
                self.core.queue.push(until, due);
            }
            Due::Timer { node, incarnation, timer } => {
                if self.core.nodes[node.at()].incarnation == incarnation {
                    self.call(node, |process, ctx| process.on_timer(ctx, timer));
                }
            }
            Due::Fault(fault) => self.fault(&fault),
            Due::Resume(node) => self.core.resume(node),
            Due::Strobe(strobe) => self.core.strobe(strobe),
            Due::Clock(node, tending) => self.core.tend(node, tending),
        }
        true
    }

    fn start(&mut self, node: NodeIndex) {
        self.boot(node);
        self.call(node, P::on_start);
    }

    fn boot(&mut self, node: NodeIndex) {
        self.processes[node.at()] = Some((self.make)(node));
        self.core.nodes[node.at()].up = true;
    }

    /// Calls a process, if the node is up.
    fn call(&mut self, node: NodeIndex, handle: impl FnOnce(&mut P, &mut Ctx<'_, P::Message>)) {
        if let Some(process) = &mut self.processes[node.at()] {
            self.core.show_clock(node);
            handle(process, &mut Ctx { core: &mut self.core, node });
        }
    }

    fn deliver(&mut self, envelope: Envelope<P::Message>) {
        if self.core.held_back[envelope.to.at()] {
            self.core.held.push(envelope);
            return;
        }
        let Envelope { number, from, to, body, load } = envelope;
        let up = self.processes[to.at()].is_some();
        if !up || !self.core.network.connected(from, to) {
            self.core.record(to, EventKind::Lost { message: number }, None);
            return;
        }
        self.core.record(to, EventKind::Receive { message: number, from }, Some(&load));
        self.core.recorder.unload(load);
        self.call(to, |process, ctx| process.on_message(ctx, from, body));
    }
}

impl<M> Core<M> {
    fn new(config: &mut WorldConfig) -> Self {
        let streams = Streams::new(config.seed);
        let start = config.start_ns();
        let mut nodes: Vec<Node> = NodeIndex::first(config.nodes)
            .map(|node| Node::new(node, start, &config.clocks, streams))
            .collect();
        for node in faults::late_starters(&config.faults) {
            nodes[node.at()].up = false;
        }
        let locals: Vec<LocalClock> = nodes.iter().map(|node| node.local.clone()).collect();
        let mut queue = Queue::new();
        let due = |fault: &ScheduledFault| {
            (start.saturating_add(fault.at_ns), Due::Fault(fault.fault.clone()))
        };
        // Nodes start into a world that is as wrong as it is at first; what stops a node comes
        // after its start, even at the same moment.
        let (stop, others): (Vec<&ScheduledFault>, Vec<&ScheduledFault>) =
            config.faults.iter().partition(|one| one.at_ns == 0 && one.fault.is_of_running());
        others.into_iter().map(due).for_each(|(at, due)| queue.push(at, due));
        for (index, node) in NodeIndex::first(config.nodes).zip(&mut nodes) {
            for (after, tending) in node.tendings(&config.clocks) {
                queue.push(start.saturating_add(after), Due::Clock(index, tending));
            }
            if node.up {
                queue.push(start, Due::Start(index));
            }
        }
        stop.into_iter().map(due).for_each(|(at, due)| queue.push(at, due));
        let mut identities = Identities::new(streams);
        let setups = identities.setups(config, streams, &locals);
        Self {
            now: start,
            queue,
            network: Network::new(config.network.clone()),
            nodes,
            recorder: Recorder::new(config, &setups),
            identities,
            clocks: config.clocks.clone(),
            writers: Writers::new(config.nodes),
            memory: config.memory,
            start,
            messages: 0,
            held_back: vec![false; config.nodes as usize],
            held: Vec::new(),
        }
    }

    /// Lets the node see its clock; returns the reading.
    fn show_clock(&self, node: NodeIndex) -> u64 {
        let of = &self.nodes[node.at()];
        let reading = of.clock.read(self.now);
        of.local.set(reading);
        reading
    }

    fn record(&mut self, node: NodeIndex, kind: EventKind, received: Option<&Load>) {
        let local_ns = self.show_clock(node);
        let event = Event {
            number: 0, // given by the recorder
            node,
            incarnation: self.nodes[node.at()].incarnation,
            true_ns: self.now,
            local_ns,
            kind,
        };
        self.recorder.event(event, received);
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
        let here = self.here(node);
        self.recorder.replica_state(&here, received, shown);
    }

    pub(crate) fn count(&mut self, node: NodeIndex, name: &'static str, by: u64) {
        let here = self.here(node);
        self.recorder.count(&here, Cow::Borrowed(name), by);
    }

    pub(crate) fn record_max(&mut self, node: NodeIndex, name: &'static str, value: u64) {
        let here = self.here(node);
        self.recorder.record_max(&here, Cow::Borrowed(name), value);
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
        let here = self.here(node);
        self.recorder.claim(here, Cow::Borrowed(name), holds);
    }

    pub(crate) fn session(&mut self, node: NodeIndex, client: u64, op: SessionOp<'_>) {
        let here = self.here(node);
        self.recorder.session(here, client, op);
    }

    pub(crate) fn persist(&mut self, node: NodeIndex, bytes: Vec<u8>) {
        self.nodes[node.at()].stable.bytes = Some(bytes);
    }

    pub(crate) fn persisted(&self, node: NodeIndex) -> Option<&[u8]> {
        self.nodes[node.at()].stable.bytes.as_deref()
    }

    pub(crate) fn store(&mut self, node: NodeIndex, value: Rc<dyn Any>) {
        self.nodes[node.at()].stable.value = Some(value);
    }

    pub(crate) fn stored(&self, node: NodeIndex) -> Option<&dyn Any> {
        self.nodes[node.at()].stable.value.as_deref()
    }

    pub(crate) const fn memory(&self) -> Memory {
        self.memory
    }

    pub(crate) const fn since_start_ns(&self) -> u64 {
        self.now - self.start
    }

    pub(crate) fn wrote(&mut self, node: NodeIndex, dot: Dot, seen: &VectorClock) {
        if let Some(holds) = self.writers.wrote(node, dot, seen) {
            self.claim(node, "one-writer", holds);
        }
    }

    pub(crate) fn holds(&mut self, node: NodeIndex, seen: VectorClock) {
        self.writers.holds(node, seen);
    }

    /// Says in the end what crashes lost.
    fn count_lost(&mut self) {
        if let Some((lost, unwatched)) = self.writers.lost() {
            self.count(NodeIndex::new(0), "writes-lost", lost);
            if unwatched > 0 {
                self.count(NodeIndex::new(0), "writes-unwatched", unwatched);
            }
        }
    }
}

impl<M: Clone> Core<M> {
    pub(crate) fn send(&mut self, from: NodeIndex, to: NodeIndex, body: M) {
        self.messages += 1;
        let number = self.messages;
        self.record(from, EventKind::Send { message: number, to }, None);
        let Node { network_rng, reorder_rng, .. } = &mut self.nodes[from.at()];
        let fate = self.network.route(self.now, (from, to), network_rng, reorder_rng);
        if fate == Fate::Lost {
            self.record(from, EventKind::Lost { message: number }, None);
            return;
        }
        let envelope = Envelope { number, from, to, body, load: self.recorder.load() };
        match fate {
            Fate::Lost => {}
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
