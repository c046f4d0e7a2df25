//! `ShiViz`: the first line is the expression that parses an event, the second one a delimiter.
//!
//! The expressions stand bare: the tool puts `^` and `$` around them itself, and refuses a file
//! that has them already. Each node's own component counts 1, 2, 3, … without gaps.

use std::collections::BTreeMap;

use super::{Counting, label};
use crate::Trace;

const EXPRESSION: &str =
    r"\[(?<t>\S+) local=(?<local>\S+) id=(?<id>\S+)\] (?<event>.*)\n(?<host>\S*) (?<clock>{.*})";

pub(super) fn write(trace: &Trace) -> String {
    let mut counting = Counting::default();
    let mut text = format!("{EXPRESSION}\n\n");
    for event in &trace.events {
        let id = event.ids.first().map_or("-", |(_, id)| id.as_str());
        text += &format!("[{} local={} id={id}] {}\n", event.true_ns, event.local_ns, label(event));
        text += &format!("n{} {}\n", event.node, clock(counting.event(event)));
    }
    text
}

fn clock(counts: &BTreeMap<u32, u64>) -> String {
    let entries: Vec<String> =
        counts.iter().map(|(node, count)| format!("\"n{node}\":{count}")).collect();
    format!("{{{}}}", entries.join(", "))
}
