//! What can be typed after `guid history`.

use std::path::PathBuf;

use clap::Args;

pub(super) const HISTORY: &str = "\
Examples:
  guid history run.jsonl                   a verdict a line, and what shows the fault
  guid history --json < run.jsonl          one JSON object a history

A line is a JSON object with `checker` (set-full, set-full-lin, unique-ids, pn-counter, g-counter),
`history`, a list of operations as Jepsen has them, and perhaps `expected`, as in
    {\"checker\":\"unique-ids\",\"history\":[
      {\"process\":0,\"type\":\"invoke\",\"f\":\"generate\",\"value\":null,\"time\":0},
      {\"process\":0,\"type\":\"ok\",\"f\":\"generate\",\"value\":7,\"time\":1}],\"expected\":{\"valid\":true}}
(on one line, of up to 64 MiB).

Ends with 0 if every history is valid, 1 if some is not, 2 if some could not be told or there is
none; where a line says what is expected, what counts is whether that came out.";

#[derive(Debug, Args)]
pub(crate) struct History {
    /// The file of histories, one a line; `-` or none: standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Write one JSON object a history
    #[arg(long)]
    pub(crate) json: bool,
}
