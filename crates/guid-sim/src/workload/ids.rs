//! Nodes that make IDs at a rate, and never talk.

use super::Active;
use crate::{Ctx, Distribution, NodeIndex, Process};

/// When IDs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "random or regular")]
pub enum Arrival {
    /// At random moments: the gaps are exponential.
    Poisson,
    /// At equal gaps.
    Even,
}

/// Make IDs, each node for itself.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct IdsWorkload {
    /// How many a second and node.
    pub per_second: f64,
    /// When.
    pub arrival: Arrival,
}

impl Default for IdsWorkload {
    fn default() -> Self {
        Self { per_second: 10.0, arrival: Arrival::Poisson }
    }
}

/// The process of [`IdsWorkload`].
#[derive(Debug)]
pub struct Ids {
    gap: Distribution,
    active: Active,
}

impl Ids {
    /// Returns the process of one node.
    pub fn new(workload: &IdsWorkload, active_ns: u64) -> Self {
        Self { gap: gap(workload.per_second, workload.arrival), active: Active::new(active_ns) }
    }

    fn wait(&mut self, ctx: &mut Ctx<'_, ()>) {
        let gap = self.gap.sample_unsigned(ctx.rng());
        if self.active.spend(gap) {
            ctx.set_timer(gap, 0);
        }
    }
}

/// The gaps between events of a rate; at least one nanosecond on average.
#[expect(clippy::cast_possible_truncation, reason = "a rate is at least one in centuries")]
pub(super) fn gap(per_second: f64, arrival: Arrival) -> Distribution {
    let mean = (1e9 / per_second).max(1.0);
    match arrival {
        Arrival::Poisson => Distribution::exponential(mean),
        Arrival::Even => Distribution::constant(mean as i64),
    }
}

impl Process for Ids {
    type Message = ();

    fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
        self.active.begin(ctx.since_start_ns());
        self.wait(ctx);
    }

    fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}

    fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
        ctx.mint();
        self.wait(ctx);
    }
}
