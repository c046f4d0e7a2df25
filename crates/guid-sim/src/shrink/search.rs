//! The search: the smallest plan so far, and what was spent on it.

use std::collections::BTreeMap;

use super::{Effort, Failure, Progress, ShrinkError, informed};
use crate::{Plan, Report, plan::What};

pub(super) struct Search<'a> {
    plan: Plan,
    failure: &'a Failure,
    /// Numbers of the events that show it.
    witness: Option<(u64, u64)>,
    /// Whether nobody overwrites what he has not seen: it must stay so.
    is_informed: bool,
    /// No message may be faster than the fastest was.
    fastest_ns: u64,
    effort: Effort,
    tries: u64,
    events: u64,
    is_spent: bool,
    told: &'a mut dyn FnMut(Progress),
}

impl<'a> Search<'a> {
    pub(super) fn new(
        plan: Plan,
        failure: &'a Failure,
        effort: Effort,
        told: &'a mut dyn FnMut(Progress),
    ) -> Result<Self, ShrinkError> {
        let report = plan.replay();
        if !failure.is_shown(&report) {
            return Err(ShrinkError::DoesNotFail);
        }
        let witness = witness(failure, &report);
        let is_informed = informed::uninformed(&plan).is_empty();
        let fastest_ns = fastest_ns(&plan);
        Ok(Self {
            plan,
            failure,
            witness,
            is_informed,
            fastest_ns,
            effort,
            tries: 0,
            events: 0,
            is_spent: false,
            told,
        })
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn into_plan(self) -> Plan {
        self.plan
    }

    pub(super) fn failure(&self) -> &'a Failure {
        self.failure
    }

    pub(super) fn witness(&self) -> Option<(u64, u64)> {
        self.witness
    }

    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    pub(super) fn progress(&self) -> Progress {
        let (nodes, events, lines) = (self.plan.nodes(), self.plan.events(), self.plan.steps());
        Progress { tries: self.tries, nodes, events, lines }
    }

    /// Takes a plan in place of the smallest so far, if it fails the same way. What cannot have
    /// happened is left out of it first.
    pub(super) fn accept(&mut self, plan: Plan) -> bool {
        let mut plan = plan.tidied();
        if self.is_informed {
            informed::keep_informed(&mut plan);
        }
        if fastest_ns(&plan) < self.fastest_ns {
            return false;
        }
        // An empty plan takes its time too: every node has its checkers.
        let cost = plan.events() + plan.steps() as u64 + plan.nodes() as u64;
        self.is_spent |= self.tries >= self.effort.tries
            || self.events.saturating_add(cost) > self.effort.events;
        if self.is_spent {
            return false;
        }
        self.tries += 1;
        self.events += cost;
        let report = plan.replay();
        if !self.failure.is_shown(&report) {
            return false;
        }
        self.witness = witness(self.failure, &report);
        self.plan = plan;
        let progress = self.progress();
        (self.told)(progress);
        true
    }

    /// Takes a plan made from the smallest so far, if it is another one.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Plan)) -> bool {
        let mut plan = self.plan.clone();
        change(&mut plan);
        plan != self.plan && self.accept(plan)
    }
}

fn witness(failure: &Failure, report: &Report) -> Option<(u64, u64)> {
    let witness = report.get(&failure.check)?.witness.as_ref()?;
    Some((witness.first.event, witness.second.event))
}

/// How long the fastest message took.
fn fastest_ns(plan: &Plan) -> u64 {
    let mut sent = BTreeMap::new();
    let mut fastest = u64::MAX;
    for step in &plan.steps {
        match step.what {
            What::Send { message, .. } => drop(sent.insert(message, step.at_ns)),
            What::Receive { message } => {
                let took = sent.get(&message).map(|at| step.at_ns.saturating_sub(*at));
                fastest = fastest.min(took.unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }
    fastest
}
