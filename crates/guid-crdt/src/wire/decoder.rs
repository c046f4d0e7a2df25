//! [`Decoder`]: reads what the encoder wrote, and trusts none of it.
//!
//! # Invariants
//!
//! * No length that was read is allocated for: elements are pushed as they are read. Each takes at
//!   least a byte, or is counted against a limit for all of the input.
//! * Arithmetic on what was read is checked.

use core::cell::Cell;
use std::io;

use bincode::{BincodeRead, DefaultOptions, ErrorKind, Options};
use guid_core::{NodeId, Stamp};
use serde::de::{DeserializeOwned, Visitor};

use super::{
    NodeTable, WireError,
    bounded::Bounded,
    encoder::{DEPTH_MAX, TOO_DEEP},
};
use crate::{CausalContext, Dot, Span};

/// How users' values are written: varints, little-endian.
///
/// Fixed-width lengths would put eight bytes before every text. That varints have several forms
/// does no harm here, as what was read is encoded again and compared.
pub(super) fn options() -> impl Options {
    DefaultOptions::new().with_varint_encoding().with_little_endian()
}

/// Where a [`Wire`](super::Wire) type reads its body.
#[derive(Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
    depth: u32,
    /// How many elements the lists in users' values may still have.
    elements_left: u64,
}

/// How many elements of lists may take no bytes, in all that is read: a millisecond's work.
const EMPTY_MAX: u64 = 1 << 20;
const CUT: WireError = WireError::Malformed("it ends too early");

impl<'a> Decoder<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        // Every other element takes at least a byte.
        Self { rest: bytes, depth: 0, elements_left: EMPTY_MAX.saturating_add(bytes.len() as u64) }
    }

    pub(super) fn finish(&self) -> Result<(), WireError> {
        if self.rest.is_empty() { Ok(()) } else { Err(WireError::Malformed("bytes are left over")) }
    }

    /// Reads a number.
    ///
    /// # Errors
    ///
    /// The bytes end, or the number does not fit, or is not in its shortest form.
    ///
    /// # Examples
    ///
    /// See [`Encoder::varint`](super::Encoder::varint).
    pub fn varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(CUT)?;
            self.rest = rest;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                let longer_than_needed = byte == 0 && shift > 0;
                return if longer_than_needed { Err(WireError::NotCanonical) } else { Ok(number) };
            }
        }
        Err(WireError::Malformed("a number is over 64 bits"))
    }

    /// Reads the tag of a type, which must be this one.
    pub(super) fn expect_tag(&mut self, expected: [u8; 4]) -> Result<(), WireError> {
        let (&found, rest) = self.rest.split_first_chunk().ok_or(CUT)?;
        self.rest = rest;
        if found == expected { Ok(()) } else { Err(WireError::Type { found, expected }) }
    }

    /// Reads how many of something follow; each must take at least one byte, if there are several.
    ///
    /// # Errors
    ///
    /// As [`varint`](Self::varint), or fewer bytes are left.
    ///
    /// # Examples
    ///
    /// See [`Encoder::varint`](super::Encoder::varint).
    pub fn count(&mut self) -> Result<usize, WireError> {
        let count = usize::try_from(self.varint()?).map_err(|_| CUT)?;
        // One may take none: a set of `()` has an element or has none.
        if count <= self.rest.len().max(1) { Ok(count) } else { Err(CUT) }
    }

    /// Reads a value of the user.
    ///
    /// # Errors
    ///
    /// The bytes are not one.
    ///
    /// # Examples
    ///
    /// See [`Encoder::varint`](super::Encoder::varint).
    pub fn value<V: DeserializeOwned>(&mut self) -> Result<V, WireError> {
        let limit = self.rest.len() as u64;
        let left = Cell::new(self.elements_left);
        let mut deserializer =
            bincode::Deserializer::with_bincode_read(Rest(self), options().with_limit(limit));
        let value = V::deserialize(Bounded::new(&mut deserializer, &left));
        self.elements_left = left.get();
        value.map_err(WireError::value)
    }

    /// Reads a context.
    ///
    /// # Errors
    ///
    /// The bytes are not one, or its spans are not in order.
    ///
    /// # Examples
    ///
    /// See [`Encoder::varint`](super::Encoder::varint).
    pub fn context(&mut self) -> Result<CausalContext, WireError> {
        let mut context = CausalContext::new();
        let nodes = self.count()?;
        if nodes == 0 {
            return Ok(context);
        }
        let base = self.varint()?;
        let mut next_node = 0_u64;
        for _ in 0..nodes {
            let node = next_node.checked_add(self.varint()?);
            let node = node.and_then(|node| u32::try_from(node).ok());
            let node = node.ok_or(WireError::Malformed("a node is over 32 bits"))?;
            next_node = u64::from(node) + 1;
            self.spans(NodeId::new(node), base, &mut context)?;
        }
        Ok(context)
    }

    /// Reads what is one level deeper, in a store that nests in itself.
    ///
    /// # Errors
    ///
    /// As the closure; or it is over 64 levels deep.
    ///
    /// # Examples
    ///
    /// See [`Encoder::nested`](super::Encoder::nested).
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        if self.depth == DEPTH_MAX {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Reads a dot against the table of its context.
    ///
    /// # Errors
    ///
    /// The bytes are not one.
    ///
    /// # Examples
    ///
    /// See [`WireStore::read`](super::WireStore::read): stores are handed the table.
    pub fn dot(&mut self, nodes: &mut NodeTable) -> Result<Dot, WireError> {
        let (code, gap) = (self.varint()?, self.varint()?);
        nodes.dot(code, gap)
    }

    fn spans(
        &mut self,
        node: NodeId,
        base: u64,
        context: &mut CausalContext,
    ) -> Result<(), WireError> {
        let shape = self.varint()?;
        let mut is_prefix = shape % 2 == 1;
        for _ in 0..=shape / 2 {
            let upto = stamp(base.checked_sub(self.varint()?))?;
            let first = if is_prefix {
                Stamp::MIN
            } else {
                stamp(upto.as_u64().checked_sub(self.varint()?))?
            };
            is_prefix = false;
            let span = Span::new(node, first, upto).ok_or(CUT)?;
            if !context.push(span) {
                return Err(WireError::Malformed("spans overlap or are out of order"));
            }
        }
        Ok(())
    }
}

