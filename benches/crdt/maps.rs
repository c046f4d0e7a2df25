//! Maps of 10,000 keys to multi-value registers, written by 30 nodes.

use std::{hint::black_box, rc::Rc};

use crdts::{CmRDT, CvRDT, MVReg, Map};
use guid_crdt::{Lattice, MvRegister, OrMap};

use crate::{
    data::{actor_of, dot_of, scattered, side},
    duel::{Duel, each, with},
};

const KEYS: u64 = 10_000;
const NODES: u64 = 30;
const CHANGED: u64 = KEYS / 200;

type Ours = OrMap<u64, MvRegister<u64>>;
type Theirs = Map<u64, MVReg<u64, u32>, u32>;

fn put(map: &mut Ours, writes: impl Iterator<Item = u64>) {
    for n in writes {
        let dot = dot_of(NODES, n);
        map.update(dot, scattered(n % KEYS), |register| register.set(dot, n)).expect("dots rise");
    }
}

fn put_theirs(map: &mut Theirs, writes: impl Iterator<Item = u64>) {
    for n in writes {
        let context = map.read_ctx().derive_add_ctx(actor_of(NODES, n));
        let update = map
            .update(scattered(n % KEYS), context, |register, context| register.write(n, context));
        map.apply(update);
    }
}

fn ours() -> Ours {
    let mut map = Ours::new();
    put(&mut map, 0..KEYS);
    map
}

pub(crate) fn duels() -> Vec<Duel> {
    let mut theirs = Theirs::new();
    put_theirs(&mut theirs, 0..KEYS);
    let theirs = Rc::new(theirs);
    vec![
        get(Rc::clone(&theirs)),
        set(&theirs),
        join("map: join, 1 % changed, nothing shared", (ours(), ours()), &theirs, CHANGED),
        join("map: join of equal states", (ours(), ours()), &theirs, 0),
        {
            let a = ours();
            let their = Rc::clone(&theirs);
            Duel::new("map: clone", each(move || a.clone()), each(move || (*their).clone()))
        },
    ]
}

fn get(theirs: Rc<Theirs>) -> Duel {
    let (map, mut n, mut their_n) = (ours(), 0, 0);
    Duel::new(
        "map: get and read",
        each(move || {
            n += 7;
            map.get(black_box(&scattered(n % KEYS))).and_then(|value| value.latest().copied())
        }),
        each(move || {
            their_n += 7;
            let value = theirs.get(black_box(&scattered(their_n % KEYS))).val;
            value.and_then(|register| register.read().val.first().copied())
        }),
    )
}

fn set(theirs: &Rc<Theirs>) -> Duel {
    let (mut map, mut n) = (ours(), KEYS);
    let (mut theirs, mut their_n) = ((**theirs).clone(), KEYS);
    Duel::new(
        "map: set",
        each(move || {
            n += 1;
            put(&mut map, n..=n);
        }),
        each(move || {
            their_n += 1;
            put_theirs(&mut theirs, their_n..=their_n);
        }),
    )
}

fn join(name: &str, (mut a, mut b): (Ours, Ours), theirs: &Rc<Theirs>, changed: u64) -> Duel {
    put(&mut a, side(KEYS, changed));
    put(&mut b, side(KEYS + 1, changed));
    let (mut their_a, mut their_b) = ((**theirs).clone(), (**theirs).clone());
    put_theirs(&mut their_a, side(KEYS, changed));
    put_theirs(&mut their_b, side(KEYS + 1, changed));
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
