//! An order of all lines in which every message is sent before it is received.
//!
//! Nodes write each their own lines in order; how the lines of different nodes are mixed says
//! nothing, since the clocks that files are merged by are wrong. Of lines that could come next, the
//! one with the earliest time does.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Line, LogError, Message};

/// Returns the lines in such an order.
pub(super) fn causal(
    lines: &[Line],
    messages: &[Message],
    nodes: usize,
) -> Result<Vec<usize>, LogError> {
    // The next line of each node, from line to line.
    let mut next: Vec<Option<usize>> = vec![None; lines.len()];
    let mut last: Vec<Option<usize>> = vec![None; nodes];
    let mut ready = BinaryHeap::new();
    // Lines that wait for a message, by message.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); messages.len()];
    let mut sent = vec![false; messages.len()];
    let push = |ready: &mut BinaryHeap<_>, line: usize| {
        ready.push(Reverse((lines[line].event.true_ns, line)));
    };
    let mut heads = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match last[line.node().at()].replace(at) {
            Some(before) => next[before] = Some(at),
            None => heads.push(at),
        }
    }
    let mut order = Vec::with_capacity(lines.len());
    loop {
        for head in heads.drain(..) {
            let waits = lines[head].received.map(|message| message as usize);
            // A message that nobody sent came from outside.
            match waits.filter(|&message| messages[message].sent.is_some() && !sent[message]) {
                Some(message) => waiting[message].push(head),
                None => push(&mut ready, head),
            }
        }
        let Some(Reverse((_, line))) = ready.pop() else { break };
        order.push(line);
        for &message in &lines[line].sent {
            sent[message as usize] = true;
            heads.append(&mut waiting[message as usize]);
        }
        heads.extend(next[line]);
    }
    if order.len() < lines.len() {
        return Err(cycle(lines, messages, &waiting));
    }
    Ok(order)
}

fn cycle(lines: &[Line], messages: &[Message], waiting: &[Vec<usize>]) -> LogError {
    let stuck = waiting
        .iter()
        .enumerate()
        .flat_map(|(message, lines)| lines.iter().map(move |&line| (line, message)));
    let (line, message) = stuck.min().unwrap_or_default();
    let number = |line: usize| lines[line].event.number;
    let sender = messages.get(message).and_then(|message| message.sent).map_or(0, number);
    let message = format!(
        "event {} receives a message before it can have been sent, by event {sender}: what comes \
         before that waits for this one",
        number(line)
    );
    LogError { line: number(line), column: 1, message }
}
