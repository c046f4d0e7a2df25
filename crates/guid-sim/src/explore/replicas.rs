//! [`Replicas`]: some replicas of one value, a script each, and everything that can happen to them.
//!
//! # The idea
//!
//! The replicas are those of `guid-crdt`, with their generators, saved states and errors. Time
//! stands still, but for clock steps; a script decides what each node does and in which order, and
//! the search decides when. A message is under way until it arrives, at any time, in any order.
//!
//! # Invariants
//!
//! * What is encoded is all that the future and the judge depend on: the replicas (what is at work
//!   and what is stored), the writes they received, clocks, places in scripts, messages as a
//!   multiset, each known write with its dot and what its author had seen, and the faults so far.
//! * Nodes and messages are shared between snapshots and never changed: a clone of a state copies a
//!   pointer for each. What a node holds is in memory once, in however many states it occurs.

mod state;
mod pool;
mod happen;
mod judge;
mod told;

use core::fmt;

use super::{Model, Subject, Violation};
use crate::workload::Ship;

pub(super) use self::state::NOW_NS;
pub use self::state::{Name, ReplicasState};
pub(super) use self::told::does_in_words;
use self::{judge::judge, pool::Pool, state::Events};

/// The most nodes, and the most writes of all nodes together: a bit each in a word.
pub(super) const NODES_MAX: usize = 16;
pub(super) const WRITES_MAX: usize = 64;

/// One step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "what a script can say")]
pub enum Do<O> {
    /// Write.
    Write(O),
    /// Send to this node, counted from 0: the state, what was written since, or a greeting, as the
    /// world [ships](Ship). Nothing is sent to oneself, nor to a node that is not there.
    Send(u32),
    /// Send to all others, a message each.
    SendAll,
    /// Store what is at work.
    Store,
}

/// What survives a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "when to store: always, in time, when told")]
pub enum Store {
    /// All: it is stored after every step. A crash changes nothing.
    Always,
    /// What was sent: it is stored before each message goes out. What came since is lost.
    #[default]
    BeforeSending,
    /// What a script says ([`Do::Store`]); a node that loses what it sent breaks what IDs rest on.
    Asked,
}

/// How much may go wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Budget {
    /// Messages that are lost.
    pub losses: u8,
    /// Messages that arrive once more.
    pub doubles: u8,
    /// Crashes, each with a restart from what is stored.
    pub crashes: u8,
    /// Steps of clocks.
    pub clock_steps: u8,
    /// By how much a clock may step, in nanoseconds.
    pub clock_by_ns: Vec<i64>,
}

/// Something that happens in a world of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// A node, counted from 0, does what its script says next.
    Script(u32),
    /// A message arrives.
    Arrive(Name),
    /// A message is lost.
    Lose(Name),
    /// A message is doubled: it will arrive once more.
    Double(Name),
    /// A node crashes, and restarts from what it has stored.
    Crash(u32),
    /// The clock of a node steps, by nanoseconds.
    Clock(u32, i64),
}

/// What a node does.
#[derive(Clone, Debug)]
pub(super) struct Script<O> {
    pub(super) does: Vec<Do<O>>,
    pub(super) clock_ns: i64,
    /// The number of its first write among all writes.
    first: u32,
}

impl<O> Script<O> {
    /// The number of the write at a place of the script.
    fn number(&self, place: usize) -> u32 {
        let before = self.does[..place].iter().filter(|step| matches!(step, Do::Write(_)));
        self.first + before.count() as u32
    }

    /// Whether there is a write from a place on.
    fn writes_after(&self, place: usize) -> bool {
        self.does[place..].iter().any(|step| matches!(step, Do::Write(_)))
    }
}

/// A world of replicas of one value.
///
/// # Examples
///
/// See [`Subject`].
pub struct Replicas<S: Subject> {
    pub(super) subject: S,
    pub(super) ship: Ship,
    pub(super) store: Store,
    pub(super) budget: Budget,
    pub(super) scripts: Vec<Script<S::Op>>,
    /// What nodes held so far, each once: states share it.
    pool: Pool<S::State>,
}

impl<S: Subject> fmt::Debug for Replicas<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicas")
            .field("ship", &self.ship)
            .field("store", &self.store)
            .field("budget", &self.budget)
            .field("nodes", &self.scripts.len())
            .finish_non_exhaustive()
    }
}

