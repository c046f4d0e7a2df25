//! The simulator: events a second, beside a bare event loop and turmoil, in one process.
//!
//! `cargo bench -p guid-benches --bench sim --profile lto -- --summary` makes the table alone, of
//! a program as one would build it; without `--summary` criterion runs the same subjects first. A
//! turn is an event (a send or a receive, one entry of the queue each); for turmoil it is half a
//! datagram, since a datagram is sent and received.
//!
//! What is not the same: turmoil runs tasks on a runtime of tokio a host, which is what it is for.

#[path = "../ids/subject.rs"]
#[expect(dead_code, reason = "another bench has subjects of more kinds")]
mod subject;
mod ours;
mod rivals;
mod summary;

use std::{hint::black_box, time::Duration};

use criterion::Criterion;

use crate::{
    ours::Watch,
    subject::{Group, Subject},
};

pub(crate) const BARE: &str = "a binary heap, nothing else";
pub(crate) const NOTHING: &str = "no scheme";
pub(crate) const CHECKERS: &str = "guid96 and its checkers";
pub(crate) const VECTORS: &str = "vector clocks";
pub(crate) const TRACE: &str = "guid96 and a trace";
pub(crate) const TURMOIL: &str = "turmoil, a datagram a ms";
pub(crate) const BURSTS: &str = "turmoil, 32 a ms";

fn subject(name: &'static str, mut run: impl FnMut(u64) -> u64 + 'static) -> Subject {
    Subject::whole(name, move |turns| {
        let start = subject::now();
        let events = black_box(run(turns)).max(1);
        // As many turns as asked for, whatever the run came to.
        let each = start.elapsed().as_secs_f64() / float(events);
        Duration::from_secs_f64(each * float(turns))
    })
}

#[expect(clippy::cast_precision_loss, reason = "turns are far below 2^53")]
fn float(turns: u64) -> f64 {
    turns as f64
}

fn group(name: &'static str, nodes: u32) -> Group {
    let ours = |name, watch| subject(name, move |events| ours::run(nodes, watch, events));
    let mut subjects = vec![
        subject(BARE, move |events| rivals::bare_loop(nodes, events)),
        ours(NOTHING, Watch::Nothing),
        ours(CHECKERS, Watch::Checkers),
        ours(VECTORS, Watch::Vectors),
        ours(TRACE, Watch::Trace),
    ];
    if nodes == 64 {
        for (name, burst) in [(TURMOIL, 1), (BURSTS, 32)] {
            let turmoil = move |events| 2 * rivals::turmoil_datagrams(nodes, burst, events / 2);
            subjects.push(subject(name, turmoil));
        }
    }
    Group { name, subjects }
}

fn main() {
    let mut groups = vec![group("8 nodes", 8), group("64 nodes", 64), group("512 nodes", 512)];
    if !std::env::args().any(|arg| arg == "--summary") {
        let mut criterion = Criterion::default().configure_from_args().sample_size(10);
        for group in &mut groups {
            group.bench(&mut criterion);
        }
        criterion.final_summary();
    }
    summary::print(&mut groups);
}
