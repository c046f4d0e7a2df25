//! Code of your own in the simulator: a counter that everybody adds to and tells everybody about,
//! on nodes whose clocks are wrong and a network that loses a fifth of all messages.

use std::collections::BTreeMap;

use guid_sim::{
    ClockModel, Ctx, Distribution, NetworkModel, NodeIndex, Process, RunError, Scheme, Verdict,
    WorldConfig, simulate,
};

const SECOND: u64 = 1_000_000_000;

/// How much each node added, as far as this node knows: a grow-only counter.
#[derive(Clone, Debug, Default)]
struct Counter(BTreeMap<NodeIndex, u64>);

impl Counter {
    fn join(&mut self, other: &Self) {
        for (&node, &count) in &other.0 {
            let known = self.0.entry(node).or_default();
            *known = count.max(*known);
        }
    }

    fn value(&self) -> u64 {
        self.0.values().sum()
    }
}

#[derive(Default)]
struct Node {
    counter: Counter,
    seconds: u32,
}

impl Process for Node {
    type Message = Counter;

    fn on_start(&mut self, ctx: &mut Ctx<'_, Counter>) {
        ctx.set_timer(SECOND, 0);
    }

    fn on_message(&mut self, ctx: &mut Ctx<'_, Counter>, _: NodeIndex, message: Counter) {
        self.counter.join(&message);
        // What was received and what is shown are one and the same here.
        let state = u128::from(self.counter.value());
        ctx.replica_state(state, state);
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, Counter>, _: u64) {
        self.seconds += 1;
        if self.seconds <= 10 {
            *self.counter.0.entry(ctx.id()).or_default() += 1;
            ctx.mint();
        }
        for node in ctx.others() {
            ctx.send(node, self.counter.clone());
        }
        ctx.set_timer(SECOND, 0);
    }
}

fn main() -> Result<(), RunError> {
    let mut config = WorldConfig::new(5, 42);
    config.duration_ns = 30 * SECOND;
    config.clocks = ClockModel::disciplined(10_000_000.0); // 10 ms
    config.network = NetworkModel::new(Distribution::exponential(2_000_000.0));
    config.network.loss = 0.2;
    config.schemes = vec![Scheme::Guid64, Scheme::Lamport, Scheme::Vector];

    let report = simulate(config, |_| Node::default())?;
    println!("seed {}, {} events, trace {}", report.seed, report.events, report.trace_hash);
    for check in &report.checks {
        println!("  {:<30} {:<8} {} of {}", check.key(), check.verdict, check.count, check.of);
    }
    assert_eq!(report.verdict, Verdict::Holds, "seed {}", report.seed);
    Ok(())
}
