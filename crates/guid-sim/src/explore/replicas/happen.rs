//! What a step does to a state.

use std::rc::Rc;

use guid_core::ManualClock;
use guid_crdt::{ApplyError, Dot, Lattice, Message, Peer, Replica, Versioned, WriteError};

use super::{
    Do, Replicas, Step, Store,
    state::{Content, Delta, Events, Letter, Memory, Name, Node, ReplicasState, Written, bytes_of},
};
use crate::{
    explore::{Subject, Violation},
    workload::Ship,
};

type State<S> = ReplicasState<<S as Subject>::State>;
type Held<S> = Replica<<S as Subject>::State, ManualClock>;
/// What comes of a message: the replica that took it in, and its answer.
type Taken<S> = (Held<S>, Option<Message<<S as Subject>::State>>);

impl<S: Subject> Replicas<S> {
    pub(super) fn happen(&self, state: &mut State<S>, step: Step) -> Result<(), Violation> {
        match step {
            Step::Script(node) => self.script(state, node),
            Step::Arrive(name) => {
                let Some(letter) = state.take(name) else { return Ok(()) };
                self.arrive(state, &letter)?;
                state.forget();
                Ok(())
            }
            Step::Lose(name) => {
                state.spent.losses += 1;
                state.take(name);
                state.forget();
                Ok(())
            }
            Step::Double(name) => {
                state.spent.doubles += 1;
                let double = state.letters.iter().find(|letter| letter.name == name).cloned();
                if let Some(letter) = double {
                    state.post(letter);
                }
                Ok(())
            }
            Step::Crash(node) => {
                state.spent.crashes += 1;
                let node = Rc::make_mut(&mut state.nodes[node as usize]);
                node.now = Rc::clone(&node.stored);
                state.forget();
                Ok(())
            }
            Step::Clock(node, by_ns) => {
                state.spent.clock_steps += 1;
                let node = Rc::make_mut(&mut state.nodes[node as usize]);
                node.clock_ns = node.clock_ns.saturating_add_signed(by_ns);
                Ok(())
            }
        }
    }

    /// A node does what is next in its script.
    fn script(&self, state: &mut State<S>, at: u32) -> Result<(), Violation> {
        let script = &self.scripts[at as usize];
        let node = Rc::make_mut(&mut state.nodes[at as usize]);
        let place = node.place;
        let Some(does) = script.does.get(place) else { return Ok(()) };
        node.place += 1;
        match does {
            Do::Write(op) => {
                let number = script.number(place);
                self.write(state, at, number, op)
            }
            Do::Send(to) => {
                self.send(state, at, *to);
                Ok(())
            }
            Do::SendAll => {
                let others = (0..self.scripts.len() as u32).filter(|&to| to != at);
                others.for_each(|to| self.send(state, at, to));
                Ok(())
            }
            Do::Store => {
                node.stored = Rc::clone(&node.now);
                Ok(())
            }
        }
    }

    fn write(
        &self,
        state: &mut State<S>,
        at: u32,
        number: u32,
        op: &S::Op,
    ) -> Result<(), Violation> {
        let node = &state.nodes[at as usize];
        let (seen, mut replica) = (node.now.seen, node.replica());
        let written = replica.write(|state, dot| Ok((dot, self.subject.act(state, dot, op)?)));
        let (now, mut deltas) = (Rc::clone(&node.now), node.now.written.clone());
        match written {
            Ok((dot, delta)) => {
                self.dot_is_new(state, at, dot)?;
                Rc::make_mut(&mut state.known)[number as usize] = Some(Written { dot, seen });
                if self.ship == Ship::Op {
                    let bytes = bytes_of(&delta);
                    deltas.push((number, Rc::new(Delta { delta, bytes })));
                }
                let memory =
                    Memory::new(replica.save(), seen | 1 << number, deltas, now.told.clone());
                self.hold(state, at, memory);
                Ok(())
            }
            // It has not happened; its dot is spent.
            Err(WriteError::Refused(error)) if self.subject.may_refuse(&error) => {
                let memory = Memory::new(replica.save(), seen, deltas, now.told.clone());
                self.hold(state, at, memory);
                Ok(())
            }
            Err(error) => Err(refused(at, &format!("its write `{op}`"), &error)),
        }
    }

    /// A dot names one write among all that somebody knows.
    fn dot_is_new(&self, state: &State<S>, at: u32, dot: Dot) -> Result<(), Violation> {
        let same = |(_, known): &(u32, &Option<Written>)| known.is_some_and(|k| k.dot == dot);
        let twice = (0..).zip(&*state.known).find(same);
        let Some((other, _)) = twice else { return Ok(()) };
        let other = self.op(other).map_or_else(String::new, ToString::to_string);
        let what = format!("n{} writes under the dot of an earlier write, `{other}`", at + 1);
        Err(Violation::new("one-dot-one-write", what))
    }

