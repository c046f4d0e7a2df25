//! Add-wins sets of 100,000 elements, written by 100 nodes.

use std::{hint::black_box, rc::Rc};

use crdts::{CvRDT, Orswot};
use guid_crdt::{Lattice, OrSet};

use crate::{
    data::{ELEMENTS, NODES, add, add_theirs, dot, scattered, side},
    duel::{Duel, each, with},
};

/// Where the writes that only one side has seen begin, and how many each side has.
const NEW: u64 = ELEMENTS;
const CHANGED: u64 = ELEMENTS / 200;

fn ours(nodes: u64) -> OrSet<u64> {
    let mut set = OrSet::new();
    add(&mut set, nodes, scattered, 0..ELEMENTS);
    set
}

fn theirs(nodes: u64) -> Rc<Orswot<u64, u32>> {
    let mut set = Orswot::new();
    add_theirs(&mut set, nodes, scattered, 0..ELEMENTS);
    Rc::new(set)
}

fn merge((mut a, b): (Orswot<u64, u32>, Orswot<u64, u32>)) -> Orswot<u64, u32> {
    a.merge(b);
    a
}

/// Two sides that have each seen half a percent that the other has not.
fn apart(mut left: OrSet<u64>, mut right: OrSet<u64>, changed: u64) -> (OrSet<u64>, OrSet<u64>) {
    add(&mut left, NODES, scattered, side(NEW, changed));
    add(&mut right, NODES, scattered, side(NEW + 1, changed));
    (left, right)
}

pub(crate) fn duels() -> Vec<Duel> {
    let (a, their_a) = (ours(NODES), theirs(NODES));
    let mut duels = contains(&a, &their_a);
    duels.extend(joins(&a, &their_a));
    duels.push({
        let (a, their_a) = (a.clone(), Rc::clone(&their_a));
        Duel::new("set: clone", each(move || a.clone()), each(move || (*their_a).clone()))
    });
    duels.push({
        let (a, their_a) = (a.clone(), Rc::clone(&their_a));
        Duel::new(
            "set: iterate",
            each(move || a.iter().copied().fold(0, u64::wrapping_add)),
            each(move || their_a.iter().map(|read| *read.val).fold(0, u64::wrapping_add)),
        )
    });
    duels.push({
        let (mut a, mut n) = (a, NEW);
        let (mut their_a, mut their_n) = ((*their_a).clone(), NEW);
        Duel::new(
            "set: insert",
            each(move || {
                n += 1;
                a.insert(dot(n), scattered(n)).is_ok()
            }),
            each(move || {
                their_n += 1;
                add_theirs(&mut their_a, NODES, scattered, their_n..=their_n);
            }),
        )
    });
    duels
}

/// The number of nodes must not matter.
fn contains(a: &OrSet<u64>, their_a: &Rc<Orswot<u64, u32>>) -> Vec<Duel> {
    let probe = |set: OrSet<u64>| {
        let mut n = 0;
        each(move || {
            n += 7;
            set.contains(black_box(&scattered(n % ELEMENTS)))
        })
    };
    let their_probe = |set: Rc<Orswot<u64, u32>>| {
        let mut n = 0;
        each(move || {
            n += 7;
            set.contains(black_box(&scattered(n % ELEMENTS))).val
        })
    };
    let at = |nodes| {
        let name = format!("set: contains, {nodes} nodes");
        Duel::new(name, probe(ours(nodes)), their_probe(theirs(nodes)))
    };
    let hundred =
        Duel::new("set: contains, 100 nodes", probe(a.clone()), their_probe(Rc::clone(their_a)));
    vec![at(3), hundred.at_least(10.0), at(1000)]
}

fn joins(a: &OrSet<u64>, their_a: &Rc<Orswot<u64, u32>>) -> Vec<Duel> {
    let twins = {
        let (left, right) = (ours(NODES), ours(NODES)); // equal, and share nothing
        let their = Rc::clone(their_a);
        Duel::new(
            "set: join of equal states",
            with(move || left.clone(), move |state| state.joined(&right)),
            with(move || ((*their).clone(), (*their).clone()), merge),
        )
    };
    let join = |name, (left, right): (OrSet<u64>, OrSet<u64>), changed| {
        let (mut their_left, mut their_right) = ((**their_a).clone(), (**their_a).clone());
        add_theirs(&mut their_left, NODES, scattered, side(NEW, changed));
        add_theirs(&mut their_right, NODES, scattered, side(NEW + 1, changed));
        Duel::new(
            name,
            with(move || left.clone(), move |state| state.joined(&right)),
            with(move || (their_left.clone(), their_right.clone()), merge),
        )
    };
    let separate = apart(ours(NODES), ours(NODES), CHANGED);
    let shared = apart(a.clone(), a.clone(), CHANGED);
    let few = apart(a.clone(), a.clone(), 50);
    vec![
        join("set: join, 1 % changed, nothing shared", separate, CHANGED).at_least(20.0),
        twins.at_least(50.0),
        join("set: join, 1 % changed, the rest shared", shared, CHANGED),
        join("set: join, 100 changed, the rest shared", few, 50).at_least(1000.0),
    ]
}
