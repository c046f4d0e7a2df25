//! Peers over a network that loses, doubles and reorders: they end up equal, and say no more than
//! they must.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "oracle/rng.rs"]
mod rng;

use core::{fmt::Debug, time::Duration};

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    Changed, Doc, Dot, GCounter, GSet, LwwMap, LwwRegister, Message, MutateError, OrMap, OrSet,
    Peer, Replica, Versioned,
};
use rng::Rng;

type Mutate<T> = fn(&mut T, Dot, u8) -> Result<<T as guid_crdt::Replicated>::Delta, MutateError>;

struct Network<T: Versioned> {
    rng: Rng,
    peers: Vec<Peer<T, ManualClock>>,
    /// From, to, message: taken out in any order, and not always once.
    wire: Vec<(usize, usize, Message<T>)>,
    states_sent: usize,
}

impl<T> Network<T>
where
    T: Versioned<Delta: Clone + Debug, Version: Debug> + PartialEq + Debug,
{
    fn new(seed: u64, log_max: usize) -> Self {
        let peer = |node| {
            let replica = Replica::new(NodeId::new(node), ManualClock::new(9 << 30));
            Peer::new(replica.with_max_ahead(Duration::MAX)).with_log_max(log_max)
        };
        let peers = (1..=4).map(peer).collect();
        Self { rng: Rng::new(seed), peers, wire: Vec::new(), states_sent: 0 }
    }

    fn send(&mut self, from: usize, to: usize, message: Message<T>) {
        self.states_sent += usize::from(matches!(message, Message::State(_)));
        self.wire.push((from, to, message));
    }

    fn deliver(&mut self, at: usize) {
        let (from, to, message) = self.wire.swap_remove(at);
        let before = self.peers[to].state().clone();
        let handled = self.peers[to].handle(message).unwrap();
        assert_eq!(handled.changed == Changed::Yes, &before != self.peers[to].state());
        if let Some(reply) = handled.reply {
            self.send(to, from, reply);
        }
    }

    fn step(&mut self, mutate: Mutate<T>) {
        let at = self.rng.below(4);
        match self.rng.below(10) {
            0..3 => {
                let number = u8::try_from(self.rng.below(40)).unwrap();
                self.peers[at].write(|state, dot| mutate(state, dot, number)).unwrap();
            }
            3 | 4 => {
                let to = (at + 1 + self.rng.below(3)) % 4;
                let greeting = self.peers[at].greet();
                self.send(at, to, greeting);
            }
            _ if self.wire.is_empty() => {}
            5 if self.rng.chance(80) => {
                let lost = self.rng.below(self.wire.len());
                self.wire.swap_remove(lost);
            }
            6 => {
                let doubled = self.wire[self.rng.below(self.wire.len())].clone();
                self.wire.push(doubled);
            }
            _ => {
                let next = self.rng.below(self.wire.len());
                self.deliver(next);
            }
        }
        assert!(self.peers.iter().all(|peer| peer.log_len() <= 1024));
    }

    /// Without further loss: everybody greets everybody until nobody has anything to say.
    fn settle(&mut self) {
        for round in 0.. {
            let pairs = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b);
            for (a, b) in pairs {
                let greeting = self.peers[a].greet();
                self.send(a, b, greeting);
            }
            let greetings = self.wire.len();
            let mut said = 0;
            while !self.wire.is_empty() {
                let next = self.rng.below(self.wire.len());
                self.deliver(next);
                said += 1;
                assert!(said < 100_000, "they talk for ever");
            }
            if said == greetings {
                return; // equal peers answer a greeting with silence
            }
            assert!(round < 10, "they do not settle");
        }
    }
}

fn check<T>(log_max: usize, mutate: Mutate<T>) -> usize
where
    T: Versioned<Delta: Clone + Debug, Version: Debug> + PartialEq + Debug,
{
    let mut states_sent = 0;
    for seed in 0..60 {
        let mut network = Network::<T>::new(seed, log_max);
        for _ in 0..300 {
            network.step(mutate);
        }
        network.settle();
        let (first, rest) = network.peers.split_first().unwrap();
        assert!(rest.iter().all(|peer| peer.state() == first.state()), "seed {seed}");
        assert!(network.peers.iter().all(|peer| peer.log_len() <= log_max));
        states_sent += network.states_sent;
    }
    states_sent
}

