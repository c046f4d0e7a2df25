//! Documents: the five parts of a key by the meaning of their types, to two levels.

use std::collections::BTreeMap;

use guid_crdt::{Doc, DocEdit, DocMap, Dot, Scalar};

use super::{Event, EwFlagSpec, Mutated, MvSpec, OrSetSpec, ResettableSpec, Spec, set, small};
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Set(u8),
    Add(i64),
    Flag(bool),
    Insert(u8),
    Take(u8),
    Delete,
    Within(u8, Box<Self>),
}

/// What one event does: one change, or several under different keys.
pub(crate) type Batch = BTreeMap<u8, Change>;

/// What is under a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shown {
    register: Vec<u8>,
    counter: i128,
    flag: bool,
    set: Vec<u8>,
    map: BTreeMap<u8, Self>,
}

pub(crate) struct DocSpec;

impl Spec for DocSpec {
    type State = Doc;
    type Op = Batch;
    type Value = BTreeMap<u8, Shown>;
    const NAME: &'static str = "Doc";

    fn random(rng: &mut Rng) -> Batch {
        let changes = 1 + rng.below(3) / 2;
        (0..changes).map(|_| (small(rng, 2), change(rng, 2))).collect()
    }

    fn mutate(state: &mut Doc, dot: Dot, op: &Batch) -> Mutated<Doc> {
        state.edit(dot, |doc| op.iter().for_each(|(key, change)| carry_out(doc, *key, change)))
    }

    fn read(state: &Doc) -> BTreeMap<u8, Shown> {
        read(state.root())
    }

    fn meaning(visible: &[&Event<Batch>]) -> BTreeMap<u8, Shown> {
        meaning(&visible.iter().map(|event| (*event).clone()).collect::<Vec<_>>())
    }
}

fn change(rng: &mut Rng, depth: usize) -> Change {
    match rng.below(if depth > 0 { 11 } else { 7 }) {
        0 => Change::Set(small(rng, 6)),
        1 => Change::Add(i64::from(small(rng, 6)) - 2),
        2 => Change::Flag(rng.chance(60)),
        3 | 4 => Change::Insert(small(rng, 3)),
        5 => Change::Take(small(rng, 3)),
        6 | 7 => Change::Delete,
        _ => Change::Within(small(rng, 2), Box::new(change(rng, depth - 1))),
    }
}

fn carry_out(doc: &mut DocEdit<'_>, key: u8, change: &Change) {
    let key = key.to_string();
    match change {
        Change::Set(value) => doc.set(&key, i64::from(*value)),
        Change::Add(amount) => doc.add(&key, *amount),
        Change::Flag(true) => doc.enable(&key),
        Change::Flag(false) => doc.disable(&key),
        Change::Insert(element) => doc.insert(&key, i64::from(*element)),
        Change::Take(element) => doc.remove(&key, i64::from(*element)),
        Change::Delete => doc.delete(&key),
        Change::Within(inner, change) => doc.map(&key, |map| carry_out(map, *inner, change)),
    }
}

fn read(map: DocMap<'_>) -> BTreeMap<u8, Shown> {
    let number = |scalar: &Scalar| u8::try_from(scalar.as_int().unwrap()).unwrap();
    let shown = map.keys().map(|key| {
        let mut register: Vec<u8> = map.values(key).map(number).collect();
        register.sort_unstable();
        register.dedup();
        let shown = Shown {
            register,
            counter: map.count(key),
            flag: map.is_on(key),
            set: map.elements(key).map(number).collect(),
            map: map.map(key).map(read).unwrap_or_default(),
        };
        (key.parse().unwrap(), shown)
    });
    shown.filter(|(_, shown)| *shown != Shown::default()).collect()
}

fn meaning(visible: &[Event<Batch>]) -> BTreeMap<u8, Shown> {
    if visible.is_empty() {
        return BTreeMap::new();
    }
    let under = |key| {
        // What happened under the key and was not seen by a delete of it.
        let changes = visible.iter().filter_map(|e| Some(e.of(e.operation.get(&key)?.clone())));
        let changes: Vec<Event<Change>> = changes.collect();
        let deletes = |e: &Event<Change>| matches!(e.operation, Change::Delete);
        let stands = |c: &&Event<Change>| !changes.iter().any(|e| deletes(e) && e.saw(c));
        let standing: Vec<&Event<Change>> = changes.iter().filter(stands).collect();
        let shown = Shown {
            register: part::<MvSpec>(&standing, |change| match change {
                Change::Set(value) => Some(Some(*value)),
                _ => None,
            }),
            counter: part::<ResettableSpec>(&standing, |change| match change {
                Change::Add(amount) => Some(Some(*amount)),
                _ => None,
            }),
            flag: part::<EwFlagSpec>(&standing, |change| match change {
                Change::Flag(on) => Some(*on),
                _ => None,
            }),
            set: part::<OrSetSpec>(&standing, |change| match change {
                Change::Insert(element) => Some(set::SetOp::Insert(vec![*element])),
                Change::Take(element) => Some(set::SetOp::Remove(*element)),
                _ => None,
            }),
            map: meaning(&pick(&standing, |change| match change {
                Change::Within(key, change) => Some(Batch::from([(*key, (**change).clone())])),
                _ => None,
            })),
        };
        (key, shown)
    };
    (0..2).map(under).filter(|(_, shown)| *shown != Shown::default()).collect()
}

fn pick<O>(events: &[&Event<Change>], of: impl Fn(&Change) -> Option<O>) -> Vec<Event<O>> {
    events.iter().filter_map(|event| Some(event.of(of(&event.operation)?))).collect()
}

fn part<S: Spec>(events: &[&Event<Change>], of: impl Fn(&Change) -> Option<S::Op>) -> S::Value {
    S::meaning(&pick(events, of).iter().collect::<Vec<_>>())
}
