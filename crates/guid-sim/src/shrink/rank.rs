//! Small numbers for names: node IDs, messages, registers, clients, digests, random bits.
//!
//! # Invariants
//!
//! Names stay in their order, and those that were equal stay equal, those that were not do not:
//! numbering makes nobody share what nobody shared.

use std::collections::{BTreeMap, BTreeSet};

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, VectorClock};

use super::search::Search;
use crate::{
    Memory, NodeIndex, Plan, Scheme,
    config::DEFAULT_START_NS,
    plan::{Step, What},
};

/// The register that lives on keeps its number.
const LONG_LIVED: u64 = 0;

pub(super) fn all(search: &mut Search<'_>) {
    search.change(|plan| plan.start_ns = DEFAULT_START_NS);
    search.change(in_order_of_appearance);
    search.change(fresh_ids);
    search.change(node_ids);
    search.change(|plan| {
        for (place, planned) in (0..).zip(&mut plan.nodes) {
            planned.machine = NodeIndex::new(place);
        }
    });
    search.change(|plan| sequences(plan, |_| true));
    for node in 0..search.plan().nodes.len() {
        search.change(|plan| sequences(plan, |other| other == node));
    }
    search.change(messages);
    search.change(|plan| numbers(plan, register, 1));
    search.change(|plan| numbers(plan, client, 1));
    search.change(stamps);
    search.change(digests);
    search.change(random_bits);
}

/// The node to which something happens first comes first.
fn in_order_of_appearance(plan: &mut Plan) {
    let mut is_placed = vec![false; plan.nodes.len()];
    let rest = NodeIndex::first(u32::try_from(plan.nodes.len()).unwrap_or(u32::MAX));
    let all = plan.steps.iter().map(|step| step.node).chain(rest);
    let new = |node: &NodeIndex| !std::mem::replace(&mut is_placed[node.at()], true);
    let order: Vec<NodeIndex> = all.filter(new).collect();
    plan.reorder(&order);
}

/// Sequences start at zero.
fn sequences(plan: &mut Plan, is_meant: impl Fn(usize) -> bool) {
    let meant = plan.nodes.iter_mut().enumerate().filter(|(node, _)| is_meant(*node));
    meant.for_each(|(_, planned)| planned.sequence = Stamp::MIN);
    for step in plan.steps.iter_mut().filter(|step| is_meant(step.node.at())) {
        if let What::Restart { sequence, .. } = &mut step.what {
            *sequence = Stamp::MIN;
        }
    }
}

/// The numbers from `first` on, in the order of the names.
fn ranks<T: Ord, N: From<u32>>(names: BTreeSet<T>, first: u32) -> BTreeMap<T, N> {
    names.into_iter().zip((first..).map(N::from)).collect()
}

/// Node IDs that restarts bring and nobody takes.
fn fresh_ids(plan: &mut Plan) {
    for step in &mut plan.steps {
        match &mut step.what {
            What::Restart { fresh, .. } if plan.memory != Memory::FreshNode => {
                *fresh = NodeId::new(0);
            }
            _ => {}
        }
    }
}

fn node_ids(plan: &mut Plan) {
    let mut ids: BTreeSet<NodeId> = plan.nodes.iter().map(|planned| planned.id).collect();
    for step in &plan.steps {
        match &step.what {
            What::Restart { fresh, .. } if plan.memory == Memory::FreshNode => {
                ids.extend([*fresh]);
            }
            What::Read { seen, .. } => ids.extend(seen.iter().map(|(node, _)| node)),
            What::Update { seen, dot, .. } => {
                ids.extend(seen.iter().map(|(node, _)| node).chain([dot.node()]));
            }
            _ => {}
        }
    }
    let ranks: BTreeMap<NodeId, u32> = ranks(ids, 1);
    let rank = |id: NodeId| NodeId::new(ranks.get(&id).copied().unwrap_or_default());
    plan.nodes.iter_mut().for_each(|planned| planned.id = rank(planned.id));
    for step in &mut plan.steps {
        match &mut step.what {
            What::Restart { fresh, .. } if plan.memory == Memory::FreshNode => {
                *fresh = rank(*fresh);
            }
            _ => {}
        }
    }
    dots(plan, |dot| Dot::new(rank(dot.node()), dot.stamp()));
}

