//! What can be typed after `guid crdt`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Crdt {
    #[command(subcommand)]
    pub(crate) command: CrdtCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CrdtCommand {
    /// Carry out histories of replicas, and compare what they show with what they must
    #[command(after_help = REPLAY)]
    Replay(Replay),
}

const REPLAY: &str = "\
Examples:
  guid crdt replay cases.jsonl             an account of every step, and a verdict a history
  guid crdt replay --json < cases.jsonl    one JSON object a history

A line is a JSON object: replicas, what they do and exchange, what they must show, as in
    {\"id\":\"an-add-wins\",\"type\":\"orset\",\"steps\":[
      {\"op\":[\"A\",\"add\",\"x\"]},{\"merge\":[\"A\",\"B\"]},
      {\"op\":[\"A\",\"remove\",\"x\"]},{\"op\":[\"B\",\"add\",\"x\"]}],
     \"any_order\":{\"of\":[\"A\",\"B\"],\"value\":[\"x\"]}}
(on one line, of up to 256 KiB). The whole format is in docs/REPLAY.md.

Ends with 0 if all is as expected, 1 if something is not, 2 if some could not be told (a type that
does not exist here yet, a line that expects nothing) and the rest is as expected, or
there is no history.";

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The file of histories, one a line; `-` or none: standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Write one JSON object a history
    #[arg(long)]
    pub(crate) json: bool,
}
