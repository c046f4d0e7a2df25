//! A client of a time protocol: what it asks, how it filters, how it steers.
//!
//! A poll measures θ = server − (sent + received) / 2. That is off by (back − forth) / 2, the half
//! of what the ways differ by, which no client can see: a path of 10 ms forth and 30 ms back leaves
//! its clock 10 ms behind. Queues only ever add to a way, so of the last eight polls the one with
//! the least round trip is believed, older ones less and less, since the crystal has gone on since.
//! What is believed is worked off until the next poll, within a limit, or jumped over beyond a
//! threshold; and what has come anew since is the crystal's: a part of that corrects the rate for
//! good, a large one at first and a small one later, as the mean of ever more polls does.
//!
//! A poll that contradicts those before it, whatever way was slow, shows a clock that was moved, or
//! a crystal that has changed: the old polls are forgotten. It moves the rate only if the next one
//! says the same.
//!
//! # Invariants
//!
//! The offset of a remembered poll is what it would measure now: what was worked off since is taken
//! out of it.
//!
//! # References
//!
//! Mills, "Internet Time Synchronization: the Network Time Protocol", 1991, sections 3 and 4 (the
//! offset and its error, the clock filter); RFC 5905, section 10 (dispersion: trust that ages).

use super::RATE_MOST_PPB;
use crate::{Distribution, NodeIndex};

/// How many polls are compared.
const FILTER: usize = 8;
/// How fast a poll loses trust: twice what the protocol has, for crystals that wander.
const AGEING_PPB: i128 = 30_000;
/// The part of a believed offset that is worked off until the next poll.
const PHASE_PER_MILLE: i128 = 750;
/// The least part of what has come anew that corrects the rate, and after how many polls.
const RATE_PER_MILLE: i128 = 70;
const SETTLED: i128 = 8;

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
    /// When clients cannot be reached, if there are such times.
    pub gaps: Option<Gaps>,
}

/// Times in which a client polls nobody: it is switched off, or out of reach.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gaps {
    /// How long it is in reach.
    pub online: Distribution,
    /// How long it is not.
    pub offline: Distribution,
}

impl Gaps {
    /// Returns gaps of so long after so long.
    pub const fn new(online: Distribution, offline: Distribution) -> Self {
        Self { online, offline }
    }
}

impl Ntp {
    /// Returns a client with `ntpd`'s limits: jumps beyond 128 ms, slews at 500 ppm. It polls every
    /// 256 s (real clients go from 64 s to 1024 s) a source outside that is this far away, both
    /// ways.
    pub const fn new(path: Distribution) -> Self {
        Self {
            server: None,
            forth: path,
            back: path,
            poll_ns: 256_000_000_000,
            step_ns: Some(128_000_000),
            slew_ppb: 500_000,
            gaps: None,
        }
    }
}

/// What a client remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct NtpState {
    polls: Vec<Poll>,
    /// The correction of the rate that was learned, and from how many polls.
    learned_ppb: i64,
    lessons: i128,
    /// What works off the offset, and since when.
    phase_ppb: i64,
    since: u64,
    /// When a poll was believed last, which one, and what is left of its offset if the rate is
    /// right.
    believed: Option<Believed>,
}

/// A poll, by readings of the client.
#[derive(Clone, Copy, Debug)]
struct Poll {
    at: u64,
    offset: i128,
    round_trip: u64,
}

#[derive(Clone, Copy, Debug)]
struct Believed {
    at: u64,
    poll: u64,
    left: i128,
}

/// What a client does after a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Correction {
    Jump(i64),
    /// The rate is this much off that of the crystal, until the next poll.
    Steer(i64),
}

impl Poll {
    /// How far off it may be, at most: half of the round trip, and more with age.
    fn error(&self, now: u64) -> i128 {
        let age = i128::from(now.saturating_sub(self.at));
        i128::from(self.round_trip) / 2 + part(age, AGEING_PPB)
    }

    /// Whether no slow way explains how far apart two polls are.
    fn contradicts(&self, other: &Self) -> bool {
        (self.offset - other.offset).abs() > self.error(self.at) + other.error(self.at)
    }
}

/// So many parts per billion of a time.
fn part(ns: i128, ppb: i128) -> i128 {
    ns * ppb / 1_000_000_000
}

