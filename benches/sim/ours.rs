//! The simulator on messages: every node sends to a random other one at random moments.

use std::io;

use guid_sim::{
    Ctx, Distribution, NetworkModel, NodeIndex, Process, Scheme, WorldConfig, simulate,
};

/// The mean gap between two messages of a node, and the latency of one.
pub(crate) const GAP_NS: u32 = 1_000_000;

struct Talker(Distribution);

impl Talker {
    fn wait(&self, ctx: &mut Ctx<'_, u64>) {
        let gap = self.0.sample_unsigned(ctx.rng());
        ctx.set_timer(gap, 0);
    }
}

impl Process for Talker {
    type Message = u64;

    fn on_start(&mut self, ctx: &mut Ctx<'_, u64>) {
        self.wait(ctx);
    }

    fn on_message(&mut self, _: &mut Ctx<'_, u64>, _: NodeIndex, _: u64) {}

    fn on_timer(&mut self, ctx: &mut Ctx<'_, u64>, timer: u64) {
        let to = ctx.random_other();
        ctx.send(to, timer);
        self.wait(ctx);
    }
}

/// What watches the run.
#[derive(Clone, Copy)]
pub(crate) enum Watch {
    /// Nothing but the hash of the trace.
    Nothing,
    /// One scheme, with all of its checkers.
    Checkers,
    /// Vector clocks.
    Vectors,
    /// One scheme, and a trace that is written and thrown away.
    Trace,
}

/// Runs about so many events: half of them sends, half receives, one entry of the queue each.
/// Returns how many there were.
pub(crate) fn run(nodes: u32, watch: Watch, events: u64) -> u64 {
    let mut config = WorldConfig::new(nodes, 42);
    config.duration_ns = events * u64::from(GAP_NS) / u64::from(2 * nodes);
    config.network = NetworkModel::new(Distribution::exponential(f64::from(GAP_NS)));
    config.max_events = u64::MAX;
    match watch {
        Watch::Nothing => config.schemes.clear(),
        Watch::Checkers => {}
        Watch::Vectors => config.schemes = vec![Scheme::Vector],
        Watch::Trace => config.trace = Some(Box::new(io::sink())),
    }
    let gap = Distribution::exponential(f64::from(GAP_NS));
    simulate(config, |_| Talker(gap)).expect("a run without a limit ends").events
}
