//! Time that runs backwards: the Go library's inverse clock.
//!
//! On purpose not a [`Clock`]: a strict generator on a falling clock would stand at its first
//! reading and count up, which is the opposite of newest first. Generate forward and take
//! [`Guid::inverse`](crate::Guid::inverse), which complements tick and sequence both.

use super::Clock;

/// Reads 2⁶⁴ − 1 − t where the clock inside reads t.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, Guid, InverseClock, ManualClock, NodeId, Stamp};
///
/// let now = 1_772_968_003_567_873_522;
/// let inverse = InverseClock::new(ManualClock::new(now));
/// let node = NodeId::new(4);
/// assert_eq!(
///     Guid::new(Drift::D7, node, Stamp::from_unix_nanos(inverse.nanos())).tick(),
///     Guid::new(Drift::D7, node, Stamp::from_unix_nanos(now)).inverse().tick(),
/// );
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseClock<C>(C);

impl<C: Clock> InverseClock<C> {
    /// Returns the inverse of a clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{InverseClock, ManualClock};
    ///
    /// let clock = InverseClock::new(ManualClock::new(0));
    /// assert_eq!(clock.nanos(), u64::MAX);
    /// ```
    pub const fn new(clock: C) -> Self {
        Self(clock)
    }

    /// 2⁶⁴ − 1 − the reading of the clock inside.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{InverseClock, ManualClock};
    ///
    /// let now = InverseClock::new(ManualClock::new(5)).nanos();
    /// let later = InverseClock::new(ManualClock::new(6)).nanos();
    /// assert!(later < now);
    /// ```
    pub fn nanos(&self) -> u64 {
        u64::MAX - self.0.unix_nanos()
    }
}
