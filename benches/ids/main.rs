//! IDs: made, written, read, sorted and looked up, beside their rivals in one process.
//!
//! `cargo bench -p guid-benches --bench ids` ends with a table of ratios. Only ratios inside one
//! table mean anything: subjects take turns in short rounds, so what the machine does to one it
//! does to all. With `-- --summary` the table alone is made (a minute); otherwise criterion runs
//! the same subjects first, and keeps its reports.
//!
//! What is not the same: a guid is 12 bytes where a UUID or a ULID is 16, and says who made it;
//! `uuid`'s v7 fills with randomness, from the operating system by default and from a generator of
//! its own with its feature `fast-rng`. Features are of the whole build, so the default is made
//! here by its public builder. `ferroid` reads a ticker that a thread of its own updates. Ours has
//! its feature `fast-clock` on; the line without it does by hand what `SystemClock` does then.

mod subject;
mod next;
mod text;
mod sets;
mod summary;

use criterion::Criterion;

use crate::subject::Group;

fn groups() -> Vec<Group> {
    let mut groups = vec![next::one_thread(), next::coarse(), next::fill()];
    groups.extend(text::groups());
    groups.extend(sets::groups());
    groups.push(next::two_threads());
    groups
}

fn main() {
    let mut groups = groups();
    if !std::env::args().any(|arg| arg == "--summary") {
        let mut criterion = Criterion::default().configure_from_args();
        for group in &mut groups {
            group.bench(&mut criterion);
        }
        criterion.final_summary();
    }
    summary::print(&mut groups);
}
