//! Replicated types, against the crate `crdts` in the same process.
//!
//! `cargo bench -p guid-benches --bench crdt -- --summary` makes a table of ratios: the two take
//! turns in short rounds, so what the machine does to one it does to the other, and the best round
//! of each counts. Without `--summary` criterion runs the same first, and keeps its reports. Heap
//! and encoded sizes: `--bench crdt-sizes`.
//!
//! What is not the same: `crdts` joins by value, so whoever keeps the other state pays for a copy
//! of it, which is made outside the measured part here. Ours joins by reference and copies, inside
//! the measured part, what of a shared structure it changes. Writes are measured with all that each
//! library asks for: a read context and an operation there, a dot here, which comes from a
//! generator that is not in the measured part; dropping the operation or delta is.

mod data;
mod duel;
mod sets;
mod clocks;
mod registers;
mod maps;

use criterion::Criterion;

fn main() {
    let mut duels = clocks::duels();
    duels.extend(registers::duels());
    duels.extend(maps::duels());
    duels.extend(sets::duels());
    if !std::env::args().any(|arg| arg == "--summary") {
        let mut criterion = Criterion::default().configure_from_args();
        for duel in &mut duels {
            duel.bench(&mut criterion);
        }
        criterion.final_summary();
    }
    duel::print(&mut duels);
}
