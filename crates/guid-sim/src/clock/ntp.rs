//! A client of a time protocol: what it asks, how it filters, how it steers.
//!
//! A poll measures θ = server − (sent + received) / 2. That is off by (back − forth) / 2, the half
//! of what the ways differ by, which no client can see: a path of 10 ms forth and 30 ms back leaves
//! its clock 10 ms behind. Of the last eight polls only one that took the shortest round trip is
//! believed (queues only ever add), or one whose offset no round trip explains. What is believed is
//! worked off until the next poll, within a limit, or jumped over beyond a threshold; and what has
//! come anew since the last poll that was believed is the crystal's: a part of that corrects the
//! rate for good.
//!
//! # References
//!
//! Mills, "Internet Time Synchronization: the Network Time Protocol", 1991, sections 3 and 4 (the
//! offset and its error, the clock filter).

use super::RATE_MOST_PPB;
use crate::{Distribution, NodeIndex};

/// How many round trips are compared.
const FILTER: usize = 8;
/// The part of a measured offset that is worked off until the next poll, and the part of what was
/// off against expectation that corrects the rate.
const PHASE_PER_MILLE: i128 = 750;
const RATE_PER_MILLE: i128 = 500;

/// A client that polls for the time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Ntp {
    /// The node that serves time; `None` for a source outside that is right.
    pub server: Option<NodeIndex>,
    /// The way to a source outside, and back. The way to a node is that of all messages.
    pub forth: Distribution,
    /// The way back.
    pub back: Distribution,
    /// From poll to poll.
    pub poll_ns: u64,
    /// Offsets beyond this are jumped over; `None` for never.
    pub step_ns: Option<u64>,
    /// The fastest that an offset is worked off, in parts per billion.
    pub slew_ppb: i64,
}

impl Ntp {
    /// Returns a client with `ntpd`'s limits: jumps beyond 128 ms, slews at 500 ppm, polls every
    /// 64 s a source outside that is this far away, both ways.
    pub const fn new(path: Distribution) -> Self {
        Self {
            server: None,
            forth: path,
            back: path,
            poll_ns: 64_000_000_000,
            step_ns: Some(128_000_000),
            slew_ppb: 500_000,
        }
    }
}

/// What a client remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct NtpState {
    round_trips: Vec<u64>,
    /// The correction of the rate that was learned.
    learned_ppb: i64,
    /// When a poll was believed last, and what offset is left of it if the rate is right.
    believed: Option<(u64, i128)>,
    /// How many answers came.
    answers: u64,
}

/// What a client does after a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Correction {
    Jump(i64),
    /// The rate is this much off that of the crystal, until the next poll.
    Steer(i64),
}

impl NtpState {
    pub(crate) const fn answers(&self) -> u64 {
        self.answers
    }

    pub(crate) const fn learned_ppb(&self) -> i64 {
        self.learned_ppb
    }

    /// Decides what to do about one poll, all in readings of the client but for the server's.
    pub(crate) fn reply(
        &mut self,
        ntp: &Ntp,
        sent: u64,
        server: u64,
        now: u64,
    ) -> Option<Correction> {
        self.answers += 1;
        let round_trip = now.saturating_sub(sent);
        if self.round_trips.len() == FILTER {
            self.round_trips.remove(0);
        }
        // A thousandth may come from the client's own rate.
        let shortest = self.round_trips.iter().all(|&other| round_trip <= other + other / 1_000);
        self.round_trips.push(round_trip);
        let middle = (i128::from(sent) + i128::from(now)).div_euclid(2);
        let offset = i128::from(server) - middle;
        // No way that is slow explains an offset of more than half the round trip.
        if !shortest && offset.unsigned_abs() <= u128::from(round_trip) {
            // What was still to be worked off by now has been.
            return Some(Correction::Steer(self.learned_ppb));
        }
        if ntp.step_ns.is_some_and(|step| offset.unsigned_abs() > u128::from(step)) {
            self.believed = None;
            return i64::try_from(offset).ok().map(Correction::Jump);
        }
        let limit = i128::from(ntp.slew_ppb);
        let clamp = |ppb: i128| i64::try_from(ppb.clamp(-limit, limit)).unwrap_or(0);
        if let Some((at, expected)) = self.believed {
            let elapsed = i128::from(sent.saturating_sub(at).max(1));
            let anew = (offset - expected) * 1_000_000_000 / elapsed;
            // No crystal is off by more: something else moved the clock.
            if anew.unsigned_abs() <= RATE_MOST_PPB.unsigned_abs().into() {
                let learned = i128::from(self.learned_ppb) + anew * RATE_PER_MILLE / 1_000;
                self.learned_ppb = clamp(learned);
            }
        }
        let poll = i128::from(ntp.poll_ns.max(1));
        let phase = clamp(offset * PHASE_PER_MILLE * 1_000_000 / poll);
        self.believed = Some((sent, offset - i128::from(phase) * poll / 1_000_000_000));
        Some(Correction::Steer(self.learned_ppb.saturating_add(phase)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> Ntp {
        Ntp::new(Distribution::constant(0))
    }

    #[test]
    fn the_way_there_and_back_differ_and_nobody_sees_it() {
        // Right clocks, 10 ms forth and 30 ms back: measured as 10 ms ahead of the server.
        let correction = NtpState::default().reply(&client(), 0, 10_000_000, 40_000_000);
        // Three quarters of it by the next poll, 64 s away.
        let expected = -10_000_000_i64 * 3 / 4 / 64;
        let Some(Correction::Steer(ppb)) = correction else { panic!("{correction:?}") };
        assert!((ppb - expected).abs() <= 2, "{ppb} {expected}");
    }

    #[test]
    fn it_jumps_beyond_the_threshold_alone() {
        let reply = |server| NtpState::default().reply(&client(), 0, server, 0);
        assert_eq!(reply(128_000_001), Some(Correction::Jump(128_000_001)));
        assert!(matches!(reply(128_000_000), Some(Correction::Steer(_))));
        let never = Ntp { step_ns: None, ..client() };
        let slewed = NtpState::default().reply(&never, 0, 9_000_000_000, 0);
        assert_eq!(slewed, Some(Correction::Steer(500_000)), "at its limit");
    }

    #[test]
    fn what_comes_anew_is_the_crystals() {
        let (ntp, mut state) = (client(), NtpState::default());
        let second = 1_000_000_000;
        state.reply(&ntp, 0, 256_000, 0); // 256 us behind: three quarters are worked off
        // As expected: nothing is learned, and three quarters of the rest are worked off.
        let at = 64 * second;
        assert_eq!(state.reply(&ntp, at, at + 64_000, at), Some(Correction::Steer(750)));
        // 64 us more than expected: the crystal is 1 ppm slow, and half of that is learned.
        let (at, offset) = (128 * second, 16_000 + 64_000);
        let learned_and_phase = 500 + 937;
        let correction = state.reply(&ntp, at, at + offset, at);
        assert_eq!(correction, Some(Correction::Steer(learned_and_phase)));
    }

    #[test]
    fn a_slow_round_trip_is_not_believed() {
        let mut state = NtpState::default();
        state.reply(&client(), 0, 5_000, 10_000);
        let slow = state.reply(&client(), 0, 900_000, 1_000_000);
        assert_eq!(slow, Some(Correction::Steer(0)));
    }
}
