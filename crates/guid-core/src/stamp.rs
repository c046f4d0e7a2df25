//! Logical time: [`Tick`], [`Seq`] and, of the two, [`Stamp`].
//!
//! A stamp is tick and sequence read as one 61-bit number. It is what a generator counts, what an
//! `observe` carries over, and, beside the node, what *time order* compares.
//!
//! # Invariants
//!
//! A `Tick` fits 47 bits, a `Seq` 14, a `Stamp` 61: a value that exists is a value that packs.

use crate::{error::RangeError, layout};
use core::time::Duration;

/// A moment as an ID sees it: units of 2¹⁷ ns (131.072 µs) since the epoch, 47 bits.
///
/// # Examples
///
/// ```
/// use guid_core::Tick;
///
/// let tick = Tick::from_unix_nanos(1_719_822_159_109_605_709);
/// assert_eq!(tick.unix_nanos(), 1_719_822_159_109_554_176); // rounded down to the tick
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// The length of a tick, in nanoseconds.
    pub const NANOS: u64 = 1 << layout::TICK_SHIFT;
    /// The last tick, 2⁶⁴ ns after the epoch (the year 2554 for Unix).
    pub const MAX: Self = Self(layout::TICK_MAX);

    /// Returns the tick with this number.
    ///
    /// # Errors
    ///
    /// A number over 2⁴⁷ − 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Tick;
    ///
    /// assert!(Tick::new(1 << 47).is_err());
    /// assert_eq!(Tick::new((1 << 47) - 1), Ok(Tick::MAX));
    /// ```
    pub const fn new(tick: u64) -> Result<Self, RangeError> {
        if tick > layout::TICK_MAX {
            return Err(RangeError::new("tick", tick, layout::TICK_MAX));
        }
        Ok(Self(tick))
    }

    /// Returns the tick that contains this nanosecond.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Tick;
    ///
    /// assert_eq!(Tick::from_unix_nanos(Tick::NANOS - 1).as_u64(), 0);
    /// assert_eq!(Tick::from_unix_nanos(Tick::NANOS).as_u64(), 1);
    /// ```
    pub const fn from_unix_nanos(nanos: u64) -> Self {
        Self(layout::tick_of_nanos(nanos))
    }

    /// The number of the tick.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Tick;
    ///
    /// assert_eq!(Tick::MAX.as_u64(), (1 << 47) - 1);
    /// ```
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The first nanosecond of the tick.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Tick;
    ///
    /// assert_eq!(Tick::new(3)?.unix_nanos(), 3 << 17);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn unix_nanos(self) -> u64 {
        layout::nanos_of_tick(self.0)
    }
}

/// The sequence: the lowest 14 bits of an ID.
///
/// It runs freely and carries into the tick, so it orders IDs of one tick and never runs out.
///
/// # Examples
///
/// ```
/// use guid_core::Seq;
///
/// assert_eq!(Seq::new(16_383), Ok(Seq::MAX));
/// assert!(Seq::new(16_384).is_err());
/// ```
#[doc(alias = "counter")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u16);

impl Seq {
    /// The greatest sequence, 16,383.
    pub const MAX: Self = Self(layout::SEQ_MAX);

    /// Returns this sequence.
    ///
    /// # Errors
    ///
    /// A number over 16,383.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Seq;
    ///
    /// assert!(Seq::new(16_384).is_err());
    /// ```
    pub const fn new(seq: u16) -> Result<Self, RangeError> {
        if seq > layout::SEQ_MAX {
            return Err(RangeError::new("sequence", seq as u64, layout::SEQ_MAX as u64));
        }
        Ok(Self(seq))
    }

    #[cfg(feature = "uid")]
    pub(crate) const fn from_masked(seq: u16) -> Self {
        Self(seq & layout::SEQ_MAX)
    }

    /// The number.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Seq;
    ///
    /// assert_eq!(Seq::MAX.as_u16(), 16_383);
    /// ```
    pub const fn as_u16(self) -> u16 {
        self.0
    }
}

