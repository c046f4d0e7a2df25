//! The same histories, exchanged by peers over a network that loses, doubles and reorders.
//!
//! Each message is written and read on its way, where there are bytes.

use core::time::Duration;

use guid_core::{ManualClock, NodeId};
use guid_crdt::{Message, Peer, Replica};

use crate::{
    history::Stats,
    rng::Rng,
    spec::{Bytes, Carry, Event, Events, Spec},
};

/// A message under way: from, to, and what its sender had seen.
type Sent<T> = (usize, usize, Message<T>, Events);

struct Network<S: Spec> {
    seed: u64,
    rng: Rng,
    peers: Vec<Peer<S::State, ManualClock>>,
    seen: Vec<Events>,
    events: Vec<Event<S::Op>>,
    wire: Vec<Sent<S::State>>,
}

pub(crate) fn run<S: Spec>(seed: u64, stats: &mut Stats)
where
    Message<S::State>: Carry,
{
    let mut rng = Rng::new(seed);
    let count = 2 + rng.below(3);
    // Nodes from either end, so that ties go both ways; logs that reach back, and that do not.
    let (backwards, log_max) = (rng.chance(50), [0, 2, 100][rng.below(3)]);
    let peers = (0..count).map(|at| {
        let node = u32::try_from(if backwards { count - at } else { at + 1 }).unwrap();
        let replica = Replica::new(NodeId::new(node), ManualClock::new(0));
        Peer::new(replica.with_max_ahead(Duration::MAX)).with_log_max(log_max)
    });
    let (peers, seen) = (peers.collect(), vec![0; count]);
    let mut network = Network::<S> { seed, rng, peers, seen, events: vec![], wire: vec![] };
    for _ in 0..10 + network.rng.below(50) {
        network.step(stats);
        stats.steps += 1;
        (0..count).for_each(|at| network.check(at, stats));
    }
    network.settle(stats);
}

impl<S: Spec> Network<S>
where
    Message<S::State>: Carry,
{
    fn step(&mut self, stats: &mut Stats) {
        let at = self.rng.below(self.peers.len());
        match self.rng.below(10) {
            0..3 if self.events.len() < 40 => self.write(at, stats),
            3..6 => self.greet(at, (at + 1) % self.peers.len()),
            _ if self.wire.is_empty() => {}
            6 if self.rng.chance(50) => {
                let lost = self.rng.below(self.wire.len());
                self.wire.swap_remove(lost);
            }
            6 => {
                let doubled = self.wire[self.rng.below(self.wire.len())].clone();
                self.wire.push(doubled);
            }
            _ => self.deliver(),
        }
    }

    fn write(&mut self, at: usize, stats: &mut Stats) {
        let operation = S::random(&mut self.rng);
        let (number, seen) = (self.events.len(), self.seen[at]);
        let mut bears = None;
        self.peers[at]
            .write(|state, dot| {
                bears = Some(dot);
                S::mutate(state, dot, &operation)
            })
            .unwrap();
        self.events.push(Event { number, dot: bears.unwrap(), operation, seen });
        self.seen[at] |= 1 << number;
        stats.events += 1;
    }

    fn greet(&mut self, from: usize, to: usize) {
        self.wire.push((from, to, self.peers[from].greet(), 0));
    }

    fn deliver(&mut self) {
        let next = self.rng.below(self.wire.len());
        let (from, to, message, seen) = self.wire.swap_remove(next);
        let reply = self.peers[to].handle(message.carry()).unwrap().reply;
        assert!(!matches!(reply, Some(Message::Gap { .. })), "{}: an answer connects", self.seed);
        self.seen[to] |= seen;
        if let Some(reply) = reply {
            let told = if matches!(reply, Message::Greeting(_)) { 0 } else { self.seen[to] };
            self.wire.push((to, from, reply, told));
        }
    }

    fn check(&self, at: usize, stats: &mut Stats) {
        let seen = self.seen[at];
        let visible: Vec<_> = self.events.iter().filter(|e| seen >> e.number & 1 == 1).collect();
        assert!(visible.iter().all(|event| event.seen & !seen == 0), "{}: open", self.seed);
        let (found, expected) = (S::read(self.peers[at].state()), S::meaning(&visible));
        assert_eq!(found, expected, "{}: seed {}, peer {at}", S::NAME, self.seed);
        stats.checks += 1;
    }

    /// Nothing is lost any more: all come to the meaning of all events.
    fn settle(&mut self, stats: &mut Stats) {
        for _ in 0..2 {
            for from in 0..self.peers.len() {
                for to in (0..self.peers.len()).filter(|&to| to != from) {
                    self.greet(from, to);
                }
            }
            while !self.wire.is_empty() {
                self.deliver();
            }
        }
        // Between peers whose states are equal nothing is said, whatever they have each seen: an
        // event without an effect, of a type without dots, is known to its author alone.
        self.seen.fill((1 << self.events.len()) - 1);
        (0..self.peers.len()).for_each(|at| self.check(at, stats));
        let bytes = self.peers[0].state().bytes();
        for peer in &self.peers {
            assert_eq!(peer.state(), self.peers[0].state(), "{}: states", self.seed);
            assert_eq!(peer.state().bytes(), bytes, "{}: bytes", self.seed);
        }
    }
}
