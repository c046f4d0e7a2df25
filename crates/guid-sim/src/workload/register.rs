//! Clients that read a register, think, and write back what they read, plus one: at whichever
//! replica they find.
//!
//! Each node holds a copy of a last-writer-wins register and has one client. Two clients that read
//! the same value write the same successor, and one step is lost: that is what read, modify, write
//! does without a transaction. A client that roams may also read less than it wrote; one that
//! carries what it relies on along is sent away by replicas that lack it, and tries another.

use guid_crdt::{Dot, Lattice, LwwRegister, Replica, Saved, VectorClock};

use super::{Active, Arrival, ids, replica};
use crate::{Ctx, Distribution, LocalClock, NodeIndex, Process, SessionOp, TraceHash};

const BEGIN: u64 = 0;
const GOSSIP: u64 = 1;
/// Timers from here on: write what was read in this round.
const WRITE: u64 = 2;

/// Which replicas a client talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "home, anywhere, or anywhere with a memory")]
pub enum Session {
    /// The one of its own node.
    Sticky,
    /// Any.
    Roam,
    /// Any that has all that the client relies on: it carries a version vector along.
    Carry,
}

/// Read, modify, write a register.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RegisterWorkload {
    /// How many rounds a second and client.
    pub per_second: f64,
    /// How long between reading and writing.
    pub think_ns: u64,
    /// How often each node sends its state to another.
    pub gossip_ns: u64,
    /// Which replicas clients talk to.
    pub session: Session,
}

/// What nodes say to each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RegisterMessage {
    /// A client asks for the value.
    Read {
        /// What the replica must have taken in.
        needs: VectorClock,
        /// The client's round.
        round: u64,
    },
    /// Here is the value.
    Value {
        /// What it is.
        value: u64,
        /// What the replica had taken in.
        seen: VectorClock,
        /// The client's round.
        round: u64,
    },
    /// A client writes.
    Write {
        /// What the replica must have taken in.
        needs: VectorClock,
        /// The new value.
        value: u64,
        /// The client's round.
        round: u64,
    },
    /// It is written.
    Written {
        /// The write.
        dot: Dot,
        /// What the replica had taken in before.
        seen: VectorClock,
        /// The client's round.
        round: u64,
    },
    /// The state of a replica, and what it has taken in.
    State(LwwRegister<u64>, VectorClock),
}

/// The process of [`RegisterWorkload`].
#[derive(Debug)]
pub struct Register {
    workload: RegisterWorkload,
    gap: Distribution,
    active: Active,
    replica: Option<Replica<LwwRegister<u64>, LocalClock>>,
    /// All writes that this replica has taken in. The register itself knows only the last.
    seen: VectorClock,
    /// What the client of this node relies on.
    relies: VectorClock,
    round: u64,
    /// What the client waits for: an answer that comes twice is heard once.
    awaits: Awaits,
    read: u64,
}

/// What survives a crash: the client of the node does not.
#[derive(Clone)]
struct Stored {
    replica: Saved<LwwRegister<u64>>,
    seen: VectorClock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    Nothing,
    /// The end of its own thinking: no new round begins before.
    Thought,
    Value,
    Written,
}

type Context<'a> = Ctx<'a, RegisterMessage>;

impl Register {
    /// Returns the process of one node.
    pub fn new(workload: &RegisterWorkload, active_ns: u64) -> Self {
        Self {
            workload: RegisterWorkload { gossip_ns: workload.gossip_ns.max(1), ..*workload },
            gap: ids::gap(workload.per_second, Arrival::Poisson),
            active: Active::new(active_ns),
            replica: None,
            seen: VectorClock::new(),
            relies: VectorClock::new(),
            round: 0,
            awaits: Awaits::Nothing,
            read: 0,
        }
    }

    /// Asks a replica: the own one at once, another by message.
    fn ask(&mut self, ctx: &mut Context<'_>, request: RegisterMessage) {
        let own = ctx.id();
        let nodes = u64::from(ctx.nodes());
        let drawn = u32::try_from(ctx.rng().below(nodes)).unwrap_or(0);
        let to = match self.workload.session {
            Session::Sticky => own,
            Session::Roam | Session::Carry => NodeIndex::new(drawn),
        };
        if to == own {
            if let Some(reply) = self.serve(ctx, request) {
                self.hear(ctx, reply);
            }
        } else {
            ctx.send(to, request);
        }
    }

    fn needs(&self) -> VectorClock {
        match self.workload.session {
            Session::Carry => self.relies.clone(),
            Session::Sticky | Session::Roam => VectorClock::new(),
        }
    }

