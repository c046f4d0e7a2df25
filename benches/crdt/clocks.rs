//! Vector clocks of 10, 100 and 1000 nodes.

use std::hint::black_box;

use crdts::{CvRDT, Dot as TheirDot, VClock};
use guid_crdt::{Lattice, VectorClock};

use crate::{
    data::dot_of,
    duel::{Duel, each, with},
};

/// The clock of some nodes after so many rounds of writes.
fn ours(nodes: u64, round: u64, which: impl Fn(u64) -> bool) -> VectorClock {
    (0..nodes).filter(|&n| which(n)).map(|n| dot_of(nodes, n + nodes * round)).collect()
}

fn theirs(nodes: u64, round: u64, which: impl Fn(u64) -> bool) -> VClock<u32> {
    let actor = |n| u32::try_from(n).unwrap_or(0) + 1;
    (0..nodes).filter(|&n| which(n)).map(|n| TheirDot::new(actor(n), 1 + round)).collect()
}

pub(crate) fn duels() -> Vec<Duel> {
    [10, 100, 1000].into_iter().flat_map(of).collect()
}

fn of(nodes: u64) -> Vec<Duel> {
    let pair = |a: VectorClock, b: VectorClock, their_a: VClock<u32>, their_b: VClock<u32>| {
        ((a, b), (their_a, their_b))
    };
    let all = |_: u64| true;
    let before = pair(
        ours(nodes, 1, all),
        ours(nodes, 2, all),
        theirs(nodes, 1, all),
        theirs(nodes, 2, all),
    );
    // Every other node is unknown to one side; each side has a node that the other lacks.
    let half = pair(
        ours(nodes, 1, |n| n % 4 != 0),
        ours(nodes, 2, |n| n % 4 != 2),
        theirs(nodes, 1, |n| n % 4 != 0),
        theirs(nodes, 2, |n| n % 4 != 2),
    );
    let least = |duel: Duel| if nodes == 100 { duel.at_least(5.0) } else { duel };
    vec![
        least(compare(format!("clock of {nodes}: compare, before"), before.clone())),
        compare(format!("clock of {nodes}: compare, concurrent"), half.clone()),
        least(join(format!("clock of {nodes}: join, same nodes"), before.clone())),
        join(format!("clock of {nodes}: join, other nodes"), half),
        clone(format!("clock of {nodes}: clone"), before),
    ]
}

type Pairs = ((VectorClock, VectorClock), (VClock<u32>, VClock<u32>));

fn compare(name: String, ((a, b), (their_a, their_b)): Pairs) -> Duel {
    Duel::new(
        name,
        each(move || black_box(&a).compare(&b)),
        each(move || black_box(&their_a).partial_cmp(&their_b)),
    )
}

fn join(name: String, ((a, b), (their_a, their_b)): Pairs) -> Duel {
    Duel::new(
        name,
        with(move || a.clone(), move |a| a.joined(&b)),
        with(
            move || (their_a.clone(), their_b.clone()),
            |(mut a, b)| {
                a.merge(b);
                a
            },
        ),
    )
}

fn clone(name: String, ((a, _), (their_a, _)): Pairs) -> Duel {
    Duel::new(name, each(move || a.clone()), each(move || their_a.clone()))
}
