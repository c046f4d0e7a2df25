//! Other crates' moments: [`SystemTime`](std::time::SystemTime) (feature `std`) and
//! `jiff::Timestamp` (feature `jiff`), from a [`Tick`] or a [`Stamp`] and back.
//!
//! Unix time on both sides: for IDs of a clock that counts from another
//! [`Epoch`](crate::Epoch), add it first. A moment becomes the tick that contains it, and a tick
//! its first nanosecond, so the way there and back rounds down by less than 131,072 ns.

use core::{error::Error, fmt};

#[cfg(any(feature = "std", feature = "jiff"))]
use crate::{Stamp, Tick};

/// A moment that no tick contains.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "std")] {
/// use std::time::{Duration, UNIX_EPOCH};
/// use guid_core::{Tick, TimeError};
///
/// let before = UNIX_EPOCH - Duration::from_nanos(1);
/// assert_eq!(Tick::try_from(before), Err(TimeError::BeforeUnixEpoch));
/// assert_eq!(TimeError::BeforeUnixEpoch.to_string(), "the moment is before 1970");
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeError {
    /// 2⁶⁴ ns after 1970, or later: in 2554.
    AfterEnd,
    /// Before 1970. (Upstream puts it at the end of time, silently.)
    BeforeUnixEpoch,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AfterEnd => "the moment is after the end of time, in 2554",
            Self::BeforeUnixEpoch => "the moment is before 1970",
        })
    }
}

impl Error for TimeError {}

/// The tick of nanoseconds since 1970, which may be outside the range.
#[cfg(any(feature = "std", feature = "jiff"))]
fn tick(unix_nanos: i128) -> Result<Tick, TimeError> {
    if unix_nanos < 0 {
        return Err(TimeError::BeforeUnixEpoch);
    }
    u64::try_from(unix_nanos).map(Tick::from_unix_nanos).map_err(|_| TimeError::AfterEnd)
}

/// The first stamp of a tick.
#[cfg(any(feature = "std", feature = "jiff"))]
const fn first(tick: Tick) -> Stamp {
    Stamp::from_unix_nanos(tick.unix_nanos())
}

#[cfg(feature = "std")]
mod system {
    use core::time::Duration;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::{TimeError, first};
    use crate::{Stamp, Tick};

    /// The first nanosecond of the tick.
    ///
    /// # Panics
    ///
    /// On a system whose time ends before 2554 and before this tick. None is known to us.
    impl From<Tick> for SystemTime {
        fn from(tick: Tick) -> Self {
            UNIX_EPOCH + Duration::from_nanos(tick.unix_nanos())
        }
    }

    impl From<Stamp> for SystemTime {
        fn from(stamp: Stamp) -> Self {
            stamp.tick().into()
        }
    }

    /// The tick that contains the moment.
    impl TryFrom<SystemTime> for Tick {
        type Error = TimeError;

        fn try_from(time: SystemTime) -> Result<Self, TimeError> {
            let since = time.duration_since(UNIX_EPOCH);
            let since = since.map_err(|_| TimeError::BeforeUnixEpoch)?;
            super::tick(i128::try_from(since.as_nanos()).unwrap_or(i128::MAX))
        }
    }

    /// The first stamp of the tick that contains the moment.
    impl TryFrom<SystemTime> for Stamp {
        type Error = TimeError;

        fn try_from(time: SystemTime) -> Result<Self, TimeError> {
            Tick::try_from(time).map(first)
        }
    }
}

#[cfg(feature = "jiff")]
mod jiff {
    use jiff::Timestamp;

    use super::{TimeError, first};
    use crate::{Stamp, Tick};

    /// The first nanosecond of the tick.
    impl From<Tick> for Timestamp {
        fn from(tick: Tick) -> Self {
            let nanos = i128::from(tick.unix_nanos());
            Self::from_nanosecond(nanos).expect("ticks end in 2554, civil time in 9999")
        }
    }

    impl From<Stamp> for Timestamp {
        fn from(stamp: Stamp) -> Self {
            stamp.tick().into()
        }
    }

    /// The tick that contains the moment.
    impl TryFrom<Timestamp> for Tick {
        type Error = TimeError;

        fn try_from(time: Timestamp) -> Result<Self, TimeError> {
            super::tick(time.as_nanosecond())
        }
    }

    /// The first stamp of the tick that contains the moment.
    impl TryFrom<Timestamp> for Stamp {
        type Error = TimeError;

        fn try_from(time: Timestamp) -> Result<Self, TimeError> {
            Tick::try_from(time).map(first)
        }
    }
}
