//! Logs: what somebody else's system wrote down, judged by the checkers of the simulator.
//!
//! A log needs little: on each line a node, a moment, the ID that was made, and which messages were
//! sent and received. `docs/TRACES.md` has the format; a [trace](crate::Trace) of our own is one.
//!
//! # Invariants
//!
//! What happened before what comes from the log alone: the lines of a node in their order, and
//! messages. Lines of different nodes may stand in any order, as merged files do.

mod reader;
mod order;
mod judge;
mod opaque;

use serde::Serialize;
use thiserror::Error;

use crate::{Check, Event, NodeIndex, Observe, Scheme, Verdict, checker::Keyed};

pub use self::reader::LogReader;

/// What a log does not say about itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LogRules {
    /// The scheme of the IDs under the key `id`: a scheme's name, or `text` for IDs that are only
    /// compared as text. Recognized by the form of the first one if nothing is said.
    pub scheme: Option<String>,
    /// The window of IDs that are text: those further apart in time are claimed to be in order.
    pub window_ns: Option<u64>,
    /// How far the clocks that the times come from are apart, at most.
    pub skew_ns: Option<u64>,
    /// What nodes do with the IDs they receive; what a trace of our own says goes before.
    pub observe: Option<Observe>,
    /// Pairs of events this far apart are compared with the closed form.
    pub gaps_ns: Vec<u64>,
    /// Whether displacement, inversions and stride are taken.
    pub disorder: bool,
}

/// Why a log cannot be read: what, where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct LogError {
    /// The line, from one.
    pub line: u64,
    /// The column, in bytes, from one.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// A log that was read.
///
/// # Examples
///
/// ```
/// use guid_sim::{Log, LogRules, Verdict};
///
/// let text = concat!(
///     r#"{"node":"a","time_ns":1000,"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","send":"m1"}"#, "\n",
///     r#"{"node":"b","time_ns":2000,"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","receive":"m1"}"#,
/// );
/// let report = Log::parse(text, LogRules::default())?.check();
/// let unique = report.get("unique@ulid").unwrap();
/// assert_eq!((unique.verdict, unique.count), (Verdict::Violated, 1));
/// assert_eq!(report.nodes, ["a", "b"]);
/// # Ok::<(), guid_sim::LogError>(())
/// ```
#[derive(Debug)]
pub struct Log {
    name: Option<String>,
    nodes: Vec<String>,
    lines: Vec<Line>,
    /// What bears the IDs: one column a scheme.
    columns: Vec<Column>,
    /// Of each message: the line that sent it, and how many received it.
    messages: Vec<Message>,
    /// The lines in an order in which every message is sent before it is received.
    order: Vec<usize>,
    rules: LogRules,
    observe: Observe,
    fresh_node: bool,
    /// Whether the log has true time and local time, each for itself.
    has_both_times: bool,
}

/// A line: an event, or something else that happened to a node.
#[derive(Debug)]
struct Line {
    event: Event,
    received: Option<u32>,
    sent: Vec<u32>,
    /// A name out of a trace of ours, where it is one that matters.
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Restart,
    Other,
}

#[derive(Debug)]
struct Column {
    scheme: ColumnScheme,
    /// The IDs and the lines they stand on.
    ids: Vec<Id>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnScheme {
    Known(Scheme),
    Text,
}

#[derive(Debug)]
struct Id {
    line: usize,
    text: Box<str>,
}

#[derive(Clone, Debug)]
struct Message {
    sent: Option<usize>,
    receives: u32,
}

/// What the checkers found in a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LogReport {
    /// The version of this form.
    pub schema: u32,
    /// The scenario, if it is a trace of ours.
    pub scenario: Option<String>,
    /// The time of the first event, in decimal.
    pub start_ns: String,
    /// How many lines told of an event.
    pub events: u64,
    /// The names of the nodes; witnesses count them from one.
    pub nodes: Vec<String>,
    /// How many messages were sent.
    pub messages: u64,
    /// The schemes of the IDs, as they were said or recognized.
    pub schemes: Vec<String>,
    /// The claims.
    pub checks: Vec<Check>,
    /// Figures that nobody made a claim about.
    pub measures: Vec<Check>,
    /// Checks of runs that a trace cannot decide, because what they look at is not in it.
    pub undecided: Vec<Undecided>,
    /// The worst verdict of all claims; unknown if there is none.
    pub verdict: Verdict,
}

