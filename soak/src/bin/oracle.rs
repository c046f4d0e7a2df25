//! The long run of the oracle: random histories against the meaning of each type, and a table.
//!
//! ```console
//! $ cargo run --release -p guid-crdt --example oracle --features wire -- --seed 1 --count 60000
//! ```
//!
//! A history is checked at every replica after every step, its states are written and read back,
//! and in the end values, states and bytes must be equal in whatever order all are joined. What a
//! history is, and what a type means, stands in `tests/oracle/`; `cargo test` runs a part of it.
//!
//! The columns: steps of all histories; writes among them; comparisons of a replica with what it
//! must show; those left out since the replica had an event and not all that happened before it;
//! deltas refused for a gap; deltas sent as one; histories that went wrong, with their seeds above.
//!
//! Ends with 0 if nothing was wrong, with 1 if something was, with 64 if it was called wrongly.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its history")]

#[path = "../../../crates/guid-crdt/tests/oracle/history.rs"]
mod history;
#[path = "../../../crates/guid-crdt/tests/oracle/peers.rs"]
mod peers;
#[path = "../../../crates/guid-crdt/tests/oracle/rng.rs"]
mod rng;
#[path = "../../../crates/guid-crdt/tests/oracle/spec.rs"]
mod spec;
#[path = "../../../crates/guid-crdt/tests/oracle/types.rs"]
mod types;

use std::{env, fmt::Display, io::Write, panic, process::ExitCode};

use history::{Exchange, Stats};
use spec::{
    AwLwwMapSpec, BoundedSpec, DocSpec, DwFlagSpec, EwFlagSpec, FwwSpec, GCounterSpec, GSetSpec,
    LwwMapSpec, LwwSetSpec, LwwSpec, MaxSpec, MinSpec, MvSpec, OrMapSpec, OrSetSpec, PnCounterSpec,
    ResettableSpec, RwSetSpec, TwoPhaseSpec,
};

const USAGE: &str = "\
usage: oracle [--seed N] [--count N] [--type NAME]... [--exchange NAME]...

  --seed N         the first history; each has a number of its own [default: 1]
  --count N        how many histories a type and way of exchange [default: 60000]
  --type NAME      only this type; may be given again [default: all]
  --exchange NAME  only this way: full-state, deltas-in-order, deltas-in-disorder, peers";

type Run = fn(u64, &mut Stats);

/// A type and a way of exchange.
struct Subject {
    name: &'static str,
    exchange: &'static str,
    run: Run,
}

macro_rules! subjects {
    ($($name:ident: $spec:ty),* $(,)?) => {
        fn subjects() -> Vec<Subject> {
            let all: Vec<(&str, [Run; 4])> = vec![$((stringify!($name), [
                |seed, stats| history::run::<$spec>(Exchange::States, seed, stats),
                |seed, stats| history::run::<$spec>(Exchange::DeltasInOrder, seed, stats),
                |seed, stats| history::run::<$spec>(Exchange::DeltasInDisorder, seed, stats),
                peers::run::<$spec>,
            ])),*];
            let by = |(name, runs): (&'static str, [Run; 4])| {
                let runs = EXCHANGES.into_iter().zip(runs);
                runs.map(move |(exchange, run)| Subject { name, exchange, run })
            };
            all.into_iter().flat_map(by).collect()
        }
    };
}

types::every_type!(subjects);

const EXCHANGES: [&str; 4] = ["full-state", "deltas-in-order", "deltas-in-disorder", "peers"];

struct Wanted {
    seed: u64,
    count: u64,
    types: Vec<String>,
    exchanges: Vec<String>,
}

fn wanted() -> Result<Wanted, String> {
    let mut wanted = Wanted { seed: 1, count: 60_000, types: vec![], exchanges: vec![] };
    let mut arguments = env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value"))?;
        let number = || value.parse().map_err(|_| format!("`{value}`: expected a number"));
        match name.as_str() {
            "--seed" => wanted.seed = number()?,
            "--count" => wanted.count = number()?,
            "--type" => wanted.types.push(known(value, |subject| subject.name)?),
            "--exchange" => wanted.exchanges.push(known(value, |subject| subject.exchange)?),
            _ => return Err(format!("`{name}`: no such option")),
        }
    }
    Ok(wanted)
}

fn known(value: String, name: fn(&Subject) -> &'static str) -> Result<String, String> {
    let mut names: Vec<_> = subjects().iter().map(name).collect();
    names.dedup();
    if names.contains(&&*value) {
        return Ok(value);
    }
    Err(format!("`{value}`: expected one of {}", names.join(", ")))
}

/// Runs the histories and prints a line; returns how many were wrong.
fn row(subject: &Subject, wanted: &Wanted) -> u64 {
    let (mut stats, mut wrong) = (Stats::default(), 0);
    for number in 0..wanted.count {
        let seed = wanted.seed.wrapping_add(number);
        let run = panic::AssertUnwindSafe(|| (subject.run)(seed, &mut stats));
        if panic::catch_unwind(run).is_err() {
            wrong += 1;
            println!("wrong: {} {} --seed {seed} --count 1", subject.name, subject.exchange);
        }
    }
    let Stats { steps, events, checks, open, gaps, groups } = stats;
    let counts = [wanted.count, steps, events, checks, open, gaps, groups, wrong];
    line(subject.name, subject.exchange, counts.map(|count| count.to_string()));
    wrong
}

fn line(name: &str, exchange: &str, columns: [impl Display; 8]) {
    let columns = columns.map(|column| format!("{column:>11}")).concat();
    println!("{name:<20} {exchange:<18}{columns}");
    std::io::stdout().flush().unwrap();
}

fn main() -> ExitCode {
    let wanted = match wanted() {
        Ok(wanted) => wanted,
        Err(error) => {
            eprintln!("oracle: {error}\n\n{USAGE}");
            return ExitCode::from(64);
        }
    };
    let head = ["histories", "steps", "writes", "checks", "open", "gaps", "groups", "wrong"];
    line("type", "exchange", head);
    let chosen = |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
    let wrong: u64 = subjects()
        .iter()
        .filter(|subject| chosen(&wanted.types, subject.name))
        .filter(|subject| chosen(&wanted.exchanges, subject.exchange))
        .map(|subject| row(subject, &wanted))
        .sum();
    println!("seed {}, wrong: {wrong}", wanted.seed);
    ExitCode::from(u8::from(wrong > 0))
}
