//! A replicated value that every node has a copy of: changed at a rate, and shipped.
//!
//! What is shared is a [`Share`]: any type of `guid-crdt`, or one of your own that passes its laws.
//! How copies learn of each other is a [`Ship`]: whole states, deltas on demand, or every change at
//! once. Replicas that have taken in the same must show the same, at every event, and in the end
//! all do. What a replica has it stores at once: a crash loses what the fault says, and no more.

use std::{collections::VecDeque, fmt, time::Duration};

use guid_crdt::{
    Dot, Lattice, Message, MutateError, Peer, Replicated, Saved, VectorClock, Versioned,
};

use super::{Active, Arrival, ids, replica};
use crate::{Ctx, Distribution, LocalClock, NodeIndex, Process, Rng, TraceHash};

const CHANGE: u64 = 0;
const GOSSIP: u64 = 1;

/// Operations that wait for others before them; of more, the oldest go, and greetings bring them.
const MOST_HELD: usize = 1_024;

/// A value to share, and what is done to it.
///
/// # Examples
///
/// See `docs/TESTING.md`.
pub trait Share {
    /// The replicated type.
    type State: Versioned<Version: fmt::Debug, Delta: Clone + fmt::Debug> + fmt::Debug + 'static;

    /// Changes the state in some way, under this dot.
    ///
    /// # Errors
    ///
    /// Those of the type: the change is then counted as refused.
    fn change(
        &mut self,
        state: &mut Self::State,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<<Self::State as Replicated>::Delta, MutateError>;

    /// What a reader of the state is shown.
    fn show(&self, state: &Self::State) -> String;

    /// A digest of what a reader is shown, taken at every event: of [`show`](Self::show), unless a
    /// type has a quicker one.
    fn digest(&self, state: &Self::State) -> u128 {
        let mut hash = TraceHash::default();
        hash.bytes(self.show(state).as_bytes());
        hash.value()
    }

    /// Whether the state is as it must be, as far as this node can tell: claimed at every event, as
    /// `share-holds`.
    fn holds(&self, state: &Self::State) -> bool {
        let _: &Self::State = state;
        true
    }
}

/// How changes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three ways there are")]
pub enum Ship {
    /// Each node sends its whole state to another, now and then.
    State,
    /// Each node says to another, now and then, what it has seen, and gets the deltas it lacks.
    Delta,
    /// Each change is sent to everybody at once, and waits where it comes before what it builds on.
    /// Nodes greet each other as with deltas, which repairs what was lost.
    Op,
}

/// How a value is shared.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SharingConfig {
    /// How changes travel.
    pub ship: Ship,
    /// How many changes a second and node, at random moments.
    pub per_second: f64,
    /// How often each node sends to another.
    pub gossip_ns: u64,
    /// How long nodes change the value, by their own clocks.
    pub active_ns: u64,
}

impl SharingConfig {
    /// Returns two changes a second and node for this long, and five messages.
    pub const fn new(ship: Ship, active: Duration) -> Self {
        let active_ns = active.as_secs() * 1_000_000_000 + active.subsec_nanos() as u64;
        Self { ship, per_second: 2.0, gossip_ns: 200_000_000, active_ns }
    }
}

/// What nodes send to each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Parcel<M> {
    /// A state, a greeting, or an answer to one.
    Peer(M),
    /// A change, on its own.
    Op(M),
}

/// The process of a node that shares a value.
pub struct Sharing<S: Share> {
    share: S,
    config: SharingConfig,
    gap: Distribution,
    active: Active,
    /// Made at the start, when the node's clock is known.
    peer: Option<Peer<S::State, LocalClock>>,
    held: VecDeque<Message<S::State>>,
    /// All writes that this replica has taken in: some states know only the last.
    seen: VectorClock,
}

/// What survives a crash.
struct Stored<T> {
    replica: Saved<T>,
    seen: VectorClock,
}

impl<S: Share + fmt::Debug> fmt::Debug for Sharing<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharing").field("share", &self.share).finish_non_exhaustive()
    }
}

impl<S: Share> Sharing<S> {
    /// Returns the process of one node.
    pub fn new(share: S, config: SharingConfig) -> Self {
        Self {
            share,
            config: SharingConfig { gossip_ns: config.gossip_ns.max(1), ..config },
            gap: ids::gap(config.per_second, Arrival::Poisson),
            active: Active::new(config.active_ns),
            peer: None,
            held: VecDeque::new(),
            seen: VectorClock::new(),
        }
    }

    fn store(&self, ctx: &mut Ctx<'_, Parcel<Message<S::State>>>) {
        let Some(peer) = &self.peer else { return };
        ctx.store(Stored { replica: peer.replica().save(), seen: self.seen.clone() });
        ctx.holds(self.seen.clone());
    }