/// The logical time of an ID: tick, then sequence, as one 61-bit number.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, Stamp, Tick};
///
/// let last_of_tick = Stamp::new(Tick::new(7)?, Seq::MAX);
/// let next = last_of_tick.next().unwrap();
/// assert_eq!((next.tick().as_u64(), next.seq().as_u16()), (8, 0)); // the sequence carries
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[doc(alias = "hybrid timestamp")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(u64);

impl Stamp {
    /// The first stamp: tick 0, sequence 0.
    pub const MIN: Self = Self(0);
    /// The last stamp: the end of time.
    pub const MAX: Self = Self(layout::STAMP_MAX);

    /// Returns the stamp of a tick and a sequence.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// assert_eq!(Stamp::new(Tick::new(1)?, Seq::new(2)?).as_u64(), (1 << 14) + 2);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn new(tick: Tick, seq: Seq) -> Self {
        Self(layout::stamp(tick.0, seq.0))
    }

    /// Returns the first stamp of the tick that contains this nanosecond.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let stamp = Stamp::from_unix_nanos(5 << 17);
    /// assert_eq!(stamp, Stamp::new(Tick::new(5)?, Seq::new(0)?));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn from_unix_nanos(nanos: u64) -> Self {
        Self::new(Tick::from_unix_nanos(nanos), Seq(0))
    }

    /// Returns the stamp with this number.
    ///
    /// # Errors
    ///
    /// A number over 2⁶¹ − 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// assert_eq!(Stamp::from_u64((1 << 61) - 1), Ok(Stamp::MAX));
    /// assert!(Stamp::from_u64(1 << 61).is_err());
    /// ```
    pub const fn from_u64(stamp: u64) -> Result<Self, RangeError> {
        if stamp > layout::STAMP_MAX {
            return Err(RangeError::new("stamp", stamp, layout::STAMP_MAX));
        }
        Ok(Self(stamp))
    }

    pub(crate) const fn from_masked(stamp: u64) -> Self {
        Self(stamp & layout::STAMP_MAX)
    }

    /// The number.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// assert_eq!(Stamp::MAX.as_u64(), (1 << 61) - 1);
    /// ```
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The tick.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let stamp = Stamp::new(Tick::new(3)?, Seq::new(9)?);
    /// assert_eq!(stamp.tick(), Tick::new(3)?);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn tick(self) -> Tick {
        Tick(layout::stamp_tick(self.0))
    }

    /// The sequence.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let stamp = Stamp::new(Tick::new(3)?, Seq::new(9)?);
    /// assert_eq!(stamp.seq(), Seq::new(9)?);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> Seq {
        Seq(layout::stamp_seq(self.0))
    }

    /// The first nanosecond of the tick.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, Stamp, Tick};
    ///
    /// let stamp = Stamp::new(Tick::new(3)?, Seq::new(9)?);
    /// assert_eq!(stamp.unix_nanos(), 3 << 17);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn unix_nanos(self) -> u64 {
        self.tick().unix_nanos()
    }

    /// The stamp after this one; `None` at the end of time.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// assert_eq!(Stamp::MIN.next().map(Stamp::as_u64), Some(1));
    /// assert_eq!(Stamp::MAX.next(), None);
    /// ```
    pub const fn next(self) -> Option<Self> {
        if self.0 == layout::STAMP_MAX { None } else { Some(Self(self.0 + 1)) }
    }

    /// The stamp that sorts where this one would if time ran backwards: 2⁶¹ − 1 − stamp.
    ///
    /// An involution that reverses the order. For keys that list the newest first; an inverse
    /// stamp is a place in an index, never a moment and never a dot.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// let (early, late) = (Stamp::from_unix_nanos(1 << 40), Stamp::from_unix_nanos(1 << 50));
    /// assert!(late.inverse() < early.inverse());
    /// assert_eq!(early.inverse().inverse(), early);
    /// ```
    #[must_use]
    pub const fn inverse(self) -> Self {
        Self(layout::STAMP_MAX - self.0)
    }

    /// How far this stamp is ahead of `other`, rounded down to whole ticks; zero if it is not.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// let (early, late) = (Stamp::from_unix_nanos(5 << 17), Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(late.ahead_of(early).as_nanos(), 4 << 17);
    /// assert!(early.ahead_of(late).is_zero());
    /// ```
    pub const fn ahead_of(self, other: Self) -> Duration {
        let ticks = self.tick().0.saturating_sub(other.tick().0);
        Duration::from_nanos(layout::nanos_of_tick(ticks))
    }
}
