//! What can have happened: nobody receives what was not sent, and who is down does nothing.

use std::collections::BTreeMap;

use super::{Plan, Step, What};
use crate::{EventKind, NodeIndex};

/// What of a plan is known to have happened, step by step.
#[derive(Debug)]
pub(crate) struct Possible {
    at_ns: u64,
    up: Vec<bool>,
    /// To whom each message was sent.
    sent: BTreeMap<u64, NodeIndex>,
}

impl Possible {
    /// Nodes are up, but for those of which the first thing is that they start.
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut up = vec![None; plan.nodes.len()];
        for step in &plan.steps {
            let starts = match step.what {
                What::Restart { .. } | What::Join { .. } | What::Clone { .. } => true,
                What::Crash => false,
                _ => continue,
            };
            if let Some(up) = up.get_mut(step.node.at()) {
                up.get_or_insert(!starts);
            }
        }
        let up = up.into_iter().map(|up| up.unwrap_or(true)).collect();
        Self { at_ns: 0, up, sent: BTreeMap::new() }
    }

    /// Takes in a step, or says why it cannot be, which changes nothing.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), &'static str> {
        let known = |node: NodeIndex| node.at() < self.up.len();
        if !known(step.node) {
            return Err("there is no such node");
        }
        if step.at_ns < self.at_ns {
            return Err("it stands after what happened later");
        }
        let is_up = self.up[step.node.at()];
        match step.what {
            What::Restart { .. } | What::Join { .. } | What::Clone { .. } if is_up => {
                return Err("the node is up by then");
            }
            What::Join { reuse: Some(of) } | What::Clone { of } if !known(of) => {
                return Err("there is no such node to be like");
            }
            What::Restart { .. } | What::Join { .. } | What::Clone { .. } => {
                self.up[step.node.at()] = true;
            }
            What::Snapshot | What::Aside(_) => self.aside(&step.what)?,
            _ if !is_up => return Err("the node is down by then"),
            What::Crash => self.up[step.node.at()] = false,
            What::Send { to, .. } if !known(to) => return Err("there is no such node to send to"),
            What::Send { message, to } => {
                if self.sent.contains_key(&message) {
                    return Err("a message of this number was sent before");
                }
                self.sent.insert(message, to);
            }
            What::Receive { message } => match self.sent.get(&message) {
                None => return Err("the message was not sent before"),
                Some(&to) if to != step.node => return Err("the message was sent to another node"),
                Some(_) => {}
            },
            _ => {}
        }
        self.at_ns = step.at_ns;
        Ok(())
    }

    fn aside(&self, what: &What) -> Result<(), &'static str> {
        match *what {
            What::Aside(EventKind::Lost { message }) if !self.sent.contains_key(&message) => {
                Err("the message was not sent before")
            }
            _ => Ok(()),
        }
    }
}

impl Plan {
    /// The plan without what cannot have happened.
    pub(crate) fn tidied(mut self) -> Self {
        let mut possible = Possible::new(&self);
        self.steps.retain(|step| possible.step(step).is_ok());
        self
    }
}
