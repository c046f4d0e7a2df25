//! `derive` (feature `derive`): structs of replicated fields.
//!
//! `Lattice` joins and compares field by field. `Replicated` adds an enum of deltas, one variant a
//! field, so that a delta is applied whole or not at all. `Versioned` lets a
//! [`Peer`](crate::Peer) hold the struct. Each field keeps its own context.
//!
//! ```
//! use guid_core::{ManualClock, NodeId};
//! use guid_crdt::{Lattice, LwwRegister, MvRegister, OrSet, Replica, Replicated, Versioned};
//!
//! #[derive(Clone, Debug, Default, PartialEq, Lattice, Replicated, Versioned)]
//! struct Cart {
//!     items: OrSet<String>,
//!     address: LwwRegister<String>,
//!     door_note: MvRegister<String>,
//! }
//!
//! let mut here = Replica::<Cart, _>::new(NodeId::new(1), ManualClock::new(9 << 17));
//! let mut there = Replica::<Cart, _>::new(NodeId::new(2), ManualClock::new(5 << 17));
//! let delta = here.write(|cart, dot| cart.items.insert(dot, "tea".into()).map(CartDelta::Items))?;
//! there.apply(&delta)?;
//! let delta =
//!     there.write(|cart, dot| cart.door_note.set(dot, "ring".into()).map(CartDelta::DoorNote))?;
//! here.apply(&delta)?;
//! assert_eq!(here.state(), there.state());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is not replicated is refused, at the field:
//!
//! ```compile_fail,E0277
//! # use guid_crdt::{Lattice, OrSet};
//! #[derive(Default, Lattice)]
//! struct Cart {
//!     items: OrSet<String>,
//!     total: u64, // which of two totals would it be?
//! }
//! ```
//!
//! So is an enum, of which two copies could be in different variants:
//!
//! ```compile_fail
//! # use guid_crdt::{Lattice, OrSet};
//! #[derive(Lattice)]
//! enum Cart {
//!     Full(OrSet<String>),
//! }
//! ```
//!
//! And fields without a name, after which no delta can be named:
//!
//! ```compile_fail
//! # use guid_crdt::{Lattice, OrSet};
//! #[derive(Default, Lattice)]
//! struct Cart(OrSet<String>);
//! ```

pub use guid_crdt_derive::{Lattice, Replicated, Versioned};
