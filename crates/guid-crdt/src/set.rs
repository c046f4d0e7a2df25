//! Sets.
//!
//! What if one adds and another removes the same element at once? In [`OrSet`] the add wins, in
//! [`RwSet`] the remove, in [`LwwSet`] whichever is later. In [`GSet`] nobody removes, and in
//! [`TwoPhaseSet`] what is removed once never comes back.

mod or_set;
mod rw_set;
mod lww_set;
mod grow_only;

pub use self::{
    grow_only::{GSet, TwoPhaseSet},
    lww_set::{AddBias, Bias, LwwSet, Member, RemoveBias},
    or_set::{OrSet, OrSetDelta},
    rw_set::RwSet,
};
