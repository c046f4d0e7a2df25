//! The trace of a run: a hash that rolls over everything that happened, and, on demand, a file.
//!
//! The file is JSON, one event a line, keys in fixed order, numbers as integers (those of 64 bits
//! as decimal text, since a double would round them): equal runs give equal bytes. Each line
//! has true time *and* the node's local time.

mod reader;

use std::io::{self, Write};

use serde_json::Value;

use crate::{Event, EventKind, Scheme, WorldConfig, config::Source, stamper::write_id};

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
    schemes: Vec<Scheme>,
    /// `"guid96:d3":` and so on, once for all lines.
    keys: Vec<String>,
    /// The line that is being written.
    line: String,
    /// The first error of writing; nothing is written after it.
    error: Option<io::Error>,
}

impl std::fmt::Debug for TraceWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceWriter").field("error", &self.error).finish_non_exhaustive()
    }
}

impl TraceWriter {
    pub(crate) fn new(out: Box<dyn Write>, schemes: &[Scheme]) -> Self {
        let keys = schemes.iter().map(|scheme| format!(r#""{scheme}":""#)).collect();
        Self { out, schemes: schemes.into(), keys, line: String::new(), error: None }
    }

    fn end_line(&mut self) {
        self.line.push('\n');
        if self.error.is_none() {
            self.error = self.out.write_all(self.line.as_bytes()).err();
        }
        self.line.clear();
    }

    pub(crate) fn header(&mut self, config: &WorldConfig) {
        let WorldConfig { name: scenario, seed, nodes, observe, memory, .. } = config;
        let start = config.start_ns();
        let name = Value::from(scenario.as_str());
        let version = env!("CARGO_PKG_VERSION");
        let (hash, set) = source(&config.source);
        self.line = format!(
            r#"{{"guid_sim":1,"version":"{version}","scenario":{name},"scenario_hash":{hash},"set":{set},"seed":"{seed}","start_ns":"{start}","nodes":{nodes},"observe":"{observe}","restart":"{memory}"}}"#
        );
        self.end_line();
    }

    /// `ids` holds the key in k-order of each scheme's ID; none if the event bears no IDs.
    pub(crate) fn event(&mut self, event: &Event, ids: &[u128]) {
        let Event { number, node, incarnation, true_ns, local_ns, kind } = *event;
        self.number(r#"{"event":"#, number);
        self.number(r#","node":"#, node.number().into());
        self.number(r#","incarnation":"#, incarnation.into());
        self.number(r#","true_ns":""#, true_ns);
        self.number(r#"","local_ns":""#, local_ns);
        self.line.push_str(r#"","kind":""#);
        self.line.push_str(kind.name());
        self.line.push('"');
        self.details(kind);
        let mut before = r#","ids":{"#;
        for ((&scheme, name), &key) in self.schemes.iter().zip(&self.keys).zip(ids) {
            self.line.push_str(before);
            self.line.push_str(name);
            write_id(&mut self.line, scheme, key);
            self.line.push('"');
            before = ",";
        }
        self.line.push_str(if ids.is_empty() { "}" } else { "}}" });
        self.end_line();
    }

    /// The keys that only some kinds of events have.
    fn details(&mut self, kind: EventKind) {
        match kind {
            EventKind::Write { register, overwrite } => {
                self.number(r#","register":""#, register);
                self.line.push_str(r#"","overwrite":"#);
                self.line.push_str(if overwrite { "true" } else { "false" });
            }
            EventKind::Send { message, to } => {
                self.number(r#","message":"#, message);
                self.number(r#","to":"#, to.number().into());
            }
            EventKind::Receive { message, from } => {
                self.number(r#","message":"#, message);
                self.number(r#","from":"#, from.number().into());
            }
            EventKind::Lost { message } => self.number(r#","message":"#, message),
            EventKind::ClockFault { by_ns } => {
                self.line.push_str(r#","by_ns":""#);
                self.line.push_str(if by_ns < 0 { "-" } else { "" });
                self.number("", by_ns.unsigned_abs());
                self.line.push('"');
            }
            _ => {}
        }
    }

    /// Writes text and a number after it: lines are mostly numbers, and this is what they cost.
    fn number(&mut self, before: &str, number: u64) {
        self.line.push_str(before);
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut left = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        self.line.extend(digits[at..].iter().map(|&digit| char::from(digit)));
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

/// The hash of the file that a run is of, and what was set to something else, as JSON.
fn source(source: &Source) -> (Value, Value) {
    let hash = source.hash.map_or(Value::Null, |hash| Value::from(hash.to_string()));
    (hash, Value::from(source.set.clone()))
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
