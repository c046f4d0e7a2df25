//! The coarse wall clock of Linux.

use rustix::time::ClockId;

use super::{Clock, linux};

/// The time of the last timer interrupt: up to 10 ms old (1 to 4 ms on common kernels), and
/// several times faster to read than [`SystemClock`](super::SystemClock).
///
/// Strictness does not depend on it: inside a step of the clock the sequence counts, and carries.
/// What it costs is that stamps are that much older than the ID.
///
/// # Examples
///
/// ```
/// use guid_core::{CoarseClock, Generator, NodeId};
///
/// let ids = Generator::on_clock(NodeId::new(7), CoarseClock::new());
/// assert!(ids.next() < ids.next());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CoarseClock;

impl CoarseClock {
    /// Returns the clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Clock, CoarseClock};
    ///
    /// assert!(CoarseClock::new().unix_nanos() > 1_577_836_800_000_000_000); // 2020
    /// ```
    pub const fn new() -> Self {
        Self
    }
}

impl Clock for CoarseClock {
    #[inline]
    fn unix_nanos(&self) -> u64 {
        linux::unix_nanos(ClockId::RealtimeCoarse)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::SystemClock;

    /// Never ahead of the exact clock read after it; the same wall, so not hours behind the one
    /// read before. (An administrator who sets the clock in between breaks this, nothing else.)
    #[test]
    fn it_reads_the_same_wall() {
        let before = SystemClock::new().unix_nanos();
        let coarse = CoarseClock::new().unix_nanos();
        assert!(coarse <= SystemClock::new().unix_nanos());
        assert!(before.saturating_sub(coarse) < 3_600_000_000_000);
    }
}
