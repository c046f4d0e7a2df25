//! A lane: one scheme carried along the whole run, with its checkers.

use guid_core::{Drift, NodeId, Stamp, Tick};
use guid_crdt::VectorClock;

use crate::{
    Event, EventKind, Memory, NodeIndex, Observe, Scheme,
    checker::{
        Causal, DISORDER_LIMIT, Disorder, Edges, Endpoint, HlcCounter, KOrder, Keyed, Lead, Lww,
        Monotone, Observed, Order, Pairs, Past, RECORDS_LIMIT, StampSkew, UNIQUE_LIMIT, Unique,
        VectorIff,
    },
    recorder::Storage,
    stamper::{Setup, Stamper},
};

/// What a message carries of a lane.
#[derive(Clone, Debug)]
pub(crate) struct Baggage {
    /// The ID in time order.
    time: u128,
    endpoint: Endpoint,
    past_bytes: Past,
    past_time: Past,
    vector: Option<VectorClock>,
    /// The place of the send among the recorded vector clocks.
    vector_place: Option<usize>,
}

/// What a lane needs to know of a run.
#[derive(Clone, Debug)]
pub(crate) struct LaneConfig<'a> {
    pub(crate) observe: Observe,
    pub(crate) memory: Memory,
    pub(crate) gaps_ns: &'a [u64],
    pub(crate) disorder: bool,
    pub(crate) nodes: &'a [Setup],
    /// How many lanes there are.
    pub(crate) lanes: usize,
}

/// One scheme on one run.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) scheme: Scheme,
    window_ns: Option<u64>,
    pub(crate) observe: Observe,
    memory: Memory,
    stampers: Vec<Stamper>,
    pub(crate) unique: Unique,
    pub(crate) monotone: Monotone,
    pub(crate) causal_time: Causal,
    pub(crate) causal_bytes: Causal,
    pub(crate) k_order: Option<KOrder>,
    pub(crate) disorder: Option<Disorder>,
    pub(crate) skew: StampSkew,
    pub(crate) lead: Lead,
    pub(crate) edges: Edges,
    pub(crate) pairs: Vec<Pairs>,
    pub(crate) lww: Vec<Lww>,
    pub(crate) vector: Option<VectorIff>,
    /// The most entries of any vector clock.
    pub(crate) entries_most: u64,
    pub(crate) hlc: Option<HlcCounter>,
    pub(crate) refused: u64,
    latest: Option<Latest>,
}

/// What a lane made of the latest event.
#[derive(Clone, Copy, Debug)]
struct Latest {
    time: u128,
    endpoint: Endpoint,
    vector_place: Option<usize>,
}

impl Lane {
    pub(crate) fn new(scheme: Scheme, config: &LaneConfig<'_>) -> Self {
        let nodes = u32::try_from(config.nodes.len()).unwrap_or(u32::MAX);
        let stampers =
            config.nodes.iter().map(|setup| Stamper::new(scheme, setup, config.observe)).collect();
        let window = scheme.window_ns();
        let gaps = if scheme.has_pair_form() { config.gaps_ns } else { &[] };
        let pairs = |window| gaps.iter().map(move |&gap| Pairs::new(gap, window));
        Self {
            scheme,
            window_ns: window,
            observe: config.observe,
            memory: config.memory,
            stampers,
            unique: Unique::new(nodes, UNIQUE_LIMIT / config.lanes.max(1)),
            monotone: Monotone::new(nodes),
            causal_time: Causal::new(nodes),
            causal_bytes: Causal::new(nodes),
            k_order: window.map(|_| {
                KOrder::new(nodes, cell_bits(scheme), RECORDS_LIMIT / config.lanes.max(1))
            }),
            disorder: (config.disorder && scheme.is_ordered())
                .then(|| Disorder::new(DISORDER_LIMIT / config.lanes.max(1))),
            skew: StampSkew::new(nodes),
            // A hybrid clock is exact, yet stands for a whole nanosecond of its own.
            lead: Lead::new(nodes, granularity_ns(scheme), promises(scheme, config.observe)),
            edges: Edges::default(),
            pairs: window.into_iter().flat_map(pairs).collect(),
            lww: registers(scheme, config.observe),
            vector: (scheme == Scheme::Vector).then(|| VectorIff::new(nodes)),
            entries_most: 0,
            hlc: (scheme == Scheme::Hlc).then(HlcCounter::default),
            refused: 0,
            latest: None,
        }
    }

