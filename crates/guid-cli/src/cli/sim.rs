//! What can be typed after `guid sim`.

mod picture;

use std::{ops::Range, path::PathBuf};

use clap::{Args, Subcommand};
use guid_sim::{Format, Observe, Scheme, units};

use super::{
    shrink::{REPLAY, ReplayRepro, SHRINK, Shrink},
    sweep::{MERGE, Merge, SWEEP, Sweep, WORKER, Worker},
};

pub(crate) use self::picture::{Order, Picture};

#[derive(Debug, Args)]
pub(crate) struct Sim {
    #[command(subcommand)]
    pub(crate) command: SimCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SimCommand {
    /// Run a scenario and say which guarantees held
    #[command(after_help = RUN)]
    Run(Run),
    /// Run a scenario at many points of a grid of values, with many seeds at each
    #[command(after_help = SWEEP)]
    Sweep(Sweep),
    /// Put the shards of a sweep together
    #[command(after_help = MERGE)]
    Merge(Merge),
    /// Do the runs of sweeps that others start
    #[command(after_help = WORKER)]
    Worker(Worker),
    /// List the scenarios that ship
    #[command(after_help = LIST)]
    List {
        /// Write one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Say what theory expects of a scenario, without running it
    #[command(after_help = PREDICT)]
    Predict(Predict),
    /// Write a scenario to start from, with a comment on everything
    #[command(after_help = NEW)]
    New {
        /// What to call it; also written to NAME.toml, unless there is such a file
        name: Option<String>,
    },
    /// Make a run that fails as small as it gets, and write it as a file that draws nothing
    #[command(after_help = SHRINK)]
    Shrink(Shrink),
    /// Replay what `shrink` wrote: what happens, and whether it still fails the same way
    #[command(after_help = REPLAY)]
    Replay(ReplayRepro),
    /// Judge the log of another system, or a trace: which guarantees hold of its IDs
    #[command(after_help = CHECK)]
    Check(Check),
    /// Look at every run of a small world: all orders, losses, repetitions, crashes, clock steps
    #[command(after_help = super::explore::EXPLORE)]
    Explore(super::Explore),
    /// Write a trace in the form of another tool
    #[command(after_help = EXPORT)]
    Export {
        /// A file that `guid sim run --trace` wrote; `-` is standard input
        trace: PathBuf,
        /// The form: svg, shiviz, chrome, csv, dot or mermaid
        #[arg(long, value_name = "FORM")]
        to: Format,
        /// Only the events from number A up to, but not including, B
        #[arg(long, value_name = "A..B", value_parser = seeds)]
        events: Option<Range<u64>>,
    },
    /// Draw a picture of a run
    #[command(after_help = picture::PICTURE)]
    Picture(Picture),
    /// Write the file of a scenario that ships: a start for one of your own
    #[command(after_help = SHOW)]
    Show {
        /// The name of the scenario
        name: String,
    },
}

const RUN: &str = "\
Examples:
  guid sim run lww-window-trap                   a scenario that ships
  guid sim run lww-window-trap --seed 7          the same with other luck
  guid sim run lww-window-trap --set workload.think=30s
  guid sim run lww-window-trap --set ids.window=d7      the widest window, for every scheme
  guid sim run split-brain-cart --set network.partition=2s..4s
  guid sim run mine.toml --seeds 0..100 --json   a hundred runs of a file, an object each
  guid sim run hello-clocks --trace run.jsonl    everything that happened, one event a line
  guid sim run hello-clocks --report run.html    tables and pictures, for any browser

Ends with 0 if everything came out as the scenario expects (a violation that it is there to show is
expected), 1 if not, 2 if that could not be told.";

const LIST: &str = "\
Examples:
  guid sim list                                  a name a line, and what it shows
  guid sim list --json | jq -r .name";

const EXPORT: &str = "\
Examples:
  guid sim run hello-clocks --trace run.jsonl
  guid sim export run.jsonl --to svg --events 1..100 > run.svg    a picture, for any browser
  guid sim export run.jsonl --to shiviz > run.log      for ShiViz: who knew what
  guid sim export run.jsonl --to chrome > run.json     for Perfetto: when, and clock offsets";

const SHOW: &str = "\
Example:
  guid sim show hello-clocks > mine.toml && guid sim run mine.toml";

const PREDICT: &str = "\
Examples:
  guid sim predict lww-window-trap               expected: a part of 0.4982 is lost
  guid sim predict lww-window-trap --set workload.think=30s

Each number comes with its closed form, and where there is none, with the reason. A run prints the
same forms beside its measurements, taken over its own cases.";

const NEW: &str = "\
Examples:
  guid sim new > mine.toml && guid sim run mine.toml
  guid sim new mine                              writes mine.toml";

const CHECK: &str = "\
Examples:
  guid sim check log.jsonl                       of what form the IDs are, is recognized
  guid sim check log.jsonl --scheme uuid7 --skew 10ms
  guid sim check log.jsonl --scheme text         IDs of any other form, compared as text
  guid sim run hello-clocks --trace run.jsonl && guid sim check run.jsonl

A line of the log is a JSON object: who, when, the ID, what was sent or received, as in
    {\"node\":\"web-1\",\"time_ns\":1767225600000000000,\"id\":\"Nl2DH2V...7xjo.B\",\"send\":\"m1\"}
    {\"node\":\"web-2\",\"time_ns\":1767225600000250000,\"id\":\"Nl2DH4....7xjs.6\",\"receive\":\"m1\"}
Each node's lines stand in their order; how nodes are mixed does not matter. docs/TRACES.md has
the rest.

Ends with 0 if all that is promised holds, 1 if something does not, 2 if that could not be told.";

/// A log, and what it does not say about itself.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The file, one JSON object a line; `-` is standard input
    #[arg(value_name = "TRACE")]
    pub(crate) log: PathBuf,
    /// The scheme of the IDs under `id`: as in scenario files, or `text` [default: by their form]
    #[arg(long, value_name = "SCHEME", value_parser = scheme)]
    pub(crate) scheme: Option<String>,
    /// Claim that IDs of the scheme `text` are in order if they are further apart in time than this
    #[arg(long, value_name = "DURATION", value_parser = units::ns)]
    pub(crate) window: Option<u64>,
    /// How far the clocks of the log are apart, at most
    #[arg(long, value_name = "DURATION", value_parser = units::ns)]
    pub(crate) skew: Option<u64>,
    /// What nodes do with received IDs: `follow`, `off`, `reject 60s` [default: follow]
    #[arg(long, value_name = "POLICY")]
    pub(crate) observe: Option<Observe>,
    /// Compare pairs of IDs that far apart with the closed form, as in `1s,60s`
    #[arg(long, value_name = "DURATIONS", value_delimiter = ',', value_parser = units::ns)]
    pub(crate) gaps: Vec<u64>,
    /// Also measure displacement, inversions and stride
    #[arg(long)]
    pub(crate) disorder: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn scheme(text: &str) -> Result<String, String> {
    if text != "text" {
        text.parse::<Scheme>().map_err(|why| format!("{why}, or text"))?;
    }
    Ok(text.to_owned())
}

/// A scenario, and what to replace in it.
#[derive(Debug, Args)]
pub(crate) struct Chosen {
    /// The name of a scenario that ships, or a file
    #[arg(value_name = "NAME|FILE")]
    pub(crate) scenario: String,
    /// Replace a value of the scenario, as in `network.loss=1%`
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub(crate) overrides: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// The seed, which decides which nodes there are [default: the scenario's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// The seed [default: the scenario's]
    #[arg(long, value_name = "N", conflicts_with = "seeds", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Run each seed from A up to, but not including, B
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    pub(crate) seeds: Option<Range<u64>>,
    /// Write JSON: one object a run
    #[arg(long)]
    pub(crate) json: bool,
    /// Write everything that happened to a file, one JSON object an event
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    pub(crate) trace: Option<PathBuf>,
    /// Write a report with pictures to a file: HTML, which opens in any browser
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    pub(crate) report: Option<PathBuf>,
    /// Run twice, and fail unless both runs are the same
    #[arg(long)]
    pub(crate) check_determinism: bool,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parse = || {
        let (start, end) = text.split_once("..")?;
        Some(start.parse().ok()?..end.parse().ok()?)
    };
    match parse() {
        Some(range) if range.start < range.end => Ok(range),
        _ => Err("expected A..B with A less than B, as in 0..100".to_owned()),
    }
}

pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, as in network.loss=1%")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}
