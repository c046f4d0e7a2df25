//! Nodes that make IDs, crash, and have clocks that step: is an ID ever made twice?
//!
//! # The idea
//!
//! The generators are those of `guid-core`. One cannot be copied, so a state holds what leads to
//! it: the bound that was stored when the process started, and what the clock showed at each ID
//! since. A step makes the generator anew and lets it repeat that.
//!
//! A generator may refuse: one that would run too far ahead of its clock does. It then has made
//! nothing, and that breaks nothing.
//!
//! # Invariants
//!
//! * What is encoded is all that the future depends on: of each node the last stamp of its process,
//!   the stored bound, the clock, how often it was asked, and every ID so far, which is what is
//!   checked.

use std::{cell::Cell, collections::BTreeSet, rc::Rc};

use guid_core::{
    DurableGenerator, HighWater, HighWaterError, LocalGenerator, ManualClock, NodeId, Stamp,
};

use super::{Budget, Model, Violation, file::by, replicas::NOW_NS, report::Told};

/// Nodes that make IDs.
pub(super) struct Minting {
    /// Whether generators store a bound and start from it.
    pub(super) durable: bool,
    pub(super) budget: Budget,
    /// How far each clock is off at first, and how many IDs the node makes.
    pub(super) nodes: Vec<(i64, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    nodes: Vec<Node>,
    crashes: u8,
    clock_steps: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    clock_ns: u64,
    /// What was stored when its process started, and what is stored now.
    started: Option<u64>,
    bound: Option<u64>,
    /// What the clock showed whenever it was asked for an ID since then.
    readings: Vec<u64>,
    /// The last stamp of its process, and of all.
    last_of_process: Option<u64>,
    last: Option<u64>,
    asked: u32,
    /// The stamps of all its IDs, from all its processes.
    made: Rc<BTreeSet<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Mint(usize),
    Crash(usize),
    Clock(usize, i64),
}

/// A mark that outlives the process, in a cell.
struct Mark {
    node: NodeId,
    bound: Rc<Cell<Option<u64>>>,
}

impl HighWater for Mark {
    fn node(&self) -> NodeId {
        self.node
    }

    fn load(&mut self) -> Result<Option<Stamp>, HighWaterError> {
        Ok(self.bound.get().and_then(|bound| Stamp::from_u64(bound).ok()))
    }

    fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError> {
        self.bound.set(Some(bound.as_u64()));
        Ok(())
    }
}

impl Minting {
    /// The stamp of the last of a node's readings if one was given, and what is stored then.
    fn repeat(&self, at: usize, node: &Node) -> (Option<u64>, Option<u64>) {
        let id = NodeId::new(at as u32 + 1);
        let bound = Rc::new(Cell::new(node.started));
        let clock = ManualClock::new(node.readings.first().copied().unwrap_or(node.clock_ns));
        let mut last = None;
        if self.durable {
            let mark = Mark { node: id, bound: Rc::clone(&bound) };
            // A mark in a cell is always there to be read.
            if let Ok(ids) = DurableGenerator::on_clock(mark, &clock) {
                for &reading in &node.readings {
                    clock.set(reading);
                    last = ids.next().ok();
                }
            }
        } else {
            let mut ids = LocalGenerator::new(id, &clock);
            for &reading in &node.readings {
                clock.set(reading);
                last = ids.try_next().ok();
            }
        }
        (last.map(|id| id.stamp().as_u64()), bound.get())
    }

