//! Counters.
//!
//! What if two count at once? Both count, always; the types differ in what else may happen:
//! [`GCounter`] only grows, [`PnCounter`] goes down too, [`ResettableCounter`] can be set back and
//! lives inside maps, [`BoundedCounter`] never goes below zero, whoever counts down elsewhere.
//!
//! # Why totals under stamps, and not sums of dots
//!
//! A delta may come twice, so "add 3" cannot be one. In the first two and the last each node has a
//! row with its *total*, and a row replaces an older one of its node: applying it twice is applying
//! it once, and a row makes up for all lost ones before it. Which of two rows is older, its stamp
//! tells; that lets a total go down as well, in one number where classic counters keep two.

mod tally;
mod g;
mod pn;
mod resettable;
mod bounded;

pub(crate) use self::resettable::sum;
pub use self::{
    bounded::BoundedCounter, g::GCounter, pn::PnCounter, resettable::ResettableCounter,
};
