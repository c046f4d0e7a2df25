//! `guid crdt`: histories of replicas, carried out on the types.

use std::io;

use guid_crdt::replay::{Outcome, ReplayError, replay};
use guid_sim::Verdict;

use crate::{
    cli::{Crdt, CrdtCommand, Globals, Replay},
    exit::Exit,
    lines::{self, Bad, Limit, Place},
    output::Output,
};

/// A history is one line. What is told of it grows with the square of its length.
const OF_HISTORIES: Limit = Limit { longest: 256 << 10, whole: lines::TOLD_MAX, what: "a history" };

impl From<ReplayError> for Bad {
    fn from(error: ReplayError) -> Self {
        Self::new(error.at, error.message)
    }
}

pub(crate) fn run(crdt: &Crdt, globals: Globals) -> anyhow::Result<Exit> {
    match &crdt.command {
        CrdtCommand::Replay(replay) => all(replay, globals),
    }
}

fn all(arguments: &Replay, globals: Globals) -> anyhow::Result<Exit> {
    let (name, reader) = lines::open(arguments.file.as_deref())?;
    let mut output = Output::new(globals, arguments.json);
    let mut tally = Tally::default();
    let end =
        lines::each_line_of(&name, reader, OF_HISTORIES, &mut output, |place, line, output| {
            let outcome = replay(line).map_err(Bad::from)?;
            tally.count(&outcome);
            if arguments.json {
                return Ok(output.json(&outcome)?);
            }
            Ok(tell(place, &outcome, output)?)
        })?;
    if !arguments.json && tally.histories() > 1 {
        tally.tell(&mut output)?;
        output.finish()?;
    }
    // What was wrong input was not carried out, which goes before what was.
    Ok(if end == Exit::Holds { tally.exit() } else { end })
}

/// What all histories came to.
#[derive(Default)]
struct Tally {
    met: u64,
    missed: u64,
    untold: u64,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        match outcome.met {
            Some(true) => self.met += 1,
            Some(false) => self.missed += 1,
            None => self.untold += 1,
        }
    }

    const fn histories(&self) -> u64 {
        self.met + self.missed + self.untold
    }

    fn tell(&self, output: &mut Output) -> io::Result<()> {
        let Self { met, missed, untold } = self;
        let histories = self.histories();
        output.line(format_args!(
            "{histories} histories: {met} as expected, {missed} not, {untold} not told"
        ))
    }

    const fn exit(&self) -> Exit {
        match (self.missed, self.untold) {
            // Of no history nobody may say that it is as expected.
            (0, 0) if self.met > 0 => Exit::Holds,
            (0, _) => Exit::Unknown,
            _ => Exit::Violated,
        }
    }
}

/// A line with the verdict, then a line a step, then what differs.
fn tell(place: Place, outcome: &Outcome, output: &mut Output) -> io::Result<()> {
    let (verdict, word) = match outcome.met {
        Some(true) => (Verdict::Holds, "as expected"),
        Some(false) => (Verdict::Violated, "not as expected"),
        None => (Verdict::Unknown, "not told"),
    };
    let [on, off] = output.verdict(verdict);
    let why = outcome.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    let (id, kind) = (lines::printable(&outcome.id), &outcome.kind);
    output.line(format_args!("{place}: {id} ({kind}): {on}{word}{off}{why}"))?;
    for step in &outcome.account {
        output.line(format_args!("  {}", lines::without_controls(step)))?;
    }
    for miss in &outcome.misses {
        output.line(format_args!("  missed: {}", lines::without_controls(&miss.to_string())))?;
    }
    Ok(())
}
