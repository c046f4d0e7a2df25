//! [`Encoder`]: writes varints, values, contexts and dots.
//!
//! # Invariants
//!
//! What is written depends on the value alone: nothing here has an order of its own.

use bincode::Options;
use guid_core::{NodeId, Stamp};
use serde::Serialize;

use super::{WireError, decoder::options};
use crate::{CausalContext, Dot, Span};

/// Where a [`Wire`](super::Wire) type writes its body.
#[derive(Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
    depth: u32,
}

/// How deep values may nest that can nest without end. Reading recurses, and the stack ends.
pub(super) const DEPTH_MAX: u32 = 64;
pub(super) const TOO_DEEP: WireError = WireError::Malformed("it nests more than 64 deep");

impl Encoder {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), depth: 0 }
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::{CausalContext, wire::{self, Decoder, Encoder, Wire, WireError}};
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct Page {
    ///     number: u64,
    ///     lines: Vec<String>,
    ///     seen: CausalContext,
    /// }
    ///
    /// impl Wire for Page {
    ///     const TAG: [u8; 4] = *b"Page";
    ///
    ///     fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
    ///         out.varint(self.number);
    ///         out.count(self.lines.len());
    ///         self.lines.iter().try_for_each(|line| out.value(line))?;
    ///         out.context(&self.seen);
    ///         Ok(())
    ///     }
    ///
    ///     fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
    ///         let number = input.varint()?;
    ///         let lines = (0..input.count()?).map(|_| input.value()).collect::<Result<_, _>>()?;
    ///         Ok(Self { number, lines, seen: input.context()? })
    ///     }
    /// }
    ///
    /// let page = Page { number: 300, lines: vec!["tea".into()], seen: CausalContext::new() };
    /// let bytes = wire::encode(&page)?;
    /// assert_eq!(bytes[7..9], [0xac, 0x02]); // 300 = 2 · 128 + 44
    /// assert_eq!(wire::decode::<Page>(&bytes)?, page);
    /// # Ok::<(), WireError>(())
    /// ```
    #[expect(clippy::cast_possible_truncation, reason = "the byte is what is meant")]
    pub fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes how many of something follow.
    ///
    /// # Examples
    ///
    /// See [`varint`](Self::varint).
    pub fn count(&mut self, count: usize) {
        // A usize has at most 64 bits on every target there is.
        self.varint(count as u64);
    }

    /// Writes a value of the user.
    ///
    /// # Errors
    ///
    /// The value refuses to be serialized.
    ///
    /// # Examples
    ///
    /// See [`varint`](Self::varint).
    pub fn value<V: Serialize>(&mut self, value: &V) -> Result<(), WireError> {
        options().serialize_into(&mut self.bytes, value).map_err(WireError::value)
    }

    /// Writes a context.
    ///
    /// # Examples
    ///
    /// See [`varint`](Self::varint).
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

    /// Writes what is one level deeper, in a store that nests in itself.
    ///
    /// # Errors
    ///
    /// As the closure; or it is over 64 levels deep.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::wire::{self, Decoder, Encoder, Wire, WireError};
    ///
    /// #[derive(Debug, Default, PartialEq)]
    /// struct Tree(Vec<Tree>);
    ///
    /// impl Wire for Tree {
    ///     const TAG: [u8; 4] = *b"Tree";
    ///
    ///     fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
    ///         out.count(self.0.len());
    ///         self.0.iter().try_for_each(|tree| out.nested(|out| tree.write(out)))
    ///     }
    ///
    ///     fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
    ///         let count = input.count()?;
    ///         (0..count).map(|_| input.nested(Self::read)).collect::<Result<_, _>>().map(Self)
    ///     }
    /// }
    ///
    /// let deep = |levels| (0..levels).fold(Tree::default(), |tree, _| Tree(vec![tree]));
    /// let bytes = wire::encode(&deep(64))?;
    /// assert_eq!(wire::decode::<Tree>(&bytes)?, deep(64));
    /// assert!(wire::encode(&deep(65)).is_err());
    /// # Ok::<(), WireError>(())
    /// ```
    pub fn nested(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        if self.depth == DEPTH_MAX {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// Writes a dot against the table of its context.
    ///
    /// # Errors
    ///
    /// The context does not hold the dot.
    ///
    /// # Examples
    ///
    /// See [`WireStore::write`](super::WireStore::write): stores are handed the table.
    pub fn dot(&mut self, nodes: &mut NodeTable, dot: Dot) -> Result<(), WireError> {
        let (code, gap) = nodes.locate(dot)?;
        self.varint(code);
        self.varint(gap);
        Ok(())
    }

    fn span(&mut self, span: Span, base: Stamp) {
        self.varint(base.as_u64() - span.upto().as_u64());
        if !span.is_prefix() {
            self.varint(span.upto().as_u64() - span.first().as_u64());
        }
    }
}

/// The nodes of a context, and for each the stamp that its next dot is written against.
///
/// That is the one written last, at first the greatest. Entries are written node by node, so that
/// the node is mostly that of the last dot and the gaps are small.
#[derive(Debug, Default)]
pub struct NodeTable {
    entries: Vec<(NodeId, Stamp)>,
    /// The index of the node of the last dot: the next is often of the same.
    last: u64,
}

impl NodeTable {
    pub(crate) fn new(context: &CausalContext) -> Self {
        Self { entries: context.frontier().iter().collect(), last: 0 }
    }

    /// The way from the node of the last dot with a bit for downwards, and the gap from the last
    /// stamp of the node.
    ///
    /// # Errors
    ///
    /// The context does not hold the node; a state always holds its own.
    pub(super) fn locate(&mut self, dot: Dot) -> Result<(u64, u64), WireError> {
        const OUTSIDE: WireError = WireError::Malformed("a dot is outside the context");
        let at = self.entries.binary_search_by_key(&dot.node(), |&(node, _)| node);
        let at = at.map_err(|_| OUTSIDE)?;
        let stamp = core::mem::replace(&mut self.entries[at].1, dot.stamp());
        let last = core::mem::replace(&mut self.last, at as u64);
        let way = fold(last, at as u64);
        let (from, to) = (stamp.as_u64(), dot.stamp().as_u64());
        Ok((way * 2 + u64::from(to < from), from.abs_diff(to)))
    }

    /// The inverse of `locate`.
    pub(super) fn dot(&mut self, code: u64, gap: u64) -> Result<Dot, WireError> {
        const UNKNOWN: WireError = WireError::Malformed("a dot of a node outside the table");
        let (way, is_down) = (code / 2, code % 2 == 1);
        let at = unfold(self.last, way).and_then(|at| usize::try_from(at).ok());
        let at = at.ok_or(UNKNOWN)?;
        let entry = self.entries.get_mut(at).ok_or(UNKNOWN)?;
        self.last = at as u64;
        let from = entry.1.as_u64();
        let stamp = if is_down { from.checked_sub(gap) } else { from.checked_add(gap) };
        let stamp = stamp.and_then(|number| Stamp::from_u64(number).ok());
        entry.1 = stamp.ok_or(WireError::Malformed("a dot outside of time"))?;
        Ok(Dot::new(entry.0, entry.1))
    }
}

/// The way from one index to another as one number: even upwards, odd downwards.
const fn fold(from: u64, to: u64) -> u64 {
    if to >= from { (to - from) * 2 } else { (from - to) * 2 - 1 }
}

fn unfold(from: u64, gap: u64) -> Option<u64> {
    if gap.is_multiple_of(2) { from.checked_add(gap / 2) } else { from.checked_sub(gap / 2 + 1) }
}
