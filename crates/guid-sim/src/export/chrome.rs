//! Chrome's trace events: what its tracing page and Perfetto open.
//!
//! A node is a thread, an event a short slice, a message a flow from slice to slice, the offset of
//! a clock a counter, and whatever goes wrong an instant. Times are microseconds since the first
//! event.
//!
//! # Invariants
//!
//! Slices of one thread never overlap: each ends where the next one begins at the latest, and
//! those of one moment stand one behind the other within its nanosecond. A flow begins once and
//! ends once, at the first receipt of its message.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::label;
use crate::{Trace, TraceEvent};

/// As long as a slice is that nothing follows: what the eye can find.
const LONGEST_NS: f64 = 1_000.0;

pub(super) fn write(trace: &Trace) -> String {
    let start = trace.events.iter().map(|event| event.true_ns).min().unwrap_or(0);
    let names = (1..=trace.header.nodes).map(|node| {
        json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": node,
               "args": {"name": format!("n{node}")}})
    });
    let process = json!({"name": "process_name", "ph": "M", "pid": 1,
                         "args": {"name": trace.header.scenario}});
    let slices = slices(trace, start);
    let mut flows = Flows::new(trace);
    let events = trace.events.iter().zip(slices);
    let events = events.flat_map(|(event, slice)| of_event(event, slice, &mut flows));
    let all: Vec<Value> = std::iter::once(process).chain(names).chain(events).collect();
    let mut text = json!({"traceEvents": all, "displayTimeUnit": "ns"}).to_string();
    text.push('\n');
    text
}

/// Where a slice begins and how long it is, in microseconds.
#[derive(Clone, Copy, Default)]
struct Slice {
    ts: f64,
    dur: f64,
}

/// The slice of each event: whole if there is room before the node's next one.
fn slices(trace: &Trace, start: u64) -> Vec<Slice> {
    let mut of_nodes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, event) in trace.events.iter().enumerate() {
        of_nodes.entry(event.node).or_default().push(at);
    }
    let mut slices = vec![Slice::default(); trace.events.len()];
    for mut of_node in of_nodes.into_values() {
        let since = |at: usize| trace.events[at].true_ns.saturating_sub(start);
        of_node.sort_by_key(|&at| since(at));
        for (i, moment) in of_node.chunk_by(|&a, &b| since(a) == since(b)).scan(0, counted) {
            let here = since(moment[0]);
            let next = of_node.get(i).map_or(f64::INFINITY, |&next| (since(next) - here) as f64);
            // Events of one moment share the room before the next moment.
            let room = next.min(LONGEST_NS) / moment.len() as f64;
            for (place, &at) in moment.iter().enumerate() {
                let ts = (here as f64 + place as f64 * room) / 1e3;
                slices[at] = Slice { ts, dur: room / 1e3 };
            }
        }
    }
    slices
}

/// How many events there are up to and with those of a moment.
#[expect(clippy::unnecessary_wraps, reason = "as `scan` has it")]
fn counted<'a>(before: &mut usize, moment: &'a [usize]) -> Option<(usize, &'a [usize])> {
    *before += moment.len();
    Some((*before, moment))
}

/// The messages that are both sent and received in the trace, and which of them are under way.
struct Flows {
    both: BTreeSet<u64>,
    open: BTreeSet<u64>,
}

impl Flows {
    fn new(trace: &Trace) -> Self {
        let of = |kind: &'static str| {
            let events = trace.events.iter().filter(move |event| event.kind == kind);
            events.filter_map(|event| event.message).collect::<BTreeSet<u64>>()
        };
        let both = of("send").intersection(&of("receive")).copied().collect();
        Self { both, open: BTreeSet::new() }
    }

    /// The phase of a flow that an event is: it begins, ends, or is none of it.
    fn phase(&mut self, event: &TraceEvent) -> Option<(&'static str, u64)> {
        let message = event.message.filter(|message| self.both.contains(message))?;
        match event.kind.as_str() {
            "send" => self.open.insert(message).then_some(("s", message)),
            // A second copy of a message has no arrow.
            "receive" if self.open.remove(&message) => {
                self.both.remove(&message);
                Some(("f", message))
            }
            _ => None,
        }
    }
}

/// Whether an event is something that went wrong, or right again.
fn is_fault(event: &TraceEvent) -> bool {
    !matches!(event.kind.as_str(), "mint" | "write" | "send" | "receive")
}

fn of_event(event: &TraceEvent, slice: Slice, flows: &mut Flows) -> Vec<Value> {
    let Slice { ts, dur } = slice;
    let tid = event.node;
    let offset = (i128::from(event.local_ns) - i128::from(event.true_ns)) as f64 / 1e3;
    let ids: serde_json::Map<String, Value> =
        event.ids.iter().map(|(scheme, id)| (scheme.clone(), Value::from(id.as_str()))).collect();
    let args = json!({"event": event.event, "local_ns": event.local_ns.to_string(), "ids": ids});
    let name = label(event);
    let mut all = vec![
        if is_fault(event) {
            json!({"name": name, "cat": "fault", "ph": "I", "s": "t", "pid": 1, "tid": tid,
                   "ts": ts, "args": args})
        } else {
            json!({"name": name, "cat": "event", "ph": "X", "pid": 1, "tid": tid, "ts": ts,
                   "dur": dur, "args": args})
        },
        json!({"name": format!("offset of n{tid} (us)"), "ph": "C", "pid": 1, "ts": ts,
               "args": {"offset": offset}}),
    ];
    if let Some((phase, message)) = flows.phase(event) {
        all.push(json!({"name": "message", "cat": "message", "ph": phase, "id": message, "pid": 1,
                        "tid": tid, "ts": ts, "bp": "e"}));
    }
    all
}
