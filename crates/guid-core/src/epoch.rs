//! [`Epoch`]: the instant where a time scale reads zero.
//!
//! An ID does not carry its epoch. The clock that stamps it counts from one
//! ([`Clock::since`](crate::Clock::since)), and whoever reads a wall time back uses the same.

/// The instant where the time scale of a clock reads zero, in nanoseconds of Unix time.
///
/// # Examples
///
/// ```
/// use guid_core::{Clock, Epoch, ManualClock};
///
/// let epoch = Epoch::from_unix_nanos(1_700_000_000_000_000_000);
/// let clock = ManualClock::new(1_700_000_005_000_000_000).since(epoch);
/// assert_eq!(clock.unix_nanos(), 5_000_000_000);
/// assert_eq!(epoch.to_unix_nanos(5_000_000_000), 1_700_000_005_000_000_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(u64);

impl Epoch {
    /// 1970-01-01T00:00:00Z: what every clock counts from unless told otherwise.
    pub const UNIX: Self = Self(0);

    /// Returns the epoch at this moment of Unix time.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Epoch;
    ///
    /// assert_eq!(Epoch::from_unix_nanos(0), Epoch::UNIX);
    /// ```
    pub const fn from_unix_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The moment in Unix time.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Epoch;
    ///
    /// assert_eq!(Epoch::from_unix_nanos(5).as_unix_nanos(), 5);
    /// ```
    pub const fn as_unix_nanos(self) -> u64 {
        self.0
    }

    /// The Unix time of a moment counted from this epoch; wide, because it may lie after 2554.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Epoch;
    ///
    /// assert_eq!(Epoch::from_unix_nanos(5).to_unix_nanos(u64::MAX), (1 << 64) + 4);
    /// ```
    pub const fn to_unix_nanos(self, since: u64) -> u128 {
        self.0 as u128 + since as u128
    }

    /// Nanoseconds from this epoch to a moment of Unix time; zero for moments before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Epoch;
    ///
    /// assert_eq!(Epoch::from_unix_nanos(5).since(7), 2);
    /// assert_eq!(Epoch::from_unix_nanos(5).since(3), 0);
    /// ```
    pub const fn since(self, unix_nanos: u64) -> u64 {
        unix_nanos.saturating_sub(self.0)
    }
}
