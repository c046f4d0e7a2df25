//! One random history: run, and checked as it runs.

use core::time::Duration;

use guid_core::{ManualClock, NodeId};
use guid_crdt::{ApplyError, Causality, Changed, Lattice, Replica, Replicated, Versioned};

use crate::rng::Rng;
use crate::spec::{Bytes, Event, Events, Group, Spec};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    States,
    DeltasInOrder,
    DeltasInDisorder,
}

#[derive(Debug, Default)]
pub(crate) struct Stats {
    pub(crate) steps: u64,
    pub(crate) events: u64,
    pub(crate) checks: u64,
    /// Replicas that had an event and not all that happened before it: not checked until repaired.
    pub(crate) open: u64,
    pub(crate) gaps: u64,
    pub(crate) groups: u64,
}

type Delta<S> = <<S as Spec>::State as Replicated>::Delta;

struct History<'a, S: Spec> {
    seed: u64,
    rng: Rng,
    clocks: &'a [ManualClock],
    replicas: Vec<Replica<S::State, &'a ManualClock>>,
    /// For each replica the events it has seen.
    seen: Vec<Events>,
    events: Vec<Event<S::Op>>,
    deltas: Vec<Delta<S>>,
    snapshots: Vec<(S::State, Events)>,
    stats: &'a mut Stats,
}

pub(crate) fn run<S: Spec>(exchange: Exchange, seed: u64, stats: &mut Stats) {
    let mut rng = Rng::new(seed);
    let count = 2 + rng.below(4);
    let clocks: Vec<ManualClock> = (0..count).map(|_| ManualClock::default()).collect();
    // Nodes in a random order: ties must not depend on luck.
    let mut nodes: Vec<u32> = (1..=5).collect();
    for i in (1..nodes.len()).rev() {
        nodes.swap(i, rng.below(i + 1));
    }
    let replicas = clocks
        .iter()
        .zip(nodes)
        .map(|(clock, node)| Replica::new(NodeId::new(node), clock).with_max_ahead(Duration::MAX));
    let mut history = History::<S> {
        seed,
        clocks: &clocks,
        replicas: replicas.collect(),
        seen: vec![0; count],
        events: Vec::new(),
        deltas: Vec::new(),
        snapshots: Vec::new(),
        stats,
        rng,
    };
    for _ in 0..6 + history.rng.below(30) {
        let stepped = history.step(exchange);
        history.stats.steps += 1;
        // Reading the bytes back checks what no value shows: that what was taken in has no holes.
        let bytes = history.replicas[stepped].state().bytes();
        assert!(bytes.len() < 3000, "{seed}: a state of few elements is small");
        for at in 0..count {
            history.check(at);
        }
    }
    history.converge();
}

