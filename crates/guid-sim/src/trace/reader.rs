//! Reading a trace back: one JSON object a line, as [`WorldConfig::trace`](crate::WorldConfig)
//! writes it.

use serde_json::{Map, Value};
use thiserror::Error;

/// As many as a scenario may have: who writes a trace for another tool names each of them.
const MOST_NODES: u32 = 65_536;

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceHeader {
    /// The scenario.
    pub scenario: String,
    /// The hash of the scenario's text, if it is known.
    pub scenario_hash: Option<String>,
    /// What was set to something else than the text says.
    pub set: Vec<String>,
    /// True time at the start, in Unix nanoseconds, if it is known.
    pub start_ns: Option<u64>,
    /// How many nodes.
    pub nodes: u32,
}

/// An event of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceEvent {
    /// Counts from one.
    pub event: u64,
    /// The number of the node, from one.
    pub node: u32,
    /// True time, in Unix nanoseconds.
    pub true_ns: u64,
    /// What the node's clock read.
    pub local_ns: u64,
    /// What happened: `mint`, `send`, …
    pub kind: String,
    /// The number of the message, for `send`, `receive` and `lost`.
    pub message: Option<u64>,
    /// The other end, for `send` and `receive`.
    pub peer: Option<u32>,
    /// How far the clock jumped, for `clock-fault`.
    pub by_ns: Option<i64>,
    /// The IDs by scheme, by its name.
    pub ids: Vec<(String, String)>,
}

/// Why a line is no line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
#[non_exhaustive]
pub struct TraceError {
    /// The line, from one.
    pub line: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// A whole trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The first line.
    pub header: TraceHeader,
    /// The others.
    pub events: Vec<TraceEvent>,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// See [`TraceError`].
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::Trace;
    ///
    /// let trace = Trace::parse(concat!(
    ///     r#"{"guid_sim":1,"scenario":"x","nodes":2}"#, "\n",
    ///     r#"{"event":1,"node":2,"true_ns":"5","local_ns":"7","kind":"mint"}"#, "\n",
    /// ))?;
    /// assert_eq!((trace.header.nodes, trace.events[0].local_ns), (2, 7));
    /// assert_eq!(Trace::parse("{}").unwrap_err().to_string(), "line 1: `guid_sim` is not 1");
    /// # Ok::<(), guid_sim::TraceError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        // Editors of one system put this mark before the first line.
        let mut lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
        let (_, first) = lines.next().unwrap_or((1, ""));
        let header = Fields::new(1, first)?.header()?;
        let mut events = Vec::new();
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            let event = Fields::new(line, text)?.event()?;
            if !(1..=header.nodes).contains(&event.node) {
                let message = format!("node {} of {}", event.node, header.nodes);
                return Err(TraceError { line, message });
            }
            events.push(event);
        }
        Ok(Self { header, events })
    }
}

/// The fields of one line.
struct Fields {
    line: usize,
    object: Map<String, Value>,
}

impl Fields {
    fn new(line: usize, text: &str) -> Result<Self, TraceError> {
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(Self { line, object }),
            Ok(_) => Err(TraceError { line, message: String::from("not a JSON object") }),
            Err(error) => {
                // Its own place is on the one line it was given.
                let told = error.to_string();
                let told = told.split(" at line ").next().unwrap_or_default();
                let message = format!("column {}: no JSON object: {told}", error.column().max(1));
                Err(TraceError { line, message })
            }
        }
    }

    fn error(&self, message: impl Into<String>) -> TraceError {
        TraceError { line: self.line, message: message.into() }
    }

    /// A number, or a number as text, as those of 64 bits are written.
    fn number<N: TryFrom<u64>>(&self, key: &str) -> Result<Option<N>, TraceError> {
        let Some(value) = self.object.get(key) else { return Ok(None) };
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let number = number.and_then(|number| N::try_from(number).ok());
        let wrong = || self.error(format!("`{key}` is {value}, expected a whole number"));
        number.map(Some).ok_or_else(wrong)
    }

    fn signed(&self, key: &str) -> Result<Option<i64>, TraceError> {
        let Some(value) = self.object.get(key) else { return Ok(None) };
        let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
        let wrong = || self.error(format!("`{key}` is {value}, expected a whole number"));
        number.map(Some).ok_or_else(wrong)
    }

    fn need<N: TryFrom<u64>>(&self, key: &str) -> Result<N, TraceError> {
        self.number(key)?.ok_or_else(|| self.error(format!("`{key}` is missing")))
    }

    fn text(&self, key: &str) -> Result<String, TraceError> {
        let text = self.object.get(key).and_then(Value::as_str);
        text.map(String::from).ok_or_else(|| self.error(format!("`{key}` is missing or no text")))
    }

    fn header(&self) -> Result<TraceHeader, TraceError> {
        if self.number::<u64>("guid_sim")? != Some(1) {
            return Err(self.error("`guid_sim` is not 1"));
        }
        let nodes = self.need("nodes")?;
        if nodes > MOST_NODES {
            return Err(self.error(format!("`nodes` is {nodes}, expected at most {MOST_NODES}")));
        }
        let hash = self.object.get("scenario_hash").filter(|hash| !hash.is_null());
        Ok(TraceHeader {
            scenario: self.text("scenario")?,
            scenario_hash: hash.map(|_| self.text("scenario_hash")).transpose()?,
            set: self.set()?,
            start_ns: self.number("start_ns")?,
            nodes,
        })
    }

    fn set(&self) -> Result<Vec<String>, TraceError> {
        let Some(set) = self.object.get("set") else { return Ok(Vec::new()) };
        let wrong = || self.error(format!("`set` is {set}, expected a list of texts"));
        let text = |one: &Value| one.as_str().map(String::from);
        set.as_array().and_then(|all| all.iter().map(text).collect()).ok_or_else(wrong)
    }

    fn event(&self) -> Result<TraceEvent, TraceError> {
        let to = self.number("to")?;
        Ok(TraceEvent {
            event: self.need("event")?,
            node: self.need("node")?,
            true_ns: self.need("true_ns")?,
            local_ns: self.need("local_ns")?,
            kind: self.text("kind")?,
            message: self.number("message")?,
            peer: if to.is_some() { to } else { self.number("from")? },
            by_ns: self.signed("by_ns")?,
            ids: self.ids()?,
        })
    }

    fn ids(&self) -> Result<Vec<(String, String)>, TraceError> {
        let Some(ids) = self.object.get("ids") else { return Ok(Vec::new()) };
        let wrong = || self.error(format!("`ids` is {ids}, expected an object of texts"));
        let pair =
            |(scheme, id): (&String, &Value)| Some((scheme.clone(), String::from(id.as_str()?)));
        ids.as_object().and_then(|ids| ids.iter().map(pair).collect()).ok_or_else(wrong)
    }
}