    /// What a node holds now; stored at once where all is.
    fn hold(&self, state: &mut State<S>, at: u32, memory: Memory<S::State>) {
        let now = self.pool.memory(memory, &state.known);
        let node = Rc::make_mut(&mut state.nodes[at as usize]);
        node.now = now;
        if self.store == Store::Always {
            node.stored = Rc::clone(&node.now);
        }
    }

    fn send(&self, state: &mut State<S>, from: u32, to: u32) {
        if to as usize >= self.scripts.len() || to == from {
            return;
        }
        let now = Rc::clone(&state.nodes[from as usize].now);
        let (message, seen) = match self.ship {
            Ship::State => (Message::State(now.saved.state().clone()), now.seen),
            // What a greeting tells is what somebody has seen: no write comes with it.
            Ship::Delta => (Message::Greeting(now.saved.state().version()), 0),
            Ship::Op => {
                let told = now.told[to as usize] as usize;
                let news = &now.written[told..];
                if news.is_empty() {
                    return;
                }
                let seen: Events = news.iter().fold(0, |seen, (number, _)| seen | 1 << number);
                let deltas = news.iter().map(|(_, delta)| delta.delta.clone()).collect();
                let mut told = now.told.clone();
                told[to as usize] = now.written.len() as u32;
                let saved = now.saved.clone();
                let memory = Memory::new(saved, now.seen, now.written.clone(), told);
                self.hold(state, from, memory);
                (Message::Deltas { deltas, seen: now.saved.state().version() }, seen)
            }
        };
        self.post(state, from, to, (message, seen));
    }

    /// Puts a message under way, and stores its sender's state before if that is the rule.
    fn post(
        &self,
        state: &mut State<S>,
        from: u32,
        to: u32,
        (message, seen): (Message<S::State>, Events),
    ) {
        let node = Rc::make_mut(&mut state.nodes[from as usize]);
        if self.store == Store::BeforeSending {
            node.stored = Rc::clone(&node.now);
        }
        node.sent += 1;
        let name = Name { from, number: node.sent, to };
        let content = self.pool.content(Content::new(from, to, message, seen));
        state.post(Letter { name, content });
    }

    fn arrive(&self, state: &mut State<S>, letter: &Letter<S::State>) -> Result<(), Violation> {
        let Name { from, to, .. } = letter.name;
        let node: Rc<Node<S::State>> = Rc::clone(&state.nodes[to as usize]);
        let before = node.now.saved.state();
        let Some((replica, reply)) = self.take_in(&node, letter)? else {
            // It builds on what has not come: the receiver holds it back.
            state.post(letter.clone());
            return Ok(());
        };
        let after = replica.state();
        if !before.compare(after).is_within() {
            let (was, is) = (self.subject.show(before), self.subject.show(after));
            let what = format!("n{} falls from {was} to {is}, not above it", to + 1);
            return Err(Violation::new("grows", what));
        }
        let Memory { written, told, seen, .. } = &*node.now;
        // What does not connect was not taken in.
        let is_taken = !matches!(reply, Some(Message::Gap { .. }));
        let seen = if is_taken { seen | letter.content.seen } else { *seen };
        let memory = Memory::new(replica.save(), seen, written.clone(), told.clone());
        if memory.bytes != node.now.bytes {
            self.hold(state, to, memory);
        }
        if let Some(reply) = reply {
            // Whoever takes the answer in knows what its author does, unless it bears no writes.
            let bears_none = matches!(reply, Message::Greeting(_) | Message::Gap { .. });
            let told = if bears_none { 0 } else { seen };
            self.post(state, to, from, (reply, told));
        }
        Ok(())
    }

    /// The replica that took a message in, and its answer; `None` if the message came too early.
    fn take_in(
        &self,
        node: &Node<S::State>,
        letter: &Letter<S::State>,
    ) -> Result<Option<Taken<S>>, Violation> {
        let to = letter.name.to;
        let mut peer = Peer::new(node.replica());
        let was = node.now.saved.state();
        match peer.handle(letter.content.message.clone()) {
            Ok(handled) => {
                let is_early = matches!(handled.reply, Some(Message::Gap { .. }));
                if is_early && self.ship == Ship::Op {
                    return Ok(None);
                }
                let reply = handled.reply.filter(|_| self.ship == Ship::Delta);
                let replica = peer.into_replica();
                if let Some(conflict) = replica.conflict() {
                    let what = format!("n{}: {conflict}", to + 1);
                    return Err(Violation::new("one-dot-one-write", what));
                }
                Ok(Some((replica, reply)))
            }
            Err(ApplyError::Gap(gap)) => {
                let shown = self.subject.show(was);
                let what = format!("n{} shows {shown} and refuses what it got: {gap}", to + 1);
                Err(Violation::new("accepted", what))
            }
            Err(error) => Err(refused(to, "what it got", &error)),
        }
    }
}

fn refused(node: u32, what: &str, error: &dyn std::error::Error) -> Violation {
    Violation::new("accepted", format!("n{} refuses {what}: {error}", node + 1))
}
