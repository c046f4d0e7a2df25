//! Leaving out: nodes, messages, outages, steps, pairs of steps.

use std::collections::BTreeMap;

use super::{press, search::Search};
use crate::{
    Plan,
    plan::{Step, What},
};

/// Plans of at most so many steps are tried without each pair of them.
const PAIRS_OF: usize = 24;

pub(super) fn all(search: &mut Search<'_>) {
    leave_out(search, nodes);
    leave_out(search, messages);
    search.change(|plan| plan.steps.retain(|step| !matches!(step.what, What::Aside(_))));
    press::all(search);
    leave_out(search, outages);
    while leave_out(search, single) {}
    pairs(search);
    forget_nodes(search);
}

/// Leaves out groups of steps, many at a time, then fewer, then one: from the end, since what comes
/// later depends on what came before. Tells whether one by one was of use.
fn leave_out(search: &mut Search<'_>, groups: fn(&Plan) -> Vec<Vec<usize>>) -> bool {
    let mut all = groups(search.plan());
    let mut chunk = all.len();
    let mut changed = false;
    while chunk > 0 && !search.is_spent() {
        let mut end = all.len();
        changed = false;
        while end > 0 && !search.is_spent() {
            let start = end.saturating_sub(chunk);
            let dropped = all[start..end].concat();
            if search.change(|plan| without(plan, &dropped)) {
                changed = true;
                all = groups(search.plan());
            }
            end = start.min(all.len());
        }
        chunk /= 2;
    }
    changed
}

/// Leaves out every pair of steps, if there are few.
fn pairs(search: &mut Search<'_>) {
    let mut second = search.plan().steps.len();
    if second > PAIRS_OF {
        return;
    }
    while second > 1 {
        second = (second - 1).min(search.plan().steps.len());
        for first in (0..second).rev() {
            if search.change(|plan| without(plan, &[first, second])) {
                break;
            }
        }
    }
}

fn without(plan: &mut Plan, dropped: &[usize]) {
    let mut kept = vec![true; plan.steps.len()];
    dropped.iter().filter_map(|&at| kept.get_mut(at).map(|kept| *kept = false)).for_each(drop);
    let mut kept = kept.into_iter();
    plan.steps.retain(|_| kept.next().unwrap_or(true));
}

fn single(plan: &Plan) -> Vec<Vec<usize>> {
    (0..plan.steps.len()).map(|at| vec![at]).collect()
}

/// Steps that belong together, in the order in which each group begins.
fn grouped(plan: &Plan, group: impl Fn(&Step) -> Option<u64>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        if let Some(key) = group(step) {
            let place = *places.entry(key).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(at);
        }
    }
    groups
}

fn nodes(plan: &Plan) -> Vec<Vec<usize>> {
    grouped(plan, |step| Some(step.node.as_u32().into()))
}

fn messages(plan: &Plan) -> Vec<Vec<usize>> {
    grouped(plan, |step| match step.what {
        What::Send { message, .. } | What::Receive { message } => Some(message),
        _ => None,
    })
}

/// A crash and the restart after it.
fn outages(plan: &Plan) -> Vec<Vec<usize>> {
    let mut outages = Vec::new();
    let mut down = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        match step.what {
            What::Crash => drop(down.insert(step.node, at)),
            What::Restart { .. } => {
                outages.extend(down.remove(&step.node).map(|from| vec![from, at]));
            }
            _ => {}
        }
    }
    outages
}

/// Nodes on which nothing happens, and that nobody speaks of.
fn forget_nodes(search: &mut Search<'_>) {
    search.change(|plan| {
        let mut is_used = vec![false; plan.nodes.len()];
        for step in &plan.steps {
            is_used[step.node.at()] = true;
            if let Some(other) = step.what.other_node() {
                is_used[other.at()] = true;
            }
        }
        plan.keep_nodes(&is_used);
    });
}
