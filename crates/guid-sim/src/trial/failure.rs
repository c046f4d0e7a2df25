//! What a failed test says.

use std::{ffi::OsString, fmt, fs, ops::Range, thread};

use crate::{Check, Report, Shrunk, Verdict, Witness, WitnessEvent, units::Ns};

/// How many checks of a failed seed are shown.
const SHOWN: usize = 8;
/// How many lines of the least list of events are shown.
const SHOWN_EVENTS: usize = 12;

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
    /// The least list of events that fails the same way, where there is one.
    pub shrunk: Option<Shrunk>,
    /// What can be taken away from the world so that it still fails the same way: the words of
    /// `GUID_SIM_LESS`.
    pub less: Option<String>,
    /// Where the least list was written, or why it could not be.
    written: Option<Result<String, String>>,
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
        let (shrunk, less, written) = (None, None, None);
        Self { seed, seeds, failed, report, error, shrunk, less, written, test }
    }

    pub(super) fn no_seeds() -> Self {
        Self::new(0, 0..0, 0, Err(String::from("no seed was run: the range is empty")))
    }

    /// Two runs of one seed that differ.
    pub(super) fn not_repeated(seed: u64, runs: [&Result<Report, String>; 2]) -> Self {
        let told = |run: &Result<Report, String>| match run {
            Ok(report) => format!("{} events, trace {}", report.events, report.trace_hash),
            Err(error) => error.clone(),
        };
        let [first, second] = runs.map(told);
        let differ = if first == second { "what it claimed or counted" } else { "what happened" };
        let error = format!(
            "it is not the same twice: {differ} differs\n    first  {first}\n    second {second}\n  \
             something beside the seed decides it: the order of a HashMap, randomness or time of \
             the system, an address, a static (docs/TESTING.md, \"What breaks determinism\")"
        );
        Self::new(seed, seed..seed.saturating_add(1), 1, Err(error))
    }

    pub(super) fn wrong_setting(name: &str, why: &str) -> Self {
        Self::new(0, 0..0, 0, Err(format!("{name} is {why}")))
    }

    /// What the run came to.
    pub(super) fn outcome(&self) -> Result<Report, String> {
        self.report.clone().ok_or_else(|| self.error.clone().unwrap_or_default())
    }

    /// Writes the least list of events to a file, if there is one and it is asked for.
    pub(super) fn write_repro(&mut self, path: Option<OsString>) {
        if let (Some(path), Some(shrunk)) = (path.filter(|path| !path.is_empty()), &self.shrunk) {
            let name = path.to_string_lossy().into_owned();
            let written = fs::write(&path, shrunk.repro.to_string());
            self.written = Some(written.map(|()| name).map_err(|error| error.to_string()));
        }
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
        if let Some(shrunk) = &self.shrunk {
            tell_shrunk(shrunk, self.written.as_ref(), f)?;
        }
        let test = self.test.as_deref().unwrap_or_default();
        let command = |set: &str| format!("GUID_SIM_SEED={seed} {set}cargo test {test}");
        if let Some(less) = &self.less {
            let command = command(&format!("GUID_SIM_LESS=\"{less}\" "));
            writeln!(f, "in a smaller world: {}", command.trim_end())?;
        }
        write!(f, "run it alone: {}", command("").trim_end())?;
        if of > 1 {
            write!(f, "\n  (and GUID_SIM_TRACE=FILE writes everything that happened)")?;
        }
        Ok(())
    }
}

fn tell_shrunk(
    shrunk: &Shrunk,
    written: Option<&Result<String, String>>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let plan = shrunk.repro.plan();
    // That a claim does not hold says no more than the claim.
    if plan.says_more_than_claims() {
        let lines = plan.steps();
        let least = if shrunk.is_minimal { "the least" } else { "less" };
        writeln!(f, "{least} that fails the same way, of {} events:", shrunk.from.events)?;
        let replayed = shrunk.repro.replay();
        for one in replayed.happened.iter().take(SHOWN_EVENTS) {
            let (at, off) =
                (minus(&one.true_ns, &replayed.start_ns), minus(&one.local_ns, &one.true_ns));
            let clock =
                if off.0 == 0 { String::new() } else { format!(", its clock off by {off}") };
            write!(f, "  n{} {} after {at}{clock}", one.node, one.what)?;
            one.ids.values().try_for_each(|id| write!(f, ", ID {id}"))?;
            writeln!(f)?;
        }
        if lines > SHOWN_EVENTS {
            writeln!(f, "  and {} more", lines - SHOWN_EVENTS)?;
        }
    }
    match written {
        Some(Ok(path)) => writeln!(f, "  in {path}: guid sim replay {path}"),
        Some(Err(error)) => writeln!(f, "  GUID_SIM_REPRO: {error}"),
        None if plan.says_more_than_claims() => {
            writeln!(f, "  (GUID_SIM_REPRO=FILE writes it, and `guid sim replay FILE` shows it)")
        }
        None => Ok(()),
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
        let WitnessEvent { node, event: number, true_ns, local_ns, id, stamp_ns, .. } = event;
        let (at, off) = (minus(true_ns, start), minus(local_ns, true_ns));
        let id = if id.is_empty() { String::new() } else { format!(", ID {id}") };
        // What the ID says of its moment tells more than its text.
        let stamp =
            stamp_ns.as_ref().map(|stamp| format!(", its stamp by {}", minus(stamp, true_ns)));
        let stamp = stamp.unwrap_or_default();
        writeln!(
            f,
            "    {word} event {number} on n{node} after {at}, its clock off by {off}{stamp}{id}"
        )?;
    }
    match &witness.path {
        Some(path) if path.is_causal && path.hops.is_empty() => Ok(()),
        Some(path) => writeln!(f, "    {path}"),
        None => Ok(()),
    }
}

/// The difference of two times in decimal.
fn minus(later: &str, earlier: &str) -> Ns {
    let number = |text: &str| text.parse::<i128>().unwrap_or(0);
    Ns(number(later) - number(earlier))
}
