//! [`Moment`]: Erlang's time as a triple.

use super::layout;
use crate::RangeError;

/// `{MegaSeconds, Seconds, MicroSeconds}` since 1970, each of 20 bits.
///
/// `Ord` compares the triple, as Erlang does. A clock's seconds and microseconds stay below a
/// million; an ID of arbitrary bytes may hold more, and is read as it stands.
///
/// # Examples
///
/// ```
/// use guid_core::uid::Moment;
///
/// let moment = Moment::new(1_700, 847_446, 806_026)?;
/// assert_eq!(moment.unix_micros(), 1_700_847_446_806_026);
/// assert_eq!(moment.as_kept().micros(), 805_888); // an ID keeps units of 1,024 µs
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    mega: u32,
    secs: u32,
    micros: u32,
}

impl Moment {
    /// The last moment of the format, some 35,000 years from now.
    pub const MAX: Self = Self::from_fields((layout::FIELD_MAX, 999_999, 999_999));

    /// Returns the moment of a triple.
    ///
    /// # Errors
    ///
    /// A part of more than 20 bits; the original cuts it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// assert!(Moment::new(1_048_575, 0, 0).is_ok());
    /// assert!(Moment::new(1_048_576, 0, 0).is_err());
    /// ```
    pub const fn new(mega: u32, secs: u32, micros: u32) -> Result<Self, RangeError> {
        let max = layout::FIELD_MAX;
        if mega > max {
            return Err(RangeError::new("megaseconds", mega as u64, max as u64));
        }
        if secs > max {
            return Err(RangeError::new("seconds", secs as u64, max as u64));
        }
        if micros > max {
            return Err(RangeError::new("microseconds", micros as u64, max as u64));
        }
        Ok(Self { mega, secs, micros })
    }

    /// Returns the moment of a number of microseconds since 1970.
    ///
    /// # Errors
    ///
    /// More megaseconds than 20 bits hold.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::from_unix_micros(1_700_847_446_806_026)?;
    /// assert_eq!((moment.mega(), moment.secs(), moment.micros()), (1_700, 847_446, 806_026));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn from_unix_micros(micros: u64) -> Result<Self, RangeError> {
        let (secs, micros) = (micros / 1_000_000, micros % 1_000_000);
        let (mega, secs) = (secs / 1_000_000, secs % 1_000_000);
        if mega > layout::FIELD_MAX as u64 {
            return Err(RangeError::new("megaseconds", mega, layout::FIELD_MAX as u64));
        }
        Ok(Self { mega: mega as u32, secs: secs as u32, micros: micros as u32 })
    }

    pub(super) const fn from_fields((mega, secs, micros): layout::Fields) -> Self {
        Self { mega, secs, micros }
    }

    pub(super) const fn fields(self) -> layout::Fields {
        (self.mega, self.secs, self.micros)
    }

    /// The megaseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::new(1_700, 847_446, 806_026)?;
    /// assert_eq!(moment.mega(), 1_700);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn mega(self) -> u32 {
        self.mega
    }

    /// The seconds of the megasecond.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::new(1_700, 847_446, 806_026)?;
    /// assert_eq!(moment.secs(), 847_446);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn secs(self) -> u32 {
        self.secs
    }

    /// The microseconds of the second.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::new(1_700, 847_446, 806_026)?;
    /// assert_eq!(moment.micros(), 806_026);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn micros(self) -> u32 {
        self.micros
    }

    /// Microseconds since 1970: below 2⁶¹.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::new(1_700, 847_446, 806_026)?;
    /// assert_eq!(moment.unix_micros(), 1_700_847_446_806_026);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn unix_micros(self) -> u64 {
        (self.mega as u64 * 1_000_000 + self.secs as u64) * 1_000_000 + self.micros as u64
    }

    /// Milliseconds since 1970, as the original's `t/1` gives them.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::new(1_700, 847_446, 806_026)?;
    /// assert_eq!(moment.unix_millis(), 1_700_847_446_806);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn unix_millis(self) -> u64 {
        self.unix_micros() / 1_000
    }

    /// What an ID keeps of this moment: the microseconds rounded down to a multiple of 1,024.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::Moment;
    ///
    /// let moment = Moment::new(1_700, 847_446, 806_026)?;
    /// assert_eq!(moment.as_kept().micros(), 806_026 / 1_024 * 1_024);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn as_kept(self) -> Self {
        Self { micros: layout::kept_micros(self.micros), ..self }
    }

    /// The next moment that an ID can tell from this one; `None` at the end of time.
    pub(super) fn next_kept(self) -> Option<Self> {
        let next = self.as_kept().unix_micros() + layout::MICRO_STEP;
        // Units of 1,024 do not divide a second: past its last unit the next second begins.
        let in_second = next % 1_000_000;
        let next = if u64::from(self.micros) > in_second { next - in_second } else { next };
        Self::from_unix_micros(next).ok()
    }
}
