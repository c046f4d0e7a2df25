//! The bytes of states and deltas (feature `wire`): compact, canonical, checked when read.
//!
//! # The frame
//!
//! ```text
//! ┌──────┬─────────┬───────────┬────────── … ──────────┬──────────────┐
//! │ "gc" │ version │    tag    │         body          │    CRC-32    │
//! │  2   │    1    │     4     │                       │ 4, of all    │
//! └──────┴─────────┴───────────┴────────── … ──────────┴──────────────┘
//! ```
//!
//! The tag names the type ([`Wire::TAG`]); the parameters of the type are not in it, so who reads a
//! set of texts must know that it is one. The checksum finds accidents, not attackers.
//!
//! # The body
//!
//! Numbers are LEB128 varints in their shortest form. A context comes first, as a table of nodes:
//!
//! ```text
//! context  count of nodes, then unless it is 0:
//!          base: the greatest stamp
//!          per node, ascending:
//!            node − previous node − 1      (the first: node)
//!            2 · (spans − 1) + 1 if the first span starts at the beginning, else + 0
//!            per span, ascending:
//!              base − upto
//!              upto − first                (not for a span from the beginning)
//! node     the way from the index of the last dot's node to its own, at first from 0:
//!          2 · (to − from) upwards, 2 · (from − to) − 1 downwards; times 2; + 1 if its stamp is
//!          below the last one of the node
//! gap      from the last stamp of the node to its own, at first from its greatest
//! dot      node, gap
//! set      0 for no dot; else per dot 1 + 2 · node + 1 if one follows, and its gap
//! fun      count, then per entry its dot and its value
//! map      count, then per entry its key and its store; entries of dots node by node in the order
//!          of their first, entries of maps in the order of their keys
//! state    context, store
//! delta    intervals, the dots it builds on (a context), what is added, what is gone (stores)
//! message  the tag of the state; 0 greeting, 1 deltas, 2 state, 3 gap; then
//!          version | count, deltas, version | state | node, have, needs (values), version
//! saved    the tag of the state; node, last stamp, last made, collision (values); state
//! value    bincode, varints
//! ```
//!
//! # Invariants
//!
//! * Equal values have equal bytes, and every value has one encoding: what decodes is encoded again
//!   and must give the bytes that were read.
//! * Decoding is total: any bytes give a value that keeps the invariants of its type or an error,
//!   and take memory in proportion to their number, whatever lengths they claim: `examples/fuzz.rs`
//!   holds them to 128 bytes for each byte, and to 512 where maps nest. (Inside a user's value,
//!   serde sets aside up to 1 MiB for a list before it reads it.) Elements of lists that take no
//!   bytes, as in `Vec<()>`, may be 2²⁰ in all.
//! * The format is pinned: `tests/wire.rs` holds golden bytes. From the first release on it changes
//!   with a new version only.

mod encoder;
mod bounded;
mod decoder;
mod types;
mod message;

use core::fmt::Display;

pub use self::{
    decoder::Decoder,
    encoder::{Encoder, NodeTable},
    types::WireStore,
};

const MAGIC: [u8; 2] = *b"gc";
const VERSION: u8 = 1;
const HEADER: usize = MAGIC.len() + 1 + 4;
const CHECKSUM: usize = 4;

