//! Sorting, hashing and finding IDs, beside the same bytes with derived traits.

#[expect(clippy::disallowed_types, reason = "a bench of hashing; nothing iterates")]
use std::collections::HashSet;
use std::{
    hash::Hash,
    hint::black_box,
    time::{Duration, Instant},
};

use guid_core::{Drift, Guid, NodeId, Stamp};

use crate::subject::{Group, Subject, now};

/// The bytes of an ID, with what `derive` gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Derived([u8; 12]);

const ITEMS: usize = 1_000_000;
pub(crate) const OURS: &str = "guid";
pub(crate) const DERIVED: &str = "derived from [u8; 12]";

/// IDs of 64 nodes over some hours, shuffled by a full-period step.
fn ids(items: usize) -> Vec<Guid> {
    let nodes = |i: u64| NodeId::new(u32::try_from(i % 64).expect("small") * 0x0400_0001);
    let id = |i: u64| {
        let nanos = 1_772_968_003_567_873_522 + i * 20_000_000;
        Guid::new(Drift::D3, nodes(i), Stamp::from_unix_nanos(nanos))
    };
    let items = u64::try_from(items).expect("small");
    (0..items).map(|i| id(i.wrapping_mul(0x9e37_79b1) % items)).collect()
}

pub(crate) fn groups() -> [Group; 3] {
    let ours = ids(ITEMS);
    let derived: Vec<Derived> = ours.iter().map(|id| Derived(id.to_bytes())).collect();
    let group = |name, ours, derived| Group { name, subjects: vec![derived, ours] };
    [
        group("sort", sort(OURS, ours.clone()), sort(DERIVED, derived.clone())),
        group("insert", insert(OURS, ours.clone()), insert(DERIVED, derived.clone())),
        group("search", search(OURS, ours), search(DERIVED, derived)),
    ]
}

/// Repeats something with a million items until n were done; the time of the parts that count.
fn counted(n: u64, mut each: impl FnMut() -> Duration) -> Duration {
    let items = u64::try_from(ITEMS).expect("small");
    let turns = n.div_ceil(items);
    let whole: Duration = (0..turns).map(|_| each()).sum();
    let share = whole.as_nanos() * u128::from(n) / u128::from(turns * items);
    Duration::from_nanos(u64::try_from(share).expect("less than centuries"))
}

fn since(start: Instant) -> Duration {
    start.elapsed()
}

fn sort<T: Ord + Copy + 'static>(name: &'static str, items: Vec<T>) -> Subject {
    Subject::whole(name, move |n| {
        counted(n, || {
            let mut sorted = items.clone();
            let start = now();
            sorted.sort_unstable();
            black_box(sorted);
            since(start)
        })
    })
}

#[expect(clippy::disallowed_types, reason = "a bench of hashing; nothing iterates")]
fn insert<T: Eq + Hash + Copy + 'static>(name: &'static str, items: Vec<T>) -> Subject {
    Subject::whole(name, move |n| {
        counted(n, || {
            let mut set = HashSet::with_capacity(items.len());
            let start = now();
            set.extend(items.iter().copied());
            let took = since(start);
            black_box(set);
            took
        })
    })
}

fn search<T: Ord + Copy + 'static>(name: &'static str, items: Vec<T>) -> Subject {
    let mut sorted = items.clone();
    sorted.sort_unstable();
    Subject::whole(name, move |n| {
        counted(n, || {
            let start = now();
            for item in &items {
                black_box(sorted.binary_search(black_box(item))).ok();
            }
            since(start)
        })
    })
}
