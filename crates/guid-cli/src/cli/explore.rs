//! What can be typed after `guid sim explore`.

use std::path::PathBuf;

use clap::Args;

use super::sim::assignment;

pub(super) const EXPLORE: &str = "\
Examples:
  guid sim explore --list                        the worlds that ship
  guid sim explore or-set                        all its states
  guid sim explore broken-or-set                 a shortest run that breaks it
  guid sim explore broken-or-set --out repro.toml
  guid sim explore --replay repro.toml           that run again, step by step
  guid sim explore or-set --set faults.crashes=1 --max-states 5000000
  guid sim explore large.toml --random 10000     schedules by lot, where all are too many
  guid sim explore or-set --print > mine.toml    a world of one's own to start from

Ends with 0 if all that must hold holds in every state (with --random: in every schedule), 1 if not,
2 if there are more states than --max-states and nothing was found. With --replay 0 says that the
run still breaks what it broke, 1 that it does not, 2 that a step is no longer possible.
docs/EXPLORE.md has the rest.";

/// A world, and how to search it.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own, as it is typed")]
pub(crate) struct Explore {
    /// The name of a world that ships, or a file
    #[arg(value_name = "NAME|FILE", required_unless_present = "list")]
    pub(crate) world: Option<String>,
    /// List the worlds that ship
    #[arg(long, conflicts_with_all = ["world", "overrides", "max_states", "random", "out"])]
    pub(crate) list: bool,
    /// Replace a value of the world, as in `faults.losses=2`
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub(crate) overrides: Vec<(String, String)>,
    /// Look at this many distinct states at most
    #[arg(long, value_name = "N", default_value = "2000000",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) max_states: u64,
    /// Run N schedules along random priorities instead
    #[arg(long, value_name = "N", conflicts_with = "max_states",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) random: Option<u64>,
    /// The seed of the first schedule
    #[arg(long, value_name = "N", default_value = "42", requires = "random")]
    pub(crate) seed: u64,
    /// How many orderings a bug may need for the schedules to look for it
    #[arg(long, value_name = "D", default_value = "3", requires = "random",
        value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) depth: u32,
    /// Write the run that breaks something to a file that can be replayed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Carry out the run that the file holds, and say whether it still breaks what it broke
    #[arg(long, conflicts_with_all = ["random", "out", "max_states", "print", "list"])]
    pub(crate) replay: bool,
    /// Write the file of the world instead
    #[arg(long, conflicts_with_all = ["random", "out", "json", "list"])]
    pub(crate) print: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