    /// Stamps an event and lets every checker see it. Returns the key of the ID in k-order.
    pub(crate) fn event(&mut self, event: &Event, received: Option<&Baggage>) -> u128 {
        // An ID that was refused brings nothing along: as if it had not come with the message.
        let node = event.node.at();
        let received = received.filter(|received| {
            let accepted =
                self.stampers[node].observe(received.time, received.vector.as_ref()).is_ok();
            self.refused += u64::from(!accepted);
            accepted
        });
        let stamped = self.stampers[node].stamp();
        let by_bytes = Keyed { key: stamped.k, event: *event };
        let by_time = Keyed { key: stamped.time, event: *event };
        // Without a receive rule the stamp is the clock's reading, rounded down: the reading itself
        // says more about the gap.
        let observes = promises(self.scheme, self.observe);
        let ns = if observes { stamped.ns } else { event.local_ns };
        let (tail, id) = (stamped.tail, self.stampers[node].node());
        let endpoint = Endpoint { keyed: by_bytes, ns, tail, id };
        self.skew.event(event, stamped.ns);
        if self.window_ns.is_some() {
            self.lead.event(&by_time, stamped.ns);
        }

        self.unique.event(&by_bytes, stamped.time);
        self.monotone.event(&by_bytes);
        if self.scheme.is_ordered() {
            self.ordered(&by_time, &endpoint, received);
        }
        if let Some(hlc) = &mut self.hlc {
            hlc.event(&by_bytes);
        }
        let vector_place = self.vector(&by_bytes, received);
        self.latest = Some(Latest { time: stamped.time, endpoint, vector_place });
        stamped.k
    }

    /// What became of the latest event, for comparing it with others.
    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        self.latest.map(|latest| latest.endpoint)
    }

    /// What a message carries whose sending is the latest event.
    pub(crate) fn baggage(&self) -> Option<Baggage> {
        let Latest { time, endpoint, vector_place } = self.latest?;
        let (past_bytes, past_time, vector) = (None, None, None);
        let mut baggage = Baggage { time, endpoint, past_bytes, past_time, vector, vector_place };
        self.pack(&mut baggage);
        Some(baggage)
    }

    /// The same, in place of what an earlier message carried.
    pub(crate) fn pack(&self, baggage: &mut Baggage) {
        let Some(latest) = &self.latest else { return };
        let node = latest.endpoint.keyed.event.node;
        baggage.time = latest.time;
        baggage.endpoint = latest.endpoint;
        baggage.past_bytes = self.causal_bytes.past(node);
        baggage.past_time = self.causal_time.past(node);
        baggage.vector = self.stampers[node.at()].vector().cloned();
        baggage.vector_place = latest.vector_place;
    }

    fn ordered(&mut self, by_time: &Keyed, endpoint: &Endpoint, received: Option<&Baggage>) {
        let by_bytes = &endpoint.keyed;
        let past_time = received.and_then(|received| received.past_time.as_ref());
        self.causal_time.event(by_time, past_time);
        if self.scheme.has_two_orders() {
            let past_bytes = received.and_then(|received| received.past_bytes.as_ref());
            self.causal_bytes.event(by_bytes, past_bytes);
        }
        if let Some(k_order) = &mut self.k_order {
            k_order.event(by_bytes);
        }
        if let Some(disorder) = &mut self.disorder {
            disorder.event(by_bytes.key);
        }
        if let (Some(received), Some(window)) = (received, self.window_ns)
            && received.endpoint.id != endpoint.id
        {
            let observed = observed(self.scheme, self.observe);
            self.edges.count(&received.endpoint, endpoint, window, observed);
        }
        for pairs in &mut self.pairs {
            pairs.event(*endpoint);
        }
        if let EventKind::Write { .. } = by_bytes.event.kind {
            for lww in &mut self.lww {
                let keyed = if lww.order() == Order::Bytes { by_bytes } else { by_time };
                lww.event(*keyed, endpoint.ns);
            }
        }
    }

    fn vector(&mut self, keyed: &Keyed, received: Option<&Baggage>) -> Option<usize> {
        let recorded = self.vector.as_mut()?;
        let clock = self.stampers[keyed.event.node.at()].vector()?;
        self.entries_most = self.entries_most.max(clock.len() as u64);
        let sent = match keyed.event.kind {
            // The send lies beyond the recorded events, and so does this one.
            EventKind::Receive { .. } => received.and_then(|received| received.vector_place),
            _ => None,
        };
        recorded.event(*keyed, clock, sent)
    }

    pub(crate) fn restart(
        &mut self,
        node: NodeIndex,
        fresh: NodeId,
        sequence: Stamp,
        storage: Storage,
    ) {
        self.stampers[node.at()].restart(self.memory, fresh, sequence, storage);
        if self.memory == Memory::FreshNode {
            self.causal_time.forget(node);
            self.causal_bytes.forget(node);
            if let Some(vector) = &mut self.vector {
                vector.forget(node);
            }
        }
    }

    /// Says what the random bits of a node's next ID are.
    pub(crate) fn give(&mut self, node: NodeIndex, bits: u128) {
        self.stampers[node.at()].give(bits);
    }

    /// The drift code of a node's IDs, where its scheme has one.
    pub(crate) fn drift(&self, node: NodeIndex) -> Drift {
        self.stampers[node.at()].drift()
    }

    pub(crate) fn snapshot(&mut self, node: NodeIndex) {
        self.stampers[node.at()].snapshot();
    }

    pub(crate) fn clone_node(&mut self, node: NodeIndex, of: NodeIndex) {
        let clock = self.stampers[node.at()].clock();
        self.stampers[node.at()] = self.stampers[of.at()].twin(clock);
        self.causal_time.copy(node, of);
        self.causal_bytes.copy(node, of);
        if let Some(vector) = &mut self.vector {
            vector.copy(node, of);
        }
    }

    pub(crate) fn reuse(&mut self, node: NodeIndex, of: NodeIndex) {
        let id = self.stampers[of.at()].node();
        self.stampers[node.at()].take_node(id);
    }
}

