//! What can be typed after `guid sim shrink` and `guid sim replay`.

use std::path::PathBuf;

use clap::Args;

use super::Chosen;

pub(super) const SHRINK: &str = "\
Examples:
  guid sim shrink mine.toml --seed 7 > repro.toml      the first check that fails with this seed
  guid sim shrink mine.toml --seed 7 --out repro.toml  the same, and a table of what is left
  guid sim replay repro.toml
  guid sim shrink lww-window-trap --check lww-lost@guid96:d3
                                                       the least run that loses an update

What happened is taken down, and made smaller while the same check fails of the same cause: nodes,
faults, messages and events are left out, numbers are rounded. What is left draws nothing and runs
no workload: docs/SHRINK.md has the form of the file.

Ends with 0 if there is something to show, 64 if --check names no check, 65 if nothing fails, 2 if
the run could not be taken down to its end.";

pub(super) const REPLAY: &str = "\
Examples:
  guid sim replay repro.toml
  guid sim replay repro.toml --trace small.jsonl
  guid sim export small.jsonl --to svg > small.svg

Ends with 0 if it comes out as the file expects, which is that it fails the same way, with 1 if
not.";

/// A run to make small.
#[derive(Debug, Args)]
pub(crate) struct Shrink {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// The seed [default: the scenario's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// What is to be shown: a check that cases go against, as in `unique@upstream`, though the
    /// scenario may expect that [default: the first check that fails]
    #[arg(long, value_name = "CHECK")]
    pub(crate) check: Option<String>,
    /// Write the file there, and a table of what is left
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The most replays
    #[arg(long, value_name = "N", default_value_t = 20_000, allow_negative_numbers = true)]
    pub(crate) tries: u64,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// A file that `guid sim shrink` wrote.
#[derive(Debug, Args)]
pub(crate) struct ReplayRepro {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) repro: PathBuf,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the events to a file, one JSON object each
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
}
