//! Transactions that take their time from clocks which know how wrong they may be.
//!
//! A transaction takes the latest time that it may be, and is told to another node, which begins
//! one of its own. Later must be larger. Half the transactions *wait* before anybody hears of them,
//! until the earliest time that it may be has passed theirs; half do not.
//!
//! # References
//!
//! Corbett et al., "Spanner: Google's Globally-Distributed Database", OSDI 2012, sections 3 and
//! 4.1.2 (commit wait; a bound of 1 ms, and 200 µs/s more until the next poll after 30 s).

use super::{Active, Arrival, ids};
use crate::{Ctx, Distribution, NodeIndex, Process};

const BEGIN: u64 = 0;
const WAITED: u64 = 1;

/// What is added to the uncertainty in a second since the poll, in nanoseconds, and from where.
const DRIFT_NS: u64 = 200_000;
const LEAST_NS: u64 = 1_000_000;
const POLL_NS: u64 = 30_000_000_000;
const LEAST_WAIT_NS: u64 = 1_000;

/// Commit, and wait out the uncertainty of the clock, or do not.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CommitWorkload {
    /// How many transactions a second and node.
    pub per_second: f64,
}

/// The process of [`CommitWorkload`].
#[derive(Debug)]
pub struct Commit {
    gap: Distribution,
    active: Active,
    /// What the clock read at the start: its polls are counted from there.
    started_ns: u64,
    /// The transaction that waits: its time, and when it began to.
    waiting: Option<(u64, u64)>,
}

impl Commit {
    /// Returns the process of one node.
    pub fn new(workload: &CommitWorkload, active_ns: u64) -> Self {
        let gap = ids::gap(workload.per_second, Arrival::Poisson);
        Self { gap, active: Active::new(active_ns), started_ns: 0, waiting: None }
    }

    /// Now, and by how much it may be wrong: a sawtooth from 1 to 7 ms.
    fn now(&self, ctx: &Ctx<'_, Told>) -> (u64, u64) {
        let now = ctx.now_local();
        let since = now.saturating_sub(self.started_ns) % POLL_NS;
        (now, LEAST_NS + since * DRIFT_NS / 1_000_000_000)
    }

    fn next(&mut self, ctx: &mut Ctx<'_, Told>) {
        let gap = self.gap.sample_unsigned(ctx.rng());
        if self.active.spend(gap) {
            ctx.set_timer(gap, BEGIN);
        }
    }

    fn tell(ctx: &mut Ctx<'_, Told>, ns: u64, waited: bool) {
        let to = ctx.random_other();
        ctx.send(to, Told { ns, waited });
    }

    /// Goes on waiting, unless what is certainly over is past the transaction.
    fn wait(&mut self, ctx: &mut Ctx<'_, Told>) {
        let Some((ns, began)) = self.waiting else { return };
        let (now, uncertainty) = self.now(ctx);
        let earliest = now.saturating_sub(uncertainty);
        if earliest > ns {
            self.waiting = None;
            ctx.count("commits-that-waited", 1);
            ctx.record_max("longest-commit-wait-us", now.saturating_sub(began) / 1_000);
            Self::tell(ctx, ns, true);
        } else {
            // The uncertainty grows meanwhile, so this is not the last time.
            ctx.set_timer((ns - earliest).max(LEAST_WAIT_NS), WAITED);
        }
    }
}

/// A transaction somebody hears of: its time, and whether it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Told {
    ns: u64,
    waited: bool,
}

impl Process for Commit {
    type Message = Told;

    fn on_start(&mut self, ctx: &mut Ctx<'_, Told>) {
        self.active.begin(ctx.since_start_ns());
        self.started_ns = ctx.now_local();
        self.next(ctx);
    }

    fn on_message(&mut self, ctx: &mut Ctx<'_, Told>, _: NodeIndex, message: Told) {
        let (now, uncertainty) = self.now(ctx);
        let wrong = u64::from(now.saturating_add(uncertainty) <= message.ns);
        if message.waited {
            ctx.count("out-of-order-after-waiting", wrong);
        } else {
            ctx.count("out-of-order-at-once", wrong);
            ctx.count("commits-at-once", 1);
        }
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, Told>, timer: u64) {
        if timer == WAITED {
            return self.wait(ctx);
        }
        self.next(ctx);
        let (now, uncertainty) = self.now(ctx);
        let ns = now.saturating_add(uncertainty);
        if ctx.rng().below(2) == 0 {
            Self::tell(ctx, ns, false);
        } else if self.waiting.is_none() {
            self.waiting = Some((ns, now));
            self.wait(ctx);
        }
    }
}
