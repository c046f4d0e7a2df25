//! The tape: takes down what happens while a run goes on.

use std::{cell::RefCell, rc::Rc};

use super::{Plan, PlanError, Planned, Step, What};
use crate::{Event, EventKind, lane::Lane, stamper::RANDOM_MASK, stamper::Setup};

/// The most steps of a plan, a fifth of a gigabyte; an entry of a version vector counts as one.
const MOST_STEPS: usize = 2_000_000;

/// What a run is taken down on: a handle, of which the run has one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape(Rc<RefCell<Taped>>);

#[derive(Debug, Default)]
struct Taped {
    nodes: Vec<Planned>,
    steps: Vec<Step>,
    weight: usize,
}

impl Tape {
    pub(crate) fn start(&self, setups: &[Setup]) {
        let planned = |setup: &Setup| {
            let Setup { node: id, sequence, machine, .. } = *setup;
            Planned { id, sequence, machine }
        };
        self.0.borrow_mut().nodes = setups.iter().map(planned).collect();
    }

    /// An event happened, and the lanes gave it these keys.
    pub(crate) fn event(&self, event: &Event, lanes: &[Lane], keys: &[u128]) {
        let mut step = step(event, of(event.kind));
        let random = lanes.iter().zip(keys).filter(|(lane, _)| lane.scheme.is_random());
        step.random.extend(random.map(|(lane, key)| (lane.scheme, key & RANDOM_MASK)));
        step.random.sort_unstable();
        self.push(step);
    }

    /// Something else happened.
    pub(crate) fn tell(&self, here: &Event, what: What) {
        self.push(step(here, what));
    }

    /// Tells in full what the latest event was.
    pub(crate) fn note(&self, what: What) {
        if let Some(last) = self.0.borrow_mut().steps.last_mut() {
            last.what = what;
        }
    }

    fn push(&self, step: Step) {
        let mut taped = self.0.borrow_mut();
        taped.weight += match &step.what {
            What::Read { seen, .. } | What::Update { seen, .. } => 1 + seen.len(),
            _ => 1,
        };
        if taped.weight <= MOST_STEPS {
            taped.steps.push(step);
        }
    }

    /// Completes the plan that was begun with this tape.
    pub(crate) fn finish(self, plan: Plan) -> Result<Plan, PlanError> {
        let Taped { nodes, mut steps, weight } = self.0.take();
        if weight > MOST_STEPS {
            return Err(PlanError::TooLong);
        }
        for step in &mut steps {
            step.at_ns -= plan.start_ns.min(step.at_ns);
        }
        Ok(Plan { nodes, steps, ..plan })
    }
}

/// A step whose time is still that since 1970.
fn step(event: &Event, what: What) -> Step {
    let offset = i128::from(event.local_ns) - i128::from(event.true_ns);
    Step {
        at_ns: event.true_ns,
        node: event.node,
        // Clocks and true time are centuries apart at most.
        offset_ns: i64::try_from(offset).unwrap_or(if offset < 0 { i64::MIN } else { i64::MAX }),
        what,
        random: Vec::new(),
    }
}

fn of(kind: EventKind) -> What {
    match kind {
        EventKind::Mint => What::Mint { times: 1 },
        EventKind::Write { register, overwrite } => What::Write { register, overwrite },
        EventKind::Send { message, to } => What::Send { message, to },
        EventKind::Receive { message, .. } => What::Receive { message },
        EventKind::Crash => What::Crash,
        EventKind::Join => What::Join { reuse: None },
        // What there is to say of restarts and clones is noted after the event.
        other => What::Aside(other),
    }
}
