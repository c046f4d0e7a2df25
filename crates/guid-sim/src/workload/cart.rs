//! A shopping cart that every node holds a copy of: an OR-set of items, and the delivery address
//! twice, in a last-writer-wins register and in a multi-value register.
//!
//! Nodes change their copies at a rate and send their whole state to a random node now and then.
//! Across a partition both sides go on writing the address. When the network heals, the set has
//! every item of both sides; the multi-value register shows both addresses, and the
//! last-writer-wins register one of them: the other was lost without a word.
//!
//! Each node removes only items that it added, so it knows at every event what the set must hold
//! of them: an oracle that needs nobody else's word.

use std::{collections::BTreeMap, rc::Rc};

use guid_crdt::{
    Causality, Changed, Gap, Lattice, LwwRegister, MutateError, MvRegister, OrSet, Replica,
    Replicated, Saved, VectorClock,
};

use super::{Active, Arrival, ids, replica};
use crate::{Ctx, Distribution, LocalClock, NodeIndex, Process, TraceHash};

const CHANGE_ITEMS: u64 = 0;
const WRITE_ADDRESS: u64 = 1;
const GOSSIP: u64 = 2;

/// Share a shopping cart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CartWorkload {
    /// How many changes to the items a second and node.
    pub per_second: f64,
    /// How often each node sends its state to another.
    pub gossip_ns: u64,
    /// Who writes the address.
    pub writers: Vec<NodeIndex>,
    /// How often each of them does.
    pub write_every_ns: u64,
}

/// The replicated state: three fields, joined field by field.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CartState {
    /// What is in the cart.
    pub items: OrSet<String>,
    /// The address as a last-writer-wins register has it.
    pub address: LwwRegister<String>,
    /// The same writes in a register that keeps what is concurrent.
    pub addresses: MvRegister<String>,
}

impl Lattice for CartState {
    fn join(&mut self, other: &Self) {
        self.items.join(&other.items);
        self.address.join(&other.address);
        self.addresses.join(&other.addresses);
    }

    fn compare(&self, other: &Self) -> Causality {
        let fields = self.items.compare(&other.items).and(self.address.compare(&other.address));
        fields.and(self.addresses.compare(&other.addresses))
    }
}

impl Replicated for CartState {
    /// Whole states travel here: a state is its own delta.
    type Delta = Self;

    fn frontier(&self) -> VectorClock {
        let registers = self.address.frontier().joined(&self.addresses.frontier());
        self.items.frontier().joined(&registers)
    }

    fn delta_frontier(delta: &Self) -> VectorClock {
        delta.frontier()
    }

    fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
        let before = self.compare(delta);
        self.join(delta);
        Ok(match before {
            Causality::Equal | Causality::After => Changed::No,
            Causality::Before | Causality::Concurrent => Changed::Yes,
        })
    }
}

/// The process of [`CartWorkload`].
#[derive(Debug)]
pub struct Cart {
    gap: Distribution,
    gossip_ns: u64,
    writers: Vec<NodeIndex>,
    write_every_ns: u64,
    active: Active,
    writing: Active,
    /// Made at the start, when the node's clock is known.
    replica: Option<Replica<CartState, LocalClock>>,
    /// The items this node added, and whether they must still be there.
    own: Rc<BTreeMap<String, bool>>,
}

/// What survives a crash.
#[derive(Clone)]
struct Stored {
    replica: Saved<CartState>,
    own: Rc<BTreeMap<String, bool>>,
}

impl Cart {
    /// Returns the process of one node.
    pub fn new(workload: &CartWorkload, active_ns: u64) -> Self {
        Self {
            gap: ids::gap(workload.per_second, Arrival::Poisson),
            gossip_ns: workload.gossip_ns.max(1),
            writers: workload.writers.clone(),
            write_every_ns: workload.write_every_ns.max(1),
            active: Active::new(active_ns),
            writing: Active::new(active_ns),
            replica: None,
            own: Rc::default(),
        }
    }

    /// Adds an item, or one time in four removes one of its own.
    fn change_items(&mut self, ctx: &mut Ctx<'_, CartState>) {
        let present: Vec<&String> =
            self.own.iter().filter(|(_, in_)| **in_).map(|(i, _)| i).collect();
        let remove = ctx.rng().below(4) == 0 && !present.is_empty();
        if remove {
            let chosen = ctx.rng().below(present.len() as u64);
            let item = usize::try_from(chosen).ok().and_then(|i| present.get(i)).copied().cloned();
            let Some(item) = item else { return };
            self.write(ctx, |cart, dot| cart.items.remove(dot, &item).map(drop));
            Rc::make_mut(&mut self.own).insert(item, false);
        } else {
            let item = format!("{}-{}-{}", ctx.id(), ctx.node_id(), self.own.len());
            let added = item.clone();
            self.write(ctx, |cart, dot| cart.items.insert(dot, added).map(drop));
            Rc::make_mut(&mut self.own).insert(item, true);
        }
    }