impl<S: Spec> History<'_, S> {
    /// Makes a random step, and tells where.
    fn step(&mut self, exchange: Exchange) -> usize {
        let at = self.rng.below(self.replicas.len());
        // Any clock may show anything: eight ticks, so that stamps of several nodes tie.
        self.clocks[at].set((self.rng.next() % 8) << 17);
        match self.rng.below(20) {
            0..9 => self.write(at),
            9 => self.restart(at),
            _ => match exchange {
                Exchange::States => self.join(at),
                Exchange::DeltasInOrder => self.deliver_in_order(at),
                Exchange::DeltasInDisorder if self.rng.chance(12) => self.join(at),
                Exchange::DeltasInDisorder if self.rng.chance(20) => self.deliver_group(at),
                Exchange::DeltasInDisorder => self.deliver_any(at),
            },
        }
        at
    }

    fn write(&mut self, at: usize) {
        let operation = S::random(&mut self.rng);
        let written = self.replicas[at]
            .write(|state, dot| S::mutate(state, dot, &operation).map(|delta| (dot, delta)));
        let (dot, delta) = written.unwrap();
        let (number, seen) = (self.events.len(), self.seen[at]);
        let mut before = self.events.iter().filter(|event| seen >> event.number & 1 == 1);
        assert!(
            !S::DOTS || before.all(|event| event.dot < dot),
            "{}: a write is after all it saw",
            self.seed
        );
        self.events.push(Event { number, dot, operation, seen });
        self.deltas.push(delta);
        self.seen[at] |= 1 << number;
        self.stats.events += 1;
    }

    fn restart(&mut self, at: usize) {
        let saved = self.replicas[at].save();
        self.snapshots.push((saved.state().clone(), self.seen[at]));
        let restored = Replica::restore(saved, &self.clocks[at]);
        self.replicas[at] = restored.with_max_ahead(Duration::MAX);
    }

    /// Joins another replica's state, or a stale snapshot of one.
    fn join(&mut self, at: usize) {
        let from = self.rng.below(self.replicas.len() + self.snapshots.len());
        let (state, seen) = match from.checked_sub(self.replicas.len()) {
            Some(snapshot) => self.snapshots[snapshot].clone(),
            None => (self.replicas[from].snapshot(), self.seen[from]),
        };
        let joined = self.replicas[at].join(&state).unwrap();
        assert_eq!(joined.conflict, None, "{}", self.seed);
        self.seen[at] |= seen;
    }

    fn deliver_in_order(&mut self, at: usize) {
        let seen = self.seen[at];
        let ready =
            |event: &&Event<S::Op>| seen >> event.number & 1 == 0 && event.seen & !seen == 0;
        let ready: Vec<usize> = self.events.iter().filter(ready).map(|e| e.number).collect();
        if ready.is_empty() {
            return;
        }
        let number = ready[self.rng.below(ready.len())];
        self.replicas[at].apply(&self.deltas[number]).unwrap();
        self.seen[at] |= 1 << number;
    }

    /// Any delta, whether it was delivered before or comes too early.
    fn deliver_any(&mut self, at: usize) {
        if self.events.is_empty() {
            return;
        }
        let number = self.rng.below(self.events.len());
        let delta = self.deltas[number].clone();
        self.deliver(at, &delta, 1 << number);
    }

    /// Two deltas of one writer in one, where they touch.
    fn deliver_group(&mut self, at: usize) {
        if self.events.len() < 2 {
            return;
        }
        let first = self.rng.below(self.events.len() - 1);
        let node = self.events[first].dot.node();
        let Some(second) =
            (first + 1..self.events.len()).find(|&n| self.events[n].dot.node() == node)
        else {
            return;
        };
        let mut delta = self.deltas[first].clone();
        assert!(delta.group(&self.deltas[second]), "{}: neighbours touch", self.seed);
        self.stats.groups += 1;
        self.deliver(at, &delta, 1 << first | 1 << second);
    }

    fn deliver(&mut self, at: usize, delta: &Delta<S>, events: Events) {
        let before = self.replicas[at].snapshot();
        match self.replicas[at].apply(delta) {
            Ok(changed) => {
                if changed == Changed::No {
                    assert_eq!(&before, self.replicas[at].state(), "{}: no change", self.seed);
                }
                self.seen[at] |= events;
            }
            Err(ApplyError::Gap(gap)) => {
                assert_eq!(&before, self.replicas[at].state(), "{}: a gap changes", self.seed);
                let missing = self.events.iter().any(|event| {
                    event.dot.node() == gap.node
                        && Some(event.dot.stamp()) > gap.have
                        && event.dot.stamp() <= gap.needs
                        && self.seen[at] >> event.number & 1 == 0
                });
                assert!(missing, "{}: {gap} though nothing is missing", self.seed);
                self.stats.gaps += 1;
            }
            Err(error) => panic!("{}: {error}", self.seed),
        }
    }

    fn check(&mut self, at: usize) {
        let seen = self.seen[at];
        let visible: Vec<_> = self.events.iter().filter(|e| seen >> e.number & 1 == 1).collect();
        if visible.iter().any(|event| event.seen & !seen != 0) {
            self.stats.open += 1;
            return;
        }
        let (found, expected) = (S::read(self.replicas[at].state()), S::meaning(&visible));
        if found != expected {
            self.fail(at, &format!("found {found:?}, expected {expected:?}"));
        }
        self.stats.checks += 1;
    }

    fn fail(&self, at: usize, what: &str) -> ! {
        for event in &self.events {
            println!("{} {} {:?} saw {:b}", event.number, event.dot, event.operation, event.seen);
        }
        println!("replica {at} saw {:b}: {:?}", self.seen[at], self.replicas[at].state());
        panic!("{}: {what}; replay with ORACLE_SEED={} ORACLE_HISTORIES=1", S::NAME, self.seed);
    }

    /// Joins all states in every order: one value, one state, one string of bytes.
    fn converge(&mut self) {
        let all = (1_u64 << self.events.len()) - 1;
        let visible: Vec<_> = self.events.iter().collect();
        let expected = S::meaning(&visible);
        let mut first: Option<S::State> = None;
        for order in permutations(self.replicas.len()) {
            let mut state = S::State::default();
            for &at in &order {
                state.join(self.replicas[at].state());
            }
            assert_eq!(S::read(&state), expected, "{}: order {order:?}", self.seed);
            match &first {
                None => first = Some(state),
                Some(first) => assert_eq!(first, &state, "{}: order {order:?}", self.seed),
            }
        }
        let state = first.unwrap();
        let bytes = state.bytes();
        self.versions();
        for at in 0..self.replicas.len() {
            let joined = self.replicas[at].join(&state).unwrap();
            assert_eq!(joined.conflict, None);
            self.seen[at] = all;
            self.check(at);
            assert_eq!(self.replicas[at].state().bytes(), bytes, "{}: bytes", self.seed);
        }
    }
}

impl<S: Spec> History<'_, S> {
    /// Versions stand to each other as states; what one lacks by its version makes it the join.
    fn versions(&self) {
        for (a, b) in self.replicas.iter().flat_map(|a| self.replicas.iter().map(move |b| (a, b))) {
            let (a, b) = (a.state(), b.state());
            let causality = a.version().compare(&b.version());
            assert_eq!(causality, a.compare(b), "{}: versions", self.seed);
            if let Some(delta) = a.delta_since(&b.version()) {
                let mut caught_up = b.clone();
                let changed = caught_up.apply(&delta).unwrap();
                assert_eq!(caught_up, b.clone().joined(a), "{}: since", self.seed);
                let news = !matches!(causality, Causality::Before | Causality::Equal);
                assert_eq!(changed.is_yes(), news, "{}: since", self.seed);
            }
        }
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for item in 0..n {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, item);
                    longer
                })
            })
            .collect();
    }
    orders
}