/// Below which bits of an ID its node and its window stand: time and sequence inside a window.
fn cell_bits(scheme: Scheme) -> u32 {
    match scheme {
        Scheme::Bump(drift) | Scheme::Guid96(drift) | Scheme::Upstream(drift) => {
            32 + u32::from(drift.code())
        }
        _ => 0,
    }
}

/// What the times of a scheme's IDs can tell apart.
pub(crate) fn granularity_ns(scheme: Scheme) -> u64 {
    match scheme {
        _ if scheme.has_two_orders() => Tick::NANOS,
        _ => scheme.window_ns().unwrap_or(1),
    }
}

/// Whether the scheme promises that happens-before sorts smaller in time order.
pub(crate) fn promises(scheme: Scheme, observe: Observe) -> bool {
    scheme.observes() && observe != Observe::Off
}

/// Whether the scheme promises the same of k-order.
pub(crate) fn bytes_are_causal(scheme: Scheme, observe: Observe) -> bool {
    let one_order = !scheme.has_two_orders() || matches!(scheme, Scheme::Bump(_));
    one_order && promises(scheme, observe)
}

/// Whether the receive rule shows in the bytes of an ID. It does not where there are two orders,
/// but for a scheme that sees to it.
pub(crate) fn observed(scheme: Scheme, observe: Observe) -> Observed {
    match scheme {
        Scheme::Mixed => Observed::Unpredicted,
        _ if bytes_are_causal(scheme, observe) => Observed::Yes,
        _ => Observed::No,
    }
}

/// The registers a scheme is tried on: by bytes, and by time where that is another order.
fn registers(scheme: Scheme, observe: Observe) -> Vec<Lww> {
    if !scheme.is_ordered() {
        return Vec::new();
    }
    // Where an overwrite is above what it saw nothing can be lost, and nothing is left to chance.
    let chance = scheme.has_pair_form() && !bytes_are_causal(scheme, observe);
    let window = scheme.window_ns().filter(|_| chance);
    if scheme.has_two_orders() {
        return vec![Lww::new(Order::Bytes, window), Lww::new(Order::Time, None)];
    }
    vec![Lww::new(Order::Bytes, window)]
}