fn stamp(number: Option<u64>) -> Result<Stamp, WireError> {
    let stamp = number.and_then(|number| Stamp::from_u64(number).ok());
    stamp.ok_or(WireError::Malformed("a stamp is out of range"))
}

/// The rest of the input as bincode wants it: lengths are held against what is there.
struct Rest<'b, 'a>(&'b mut Decoder<'a>);

impl<'a> Rest<'_, 'a> {
    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let (taken, rest) = self.0.rest.split_at_checked(length).ok_or_else(cut)?;
        self.0.rest = rest;
        Ok(taken)
    }
}

impl io::Read for Rest<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let length = buf.len().min(self.0.rest.len());
        buf[..length].copy_from_slice(self.take(length)?);
        Ok(length)
    }
}

impl<'a> BincodeRead<'a> for Rest<'_, 'a> {
    fn forward_read_str<V: Visitor<'a>>(
        &mut self,
        length: usize,
        visitor: V,
    ) -> bincode::Result<V::Value> {
        let text = core::str::from_utf8(self.take(length)?);
        visitor.visit_borrowed_str(text.map_err(ErrorKind::InvalidUtf8Encoding)?)
    }

    fn get_byte_buffer(&mut self, length: usize) -> bincode::Result<Vec<u8>> {
        Ok(self.take(length)?.to_vec())
    }

    fn forward_read_bytes<V: Visitor<'a>>(
        &mut self,
        length: usize,
        visitor: V,
    ) -> bincode::Result<V::Value> {
        visitor.visit_borrowed_bytes(self.take(length)?)
    }
}
