//! [`Drift`]: the clock difference an ID is built to tolerate.
//!
//! The code ⟨d⟩ stands in the ID itself and fixes its *window* W = 2^(35 + code) ns: two IDs whose
//! true times differ by W + E or more (E the greatest skew) are in the right k-order, whoever made
//! them; closer ones may not be.

use crate::{error::RangeError, layout};
use core::time::Duration;

/// A tolerance, one of eight: the window inside which IDs of different nodes may be out of order.
///
/// | code | window |
/// |---|---|
/// | 0 | 34.36 s |
/// | 1 | 68.72 s |
/// | 2 | 137.44 s |
/// | 3 | 274.88 s (default) |
/// | 4 | 549.76 s |
/// | 5 | 1099.51 s |
/// | 6 | 2199.02 s |
/// | 7 | 4398.05 s |
///
/// Code 0 is found in IDs made by version 1 of the Go library; it is a full citizen here.
/// IDs of different codes do not compare by time in k-order: the code is on top.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use guid_core::Drift;
///
/// assert_eq!(Drift::default(), Drift::D3);
/// assert_eq!(Drift::D3.window(), Duration::from_nanos(274_877_906_944));
/// assert_eq!(Drift::covering(Duration::from_secs(60))?, Drift::D1);
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Drift(u8);

impl Default for Drift {
    fn default() -> Self {
        Self::D3
    }
}

impl Drift {
    /// Window 34.36 s.
    pub const D0: Self = Self(0);
    /// Window 68.72 s.
    pub const D1: Self = Self(1);
    /// Window 137.44 s.
    pub const D2: Self = Self(2);
    /// Window 274.88 s: the default.
    pub const D3: Self = Self(3);
    /// Window 549.76 s.
    pub const D4: Self = Self(4);
    /// Window 1099.51 s.
    pub const D5: Self = Self(5);
    /// Window 2199.02 s.
    pub const D6: Self = Self(6);
    /// Window 4398.05 s.
    pub const D7: Self = Self(7);
    /// All eight, the smallest window first.
    pub const ALL: [Self; 8] =
        [Self::D0, Self::D1, Self::D2, Self::D3, Self::D4, Self::D5, Self::D6, Self::D7];

    /// Returns the drift with this code.
    ///
    /// # Errors
    ///
    /// A code over 7.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Drift;
    ///
    /// assert_eq!(Drift::from_code(3), Ok(Drift::D3));
    /// assert_eq!(
    ///     Drift::from_code(8).unwrap_err().to_string(),
    ///     "drift code 8 is out of range: expected at most 7",
    /// );
    /// ```
    pub const fn from_code(code: u8) -> Result<Self, RangeError> {
        if code > 7 {
            return Err(RangeError::new("drift code", code as u64, 7));
        }
        Ok(Self(code))
    }

    /// Returns the smallest window that covers `duration`.
    ///
    /// # Errors
    ///
    /// A duration over the window of code 7, 4398.05 s; the error counts in nanoseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use guid_core::Drift;
    ///
    /// assert_eq!(Drift::covering(Duration::ZERO), Ok(Drift::D0));
    /// assert_eq!(Drift::covering(Duration::from_secs(300)), Ok(Drift::D4)); // five minutes
    /// assert!(Drift::covering(Duration::from_secs(4_399)).is_err());
    /// ```
    pub const fn covering(duration: Duration) -> Result<Self, RangeError> {
        let mut code = 0;
        while code < 8 {
            if layout::window_ns(code) as u128 >= duration.as_nanos() {
                return Ok(Self(code));
            }
            code += 1;
        }
        let nanos = duration.as_nanos();
        let nanos = if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 };
        Err(RangeError::new("drift in nanoseconds", nanos, layout::window_ns(7)))
    }

    /// Returns the code that the Go library takes for a duration in nanoseconds.
    ///
    /// Its table compares with windows rounded down to seconds, never gives code 0, takes zero
    /// and negative durations for the smallest, and anything large for code 7. For reading its
    /// configuration; [`covering`](Self::covering) is exact.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Drift;
    ///
    /// assert_eq!(Drift::upstream(30_000_000_000), Drift::D1);
    /// assert_eq!(Drift::upstream(274_500_000_000), Drift::D4); // would fit the window of code 3
    /// ```
    pub const fn upstream(nanos: i64) -> Self {
        const WHOLE_SECONDS: [i64; 6] = [68, 137, 274, 549, 1099, 2199];
        let mut i = 0;
        while i < WHOLE_SECONDS.len() {
            if nanos <= WHOLE_SECONDS[i] * 1_000_000_000 {
                return Self(i as u8 + 1);
            }
            i += 1;
        }
        Self::D7
    }

    pub(crate) const fn from_masked(code: u8) -> Self {
        Self(code & 7)
    }

    /// The code, 0 to 7.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Drift;
    ///
    /// assert_eq!(Drift::D3.code(), 3);
    /// ```
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The window W.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Drift;
    ///
    /// assert_eq!(Drift::D0.window().as_nanos(), 1 << 35);
    /// assert_eq!(Drift::D7.window(), Drift::D0.window() * 128);
    /// ```
    pub const fn window(self) -> Duration {
        Duration::from_nanos(layout::window_ns(self.0))
    }
}
