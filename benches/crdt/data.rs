//! The same history for both: nodes that write in turn, ten thousand writes a second together.

use crdts::{CmRDT, Orswot};
use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, OrSet};

pub(crate) const ELEMENTS: u64 = 100_000;
pub(crate) const NODES: u64 = 100;

/// The stamp of the n-th write. A tick is 131,072 ns and holds 2^14 stamps.
fn stamp(n: u64) -> Stamp {
    let ticks = n * 100_000 / 131_072;
    Stamp::from_u64((((1 << 40) + ticks) << 14) | (n % (1 << 14))).unwrap_or(Stamp::MAX)
}

/// The dot of the n-th write, by so many nodes.
pub(crate) fn dot_of(nodes: u64, n: u64) -> Dot {
    Dot::new(NodeId::new(actor_of(nodes, n)), stamp(n))
}

pub(crate) fn dot(n: u64) -> Dot {
    dot_of(NODES, n)
}

pub(crate) fn actor_of(nodes: u64, n: u64) -> u32 {
    u32::try_from(n % nodes).unwrap_or(0) + 1
}

/// A key that says nothing of the order in which it came.
pub(crate) fn scattered(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Writes that one of two sides makes and the other does not: those of every other node.
pub(crate) fn side(from: u64, count: u64) -> impl Iterator<Item = u64> {
    (from..).step_by(2).zip(0..count).map(|(n, _)| n)
}

/// Adds the elements of some writes.
pub(crate) fn add(
    set: &mut OrSet<u64>,
    nodes: u64,
    key: fn(u64) -> u64,
    writes: impl Iterator<Item = u64>,
) {
    for n in writes {
        set.insert(dot_of(nodes, n), key(n)).expect("dots rise");
    }
}

/// The same for theirs.
pub(crate) fn add_theirs(
    set: &mut Orswot<u64, u32>,
    nodes: u64,
    key: fn(u64) -> u64,
    writes: impl Iterator<Item = u64>,
) {
    for n in writes {
        let add = set.add(key(n), set.read_ctx().derive_add_ctx(actor_of(nodes, n)));
        set.apply(add);
    }
}
