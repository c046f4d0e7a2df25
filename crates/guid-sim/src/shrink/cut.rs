//! The first cuts, which are large: one scheme, up to the failure, and only what led to it.

use std::collections::BTreeSet;

use super::search::Search;
use crate::{Plan, plan::What};

pub(super) fn all(search: &mut Search<'_>) {
    schemes(search);
    search.change(|plan| plan.disorder = false);
    for gap in search.plan().gaps_ns.clone() {
        search.change(|plan| plan.gaps_ns.retain(|&kept| kept != gap));
    }
    prefix(search);
    past(search);
}

/// Only the scheme that fails, or none if none does.
fn schemes(search: &mut Search<'_>) {
    let scheme = search.failure().check.split_once('@').map(|(_, scheme)| scheme);
    search.change(|plan| {
        plan.schemes.retain(|kept| scheme == Some(kept.to_string().as_str()));
        let Plan { schemes, steps, .. } = plan;
        for step in steps {
            step.random.retain(|(scheme, _)| schemes.contains(scheme));
        }
    });
}

/// The shortest beginning that fails.
fn prefix(search: &mut Search<'_>) {
    let (mut short, mut long) = (0, search.plan().steps.len());
    while long - short > 1 && !search.is_spent() {
        let middle = usize::midpoint(short, long);
        if search.change(|plan| plan.steps.truncate(middle)) {
            long = middle;
        } else {
            short = middle;
        }
    }
}

/// The causal past of the two events that show it.
fn past(search: &mut Search<'_>) {
    let Some((first, second)) = search.witness() else { return };
    let of_event = |wanted: u64| {
        let mut number = 0;
        search.plan().steps.iter().position(|step| {
            number += step.what.events();
            number >= wanted
        })
    };
    let (Some(first), Some(second)) = (of_event(first), of_event(second)) else { return };
    let past = causal_past(search.plan(), &[first, second]);
    search.change(|plan| {
        let mut past = past.iter();
        plan.steps.retain(|_| *past.next().unwrap_or(&false));
    });
}

/// For each step whether it is one of these, or leads to one of them.
fn causal_past(plan: &Plan, of: &[usize]) -> Vec<bool> {
    let mut leads = vec![false; plan.steps.len()];
    for &at in of {
        leads[at] = true;
    }
    // Of each node, whether what happened there earlier leads to one of them.
    let mut nodes = vec![false; plan.nodes.len()];
    let mut messages = BTreeSet::new();
    for (at, step) in plan.steps.iter().enumerate().rev() {
        let sends = match step.what {
            What::Send { message, .. } => messages.contains(&message),
            _ => false,
        };
        leads[at] |= nodes[step.node.at()] || sends;
        if !leads[at] {
            continue;
        }
        nodes[step.node.at()] = true;
        match step.what {
            What::Receive { message } => messages.extend([message]),
            What::Clone { of } | What::Join { reuse: Some(of) } => nodes[of.at()] = true,
            _ => {}
        }
    }
    leads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::replay;

    #[test]
    fn the_past_of_an_event_still_shows_it() {
        let scenario = crate::Builtin::named("lww-window-trap").unwrap().scenario().unwrap();
        let (_, plan) = scenario.plan(3).unwrap();
        let last = plan.steps.len() - 1;
        let past = causal_past(&plan, &[last]);
        let mut steps = past.iter();
        let mut cut = plan.clone();
        cut.steps.retain(|_| *steps.next().unwrap());
        // Nothing that is left depends on what was left out, and its last ID is the same.
        assert_eq!(cut.clone().tidied(), cut);
        let last_id = |plan: &Plan| {
            let mut keys = Vec::new();
            let report = replay(plan, &mut |played| keys = played.keys.to_vec());
            assert!(report.events > 0);
            keys
        };
        assert_eq!(last_id(&cut), last_id(&plan));
    }
}
