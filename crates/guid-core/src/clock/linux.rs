//! The clocks of Linux, without the detour over `std`'s types.
//!
//! `SystemTime::duration_since` hands its result through memory in two sizes, which costs as much
//! as half a reading of the clock. Here seconds and nanoseconds come as they are.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since 1970: before it zero, after 2554 the end of time.
#[inline]
pub(super) fn unix_nanos(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    let Ok(seconds) = u64::try_from(now.tv_sec) else { return 0 };
    // The kernel keeps them below a second.
    let nanos = u64::try_from(now.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}
