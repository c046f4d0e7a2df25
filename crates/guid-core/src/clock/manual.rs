//! A clock that is set by hand: for tests, examples and simulations.

use core::sync::atomic::{AtomicU64, Ordering};

use super::Clock;

/// A clock that shows what it is set to. Borrowed, it can be set while a generator reads it.
///
/// # Examples
///
/// ```
/// use guid_core::{Generator, ManualClock, NodeId};
///
/// let clock = ManualClock::new(10 << 17);
/// let ids = Generator::on_clock(NodeId::new(1), &clock);
/// let a = ids.next();
/// clock.set(3 << 17); // an hour back, or a year
/// assert!(ids.next() > a);
/// ```
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Returns a clock that shows `unix_nanos`.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Clock, ManualClock};
    ///
    /// assert_eq!(ManualClock::new(5).unix_nanos(), 5);
    /// ```
    pub const fn new(unix_nanos: u64) -> Self {
        Self(AtomicU64::new(unix_nanos))
    }

    /// Sets it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Clock, ManualClock};
    ///
    /// let clock = ManualClock::new(5);
    /// clock.set(3);
    /// assert_eq!(clock.unix_nanos(), 3);
    /// ```
    pub fn set(&self, unix_nanos: u64) {
        self.0.store(unix_nanos, Ordering::Relaxed);
    }

    /// Moves it forward; at the end of time it stays there.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Clock, ManualClock};
    ///
    /// let clock = ManualClock::new(5);
    /// clock.advance(2);
    /// assert_eq!(clock.unix_nanos(), 7);
    /// clock.advance(u64::MAX);
    /// assert_eq!(clock.unix_nanos(), u64::MAX);
    /// ```
    pub fn advance(&self, nanos: u64) {
        let later = |now: u64| Some(now.saturating_add(nanos));
        // It never fails: `later` always has an answer. One atomic step, so no advance is lost.
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later).ok();
    }
}

impl Clock for ManualClock {
    fn unix_nanos(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clock for &ManualClock {
    fn unix_nanos(&self) -> u64 {
        (*self).unix_nanos()
    }
}