/// A check of runs that a trace cannot decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Undecided {
    /// The name of the check.
    pub name: &'static str,
    /// What it looks at, and is not in a trace.
    pub lacks: &'static str,
}

/// What a run looks at and does not write into its trace.
const LACKS: [(&str, &str); 7] = [
    ("converged", "what replicas show"),
    ("strong-eventual-consistency", "what replicas show"),
    ("read-your-writes", "what clients read and wrote"),
    ("monotonic-reads", "what clients read and wrote"),
    ("monotonic-writes", "what clients read and wrote"),
    ("writes-follow-reads", "what clients read and wrote"),
    ("vector-iff", "vector clocks"),
];

impl LogReport {
    /// The claim or figure with this key (`name@scheme`, or the name).
    pub fn get(&self, key: &str) -> Option<&Check> {
        self.checks.iter().chain(&self.measures).find(|check| check.key() == key)
    }
}

impl Log {
    /// Reads a log, one JSON object a line.
    ///
    /// # Errors
    ///
    /// See [`LogError`].
    pub fn parse(text: &str, rules: LogRules) -> Result<Self, LogError> {
        let mut reader = LogReader::new(rules);
        for line in text.lines() {
            reader.line(line)?;
        }
        reader.finish()
    }

    /// Judges it: which guarantees hold of the IDs, as far as the log tells.
    pub fn check(&self) -> LogReport {
        let mut all = Vec::new();
        for column in &self.columns {
            all.extend(match column.scheme {
                ColumnScheme::Known(scheme) => judge::check(self, column, scheme),
                ColumnScheme::Text => opaque::check(self, column),
            });
        }
        all.extend(judge::messages(self));
        let (checks, measures): (Vec<Check>, Vec<Check>) =
            all.into_iter().partition(|check| check.claim);
        let start = self.lines.iter().map(|line| line.event.true_ns).min().unwrap_or(0);
        let scheme = |column: &Column| match column.scheme {
            ColumnScheme::Known(scheme) => scheme.to_string(),
            ColumnScheme::Text => String::from("text"),
        };
        LogReport {
            schema: 1,
            scenario: self.name.clone(),
            start_ns: start.to_string(),
            events: self.lines.len() as u64,
            nodes: self.nodes.clone(),
            messages: self.messages.iter().filter(|message| message.sent.is_some()).count() as u64,
            schemes: self.columns.iter().map(scheme).collect(),
            undecided: self.undecided(),
            verdict: checks.iter().map(|check| check.verdict).max().unwrap_or(Verdict::Unknown),
            checks,
            measures,
        }
    }

    /// What it cannot decide. Vector clocks are missed only where there are IDs of theirs.
    fn undecided(&self) -> Vec<Undecided> {
        let vector = ColumnScheme::Known(Scheme::Vector);
        let has_vectors = self.columns.iter().any(|column| column.scheme == vector);
        let lacking = LACKS.iter().filter(|(name, _)| has_vectors || *name != "vector-iff");
        lacking.map(|&(name, lacks)| Undecided { name, lacks }).collect()
    }

    fn node_count(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// The lines in the order of their times.
    fn by_time(&self) -> Vec<usize> {
        let mut order = self.order.clone();
        order.sort_by_key(|&line| self.lines[line].event.true_ns);
        order
    }

    /// E: how far clocks are apart, and whether that is known.
    fn skew(&self) -> (i128, bool) {
        if let Some(skew) = self.rules.skew_ns {
            return (skew.into(), true);
        }
        let mut offsets = crate::checker::StampSkew::new(self.node_count());
        for line in &self.lines {
            offsets.event(&line.event, line.event.local_ns);
        }
        (offsets.spread(), self.has_both_times)
    }
}

impl Line {
    fn node(&self) -> NodeIndex {
        self.event.node
    }

    fn keyed(&self, key: u128) -> Keyed {
        Keyed { key, event: self.event }
    }
}
