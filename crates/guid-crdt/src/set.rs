//! Sets.
//!
//! What if one adds and another removes the same element at once? In [`OrSet`] the add wins.

mod or_set;

#[cfg(feature = "wire")]
pub(crate) use self::or_set::Elements;
pub use self::or_set::{OrSet, OrSetDelta};
