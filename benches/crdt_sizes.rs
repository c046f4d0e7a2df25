//! Heap and bytes of replicated types, beside the crate `crdts`.
//!
//! `cargo bench -p guid-benches --bench crdt-sizes`: a table of bytes, no times. It stands apart
//! from the bench of times since it counts what is allocated, which costs time. Heap is what is
//! still held once the value is built, as was asked of the allocator.

#[path = "crdt/data.rs"]
#[expect(dead_code, reason = "shared with the bench of times")]
mod data;

use allocation_counter::measure;
use crdts::{CmRDT, MVReg, Map, Orswot, VClock};
use guid_crdt::{MvRegister, OrMap, OrSet, VectorClock, wire};

use data::{ELEMENTS, NODES, actor_of, add, add_theirs, dot, dot_of, scattered};

/// A value of each of the two.
struct Row {
    name: &'static str,
    heap: (u64, u64),
    bytes: (u64, u64),
    at_most: Option<(f64, f64)>,
}

/// What is held after it was built, and the value.
fn held<T>(build: impl FnOnce() -> T) -> (u64, T) {
    let mut value = None;
    let held = measure(|| value = Some(build()));
    (u64::try_from(held.bytes_current).unwrap_or(0), value.expect("it was built"))
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn set(name: &'static str, key: fn(u64) -> u64) -> Row {
    let (heap, ours) = held(|| {
        let mut set = OrSet::new();
        add(&mut set, NODES, key, 0..ELEMENTS);
        set
    });
    let (their_heap, theirs) = held(|| {
        let mut set = Orswot::new();
        add_theirs(&mut set, NODES, key, 0..ELEMENTS);
        set
    });
    let bytes = length(wire::encode(&ours).expect("numbers").len());
    let their_bytes = length(bincode::serialize(&theirs).expect("numbers").len());
    let at_most = Some((1.0 / 3.0, 0.5));
    Row { name, heap: (heap, their_heap), bytes: (bytes, their_bytes), at_most }
}

fn clock() -> Row {
    let (heap, ours) = held(|| (0..NODES).map(dot).collect::<VectorClock>());
    let (their_heap, theirs) = held(|| {
        let dots = (0..NODES).map(|n| crdts::Dot::new(actor_of(NODES, n), 1 + n));
        dots.collect::<VClock<u32>>()
    });
    let bytes = length(wire::encode(&ours).expect("numbers").len());
    let their_bytes = length(bincode::serialize(&theirs).expect("numbers").len());
    Row {
        name: "clock of 100",
        heap: (heap, their_heap),
        bytes: (bytes, their_bytes),
        at_most: None,
    }
}

fn map() -> Row {
    const KEYS: u64 = 10_000;
    let (heap, ours) = held(|| {
        let mut map = OrMap::<u64, MvRegister<u64>>::new();
        for n in 0..KEYS {
            let dot = dot_of(30, n);
            map.update(dot, scattered(n), |value| value.set(dot, n)).expect("dots rise");
        }
        map
    });
    let (their_heap, theirs) = held(|| {
        let mut map = Map::<u64, MVReg<u64, u32>, u32>::new();
        for n in 0..KEYS {
            let context = map.read_ctx().derive_add_ctx(actor_of(30, n));
            let put = map.update(scattered(n), context, |value, context| value.write(n, context));
            map.apply(put);
        }
        map
    });
    let bytes = length(wire::encode(&ours).expect("numbers").len());
    let their_bytes = length(bincode::serialize(&theirs).expect("numbers").len());
    let name = "map of 10,000 registers, 30 nodes";
    Row { name, heap: (heap, their_heap), bytes: (bytes, their_bytes), at_most: None }
}

fn main() {
    let rows = [
        set("set of 100,000, scattered keys", scattered),
        set("set of 100,000, keys in order", |n| n),
        map(),
        clock(),
    ];
    println!("{:<36} {:<6} {:>12} {:>12} {:>7}  at most", "bytes", "", "guid", "crdts", "ratio");
    for row in rows {
        let most = row.at_most.map_or((None, None), |(heap, bytes)| (Some(heap), Some(bytes)));
        line(row.name, "heap", row.heap, most.0);
        line("", "bytes", row.bytes, most.1);
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
fn line(name: &str, what: &str, (ours, theirs): (u64, u64), at_most: Option<f64>) {
    let ratio = ours as f64 / theirs as f64;
    let verdict = at_most.map_or_else(String::new, |most| {
        format!("{most:.3}: {}", if ratio <= most { "reached" } else { "MISSED" })
    });
    println!("{name:<36} {what:<6} {ours:>12} {theirs:>12} {ratio:>7.3}  {verdict}");
}