/// A type with a frozen encoding.
///
/// # Examples
///
/// A struct of several fields writes them one after the other.
///
/// ```
/// use guid_crdt::{LwwRegister, OrSet, wire::{self, Decoder, Encoder, Wire, WireError}};
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Cart {
///     items: OrSet<String>,
///     address: LwwRegister<String>,
/// }
///
/// impl Wire for Cart {
///     const TAG: [u8; 4] = *b"cart";
///
///     fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
///         self.items.write(out)?;
///         self.address.write(out)
///     }
///
///     fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
///         Ok(Self { items: OrSet::read(input)?, address: LwwRegister::read(input)? })
///     }
/// }
///
/// let cart = Cart::default();
/// assert_eq!(wire::decode::<Cart>(&wire::encode(&cart)?)?, cart);
/// # Ok::<(), WireError>(())
/// ```
pub trait Wire: Sized {
    /// The name of the type in the frame. Those of this crate start with a lower-case letter.
    const TAG: [u8; 4];

    /// Writes the body.
    ///
    /// # Errors
    ///
    /// A value refuses to be serialized.
    fn write(&self, out: &mut Encoder) -> Result<(), WireError>;

    /// Reads the body.
    ///
    /// # Errors
    ///
    /// The bytes are not one; see [`WireError`].
    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError>;
}

/// Returns the bytes of a value.
///
/// What a [`Peer`](crate::Peer) says has bytes too: a transport carries them as they are.
///
/// # Errors
///
/// A value inside refuses to be serialized. Those of the standard library do not.
///
/// # Examples
///
/// ```
/// use guid_crdt::{VectorClock, wire};
///
/// let bytes = wire::encode(&VectorClock::new())?;
/// assert_eq!(&bytes[..7], b"gc\x01vclk");
///
/// use guid_core::{ManualClock, NodeId};
/// use guid_crdt::{Message, OrSet, Peer, Replica};
///
/// let replica = |node| Replica::<OrSet<u8>, _>::new(NodeId::new(node), ManualClock::new(9 << 30));
/// let (here, mut there) = (Peer::new(replica(1)), Peer::new(replica(2)));
/// let bytes = wire::encode(&here.greet())?; // and over the network
/// let message: Message<OrSet<u8>> = wire::decode(&bytes)?;
/// assert!(there.handle(message)?.reply.is_none()); // both have nothing
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode<T: Wire>(value: &T) -> Result<Vec<u8>, WireError> {
    let mut out = Encoder::new();
    out.bytes(&MAGIC);
    out.bytes(&[VERSION]);
    out.bytes(&T::TAG);
    value.write(&mut out)?;
    let checksum = crc32fast::hash(out.as_slice());
    out.bytes(&checksum.to_le_bytes());
    Ok(out.into_bytes())
}

/// Reads a value.
///
/// # Errors
///
/// See [`WireError`]. No bytes make it panic.
///
/// # Examples
///
/// ```
/// use guid_crdt::{CausalContext, VectorClock, wire::{self, WireError}};
///
/// let bytes = wire::encode(&VectorClock::new())?;
/// assert_eq!(wire::decode::<VectorClock>(&bytes)?, VectorClock::new());
/// assert!(matches!(wire::decode::<CausalContext>(&bytes), Err(WireError::Type { .. })));
/// assert_eq!(wire::decode::<VectorClock>(&bytes[1..]), Err(WireError::Frame));
/// # Ok::<(), WireError>(())
/// ```
///
/// # Complexity
///
/// Linear in the number of bytes; the value is encoded once more to see that they are canonical.
pub fn decode<T: Wire>(bytes: &[u8]) -> Result<T, WireError> {
    let body = open_frame(bytes, T::TAG)?;
    let mut input = Decoder::new(body);
    let value = T::read(&mut input)?;
    input.finish()?;
    if encode(&value)? != bytes {
        return Err(WireError::NotCanonical);
    }
    Ok(value)
}

fn open_frame(bytes: &[u8], tag: [u8; 4]) -> Result<&[u8], WireError> {
    let (rest, checksum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(WireError::Frame)?;
    let (header, body) = rest.split_first_chunk::<HEADER>().ok_or(WireError::Frame)?;
    let [m0, m1, version, t0, t1, t2, t3] = *header;
    if [m0, m1] != MAGIC {
        return Err(WireError::Frame);
    }
    if crc32fast::hash(rest) != u32::from_le_bytes(*checksum) {
        return Err(WireError::Checksum);
    }
    if version != VERSION {
        return Err(WireError::Version { found: version });
    }
    let found = [t0, t1, t2, t3];
    if found == tag { Ok(body) } else { Err(WireError::Type { found, expected: tag }) }
}

/// Why bytes are not a value, or a value has no bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The checksum differs: the bytes were damaged or cut.
    #[error("the checksum does not fit the bytes")]
    Checksum,
    /// The bytes are not a frame of this crate.
    #[error("not a frame: expected at least 11 bytes that start with `gc`")]
    Frame,
    /// The body breaks a rule of the format or an invariant of the type.
    #[error("the body is malformed: {0}")]
    Malformed(&'static str),
    /// The bytes read as a value, but are not the bytes of that value.
    #[error("the bytes are not the canonical encoding of what they say")]
    NotCanonical,
    /// The frame holds another type.
    #[error("the frame holds `{}`, expected `{}`", found.escape_ascii(), expected.escape_ascii())]
    Type {
        /// The tag in the frame.
        found: [u8; 4],
        /// The tag of the type that was asked for.
        expected: [u8; 4],
    },
    /// A value inside could not be written or read by serde.
    #[error("a value inside: {0}")]
    Value(String),
    /// The frame is of a later version of the format.
    #[error("the format has version {found}, expected {VERSION}")]
    Version {
        /// The version in the frame.
        found: u8,
    },
}

impl WireError {
    fn value(error: impl Display) -> Self {
        Self::Value(error.to_string())
    }
}
