//! What the engine keeps of a node.

use std::{any::Any, rc::Rc};

use crate::{
    ClockModel, Distribution, FixedClock, Gaps, LocalClock, NodeClock, NodeIndex, Purpose, Rng,
    Streams, clock::NtpState,
};

use super::clocks::{Rates, Tending, WANDER_EVERY_NS};

/// Nobody is in or out of reach for less than a second: so that looking takes no long time.
const SHORTEST_NS: u64 = 1_000_000_000;

/// What survives a crash.
#[derive(Clone, Debug, Default)]
pub(super) struct Stable {
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) value: Option<Rc<dyn Any>>,
}

pub(super) struct Node {
    pub(super) clock: NodeClock,
    pub(super) local: LocalClock,
    pub(super) incarnation: u32,
    pub(super) rates: Rates,
    pub(super) ntp: NtpState,
    /// Whether its client reaches anybody.
    pub(super) reach: Reach,
    /// Whether nobody looks after its clock, so that it is off for good.
    astray: bool,
    /// Whether offset and rate are drawn and disciplined, and not set by hand.
    drawn: bool,
    /// Where in its swing a clock is that swings, in nanoseconds.
    pub(super) phase_ns: u64,
    pub(super) clock_rng: Rng,
    pub(super) wander_rng: Rng,
    pub(super) ntp_rng: Rng,
    pub(super) network_rng: Rng,
    pub(super) reorder_rng: Rng,
    pub(super) workload_rng: Rng,
    pub(super) stable: Stable,
    /// What was in stable storage at the last snapshot.
    pub(super) snapshot: Stable,
    /// When a suspended node comes back; in the past for one that runs.
    pub(super) paused_until: u64,
    /// Whether it runs, suspended or not.
    pub(super) up: bool,
    /// When the last freeze of its clock ends; in the past for a clock that runs.
    pub(super) frozen_until: u64,
}

impl Node {
    pub(super) fn new(node: NodeIndex, start: u64, model: &ClockModel, streams: Streams) -> Self {
        let mut clock_rng = streams.of(node, Purpose::Clock);
        let (offset, rate) =
            (model.offset.sample(&mut clock_rng), model.rate.sample(&mut clock_rng));
        let (offset, rate, astray) = odd(model, offset, rate, &mut clock_rng);
        let phase_ns = model.sine.map_or(0, |sine| clock_rng.below(sine.period_ns.max(1)));
        let fixed = model.fixed.iter().find(|fixed| fixed.node == node);
        let (offset, ppb) = fixed.map_or((offset, rate), |fixed| (fixed.offset_ns, fixed.ppb));
        // One that is set by hand as far off as those that are astray is one of them.
        let is_far = |of: &FixedClock, by: Distribution| {
            of.offset_ns.unsigned_abs() >= by.least_ns().unsigned_abs()
        };
        let astray = match (fixed, model.astray) {
            (Some(fixed), Some(all)) => is_far(fixed, all.by),
            (Some(_), None) => false,
            (None, _) => astray,
        };
        let clock = NodeClock::new(start, offset, ppb).with_granularity(model.granularity_ns);
        let local = LocalClock::default();
        local.set(clock.read(start));
        Self {
            clock,
            local,
            incarnation: 1,
            rates: Rates::of_crystal(ppb),
            ntp: NtpState::default(),
            reach: Reach::default(),
            astray,
            drawn: fixed.is_none(),
            phase_ns,
            clock_rng,
            wander_rng: streams.of(node, Purpose::Wander),
            ntp_rng: streams.of(node, Purpose::Ntp),
            network_rng: streams.of(node, Purpose::Network),
            reorder_rng: streams.of(node, Purpose::Reorder),
            workload_rng: streams.of(node, Purpose::Workload),
            stable: Stable::default(),
            snapshot: Stable::default(),
            paused_until: 0,
            up: true,
            frozen_until: 0,
        }
    }

    /// What is done to the clock over and over, and when it begins. Under a time protocol a clock
    /// that was set by hand is corrected too: that is how its crystal and its start are chosen.
    pub(super) fn tendings(&mut self, model: &ClockModel) -> Vec<(u64, Tending)> {
        let mut tendings = Vec::new();
        if self.drawn && model.discipline.is_some() {
            tendings.push((0, Tending::Steer));
        }
        if self.drawn && model.sine.is_some() {
            tendings.push((0, Tending::Swing));
        }
        if model.wander_ppb > 0 {
            tendings.push((WANDER_EVERY_NS, Tending::Wander));
        }
        if let Some(ntp) = model.ntp.filter(|_| !self.astray) {
            // Clients that come and go do not all come at once.
            let first = ntp.gaps.map_or(0, |_| self.ntp_rng.below(ntp.poll_ns.max(1)));
            tendings.push((first, Tending::Poll));
        }
        if let Some(suspensions) = model.suspensions.filter(|_| self.drawn) {
            let first = suspensions.every.sample_unsigned(&mut self.clock_rng);
            tendings.push((first, Tending::Suspend));
        }
        tendings
    }
}

/// Whether a client is in reach, from one change to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    offline: bool,
    until: u64,
}

impl Reach {
    /// Whether it is out of reach now. Later calls are of later times.
    pub(super) fn is_offline(&mut self, gaps: &Gaps, now: u64, rng: &mut Rng) -> bool {
        if self.until == 0 {
            self.until = now.saturating_add(gaps.online.sample_unsigned(rng)).max(1);
        }
        while self.until <= now {
            self.offline = !self.offline;
            let lasts = if self.offline { gaps.offline } else { gaps.online };
            self.until = self.until.saturating_add(lasts.sample_unsigned(rng).max(SHORTEST_NS));
        }
        self.offline
    }
}

/// Offset and rate with what only some models have, and whether the clock is astray: drawn after
/// the others, and only there.
fn odd(model: &ClockModel, mut offset: i64, mut rate: i64, rng: &mut Rng) -> (i64, i64, bool) {
    let mut is_astray = false;
    if model.rate_either_way {
        let most = crate::RATE_MOST_PPB;
        rate = if rng.chance(0.5) { rate } else { -rate }.clamp(-most, most);
    }
    if let Some(astray) = model.astray
        && rng.chance(astray.part)
    {
        let by = astray.by.sample(rng);
        offset = if rng.chance(0.5) { by } else { -by };
        is_astray = true;
    }
    (offset, rate, is_astray)
}
