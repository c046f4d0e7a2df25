//! Maps.
//!
//! What if two write one key at once, or one writes and another removes? In [`LwwMap`] the later
//! stands, remove or write. In [`AwLwwMap`] a write that a remove has not seen survives it, and of
//! several the latest stands. In [`OrMap`] the values are replicated themselves, and join.

mod lww_map;
mod aw_lww_map;
mod or_map;

pub use self::{
    aw_lww_map::AwLwwMap,
    lww_map::LwwMap,
    or_map::{OrMap, OrMapDelta},
};
