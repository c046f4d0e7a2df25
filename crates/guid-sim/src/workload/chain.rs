//! One message that goes round: each node thinks for a while, then passes it on.

use super::Active;
use crate::{Ctx, NodeIndex, Process};

const PASS_ON: u64 = 0;
const MINT: u64 = 1;

/// Pass a message along a chain.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChainWorkload {
    /// How long a node keeps the message.
    pub think_ns: u64,
    /// How often each node makes an ID of its own meanwhile, if it does.
    pub mint_every_ns: Option<u64>,
}

/// The process of [`ChainWorkload`].
#[derive(Debug)]
pub struct Chain {
    workload: ChainWorkload,
    active: Active,
}

impl Chain {
    /// Returns the process of one node.
    pub fn new(workload: &ChainWorkload, active_ns: u64) -> Self {
        Self { workload: *workload, active: Active::new(active_ns) }
    }

    fn next_mint(&mut self, ctx: &mut Ctx<'_, ()>) {
        if let Some(every) = self.workload.mint_every_ns.filter(|&ns| self.active.spend(ns.max(1)))
        {
            ctx.set_timer(every, MINT);
        }
    }
}

impl Process for Chain {
    type Message = ();

    fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
        self.active.begin(ctx.since_start_ns());
        if ctx.id() == NodeIndex::new(0) {
            ctx.set_timer(self.workload.think_ns, PASS_ON);
        }
        self.next_mint(ctx);
    }

    fn on_message(&mut self, ctx: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {
        ctx.set_timer(self.workload.think_ns.max(1), PASS_ON);
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, timer: u64) {
        if timer == MINT {
            ctx.mint();
            self.next_mint(ctx);
        } else {
            let next = (ctx.id().as_u32() + 1) % ctx.nodes();
            ctx.send(NodeIndex::new(next), ());
        }
    }
}
