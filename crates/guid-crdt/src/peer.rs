//! [`Peer`]: the anti-entropy machine: what to say to whom, without saying it.
//!
//! # The idea
//!
//! Now and then a peer greets another with its *version*. Who hears a greeting and knows more
//! answers with what the other lacks, and who knows less greets back. That is all: nothing is
//! acknowledged, and no one remembers what it told whom, so loss, repetition and reordering need no
//! repair of their own. The next greeting finds whatever is still missing.
//!
//! What the other lacks is, by preference,
//!
//! 1. the recent deltas that its version does not cover, if the log reaches back to it;
//! 2. a delta made from the state, where the type has it exactly ([`Versioned::delta_since`]);
//! 3. the state.
//!
//! Equal versions mean equal states, so a version is the digest too: between peers that agree, a
//! greeting is met with silence.
//!
//! There is no I/O, no clock and no randomness here. Whoever owns a peer decides when to
//! [`greet`](Peer::greet) and whom, and carries the messages.
//!
//! # Invariants
//!
//! * The state is what `floor` covers and the deltas of the log, which are in an order in which
//!   they connect. So who has seen `floor` can take in the deltas it lacks, in that order.
//! * The log holds at most `log_max` deltas; the oldest go into the floor.
//! * Answers end: each is made only for who lacks something, and says what its author has.
//!
//! # References
//!
//! Demers et al., "Epidemic Algorithms for Replicated Database Maintenance", 1987, section 1.3:
//! anti-entropy. Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 6,
//! algorithm 2: delta intervals that connect; there with acknowledgements in place of versions.

use core::fmt;
use std::collections::VecDeque;

use guid_core::Clock;

use crate::{ApplyError, Changed, Dot, Gap, Lattice, MutateError, Replica, Versioned, WriteError};

/// How many deltas a peer keeps, unless it is told otherwise.
const LOG_MAX: usize = 1024;

/// A replica, and what it takes to keep it and others equal.
///
/// # Examples
///
/// ```
/// use guid_core::{ManualClock, NodeId};
/// use guid_crdt::{OrSet, Peer, Replica};
///
/// let clock = || ManualClock::new(9 << 30);
/// let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
/// let (mut a, mut b) = (Peer::new(replica(1)), Peer::new(replica(2)));
/// a.write(|set, dot| set.insert(dot, 1))?;
/// b.write(|set, dot| set.insert(dot, 2))?;
///
/// let mut message = Some(a.greet()); // to b, and back, until nothing is left to say
/// for turn in 0.. {
///     let Some(sent) = message.take() else { break };
///     let receiver = if turn % 2 == 0 { &mut b } else { &mut a };
///     message = receiver.handle(sent)?.reply;
/// }
/// assert_eq!(a.state(), b.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Peer<T: Versioned, C> {
    replica: Replica<T, C>,
    floor: T::Version,
    log: VecDeque<T::Delta>,
    log_max: usize,
}

