//! Sweeps on one thread and on two: the same runs, and how many times as fast they are done.
//!
//! `cargo bench -p guid-benches --bench sweep -- --summary` prints the ratio alone, the best of
//! some rounds by turns. Two threads cannot be twice as fast where somebody else has a processor.

#[path = "ids/subject.rs"]
#[expect(dead_code, reason = "another bench has subjects of more kinds")]
mod subject;

use std::{convert::Infallible, hint::black_box};

use criterion::Criterion;
use guid_sim::{
    Builtin,
    sweep::{Shard, Sweep},
};

use crate::subject::{Group, Subject};

const ROUNDS: u32 = 7;
/// A run is a turn; so many of them in a round.
const RUNS: u64 = 500;
/// What two threads must be worth.
const LEAST: f64 = 1.7;

fn subject(name: &'static str, threads: usize) -> Subject {
    let text = Builtin::named("lww-window-trap").expect("it ships").text;
    let vary = [("workload.think".to_owned(), ["1s", "30s"].map(str::to_owned).to_vec())];
    Subject::whole(name, move |runs| {
        let seeds = 0..runs.div_ceil(2).max(1);
        let sweep = Sweep::new(text, &[], &vary, Some(seeds)).expect("it can be swept");
        let start = subject::now();
        let mut events = 0;
        let done = sweep.run_from(Shard::WHOLE, 0, threads, |outcome| {
            events += outcome.events;
            Ok::<(), Infallible>(())
        });
        black_box((done, events)).0.expect("nothing stops it");
        start.elapsed()
    })
}

fn main() {
    let subjects = vec![subject("1 thread", 1), subject("2 threads", 2)];
    let mut group = Group { name: "a sweep, a run", subjects };
    if !std::env::args().any(|arg| arg == "--summary") {
        let mut criterion = Criterion::default().configure_from_args().sample_size(10);
        group.bench(&mut criterion);
        criterion.final_summary();
    }
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (best, subject) in best.iter_mut().zip(&mut group.subjects) {
            *best = best.min((subject.run)(RUNS).as_secs_f64());
        }
    }
    let [one, two] = best;
    let ratio = one / two;
    let verdict = if ratio >= LEAST { "reached" } else { "MISSED" };
    println!("{RUNS} runs: 1 thread {:.0} ms, 2 threads {:.0} ms", one * 1e3, two * 1e3);
    println!("{verdict}: 2 threads are {ratio:.2} times as fast as 1, to be at least {LEAST:.2}");
}
