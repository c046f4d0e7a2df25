//! A state of a world of replicas: parts that are shared, and the bytes of each.

use std::{cell::OnceCell, rc::Rc};

use guid_core::{ManualClock, NodeId};
use guid_crdt::{Dot, Message, Replica, Saved, Versioned, wire};

use super::{Replicas, Script};
use crate::explore::{Subject, Violation};

/// A set of writes, by number.
pub(super) type Events = u64;

/// What all clocks show that are right: some eleven days after their zero, so that they can step
/// either way.
pub(in crate::explore) const NOW_NS: u64 = 1 << 50;

/// A message by name: the how-manieth of its sender, and who gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Name {
    /// Who sent it, counted from 0.
    pub from: u32,
    /// The messages of its sender are counted from 1.
    pub number: u32,
    /// Who gets it, counted from 0.
    pub to: u32,
}

/// A state of a world of replicas.
pub struct ReplicasState<T: Versioned> {
    pub(super) nodes: Vec<Rc<Node<T>>>,
    /// What is under way, in the order of the bytes: a multiset.
    pub(super) letters: Vec<Letter<T>>,
    /// The writes that somebody knows.
    pub(super) known: Rc<[Option<Written>]>,
    pub(super) spent: Spent,
}

impl<T: Versioned> Clone for ReplicasState<T> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            letters: self.letters.clone(),
            known: Rc::clone(&self.known),
            spent: self.spent,
        }
    }
}

impl<T: Versioned> std::fmt::Debug for ReplicasState<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letters: Vec<Name> = self.names();
        f.debug_struct("ReplicasState").field("under_way", &letters).finish_non_exhaustive()
    }
}

/// The faults so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) losses: u8,
    pub(super) doubles: u8,
    pub(super) crashes: u8,
    pub(super) clock_steps: u8,
}

/// What is known of a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) dot: Dot,
    /// What its author had received.
    pub(super) seen: Events,
}

/// A node.
pub(super) struct Node<T: Versioned> {
    pub(super) now: Rc<Memory<T>>,
    pub(super) stored: Rc<Memory<T>>,
    /// Where it is in its script.
    pub(super) place: usize,
    pub(super) clock_ns: u64,
    /// How many messages it has sent: for names, no part of the state.
    pub(super) sent: u32,
}

impl<T: Versioned> Clone for Node<T> {
    fn clone(&self) -> Self {
        let (now, stored) = (Rc::clone(&self.now), Rc::clone(&self.stored));
        Self { now, stored, ..*self }
    }
}

impl<T: Versioned> Node<T> {
    pub(super) fn has_unstored(&self) -> bool {
        !Rc::ptr_eq(&self.now, &self.stored) && self.now.bytes != self.stored.bytes
    }

    /// The replica at work.
    pub(super) fn replica(&self) -> Replica<T, ManualClock> {
        let replica = Replica::restore(self.now.saved.clone(), ManualClock::new(self.clock_ns));
        replica.with_max_ahead(core::time::Duration::MAX)
    }
}

/// What a node holds: at work, or stored.
pub(super) struct Memory<T: Versioned> {
    pub(super) saved: Saved<T>,
    /// The writes it has received.
    pub(super) seen: Events,
    /// What it wrote, with the number of the write, where single writes are shipped.
    pub(super) written: Vec<(u32, Rc<Delta<T>>)>,
    /// How many of these were sent to each node.
    pub(super) told: Vec<u32>,
    pub(super) bytes: Vec<u8>,
    /// What the judge says of it, once it was asked.
    pub(super) judged: OnceCell<Result<String, Violation>>,
}

/// A delta and its bytes.
pub(super) struct Delta<T: Versioned> {
    pub(super) delta: T::Delta,
    pub(super) bytes: Vec<u8>,
}

/// A message under way.
pub(super) struct Letter<T: Versioned> {
    pub(super) name: Name,
    pub(super) content: Rc<Content<T>>,
}

impl<T: Versioned> Clone for Letter<T> {
    fn clone(&self) -> Self {
        Self { name: self.name, content: Rc::clone(&self.content) }
    }
}

/// What a message is, whichever of its sender's messages it is.
pub(super) struct Content<T: Versioned> {
    pub(super) message: Message<T>,
    /// What whoever takes it in has received then.
    pub(super) seen: Events,
    pub(super) bytes: Vec<u8>,
}

