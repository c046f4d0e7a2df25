//! [`Encoder`]: writes varints, values, contexts and dots.
//!
//! # Invariants
//!
//! What is written depends on the value alone: nothing here has an order of its own.

use bincode::Options;
use guid_core::Stamp;
use serde::Serialize;

use super::{WireError, decoder::options};
use crate::{CausalContext, Dot, Span};

/// Where a [`Wire`](super::Wire) type writes its body.
#[derive(Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes a number: seven bits a byte, the low ones first.
    #[expect(clippy::cast_possible_truncation, reason = "the byte is what is meant")]
    pub fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes how many of something follow.
    pub fn count(&mut self, count: usize) {
        // A usize has at most 64 bits on every target there is.
        self.varint(count as u64);
    }

    /// Writes a value of the user.
    ///
    /// # Errors
    ///
    /// The value refuses to be serialized.
    pub fn value<V: Serialize>(&mut self, value: &V) -> Result<(), WireError> {
        options().serialize_into(&mut self.bytes, value).map_err(WireError::value)
    }

    /// Writes a context.
    pub fn context(&mut self, context: &CausalContext) {
        let spans: Vec<Span> = context.iter().collect();
        let groups = || spans.chunk_by(|a, b| a.node() == b.node());
        self.count(groups().count());
        let Some(base) = spans.iter().map(|span| span.upto()).max() else { return };
        self.varint(base.as_u64());
        let mut next_node = 0;
        for group in groups() {
            let node = u64::from(group[0].node().as_u32());
            self.varint(node - next_node);
            next_node = node + 1;
            let more = group.len() as u64 - 1;
            self.varint(more * 2 + u64::from(group[0].is_prefix()));
            for span in group {
                self.span(*span, base);
            }
        }
    }

    fn span(&mut self, span: Span, base: Stamp) {
        self.varint(base.as_u64() - span.upto().as_u64());
        if !span.is_prefix() {
            self.varint(span.upto().as_u64() - span.first().as_u64());
        }
    }
}

/// The nodes of a context with their greatest stamps: what dots are written against.
#[derive(Debug, Default)]
pub struct NodeTable {
    entries: Vec<(guid_core::NodeId, Stamp)>,
}

impl NodeTable {
    pub(super) fn new(context: &CausalContext) -> Self {
        Self { entries: context.frontier().iter().collect() }
    }

    /// The index of a dot's node, and how far the dot is below the greatest stamp of it.
    ///
    /// # Errors
    ///
    /// The context does not hold the dot; a state always holds its own.
    pub(super) fn locate(&self, dot: Dot) -> Result<(u64, u64), WireError> {
        const OUTSIDE: WireError = WireError::Malformed("a dot is outside the context");
        let at = self.entries.binary_search_by_key(&dot.node(), |&(node, _)| node);
        let at = at.map_err(|_| OUTSIDE)?;
        let below = self.entries[at].1.as_u64().checked_sub(dot.stamp().as_u64());
        Ok((at as u64, below.ok_or(OUTSIDE)?))
    }

    /// The dot at an index, so far below the greatest stamp: the inverse of `locate`.
    pub(super) fn dot(&self, index: u64, below: u64) -> Result<Dot, WireError> {
        const UNKNOWN: WireError = WireError::Malformed("a dot of a node outside the table");
        let at = usize::try_from(index).map_err(|_| UNKNOWN)?;
        let &(node, greatest) = self.entries.get(at).ok_or(UNKNOWN)?;
        let stamp = greatest.as_u64().checked_sub(below).and_then(|n| Stamp::from_u64(n).ok());
        Ok(Dot::new(node, stamp.ok_or(WireError::Malformed("a dot before the beginning"))?))
    }
}