/// Replaces every dot of version vectors and writes.
fn dots(plan: &mut Plan, change: impl Fn(Dot) -> Dot) {
    let all =
        |seen: &VectorClock| seen.iter().map(|entry| change(Dot::new(entry.0, entry.1))).collect();
    for step in &mut plan.steps {
        match &mut step.what {
            What::Read { seen, .. } => *seen = all(seen),
            What::Update { seen, dot, .. } => (*seen, *dot) = (all(seen), change(*dot)),
            _ => {}
        }
    }
}

/// The stamps of version vectors count from one, on each node.
fn stamps(plan: &mut Plan) {
    let mut of_nodes: BTreeMap<NodeId, BTreeSet<Stamp>> = BTreeMap::new();
    let mut note = |node, stamp| of_nodes.entry(node).or_default().extend([stamp]);
    for step in &plan.steps {
        if let What::Read { seen, .. } | What::Update { seen, .. } = &step.what {
            seen.iter().for_each(|(node, stamp)| note(node, stamp));
        }
        if let What::Update { dot, .. } = &step.what {
            note(dot.node(), dot.stamp());
        }
    }
    let ranks: BTreeMap<NodeId, BTreeMap<Stamp, u64>> =
        of_nodes.into_iter().map(|(node, stamps)| (node, ranks(stamps, 1))).collect();
    dots(plan, |dot| {
        let rank = ranks.get(&dot.node()).and_then(|ranks| ranks.get(&dot.stamp()));
        let stamp = rank.and_then(|&rank| Stamp::from_u64(rank).ok());
        Dot::new(dot.node(), stamp.unwrap_or(dot.stamp()))
    });
}

/// Messages count from one, in the order of sending.
fn messages(plan: &mut Plan) {
    let mut numbers: BTreeMap<u64, u64> = BTreeMap::new();
    for step in &mut plan.steps {
        match &mut step.what {
            What::Send { message, .. } => {
                let next = numbers.len() as u64 + 1;
                *message = *numbers.entry(*message).or_insert(next);
            }
            What::Receive { message } => {
                *message = numbers.get(message).copied().unwrap_or(*message);
            }
            _ => {}
        }
    }
    // Events that only tell of messages tell of others now.
    plan.steps.retain(|step| !matches!(step.what, What::Aside(_)));
}

/// A number of a step, if it has one of the kind.
fn numbers(plan: &mut Plan, of: fn(&mut Step) -> Option<&mut u64>, first: u32) {
    let all: BTreeSet<u64> = plan.steps.iter_mut().filter_map(of).map(|number| *number).collect();
    let ranks: BTreeMap<u64, u64> = ranks(all, first);
    for number in plan.steps.iter_mut().filter_map(of) {
        *number = ranks.get(number).copied().unwrap_or(*number);
    }
}

fn register(step: &mut Step) -> Option<&mut u64> {
    match &mut step.what {
        What::Write { register, .. } if *register != LONG_LIVED => Some(register),
        _ => None,
    }
}

fn client(step: &mut Step) -> Option<&mut u64> {
    match &mut step.what {
        What::Read { client, .. } | What::Update { client, .. } => Some(client),
        _ => None,
    }
}

fn digests(plan: &mut Plan) {
    let states = || {
        plan.steps.iter().filter_map(|step| match step.what {
            What::State { received, shown } => Some((received, shown)),
            _ => None,
        })
    };
    let of_received: BTreeMap<u128, u128> =
        ranks(states().map(|(received, _)| received).collect(), 1);
    let of_shown: BTreeMap<u128, u128> = ranks(states().map(|(_, shown)| shown).collect(), 1);
    for step in &mut plan.steps {
        if let What::State { received, shown } = &mut step.what {
            *received = of_received.get(received).copied().unwrap_or(*received);
            *shown = of_shown.get(shown).copied().unwrap_or(*shown);
        }
    }
}

fn random_bits(plan: &mut Plan) {
    let mut of_schemes: BTreeMap<Scheme, BTreeSet<u128>> = BTreeMap::new();
    for &(scheme, bits) in plan.steps.iter().flat_map(|step| &step.random) {
        of_schemes.entry(scheme).or_default().insert(bits);
    }
    let ranks: BTreeMap<Scheme, BTreeMap<u128, u128>> =
        of_schemes.into_iter().map(|(scheme, bits)| (scheme, ranks(bits, 1))).collect();
    for (scheme, bits) in plan.steps.iter_mut().flat_map(|step| &mut step.random) {
        *bits = ranks.get(scheme).and_then(|of| of.get(bits)).copied().unwrap_or(*bits);
    }
}
