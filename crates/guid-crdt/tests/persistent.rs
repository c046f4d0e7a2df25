//! The persistent map under [`DotMap`]: its joins against joins through `BTreeMap`, and its
//! sharing.
//!
//! `OrdMap::diff` dropped changes in some versions of the map; a differential test stays.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use guid_core::{NodeId, Stamp};
use guid_crdt::{CausalContext, Dot, DotMap, DotSet, DotStore, Lattice, OrSet, Span};

fn dot(node: u32, stamp: u64) -> Dot {
    Dot::new(NodeId::new(node), Stamp::from_u64(stamp).unwrap())
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

type Model = BTreeMap<u16, BTreeSet<Dot>>;

/// The causal join of two maps, by the table of the module `store`, one dot at a time.
fn joined(a: &Model, seen_a: &CausalContext, b: &Model, seen_b: &CausalContext) -> Model {
    let keys: BTreeSet<u16> = a.keys().chain(b.keys()).copied().collect();
    let none = BTreeSet::new();
    let join = |key| {
        let (a, b) = (a.get(&key).unwrap_or(&none), b.get(&key).unwrap_or(&none));
        let kept = a.iter().filter(|&dot| b.contains(dot) || !seen_b.contains(*dot));
        let new = b.iter().filter(|&dot| a.contains(dot) || !seen_a.contains(*dot));
        (key, kept.chain(new).copied().collect::<BTreeSet<Dot>>())
    };
    keys.into_iter().map(join).filter(|(_, dots)| !dots.is_empty()).collect()
}

fn store(model: &Model) -> DotMap<u16, DotSet> {
    model.iter().map(|(&key, dots)| (key, dots.iter().copied().collect())).collect()
}

/// Maps of up to some thousand keys, so that the tree has inner nodes; parts shared, parts not.
#[test]
fn joins_through_the_difference_agree_with_joins_of_everything() {
    let mut rng = Rng(7);
    for round in 0..60 {
        let size = 1 + rng.below(if round % 10 == 0 { 4000 } else { 300 });
        let base: Model = (0..size)
            .map(|n| (u16::try_from(rng.below(3 * size)).unwrap(), [dot(0, n)].into()))
            .collect();
        let prefix = |node| Span::up_to(NodeId::new(node), Stamp::from_u64(size).unwrap());
        let shared = store(&base);
        let mut sides = Vec::new();
        for node in [1, 2] {
            let mut model = base.clone();
            // The same edits on a clone of the shared map, by small deltas.
            let mut map = shared.clone();
            for n in 0..rng.below(40) {
                let key = u16::try_from(rng.below(3 * size)).unwrap();
                let before: DotSet = model.get(&key).into_iter().flatten().copied().collect();
                let gone =
                    [(key, before)].into_iter().filter(|(_, dots)| !dots.is_empty()).collect();
                let added =
                    if rng.below(2) == 0 { DotSet::one(dot(node, n)) } else { DotSet::new() };
                let keeps = !added.is_empty();
                model.remove(&key);
                if keeps {
                    model.insert(key, added.iter().collect());
                }
                let added = [(key, added)].into_iter().filter(|_| keeps).collect();
                map.apply(&CausalContext::new(), &added, &gone);
            }
            assert_eq!(map, store(&model));
            let seen = CausalContext::from_iter([prefix(0), prefix(node)]);
            sides.push((model, map, seen));
        }
        let [(a, map_a, seen_a), (b, map_b, seen_b)] = sides.try_into().unwrap();
        let expected = store(&joined(&a, &seen_a, &b, &seen_b));
        for (mut here, there) in [(map_a, map_b), (store(&a), store(&b))] {
            here.join(&seen_a, &there, &seen_b);
            assert_eq!(here, expected, "round {round}");
        }
    }
}

/// A state of many elements is copied by a pointer and its context: a thousand copies of twenty
/// thousand elements take little time and memory, and each can go its own way.
#[test]
fn copies_share_what_they_do_not_change() {
    let mut set = OrSet::new();
    set.insert_all(dot(1, 1), 0..20_000_u32).unwrap();
    let copies: Vec<OrSet<u32>> = (0..1000)
        .map(|n| {
            let mut copy = set.clone();
            copy.insert(dot(2 + n, 2), 1_000_000 + n).unwrap();
            copy
        })
        .collect();
    for copy in &copies {
        set.join(copy);
    }
    assert_eq!(set.len(), 21_000);
}
