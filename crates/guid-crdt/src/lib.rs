//! Causality and replicated data types, where a k-ordered ID is the dot.
//!
//! *How do copies of a value end up equal, when nobody coordinates the writers, messages are late,
//! lost or doubled, and clocks are wrong?* Give every change a name that is never used twice, let
//! each copy know which names it has taken in, and combine copies by a rule that cares for neither
//! order nor repetition. The name is a dot, (node, stamp); an ID of [`guid_core`] is one.
//!
//! ```
//! use core::time::Duration;
//! use guid_core::{ManualClock, NodeId};
//! use guid_crdt::{OrSet, Replica};
//!
//! // Two replicas of a set; the clock of the second is an hour behind, and both know it may be.
//! let hour = 3600 * 1_000_000_000;
//! let mut here = Replica::<OrSet<&str>, _>::new(NodeId::new(1), ManualClock::new(2 * hour))
//!     .with_max_ahead(Duration::MAX);
//! let mut there = Replica::<OrSet<&str>, _>::new(NodeId::new(2), ManualClock::new(hour))
//!     .with_max_ahead(Duration::MAX);
//!
//! here.write(|set, dot| set.insert(dot, "milk"))?;
//! there.join(here.state())?;
//! there.write(|set, dot| set.remove(dot, "milk"))?; // after what it saw, whatever its clock says
//! here.join(there.state())?;
//! assert!(here.state().is_empty());
//!
//! here.write(|set, dot| set.insert(dot, "eggs"))?;
//! let delta = there.write(|set, dot| set.insert(dot, "bread"))?;
//! here.apply(&delta)?; // what changed, instead of the state
//! there.join(here.state())?;
//! assert_eq!(here.state(), there.state());
//! assert!(there.state().iter().eq(&["bread", "eggs"]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why do they end up equal?
//!
//! The states of a type form a lattice: of two there is a least one that contains both, their join,
//! and whoever joins what it receives goes up in it, never down ([`Lattice`] has the laws).
//!
//! ```text
//!     here   {milk} ──▶ {milk, eggs} ─────────▶ {milk, eggs, bread}
//!                 ╲                     ⊔ ╱ ╲ ⊔
//!     there        ╲─▶ {milk} ──▶ {milk, bread} ──▶ {milk, eggs, bread}
//! ```
//!
//! # When is an ID a dot?
//!
//! While four things hold. A [`Replica`] keeps them, or refuses and says which is broken.
//!
//! * **I1**: the stamps of a node only go up, whatever its clock does and however often it
//!   restarts.
//! * **I2**: a node belongs to one replica; neither a process nor a copy of a state is one.
//! * **I3**: a replica that lost state which it had sent never writes under its old node again.
//! * **I4**: what a copy takes in leaves no holes: it knows all that a node did up to a stamp.
//!
//! # Modules, in reading order
//!
//! * [`Dot`], [`Causality`], [`Lattice`]: names of events, how they stand to each other, joining
//! * [`VectorClock`], [`context`]: what was seen, as numbers per node and as a set of dots
//! * [`store`], [`Causal`], [`Delta`]: data under dots, the one join of it, and what changed
//! * [`Replicated`], [`replica`]: who writes, after what, and what is refused
//! * [`Versioned`], [`Nested`]: what a state has taken in; states inside states
//! * [`Peer`], [`Stability`]: what to send to whom; what everybody has seen
//! * [`register`], [`counter`], [`flag`], [`set`], [`map`], [`doc`]: the types, each with its
//!   meaning in one sentence
//! * `wire`, `laws` (features): bytes; the laws, for types of your own too
//!
//! # Which type?
//!
//! | two write at once | type |
//! |---|---|
//! | keep the later one, the earlier, the greater, the lesser | [`LwwRegister`], [`FwwRegister`], [`Max`], [`Min`] |
//! | keep both, the reader decides | [`MvRegister`] |
//! | count both; also down, back to zero, never below zero | [`GCounter`]; [`PnCounter`], [`ResettableCounter`], [`BoundedCounter`] |
//! | one turns on, one off: on, off | [`EwFlag`], [`DwFlag`] |
//! | one adds, one removes: the add stays, the remove, the later | [`OrSet`], [`RwSet`], [`LwwSet`] |
//! | nobody removes; what is removed is out for good | [`GSet`], [`TwoPhaseSet`] |
//! | one key of a map: the later write; a put over a remove | [`LwwMap`], [`AwLwwMap`] |
//! | the values of a map are replicated themselves | [`OrMap`]; of several kinds, [`Doc`] |
//!
//! # What this crate does not do
//!
//! It sends nothing and stores nothing: a [`Peer`] says what to send, you say how and when. It
//! decides no membership: [`Stability`] says what all have seen of those that you name, and entries
//! of nodes that are gone stay in contexts. It has no lists, texts or trees yet. It trusts its
//! peers: checksums find accidents, not lies.
//!
//! # Features
//!
//! None is on by default.
//!
//! * `derive`: `#[derive(Lattice, Replicated, Versioned)]` on structs of replicated fields.
//! * `serde`: every public type, as a plain structure, for JSON and binary formats.
//! * `wire`: compact bytes, equal for equal states, read without trust.
//! * `proptest`: the laws as a test suite, and strategies.
//! * `replay`: histories as lines of JSON, carried out and judged.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod dot;
mod causality;
mod lattice;
mod vector_clock;
pub mod context;
pub mod store;
mod causal;
mod delta;
mod replicated;
mod version;
mod nested;
mod pointwise;
pub mod replica;
mod peer;
mod stability;
pub mod register;
pub mod counter;
pub mod flag;
pub mod set;
pub mod map;
pub mod doc;
#[cfg(feature = "derive")]
pub mod derive;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "wire")]
pub mod wire;
#[cfg(feature = "proptest")]
pub mod laws;
#[cfg(feature = "replay")]
pub mod replay;

pub use self::{
    causal::{Causal, MutateError},
    causality::Causality,
    context::{CausalContext, Gap, Span},
    counter::{BoundedCounter, GCounter, PnCounter, ResettableCounter},
    delta::Delta,
    doc::{Doc, DocDelta, DocEdit, DocMap, Scalar},
    dot::Dot,
    flag::{DwFlag, EwFlag},
    lattice::{Changed, Lattice},
    map::{AwLwwMap, LwwMap, OrMap, OrMapDelta},
    nested::Nested,
    peer::{Handled, Message, Peer},
    register::{FwwRegister, LwwRegister, Max, Min, MvRegister, MvRegisterDelta},
    replica::{
        ApplyError, JoinError, Joined, NodeCollision, Replica, Saved, StaleState, WriteError,
    },
    replicated::{Conflict, Replicated},
    set::{AddBias, Bias, GSet, LwwSet, Member, OrSet, OrSetDelta, RemoveBias, RwSet, TwoPhaseSet},
    stability::Stability,
    store::{DotFun, DotMap, DotSet, DotStore},
    vector_clock::VectorClock,
    version::Versioned,
};

#[cfg(feature = "derive")]
pub use self::derive::{Lattice, Replicated, Versioned};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
