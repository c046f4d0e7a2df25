//! What a scenario expects: a verdict, a number with its tolerance, or a range.

use super::{ScenarioError, reader::nearest};
use crate::{Check, Report, RunError, Verdict, units};

/// An expectation of a scenario: which check, and what of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expectation {
    /// `name@scheme`, or a name for all checks that bear it.
    pub key: String,
    /// In the words of the file.
    pub text: String,
    /// What is expected.
    pub expected: Expected,
    /// Line and column of the key.
    pub place: Option<(usize, usize)>,
}

/// What is expected of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expected {
    /// `any`: it is measured, and whatever comes out is fine.
    Any,
    /// `true`: the claim holds; `false`: it is violated, and that is what the scenario shows.
    Claim(bool),
    /// `0.4982 +- 0.03`; a number alone has no tolerance.
    Near {
        /// The value.
        value: f64,
        /// How far off it may be.
        tolerance: f64,
    },
    /// `>= 1`, `<= 3s` or `1 .. 3`: both ends included.
    Within {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
    },
}

impl Expectation {
    /// Reads an expectation that stands in no file: `("lww-lost@hlc", "<= 0.1")`.
    ///
    /// # Errors
    ///
    /// What was found and what was expected, as text.
    pub fn new(key: &str, text: &str) -> Result<Self, String> {
        Self::parse(key, text, None)
    }

    pub(super) fn parse(
        key: &str,
        text: &str,
        place: Option<(usize, usize)>,
    ) -> Result<Self, String> {
        let expected = parse(text.trim())?;
        Ok(Self { key: String::from(key), text: String::from(text), expected, place })
    }

    fn is_about(&self, check: &Check) -> bool {
        self.key == check.key() || self.key == check.name
    }
}

fn parse(text: &str) -> Result<Expected, String> {
    if text == "any" {
        return Ok(Expected::Any);
    }
    if let Ok(claim) = text.parse() {
        return Ok(Expected::Claim(claim));
    }
    let number = |number: &str| {
        number_or_duration(number.trim()).ok_or_else(|| {
            format!(
                "found `{text}`, expected true, false, any, a number, `0.4982 +- 0.03`, `>= 1`, \
                 `<= 3` or `1 .. 3`"
            )
        })
    };
    if let Some(low) = text.strip_prefix(">=") {
        return Ok(Expected::Within { low: number(low)?, high: f64::INFINITY });
    }
    if let Some(high) = text.strip_prefix("<=") {
        return Ok(Expected::Within { low: f64::NEG_INFINITY, high: number(high)? });
    }
    if let Some((low, high)) = text.split_once("..") {
        return Ok(Expected::Within { low: number(low)?, high: number(high)? });
    }
    let (value, tolerance) = text.split_once("+-").unwrap_or((text, "0"));
    Ok(Expected::Near { value: number(value)?, tolerance: number(tolerance)? })
}

#[expect(clippy::cast_precision_loss, reason = "durations of interest are far below 2^53 ns")]
fn number_or_duration(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.or_else(|| units::signed_ns(text).ok().map(|ns| ns as f64))
}

/// Judges a report against the expectations: what they are about becomes a claim. Of two that are
/// about one check, the one that names its scheme counts.
pub(crate) fn apply(expectations: &[Expectation], report: &mut Report) -> Result<(), RunError> {
    for expectation in expectations {
        if !is_there(expectation, report) {
            return Err(no_such_check(expectation, report));
        }
    }
    let checks = std::mem::take(&mut report.checks);
    for mut check in checks.into_iter().chain(std::mem::take(&mut report.measures)) {
        let about = || expectations.iter().filter(|expectation| expectation.is_about(&check));
        let exact = about().find(|expectation| expectation.key == check.key());
        if let Some(expectation) = exact.or_else(|| about().next()) {
            judge(expectation, &mut check)?;
        }
        let to = if check.claim { &mut report.checks } else { &mut report.measures };
        to.push(check);
    }
    report.judge();
    Ok(())
}

fn is_there(expectation: &Expectation, report: &Report) -> bool {
    report.checks.iter().chain(&report.measures).any(|check| expectation.is_about(check))
}

/// Whether a report has what an expectation is about, and that can be judged by it.
pub(super) fn fits(expectation: &Expectation, report: &Report) -> Result<(), RunError> {
    if !is_there(expectation, report) {
        return Err(no_such_check(expectation, report));
    }
    let mut checks = report.checks.iter().chain(&report.measures);
    let claim = matches!(expectation.expected, Expected::Claim(_));
    let can_be = |check: &Check| check.outcome.is_some() || !claim;
    if checks.any(|check| expectation.is_about(check) && can_be(check)) {
        Ok(())
    } else {
        Err(no_claim(expectation))
    }
}

fn no_such_check(expectation: &Expectation, report: &Report) -> RunError {
    let checks = || report.checks.iter().chain(&report.measures);
    let keys: Vec<String> = checks().map(Check::key).collect();
    let mut names: Vec<&str> = Vec::new();
    for check in checks() {
        if !names.contains(&check.name.as_str()) {
            names.push(&check.name);
        }
    }
    // Names come first, so that `uniqe` is nearer to `unique` than to `unique@hlc`.
    let known = names.iter().copied().chain(keys.iter().map(String::as_str));
    let key = &expectation.key;
    let hint = match nearest(key, known) {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => format!(": expected one of {}", names.join(", ")),
    };
    RunError::NoSuchCheck(ScenarioError {
        place: expectation.place,
        message: format!("no check `{key}` in this run{hint}"),
    })
}

pub(crate) fn judge(expectation: &Expectation, check: &mut Check) -> Result<(), RunError> {
    let measured = check.measured.0;
    let met = match (expectation.expected, check.outcome) {
        (Expected::Any, _) => {
            (check.claim, check.verdict) = (false, Verdict::Holds);
            return Ok(());
        }
        (Expected::Claim(_), None) => return Err(no_claim(expectation)),
        (Expected::Claim(claim), Some(outcome)) => (outcome == Verdict::Holds) == claim,
        (Expected::Near { value, tolerance }, _) => (measured - value).abs() <= tolerance,
        (Expected::Within { low, high }, _) => (low..=high).contains(&measured),
    };
    check.claim = true;
    check.expectation = Some(expectation.text.clone());
    check.verdict = match check.outcome {
        Some(Verdict::Unknown) => Verdict::Unknown,
        _ => Verdict::of(met),
    };
    Ok(())
}

fn no_claim(expectation: &Expectation) -> RunError {
    let key = &expectation.key;
    RunError::NoSuchCheck(ScenarioError {
        place: expectation.place,
        message: format!("`{key}` is a number, neither true nor false: expect one, as in `>= 1`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms() {
        assert_eq!(parse("true"), Ok(Expected::Claim(true)));
        assert_eq!(parse("any"), Ok(Expected::Any));
        assert_eq!(parse("0"), Ok(Expected::Near { value: 0.0, tolerance: 0.0 }));
        assert_eq!(parse("0.5 +- 0.03"), Ok(Expected::Near { value: 0.5, tolerance: 0.03 }));
        assert_eq!(parse(">= 1"), Ok(Expected::Within { low: 1.0, high: f64::INFINITY }));
        assert_eq!(parse("1 .. 3"), Ok(Expected::Within { low: 1.0, high: 3.0 }));
        assert_eq!(parse("<= 1s"), Ok(Expected::Within { low: f64::NEG_INFINITY, high: 1e9 }));
        for text in ["", "yes", "+- 1", ">=", "1 ..", "NaN", "inf"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
