//! What one run of a sweep came to, as a line of JSON.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Check, Number, Report, RunError, Unit, Verdict};

/// What one run of a sweep came to. Its text is the same wherever it was computed.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::{Outcome, Sweep};
///
/// let sweep = Sweep::new("scenario.duration = \"1s\"", &[], &[], None)?;
/// let outcome = sweep.run(0);
/// assert_eq!(Outcome::parse(&outcome.line()), Ok(outcome));
/// # Ok::<(), guid_sim::sweep::SweepError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Outcome {
    /// Which run it is, from zero.
    pub job: u64,
    /// At which point of the grid, from zero.
    pub point: u64,
    /// With which seed.
    pub seed: u64,
    /// What is set at that point.
    pub set: Vec<(String, String)>,
    /// The worst verdict of all claims; unknown for a run that was given up.
    pub verdict: Verdict,
    /// How many events happened.
    pub events: u64,
    /// The hash of everything that happened; empty for a run that was given up.
    pub trace_hash: String,
    /// Why it was given up, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The claims, and the figures that nobody made a claim about.
    pub checks: Vec<Figure>,
}

/// A claim or a figure of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Figure {
    /// The key of the check: `name@scheme`, or the name alone.
    pub check: String,
    /// Whether it came out, as in [`Check`].
    pub verdict: Verdict,
    /// How many cases went against it.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The number that is compared.
    pub measured: Number,
    /// What a closed form or a bound says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Number>,
    /// How far measured is from expected, in standard deviations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<Number>,
    /// What the numbers count.
    pub unit: Unit,
}

/// Why a line is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column {column}: {message}")]
#[non_exhaustive]
pub struct OutcomeError {
    /// Where, in bytes from one.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Outcome {
    pub(super) fn new(
        job: u64,
        point: u64,
        seed: u64,
        set: &[(String, String)],
        run: Result<Report, RunError>,
    ) -> Self {
        let outcome = Self::given_up(job, (point, seed), set, None);
        match run {
            Ok(report) => Self {
                verdict: report.verdict,
                events: report.events,
                trace_hash: report.trace_hash,
                checks: report.checks.iter().chain(&report.measures).map(Figure::new).collect(),
                ..outcome
            },
            Err(error) => Self { error: Some(error.to_string()), ..outcome },
        }
    }

    pub(super) fn given_up(
        job: u64,
        (point, seed): (u64, u64),
        set: &[(String, String)],
        error: Option<String>,
    ) -> Self {
        Self {
            job,
            point,
            seed,
            set: set.to_vec(),
            verdict: Verdict::Unknown,
            events: 0,
            trace_hash: String::new(),
            error,
            checks: Vec::new(),
        }
    }

    /// The outcome as a line, without its end.
    pub fn line(&self) -> String {
        // Strings and numbers: there is nothing that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a line back.
    ///
    /// # Errors
    ///
    /// See [`OutcomeError`].
    pub fn parse(line: &str) -> Result<Self, OutcomeError> {
        serde_json::from_str(line)
            .map_err(|error| OutcomeError { column: error.column(), message: error.to_string() })
    }
}

impl Figure {
    fn new(check: &Check) -> Self {
        let &Check { verdict, count, of, measured, expected, z, unit, .. } = check;
        Self { check: check.key(), verdict, count, of, measured, expected, z, unit }
    }
}
