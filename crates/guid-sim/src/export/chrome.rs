//! Chrome's trace events: what its tracing page and Perfetto open.
//!
//! A node is a thread, an event a short slice, a message a flow from slice to slice, the offset of
//! a clock a counter. Times are microseconds since the first event.

use serde_json::{Value, json};

use super::label;
use crate::{Trace, TraceEvent};

pub(super) fn write(trace: &Trace) -> String {
    let start = trace.events.first().map_or(0, |event| event.true_ns);
    let names = (1..=trace.header.nodes).map(|node| {
        json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": node,
               "args": {"name": format!("n{node}")}})
    });
    let process = json!({"name": "process_name", "ph": "M", "pid": 1,
                         "args": {"name": trace.header.scenario}});
    let events = trace.events.iter().flat_map(|event| of_event(event, start));
    let all: Vec<Value> = std::iter::once(process).chain(names).chain(events).collect();
    let mut text = json!({"traceEvents": all, "displayTimeUnit": "ns"}).to_string();
    text.push('\n');
    text
}

fn of_event(event: &TraceEvent, start: u64) -> Vec<Value> {
    let ts = event.true_ns.saturating_sub(start) as f64 / 1e3;
    let tid = event.node;
    let offset = (i128::from(event.local_ns) - i128::from(event.true_ns)) as f64 / 1e3;
    let ids: serde_json::Map<String, Value> =
        event.ids.iter().map(|(scheme, id)| (scheme.clone(), Value::from(id.as_str()))).collect();
    let mut all = vec![
        json!({"name": label(event), "cat": "event", "ph": "X", "pid": 1, "tid": tid, "ts": ts,
               "dur": 1, "args": {"event": event.event, "local_ns": event.local_ns.to_string(),
               "ids": ids}}),
        json!({"name": format!("offset of n{tid} (us)"), "ph": "C", "pid": 1, "ts": ts,
               "args": {"offset": offset}}),
    ];
    if let Some(message) = event.message {
        let flow = |ph: &str| {
            json!({"name": "message", "cat": "message", "ph": ph, "id": message, "pid": 1,
                   "tid": tid, "ts": ts, "bp": "e"})
        };
        match event.kind.as_str() {
            "send" => all.push(flow("s")),
            "receive" => all.push(flow("f")),
            _ => {}
        }
    }
    all
}
