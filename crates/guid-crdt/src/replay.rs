//! Histories as lines of JSON, carried out on the types of this crate (feature `replay`).
//!
//! A history is a handful of replicas, what they do and exchange, and what each must show: test
//! cases that another library, in another language, can read too. `guid crdt replay FILE` carries
//! out a file of them, and so does [`replay`] from a test. The format is described in
//! `docs/REPLAY.md`.
//!
//! ```
//! let outcome = guid_crdt::replay::replay(r#"{"id": "an-add-wins", "type": "orset", "steps": [
//!     {"op": ["A", "add", "x"]}, {"merge": ["A", "B"]},
//!     {"op": ["A", "remove", "x"]}, {"op": ["B", "add", "x"]}],
//!     "any_order": {"of": ["A", "B"], "value": ["x"]}}"#)?;
//! assert_eq!(outcome.met, Some(true));
//! # Ok::<(), guid_crdt::replay::ReplayError>(())
//! ```
//!
//! # Invariants
//!
//! * A line is read whole before any of it is carried out: what is misspelt is refused.
//! * Equal lines have equal outcomes: stamps that are not given are those of a logical clock.
//! * A type that is not here gives no verdict, and says why.

mod json;
mod kind;
mod script;
mod subject;
mod stage;
mod run;
mod clocks;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use self::{
    json::{Json, Read, hint},
    kind::{Kind, Params},
    run::Run,
    script::Script,
};

/// What came of a history.
///
/// Through serde it is an object: `id`, `type`, `met`, then `why` if `met` is null, and `misses`.
///
/// # Examples
///
/// ```
/// use guid_crdt::replay::replay;
///
/// let outcome = replay(
///     r#"{"id": "a", "type": "gcounter", "steps": [{"op": ["A", "inc", 2]}], "expect": {"A": 3}}"#,
/// )?;
/// assert_eq!(outcome.met, Some(false));
/// assert_eq!(outcome.misses[0].to_string(), "A shows 2, expected 3");
/// assert!(outcome.account[0].ends_with("A shows 2"));
///
/// let outcome = replay(r#"{"id": "b", "type": "text", "steps": [], "expect": {"A": ""}}"#)?;
/// assert_eq!(outcome.met, None);
/// assert_eq!(outcome.why.as_deref(), Some("the type does not exist here yet"));
/// # Ok::<(), guid_crdt::replay::ReplayError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The name of the history.
    pub id: String,
    /// The name of its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether all that was expected came out; `None` where that could not be told.
    pub met: Option<bool>,
    /// Why it could not be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What came out otherwise.
    pub misses: Vec<Miss>,
    /// What happened, a line a step, for people.
    #[serde(skip)]
    pub account: Vec<String>,
}

/// Something that came out otherwise than expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Miss {
    /// In which step, from 1; `None` at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// What differs: a replica, a saved state, `any_order`, or what was asked.
    pub what: String,
    /// What was found, as JSON.
    #[serde(serialize_with = "raw")]
    pub found: String,
    /// What was expected, as JSON.
    #[serde(serialize_with = "raw")]
    pub expected: String,
}

impl Miss {
    fn new(step: Option<u64>, what: &str, found: String, expected: String) -> Self {
        Self { step, what: what.to_owned(), found, expected }
    }
}

impl core::fmt::Display for Miss {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if let Some(step) = self.step {
            write!(f, "step {step}: ")?;
        }
        write!(f, "{} shows {}, expected {}", self.what, self.found, self.expected)
    }
}

fn raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let raw = RawValue::from_string(json.to_owned()).map_err(serde::ser::Error::custom)?;
    raw.serialize(serializer)
}

/// Why a line is no history that can be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ReplayError {
    /// Where in the line it shows, in bytes; 0 where there is no one place.
    pub at: usize,
    /// What is wrong: in which step, what was found, what was expected, the nearest that exists.
    pub message: String,
}

impl ReplayError {
    fn in_step(self, number: u64) -> Self {
        Self { message: format!("step {number}: {}", self.message), ..self }
    }
}

