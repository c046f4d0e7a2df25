//! Registers: one value, written as a whole.
//!
//! What if two write at once? [`LwwRegister`] keeps the later write, [`MvRegister`] keeps both and
//! leaves the choice to the reader.

mod lww;
mod mv;

pub use self::{
    lww::LwwRegister,
    mv::{MvRegister, MvRegisterDelta},
};