impl<T> Memory<T>
where
    T: Versioned + wire::Wire,
{
    pub(super) fn new(
        saved: Saved<T>,
        seen: Events,
        written: Vec<(u32, Rc<Delta<T>>)>,
        told: Vec<u32>,
    ) -> Self {
        let mut bytes = bytes_of(&saved);
        bytes.extend(seen.to_le_bytes());
        let least = told.iter().copied().min().unwrap_or(0) as usize;
        for &count in &told {
            bytes.push(count as u8);
        }
        // What everybody was told is never sent again.
        for (number, delta) in written.iter().skip(least) {
            bytes.push(*number as u8);
            bytes.extend(&delta.bytes);
        }
        Self { saved, seen, written, told, bytes, judged: OnceCell::new() }
    }
}

impl<T> Content<T>
where
    T: Versioned<Delta: wire::Wire, Version: wire::Wire> + wire::Wire,
{
    pub(super) fn new(from: u32, to: u32, message: Message<T>, seen: Events) -> Self {
        let mut bytes = vec![from as u8, to as u8];
        bytes.extend(seen.to_le_bytes());
        bytes.extend(bytes_of(&message));
        Self { message, seen, bytes }
    }
}

/// The canonical bytes: equal for equal values.
pub(super) fn bytes_of(value: &impl wire::Wire) -> Vec<u8> {
    wire::encode(value).unwrap_or_default()
}

impl<T> ReplicasState<T>
where
    T: Versioned<Delta: Clone + wire::Wire, Version: wire::Wire> + wire::Wire,
{
    pub(super) fn start<S: Subject<State = T>>(world: &Replicas<S>) -> Self {
        let count = world.scripts.len();
        let node = |(number, script): (u32, &Script<S::Op>)| {
            let clock_ns = NOW_NS.saturating_add_signed(script.clock_ns);
            let replica = Replica::new(NodeId::new(number + 1), ManualClock::new(clock_ns));
            let memory = Memory::new(replica.save(), 0, Vec::new(), vec![0; count]);
            let (now, place) = (Rc::new(memory), 0);
            Rc::new(Node { stored: Rc::clone(&now), now, place, clock_ns, sent: 0 })
        };
        let writes = world.scripts.last().map_or(0, |last| last.number(last.does.len()));
        Self {
            nodes: (0..).zip(&world.scripts).map(node).collect(),
            letters: Vec::new(),
            known: vec![None; writes as usize].into(),
            spent: Spent::default(),
        }
    }

    /// Puts a message among those under way.
    pub(super) fn post(&mut self, letter: Letter<T>) {
        let at = self.letters.partition_point(|other| {
            (other.content.bytes.as_slice(), other.name)
                <= (letter.content.bytes.as_slice(), letter.name)
        });
        self.letters.insert(at, letter);
    }

    /// Takes a message from those under way.
    pub(super) fn take(&mut self, name: Name) -> Option<Letter<T>> {
        let at = self.letters.iter().position(|letter| letter.name == name)?;
        Some(self.letters.remove(at))
    }

    /// Forgets writes that nobody knows any more.
    pub(super) fn forget(&mut self) {
        let nodes = self.nodes.iter().map(|node| node.now.seen | node.stored.seen);
        let letters = self.letters.iter().map(|letter| letter.content.seen);
        let somebody: Events = nodes.chain(letters).fold(0, |a, b| a | b);
        let is_lost = |(number, written): (usize, &Option<Written>)| {
            written.is_some() && somebody >> number & 1 == 0
        };
        if self.known.iter().enumerate().any(is_lost) {
            let known = |(number, written): (usize, &Option<Written>)| {
                written.filter(|_| somebody >> number & 1 == 1)
            };
            self.known = self.known.iter().enumerate().map(known).collect();
        }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let Spent { losses, doubles, crashes, clock_steps } = self.spent;
        out.extend([losses, doubles, crashes, clock_steps]);
        for node in &self.nodes {
            out.extend((node.place as u32).to_le_bytes());
            out.extend(node.clock_ns.to_le_bytes());
            part(&node.now.bytes, out);
            // Nothing, where what is stored is what is at work.
            part(if node.has_unstored() { &node.stored.bytes } else { &[] }, out);
        }
        for (number, written) in (0_u8..).zip(&*self.known) {
            if let Some(Written { dot, seen }) = written {
                out.push(number);
                out.extend(dot.stamp().as_u64().to_le_bytes());
                out.extend(seen.to_le_bytes());
            }
        }
        out.push(u8::MAX);
        for letter in &self.letters {
            part(&letter.content.bytes, out);
        }
    }
}

impl<T: Versioned> ReplicasState<T> {
    /// The names of the messages under way; of equal messages the first.
    pub(super) fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::with_capacity(self.letters.len());
        let mut last: Option<&Content<T>> = None;
        for letter in &self.letters {
            if last.is_none_or(|last| last.bytes != letter.content.bytes) {
                names.push(letter.name);
            }
            last = Some(&letter.content);
        }
        names
    }
}

/// A part with its length before it, so that parts cannot run together.
fn part(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}
