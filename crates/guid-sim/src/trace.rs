//! The trace of a run: a hash that rolls over everything that happened, and, on demand, a file.
//!
//! The file is JSON, one event a line, keys in fixed order, numbers as integers (those of 64 bits
//! as decimal text, since a double would round them): equal runs give equal bytes. Each line
//! has true time *and* the node's local time.

mod reader;

use std::io::{self, Write};

use crate::{Event, EventKind, WorldConfig};

pub use self::reader::{Trace, TraceError, TraceEvent, TraceHeader};

/// A rolling 128-bit hash: a fingerprint for telling runs apart, not a defence against anybody.
///
/// Each word is added, multiplied by the prime of FNV-1a with 128 bits, and the halves are folded,
/// so every word moves every bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHash(u128);

impl Default for TraceHash {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl TraceHash {
    const PRIME: u128 = 1 << 88 | 0x13b;

    /// Takes in a word.
    pub fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ u128::from(word)).wrapping_mul(Self::PRIME);
        self.0 = mixed ^ mixed >> 67;
    }

    /// Takes in a wide word.
    pub fn wide(&mut self, word: u128) {
        self.word((word >> 64) as u64);
        self.word(word as u64);
    }

    /// Takes in bytes, and how many there are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    /// The hash so far.
    pub const fn value(self) -> u128 {
        self.0
    }

    pub(crate) fn event(&mut self, event: &Event) {
        self.word(event.number);
        self.word(u64::from(event.node.as_u32()) << 32 | u64::from(event.incarnation));
        self.word(event.true_ns);
        self.word(event.local_ns);
        for word in event.kind.code() {
            self.word(word);
        }
    }
}

impl std::fmt::Display for TraceHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Writes a trace as JSON lines.
pub(crate) struct TraceWriter {
    out: Box<dyn Write>,
    /// The first error of writing; nothing is written after it.
    error: Option<io::Error>,
}

impl std::fmt::Debug for TraceWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceWriter").field("error", &self.error).finish_non_exhaustive()
    }
}

impl TraceWriter {
    pub(crate) fn new(out: Box<dyn Write>) -> Self {
        Self { out, error: None }
    }

    fn line(&mut self, line: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.out, "{line}").err();
        }
    }

    pub(crate) fn header(&mut self, config: &WorldConfig) {
        let WorldConfig { name: scenario, seed, nodes, observe, memory, .. } = config;
        let name = serde_json::Value::from(scenario.as_str());
        let version = env!("CARGO_PKG_VERSION");
        self.line(&format!(
            r#"{{"guid_sim":1,"version":"{version}","scenario":{name},"seed":"{seed}","nodes":{nodes},"observe":"{observe}","restart":"{memory}"}}"#
        ));
    }

    /// `ids` holds (scheme, ID) of a stamped event.
    pub(crate) fn event(&mut self, event: &Event, ids: &[(String, String)]) {
        let Event { number, node, incarnation, true_ns, local_ns, kind } = *event;
        let mut line = format!(
            r#"{{"event":{number},"node":{},"incarnation":{incarnation},"true_ns":"{true_ns}","local_ns":"{local_ns}","kind":"{}""#,
            node.number(),
            kind.name(),
        );
        line += &details(kind);
        if !ids.is_empty() {
            let ids: Vec<String> =
                ids.iter().map(|(scheme, id)| format!(r#""{scheme}":"{id}""#)).collect();
            let ids = format!(r#","ids":{{{}}}"#, ids.join(","));
            line += &ids;
        }
        line.push('}');
        self.line(&line);
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

/// The keys that only some kinds of events have.
fn details(kind: EventKind) -> String {
    match kind {
        EventKind::Write { register, overwrite } => {
            format!(r#","register":"{register}","overwrite":{overwrite}"#)
        }
        EventKind::Send { message, to } => {
            format!(r#","message":{message},"to":{}"#, to.number())
        }
        EventKind::Receive { message, from } => {
            format!(r#","message":{message},"from":{}"#, from.number())
        }
        EventKind::Lost { message } => format!(r#","message":{message}"#),
        EventKind::ClockFault { by_ns } => format!(r#","by_ns":"{by_ns}""#),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_and_its_place_matter() {
        let hash = |words: &[u64]| {
            let mut hash = TraceHash::default();
            for &word in words {
                hash.word(word);
            }
            hash.value()
        };
        let mut seen: Vec<u128> =
            [&[][..], &[0], &[0, 0], &[1], &[1, 0], &[0, 1], &[1 << 63], &[2]].map(hash).into();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 8);
    }
}
