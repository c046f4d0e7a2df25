//! Replicated sets and clocks, against `crdts` in the same run.
//!
//! 100 nodes wrote 100,000 elements. `crdts` joins by value, so its user pays a copy that ours does
//! not need; the copy is made outside the measured part where criterion allows it, and the numbers
//! are to be read with that in mind. Sizes are printed first.

use std::hint::black_box;

use crdts::{CmRDT, CvRDT, Orswot, VClock};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, Lattice, OrSet, VectorClock, wire};

const ELEMENTS: u64 = 100_000;
const NODES: u64 = 100;

/// The stamp of the n-th write: ten thousand writes a second, on all nodes together. A tick is
/// 131,072 ns and holds 2^14 stamps.
fn stamp(n: u64) -> Stamp {
    let ticks = n * 100_000 / 131_072;
    Stamp::from_u64((((1 << 40) + ticks) << 14) | (n % (1 << 14))).unwrap_or(Stamp::MAX)
}

fn dot(n: u64) -> Dot {
    Dot::new(NodeId::new(u32::try_from(n % NODES).unwrap_or(0) + 1), stamp(n))
}

/// The key of the n-th element.
type Key = fn(u64) -> u64;

/// A key that says nothing of the order in which it came.
fn scattered(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn ours(key: fn(u64) -> u64, range: std::ops::Range<u64>) -> OrSet<u64> {
    let mut set = OrSet::new();
    for n in range {
        set.insert(dot(n), key(n)).expect("dots rise");
    }
    set
}

fn theirs(key: fn(u64) -> u64, range: std::ops::Range<u64>) -> Orswot<u64, u32> {
    let mut set = Orswot::new();
    for n in range {
        let actor = u32::try_from(n % NODES).unwrap_or(0) + 1;
        let add = set.add(key(n), set.read_ctx().derive_add_ctx(actor));
        set.apply(add);
    }
    set
}

fn sizes() {
    let keys: [(&str, Key); 2] = [("keys in order", |n| n), ("scattered keys", scattered)];
    for (name, key) in keys {
        let ours = wire::encode(&ours(key, 0..ELEMENTS)).map_or(0, |bytes| bytes.len());
        let theirs = bincode::serialize(&theirs(key, 0..ELEMENTS)).map_or(0, |bytes| bytes.len());
        let permille = ours * 1000 / theirs.max(1);
        println!("{name}: {ours} bytes, crdts {theirs}: {permille} of 1000");
    }
}

fn sets(c: &mut Criterion) {
    sizes();
    let (a, their_a) = (ours(scattered, 0..ELEMENTS), theirs(scattered, 0..ELEMENTS));
    let mut group = c.benchmark_group("or-set-100k");
    group.sample_size(10);
    group.bench_function("contains/guid", |b| b.iter(|| a.contains(black_box(&scattered(7)))));
    group.bench_function("contains/crdts", |b| {
        b.iter(|| their_a.contains(black_box(&scattered(7))).val);
    });

    let twin = ours(scattered, 0..ELEMENTS); // equal, and shares nothing
    group.bench_function("join-identical/guid", |b| {
        b.iter_batched(|| a.clone(), |state| state.joined(&twin), BatchSize::LargeInput);
    });
    group.bench_function("join-identical/crdts", |b| {
        let both = || (their_a.clone(), their_a.clone());
        b.iter_batched(
            both,
            |(mut a, b)| {
                a.merge(b);
                a
            },
            BatchSize::LargeInput,
        );
    });

    // Each side adds half a percent that the other has not.
    let (mut left, mut right) = (a.clone(), a.clone());
    let (mut their_left, mut their_right) = (their_a.clone(), their_a.clone());
    for n in ELEMENTS..ELEMENTS + 1000 {
        let side = if n % 2 == 0 { &mut left } else { &mut right };
        side.insert(dot(n), scattered(n)).expect("dots rise");
        let side = if n % 2 == 0 { &mut their_left } else { &mut their_right };
        let actor = u32::try_from(n % NODES).unwrap_or(0) + 1;
        let add = side.add(scattered(n), side.read_ctx().derive_add_ctx(actor));
        side.apply(add);
    }
    group.bench_function("join-1-percent/guid", |b| {
        b.iter_batched(|| left.clone(), |state| state.joined(&right), BatchSize::LargeInput);
    });
    group.bench_function("join-1-percent/crdts", |b| {
        let both = || (their_left.clone(), their_right.clone());
        b.iter_batched(
            both,
            |(mut a, b)| {
                a.merge(b);
                a
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn clocks(c: &mut Criterion) {
    let clock = |shift: u64| (0..NODES).map(|n| dot(n + NODES * shift)).collect::<VectorClock>();
    let (a, b) = (clock(1), clock(2));
    let their = |shift: u64| {
        let dots = (0..u32::try_from(NODES).unwrap_or(0)).map(|n| crdts::Dot::new(n, 1 + shift));
        dots.collect::<VClock<u32>>()
    };
    let (their_a, their_b) = (their(1), their(2));
    let mut group = c.benchmark_group("vector-clock-100");
    group.bench_function("compare/guid", |bench| bench.iter(|| black_box(&a).compare(&b)));
    group.bench_function("compare/crdts", |bench| {
        bench.iter(|| black_box(&their_a).partial_cmp(&their_b));
    });
    group.bench_function("join/guid", |bench| {
        bench.iter_batched(|| a.clone(), |a| a.joined(&b), BatchSize::SmallInput);
    });
    group.bench_function("join/crdts", |bench| {
        let both = || (their_a.clone(), their_b.clone());
        bench.iter_batched(
            both,
            |(mut a, b)| {
                a.merge(b);
                a
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, sets, clocks);
criterion_main!(benches);
