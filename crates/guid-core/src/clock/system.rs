//! The wall clock: the only place of the workspace that reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Clock;

/// The clock of the operating system.
///
/// A moment before 1970 reads as zero, one after 2554 as the end of time.
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
    pub const fn new() -> Self {
        Self
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one clock that reads the wall")]
    fn unix_nanos(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // `as_nanos` is 128 bits wide: two instructions more on the path of every ID.
        let nanos = u64::from(since.subsec_nanos());
        since.as_secs().saturating_mul(1_000_000_000).saturating_add(nanos)
    }
}
