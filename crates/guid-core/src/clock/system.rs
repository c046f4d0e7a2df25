//! The wall clock: the only place of the workspace that reads it.

use super::Clock;

/// The clock of the operating system.
///
/// A moment before 1970 reads as zero, one after 2554 as the end of time. With the feature
/// `fast-clock`, on Linux, the same clock is read a third faster.
///
/// # Examples
///
/// ```
/// use guid_core::{Clock, SystemClock};
///
/// let in_2020 = 1_577_836_800_000_000_000;
/// assert!(SystemClock::new().unix_nanos() > in_2020);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SystemClock;

impl SystemClock {
    /// Returns the clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId, SystemClock};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), SystemClock::new());
    /// assert!(ids.next() < ids.next());
    /// ```
    pub const fn new() -> Self {
        Self
    }
}

impl Clock for SystemClock {
    #[inline]
    fn unix_nanos(&self) -> u64 {
        wall_nanos()
    }
}

#[cfg(not(all(feature = "fast-clock", target_os = "linux")))]
use self::by_std as wall_nanos;

#[cfg(all(feature = "fast-clock", target_os = "linux"))]
#[inline]
fn wall_nanos() -> u64 {
    super::linux::unix_nanos(rustix::time::ClockId::Realtime)
}

#[cfg(any(test, not(all(feature = "fast-clock", target_os = "linux"))))]
#[expect(clippy::disallowed_methods, reason = "this is the one clock that reads the wall")]
fn by_std() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};

    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // `as_nanos` is 128 bits wide: two instructions more on the path of every ID.
    let nanos = u64::from(since.subsec_nanos());
    since.as_secs().saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However it is read, it is the wall: each reading is between two of `std`'s. (An
    /// administrator who sets the clock back in between breaks this, nothing else.)
    #[test]
    fn it_reads_the_wall() {
        let (before, now, after) = (by_std(), SystemClock::new().unix_nanos(), by_std());
        assert!(before <= now && now <= after);
    }
}
