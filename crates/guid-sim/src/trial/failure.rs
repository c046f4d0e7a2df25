//! What a failed test says.

use std::{fmt, ops::Range, thread};

use crate::{Check, Report, Verdict, Witness, WitnessEvent, units::Ns};

/// How many checks of a failed seed are shown.
const SHOWN: usize = 8;

/// Why a test failed: the first seed that does not come out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TestFailure {
    /// The seed.
    pub seed: u64,
    /// The seeds that were run, and how many of them failed.
    pub seeds: Range<u64>,
    /// How many of them failed.
    pub failed: u64,
    /// What was found, if the run came to its end.
    pub report: Option<Report>,
    /// Why it did not, otherwise.
    pub error: Option<String>,
    /// The name of the thread that ran the test, which is that of the test.
    test: Option<String>,
}

impl TestFailure {
    pub(super) fn new(
        seed: u64,
        seeds: Range<u64>,
        failed: u64,
        outcome: Result<Report, String>,
    ) -> Self {
        let test = thread::current().name().filter(|&name| name != "main").map(String::from);
        let (report, error) = match outcome {
            Ok(report) => (Some(report), None),
            Err(error) => (None, Some(error)),
        };
        Self { seed, seeds, failed, report, error, test }
    }

    pub(super) fn no_seeds() -> Self {
        Self::new(0, 0..0, 0, Err(String::from("no seed was run: the range is empty")))
    }

    pub(super) fn wrong_seed(text: &str) -> Self {
        let why = format!("GUID_SIM_SEED is {text:?}, expected a whole number");
        Self::new(0, 0..0, 0, Err(why))
    }
}

impl std::error::Error for TestFailure {}

impl fmt::Display for TestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, seeds, failed, .. } = self;
        if seeds.is_empty() {
            return f.write_str(self.error.as_deref().unwrap_or_default());
        }
        let Range { start, end } = seeds;
        let of = end.saturating_sub(*start);
        match of {
            1 => writeln!(f, "seed {seed} fails:")?,
            _ => writeln!(f, "seed {seed} fails, the first of {failed} among {start}..{end}:")?,
        }
        if let Some(error) = &self.error {
            writeln!(f, "  {error}")?;
        }
        if let Some(report) = &self.report {
            tell(report, f)?;
        }
        let test = self.test.as_deref().unwrap_or_default();
        let command = format!("GUID_SIM_SEED={seed} cargo test {test}");
        write!(f, "run it alone: {}", command.trim_end())?;
        if of > 1 {
            write!(f, "\n  (and GUID_SIM_TRACE=FILE writes everything that happened)")?;
        }
        Ok(())
    }
}

fn tell(report: &Report, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let wrong = || report.checks.iter().filter(|check| check.verdict != Verdict::Holds);
    for check in wrong().take(SHOWN) {
        tell_check(check, f)?;
        if let Some(witness) = &check.witness {
            tell_witness(witness, &report.start_ns, f)?;
        }
    }
    let more = wrong().count().saturating_sub(SHOWN);
    if more > 0 {
        writeln!(f, "  and {more} more")?;
    }
    if report.checks.is_empty() {
        writeln!(f, "  nothing was claimed: there is no event, or nobody claims anything")?;
    }
    writeln!(f, "  {} events, trace {}", report.events, report.trace_hash)
}

fn tell_check(check: &Check, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let measured = check.measured.show(check.unit);
    let of = if check.of > 0 { format!(" of {}", check.of) } else { String::new() };
    let expected = match (&check.expectation, check.expected) {
        (Some(expectation), _) => format!(", expected {expectation}"),
        (None, Some(number)) if check.bound => format!(", bound {}", number.show(check.unit)),
        (None, Some(number)) => format!(", expected {}", number.show(check.unit)),
        (None, None) => String::new(),
    };
    writeln!(f, "  {}: {}: {measured}{of}{expected}", check.key(), check.verdict)
}

fn tell_witness(witness: &Witness, start: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "    {}", witness.cause)?;
    for (word, event) in [("first ", &witness.first), ("second", &witness.second)] {
        let WitnessEvent { node, event: number, true_ns, local_ns, id } = event;
        let minus = |a: &str, b: &str| {
            let number = |text: &str| text.parse::<i128>().unwrap_or(0);
            Ns(number(a) - number(b))
        };
        let (at, off) = (minus(true_ns, start), minus(local_ns, true_ns));
        let id = if id.is_empty() { String::new() } else { format!(", ID {id}") };
        writeln!(f, "    {word} event {number} on n{node} after {at}, its clock off by {off}{id}")?;
    }
    Ok(())
}