impl NtpState {
    /// A poll begins: what there was to work off by now has been. Returns the rate until its answer
    /// comes.
    pub(crate) fn poll(&mut self, now: u64) -> i64 {
        let gone = now.saturating_sub(self.since).into();
        let worked_off = part(gone, self.phase_ppb.into());
        for poll in &mut self.polls {
            poll.offset -= worked_off;
        }
        if let Some(believed) = &mut self.believed {
            believed.left -= worked_off;
        }
        (self.phase_ppb, self.since) = (0, now);
        self.learned_ppb
    }

    /// The rate between polls.
    pub(crate) const fn rate_ppb(&self) -> i64 {
        self.learned_ppb
    }

    /// Decides what to do about one poll, all in readings of the client but for the server's.
    pub(crate) fn reply(&mut self, ntp: &Ntp, sent: u64, server: u64, now: u64) -> Correction {
        self.poll(now);
        let middle = (i128::from(sent) + i128::from(now)).div_euclid(2);
        let offset = i128::from(server) - middle;
        let fresh = Poll { at: now, offset, round_trip: now.saturating_sub(sent) };
        let is_surprise = self.polls.iter().any(|old| fresh.contradicts(old));
        if is_surprise {
            self.polls.clear();
        } else if self.polls.len() == FILTER {
            self.polls.remove(0);
        }
        self.polls.push(fresh);
        let best = *self.polls.iter().min_by_key(|poll| poll.error(now)).unwrap_or(&fresh);
        if self.believed.is_some_and(|believed| best.at <= believed.poll) {
            return Correction::Steer(self.learned_ppb);
        }
        if ntp.step_ns.is_some_and(|step| best.offset.unsigned_abs() > u128::from(step)) {
            self.learn(ntp, &best, now, is_surprise);
            let by_ns = i64::try_from(best.offset).unwrap_or(i64::MAX);
            // From here on the clock reads that much more, and nothing is left.
            let at = now.saturating_add_signed(by_ns);
            self.polls.clear();
            self.since = at;
            self.believed = Some(Believed { at, poll: at, left: 0 });
            return Correction::Jump(by_ns);
        }
        self.learn(ntp, &best, now, is_surprise);
        let limit = i128::from(ntp.slew_ppb);
        let phase = best.offset * PHASE_PER_MILLE * 1_000_000 / i128::from(ntp.poll_ns.max(1));
        self.phase_ppb = clamped(phase, limit);
        self.believed = Some(Believed { at: now, poll: best.at, left: best.offset });
        Correction::Steer(self.learned_ppb.saturating_add(self.phase_ppb))
    }

    /// Corrects the rate by a part of what has come anew since the last poll that was believed.
    fn learn(&mut self, ntp: &Ntp, best: &Poll, now: u64, is_surprise: bool) {
        let Some(before) = self.believed else { return };
        let elapsed = i128::from(now.saturating_sub(before.at).max(1));
        let anew = (best.offset - before.left) * 1_000_000_000 / elapsed;
        if is_surprise && self.lessons >= SETTLED {
            // A clock that was moved once teaches nothing; a crystal that changed says so again.
            self.lessons = 0;
        } else if anew.unsigned_abs() <= RATE_MOST_PPB.unsigned_abs().into() {
            self.lessons = self.lessons.saturating_add(1);
            let per_mille = RATE_PER_MILLE.max(1_000 / (self.lessons + 1));
            let learned = i128::from(self.learned_ppb) + anew * per_mille / 1_000;
            self.learned_ppb = clamped(learned, ntp.slew_ppb.into());
        }
    }
}

