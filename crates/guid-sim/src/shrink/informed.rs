//! Who knew what: nobody overwrites a value that he has not seen.
//!
//! A lost overwrite is only worth showing if its writer had seen what he wrote over. So where that
//! was so in the whole run, it stays so: a write to the register is in the causal past.

use std::collections::BTreeMap;

use crate::{Plan, plan::What};

/// Nodes times steps beyond which it is not asked.
const MOST: usize = 50_000_000;

/// Leaves out overwrites of what was not seen.
pub(super) fn keep_informed(plan: &mut Plan) {
    let mut uninformed = uninformed(plan).into_iter().peekable();
    let mut at = 0;
    plan.steps.retain(|_| {
        at += 1;
        uninformed.next_if_eq(&(at - 1)).is_none()
    });
}

/// The steps that overwrite what was not seen, in their order.
pub(super) fn uninformed(plan: &Plan) -> Vec<usize> {
    let mut uninformed = Vec::new();
    let nodes = plan.nodes.len();
    let overwrites = |what: &What| matches!(what, What::Write { overwrite: true, .. });
    if plan.steps.len().saturating_mul(nodes) > MOST
        || !plan.steps.iter().any(|step| overwrites(&step.what))
    {
        return uninformed;
    }
    // How many steps of each node each node knows of: a vector clock.
    let mut known = vec![vec![0_u32; nodes]; nodes];
    let mut carried: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    // Of each register, who wrote it, at which of his steps.
    let mut writes: BTreeMap<u64, Vec<(usize, u32)>> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let node = step.node.at();
        match step.what {
            What::Receive { message } => {
                let sender = carried.get(&message).into_iter().flatten();
                let own = known[node].iter_mut().zip(sender);
                own.for_each(|(own, &theirs)| *own = theirs.max(*own));
            }
            What::Clone { of } => {
                let copied = known[of.at()].clone();
                known[node] = copied;
            }
            _ => {}
        }
        known[node][node] += 1;
        match step.what {
            What::Send { message, .. } => drop(carried.insert(message, known[node].clone())),
            What::Write { register, overwrite } => {
                let own = &known[node];
                let earlier = writes.entry(register).or_default();
                if overwrite && !earlier.iter().rev().any(|&(by, count)| own[by] >= count) {
                    uninformed.push(at);
                } else {
                    earlier.push((node, own[node]));
                }
            }
            _ => {}
        }
    }
    uninformed
}
