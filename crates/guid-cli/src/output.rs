//! What goes out: results to stdout, complaints to stderr.

use std::{
    env,
    fmt::Display,
    io::{self, BufWriter, IsTerminal, StdoutLock, Write},
};

use clap::ColorChoice;
use guid_sim::Verdict;
use serde::Serialize;

use crate::{
    bars::When,
    cli::Globals,
    exit::Exit,
    lines::{Bad, Limit, Place, TOLD_MAX, without_controls},
};

/// The output of one command.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    /// Whether refused inputs are JSON objects among the results.
    json: bool,
    quiet: bool,
    /// Whether bars stand below tables.
    bars: bool,
    /// What to put around a word that stands out.
    emphasis: [&'static str; 2],
    /// How the command ends, as far as is known.
    end: Exit,
}

/// A refused input, in JSON.
#[derive(Serialize)]
struct Refused<'a> {
    input: &'a str,
    error: &'a str,
    at: usize,
    /// Which line it is, where `input` does not tell since it is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

impl Output {
    pub(crate) fn new(globals: Globals, json: bool) -> Self {
        let stdout = io::stdout().lock();
        let color = match globals.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => stdout.is_terminal() && !no_color(),
        };
        let bars = match globals.bars {
            When::Always => true,
            When::Never => false,
            When::Auto => stdout.is_terminal(),
        };
        let emphasis = if color { ["\x1b[1m", "\x1b[0m"] } else { ["", ""] };
        let out = BufWriter::with_capacity(1 << 16, stdout);
        Self { out, json, quiet: globals.quiet, bars, emphasis, end: Exit::Holds }
    }

    pub(crate) fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// One JSON object on a line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// What to put around a verdict: green, red, yellow; nothing without colors.
    pub(crate) fn verdict(&self, verdict: Verdict) -> [&'static str; 2] {
        let on = match (self.emphasis[0], verdict) {
            ("", _) => "",
            (_, Verdict::Holds) => "\x1b[32m",
            (_, Verdict::Violated) => "\x1b[31m",
            (_, Verdict::Unknown) => "\x1b[33m",
        };
        [on, self.emphasis[1]]
    }

    /// Whether bars stand below tables.
    pub(crate) fn bars(&self) -> bool {
        self.bars
    }

    /// Tells an error that does not end the command.
    pub(crate) fn complain(&mut self, error: &anyhow::Error) -> io::Result<()> {
        self.flush()?;
        if !self.quiet {
            // Nobody is left to tell if this fails.
            writeln!(io::stderr(), "guid: {error:#}").ok();
        }
        Ok(())
    }

    /// What to put around a word that stands out.
    pub(crate) fn emphasis(&self) -> [&'static str; 2] {
        self.emphasis
    }

    /// Tells that an input is wrong: as an object among the results, or on stderr.
    pub(crate) fn refuse(
        &mut self,
        place: Place,
        input: &[u8],
        limit: Limit,
        bad: &Bad,
    ) -> io::Result<()> {
        self.end = Exit::BadInput;
        let is_cut = input.len() > limit.whole;
        let input = String::from_utf8_lossy(if is_cut { &input[..TOLD_MAX] } else { input });
        if self.json {
            let line = match place {
                Place::Line(number) if is_cut => Some(number),
                _ => None,
            };
            return self.json(&Refused { input: &input, error: &bad.why, at: bad.at, line });
        }
        if !self.quiet {
            let told: String = input.chars().take(TOLD_MAX).collect();
            // Nobody is left to tell if this fails.
            let why = without_controls(&bad.why);
            writeln!(io::stderr(), "guid: {place}: {why}: {told:?}").ok();
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what is left and tells how the command ends.
    pub(crate) fn finish(&mut self) -> io::Result<Exit> {
        self.flush()?;
        Ok(self.end)
    }
}

/// The convention: set, and not to nothing.
fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
