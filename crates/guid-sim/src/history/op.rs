//! Operations: what clients of a system asked for, and what they were answered.
//!
//! An operation is two entries of a history: it is *invoked*, and later it *completes*: `ok`, it
//! happened; `fail`, it did not; `info`, nobody knows. Some never complete.
//!
//! # References
//!
//! Jepsen: its operations, in JSON.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
};

use super::Element;

/// One entry of a history.
///
/// # Examples
///
/// ```
/// use guid_sim::history::{Function, Op, OpKind, Process};
///
/// let line = r#"{"process": 3, "type": "ok", "f": "read", "value": [1, 2], "time": 25000}"#;
/// let op: Op = serde_json::from_str(line)?;
/// assert_eq!((op.process, op.kind, op.time_ns), (Process::Client(3), OpKind::Ok, 25_000));
/// assert_eq!(op, Op::new(3, OpKind::Ok, Function::Read, 25_000).with([1.into(), 2.into()]));
/// assert_eq!(op.to_string(), "ok     client 3 read [1,2]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Op {
    /// Who.
    pub process: Process,
    /// Asked, or how it ended.
    pub kind: OpKind,
    /// What was asked for.
    pub function: Function,
    /// What with, or what was answered; absent, not null.
    pub value: Option<Element>,
    /// When, in the test's own time.
    pub time_ns: i64,
    /// Whether it is one of the reads at the end, when nothing is under way: `final?`.
    pub is_final: bool,
}

/// Who does an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "what is no client is not checked")]
pub enum Process {
    /// A client, which does one thing at a time.
    Client(i64),
    /// The tester's own, such as `"nemesis"`; checkers pass it over.
    Other,
}

/// Whether an operation begins, or how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "Jepsen's four")]
pub enum OpKind {
    /// It is asked for.
    Invoke,
    /// It happened.
    Ok,
    /// It did not happen.
    Fail,
    /// It may have happened, or may still.
    Info,
}

/// What an operation asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Function {
    /// Puts an element into a set, or adds to a counter. Written `add` or `broadcast`.
    Add,
    /// Reads the set, or the counter.
    Read,
    /// Makes an ID.
    Generate,
    /// Says something, to hear it again.
    Echo,
    /// Something that no checker here knows.
    Other(Box<str>),
}

impl Op {
    /// Makes an operation of a client, without a value.
    pub const fn new(client: i64, kind: OpKind, function: Function, time_ns: i64) -> Self {
        let process = Process::Client(client);
        Self { process, kind, function, value: None, time_ns, is_final: false }
    }

    /// The same with a list of elements, as read.
    #[must_use]
    pub fn with(self, elements: impl IntoIterator<Item = Element>) -> Self {
        self.of(elements.into_iter().collect::<Element>())
    }

    /// The same with a value.
    #[must_use]
    pub fn of(mut self, value: impl Into<Element>) -> Self {
        self.value = Some(value.into());
        self
    }
}

impl Function {
    fn named(name: &str) -> Self {
        match name {
            "add" | "broadcast" => Self::Add,
            "read" => Self::Read,
            "generate" => Self::Generate,
            "echo" => Self::Echo,
            other => Self::Other(other.into()),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, kind, function, .. } = self;
        write!(f, "{kind:<6} {process} {function}")?;
        match &self.value {
            Some(value) => write!(f, " {value}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => write!(f, "client {client}"),
            Self::Other => f.write_str("tester"),
        }
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Invoke => "invoke",
            Self::Ok => "ok",
            Self::Fail => "fail",
            Self::Info => "info",
        })
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add => f.write_str("add"),
            Self::Read => f.write_str("read"),
            Self::Generate => f.write_str("generate"),
            Self::Echo => f.write_str("echo"),
            Self::Other(name) => write!(f, "{name:?}"),
        }
    }
}

impl<'de> Deserialize<'de> for Op {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Any, and not a map: what is found is then named in the error.
        deserializer.deserialize_any(OpVisitor)
    }
}

struct OpVisitor;

impl<'de> Visitor<'de> for OpVisitor {
    type Value = Op;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with `process`, `type`, `f`, `value` and `time`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Op, A::Error> {
        let mut fields = [const { None }; 6];
        while let Some(key) = map.next_key::<String>()? {
            let Some(field) = FIELDS.iter().position(|&field| field == key) else {
                map.next_value::<IgnoredAny>()?; // Jepsen's `index` and `error`, and whatever else
                continue;
            };
            if fields[field].replace(map.next_value::<Element>()?).is_some() {
                return Err(A::Error::custom(format_args!("`{key}` stands twice")));
            }
        }
        from_fields(fields).map_err(A::Error::custom)
    }
}

const FIELDS: [&str; 6] = ["process", "type", "f", "value", "time", "final?"];

/// The operation of the fields, which are in the order of [`FIELDS`].
fn from_fields(fields: [Option<Element>; 6]) -> Result<Op, String> {
    let [process, kind, function, value, time, is_final] = fields;
    Ok(Op {
        process: self::process(process.as_ref())?,
        kind: self::kind(kind.as_ref())?,
        function: function
            .as_ref()
            .and_then(Element::as_text)
            .map(Function::named)
            .ok_or_else(|| expected("f", "a string such as `add`", function.as_ref()))?,
        value,
        time_ns: time
            .as_ref()
            .and_then(Element::as_integer)
            .ok_or_else(|| expected("time", "an integer of nanoseconds", time.as_ref()))?,
        is_final: match is_final {
            None => false,
            Some(flag) => {
                flag.as_bool().ok_or_else(|| expected("final?", "true or false", Some(&flag)))?
            }
        },
    })
}

fn process(found: Option<&Element>) -> Result<Process, String> {
    if found.and_then(Element::as_text).is_some() {
        return Ok(Process::Other);
    }
    let client = found.and_then(Element::as_integer).map(Process::Client);
    client.ok_or_else(|| expected("process", "an integer, or the tester's name", found))
}

fn kind(found: Option<&Element>) -> Result<OpKind, String> {
    match found.and_then(Element::as_text) {
        Some("invoke") => Ok(OpKind::Invoke),
        Some("ok") => Ok(OpKind::Ok),
        Some("fail") => Ok(OpKind::Fail),
        Some("info") => Ok(OpKind::Info),
        _ => Err(expected("type", "`invoke`, `ok`, `fail` or `info`", found)),
    }
}

/// How much of a value is told back: a long one would hide the reason.
const TOLD_MAX: usize = 40;

/// What is wrong with a field.
pub(super) fn expected(key: &str, what: &str, found: Option<&Element>) -> String {
    match found {
        None => format!("`{key}` is missing: expected {what}"),
        Some(found) => format!("`{key}` is {}: expected {what}", told(found)),
    }
}

/// The beginning of a value, without what a terminal would obey.
pub(super) fn told(value: &Element) -> String {
    let text = value.to_string();
    let mut told = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == TOLD_MAX {
            return told + "…";
        }
        // JSON escapes some of them by itself.
        if c.is_control() { told.extend(c.escape_unicode()) } else { told.push(c) }
    }
    told
}
