//! What a checker found: a verdict, counts, and the first operations that show what is wrong.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{Checker, Counter, Echoes, Element, SetFull, UniqueIds};
use crate::Verdict;

/// What a checker found.
///
/// # Examples
///
/// In JSON the verdict is `valid`, and the counts follow it:
///
/// ```
/// use guid_sim::history::{Checker, History};
///
/// let outcome = History::default().check(Checker::SetFull)?;
/// assert_eq!(
///     serde_json::to_string(&outcome)?,
///     r#"{"checker":"set-full","valid":"unknown","attempt":0,"stable":0,"lost":[],"never":[],"stale":[]}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Who judged.
    pub checker: Checker,
    /// Whether the promise was kept.
    pub verdict: Verdict,
    /// What was counted.
    pub counts: Counts,
    /// Where something is wrong, the first of it.
    pub witness: Option<Witness>,
}

/// What was counted, by the kind of the checker.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counts {
    /// Of a set.
    Set(SetFull),
    /// Of IDs.
    Ids(UniqueIds),
    /// Of echoes.
    Echoes(Echoes),
    /// Of a counter.
    Counter(Counter),
}

/// Operations that show what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Witness {
    /// What they show.
    pub says: String,
    /// Their indices in the history, ascending.
    pub ops: Vec<usize>,
}

/// What a checker gives.
pub(super) type Found = (Verdict, Counts, Option<Witness>);

/// The keys of an outcome in JSON that can be expected.
pub(super) const fn keys(checker: Checker) -> &'static [&'static str] {
    match checker {
        Checker::SetFull | Checker::SetFullLin => {
            &["valid", "attempt", "stable", "lost", "never", "stale"]
        }
        Checker::UniqueIds => &["valid", "attempted", "acknowledged", "duplicated"],
        Checker::Echo => &["valid", "attempted", "acknowledged", "wrong"],
        Checker::PnCounter | Checker::GCounter => &["valid", "final", "acceptable"],
    }
}

impl Outcome {
    /// The same as a value, to be compared.
    pub(super) fn to_element(&self) -> Element {
        let text = serde_json::to_string(self).expect("keys are strings, and memory does not fail");
        serde_json::from_str(&text).expect("it was written as JSON, no deeper than it was read")
    }
}

impl Witness {
    pub(super) fn new(says: String, mut ops: Vec<usize>) -> Self {
        // An operation may play two parts.
        ops.sort_unstable();
        ops.dedup();
        Self { says, ops }
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("checker", self.checker.name())?;
        match self.verdict {
            Verdict::Holds => map.serialize_entry("valid", &true)?,
            Verdict::Violated => map.serialize_entry("valid", &false)?,
            Verdict::Unknown => map.serialize_entry("valid", "unknown")?,
        }
        match &self.counts {
            Counts::Set(SetFull { attempt, stable, lost, never, stale }) => {
                map.serialize_entry("attempt", attempt)?;
                map.serialize_entry("stable", stable)?;
                map.serialize_entry("lost", lost)?;
                map.serialize_entry("never", never)?;
                map.serialize_entry("stale", stale)?;
            }
            Counts::Ids(UniqueIds { attempted, acknowledged, duplicated }) => {
                map.serialize_entry("attempted", attempted)?;
                map.serialize_entry("acknowledged", acknowledged)?;
                map.serialize_entry("duplicated", duplicated)?;
            }
            Counts::Echoes(Echoes { attempted, acknowledged, wrong }) => {
                map.serialize_entry("attempted", attempted)?;
                map.serialize_entry("acknowledged", acknowledged)?;
                map.serialize_entry("wrong", wrong)?;
            }
            Counts::Counter(Counter { finals, acceptable }) => {
                map.serialize_entry("final", finals)?;
                map.serialize_entry("acceptable", acceptable)?;
            }
        }
        map.end()
    }
}
