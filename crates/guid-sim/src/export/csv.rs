//! Comma-separated values: one event a line, one column a scheme.

use crate::Trace;

pub(super) fn write(trace: &Trace) -> String {
    let schemes = trace.events.iter().find(|event| !event.ids.is_empty());
    let schemes: Vec<&str> =
        schemes.map_or_else(Vec::new, |event| event.ids.iter().map(|(s, _)| s.as_str()).collect());
    let mut text = String::from("event,node,true_ns,local_ns,offset_ns,kind,message,peer");
    for scheme in &schemes {
        text.push(',');
        text += scheme;
    }
    text.push('\n');
    for event in &trace.events {
        let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
        let offset = i128::from(event.local_ns) - i128::from(event.true_ns);
        let (message, peer) = (number(event.message), number(event.peer.map(u64::from)));
        text += &format!(
            "{},n{},{},{},{offset},{},{message},{peer}",
            event.event,
            event.node,
            event.true_ns,
            event.local_ns,
            quoted(&event.kind),
        );
        for scheme in &schemes {
            let id = event.ids.iter().find(|(name, _)| name == scheme);
            text.push(',');
            text += &quoted(id.map_or("", |(_, id)| id));
        }
        text.push('\n');
    }
    text
}

/// A cell, in quotes if it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    String::from(cell)
}
