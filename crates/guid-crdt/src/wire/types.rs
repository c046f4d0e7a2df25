//! The bodies of the types of this crate.
//!
//! # Invariants
//!
//! What is read in an order is required to be in that order, strictly.

use guid_core::{NodeId, Stamp};
use serde::{Serialize, de::DeserializeOwned};

use super::{Decoder, Encoder, Wire, WireError, encoder::NodeTable};
use crate::{
    Causal, CausalContext, Delta, Dot, DotFun, DotMap, DotSet, DotStore, Lattice, LwwRegister,
    NodeCollision, Saved, VectorClock,
};

const UNSORTED: WireError = WireError::Malformed("entries are out of order");

/// A dot store with a frozen encoding.
pub trait WireStore: DotStore {
    /// Tells the stores apart in the tags of states and deltas.
    const SHAPE: u16;

    /// Where an entry with this store stands in a map: by its first dot, node by node. Stores that
    /// nest stand in the order of their keys.
    fn place(&self) -> Option<(NodeId, Stamp)> {
        None
    }

    /// Writes the store; its dots are written against the table of its context.
    ///
    /// # Errors
    ///
    /// A value refuses to be serialized.
    fn write(&self, nodes: &mut NodeTable, out: &mut Encoder) -> Result<(), WireError>;

    /// Reads a store.
    ///
    /// # Errors
    ///
    /// The bytes are not one.
    fn read(nodes: &mut NodeTable, input: &mut Decoder<'_>) -> Result<Self, WireError>;
}

const fn tag(kind: [u8; 2], shape: u16) -> [u8; 4] {
    let [high, low] = shape.to_be_bytes();
    [kind[0], kind[1], high, low]
}

impl WireStore for DotSet {
    const SHAPE: u16 = 1;

    fn place(&self) -> Option<(NodeId, Stamp)> {
        self.iter().map(|dot| (dot.node(), dot.stamp())).min()
    }

    fn write(&self, nodes: &mut NodeTable, out: &mut Encoder) -> Result<(), WireError> {
        if self.is_empty() {
            out.varint(0);
        }
        let mut left = self.len();
        for dot in self.iter() {
            left -= 1;
            let (code, gap) = nodes.locate(dot)?;
            out.varint(1 + code * 2 + u64::from(left > 0));
            out.varint(gap);
        }
        Ok(())
    }

    fn read(nodes: &mut NodeTable, input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let mut dots = Vec::new();
        let mut more = true;
        while more {
            let Some(code) = input.varint()?.checked_sub(1) else {
                return if dots.is_empty() { Ok(Self::new()) } else { Err(UNSORTED) };
            };
            more = code % 2 == 1;
            let dot = nodes.dot(code / 2, input.varint()?)?;
            if dots.last().is_some_and(|&last| dot <= last) {
                return Err(UNSORTED);
            }
            dots.push(dot);
        }
        Ok(dots.into_iter().collect())
    }
}

impl<V: Ord + Clone + Serialize + DeserializeOwned> WireStore for DotFun<V> {
    const SHAPE: u16 = 2;

    fn place(&self) -> Option<(NodeId, Stamp)> {
        self.iter().map(|(dot, _)| (dot.node(), dot.stamp())).min()
    }

    fn write(&self, nodes: &mut NodeTable, out: &mut Encoder) -> Result<(), WireError> {
        out.count(self.len());
        for (dot, value) in self.iter() {
            out.dot(nodes, dot)?;
            out.value(value)?;
        }
        Ok(())
    }

    fn read(nodes: &mut NodeTable, input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let mut entries: Vec<(Dot, V)> = Vec::new();
        for _ in 0..input.count()? {
            let dot = input.dot(nodes)?;
            if entries.last().is_some_and(|&(last, _)| dot <= last) {
                return Err(UNSORTED);
            }
            entries.push((dot, input.value()?));
        }
        Ok(entries.into_iter().collect())
    }
}

impl<K: Ord + Clone + Serialize + DeserializeOwned, S: WireStore> WireStore for DotMap<K, S> {
    const SHAPE: u16 = S::SHAPE.wrapping_mul(4).wrapping_add(3);

