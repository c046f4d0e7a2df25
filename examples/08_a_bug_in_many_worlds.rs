//! A register that takes the wall clock's word, tested in two hundred worlds: what a failed test
//! says.

#![expect(clippy::unwrap_used, reason = "a test may")]

use std::time::Duration;

use guid_sim::{ClockModel, Ctx, NodeIndex, Process, Scheme, WorldConfig};

/// A value and the time it was written at.
type Written = (u64, u64);

/// A register that every node has a copy of. The later write wins.
#[derive(Default)]
struct Register {
    now: Written,
    writes: u64,
}

impl Register {
    fn take(&mut self, other: Written) {
        self.now = self.now.max(other);
    }
}

impl Process for Register {
    type Message = Written;

    fn on_start(&mut self, ctx: &mut Ctx<'_, Written>) {
        ctx.set_timer(50_000_000, 0);
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, Written>, _: u64) {
        self.writes += 1;
        let value = u64::from(ctx.id().number()) * 1_000 + self.writes;
        self.take((ctx.now_local(), value)); // the bug: the wall clock says what is later
        ctx.mint();
        ctx.claim("what I write, I read", self.now.1 == value);
        let to = ctx.random_other();
        ctx.send(to, self.now);
        ctx.set_timer(100_000_000, 0);
    }

    fn on_message(&mut self, _: &mut Ctx<'_, Written>, _: NodeIndex, message: Written) {
        self.take(message);
    }
}

/// Three nodes for ten seconds, their clocks some 20 ms off.
fn world(seed: u64) -> WorldConfig {
    WorldConfig::new(3, seed)
        .lasting(Duration::from_secs(10))
        .with_clocks(ClockModel::disciplined(20e6))
        .with_schemes(&[Scheme::Hlc])
}

fn main() {
    let test = guid_sim::test(world).seeds(0..200);
    let failure = test.try_run(|_| Register::default()).unwrap_err(); // `run` panics with it
    println!("{failure}");
}
