//! What is done to clocks while a run goes on: steered, swung, slewed, strobed, left to wander,
//! corrected over the network.

use super::{Core, Due};
use crate::{Distribution, EventKind, NodeIndex, clock::Correction};

/// NTP slews at most half a millisecond a second.
const MAX_SLEW_PPB: i128 = 500_000;
/// How often a rate that wanders changes.
pub(super) const WANDER_EVERY_NS: u64 = 4_000_000_000;
/// The square root of that in seconds: by how much a step is larger than that of a second.
const WANDER_STEP: f64 = 2.0;
/// A sine is drawn in so many straight lines.
const LINES: u64 = 32;
/// Clocks run between half and one and a half times as fast as time.
const FASTEST_PPB: i64 = 500_000_000;

/// What a rate is made of: all of it adds up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    crystal: i64,
    /// What a discipline adds.
    steering: i64,
    /// What slews under way add.
    slewing: i64,
}

impl Rates {
    pub(super) const fn of_crystal(ppb: i64) -> Self {
        Self { crystal: ppb, steering: 0, slewing: 0 }
    }

    fn sum(self) -> i64 {
        let sum = self.crystal.saturating_add(self.steering).saturating_add(self.slewing);
        sum.clamp(-FASTEST_PPB, FASTEST_PPB)
    }
}

/// What is done to a clock.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tending {
    /// A statistical discipline sets a new target.
    Steer,
    /// The next straight line of a swing.
    Swing,
    /// The crystal changes its rate.
    Wander,
    /// A slew has moved the clock as far as it was to, and takes its rate back.
    Slewed(i64),
    /// A freeze is over.
    Thaw,
    /// The clock stands still for a while, as that of a guest that is suspended.
    Suspend,
    /// It is set: by so much, for better or worse.
    Set { by_ns: i64 },
    /// The client asks for the time.
    Poll,
    /// The server is asked; the client's reading at the poll goes along.
    Serve { sent: u64 },
    /// The answer arrives.
    Answer { sent: u64, server: u64 },
}

/// A clock that jumps away and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strobe {
    pub(super) node: NodeIndex,
    pub(super) by_ns: i64,
    pub(super) every_ns: u64,
    pub(super) until: u64,
    /// Whether it is away now.
    pub(super) away: bool,
}

impl<M> Core<M> {
    pub(super) fn tend(&mut self, node: NodeIndex, tending: Tending) {
        match tending {
            Tending::Steer => self.steer(node),
            Tending::Swing => self.swing(node),
            Tending::Wander => self.wander(node),
            Tending::Slewed(ppb) => {
                self.change_rate(node, |rates| rates.slewing = rates.slewing.saturating_sub(ppb));
            }
            Tending::Thaw => self.thaw(node),
            Tending::Suspend => self.suspend(node),
            Tending::Set { by_ns } => self.jump(node, by_ns),
            Tending::Poll => self.poll(node),
            Tending::Serve { sent } => self.serve(node, sent),
            Tending::Answer { sent, server } => self.answer(node, sent, server),
        }
    }

    fn later(&mut self, after: u64, node: NodeIndex, tending: Tending) {
        self.queue.push(self.now.saturating_add(after), Due::Clock(node, tending));
    }

    fn change_rate(&mut self, node: NodeIndex, change: impl FnOnce(&mut Rates)) {
        let of = &mut self.nodes[node.at()];
        change(&mut of.rates);
        of.clock.set_rate(self.now, of.rates.sum());
    }

    /// Runs at another rate from here on, whatever a statistical discipline had it run at.
    pub(super) fn set_crystal(&mut self, node: NodeIndex, ppb: i64) {
        let keeps_steering = self.clocks.ntp.is_some();
        self.change_rate(node, |rates| {
            rates.crystal = ppb;
            rates.steering = if keeps_steering { rates.steering } else { 0 };
        });
    }

