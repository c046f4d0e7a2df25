//! Nodes that overwrite each other's values, having seen them.
//!
//! Two things go on at once. *Fresh values*: a node writes a register of its own and shows it to
//! another node, which thinks and writes over it; that register is never used again. *The register
//! that lives on*: one token goes from node to node, and whoever has it thinks and overwrites
//! register 0. The token is acknowledged and sent again, so a lossy network does not end it.

use super::{Active, Arrival, ids};
use crate::{Ctx, Distribution, NodeIndex, Overwrite, Process};

/// The register that lives on.
const LONG_LIVED: u64 = crate::checker::LONG_LIVED;

const NEW_VALUE: u64 = 0;
const RESEND: u64 = 1;
const TURN: u64 = 2;
/// Timers from here on: overwrite the register with that number.
const OVERWRITE: u64 = 1 << 32;

/// Overwrite each other's values.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LwwWorkload {
    /// How many fresh values a second and node.
    pub per_second: f64,
    /// How long after seeing a value a node overwrites it.
    pub think_ns: u64,
}

/// What nodes say to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LwwMessage {
    /// Here is a register and its value: overwrite it.
    Saw(u64),
    /// It is your turn at the register that lives on, for the nth time.
    Token(u64),
    /// The token of this turn arrived.
    GotToken(u64),
}

/// The process of [`LwwWorkload`].
#[derive(Debug)]
pub struct Lww {
    think_ns: u64,
    gap: Distribution,
    active: Active,
    /// How many fresh values this node made.
    made: u64,
    /// The latest turn this node had or knows to have gone on.
    turn: u64,
    /// The turn and its next owner, until they acknowledge.
    passed: Option<(u64, NodeIndex)>,
}

impl Lww {
    /// Returns the process of one node.
    pub fn new(workload: &LwwWorkload, active_ns: u64) -> Self {
        Self {
            think_ns: workload.think_ns.max(1),
            gap: ids::gap(workload.per_second, Arrival::Poisson),
            active: Active::new(active_ns),
            made: 0,
            turn: 0,
            passed: None,
        }
    }

    fn next_value(&mut self, ctx: &mut Ctx<'_, LwwMessage>) {
        let gap = self.gap.sample_unsigned(ctx.rng());
        if self.active.spend(gap) {
            ctx.set_timer(gap, NEW_VALUE);
        }
    }

    /// A register that nobody else uses: node and count, above the timers' small numbers.
    fn fresh_register(&mut self, node: NodeIndex) -> u64 {
        self.made += 1;
        u64::from(node.number()) << 40 | OVERWRITE | self.made & (OVERWRITE - 1)
    }

    /// Writes the register that lives on, and gives the turn to another node.
    fn take_turn(&mut self, ctx: &mut Ctx<'_, LwwMessage>) {
        let overwrite = if self.turn == 1 { Overwrite::Fresh } else { Overwrite::Seen };
        ctx.write(LONG_LIVED, overwrite);
        let next = ctx.random_other();
        self.passed = Some((self.turn + 1, next));
        self.pass(ctx);
    }

    fn pass(&mut self, ctx: &mut Ctx<'_, LwwMessage>) {
        if let Some((turn, next)) = self.passed {
            ctx.send(next, LwwMessage::Token(turn));
            ctx.set_timer(self.think_ns, RESEND);
        }
    }
}

impl Process for Lww {
    type Message = LwwMessage;

    fn on_start(&mut self, ctx: &mut Ctx<'_, LwwMessage>) {
        self.active.begin(ctx.since_start_ns());
        if ctx.id() == NodeIndex::new(0) {
            self.turn = 1;
            ctx.set_timer(self.think_ns, TURN);
        }
        self.next_value(ctx);
    }

    fn on_message(&mut self, ctx: &mut Ctx<'_, LwwMessage>, from: NodeIndex, message: LwwMessage) {
        match message {
            LwwMessage::Saw(register) => ctx.set_timer(self.think_ns, register),
            LwwMessage::Token(turn) => {
                ctx.send(from, LwwMessage::GotToken(turn));
                if turn > self.turn {
                    self.turn = turn;
                    ctx.set_timer(self.think_ns, TURN);
                }
            }
            LwwMessage::GotToken(turn) => {
                self.passed = self.passed.filter(|&(passed, _)| passed > turn);
            }
        }
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, LwwMessage>, timer: u64) {
        match timer {
            NEW_VALUE => {
                let register = self.fresh_register(ctx.id());
                ctx.write(register, Overwrite::Fresh);
                let reader = ctx.random_other();
                ctx.send(reader, LwwMessage::Saw(register));
                self.next_value(ctx);
            }
            TURN => self.take_turn(ctx),
            RESEND => self.pass(ctx),
            register => ctx.write(register, Overwrite::Seen),
        }
    }

    fn on_restart(&mut self, ctx: &mut Ctx<'_, LwwMessage>) {
        // The turn went on without this node, or waits to be sent again by whoever had it before.
        self.next_value(ctx);
    }
}
