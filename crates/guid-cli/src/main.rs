//! The command `guid`: make, inspect, compose, convert and sort k-ordered IDs, and simulate what
//! wrong clocks do to them.
//!
//! `cli` says what can be typed, `commands` does it, `output`, `lines` and `bars` carry the data,
//! `form` and `fractions` know an ID's texts and parts, `exit` knows what the end means.

mod cli;
mod bars;
mod exit;
mod form;
mod fractions;
mod picture;
mod lines;
mod output;
mod maelstrom;
mod report;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "nats")]
mod nats;
mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::parse() {
        Ok(cli) => {
            let quiet = cli.globals.quiet;
            commands::run(cli).unwrap_or_else(|error| exit::report(&error, quiet)).into()
        }
        Err(early) => early.into(),
    }
}
