//! Clocks that are wrong in known ways: piecewise linear, in integers.
//!
//! Between changes a clock is a line through an anchor: with e the nanoseconds of true time since
//! then, it reads `local + e + floor(e · ppb / 10⁹)`. Every change (a step, another rate, a freeze)
//! moves the anchor, so a reading is exact at any distance.
//!
//! # Invariants
//!
//! Rate changes, freezes and thaws never make the reading jump; only a step does.

mod model;
mod ntp;

use std::{cell::Cell, rc::Rc};

use guid_core::Clock;

pub(crate) use self::ntp::{Correction, NtpState};
pub use self::{
    model::{Astray, ClockModel, Discipline, FixedClock, RATE_MOST_PPB, Sine, Suspensions},
    ntp::{Gaps, Ntp},
};

const BILLION: i128 = 1_000_000_000;

/// The latest reading: 36 years before the end of time, so that no generator can count to the end.
const LATEST: u64 = u64::MAX - (1 << 60);

/// The clock of one node: what it reads at a moment of true time.
///
/// # Examples
///
/// ```
/// use guid_sim::NodeClock;
///
/// let mut clock = NodeClock::new(1_000_000_000, 250_000_000, 20_000); // 250 ms ahead, +20 ppm
/// assert_eq!(clock.read(1_000_000_000), 1_250_000_000);
/// assert_eq!(clock.read(2_000_000_000), 2_250_020_000);
/// clock.step(2_000_000_000, -1_000_000_000);
/// assert_eq!(clock.read(2_000_000_000), 1_250_020_000);
/// ```
#[derive(Clone, Debug)]
pub struct NodeClock {
    anchor_true: u64,
    anchor_local: i128,
    ppb: i64,
    frozen: bool,
    /// The clock shows multiples of this.
    granularity_ns: u64,
}

impl NodeClock {
    /// Returns a clock that is off by `offset_ns` at the true time `at`, and runs at `ppb`.
    pub fn new(at: u64, offset_ns: i64, ppb: i64) -> Self {
        let anchor_local = i128::from(at) + i128::from(offset_ns);
        Self { anchor_true: at, anchor_local, ppb, frozen: false, granularity_ns: 1 }
    }

    /// Shows multiples of `granularity_ns` only, as the coarse timers of some systems do.
    #[must_use]
    pub fn with_granularity(self, granularity_ns: u64) -> Self {
        Self { granularity_ns: granularity_ns.max(1), ..self }
    }

    fn local(&self, at: u64) -> i128 {
        if self.frozen {
            return self.anchor_local;
        }
        let elapsed = i128::from(at) - i128::from(self.anchor_true);
        self.anchor_local + elapsed + error_ns(elapsed, self.ppb)
    }

    /// What the clock reads at a moment of true time, held between 1970 and 2517.
    pub fn read(&self, at: u64) -> u64 {
        let local = u64::try_from(self.local(at).max(0)).unwrap_or(LATEST).min(LATEST);
        if self.granularity_ns == 1 { local } else { local - local % self.granularity_ns }
    }

    /// Reading minus true time.
    pub fn offset(&self, at: u64) -> i128 {
        self.local(at) - i128::from(at)
    }

    fn anchor(&mut self, at: u64) {
        (self.anchor_local, self.anchor_true) = (self.local(at), at);
    }

    /// Jumps by `by_ns`.
    pub fn step(&mut self, at: u64, by_ns: i64) {
        self.anchor(at);
        self.anchor_local += i128::from(by_ns);
    }

    /// Runs at another rate from here on.
    pub fn set_rate(&mut self, at: u64, ppb: i64) {
        self.anchor(at);
        self.ppb = ppb;
    }

    /// Stands still from here on.
    pub fn freeze(&mut self, at: u64) {
        self.anchor(at);
        self.frozen = true;
    }

    /// Runs again, from where it stood.
    pub fn thaw(&mut self, at: u64) {
        self.anchor(at);
        self.frozen = false;
    }

    /// The rate error, in parts per billion.
    pub fn ppb(&self) -> i64 {
        self.ppb
    }

    /// How long `local_ns` of this clock's pace last in true time. Steps and freezes do not count:
    /// timers run on the monotonic clock, which has the rate error but never jumps.
    pub fn true_delay(&self, local_ns: u64) -> u64 {
        if self.ppb == 0 {
            return local_ns;
        }
        let pace = BILLION + i128::from(self.ppb);
        let delay = (i128::from(local_ns) * BILLION).div_euclid(pace);
        u64::try_from(delay).unwrap_or(u64::MAX)
    }
}

/// How far a rate error takes a clock in `elapsed` nanoseconds of true time: floor division, so
/// that a reading never runs backwards through rounding. In 64 bits where those are enough: at 500
/// ppm, for half a year.
fn error_ns(elapsed: i128, ppb: i64) -> i128 {
    if ppb == 0 {
        return 0;
    }
    let short = i64::try_from(elapsed).ok().and_then(|elapsed| elapsed.checked_mul(ppb));
    short.map_or_else(
        || (elapsed * i128::from(ppb)).div_euclid(BILLION),
        |short| i128::from(short.div_euclid(1_000_000_000)),
    )
}

/// The local clock as a node's own code sees it: a [`Clock`] for generators and replicas.
///
/// The simulator sets it before it calls the node. Cloned, it is still the same clock.
#[derive(Clone, Debug, Default)]
pub struct LocalClock(Rc<Cell<u64>>);

impl LocalClock {
    pub(crate) fn set(&self, ns: u64) {
        self.0.set(ns);
    }
}

impl Clock for LocalClock {
    fn unix_nanos(&self) -> u64 {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_step_makes_the_reading_jump() {
        let mut clock = NodeClock::new(0, 0, -35_000);
        let at = 10_000_000_007;
        let before = clock.read(at);
        clock.set_rate(at, 90_000);
        assert_eq!(clock.read(at), before);
        clock.freeze(at);
        assert_eq!(clock.read(at + 5_000), before);
        clock.thaw(at + 5_000);
        assert_eq!(clock.read(at + 5_000), before);
        clock.step(at + 5_000, -1_638_400_000);
        assert_eq!(clock.read(at + 5_000), before - 1_638_400_000);
    }

    #[test]
    fn a_coarse_clock_shows_multiples() {
        let clock = NodeClock::new(0, 7, 0).with_granularity(100);
        assert_eq!([0, 92, 93, 192].map(|at| clock.read(at)), [0, 0, 100, 100]);
    }

    #[test]
    fn readings_stay_on_the_scale() {
        let mut clock = NodeClock::new(5, -10, 0);
        assert_eq!(clock.read(5), 0);
        clock.step(5, i64::MAX);
        clock.step(5, i64::MAX);
        clock.step(5, i64::MAX);
        assert_eq!(clock.read(u64::MAX), LATEST);
    }

    #[test]
    fn a_fast_clock_fires_early() {
        let clock = NodeClock::new(0, 0, 1_000_000); // 1000 ppm fast
        assert_eq!(clock.true_delay(1_001_000_000), 1_000_000_000);
    }
}