impl<S: Subject> Replicas<S> {
    /// Returns a world without nodes, in which nothing goes wrong.
    pub fn new(subject: S, ship: Ship) -> Self {
        let (store, budget, scripts) = (Store::default(), Budget::default(), Vec::new());
        Self { subject, ship, store, budget, scripts, pool: Pool::default() }
    }

    /// Adds a node and what it does.
    ///
    /// # Panics
    ///
    /// There are 16 nodes already, or more than 64 writes by now.
    #[must_use]
    pub fn node(self, does: impl IntoIterator<Item = Do<S::Op>>) -> Self {
        self.node_with_clock(0, does)
    }

    /// Adds a node whose clock is off by this much, in nanoseconds.
    ///
    /// # Panics
    ///
    /// See [`node`](Self::node).
    #[must_use]
    pub fn node_with_clock(
        mut self,
        clock_ns: i64,
        does: impl IntoIterator<Item = Do<S::Op>>,
    ) -> Self {
        assert!(self.scripts.len() < NODES_MAX, "more than {NODES_MAX} nodes");
        let first = self.scripts.last().map_or(0, |last| last.number(last.does.len()));
        let script = Script { does: does.into_iter().collect(), clock_ns, first };
        assert!(script.number(script.does.len()) as usize <= WRITES_MAX, "more than 64 writes");
        self.scripts.push(script);
        self
    }

    /// Sets what may go wrong.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Sets what survives a crash.
    #[must_use]
    pub fn with_store(self, store: Store) -> Self {
        Self { store, ..self }
    }

    /// The operation of a write by its number.
    fn op(&self, number: u32) -> Option<&S::Op> {
        let script = self.scripts.iter().rev().find(|script| script.first <= number)?;
        let mut writes = script.does.iter().filter_map(|step| match step {
            Do::Write(op) => Some(op),
            _ => None,
        });
        writes.nth((number - script.first) as usize)
    }
}

impl<S: Subject> Model for Replicas<S> {
    type State = ReplicasState<S::State>;
    type Action = Step;

    fn start(&self) -> Self::State {
        ReplicasState::start(self)
    }

    fn actions(&self, state: &Self::State, out: &mut Vec<Step>) {
        let nodes = 0..self.scripts.len() as u32;
        let places = || nodes.clone().zip(&self.scripts).zip(&state.nodes);
        let to_do = places().filter(|((_, script), node)| node.place < script.does.len());
        out.extend(to_do.map(|((number, _), _)| Step::Script(number)));
        let (budget, spent) = (&self.budget, &state.spent);
        for name in state.names() {
            out.push(Step::Arrive(name));
            out.extend((spent.losses < budget.losses).then_some(Step::Lose(name)));
            out.extend((spent.doubles < budget.doubles).then_some(Step::Double(name)));
        }
        if spent.crashes < budget.crashes {
            // A crash in which nothing is lost is none.
            let loses = places().filter(|(_, node)| node.has_unstored());
            out.extend(loses.map(|((number, _), _)| Step::Crash(number)));
        }
        if spent.clock_steps < budget.clock_steps {
            // Only writes look at a clock.
            let looks = places().filter(|((_, script), node)| script.writes_after(node.place));
            for ((number, _), _) in looks {
                out.extend(budget.clock_by_ns.iter().map(|&by| Step::Clock(number, by)));
            }
        }
    }

    fn apply(&self, state: &mut Self::State, action: &Step) -> Result<(), Violation> {
        self.happen(state, *action)
    }

    fn check(&self, state: &Self::State) -> Result<(), Violation> {
        judge(self, state)
    }

    fn encode(&self, state: &Self::State, out: &mut Vec<u8>) {
        state.encode(out);
    }

    fn agent(&self, _: &Self::State, action: &Step) -> Option<u64> {
        match *action {
            Step::Script(node) => Some(node.into()),
            Step::Arrive(Name { from, number, to }) => {
                Some(u64::from(number) << 16 | u64::from(from + 1) << 8 | u64::from(to))
            }
            Step::Lose(_) | Step::Double(_) | Step::Crash(_) | Step::Clock(..) => None,
        }
    }
}

/// The bits of a set of writes.
pub(super) fn bits(set: Events) -> impl Iterator<Item = u32> {
    (0..Events::BITS).filter(move |number| set >> number & 1 == 1)
}
