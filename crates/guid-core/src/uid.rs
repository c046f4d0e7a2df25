//! The IDs of the Erlang library `fogfish/uid`, version 1 (feature `uid`).
//!
//! The Go library's IDs descend from these, and share their alphabet and nothing else: here the
//! time is Erlang's `{MegaSeconds, Seconds, MicroSeconds}`, the tolerance is a number of bits that
//! the ID does *not* carry, and a node is the hash of an atom.
//!
//! ```text
//! global = │ mega │ sec >> b │     node     │ sec low b │ micro >> 10 │  seq │    96 bits
//!          │  20  │  20 − b  │      32      │     b     │     10      │  14  │    b = 5..=10
//!
//! local  = │ mega │   sec    │ micro >> 10 │  seq │                              64 bits
//!          │  20  │    20    │     10      │  14  │
//! ```
//!
//! For reading what that library wrote and for living beside it. New IDs are better made by this
//! crate's own generators: see *what is kept out*.
//!
//! # Invariants
//!
//! Every pattern of 12 or 8 bytes is an ID; an ID has one text. What is kept out, though the
//! original lets it in: drift bits outside 5..=10 (it never returns), fields that are too wide or
//! negative (it cuts them), a last character with loose bits (two texts for one ID), a vector clock
//! that holds a node twice, and a tick of the clock that does not descend from its own past.
//!
//! # References
//!
//! The Erlang library `fogfish/uid` 1.3.5; `tests/uid.rs` checks 300 values made by it.

mod layout;
mod moment;
mod bits;
mod global;
mod local;
mod node;
mod distance;
mod clock;

pub use self::{
    bits::DriftBits,
    clock::{Entry, Missing, TwiceError, VectorClock},
    distance::Distance,
    global::Uid,
    local::LocalUid,
    moment::Moment,
    node::Node,
};