/// Reads a history, a JSON object on one line, and carries it out.
///
/// # Errors
///
/// The line is no history, or a step cannot be carried out on any type: see [`ReplayError`].
///
/// # Examples
///
/// ```
/// use guid_crdt::replay::replay;
///
/// let line = r#"{"id": "a", "type": "orset", "steps": [{"op": ["A", "ad", "x"]}]}"#;
/// let error = replay(line).unwrap_err();
/// assert_eq!(error.to_string(), "step 1: no operation `ad`: did you mean `add`?");
/// assert_eq!(&line[error.at..error.at + 4], r#""ad""#);
/// # Ok::<(), guid_crdt::replay::ReplayError>(())
/// ```
///
/// # Complexity
///
/// At worst quadratic in the length of the line: each step tells what a replica shows.
pub fn replay(line: &str) -> Result<Outcome, ReplayError> {
    let line = Line::read(line)?;
    let params = match line.params {
        Some(params) => Params::read(&line.kind, params)?,
        None => Params::default(),
    };
    let kind = Kind::read(line.type_name, &params)?;
    line.only_keys_of(&kind)?;
    let outcome = |met, why, misses, account| {
        let (id, kind) = (line.id.clone(), line.kind.clone());
        Ok(Outcome { id, kind, met, why, misses, account })
    };
    if let Kind::VectorClock | Kind::Dots = kind {
        let checked = if kind == Kind::Dots { clocks::dots } else { clocks::vector_clocks };
        let (account, misses) = checked(&line)?;
        return outcome(Some(misses.is_empty()), None, misses, account);
    }
    let script = Script::read(&line, &kind, &params)?;
    let stage = match stage::stage(&kind, &script.names) {
        Ok(stage) => stage,
        Err(why) => return outcome(None, Some(why.to_owned()), vec![], vec![]),
    };
    let mut run =
        Run { kind: &kind, script: &script, stage, account: Vec::new(), misses: Vec::new() };
    let why = run.all()?;
    let Run { account, misses, .. } = run;
    let why = why
        .or_else(|| (!script.expects_something()).then(|| "the line expects nothing".to_owned()));
    // What was missed is missed, whatever could not be told.
    let why = why.filter(|_| misses.is_empty());
    let met = if why.is_some() { None } else { Some(misses.is_empty()) };
    outcome(met, why, misses, account)
}

/// The keys of a line.
struct Line<'a> {
    whole: Json<'a>,
    id: String,
    kind: String,
    type_name: Json<'a>,
    params: Option<Json<'a>>,
    nodes: Option<Json<'a>>,
    steps: Option<Json<'a>>,
    expect: Option<Json<'a>>,
    any_order: Option<Json<'a>>,
    a: Option<Json<'a>>,
    b: Option<Json<'a>>,
    dots: Option<Json<'a>>,
    ask: Option<Json<'a>>,
}

const OF_ALL: [&str; 7] = ["id", "type", "params", "expect", "tags", "source", "note"];
const OF_STEPS: [&str; 3] = ["nodes", "steps", "any_order"];
const OF_CLOCKS: [&str; 2] = ["a", "b"];
const OF_DOTS: [&str; 2] = ["dots", "ask"];

impl<'a> Line<'a> {
    fn read(text: &'a str) -> Read<Self> {
        let whole = Json::line(text)?;
        let what = "an object with `id` and `type`";
        let entries = whole.object("the line", what)?;
        let known = [&OF_ALL[..], &OF_STEPS, &OF_CLOCKS, &OF_DOTS].concat();
        if let Some((key, value)) = entries.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            return Err(value.error(format!("no key is called `{key}`{}", hint(key, &known))));
        }
        let get = |name: &str| entries.iter().find(|(key, _)| key == name).map(|&(_, value)| value);
        let need = |name: &str| {
            get(name).ok_or_else(|| whole.error(format!("no `{name}`: expected {what}")))
        };
        let type_name = need("type")?;
        Ok(Self {
            whole,
            id: need("id")?.text("`id`")?,
            kind: type_name.text("`type`")?,
            type_name,
            params: get("params"),
            nodes: get("nodes"),
            steps: get("steps"),
            expect: get("expect"),
            any_order: get("any_order"),
            a: get("a"),
            b: get("b"),
            dots: get("dots"),
            ask: get("ask"),
        })
    }

    /// Refuses what another type would ask for: nobody would look at it.
    fn only_keys_of(&self, kind: &Kind) -> Read<()> {
        let steps = [("nodes", self.nodes), ("steps", self.steps), ("any_order", self.any_order)];
        let (clocks, dots) =
            ([("a", self.a), ("b", self.b)], [("dots", self.dots), ("ask", self.ask)]);
        let foreign = match kind {
            Kind::VectorClock => [&steps[..], &dots].concat(),
            Kind::Dots => [&steps[..], &clocks].concat(),
            _ => [&clocks[..], &dots].concat(),
        };
        let found = foreign.into_iter().find_map(|(key, json)| Some((key, json?)));
        match found {
            Some((key, json)) => Err(json.error(format!("`{key}` is not for `{}`", self.kind))),
            None => Ok(()),
        }
    }
}