impl<T, C> Peer<T, C>
where
    T: Versioned<Delta: Clone>,
    C: Clock,
{
    /// Returns the peer of a replica.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let mut replica = replica(1);
    /// replica.write(|set, dot| set.insert(dot, 7))?;
    /// let peer = Peer::new(replica); // goes on with what is there
    /// assert_eq!((peer.state().len(), peer.log_len()), (1, 0));
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub fn new(replica: Replica<T, C>) -> Self {
        let floor = replica.state().version();
        Self { replica, floor, log: VecDeque::new(), log_max: LOG_MAX }
    }

    /// Sets how many deltas are kept for others. With none every answer is made from the state.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let mut peer = Peer::new(replica(1)).with_log_max(1);
    /// peer.write(|set, dot| set.insert(dot, 1))?;
    /// peer.write(|set, dot| set.insert(dot, 2))?;
    /// assert_eq!(peer.log_len(), 1); // who lacks the first gets the state
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    #[must_use]
    pub fn with_log_max(mut self, log_max: usize) -> Self {
        self.log_max = log_max;
        self.trim();
        self
    }

    /// Carries out a mutation, and keeps its delta for others.
    ///
    /// # Errors
    ///
    /// As [`Replica::write`]. What a mutation did before it failed goes to others with the state.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let mut peer = Peer::new(replica(1));
    /// let delta = peer.write(|set, dot| set.insert(dot, 1))?; // to be sent at once, or not
    /// assert_eq!(delta.frontier().len(), 1);
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub fn write(
        &mut self,
        mutate: impl FnOnce(&mut T, Dot) -> Result<T::Delta, MutateError>,
    ) -> Result<T::Delta, WriteError> {
        match self.replica.write(mutate) {
            Ok(delta) => {
                self.keep(delta.clone());
                Ok(delta)
            }
            Err(error) => {
                self.keep_invariant();
                Err(error)
            }
        }
    }

    /// A mutation that failed half way has changed the state and left no delta of it: the log
    /// starts again from here. One that changed nothing leaves the log as it is.
    fn keep_invariant(&mut self) {
        let mut covered = self.floor.clone();
        for delta in &self.log {
            covered.join(&T::delta_version(delta));
        }
        let version = self.replica.state().version();
        if !version.compare(&covered).is_within() {
            self.log.clear();
            self.floor = version;
        }
    }

    /// Returns the message that opens an exchange: to be sent to any peer, at any time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{Message, OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let (a, mut b) = (Peer::new(replica(1)), Peer::new(replica(2)));
    /// b.write(|set, dot| set.insert(dot, 7))?;
    /// let answer = b.handle(a.greet())?.reply; // what a lacks
    /// assert!(matches!(answer, Some(Message::Deltas { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn greet(&self) -> Message<T> {
        Message::Greeting(self.replica.state().version())
    }

    /// Takes in a message, and returns the answer to its sender if there is one.
    ///
    /// # Errors
    ///
    /// The message is from too far ahead, or shows that our node writes elsewhere: see
    /// [`ApplyError`]. What came before the offending delta is taken in.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let (mut a, b) = (Peer::new(replica(1)), Peer::new(replica(2)));
    /// assert!(a.handle(b.greet())?.reply.is_none()); // they agree
    /// a.write(|set, dot| set.insert(dot, 1))?;
    /// assert!(a.handle(b.greet())?.reply.is_some()); // what b lacks
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handle(&mut self, message: Message<T>) -> Result<Handled<T>, ApplyError> {
        match message {
            Message::Greeting(seen) => Ok(self.answer(Changed::No, &seen)),
            Message::Deltas { deltas, seen } => {
                let mut changed = Changed::No;
                for delta in deltas {
                    match self.take(delta) {
                        Ok(now) => changed = changed.or(now),
                        Err(ApplyError::Gap(gap)) => {
                            let reply = Message::Gap { gap, seen: self.replica.state().version() };
                            return Ok(Handled { changed, reply: Some(reply) });
                        }
                        Err(error) => return Err(error),
                    }
                }
                Ok(self.answer(changed, &seen))
            }
            Message::State(state) => {
                let changed = self.join(&state)?;
                Ok(self.answer(changed, &state.version()))
            }
            Message::Gap { seen, .. } => {
                let reply = self.news_of_state(&seen);
                Ok(Handled { changed: Changed::No, reply: Some(reply) })
            }
        }
    }

    fn take(&mut self, delta: T::Delta) -> Result<Changed, ApplyError> {
        let changed = self.replica.apply(&delta)?;
        if changed.is_yes() {
            self.keep(delta);
        }
        Ok(changed)
    }

    fn join(&mut self, state: &T) -> Result<Changed, ApplyError> {
        let news = state.delta_since(&self.replica.state().version());
        if !self.replica.join(state)?.changed.is_yes() {
            return Ok(Changed::No);
        }
        if let Some(delta) = news {
            self.keep(delta);
        } else {
            // What came has no delta to hand on: the log starts again from here.
            self.log.clear();
            self.floor = self.replica.state().version();
        }
        Ok(Changed::Yes)
    }

    /// What to say to who has seen this much.
    fn answer(&self, changed: Changed, seen: &T::Version) -> Handled<T> {
        let version = self.replica.state().version();
        let lacks = !version.compare(seen).is_within();
        let knows_more = !seen.compare(&version).is_within();
        let reply = if lacks {
            Some(self.news(seen))
        } else if knows_more {
            Some(Message::Greeting(version))
        } else {
            None
        };
        Handled { changed, reply }
    }

    /// What who has seen this much lacks.
    fn news(&self, seen: &T::Version) -> Message<T> {
        if !self.floor.compare(seen).is_within() {
            return self.news_of_state(seen);
        }
        let lacked = |delta: &&T::Delta| !T::delta_version(delta).compare(seen).is_within();
        let deltas = self.log.iter().filter(lacked).cloned().collect();
        Message::Deltas { deltas, seen: self.replica.state().version() }
    }

    fn news_of_state(&self, seen: &T::Version) -> Message<T> {
        let state = self.replica.state();
        match state.delta_since(seen) {
            Some(delta) => Message::Deltas { deltas: vec![delta], seen: state.version() },
            None => Message::State(state.clone()),
        }
    }

    fn keep(&mut self, delta: T::Delta) {
        self.log.push_back(delta);
        self.trim();
    }

    fn trim(&mut self) {
        while self.log.len() > self.log_max {
            let Some(oldest) = self.log.pop_front() else { return };
            self.floor.join(&T::delta_version(&oldest));
        }
    }

    /// The state.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let mut peer = Peer::new(replica(1));
    /// peer.write(|set, dot| set.insert(dot, 7))?;
    /// assert!(peer.state().contains(&7));
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub const fn state(&self) -> &T {
        self.replica.state()
    }

    /// The replica.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// assert_eq!(Peer::new(replica(1)).replica().node(), NodeId::new(1));
    /// ```
    pub const fn replica(&self) -> &Replica<T, C> {
        &self.replica
    }

    /// How many deltas are kept for others.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let mut peer = Peer::new(replica(1));
    /// peer.write(|set, dot| set.insert(dot, 7))?;
    /// assert_eq!(peer.log_len(), 1);
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub fn log_len(&self) -> usize {
        self.log.len()
    }

    /// Returns the replica, to be saved, or to go on without peers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::NodeId;
    /// # use guid_crdt::{OrSet, Peer, Replica};
    /// # let clock = || guid_core::ManualClock::new(9 << 30);
    /// # let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), clock());
    /// let mut peer = Peer::new(replica(1));
    /// peer.write(|set, dot| set.insert(dot, 7))?;
    /// assert!(peer.into_replica().save().state().contains(&7));
    /// # Ok::<(), guid_crdt::WriteError>(())
    /// ```
    pub fn into_replica(self) -> Replica<T, C> {
        self.replica
    }
}

