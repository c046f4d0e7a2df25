//! Node IDs drawn at random, as many as a fleet has nodes, again and again: how often are two
//! alike?

use crate::{Ctx, NodeIndex, Process};

/// Draw node IDs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DrawingsWorkload {
    /// How many IDs are drawn at once.
    pub ids: u32,
    /// How often.
    pub drawings: u64,
}

/// The process of [`DrawingsWorkload`]: the first node draws.
#[derive(Debug)]
pub struct Drawings {
    workload: DrawingsWorkload,
}

impl Drawings {
    /// Returns the process of one node.
    pub fn new(workload: &DrawingsWorkload) -> Self {
        Self { workload: *workload }
    }
}

impl Process for Drawings {
    type Message = ();

    fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
        if ctx.id() == NodeIndex::new(0) {
            ctx.set_timer(1_000_000, 0);
        }
    }

    fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}

    fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
        let Some(left) = self.workload.drawings.checked_sub(1) else { return };
        self.workload.drawings = left;
        let mut ids: Vec<u32> =
            (0..self.workload.ids).map(|_| (ctx.rng().next_u64() >> 32) as u32).collect();
        ids.sort_unstable();
        let alike = ids.windows(2).any(|pair| pair[0] == pair[1]);
        ctx.mint();
        ctx.count("drawings", 1);
        ctx.count("drawings-with-two-alike", alike.into());
        ctx.set_timer(1_000_000, 0);
    }
}
