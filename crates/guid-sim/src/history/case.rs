//! A history with the name of its checker, and perhaps the outcome that is expected: one JSON text.

use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{
    Element, History, HistoryError, Op, Outcome,
    element::wide_integer,
    op::{expected, told},
    outcome::keys,
};

/// Who judges a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Checker {
    /// Is every element that was known once in every later read, sooner or later?
    SetFull,
    /// ... and at once?
    SetFullLin,
    /// Was every ID given once?
    UniqueIds,
    /// Was what was said said again?
    Echo,
    /// Do the final reads show a sum that the adds can have?
    PnCounter,
    /// The same; the name of the workload whose adds are not negative.
    GCounter,
}

const CHECKERS: [Checker; 6] = [
    Checker::SetFull,
    Checker::SetFullLin,
    Checker::UniqueIds,
    Checker::Echo,
    Checker::PnCounter,
    Checker::GCounter,
];

/// A history, who is to judge it, and perhaps what is expected to come out.
///
/// # Examples
///
/// ```
/// use guid_sim::history::Case;
///
/// let case = Case::parse(r#"{"checker": "pn-counter", "history": [], "expected": {"valid": false}}"#)?;
/// let outcome = case.check()?;
/// assert_eq!(case.differences(&outcome).unwrap(), ["valid: true, expected false"]);
///
/// let error = Case::parse(r#"{"checker": "pn-counter", "history": [{"process": 0}]}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "op 0: `type` is missing: expected `invoke`, `ok`, `fail` or `info`",
/// );
/// # Ok::<(), guid_sim::history::HistoryError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// Who judges.
    pub checker: Checker,
    /// What is judged.
    pub history: History,
    /// What is to come out: `valid`, and any of the checker's counts.
    pub expected: Option<Element>,
}

impl Case {
    /// Reads a JSON object with `checker`, `history`, perhaps `expected`; other keys do not count.
    ///
    /// # Errors
    ///
    /// Says in which operation something is wrong, what was found and what was expected.
    pub fn parse(text: &str) -> Result<Self, HistoryError> {
        let case: Self = serde_json::from_str(text).map_err(|error| placed(text, &error))?;
        if let Some(at) = wide_integer(text) {
            let message = "an integer beyond 64 bits: expected it as a string".to_owned();
            return Err(HistoryError { at, message });
        }
        Ok(case)
    }

    /// Judges the history.
    ///
    /// # Errors
    ///
    /// The operations must be those of the checker, their values of its kind.
    pub fn check(&self) -> Result<Outcome, HistoryError> {
        self.history.check(self.checker)
    }

    /// Returns what came out otherwise than expected, if something is.
    pub fn differences(&self, outcome: &Outcome) -> Option<Vec<String>> {
        let expected = self.expected.as_ref()?.as_object()?;
        let found = outcome.to_element();
        let differences = expected.iter().filter_map(|(key, expected)| match found.get(key) {
            Some(found) if found == expected => None,
            Some(found) => Some(format!("{key}: {}, expected {}", told(found), told(expected))),
            None => Some(format!("{key}: absent, expected {}", told(expected))),
        });
        Some(differences.collect())
    }
}

/// The reason without serde's line and column, and the byte they mean.
fn placed(text: &str, error: &serde_json::Error) -> HistoryError {
    let before = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
    let at = before.sum::<usize>() + error.column().saturating_sub(1);
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    HistoryError { at: at.min(text.len()), message }
}

impl Checker {
    /// Returns the name, as in `set-full-lin`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SetFull => "set-full",
            Self::SetFullLin => "set-full-lin",
            Self::UniqueIds => "unique-ids",
            Self::Echo => "echo",
            Self::PnCounter => "pn-counter",
            Self::GCounter => "g-counter",
        }
    }
}

impl fmt::Display for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Checker {
    type Err = HistoryError;

    fn from_str(name: &str) -> Result<Self, HistoryError> {
        let found = CHECKERS.into_iter().find(|checker| checker.name() == name);
        found.ok_or_else(|| {
            let message = expected("checker", &format!("one of {}", names()), Some(&name.into()));
            HistoryError { at: 0, message }
        })
    }
}

fn names() -> String {
    CHECKERS.map(|checker| format!("`{checker}`")).join(", ")
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CaseVisitor)
    }
}

struct CaseVisitor;

impl<'de> Visitor<'de> for CaseVisitor {
    type Value = Case;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with `checker` and `history`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Case, A::Error> {
        let (mut checker, mut history, mut expected) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            let was_there = match &*key {
                "checker" => checker.replace(map.next_value::<Checker>()?).is_some(),
                "history" => history.replace(map.next_value::<History>()?).is_some(),
                "expected" => expected.replace(map.next_value::<Element>()?).is_some(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
            if was_there {
                return Err(A::Error::custom(format_args!("`{key}` stands twice")));
            }
        }
        let checker = checker.ok_or_else(|| A::Error::missing_field("checker"))?;
        let history = history.ok_or_else(|| A::Error::missing_field("history"))?;
        if let Some(expected) = &expected {
            can_be_met(checker, expected).map_err(A::Error::custom)?;
        }
        Ok(Case { checker, history, expected })
    }
}

/// An expectation that a slip made empty, or that names what does not exist, would say nothing.
fn can_be_met(checker: Checker, wanted: &Element) -> Result<(), String> {
    let keys = keys(checker);
    let object = wanted.as_object().filter(|_| wanted.get("valid").is_some());
    let Some(object) = object else {
        return Err(expected("expected", "an object with `valid`", Some(wanted)));
    };
    match object.iter().map(|(key, _)| &**key).find(|key| !keys.contains(key)) {
        None => Ok(()),
        Some(key) => Err(format!("`expected` has {key:?}: expected any of {}", keys.join(", "))),
    }
}

impl<'de> Deserialize<'de> for Checker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Element::deserialize(deserializer)?;
        let wrong = || expected("checker", &format!("one of {}", names()), Some(&found));
        let name = found.as_text().ok_or_else(|| D::Error::custom(wrong()))?;
        name.parse().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for History {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HistoryVisitor)
    }
}

struct HistoryVisitor;

impl<'de> Visitor<'de> for HistoryVisitor {
    type Value = History;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of operations for `history`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<History, A::Error> {
        let mut history = History::default();
        loop {
            let index = history.ops().len();
            let next = seq.next_element::<Op>();
            // serde_json keeps the place: it reads it off the end of the text.
            let next = next.map_err(|why| A::Error::custom(format_args!("op {index}: {why}")))?;
            let Some(op) = next else { return Ok(history) };
            history.push(op).map_err(A::Error::custom)?;
        }
    }
}