    /// Runs faster or slower until the clock is moved by so much.
    pub(super) fn slew(&mut self, node: NodeIndex, by_ns: i64, ppb: u64) {
        let ppb = i64::try_from(ppb.max(1)).unwrap_or(i64::MAX).min(FASTEST_PPB);
        let takes = i128::from(by_ns.unsigned_abs()) * 1_000_000_000 / i128::from(ppb);
        let takes = u64::try_from(takes).unwrap_or(u64::MAX);
        let ppb = if by_ns < 0 { -ppb } else { ppb };
        self.change_rate(node, |rates| rates.slewing = rates.slewing.saturating_add(ppb));
        self.later(takes, node, Tending::Slewed(ppb));
    }

    pub(super) fn freeze(&mut self, node: NodeIndex, for_ns: u64) {
        let of = &mut self.nodes[node.at()];
        of.clock.freeze(self.now);
        of.frozen_until = of.frozen_until.max(self.now.saturating_add(for_ns));
        self.later(for_ns, node, Tending::Thaw);
    }

    /// Another freeze may have begun meanwhile.
    fn thaw(&mut self, node: NodeIndex) {
        let of = &mut self.nodes[node.at()];
        if of.frozen_until <= self.now {
            of.clock.thaw(self.now);
        }
    }

    /// Jumps the other way, unless it is over and the clock is back.
    pub(super) fn strobe(&mut self, strobe: Strobe) {
        let over = self.now >= strobe.until;
        if over && !strobe.away {
            return;
        }
        let by_ns = if strobe.away { strobe.by_ns.saturating_neg() } else { strobe.by_ns };
        self.nodes[strobe.node.at()].clock.step(self.now, by_ns);
        self.record(strobe.node, EventKind::ClockFault { by_ns }, None);
        let next = self.now.saturating_add(strobe.every_ns);
        // When it is over the clock is back.
        let next = if strobe.away { next } else { next.min(strobe.until) };
        self.queue.push(next, Due::Strobe(Strobe { away: !strobe.away, ..strobe }));
    }

    /// Steers a disciplined clock towards its next target.
    fn steer(&mut self, node: NodeIndex) {
        let Some(discipline) = self.clocks.discipline else { return };
        let target = discipline.target.sample(&mut self.nodes[node.at()].clock_rng);
        let every = discipline.every_ns.max(1);
        self.head_for(node, i128::from(target), every, MAX_SLEW_PPB);
        self.later(every, node, Tending::Steer);
    }

    fn swing(&mut self, node: NodeIndex) {
        let Some(sine) = self.clocks.sine else { return };
        let line = (sine.period_ns / LINES).max(1);
        let of = &mut self.nodes[node.at()];
        of.phase_ns = (of.phase_ns + line) % sine.period_ns.max(1);
        let turn = of.phase_ns as f64 / sine.period_ns.max(1) as f64;
        let height = libm::sin(turn * 2.0 * std::f64::consts::PI) * sine.amplitude_ns as f64;
        let target = libm::round(height) as i128;
        self.head_for(node, target, line, FASTEST_PPB.into());
        self.later(line, node, Tending::Swing);
    }

    /// Sets the rate at which the offset is `target` after a while, within a limit.
    fn head_for(&mut self, node: NodeIndex, target: i128, after: u64, most_ppb: i128) {
        let offset = self.nodes[node.at()].clock.offset(self.now);
        let ppb = (target - offset) * 1_000_000_000 / i128::from(after);
        let ppb = i64::try_from(ppb.clamp(-most_ppb, most_ppb)).unwrap_or(0);
        self.change_rate(node, |rates| {
            rates.steering = ppb.saturating_sub(rates.crystal).saturating_sub(rates.slewing);
        });
    }

    fn wander(&mut self, node: NodeIndex) {
        let step = Distribution::normal(self.clocks.wander_ppb as f64 * WANDER_STEP);
        let by = step.sample(&mut self.nodes[node.at()].wander_rng);
        self.change_rate(node, |rates| rates.crystal = rates.crystal.saturating_add(by));
        self.later(WANDER_EVERY_NS, node, Tending::Wander);
    }

