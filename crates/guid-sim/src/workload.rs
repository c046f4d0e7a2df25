//! Workloads: the processes that ship, each one small enough to read as an example.

mod ids;
mod chain;
mod lww;
mod cart;
mod replica;
mod sharing;
mod gossip;
mod counter;
mod register;
mod commit;
mod contacts;
mod drawings;

use crate::{Report, RunError, WorldConfig, simulate};

pub use self::{
    cart::{Cart, CartState, CartWorkload},
    chain::{Chain, ChainWorkload},
    commit::{Commit, CommitWorkload, Told},
    contacts::{ContactMessage, Contacts, ContactsWorkload},
    counter::{CounterKind, CounterWorkload},
    drawings::{Drawings, DrawingsWorkload},
    gossip::GossipWorkload,
    ids::{Arrival, Ids, IdsWorkload},
    lww::{Lww, LwwMessage, LwwWorkload},
    register::{Register, RegisterMessage, RegisterWorkload, Session},
    sharing::{Parcel, Share, Sharing, SharingConfig, Ship},
};

/// What the nodes of a scenario do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Workload {
    /// Make IDs, each node for itself.
    Ids(IdsWorkload),
    /// Pass a message along a chain.
    Chain(ChainWorkload),
    /// Overwrite each other's values.
    Lww(LwwWorkload),
    /// Share a shopping cart.
    Cart(CartWorkload),
    /// Spread news.
    Gossip(GossipWorkload),
    /// Add to a counter.
    Counter(CounterWorkload),
    /// Read, modify, write a register.
    Register(RegisterWorkload),
    /// Commit, and wait out the uncertainty of the clock, or do not.
    Commit(CommitWorkload),
    /// Meet random nodes.
    Contacts(ContactsWorkload),
    /// Draw node IDs.
    Drawings(DrawingsWorkload),
}

/// Runs a workload; new work begins only during `active_ns`, and the rest of the run settles.
pub(crate) fn run(
    workload: &Workload,
    config: WorldConfig,
    active_ns: u64,
) -> Result<Report, RunError> {
    match workload {
        Workload::Ids(ids) => simulate(config, |_| Ids::new(ids, active_ns)),
        Workload::Chain(chain) => simulate(config, |_| Chain::new(chain, active_ns)),
        Workload::Lww(lww) => simulate(config, |_| Lww::new(lww, active_ns)),
        Workload::Cart(cart) => simulate(config, |_| Cart::new(cart, active_ns)),
        Workload::Gossip(gossip) => gossip::run(gossip, config),
        Workload::Register(register) => simulate(config, |_| Register::new(register, active_ns)),
        Workload::Counter(counter) => counter::run(counter, config),
        Workload::Commit(commit) => simulate(config, |_| Commit::new(commit, active_ns)),
        Workload::Contacts(contacts) => simulate(config, |_| Contacts::new(contacts)),
        Workload::Drawings(drawings) => simulate(config, |_| Drawings::new(drawings)),
    }
}

/// Whether the active part of a run is over, by the node's own monotonic time.
#[derive(Clone, Copy, Debug)]
struct Active {
    left_ns: u64,
}

impl Active {
    const fn new(ns: u64) -> Self {
        Self { left_ns: ns }
    }

    /// A node begins so long after the run: late, or once more.
    fn begin(&mut self, since_start_ns: u64) {
        self.left_ns = self.left_ns.saturating_sub(since_start_ns);
    }

    /// Takes a pause of `ns` out of what is left; false when it is over.
    fn spend(&mut self, ns: u64) -> bool {
        match self.left_ns.checked_sub(ns) {
            Some(left) => {
                self.left_ns = left;
                true
            }
            None => false,
        }
    }
}
