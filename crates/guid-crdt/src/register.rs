//! Registers: one value, written as a whole.
//!
//! What if two write at once? [`LwwRegister`] keeps the later write, [`FwwRegister`] the earlier,
//! [`MvRegister`] keeps both and leaves the choice to the reader; [`Max`] and [`Min`] keep the
//! greater and the lesser value, whenever it was written.

mod lww;
mod mv;
mod fww;
mod extremum;

pub use self::{
    extremum::{Max, Min},
    fww::FwwRegister,
    lww::LwwRegister,
    mv::{MvRegister, MvRegisterDelta},
};
