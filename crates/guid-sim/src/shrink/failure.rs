//! What fails, and how: what must stay while a run is made smaller.

use std::fmt;

use thiserror::Error;

use crate::{
    Check, Expectation, Expected, Report, Verdict,
    scenario::{hint, judge},
};

/// Causes as earlier versions named them, before the facts of both events said more. (One of them
/// is still the name of a cause, but of fewer.)
const RETIRED: [&str; 5] = [
    "a node went behind what it had made itself",
    "an ID is not above one of its causal past on another node",
    "inside a window the node decides, not the time",
    "the overwrite has the smaller ID, so the register keeps the old value",
    "the sequence wrapped inside a tick",
];

/// What fails, and how. Two runs fail the same way if the same check fails of the same cause.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The check: `unique@upstream`.
    pub check: String,
    /// How.
    pub shows: Shows,
    /// The cause, in the words of the first witness; `None` for checks without one.
    pub cause: Option<String>,
}

/// In words: `unique@upstream violated: two live nodes share one node ID`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { check, shows, cause } = self;
        match shows {
            Shows::Violated => write!(f, "{check} violated")?,
            Shows::Case => write!(f, "a case against {check}")?,
            Shows::Unmet(unmet) => write!(f, "{check} where {} is expected", unmet.text)?,
        }
        cause.as_ref().map_or(Ok(()), |cause| write!(f, ": {cause}"))
    }
}

/// How a check fails.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shows {
    /// What it claims does not hold.
    Violated,
    /// Some case goes against it, whatever is made of that.
    Case,
    /// An expectation of the scenario is not met.
    Unmet(Expectation),
}

/// Why there is nothing to shrink.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NothingToShow {
    /// The run came out as it should.
    #[error("the run comes out as it should: name a check with a case against it, as --check does")]
    NothingFails,
    /// It could not be told whether something fails.
    #[error("nothing is known to fail: what a checker could not tell cannot be shown smaller")]
    Unknown,
    /// There is no such check.
    #[error("no check `{check}` in this run{hint}")]
    NoSuchCheck {
        /// What was asked for.
        check: String,
        /// What there is.
        hint: String,
    },
    /// No case goes against the check.
    #[error("`{0}`: no case goes against it in this run")]
    NoCase(String),
    /// Less was found than expected: that is not shown by finding less still.
    #[error("`{0}`: the run shows less of it than expected, and a smaller run shows less still")]
    TooLittle(String),
}

impl Failure {
    /// The first check of a report that makes its verdict what it is.
    ///
    /// # Errors
    ///
    /// If none does, or by showing too little.
    pub fn first(report: &Report) -> Result<Self, NothingToShow> {
        let violated = report.checks.iter().filter(|check| check.verdict == Verdict::Violated);
        let mut found = violated.map(Self::of_check).peekable();
        if found.peek().is_none() {
            return Err(match report.verdict {
                Verdict::Unknown => NothingToShow::Unknown,
                _ => NothingToShow::NothingFails,
            });
        }
        // One that can be shrunk, if any; else the reason why the first one cannot be.
        let all: Vec<_> = found.collect();
        let position = all.iter().position(Result::is_ok).unwrap_or(0);
        all.into_iter().nth(position).unwrap_or(Err(NothingToShow::NothingFails))
    }

    /// A check that cases go against, though the scenario may expect that.
    ///
    /// # Errors
    ///
    /// If there is no such check, or no case against it.
    pub fn of(report: &Report, key: &str) -> Result<Self, NothingToShow> {
        let checks = || report.checks.iter().chain(&report.measures);
        let named = |check: &&Check| check.key() == key || check.name == key;
        // Of several schemes, one that shows something.
        let found = checks().filter(named).max_by_key(|check| {
            (check.key() == key, check.verdict == Verdict::Violated, check.count > 0)
        });
        let Some(check) = found else {
            // Names come first, so that `uniqe` is nearer to `unique` than to `unique@hlc`.
            let mut known: Vec<String> = checks().map(|check| check.name.clone()).collect();
            known.dedup();
            known.extend(checks().map(Check::key));
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let (check, hint) = (String::from(key), hint(key, &known));
            return Err(NothingToShow::NoSuchCheck { check, hint });
        };
        Self::of_check(check)
    }

    fn of_check(check: &Check) -> Result<Self, NothingToShow> {
        let key = check.key();
        let shows = match (&check.expectation, check.verdict) {
            (Some(text), Verdict::Violated) => unmet(check, text)?,
            // That a part is far from its closed form is not seen in a few cases: one is shown.
            _ if check.outcome == Some(Verdict::Violated) && check.z.is_none() => Shows::Violated,
            _ if check.count > 0 => Shows::Case,
            _ => return Err(NothingToShow::NoCase(key)),
        };
        let cause = check.witness.as_ref().map(|witness| witness.cause.clone());
        Ok(Self { check: key, shows, cause })
    }

    /// Whether a run fails like that. The report was not judged against any expectation.
    pub(crate) fn is_shown(&self, report: &Report) -> bool {
        report.get(&self.check).is_some_and(|check| self.is_shown_by(check))
    }

    /// The same, of a failure that an earlier version may have written down: what it called a
    /// cause may have other words now, and then any cause will do.
    pub(crate) fn is_shown_still(&self, report: &Report) -> bool {
        let retired = |cause: &&String| RETIRED.contains(&cause.as_str());
        let cause = self.cause.clone().filter(|cause| !retired(&cause));
        Self { cause, ..self.clone() }.is_shown(report)
    }

    fn is_shown_by(&self, check: &Check) -> bool {
        let cause = check.witness.as_ref().map(|witness| &witness.cause);
        let same_cause = self.cause.as_ref().is_none_or(|known| cause == Some(known));
        same_cause
            && match &self.shows {
                Shows::Violated => check.outcome == Some(Verdict::Violated),
                Shows::Case => check.count > 0,
                Shows::Unmet(expectation) => {
                    let mut check = check.clone();
                    judge(expectation, &mut check).is_ok() && check.verdict == Verdict::Violated
                }
            }
    }
}

/// What there is to say of an expectation that was not met.
fn unmet(check: &Check, text: &str) -> Result<Shows, NothingToShow> {
    let (key, measured) = (check.key(), check.measured.0);
    let expectation =
        Expectation::new(&key, text).map_err(|_| NothingToShow::NoCase(key.clone()))?;
    let too_little = match expectation.expected {
        Expected::Claim(claim) => !claim,
        Expected::Near { value, .. } => measured < value,
        Expected::Within { low, .. } => measured < low,
        Expected::Any => true,
    };
    match expectation.expected {
        _ if too_little => Err(NothingToShow::TooLittle(key)),
        Expected::Claim(_) => Ok(Shows::Violated),
        _ => Ok(Shows::Unmet(expectation)),
    }
}
