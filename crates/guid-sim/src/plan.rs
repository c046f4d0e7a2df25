//! Plans: a run as the list of all that happened in it.
//!
//! Every check of a run is a function of what happened: which event on which node, when, what the
//! clock of the node read, who received what; and of what processes said of themselves. A plan is
//! that list, with every number that was drawn written out. To replay it is to show it to the
//! checkers again: no process runs, and nothing is drawn.
//!
//! # Invariants
//!
//! The plan of a run, replayed, gives that run's report, trace hash included. What became of a plan
//! by leaving things out is [possible](Possible): nobody receives what was not sent.

mod tape;
mod replay;
mod possible;
mod text;
mod words;
mod read;

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, VectorClock};

use crate::{
    EventKind, Fault, Memory, NodeIndex, Observe, Report, RunError, ScheduledFault, Scheme,
    SessionOp, Start, WorldConfig, recorder::Storage,
};

pub(crate) use self::{
    possible::Possible,
    read::read,
    replay::{Played, replay, replay_traced},
    tape::Tape,
    text::{Quantity, write},
};

/// A run as the list of all that happened in it.
///
/// # Examples
///
/// ```
/// let scenario = guid_sim::Builtin::named("hello-clocks").unwrap().scenario()?;
/// let (report, plan) = scenario.plan(42)?;
/// assert_eq!(plan.replay().trace_hash, report.trace_hash); // without clocks, network, processes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) start_ns: u64,
    pub(crate) nodes: Vec<Planned>,
    pub(crate) schemes: Vec<Scheme>,
    pub(crate) observe: Observe,
    pub(crate) memory: Memory,
    pub(crate) gaps_ns: Vec<u64>,
    pub(crate) disorder: bool,
    pub(crate) steps: Vec<Step>,
}

/// What a node of a plan starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) id: NodeId,
    /// Where its sequences start.
    pub(crate) sequence: Stamp,
    /// Its number where schemes are configured by numbers; that of its place unless nodes before it
    /// were left out.
    pub(crate) machine: NodeIndex,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// True time since the start.
    pub(crate) at_ns: u64,
    pub(crate) node: NodeIndex,
    /// How far the clock of the node was off.
    pub(crate) offset_ns: i64,
    pub(crate) what: What,
    /// The random bits of the IDs that have some, in the order of the schemes' names.
    pub(crate) random: Vec<(Scheme, u128)>,
}

/// What happened: an event, or something that a process said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// So many events of the node's own, at one reading of its clock.
    Mint {
        times: u64,
    },
    Write {
        register: u64,
        overwrite: bool,
    },
    Send {
        message: u64,
        to: NodeIndex,
    },
    Receive {
        message: u64,
    },
    Crash,
    Restart {
        storage: Storage,
        fresh: NodeId,
        sequence: Stamp,
    },
    Snapshot,
    Join {
        reuse: Option<NodeIndex>,
    },
    Clone {
        of: NodeIndex,
    },
    /// An event that no check but the spread of the clocks depends on.
    Aside(EventKind),
    Claim {
        name: std::borrow::Cow<'static, str>,
        holds: bool,
    },
    Read {
        client: u64,
        seen: VectorClock,
    },
    Update {
        client: u64,
        seen: VectorClock,
        dot: Dot,
    },
    State {
        received: u128,
        shown: u128,
    },
    Count {
        name: std::borrow::Cow<'static, str>,
        by: u64,
    },
    Most {
        name: std::borrow::Cow<'static, str>,
        value: u64,
    },
}

impl What {
    pub(crate) fn session(client: u64, op: SessionOp<'_>) -> Self {
        match op {
            SessionOp::Read { seen } => Self::Read { client, seen: seen.clone() },
            SessionOp::Write { seen, dot } => Self::Update { client, seen: seen.clone(), dot },
        }
    }

    /// How many events it is.
    pub(crate) fn events(&self) -> u64 {
        match *self {
            Self::Mint { times } => times,
            _ => u64::from(self.is_event()),
        }
    }

    fn is_event(&self) -> bool {
        !matches!(
            self,
            Self::Snapshot
                | Self::Claim { .. }
                | Self::Read { .. }
                | Self::Update { .. }
                | Self::State { .. }
                | Self::Count { .. }
                | Self::Most { .. }
        )
    }

    /// Another node that it speaks of.
    pub(crate) fn other_node(&self) -> Option<NodeIndex> {
        match *self {
            Self::Send { to, .. } => Some(to),
            Self::Clone { of } | Self::Join { reuse: Some(of) } => Some(of),
            _ => None,
        }
    }

