//! What nodes hold and what messages say, each in memory once.
//!
//! A million states are made of a few thousand different memories and messages, and each is large
//! beside the pointer to it: its maps have room for many entries.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use guid_crdt::Versioned;

use super::{
    bits,
    state::{Content, Memory, Written},
};

/// Values by bytes that stand for all of them.
type Shared<V> = RefCell<BTreeMap<Vec<u8>, Rc<V>>>;

/// All that nodes and messages held so far.
pub(super) struct Pool<T: Versioned> {
    memories: Shared<Memory<T>>,
    contents: Shared<Content<T>>,
}

impl<T: Versioned> Default for Pool<T> {
    fn default() -> Self {
        Self { memories: Shared::default(), contents: Shared::default() }
    }
}

impl<T: Versioned> Pool<T> {
    /// The one memory that is like this one, of which the same is known: the judge looks at both,
    /// and keeps what it found in the memory.
    pub(super) fn memory(&self, memory: Memory<T>, known: &[Option<Written>]) -> Rc<Memory<T>> {
        let mut key = memory.bytes.clone();
        for number in bits(memory.seen) {
            if let Some(Written { dot, seen }) = known[number as usize] {
                key.extend(dot.stamp().as_u64().to_le_bytes());
                key.extend(seen.to_le_bytes());
            }
        }
        share(&self.memories, key, memory)
    }

    /// The one content that is like this one.
    pub(super) fn content(&self, content: Content<T>) -> Rc<Content<T>> {
        share(&self.contents, content.bytes.clone(), content)
    }
}

fn share<V>(shared: &Shared<V>, key: Vec<u8>, value: V) -> Rc<V> {
    Rc::clone(shared.borrow_mut().entry(key).or_insert_with(|| Rc::new(value)))
}