    /// A replica answers a client, or sends it away.
    fn serve(
        &mut self,
        ctx: &mut Context<'_>,
        request: RegisterMessage,
    ) -> Option<RegisterMessage> {
        let before = self.seen.clone();
        match request {
            RegisterMessage::Read { needs, round } if needs.compare(&before).is_within() => {
                let value = self.value();
                Some(RegisterMessage::Value { value, seen: before, round })
            }
            RegisterMessage::Write { needs, value, round }
                if needs.compare(&before).is_within() =>
            {
                let replica = self.replica.as_mut()?;
                let written = replica.write(|register, dot| register.set(dot, value).map(|_| dot));
                let Ok(dot) = written else {
                    ctx.count("writes-refused", 1);
                    return None;
                };
                self.seen.record(dot);
                ctx.wrote(dot, &before);
                ctx.mint();
                ctx.count("register-writes", 1);
                self.report(ctx);
                Some(RegisterMessage::Written { dot, seen: before, round })
            }
            _ => {
                ctx.count("sessions-sent-away", 1);
                None
            }
        }
    }

    /// A client hears an answer. One that belongs to a round it has given up is nothing that it
    /// relies on.
    fn hear(&mut self, ctx: &mut Context<'_>, reply: RegisterMessage) {
        // A client that comes back has forgotten what it relied on: it is another one.
        let client = u64::from(ctx.node_id().as_u32());
        let awaited = |round, what| round == self.round && self.awaits == what;
        match reply {
            RegisterMessage::Value { value, seen, round } if awaited(round, Awaits::Value) => {
                self.awaits = Awaits::Thought;
                ctx.session(client, SessionOp::Read { seen: &seen });
                self.relies.join(&seen);
                self.read = value;
                ctx.set_timer(self.workload.think_ns, WRITE + round);
            }
            RegisterMessage::Written { dot, seen, round } if awaited(round, Awaits::Written) => {
                self.awaits = Awaits::Nothing;
                ctx.session(client, SessionOp::Write { seen: &seen, dot });
                self.relies.record(dot);
            }
            _ => {}
        }
    }

    fn value(&self) -> u64 {
        let replica = self.replica.as_ref();
        replica.and_then(|replica| replica.state().get()).copied().unwrap_or(0)
    }

    fn report(&self, ctx: &mut Context<'_>) {
        if let Some(replica) = &self.replica {
            ctx.store(Stored { replica: replica.save(), seen: self.seen.clone() });
        }
        ctx.holds(self.seen.clone());
        let digest = |words: &mut dyn Iterator<Item = u64>| {
            let mut hash = TraceHash::default();
            words.for_each(|word| hash.word(word));
            hash.value()
        };
        let seen = self.seen.iter();
        let mut words = seen.flat_map(|(node, stamp)| [node.as_u32().into(), stamp.as_u64()]);
        let received = digest(&mut words);
        ctx.replica_state(received, digest(&mut [self.value()].into_iter()));
        ctx.record_max("register-value", self.value());
    }
}

impl Process for Register {
    type Message = RegisterMessage;

    fn on_start(&mut self, ctx: &mut Context<'_>) {
        self.active.begin(ctx.since_start_ns());
        let stored: Option<Stored> = ctx.stored().cloned();
        let comes_back = stored.is_some();
        let (saved, seen) = stored.map(|stored| (stored.replica, stored.seen)).unzip();
        self.replica = Some(replica::begin(ctx, saved));
        self.seen = seen.unwrap_or_default();
        if comes_back {
            self.report(ctx);
        }
        let first = self.gap.sample_unsigned(ctx.rng());
        ctx.set_timer(first, BEGIN);
        let phase = ctx.rng().below(self.workload.gossip_ns);
        ctx.set_timer(phase, GOSSIP);
    }

    fn on_message(&mut self, ctx: &mut Context<'_>, from: NodeIndex, message: RegisterMessage) {
        match message {
            RegisterMessage::State(state, seen) => {
                let Some(replica) = &mut self.replica else { return };
                match replica.join(&state) {
                    Ok(_) => self.seen.join(&seen),
                    Err(_) => ctx.count("joins-refused", 1),
                }
                self.report(ctx);
            }
            RegisterMessage::Read { .. } | RegisterMessage::Write { .. } => {
                if let Some(reply) = self.serve(ctx, message) {
                    ctx.send(from, reply);
                }
            }
            reply => self.hear(ctx, reply),
        }
    }

    fn on_timer(&mut self, ctx: &mut Context<'_>, timer: u64) {
        match timer {
            BEGIN => {
                let gap = self.gap.sample_unsigned(ctx.rng());
                if self.active.spend(gap) {
                    if self.awaits != Awaits::Thought {
                        self.round += 1;
                        self.awaits = Awaits::Value;
                        let (needs, round) = (self.needs(), self.round);
                        self.ask(ctx, RegisterMessage::Read { needs, round });
                    }
                    ctx.set_timer(gap, BEGIN);
                }
            }
            GOSSIP => {
                if let Some(replica) = &self.replica {
                    let (to, state) = (ctx.random_other(), replica.snapshot());
                    ctx.send(to, RegisterMessage::State(state, self.seen.clone()));
                }
                ctx.set_timer(self.workload.gossip_ns, GOSSIP);
            }
            _ if timer == WRITE + self.round => {
                let (needs, value) = (self.needs(), self.read.saturating_add(1));
                let round = self.round;
                self.awaits = Awaits::Written;
                self.ask(ctx, RegisterMessage::Write { needs, value, round });
            }
            // A write of a round that was given up for the next one.
            _ => {}
        }
    }
}
