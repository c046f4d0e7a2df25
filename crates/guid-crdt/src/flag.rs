//! Flags.
//!
//! What if one enables and another disables at once? [`EwFlag`] is on then, [`DwFlag`] off.

mod enable_wins;
mod disable_wins;

pub(crate) use self::disable_wins::all_on;
pub use self::{disable_wins::DwFlag, enable_wins::EwFlag};