    fn write(&self, nodes: &mut NodeTable, out: &mut Encoder) -> Result<(), WireError> {
        out.count(self.len());
        let mut entries: Vec<_> =
            self.iter().map(|(key, store)| (store.place(), key, store)).collect();
        // Stable: what stands at one place stays in the order of the keys.
        entries.sort_by_key(|&(place, ..)| place);
        for (_, key, store) in entries {
            out.value(key)?;
            store.write(nodes, out)?;
        }
        Ok(())
    }

    fn read(nodes: &mut NodeTable, input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let mut entries: Vec<(K, S)> = Vec::new();
        for _ in 0..input.count()? {
            let (key, store) = (input.value()?, S::read(nodes, input)?);
            if entries.last().is_some_and(|(last, s)| (store.place(), &key) <= (s.place(), last)) {
                return Err(UNSORTED);
            }
            entries.push((key, store));
        }
        let count = entries.len();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let map: Self = entries.into_iter().collect();
        if map.len() == count { Ok(map) } else { Err(WireError::Malformed("a key occurs twice")) }
    }
}

impl<S: WireStore> Wire for Causal<S> {
    const TAG: [u8; 4] = tag(*b"ca", S::SHAPE);

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        out.context(self.context());
        self.store().write(&mut NodeTable::new(self.context()), out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let context = input.context()?;
        let store = S::read(&mut NodeTable::new(&context), input)?;
        let broken = WireError::Malformed("a dot outside the context, or a key without a dot");
        Self::from_parts(store, context).ok_or(broken)
    }
}

impl<S: WireStore<Gone: WireStore>> Wire for Delta<S> {
    const TAG: [u8; 4] = tag(*b"dl", S::SHAPE);

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        let builds_on = self.builds_on();
        let mut nodes = NodeTable::new(&self.intervals().clone().joined(&builds_on));
        out.context(self.intervals());
        out.context(&builds_on);
        self.added().write(&mut nodes, out)?;
        self.gone().write(&mut nodes, out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let intervals = input.context()?;
        let mut nodes = NodeTable::new(&input.context()?.joined(&intervals));
        let (added, gone) = (S::read(&mut nodes, input)?, S::Gone::read(&mut nodes, input)?);
        let broken =
            WireError::Malformed("a delta adds a dot outside its intervals, or what is gone");
        Self::from_parts(added, gone, intervals).ok_or(broken)
    }
}

/// A context of the one dot, or of none, then the value.
impl<V: Ord + Clone + Serialize + DeserializeOwned> Wire for LwwRegister<V> {
    const TAG: [u8; 4] = *b"lwwr";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        out.context(&self.dot().into_iter().collect());
        self.get().map_or(Ok(()), |value| out.value(value))
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let context = input.context()?;
        let mut spans = context.iter();
        match (spans.next(), spans.next()) {
            (None, _) => Ok(Self::new()),
            (Some(span), None) if span.first() == span.upto() => {
                Ok(Self::written(Dot::new(span.node(), span.upto()), input.value()?))
            }
            _ => Err(WireError::Malformed("a register has at most one dot")),
        }
    }
}

/// The tag of the state; node, last stamp, last stamp made and collision as bincode writes them;
/// then the state.
impl<T: Wire> Wire for Saved<T> {
    const TAG: [u8; 4] = *b"save";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        out.bytes(&T::TAG);
        let (issued, collision) = self.marks();
        let collision = collision.map(|collision| (collision.dot, collision.issued));
        out.value(&(self.node(), self.last(), issued, collision))?;
        self.state().write(out)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        input.expect_tag(T::TAG)?;
        let (node, last, issued, collision) = input.value()?;
        let collision: Option<(Dot, _)> = collision;
        let collision = collision.map(|(dot, issued)| NodeCollision::new(dot, issued));
        Ok(Self::from_parts(node, last, issued, collision, T::read(input)?))
    }
}

impl Wire for VectorClock {
    const TAG: [u8; 4] = *b"vclk";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        out.context(&CausalContext::from(self));
        Ok(())
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let context = input.context()?;
        let broken = WireError::Malformed("a vector clock has one span a node, from the beginning");
        if context.is_prefix() { Ok(context.clock()) } else { Err(broken) }
    }
}

impl Wire for CausalContext {
    const TAG: [u8; 4] = *b"ctxt";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        out.context(self);
        Ok(())
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        input.context()
    }
}
