//! Registers and a counter.

use std::hint::black_box;

use crdts::{CmRDT, CvRDT, GCounter as TheirCounter, LWWReg, MVReg};
use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, GCounter, Lattice, LwwRegister, MvRegister};

use crate::{
    data::{NODES, actor_of, dot},
    duel::{Duel, each, with},
};

pub(crate) fn duels() -> Vec<Duel> {
    vec![lww_set(), lww_join(), mv_set(), mv_join(), counter_add(), counter_value(), counter_join()]
}

fn lww_set() -> Duel {
    let (mut register, mut n) = (LwwRegister::new(), 0);
    let mut theirs = LWWReg { val: 0, marker: (0, 0) };
    let mut marker = 0;
    Duel::new(
        "last-writer-wins register: set",
        each(move || {
            n += 1;
            let stamp = Stamp::from_u64(n).unwrap_or(Stamp::MAX);
            register.set(black_box(Dot::new(NodeId::new(1), stamp)), n).is_ok()
        }),
        each(move || {
            marker += 1;
            theirs.update(marker, black_box((marker, 1)));
        }),
    )
}

fn lww_join() -> Duel {
    let [a, b] = [1, 2].map(|n| LwwRegister::written(dot(n), n));
    let [their_a, their_b] = [1, 2].map(|n| LWWReg { val: n, marker: (n, 1) });
    Duel::new(
        "last-writer-wins register: join",
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

/// A register that all nodes have written, one after the other.
fn mv(writes: u64) -> MvRegister<u64> {
    let mut register = MvRegister::new();
    (0..writes).for_each(|n| drop(register.set(dot(n), n)));
    register
}

fn their_mv(writes: u64) -> MVReg<u64, u32> {
    let mut register = MVReg::new();
    (0..writes).for_each(|n| their_set(&mut register, n));
    register
}

fn their_set(register: &mut MVReg<u64, u32>, n: u64) {
    let write = register.write(n, register.read_ctx().derive_add_ctx(actor_of(NODES, n)));
    register.apply(write);
}

fn mv_set() -> Duel {
    let (mut ours, mut n) = (mv(NODES), NODES);
    let (mut theirs, mut their_n) = (their_mv(NODES), NODES);
    Duel::new(
        "multi-value register, 100 nodes: set",
        each(move || {
            n += 1;
            ours.set(dot(n), n).is_ok()
        }),
        each(move || {
            their_n += 1;
            their_set(&mut theirs, their_n);
        }),
    )
}

fn mv_join() -> Duel {
    let base = mv(NODES);
    let [a, b] = [1, 2].map(|n| {
        let mut register = base.clone();
        register.set(dot(NODES + n), n).expect("dots rise");
        register
    });
    let base = their_mv(NODES);
    let [their_a, their_b] = [1, 2].map(|n| {
        let mut register = base.clone();
        their_set(&mut register, NODES + n);
        register
    });
    Duel::new(
        "multi-value register, 100 nodes: join",
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

fn counter() -> GCounter {
    let mut counter = GCounter::new();
    (0..NODES).for_each(|n| drop(counter.add(dot(n), 3)));
    counter
}

fn their_counter() -> TheirCounter<u32> {
    let mut counter = TheirCounter::new();
    for n in 0..NODES {
        let add = counter.inc_many(actor_of(NODES, n), 3);
        counter.apply(add);
    }
    counter
}

fn counter_add() -> Duel {
    let (mut ours, mut n) = (counter(), NODES);
    let (mut theirs, mut their_n) = (their_counter(), NODES);
    Duel::new(
        "counter, 100 nodes: add",
        each(move || {
            n += 1;
            ours.add(dot(n), 1).is_ok()
        }),
        each(move || {
            their_n += 1;
            let add = theirs.inc(actor_of(NODES, their_n));
            theirs.apply(add);
        }),
    )
}

fn counter_value() -> Duel {
    let (ours, theirs) = (counter(), their_counter());
    Duel::new(
        "counter, 100 nodes: value",
        each(move || black_box(&ours).value()),
        each(move || black_box(&theirs).read()),
    )
}

fn counter_join() -> Duel {
    let (a, their_a) = (counter(), their_counter());
    let mut b = a.clone();
    b.add(dot(NODES + 1), 1).expect("dots rise");
    let mut their_b = their_a.clone();
    their_b.apply(their_b.inc(2));
    Duel::new(
        "counter, 100 nodes: join",
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
