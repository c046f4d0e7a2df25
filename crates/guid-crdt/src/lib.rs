//! Causality and replicated data types, where a k-ordered ID is the dot.

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
pub mod replica;
pub mod register;
pub mod set;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "wire")]
pub mod wire;
#[cfg(feature = "proptest")]
pub mod laws;

pub use self::{
    causal::{Causal, MutateError},
    causality::Causality,
    context::{CausalContext, Gap, Span},
    delta::Delta,
    dot::Dot,
    lattice::{Changed, Lattice},
    register::{LwwRegister, MvRegister, MvRegisterDelta},
    replica::{ApplyError, JoinError, Joined, NodeCollision, Replica, Saved, WriteError},
    replicated::{Conflict, Replicated},
    set::{OrSet, OrSetDelta},
    store::{DotFun, DotMap, DotSet, DotStore},
    vector_clock::VectorClock,
};