    /// Asks the server for the time. A node that is down or suspended asks again later.
    fn poll(&mut self, node: NodeIndex) {
        let Some(ntp) = self.clocks.ntp else { return };
        self.later(ntp.poll_ns.max(1), node, Tending::Poll);
        if ntp.server == Some(node) {
            return;
        }
        let (now, runs) = (self.now, self.runs(node));
        let of = &mut self.nodes[node.at()];
        let sent = of.clock.read(now);
        let ppb = of.ntp.poll(sent);
        let offline = ntp.gaps.is_some_and(|gaps| of.reach.is_offline(&gaps, now, &mut of.ntp_rng));
        self.change_rate(node, |rates| rates.steering = ppb);
        if offline || !runs {
            return;
        }
        let of = &mut self.nodes[node.at()];
        let way = match ntp.server {
            Some(server) => self.network.poll(node, server, &mut of.ntp_rng),
            None => Some(ntp.forth.sample_unsigned(&mut of.ntp_rng)),
        };
        if let Some(way) = way {
            self.later(way, node, Tending::Serve { sent });
        }
    }

    /// The server answers. One that is down or suspended does not: its client goes on with the rate
    /// that it has learned.
    fn serve(&mut self, node: NodeIndex, sent: u64) {
        let Some(ntp) = self.clocks.ntp else { return };
        if ntp.server.is_some_and(|server| !self.runs(server)) {
            return;
        }
        let reading = ntp.server.map_or(self.now, |server| self.local_ns(server));
        let rng = &mut self.nodes[node.at()].ntp_rng;
        let way = match ntp.server {
            Some(server) => self.network.poll(server, node, rng),
            None => Some(ntp.back.sample_unsigned(rng)),
        };
        if let Some(way) = way {
            self.later(way, node, Tending::Answer { sent, server: reading });
        }
    }

    fn answer(&mut self, node: NodeIndex, sent: u64, server: u64) {
        let Some(ntp) = self.clocks.ntp else { return };
        if !self.runs(node) {
            return;
        }
        let of = &mut self.nodes[node.at()];
        let now = of.clock.read(self.now);
        match of.ntp.reply(&ntp, sent, server, now) {
            Correction::Jump(by_ns) => {
                let ppb = of.ntp.rate_ppb();
                self.change_rate(node, |rates| rates.steering = ppb);
                self.jump(node, by_ns);
            }
            Correction::Steer(ppb) => self.change_rate(node, |rates| rates.steering = ppb),
        }
    }

    /// A clock is set.
    fn jump(&mut self, node: NodeIndex, by_ns: i64) {
        self.nodes[node.at()].clock.step(self.now, by_ns);
        self.change_rate(node, |_| {});
        self.record(node, EventKind::ClockFault { by_ns }, None);
    }

    /// Stands still, runs on behind, and is set.
    fn suspend(&mut self, node: NodeIndex) {
        let Some(model) = self.clocks.suspensions else { return };
        let rng = &mut self.nodes[node.at()].clock_rng;
        let lasts = model.lasts.sample_unsigned(rng).min(model.lasts_most_ns);
        let unnoticed = model.unnoticed.sample_unsigned(rng);
        let (is_back, next) = (rng.chance(model.back), model.every.sample_unsigned(rng));
        let by_ns = i64::try_from(lasts).unwrap_or(i64::MAX);
        let by_ns = if is_back { -by_ns } else { by_ns };
        self.record(node, EventKind::ClockFault { by_ns: 0 }, None);
        self.freeze(node, lasts);
        let set = lasts.saturating_add(unnoticed);
        self.later(set, node, Tending::Set { by_ns });
        self.later(set.saturating_add(next.max(1)), node, Tending::Suspend);
    }
}
