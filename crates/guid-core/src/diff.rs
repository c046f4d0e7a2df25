//! [`Diff`]: the distance between two IDs in logical time.
//!
//! The Go library subtracts time and sequence as unsigned numbers and packs the result as an ID, so
//! a later ID minus an earlier one with a greater sequence is nonsense. Here a distance is signed
//! and counts stamps.

use core::time::Duration;

use crate::{Guid, LocalId, Stamp, layout};

/// A signed distance of two stamps.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, Stamp, Tick};
///
/// let earlier = Stamp::new(Tick::new(7)?, Seq::new(16_000)?);
/// let later = Stamp::new(Tick::new(8)?, Seq::new(1)?);
/// let diff = later.diff(earlier);
/// assert_eq!(diff.stamps(), 385); // across the carry
/// assert_eq!(earlier.diff(later).stamps(), -385);
/// assert_eq!((diff.ticks(), diff.seq()), (1, -15_999));
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diff {
    from: Stamp,
    to: Stamp,
}

impl Diff {
    /// How many stamps lie between: positive when the first operand was later.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let early = Stamp::new(Tick::new(7)?, Seq::new(16_383)?);
    /// let late = Stamp::new(Tick::new(8)?, Seq::new(2)?);
    /// assert_eq!(late.diff(early).stamps(), 3);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn stamps(self) -> i64 {
        // Both are below 2^61, so the difference fits.
        self.to.as_u64().cast_signed() - self.from.as_u64().cast_signed()
    }

    /// The distance of the ticks.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let early = Stamp::new(Tick::new(7)?, Seq::new(16_383)?);
    /// let late = Stamp::new(Tick::new(8)?, Seq::new(2)?);
    /// assert_eq!(late.diff(early).ticks(), 1);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn ticks(self) -> i64 {
        self.to.tick().as_u64().cast_signed() - self.from.tick().as_u64().cast_signed()
    }

    /// The distance of the sequences.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let early = Stamp::new(Tick::new(7)?, Seq::new(16_383)?);
    /// let late = Stamp::new(Tick::new(8)?, Seq::new(2)?);
    /// assert_eq!(late.diff(early).seq(), -16_381);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> i16 {
        self.to.seq().as_u16().cast_signed() - self.from.seq().as_u16().cast_signed()
    }

    /// The distance of the ticks as time, without its sign.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// let (early, late) = (Stamp::from_unix_nanos(1 << 40), Stamp::from_unix_nanos(1 << 41));
    /// assert_eq!(early.diff(late).duration().as_nanos(), 1 << 40);
    /// ```
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(layout::nanos_of_tick(self.ticks().unsigned_abs()))
    }
}

impl Stamp {
    /// Returns `self` minus `earlier`.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// let (early, late) = (Stamp::from_unix_nanos(5 << 17), Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(late.diff(early).ticks(), 4);
    /// assert_eq!(early.diff(late).ticks(), -4);
    /// ```
    pub const fn diff(self, earlier: Self) -> Diff {
        Diff { from: earlier, to: self }
    }
}

impl Guid {
    /// Returns `self` minus `earlier` in logical time; nodes and drift codes do not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Guid, NodeId, Stamp};
    ///
    /// let a = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(5 << 17));
    /// let b = Guid::new(Drift::D3, NodeId::new(2), Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!((b.diff(a).ticks(), a.diff(b).ticks()), (4, -4));
    /// ```
    pub const fn diff(self, earlier: Self) -> Diff {
        self.stamp().diff(earlier.stamp())
    }
}

impl LocalId {
    /// Returns `self` minus `earlier` in logical time; drift codes do not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// let a = LocalId::new(Drift::D3, Stamp::from_unix_nanos(5 << 17));
    /// let b = LocalId::new(Drift::D3, Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!((b.diff(a).ticks(), a.diff(b).ticks()), (4, -4));
    /// ```
    pub const fn diff(self, earlier: Self) -> Diff {
        self.stamp().diff(earlier.stamp())
    }
}
