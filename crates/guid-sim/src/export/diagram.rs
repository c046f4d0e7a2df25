//! Diagrams as text: Graphviz and Mermaid draw them. For runs of some hundred events at most.

use std::collections::BTreeMap;

use super::label;
use crate::Trace;

/// Events as boxes in a column a node; program order and messages as arrows.
pub(super) fn dot(trace: &Trace) -> String {
    let mut text = String::from("digraph run {\n  rankdir=TB;\n  node [shape=box, fontsize=10];\n");
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    let mut sent: BTreeMap<u64, u64> = BTreeMap::new();
    for event in &trace.events {
        let (number, node) = (event.event, event.node);
        text += &format!(
            "  e{number} [label=\"{}\\nn{node}\", group=n{node}];\n",
            escaped(&label(event))
        );
        if let Some(before) = last.insert(node, number) {
            text += &format!("  e{before} -> e{number};\n");
        }
        match (event.kind.as_str(), event.message) {
            ("send", Some(message)) => drop(sent.insert(message, number)),
            ("receive", Some(message)) => {
                if let Some(send) = sent.get(&message) {
                    text += &format!("  e{send} -> e{number} [style=bold, constraint=false];\n");
                }
            }
            _ => {}
        }
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A life line a node, messages as arrows where they arrive, everything else as notes.
pub(super) fn mermaid(trace: &Trace) -> String {
    let mut text = String::from("sequenceDiagram\n");
    for node in 1..=trace.header.nodes {
        text += &format!("  participant n{node}\n");
    }
    // Of a message that was lost only its sending says who it was from and for whom.
    let mut ways: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for event in &trace.events {
        let node = event.node;
        if let ("send", Some(message), Some(to)) = (&event.kind[..], event.message, event.peer) {
            ways.insert(message, (node, to));
        }
        text += &match (event.kind.as_str(), event.message, event.peer) {
            ("send", ..) => continue,
            ("receive", Some(message), Some(from)) => {
                format!("  n{from}->>n{node}: message {message}\n")
            }
            ("lost", Some(message), _) => match ways.get(&message) {
                Some((from, to)) => format!("  n{from}--xn{to}: message {message} lost\n"),
                None => format!("  Note over n{node}: message {message} lost\n"),
            },
            (kind, ..) => format!("  Note over n{node}: {}\n", kind.replace([';', '\n'], " ")),
        };
    }
    text
}