fn clamped(ppb: i128, limit: i128) -> i64 {
    i64::try_from(ppb.clamp(-limit, limit)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn client() -> Ntp {
        Ntp { poll_ns: 64 * SECOND, ..Ntp::new(Distribution::constant(0)) }
    }

    #[test]
    fn the_way_there_and_back_differ_and_nobody_sees_it() {
        // Right clocks, 10 ms forth and 30 ms back: measured as 10 ms ahead of the server.
        let correction = NtpState::default().reply(&client(), 0, 10_000_000, 40_000_000);
        // Three quarters of it by the next poll, 64 s away.
        let expected = -10_000_000_i64 * 3 / 4 / 64;
        let Correction::Steer(ppb) = correction else { panic!("{correction:?}") };
        assert!((ppb - expected).abs() <= 2, "{ppb} {expected}");
    }

    #[test]
    fn it_jumps_beyond_the_threshold_alone() {
        let reply = |server| NtpState::default().reply(&client(), 0, server, 0);
        assert_eq!(reply(128_000_001), Correction::Jump(128_000_001));
        assert!(matches!(reply(128_000_000), Correction::Steer(_)));
        let never = Ntp { step_ns: None, ..client() };
        let slewed = NtpState::default().reply(&never, 0, 9_000_000_000, 0);
        assert_eq!(slewed, Correction::Steer(500_000), "at its limit");
    }

    /// A crystal of 50 ppm is off by 180 ms after an hour: each poll jumps, and teaches.
    #[test]
    fn jumps_teach_too() {
        let (ntp, mut state) = (client(), NtpState::default());
        let hour = 3_600 * SECOND;
        assert_eq!(state.reply(&ntp, 0, SECOND, 0), Correction::Jump(1_000_000_000));
        assert_eq!(state.learned_ppb, 0, "what was off at the start says nothing of the rate");
        let at = SECOND + hour;
        assert_eq!(state.reply(&ntp, at, at + 180_000_000, at), Correction::Jump(180_000_000));
        assert_eq!(state.learned_ppb, 25_000, "the half of it, at the first lesson");
    }

    #[test]
    fn what_comes_anew_is_the_crystals() {
        let (ntp, mut state) = (client(), NtpState::default());
        let reply = |state: &mut NtpState, second: u64, offset: u64| {
            let at = second * SECOND;
            state.reply(&ntp, at, at + offset, at)
        };
        // 256 us behind: three quarters are worked off, 3 ppm for 64 s.
        assert_eq!(reply(&mut state, 0, 256_000), Correction::Steer(3_000));
        // A quarter is left, as expected: nothing is learned.
        assert_eq!(reply(&mut state, 64, 64_000), Correction::Steer(750));
        // 64 us more than the 16 expected: the crystal is 1 ppm slow, and a third of that, at the
        // second lesson, is learned.
        let (learned, phase) = (333, 937);
        assert_eq!(reply(&mut state, 128, 16_000 + 64_000), Correction::Steer(learned + phase));
    }

    #[test]
    fn a_slow_round_trip_is_not_believed() {
        let mut state = NtpState::default();
        state.reply(&client(), 0, 5_000, 10_000);
        let slow = state.reply(&client(), SECOND, SECOND + 900_000, SECOND + 1_000_000);
        assert_eq!(slow, Correction::Steer(0));
        // So slow that it says something in any case: off by more than a way can hide.
        let far =
            state.reply(&client(), 2 * SECOND, 2 * SECOND + 90_000_000, 2 * SECOND + 1_000_000);
        assert_eq!(far, Correction::Steer(500_000));
    }

    #[test]
    fn a_poll_that_is_lost_lets_nothing_be_worked_off_twice() {
        let mut state = NtpState::default();
        state.reply(&client(), 0, 256_000, 0);
        assert_eq!(state.poll(64 * SECOND), 0, "three quarters are gone, and that is that");
        assert_eq!(state.poll(128 * SECOND), 0);
        assert_eq!(state.believed.unwrap().left, 64_000);
    }

    #[test]
    fn a_clock_that_was_moved_teaches_nothing_and_a_crystal_that_changed_does() {
        let (ntp, mut state) = (client(), NtpState::default());
        let mut at = 0;
        let mut reply = |state: &mut NtpState, offset: u64| {
            at += 64 * SECOND;
            state.reply(&ntp, at, at + offset, at)
        };
        for _ in 0..12 {
            reply(&mut state, 0);
        }
        assert_eq!(state.learned_ppb, 0);
        reply(&mut state, 20_000_000); // 20 ms at once would be 312 ppm
        assert_eq!(state.learned_ppb, 0);
        reply(&mut state, 5_000_000); // three quarters are worked off, and nothing has come anew
        assert!(state.learned_ppb.abs() < 10, "{}", state.learned_ppb);
        // 6.4 ms each 64 s are 100 ppm, and stay.
        reply(&mut state, 1_250_000 + 6_400_000);
        let learned = state.learned_ppb;
        assert!((20_000..60_000).contains(&learned), "{learned}");
    }
}
