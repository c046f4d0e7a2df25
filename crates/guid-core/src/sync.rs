//! The atomics of the generators, in one place so that a model checker can stand in for them.
//!
//! Built with `--cfg guid_model` (by the unpublished package `checks` alone), every step on one of
//! these is a point where the scheduler of the model may switch threads.

#[cfg(not(guid_model))]
pub(crate) use core::sync::atomic::{AtomicU64, Ordering};
#[cfg(all(feature = "std", not(guid_model)))]
pub(crate) use std::sync::{Mutex, PoisonError};

#[cfg(guid_model)]
pub(crate) use shuttle::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};
#[cfg(guid_model)]
pub(crate) use std::sync::PoisonError;
