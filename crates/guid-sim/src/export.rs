//! Traces in the forms of other tools.
//!
//! * `ShiViz`, with vector clocks counted from the messages of the trace
//! * Chrome's tracing and Perfetto: events as slices, messages as arrows, the offset of each clock
//!   as a counter
//! * comma-separated values, for spreadsheets
//! * Graphviz and Mermaid: pictures of small runs, for notes and web pages
//! * SVG: a space-time diagram of a part of a run, which any browser shows

mod chrome;
mod csv;
mod diagram;
mod shiviz;
mod svg;

use std::{collections::BTreeMap, fmt, str::FromStr};

use crate::{Trace, TraceEvent, scenario::hint};

/// A form to write a trace in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Chrome's trace events, as JSON.
    Chrome,
    /// Comma-separated values, one event a line.
    Csv,
    /// Graphviz: events as nodes, program order and messages as edges.
    Dot,
    /// A Mermaid sequence diagram.
    Mermaid,
    /// `ShiViz`: two lines of regular expressions, then the log.
    Shiviz,
    /// A space-time diagram.
    Svg,
}

impl Format {
    const NAMES: [(&'static str, Self); 6] = [
        ("chrome", Self::Chrome),
        ("csv", Self::Csv),
        ("dot", Self::Dot),
        ("mermaid", Self::Mermaid),
        ("shiviz", Self::Shiviz),
        ("svg", Self::Svg),
    ];

    /// Writes a trace in this form.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::{Format, Trace};
    ///
    /// let trace = Trace::parse(concat!(
    ///     r#"{"guid_sim":1,"scenario":"x","nodes":2}"#, "\n",
    ///     r#"{"event":1,"node":1,"true_ns":"5","local_ns":"7","kind":"send","message":1,"to":2}"#, "\n",
    ///     r#"{"event":2,"node":2,"true_ns":"9","local_ns":"9","kind":"receive","message":1,"from":1}"#,
    /// ))?;
    /// let mermaid = Format::Mermaid.write(&trace);
    /// assert!(mermaid.contains("n1->>n2: message 1"));
    /// # Ok::<(), guid_sim::TraceError>(())
    /// ```
    pub fn write(self, trace: &Trace) -> String {
        match self {
            Self::Chrome => chrome::write(trace),
            Self::Csv => csv::write(trace),
            Self::Dot => diagram::dot(trace),
            Self::Mermaid => diagram::mermaid(trace),
            Self::Shiviz => shiviz::write(trace),
            Self::Svg => svg::write(trace),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        let names = Self::NAMES.map(|(name, _)| name);
        found
            .map(|&(_, format)| format)
            .ok_or_else(|| format!("found `{text}`{}", hint(text, &names)))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            Self::NAMES.iter().find(|(_, format)| format == self).map_or("", |(name, _)| name);
        f.pad(name)
    }
}

/// What an event is called: its kind, and the message if there is one.
fn label(event: &TraceEvent) -> String {
    match event.message {
        Some(message) => format!("{} message {message}", event.kind),
        None => event.kind.clone(),
    }
}

/// Vector clocks that count the events of each node, from the messages of a trace.
#[derive(Default)]
struct Counting {
    nodes: BTreeMap<u32, BTreeMap<u32, u64>>,
    /// What each message carries.
    sent: BTreeMap<u64, BTreeMap<u32, u64>>,
}

impl Counting {
    /// The clock of an event: its node's, joined with that of the message received, and one more.
    fn event(&mut self, event: &TraceEvent) -> &BTreeMap<u32, u64> {
        let received = event.message.filter(|_| event.kind == "receive");
        let carried = received.and_then(|message| self.sent.get(&message));
        let clock = self.nodes.entry(event.node).or_default();
        for (&node, &count) in carried.into_iter().flatten() {
            let known = clock.entry(node).or_default();
            *known = count.max(*known);
        }
        *clock.entry(event.node).or_default() += 1;
        if let Some(message) = event.message.filter(|_| event.kind == "send") {
            self.sent.insert(message, clock.clone());
        }
        clock
    }
}
