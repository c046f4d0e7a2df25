//! What can be typed after `guid sim sweep` and its kin.

use std::{ops::Range, path::PathBuf};

use clap::Args;
use guid_sim::{
    sweep::{self, Axis, Shard},
    units,
};

use super::Chosen;

pub(crate) const SWEEP: &str = "\
Examples:
  guid sim sweep lww-window-trap --seeds 0..100 --vary workload.think=1s,30s,5min
  guid sim sweep mine.toml --out results.jsonl --csv results.csv --report results.html
                                        stopped, and typed again: it goes on where it was
  guid sim sweep mine.toml --shard 2/8 --out part-2.jsonl      one of eight machines
  guid sim merge part-*.jsonl --out results.jsonl              the same bytes as from one
  guid sim sweep mine.toml --nats nats://queue:4222 --out results.jsonl
                                        done by every `guid sim worker` of that server

A scenario can say itself what to sweep:
  [sweep]
  seeds = \"0..100\"
  vary = { \"workload.think\" = [\"1s\", \"30s\", \"5min\"], \"network.loss\" = [0, \"1%\"] }

Ends with 0 if every run came out as the scenario expects, 1 if one did not, 2 if that could not be
told of one. docs/SWEEPS.md has the rest.";

pub(crate) const MERGE: &str = "\
Example:
  guid sim merge part-*.jsonl --out results.jsonl

Files that overlap must agree: a job that was done twice is compared. Ends like `guid sim sweep`.";

/// A grid of values and seeds.
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// Try each of these values, with every combination of the others that are varied
    #[arg(long = "vary", value_name = "KEY=VALUE,VALUE", value_parser = axis)]
    pub(crate) vary: Vec<Axis>,
    /// Run each seed from A up to, but not including, B [default: the scenario's]
    #[arg(long, value_name = "A..B", value_parser = sweep::seeds)]
    pub(crate) seeds: Option<Range<u64>>,
    /// How many runs at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Only every N-th run, from the I-th on: the rest is for other machines
    #[arg(
        long,
        value_name = "I/N",
        default_value = "1/1",
        hide_default_value = true,
        conflicts_with = "nats"
    )]
    pub(crate) shard: Shard,
    #[command(flatten)]
    pub(crate) results: Results,
    #[command(flatten)]
    pub(crate) nats: Nats,
    #[command(flatten)]
    pub(crate) queue: Queue,
}

/// Where results go.
#[derive(Debug, Args)]
pub(crate) struct Results {
    /// Write a line of JSON a run; a file that is there already is gone on with
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write a line a run and check, for spreadsheets
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write a page of charts, for any browser
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write JSON: one object a point of the grid, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Files that `guid sim sweep --shard` wrote
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) results: Results,
}

fn axis(text: &str) -> Result<Axis, String> {
    let (key, values) =
        text.split_once('=').ok_or("expected KEY=VALUE,VALUE, as in workload.think=1s,30s")?;
    let between = if values.contains(';') { ';' } else { ',' };
    let values = values.split(between).map(|value| value.trim().to_owned());
    Ok((key.trim().to_owned(), values.collect()))
}

pub(crate) const WORKER: &str = "\
Examples:
  guid sim worker --nats nats://queue:4222            on as many machines as there are
  guid sim worker --nats tls://queue:4222 --creds sweep.creds --threads 4

Waits for a sweep, takes its runs, and ends when the sweep is done. It may be killed at any moment:
what it had not finished is given to another worker. docs/SWEEPS.md has the rest.";

/// Where the queue is.
#[derive(Debug, Args)]
pub(crate) struct Nats {
    /// The address of a NATS server that keeps streams: the runs are done by workers [env:
    /// `GUID_NATS`, unless --shard is typed]
    #[arg(long = "nats", id = "nats", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A file of credentials
    #[arg(long, value_name = "FILE")]
    pub(crate) creds: Option<PathBuf>,
    /// A file with the seed of a key, as `nk` writes it
    #[arg(long, value_name = "FILE", conflicts_with = "creds")]
    pub(crate) nkey: Option<PathBuf>,
    /// The certificate of who signed that of the server
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// A certificate of one's own
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// How long to wait for a server that went away
    #[arg(long, value_name = "DURATION", default_value = "10min", value_parser = units::ns)]
    pub(crate) patience: u64,
}

impl Nats {
    /// The address: typed, or from the environment, where an empty one is none.
    pub(crate) fn url(&self) -> Option<String> {
        let set = || std::env::var("GUID_NATS").ok().filter(|url| !url.is_empty());
        self.url.clone().or_else(set)
    }
}

/// How jobs are given to workers.
#[derive(Debug, Args)]
pub(crate) struct Queue {
    /// How many runs a worker takes at a time
    #[arg(long, value_name = "N", default_value = "16",
        value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) chunk: u16,
    /// After which silence of a worker its runs are given to another one; a second at least
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = ack_wait)]
    pub(crate) ack_wait: u64,
}

fn ack_wait(text: &str) -> Result<u64, String> {
    match units::ns(text)? {
        ns if ns < 1_000_000_000 => Err("expected a second or more".to_owned()),
        ns => Ok(ns),
    }
}

/// Work for the sweeps of others.
#[derive(Debug, Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) nats: Nats,
    /// How many runs at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// After which time without a run to end; longer than --ack-wait of the sweep
    #[arg(long, value_name = "DURATION", default_value = "10min", value_parser = units::ns)]
    pub(crate) idle: u64,
}
