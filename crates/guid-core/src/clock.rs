//! Clocks: where a generator reads the time.
//!
//! A generator takes any [`Clock`]; a closure is one. The wall clock is read in one file,
//! [`SystemClock`]'s, and nowhere else in the workspace (with the features `coarse` and
//! `fast-clock`, on Linux, in one file of system calls too).

#[cfg(feature = "std")]
mod system;
#[cfg(all(any(feature = "coarse", feature = "fast-clock"), target_os = "linux"))]
mod linux;
#[cfg(all(feature = "coarse", target_os = "linux"))]
mod coarse;
#[cfg(target_has_atomic = "64")]
mod manual;
mod inverse;

use crate::Epoch;

#[cfg(all(feature = "coarse", target_os = "linux"))]
pub use self::coarse::CoarseClock;
pub use self::inverse::InverseClock;
#[cfg(target_has_atomic = "64")]
pub use self::manual::ManualClock;
#[cfg(feature = "std")]
pub use self::system::SystemClock;

/// A source of time.
///
/// It may step back, stand still, or lie: a generator stays strict over any clock.
///
/// # Examples
///
/// ```
/// use guid_core::{Clock, LocalGenerator, NodeId};
///
/// let mut readings = [3 << 17, 5 << 17, 4 << 17].into_iter().cycle();
/// let clock = std::sync::Mutex::new(readings);
/// let clock = || clock.lock().unwrap().next().unwrap();
/// let mut ids = LocalGenerator::new(NodeId::new(1), clock);
/// let (a, b, c) = (ids.next(), ids.next(), ids.next());
/// assert!(a < b && b < c); // though the clock went back
/// ```
pub trait Clock {
    /// Nanoseconds since 1970-01-01T00:00:00Z, or since another epoch for a clock
    /// [`since`](Self::since) it.
    fn unix_nanos(&self) -> u64;

    /// Returns this clock counting from another epoch.
    fn since(self, epoch: Epoch) -> SinceEpoch<Self>
    where
        Self: Sized,
    {
        SinceEpoch { clock: self, epoch }
    }
}

impl<F: Fn() -> u64> Clock for F {
    fn unix_nanos(&self) -> u64 {
        self()
    }
}

/// A clock that counts from an [`Epoch`]: made by [`Clock::since`]. Before the epoch it reads zero.
///
/// # Examples
///
/// ```
/// use guid_core::{Clock, Epoch, ManualClock};
///
/// let clock = ManualClock::new(7_000).since(Epoch::from_unix_nanos(5_000));
/// assert_eq!(clock.unix_nanos(), 2_000);
/// let early = ManualClock::new(1_000).since(Epoch::from_unix_nanos(5_000));
/// assert_eq!(early.unix_nanos(), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SinceEpoch<C> {
    clock: C,
    epoch: Epoch,
}

impl<C: Clock> Clock for SinceEpoch<C> {
    fn unix_nanos(&self) -> u64 {
        self.epoch.since(self.clock.unix_nanos())
    }
}
