//! [`Node`]: an Erlang node by name, or by the hash that an ID carries of it.

use alloc::string::String;
use core::fmt;

use crate::NodeId;

/// The key of a vector clock: an atom (the name of a node), or four bytes from an ID.
///
/// `Ord` is Erlang's: atoms by name, then binaries. An atom and the four bytes it hashes to are two
/// keys, as in the original: whether they mean one node cannot be told, because names collide.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, uid::Node};
///
/// let node = Node::atom("riak@127.0.0.1");
/// assert_eq!(node.id(), NodeId::new(0x076e_22c1));
/// assert!(node < Node::hash(NodeId::new(0)));
/// // The hash is weak: 28 bits, and close names share it.
/// assert_eq!(Node::atom("qa@127.0.0.1").id(), Node::atom("pq@127.0.0.1").id());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(Key);

/// The order of the variants is the order of the keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Atom(String),
    Hash(NodeId),
}

impl Node {
    /// Returns the node with this name.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, uid::Node};
    ///
    /// assert_eq!(Node::atom("riak@127.0.0.1").id(), NodeId::new(0x076e_22c1));
    /// ```
    pub fn atom(name: &str) -> Self {
        Self(Key::Atom(name.into()))
    }

    /// Returns the node with this hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, uid::Node};
    ///
    /// assert_eq!(Node::hash(NodeId::new(7)).id(), NodeId::new(7));
    /// ```
    pub const fn hash(node: NodeId) -> Self {
        Self(Key::Hash(node))
    }

    /// The name, if it is known.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, uid::Node};
    ///
    /// assert_eq!(Node::atom("a@host").name(), Some("a@host"));
    /// assert_eq!(Node::hash(NodeId::new(7)).name(), None);
    /// ```
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Key::Atom(name) => Some(name),
            Key::Hash(_) => None,
        }
    }

    /// The four bytes that stand in an ID.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, uid::Node};
    ///
    /// assert_eq!(Node::hash(NodeId::new(7)).id(), NodeId::new(7));
    /// ```
    pub fn id(&self) -> NodeId {
        match &self.0 {
            Key::Atom(name) => hash_of_atom(name),
            Key::Hash(node) => *node,
        }
    }
}

/// The name, or the hash in hexadecimal.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Key::Atom(name) => f.pad(name),
            Key::Hash(node) => node.fmt(f),
        }
    }
}

/// `erlang:phash2(Atom, 2^32)`: the hash of the atom table, P. J. Weinberger's, over Latin-1 bytes
/// (a character below U+0100 counts as one byte, as in releases before Unicode atoms).
fn hash_of_atom(name: &str) -> NodeId {
    let hash = latin_where_it_fits(name).fold(0_u32, |hash, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & 0x0fff_ffff
    });
    NodeId::new(hash)
}

fn latin_where_it_fits(name: &str) -> impl Iterator<Item = u8> {
    name.chars().flat_map(|c| {
        let mut bytes = [0; 4];
        let length = match u8::try_from(c) {
            Ok(latin) => {
                bytes[0] = latin;
                1
            }
            Err(_) => c.encode_utf8(&mut bytes).len(),
        };
        bytes.into_iter().take(length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U+00E9 is one byte in Latin-1 and two in UTF-8; U+0101 has no byte in Latin-1.
    #[test]
    fn latin_characters_count_as_one_byte() {
        assert!(latin_where_it_fits("é").eq([0xe9]));
        assert!(latin_where_it_fits("ā").eq([0xc4, 0x81]));
        assert!(latin_where_it_fits("a@").eq([b'a', b'@']));
    }
}