    fn write_address(&mut self, ctx: &mut Ctx<'_, CartState>) {
        let address = format!("as {} wrote at {}", ctx.id(), ctx.now_local());
        self.write(ctx, |cart, dot| {
            cart.address.set(dot, address.clone())?;
            cart.addresses.set(dot, address).map(drop)
        });
    }

    /// Changes the replica under one dot.
    fn write(
        &mut self,
        ctx: &mut Ctx<'_, CartState>,
        change: impl FnOnce(&mut CartState, guid_crdt::Dot) -> Result<(), MutateError>,
    ) {
        let Some(replica) = &mut self.replica else { return };
        let (seen, mut under) = (replica.state().frontier(), None);
        let changed = replica.write(|cart, dot| {
            under = Some(dot);
            change(cart, dot)
        });
        if let (Ok(()), Some(dot)) = (&changed, under) {
            ctx.wrote(dot, &seen);
        }
        match changed {
            Ok(()) => ctx.mint(),
            Err(_) => ctx.count("writes-refused", 1),
        }
    }

    /// Says what this replica has received and shows, and checks what it must hold.
    fn report(&self, ctx: &mut Ctx<'_, CartState>) {
        let Some(replica) = &self.replica else { return };
        ctx.store(Stored { replica: replica.save(), own: Rc::clone(&self.own) });
        let state = replica.state();
        ctx.holds(state.frontier());
        ctx.replica_state(digest_of_received(state), digest_of_shown(state));
        let wrong = self.own.iter().filter(|(item, in_)| state.items.contains(*item) != **in_);
        ctx.count("items-wrong", wrong.count() as u64);
        let siblings = state.addresses.values().len() as u64;
        ctx.record_max("address-siblings", siblings);
        ctx.record_max("lww-addresses-lost", siblings.saturating_sub(1));
    }
}

fn digest_of_received(state: &CartState) -> u128 {
    let mut hash = TraceHash::default();
    for (node, stamp) in state.frontier().iter() {
        hash.word(u64::from(node.as_u32()));
        hash.word(stamp.as_u64());
    }
    hash.value()
}

fn digest_of_shown(state: &CartState) -> u128 {
    let mut hash = TraceHash::default();
    state.items.iter().for_each(|item| hash.bytes(item.as_bytes()));
    hash.word(u64::MAX);
    state.address.get().into_iter().for_each(|address| hash.bytes(address.as_bytes()));
    hash.word(u64::MAX);
    state.addresses.values().iter().for_each(|address| hash.bytes(address.as_bytes()));
    hash.value()
}

impl Process for Cart {
    type Message = CartState;

    fn on_start(&mut self, ctx: &mut Ctx<'_, CartState>) {
        self.active.begin(ctx.since_start_ns());
        self.writing.begin(ctx.since_start_ns());
        let stored: Option<Stored> = ctx.stored().cloned();
        let comes_back = stored.is_some();
        let (saved, own) = stored.map(|stored| (stored.replica, stored.own)).unzip();
        self.replica = Some(replica::begin(ctx, saved));
        self.own = own.unwrap_or_default();
        if comes_back {
            self.report(ctx);
        }
        let first = self.gap.sample_unsigned(ctx.rng());
        ctx.set_timer(first, CHANGE_ITEMS);
        let phase = ctx.rng().below(self.gossip_ns);
        ctx.set_timer(phase, GOSSIP);
        if self.writers.contains(&ctx.id()) {
            let phase = ctx.rng().below(self.write_every_ns);
            ctx.set_timer(phase, WRITE_ADDRESS);
        }
    }

    fn on_message(&mut self, ctx: &mut Ctx<'_, CartState>, _: NodeIndex, message: CartState) {
        let Some(replica) = &mut self.replica else { return };
        if replica.join(&message).is_err() {
            ctx.count("joins-refused", 1);
        }
        self.report(ctx);
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, CartState>, timer: u64) {
        match timer {
            CHANGE_ITEMS => {
                let gap = self.gap.sample_unsigned(ctx.rng());
                if self.active.spend(gap) {
                    self.change_items(ctx);
                    ctx.set_timer(gap, CHANGE_ITEMS);
                }
            }
            WRITE_ADDRESS => {
                if self.writing.spend(self.write_every_ns) {
                    self.write_address(ctx);
                    ctx.set_timer(self.write_every_ns, WRITE_ADDRESS);
                }
            }
            _ => {
                let to = ctx.random_other();
                if let Some(replica) = &self.replica {
                    ctx.send(to, replica.state().clone());
                }
                ctx.set_timer(self.gossip_ns, GOSSIP);
                return;
            }
        }
        self.report(ctx);
    }
}