    fn other_node_mut(&mut self) -> Option<&mut NodeIndex> {
        match self {
            Self::Send { to, .. } => Some(to),
            Self::Clone { of } | Self::Join { reuse: Some(of) } => Some(of),
            _ => None,
        }
    }

    /// Whether it bears IDs.
    pub(crate) fn is_stamped(&self) -> bool {
        matches!(
            self,
            Self::Mint { .. } | Self::Write { .. } | Self::Send { .. } | Self::Receive { .. }
        )
    }
}

/// Why a run has no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The run did not come to its end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It is too long to be taken down.
    #[error("the run is too long to be taken down: lower a rate or the duration")]
    TooLong,
}

impl Plan {
    /// A plan of a run that is about to begin.
    pub(crate) fn begin(config: &mut WorldConfig) -> (Self, Tape) {
        let tape = Tape::default();
        config.tape = Some(tape.clone());
        let plan = Self {
            name: config.name.clone(),
            seed: config.seed,
            start_ns: config.start_ns(),
            nodes: Vec::new(),
            schemes: config.schemes.clone(),
            observe: config.observe,
            memory: config.memory,
            gaps_ns: config.gaps_ns.clone(),
            disorder: config.disorder,
            steps: Vec::new(),
        };
        (plan, tape)
    }

    /// Shows the plan to the checkers.
    pub fn replay(&self) -> Report {
        replay(self, &mut |_| {})
    }

    /// The name of the scenario that the run was of.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The seed of the run.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many events there are; what processes say of themselves is none.
    pub fn events(&self) -> u64 {
        self.steps.iter().map(|step| step.what.events()).sum()
    }

    /// How many lines it takes: those events, and what processes said.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is more than what processes claim, count and show.
    pub(crate) fn says_more_than_claims(&self) -> bool {
        let is_more = |step: &Step| {
            step.what.is_stamped() || matches!(step.what, What::Read { .. } | What::Update { .. })
        };
        self.steps.iter().any(is_more)
    }

    /// Leaves out the nodes that are not marked, of which no step may speak.
    pub(crate) fn keep_nodes(&mut self, is_kept: &[bool]) {
        let mut places = Vec::new();
        let mut next = 0;
        for &is_kept in is_kept {
            places.push(NodeIndex::new(next));
            next += u32::from(is_kept);
        }
        let place = |node: NodeIndex| places.get(node.at()).copied().unwrap_or(node);
        let mut kept = is_kept.iter();
        self.nodes.retain(|_| *kept.next().unwrap_or(&true));
        for step in &mut self.steps {
            step.node = place(step.node);
            if let Some(other) = step.what.other_node_mut() {
                *other = place(*other);
            }
        }
    }

    /// Numbers the nodes anew, in this order; all of them are in it.
    pub(crate) fn reorder(&mut self, order: &[NodeIndex]) {
        let mut places: Vec<NodeIndex> = order.to_vec();
        for (place, node) in (0..).zip(order) {
            places[node.at()] = NodeIndex::new(place);
        }
        self.nodes = order.iter().map(|node| self.nodes[node.at()]).collect();
        for step in &mut self.steps {
            step.node = places[step.node.at()];
            if let Some(other) = step.what.other_node_mut() {
                *other = places[other.at()];
            }
        }
    }

    /// What the checkers need to know of a run: of the faults, that there were some.
    fn config(&self) -> WorldConfig {
        let faults = self.steps.iter().filter_map(|step| {
            let node = step.node;
            let fault = match step.what {
                What::Restart { .. } => Fault::Restart { node },
                What::Clone { of } => Fault::Clone { node, of },
                _ => return None,
            };
            Some(ScheduledFault::new(step.at_ns, fault))
        });
        let nodes = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        WorldConfig {
            name: self.name.clone(),
            start: Start::At(self.start_ns),
            duration_ns: self.steps.last().map_or(0, |step| step.at_ns),
            faults: faults.collect(),
            schemes: self.schemes.clone(),
            observe: self.observe,
            memory: self.memory,
            gaps_ns: self.gaps_ns.clone(),
            disorder: self.disorder,
            ..WorldConfig::new(nodes, self.seed)
        }
    }

    /// What the clock of a step's node read.
    pub(crate) fn local_ns(&self, step: &Step) -> u64 {
        let local = i128::from(self.true_ns(step)) + i128::from(step.offset_ns);
        u64::try_from(local.max(0)).unwrap_or(u64::MAX)
    }

    pub(crate) fn true_ns(&self, step: &Step) -> u64 {
        self.start_ns.saturating_add(step.at_ns)
    }
}
