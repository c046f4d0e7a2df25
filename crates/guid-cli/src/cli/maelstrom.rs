//! What can be typed after `guid maelstrom`.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, Subcommand};
use jiff::SignedDuration;

use crate::maelstrom::Workload;

#[derive(Debug, Args)]
pub(crate) struct Maelstrom {
    #[command(subcommand)]
    pub(crate) command: MaelstromCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MaelstromCommand {
    /// Be one node, on standard input and output
    #[command(after_help = NODE)]
    Node(Node),
    /// Run a program as many nodes, disturb them, and judge what their clients saw
    #[command(after_help = TEST)]
    Test(Box<Test>),
}

const NODE: &str = "\
Examples:
  guid maelstrom node g-set                a node, to be run by a test
  maelstrom test -w g-set --bin guid-g-set --nemesis partition
                                           where guid-g-set is a script of one line:
                                           exec guid maelstrom node g-set

With --state a node that is killed comes back as who it was, with all it had acknowledged. Without
it comes back as somebody new, and learns from the others.";

const TEST: &str = "\
Examples:
  guid maelstrom test g-set                our own node, undisturbed
  guid maelstrom test unique-ids --kill --skew 20s
  guid maelstrom test broadcast --nodes 5 --latency 50ms --loss 10% --partition \\
      --bin python3 -- node.py             any program, in any language

The program is run once a node, and speaks Maelstrom's protocol: JSON lines on standard input and
output, everything else to stderr. Each node finds in GUID_STATE_DIR a folder of its own that
outlives it. --skew needs libfaketime (Debian: faketime), and programs that are linked to libc: it
is refused where it would have no effect. A node of ours refuses to make IDs that are more than a
minute ahead of its clock: with --skew above 30s some requests fail, and that is as it should be.

Ends with 0 if the history is valid, 1 if it is not (or a node broke the protocol or ended by
itself), 2 if it could not be told, 128 and the number of the signal if one ended it, which leaves
nothing behind.";

#[derive(Debug, Args)]
pub(crate) struct Node {
    /// What the nodes do
    pub(crate) workload: Workload,
    /// A folder for what must outlive the process
    #[arg(long, value_name = "FOLDER", env = "GUID_STATE_DIR")]
    pub(crate) state: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// What the nodes do
    pub(crate) workload: Workload,
    /// The program that is a node [default: `guid maelstrom node`]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) bin: Option<OsString>,
    /// Its arguments
    #[arg(last = true, requires = "bin", value_name = "ARGUMENTS")]
    pub(crate) args: Vec<OsString>,
    /// How many nodes, and clients: one a node
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) nodes: u16,
    /// How many requests a second, by all clients
    #[arg(long, value_name = "RATE", default_value = "20", value_parser = rate)]
    pub(crate) rate: f64,
    /// How long requests are made
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub(crate) time: Duration,
    /// How long the nodes are left alone before the last reads
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(crate) settle: Duration,
    /// How long a client waits for an answer
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(crate) timeout: Duration,
    /// How long a message between nodes takes, on average: exponential
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration)]
    pub(crate) latency: Duration,
    /// How many messages between nodes are lost, as in `10%`
    #[arg(long, value_name = "PART", default_value = "0", value_parser = part)]
    pub(crate) loss: f64,
    /// Split the nodes into two halves now and then
    #[arg(long)]
    pub(crate) partition: bool,
    /// Kill nodes with -9 now and then, and start them again
    #[arg(long)]
    pub(crate) kill: bool,
    /// Set the clocks of nodes now and then, by up to so much either way
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) skew: Option<Duration>,
    /// How often something is done to the nodes; it is undone after half of that
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = every)]
    pub(crate) every: Duration,
    /// Where the choices of this test come from
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
    /// Write what the clients saw, for `guid history`
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// Write a page with every answer over time, for any browser
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// A folder for what nodes say on stderr, and what they keep, empty or not there yet [default:
    /// a new one, which goes unless a node broke the protocol]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    let duration: SignedDuration = text
        .parse()
        .map_err(|_| "expected a duration such as `50ms`, `5s` or `1min`".to_owned())?;
    let duration: Duration = duration.try_into().map_err(|_| "a duration below zero".to_owned())?;
    if duration > Duration::from_secs(86_400) {
        return Err("expected at most a day".to_owned());
    }
    Ok(duration)
}

/// Faults without a pause between them would leave no time for anything else.
fn every(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        pause if pause < Duration::from_millis(10) => Err("expected 10ms or more".to_owned()),
        pause => Ok(pause),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.trim_end_matches("/s").parse().map_err(|_| NO_RATE.to_owned())?;
    if rate > 0.0 && rate <= 100_000.0 { Ok(rate) } else { Err(NO_RATE.to_owned()) }
}

const NO_RATE: &str = "expected requests a second, over 0 and at most 100000";

fn part(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let part = number.parse::<f64>().map(|number| number / whole);
    match part {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("expected a part such as `10%` or `0.1`".to_owned()),
    }
}
