//! `guid history`: what clients of a system saw, judged.

use std::io;

use guid_sim::{
    Verdict,
    history::{Case, Counts, HistoryError, Outcome, Witness},
};

use crate::{
    cli::{self, Globals},
    exit::Exit,
    lines::{self, Bad, Limit, Place},
    output::Output,
};

/// A history is one line. Measured at this length: 13 times as much memory for a list of digits,
/// 35 times for a list of lists of one, which is the most that was found.
const OF_HISTORIES: Limit = Limit { longest: 64 << 20, whole: lines::TOLD_MAX, what: "a history" };

impl From<HistoryError> for Bad {
    fn from(error: HistoryError) -> Self {
        Self::new(error.at, error.message)
    }
}

pub(crate) fn run(history: &cli::History, globals: Globals) -> anyhow::Result<Exit> {
    let (name, reader) = lines::open(history.file.as_deref())?;
    let mut output = Output::new(globals, history.json);
    let mut tally = Tally::default();
    let end =
        lines::each_line_of(&name, reader, OF_HISTORIES, &mut output, |place, line, output| {
            let case = Case::parse(line).map_err(Bad::from)?;
            let outcome = case.check().map_err(Bad::from)?;
            let differences = case.differences(&outcome);
            tally.count(outcome.verdict, differences.as_deref());
            if history.json {
                output.json(&outcome)?;
                for difference in differences.iter().flatten() {
                    output.complain(&anyhow::anyhow!("{place}: {difference}"))?;
                }
                return Ok(());
            }
            Ok(tell(place, &case, &outcome, differences.as_deref(), output)?)
        })?;
    if !history.json && tally.histories > 1 {
        tally.tell(&mut output)?;
        output.finish()?;
    }
    // What was wrong input was not judged, which goes before what was.
    Ok(if end == Exit::Holds { tally.exit() } else { end })
}

/// What all histories came to.
#[derive(Default)]
struct Tally {
    histories: u64,
    valid: u64,
    invalid: u64,
    /// Those of which something was expected, and those that met it.
    expected: u64,
    met: u64,
    worst: Option<Verdict>,
}

impl Tally {
    fn count(&mut self, verdict: Verdict, differences: Option<&[String]>) {
        self.histories += 1;
        match verdict {
            Verdict::Holds => self.valid += 1,
            Verdict::Violated => self.invalid += 1,
            Verdict::Unknown => {}
        }
        // What is expected counts, and else whether it is valid.
        let counts = match differences {
            None => verdict,
            Some(differences) => {
                self.expected += 1;
                self.met += u64::from(differences.is_empty());
                Verdict::of(differences.is_empty())
            }
        };
        self.worst = self.worst.max(Some(counts));
    }

    fn tell(&self, output: &mut Output) -> io::Result<()> {
        let Self { histories, valid, invalid, expected, met, .. } = self;
        let unknown = histories - valid - invalid;
        let counts = format!("{valid} valid, {invalid} invalid, {unknown} unknown");
        let compared = match expected {
            0 => String::new(),
            _ => format!("; {met} of {expected} as expected"),
        };
        output.line(format_args!("{histories} histories: {counts}{compared}"))
    }

    fn exit(&self) -> Exit {
        match self.worst {
            Some(Verdict::Holds) => Exit::Holds,
            Some(Verdict::Violated) => Exit::Violated,
            // Nothing was judged: nobody may take that for valid.
            None | Some(Verdict::Unknown) => Exit::Unknown,
        }
    }
}

/// A line with the verdict and the counts, then what differs, then what shows the fault.
fn tell(
    place: Place,
    case: &Case,
    outcome: &Outcome,
    differences: Option<&[String]>,
    output: &mut Output,
) -> io::Result<()> {
    let [on, off] = output.verdict(outcome.verdict);
    let word = match outcome.verdict {
        Verdict::Holds => "valid",
        Verdict::Violated => "invalid",
        Verdict::Unknown => "unknown",
    };
    let met = match differences {
        None => "",
        Some([]) => ", as expected",
        Some(_) => ", not as expected",
    };
    let (checker, counts) = (outcome.checker, counts(&outcome.counts));
    output.line(format_args!("{place}: {checker}: {on}{word}{off}{met}: {counts}"))?;
    for difference in differences.unwrap_or_default() {
        output.line(format_args!("  {difference}"))?;
    }
    match &outcome.witness {
        Some(witness) => shown(witness, case, output),
        None => Ok(()),
    }
}

pub(super) fn counts(counts: &Counts) -> String {
    match counts {
        Counts::Set(set) => format!(
            "{} added, {} stable, {} lost, {} never read, {} stale",
            set.attempt,
            set.stable,
            set.lost.len(),
            set.never.len(),
            set.stale.len()
        ),
        Counts::Ids(ids) => format!(
            "{} asked for, {} given, {} of them more than once",
            ids.attempted, ids.acknowledged, ids.duplicated
        ),
        Counts::Echoes(echoes) => format!(
            "{} said, {} answered, {} of them wrongly",
            echoes.attempted, echoes.acknowledged, echoes.wrong
        ),
        Counts::Counter(counter) => {
            let finals = counter.finals.len();
            match &counter.acceptable {
                Some(ranges) => format!("{finals} final reads, {} ranges of sums", ranges.len()),
                None => format!("{finals} final reads, too many ranges of sums"),
            }
        }
        _ => String::new(),
    }
}

fn shown(witness: &Witness, case: &Case, output: &mut Output) -> io::Result<()> {
    output.line(format_args!("  {}", witness.says))?;
    let width = witness.ops.last().map_or(0, |last| last.to_string().len());
    for &index in &witness.ops {
        if let Some(op) = case.history.ops().get(index) {
            let op = lines::printable(&op.to_string());
            output.line(format_args!("    op {index:>width$}  {op}"))?;
        }
    }
    Ok(())
}