    fn change(&mut self, ctx: &mut Ctx<'_, Parcel<Message<S::State>>>) {
        let Some(peer) = &mut self.peer else { return };
        let (share, rng) = (&mut self.share, ctx.rng());
        let mut under = None;
        let changed = peer.write(|state, dot| {
            under = Some(dot);
            share.change(state, dot, rng)
        });
        if let (Ok(_), Some(dot)) = (&changed, under) {
            ctx.wrote(dot, &self.seen);
            self.seen.record(dot);
            self.store(ctx);
        }
        let Some(peer) = &self.peer else { return };
        match changed {
            Ok(delta) if self.config.ship == Ship::Op => {
                let seen = peer.state().version();
                let op = Message::Deltas { deltas: vec![delta], seen };
                ctx.mint();
                for node in ctx.others() {
                    ctx.send(node, Parcel::Op(op.clone()));
                }
            }
            Ok(_) => ctx.mint(),
            Err(_) => ctx.count("writes-refused", 1),
        }
    }

    fn gossip(&self, ctx: &mut Ctx<'_, Parcel<Message<S::State>>>) {
        let Some(peer) = &self.peer else { return };
        let message = match self.config.ship {
            Ship::State => Message::State(peer.state().clone()),
            Ship::Delta | Ship::Op => peer.greet(),
        };
        let to = ctx.random_other();
        ctx.send(to, Parcel::Peer(message));
    }

    /// Takes a message in; the answer, if there is one.
    fn take(
        &mut self,
        ctx: &mut Ctx<'_, Parcel<Message<S::State>>>,
        message: Message<S::State>,
    ) -> Option<Message<S::State>> {
        let peer = self.peer.as_mut()?;
        if let Ok(handled) = peer.handle(message) {
            if handled.changed.is_yes() {
                self.seen.join(&peer.state().frontier());
                self.store(ctx);
            }
            return handled.reply;
        }
        ctx.count("joins-refused", 1);
        None
    }

    /// Tries what waits until nothing fits any more.
    fn take_held(&mut self, ctx: &mut Ctx<'_, Parcel<Message<S::State>>>) {
        let mut left = self.held.len();
        while left > 0 {
            let Some(op) = self.held.pop_front() else { return };
            match self.take(ctx, op.clone()) {
                Some(Message::Gap { .. }) => {
                    self.held.push_back(op);
                    left -= 1;
                }
                _ => left = self.held.len(),
            }
        }
    }

    /// Says what this replica has taken in and shows.
    fn report(&self, ctx: &mut Ctx<'_, Parcel<Message<S::State>>>) {
        let Some(peer) = &self.peer else { return };
        let state = peer.state();
        let mut received = TraceHash::default();
        received.bytes(format!("{:?}", state.version()).as_bytes());
        ctx.replica_state(received.value(), self.share.digest(state));
        ctx.claim("share-holds", self.share.holds(state));
    }
}

impl<S: Share> Process for Sharing<S> {
    type Message = Parcel<Message<S::State>>;

    fn on_start(&mut self, ctx: &mut Ctx<'_, Self::Message>) {
        self.active.begin(ctx.since_start_ns());
        let stored: Option<&Stored<S::State>> = ctx.stored();
        let comes_back = stored.is_some();
        let (saved, seen) = stored.map(|one| (one.replica.clone(), one.seen.clone())).unzip();
        self.peer = Some(Peer::new(replica::begin(ctx, saved)));
        self.seen = seen.unwrap_or_default();
        if comes_back {
            self.report(ctx);
        }
        let first = self.gap.sample_unsigned(ctx.rng());
        ctx.set_timer(first, CHANGE);
        let phase = ctx.rng().below(self.config.gossip_ns);
        ctx.set_timer(phase, GOSSIP);
    }

    fn on_message(
        &mut self,
        ctx: &mut Ctx<'_, Self::Message>,
        from: NodeIndex,
        message: Self::Message,
    ) {
        match message {
            Parcel::Peer(message) => {
                let reply = self.take(ctx, message);
                // Who ships states answers with none: the next one comes anyway.
                if let Some(reply) = reply.filter(|_| self.config.ship != Ship::State) {
                    ctx.send(from, Parcel::Peer(reply));
                }
            }
            Parcel::Op(op) => {
                if self.held.len() == MOST_HELD {
                    self.held.pop_front();
                }
                self.held.push_back(op);
            }
        }
        self.take_held(ctx);
        self.report(ctx);
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, Self::Message>, timer: u64) {
        if timer == GOSSIP {
            self.gossip(ctx);
            ctx.set_timer(self.config.gossip_ns, GOSSIP);
            return;
        }
        let gap = self.gap.sample_unsigned(ctx.rng());
        if self.active.spend(gap) {
            self.change(ctx);
            ctx.set_timer(gap, CHANGE);
            self.report(ctx);
        }
    }
}
