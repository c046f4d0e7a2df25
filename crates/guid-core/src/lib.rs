//! k-ordered unique IDs: 96-bit global, 64-bit local.
//!
//! *How do many nodes name things without asking each other, so that the names are unique, sort
//! roughly by time, and can carry causality?* An ID here is a triple (time, node, sequence) in the
//! bit layout of the Go library `fogfish/guid` v2, made by a generator that is strict where that
//! library is not: no duplicate and no inversion, over threads, clock steps and overflow.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use guid_core::{ByTime, Generator, Guid, NodeId};
//!
//! let ids = Generator::new(NodeId::from_name("worker-7")); // on the system clock, lock-free
//! let (a, b) = (ids.next(), ids.next());
//! assert!(a < b);
//!
//! let text = a.to_string(); // 16 characters that sort as the IDs do
//! assert_eq!(text.parse::<Guid>()?, a);
//!
//! ids.observe(b)?; // what was received is earlier than what is made next
//! assert!(ByTime(ids.next()) > ByTime(b));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What exactly is ordered?
//!
//! Two orders exist, and the types keep them apart. With W the window of the [`Drift`] and E the
//! greatest skew between two clocks:
//!
//! * **k-order**: `Ord` on [`Guid`], the order of the bytes. On one node it is the order of making.
//!   Across nodes, IDs whose true times differ by W + E or more are in the right order, and the
//!   bound is tight; closer ones sort by node first. Skew e flips a pair with probability |e| / 2W.
//! * **time order**: [`ByTime`], by (stamp, node). When every node
//!   [observes](Generator::observe) what it receives, happens-before implies smaller, always.
//!
//! Decide by "later" in time order only: at the default drift, k-order loses 49.8 % of overwrites
//! made one second later by another node, with perfect clocks.
//!
//! # Behaviour when …
//!
//! * … **the clock goes back, stands still or is coarse, or a tick holds more than 16,384 IDs**:
//!   the stamp counts on from the last one and the sequence carries. Order and uniqueness hold;
//!   nobody waits. [`lead`](Generator::lead) tells how far ahead that is.
//! * … **the process restarts**: a new node needs nothing; a fixed one wants a
//!   [`DurableGenerator`], which goes on above a bound that was stored before it was needed.
//! * … **the process forks**: with feature `fork`, `guid()` takes a new node in the child and
//!   [`DurableGenerator`] refuses there; a plain [`Generator`] does not look, and repeats.
//! * … **the machine is cloned, or two processes share a node**: IDs may repeat. Nothing sees it
//!   from inside; [`observe`](Generator::observe) reports an ID of our node that we never made
//!   ([`ObserveError::NodeCollision`]), unless the twin is behind us. [`FileHighWater`] locks its
//!   file, so a second process on it is refused.
//!
//! [`FileHighWater`]: generator::FileHighWater
//!
//! # How many nodes?
//!
//! Random ones collide with 0.012 % at 1,000, 1 % at 9,292, 39.35 % at 65,536, 50 % at 77,164.
//! Above a thousand, hand them out. The README has the table, and compares other IDs.
//!
//! # Modules, in reading order
//!
//! * `layout`: the bits, drawn and argued for (private; read its source first)
//! * [`Stamp`], [`Tick`], [`Seq`]: logical time; [`Drift`]: the tolerance; [`NodeId`]: who
//! * [`Guid`], [`LocalId`]: the IDs; [`ByTime`]: the other order; [`Diff`]: distance; [`Cells`]
//! * [`Guid::scan`]: ranges of time as ranges of IDs; [`Snowflake`]: IDs from elsewhere
//! * [`text`]: canonical, base32, base62, hexadecimal, UUIDv8
//! * [`clock`], [`Epoch`]: where time comes from; [`generator`]: where IDs come from
//!
//! # What this crate does not do
//!
//! It hands out no node IDs that are guaranteed distinct (nobody can, without asking; see
//! [`NodeId`] for the odds), hides no time (an ID tells when it was made), and is no secret (the
//! next ID is easy to guess).
//!
//! # Features
//!
//! * `std` (default): [`SystemClock`], [`NodeId::from_env`], [`DurableGenerator`]. Without it the
//!   crate needs neither an operating system nor an allocator.
//! * `rand`: `NodeId::random`, from the operating system, and the process-wide `guid()` on it.
//! * `fork`: forked children are noticed: `guid()` takes a new node, [`DurableGenerator`] refuses.
//! * `coarse`: `CoarseClock` (Linux): milliseconds less exact, several times faster to read.
//! * `fast-clock`: on Linux, a [`SystemClock`] that is read a third faster.
//! * `serde`: text in human-readable formats, fixed-width numbers in binary ones; `serde::base32`
//!   and the other modules for `#[serde(with = "…")]`.
//! * `uid`: `uid`, the IDs and vector clocks of the Erlang library; needs an allocator.
//! * `uuid`: `From<Guid> for Uuid` and `TryFrom` back: lossless, in order.
//! * `jiff`: [`Tick`] and [`Stamp`] to and from `jiff::Timestamp`.
//! * `zerocopy`: [`Guid`] in place in buffers (`IntoBytes`, `FromBytes`, `Unaligned`, …).
//! * `proptest`: `Arbitrary` for the types, and `strategies` that hit the edges.
//! * `sqlx`, `postgres-types`: `database`, columns that sort as the IDs do.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::print_stdout, clippy::print_stderr)]
#![warn(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::alloc_instead_of_core)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "taking bits apart is what this crate does, and `From` is not const"
)]

#[cfg(any(feature = "uid", all(test, feature = "proptest")))]
extern crate alloc;

mod layout;
mod stamp;
mod drift;
mod node;
mod sha256;
mod guid;
mod local;
mod order;
mod range;
mod snowflake;
mod diff;
mod cells;
pub mod text;
mod macros;
mod epoch;
pub mod clock;
#[cfg(target_has_atomic = "64")]
mod sync;
pub mod generator;
mod error;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "uid")]
pub mod uid;
mod time;
#[cfg(feature = "uuid")]
mod uuid;
#[cfg(any(feature = "sqlx", feature = "postgres-types"))]
pub mod database;
#[cfg(feature = "proptest")]
pub mod strategies;

#[cfg(all(feature = "coarse", target_os = "linux"))]
pub use self::clock::CoarseClock;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use self::generator::{DurableError, DurableGenerator};
#[cfg(all(feature = "rand", target_has_atomic = "64"))]
pub use self::generator::{guid, try_guid};
pub use self::{
    cells::Cells,
    clock::{Clock, InverseClock},
    diff::Diff,
    drift::Drift,
    epoch::Epoch,
    error::{ParseError, RangeError},
    generator::{Batch, GenerateError, LocalGenerator, ObserveError},
    guid::Guid,
    local::LocalId,
    node::NodeId,
    order::ByTime,
    range::{millis_of_ulid, millis_of_uuid_v7},
    snowflake::Snowflake,
    stamp::{Seq, Stamp, Tick},
    text::Text,
    time::TimeError,
};
#[cfg(target_has_atomic = "64")]
pub use self::{clock::ManualClock, generator::Generator};
#[cfg(feature = "std")]
pub use self::{
    clock::SystemClock,
    generator::{FileHighWater, HighWater, HighWaterError, MemoryHighWater},
    node::NodeEnvError,
};

/// The examples of the README, compiled and run.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