    fn mint(&self, state: &mut State, at: usize) -> Result<(), Violation> {
        let node = &mut state.nodes[at];
        node.readings.push(node.clock_ns);
        node.asked += 1;
        let (stamp, bound) = self.repeat(at, node);
        node.bound = bound;
        let Some(stamp) = stamp else { return Ok(()) };
        node.last_of_process = Some(stamp);
        if !Rc::make_mut(&mut node.made).insert(stamp) {
            let what = format!("n{} makes the ID {} a second time", at + 1, offset(stamp));
            return Err(Violation::new("unique", what));
        }
        if let Some(last) = node.last.replace(stamp).filter(|&last| last > stamp) {
            let (n, a, b) = (at + 1, offset(last), offset(stamp));
            return Err(Violation::new("monotone", format!("n{n} makes {b} after {a}")));
        }
        Ok(())
    }
}

impl Model for Minting {
    type State = State;
    type Action = Step;

    fn start(&self) -> State {
        let node = |&(clock_ns, _): &(i64, u32)| Node {
            clock_ns: NOW_NS.saturating_add_signed(clock_ns),
            ..Node::default()
        };
        State { nodes: self.nodes.iter().map(node).collect(), crashes: 0, clock_steps: 0 }
    }

    fn actions(&self, state: &State, out: &mut Vec<Step>) {
        for (at, (node, &(_, count))) in state.nodes.iter().zip(&self.nodes).enumerate() {
            if node.asked >= count {
                continue;
            }
            out.push(Step::Mint(at));
            // A process that has made nothing has nothing to lose.
            if state.crashes < self.budget.crashes && !node.readings.is_empty() {
                out.push(Step::Crash(at));
            }
            if state.clock_steps < self.budget.clock_steps {
                out.extend(self.budget.clock_by_ns.iter().map(|&by_ns| Step::Clock(at, by_ns)));
            }
        }
    }

    fn apply(&self, state: &mut State, action: &Step) -> Result<(), Violation> {
        match *action {
            Step::Mint(at) => return self.mint(state, at),
            Step::Crash(at) => {
                state.crashes += 1;
                let node = &mut state.nodes[at];
                node.started = node.bound;
                node.readings.clear();
                node.last_of_process = None;
            }
            Step::Clock(at, by_ns) => {
                state.clock_steps += 1;
                let node = &mut state.nodes[at];
                node.clock_ns = node.clock_ns.saturating_add_signed(by_ns);
            }
        }
        Ok(())
    }

    fn check(&self, _: &State) -> Result<(), Violation> {
        Ok(())
    }

    fn encode(&self, state: &State, out: &mut Vec<u8>) {
        out.extend([state.crashes, state.clock_steps]);
        for node in &state.nodes {
            let Node { clock_ns, bound, last_of_process, asked, made, .. } = node;
            out.extend(clock_ns.to_le_bytes());
            out.extend(bound.unwrap_or(0).to_le_bytes());
            // Zero where a process has made nothing: it goes by the bound.
            out.extend(last_of_process.unwrap_or(0).to_le_bytes());
            out.extend([*asked as u8, made.len() as u8]);
            out.extend(made.iter().flat_map(|stamp| stamp.to_le_bytes()));
        }
    }

    fn agent(&self, _: &State, action: &Step) -> Option<u64> {
        match *action {
            Step::Mint(at) => Some(at as u64),
            Step::Crash(_) | Step::Clock(..) => None,
        }
    }
}

impl Told for Minting {
    fn step(&self, _: &State, action: &Step) -> String {
        match *action {
            Step::Mint(at) => format!("n{}: mint", at + 1),
            Step::Crash(at) => format!("n{} crashes", at + 1),
            Step::Clock(at, by_ns) => format!("the clock of n{} steps by {}", at + 1, by(by_ns)),
        }
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn shows(&self, state: &State) -> Vec<String> {
        let show = |node: &Node| {
            let made: Vec<String> = node.made.iter().map(|&stamp| offset(stamp)).collect();
            format!("{{{}}}", made.join(", "))
        };
        state.nodes.iter().map(show).collect()
    }
}

/// A stamp by its distance from what a right clock shows: what people can read.
fn offset(stamp: u64) -> String {
    let now = Stamp::from_unix_nanos(NOW_NS).as_u64();
    format!("{:+}", i128::from(stamp) - i128::from(now))
}