fn set(set: &mut OrSet<u8>, dot: Dot, n: u8) -> Result<guid_crdt::OrSetDelta<u8>, MutateError> {
    if n.is_multiple_of(3) { set.remove(dot, &(n / 3)) } else { set.insert(dot, n / 3) }
}

/// With a log that reaches back, deltas are enough: no state is ever sent.
#[test]
fn a_long_log_needs_no_states() {
    assert_eq!(check::<OrSet<u8>>(1024, set), 0);
}

/// With a short log or none, states fill in.
#[test]
fn a_short_log_is_made_up_for_by_states() {
    assert!(check::<OrSet<u8>>(3, set) > 0);
    assert!(check::<OrSet<u8>>(0, set) > 0);
}

/// Types that make deltas from their state never send the state.
#[test]
fn exact_types_need_no_log() {
    assert_eq!(check::<LwwMap<u8, u8>>(0, |map, dot, n| map.put(dot, n % 5, n)), 0);
    assert_eq!(check::<GCounter>(0, |counter, dot, n| counter.add(dot, n.into())), 0);
}

#[test]
fn other_types_settle_too() {
    for log_max in [0, 2, 1024] {
        check::<GSet<u8>>(log_max, |set, _, n| Ok(set.insert(n)));
        check::<LwwRegister<u8>>(log_max, LwwRegister::set);
        check::<OrMap<u8, OrSet<u8>>>(log_max, |map, dot, n| match n % 4 {
            0 => map.remove(dot, &(n % 3)),
            _ => map.update(dot, n % 3, |set| set.insert(dot, n)),
        });
        check::<Doc>(log_max, |doc, dot, n| {
            doc.edit(dot, |doc| match n % 4 {
                0 => doc.delete("a"),
                1 => doc.add("a", 1),
                2 => doc.set("a", i64::from(n)),
                _ => doc.map("a", |map| map.insert("b", i64::from(n))),
            })
        });
    }
}

/// Deltas that do not connect are answered by a gap, and that by what does connect.
#[test]
fn a_gap_is_answered() {
    let peer = |node| {
        Peer::new(Replica::<OrSet<u8>, _>::new(NodeId::new(node), ManualClock::new(9 << 30)))
    };
    let (mut a, mut b) = (peer(1), peer(2));
    a.write(|set, dot| set.insert(dot, 1)).unwrap();
    let second = a.write(|set, dot| set.insert(dot, 2)).unwrap();
    let message = Message::Deltas { deltas: vec![second], seen: a.state().version() };
    let gap = b.handle(message).unwrap();
    assert_eq!(gap.changed, Changed::No);
    let gap = gap.reply.unwrap();
    assert!(matches!(gap, Message::Gap { .. }));
    let answer = a.handle(gap).unwrap().reply.unwrap();
    assert_eq!(b.handle(answer).unwrap().changed, Changed::Yes);
    assert_eq!(a.state(), b.state());
    assert!(b.handle(a.greet()).unwrap().reply.is_none());
}

/// What a mutation did before it failed has no delta, and goes to others all the same.
#[test]
fn what_a_failed_mutation_did_reaches_others() {
    let peer = |node| {
        Peer::new(Replica::<OrSet<u8>, _>::new(NodeId::new(node), ManualClock::new(9 << 30)))
    };
    let mut peers = [peer(1), peer(2)];
    peers[0].write(|set, dot| set.insert(dot, 1)).unwrap();
    let both = |set: &mut OrSet<u8>, dot| {
        drop(set.insert(dot, 2)?);
        set.insert(dot, 3) // the dot is used already
    };
    peers[0].write(both).unwrap_err();
    let mut message = Some(peers[0].greet());
    for turn in 1..=9 {
        let Some(sent) = message else { break };
        message = peers[turn % 2].handle(sent).unwrap().reply;
    }
    assert!(message.is_none(), "they go on talking");
    assert_eq!(peers[0].state(), peers[1].state());
    assert!(peers[1].state().contains(&2));

    // Where nothing was changed, the log is as it was.
    peers[0].write(|set, dot| set.insert(dot, 4)).unwrap();
    let log = peers[0].log_len();
    let stale = Dot::new(NodeId::new(1), Stamp::MIN);
    peers[0].write(|set, _| set.insert(stale, 5)).unwrap_err();
    assert_eq!(peers[0].log_len(), log);
}