impl<T, C> fmt::Debug for Peer<T, C>
where
    T: Versioned + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("replica", &self.replica)
            .field("log", &self.log.len())
            .finish_non_exhaustive()
    }
}

/// What peers say to each other.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "T: serde::Serialize, T::Version: serde::Serialize, T::Delta: serde::Serialize",
        deserialize = "T: serde::Deserialize<'de>, T::Version: serde::Deserialize<'de>, \
                       T::Delta: serde::Deserialize<'de>"
    ))
)]
#[non_exhaustive]
pub enum Message<T: Versioned> {
    /// This is what I have seen.
    Greeting(T::Version),
    /// This is what you lack; and what I have seen.
    Deltas {
        /// The deltas, in an order in which they connect.
        deltas: Vec<T::Delta>,
        /// What their sender has seen.
        seen: T::Version,
    },
    /// You lack more than deltas can tell.
    State(T),
    /// Your deltas do not connect to what I have seen: send a bigger one, or the state.
    Gap {
        /// What is missing.
        gap: Gap,
        /// What I have seen.
        seen: T::Version,
    },
}

/// What a message did.
#[non_exhaustive]
pub struct Handled<T: Versioned> {
    /// Whether the state has grown.
    pub changed: Changed,
    /// What to send to who sent the message.
    pub reply: Option<Message<T>>,
}

impl<T: Versioned> fmt::Debug for Handled<T>
where
    Message<T>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handled")
            .field("changed", &self.changed)
            .field("reply", &self.reply)
            .finish()
    }
}
