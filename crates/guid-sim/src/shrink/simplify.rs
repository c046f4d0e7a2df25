//! Simplifying what is left: an event for a message, the sender for a messenger.

use guid_crdt::{Dot, VectorClock};

use super::{press::mint, search::Search};
use crate::{NodeIndex, Plan, plan::What, recorder::Storage};

pub(super) fn all(search: &mut Search<'_>) {
    messengers(search);
    each_step(search, |plan, at| mint(&mut plan.steps[at]));
    each_step(search, |plan, at| match &mut plan.steps[at].what {
        What::Restart { storage, .. } => *storage = Storage::Kept,
        What::Join { reuse } => *reuse = None,
        What::Write { overwrite, .. } => *overwrite = false,
        _ => {}
    });
    each_step(search, |plan, at| {
        if let What::Read { seen, .. } | What::Update { seen, .. } = &mut plan.steps[at].what {
            *seen = VectorClock::new();
        }
    });
    entries(search);
}

/// Tries a change on each step, from the end.
fn each_step(search: &mut Search<'_>, change: impl Fn(&mut Plan, usize)) {
    let mut at = search.plan().steps.len();
    while at > 0 && !search.is_spent() {
        at = (at - 1).min(search.plan().steps.len().saturating_sub(1));
        if at < search.plan().steps.len() {
            search.change(|plan| change(plan, at));
        }
    }
}

/// Where a node passes on what it received, the first sender may reach the last receiver itself.
fn messengers(search: &mut Search<'_>) {
    let mut at = search.plan().steps.len();
    while at > 0 && !search.is_spent() {
        at = (at - 1).min(search.plan().steps.len().saturating_sub(1));
        for received in (0..at).rev() {
            if passed_on(search.plan(), received, at)
                && search.change(|plan| go_round(plan, received, at))
            {
                break;
            }
        }
    }
}

/// Whether the message received at `last` was sent by who received another one at `first`.
fn passed_on(plan: &Plan, first: usize, last: usize) -> bool {
    let steps = &plan.steps;
    let (What::Receive { .. }, Some(What::Receive { message })) =
        (&steps[first].what, steps.get(last).map(|step| &step.what))
    else {
        return false;
    };
    let sends = |what: &What| matches!(what, What::Send { message: sent, .. } if sent == message);
    let sent = steps[first..last].iter().find(|step| sends(&step.what));
    sent.is_some_and(|sent| sent.node == steps[first].node) && steps[first].node != steps[last].node
}

/// The message that a messenger received at `first` goes to the receiver of `last` instead.
fn go_round(plan: &mut Plan, first: usize, last: usize) {
    let receiver = plan.steps[last].node;
    let What::Receive { message } = plan.steps[first].what else { return };
    plan.steps[last].what = What::Receive { message };
    redirect(plan, message, receiver);
    plan.steps.remove(first);
}

fn redirect(plan: &mut Plan, wanted: u64, receiver: NodeIndex) {
    for step in &mut plan.steps {
        if let What::Send { message, to } = &mut step.what
            && *message == wanted
        {
            *to = receiver;
        }
    }
}

/// Leaves out the entries of version vectors, one at a time.
fn entries(search: &mut Search<'_>) {
    for at in 0..search.plan().steps.len() {
        let (What::Read { seen, .. } | What::Update { seen, .. }) = &search.plan().steps[at].what
        else {
            continue;
        };
        let nodes: Vec<_> = seen.iter().map(|(node, _)| node).collect();
        for node in nodes {
            search.change(|plan| {
                if let What::Read { seen, .. } | What::Update { seen, .. } =
                    &mut plan.steps[at].what
                {
                    let others = seen.iter().filter(|&(other, _)| other != node);
                    *seen = others.map(|(node, stamp)| Dot::new(node, stamp)).collect();
                }
            });
        }
    }
}
