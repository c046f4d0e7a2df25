//! [`Distance`]: how far two events of one node lie apart.

use super::Moment;
use crate::Seq;

/// A signed distance in time and sequence: the original's `d/2`.
///
/// The original gives an ID whose fields may be negative, and cuts them when it writes it. Here a
/// distance is no ID; [`to_moment`](Self::to_moment) gives one where there is one.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, uid::{Distance, Moment}};
///
/// let early = (Moment::new(1_869, 987_538, 174_541)?, Seq::new(0)?);
/// let late = (Moment::new(1_869, 988_065, 779_541)?, Seq::new(211)?);
/// let distance = Distance::between(early, late);
/// assert_eq!(distance.parts(), [0, -527, -605_000]);
/// assert_eq!(distance.seq(), -211);
/// assert_eq!(distance.to_moment(), None);
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Distance {
    micros: i64,
    seq: i16,
}

impl Distance {
    /// Returns the first event minus the second.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Distance, Moment}};
    ///
    /// let early = (Moment::new(1, 2, 3)?, Seq::new(4)?);
    /// let late = (Moment::new(1, 3, 5)?, Seq::new(7)?);
    /// assert_ne!(Distance::between(late, early), Distance::between(early, late));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn between(first: (Moment, Seq), second: (Moment, Seq)) -> Self {
        // Microseconds are below 2^61 and sequences below 2^14: the differences fit.
        let micros = first.0.unix_micros().cast_signed() - second.0.unix_micros().cast_signed();
        let seq = first.1.as_u16().cast_signed() - second.1.as_u16().cast_signed();
        Self { micros, seq }
    }

    /// The distance in time, in microseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Distance, Moment}};
    ///
    /// let early = (Moment::new(1, 2, 3)?, Seq::new(4)?);
    /// let late = (Moment::new(1, 3, 5)?, Seq::new(7)?);
    /// assert_eq!(Distance::between(late, early).micros(), 1_000_002);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn micros(self) -> i64 {
        self.micros
    }

    /// The distance of the sequences.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Distance, Moment}};
    ///
    /// let early = (Moment::new(1, 2, 3)?, Seq::new(4)?);
    /// let late = (Moment::new(1, 3, 5)?, Seq::new(7)?);
    /// assert_eq!(Distance::between(late, early).seq(), 3);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> i16 {
        self.seq
    }

    /// Megaseconds, seconds and microseconds: all negative, or none.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Distance, Moment}};
    ///
    /// let early = (Moment::new(1, 2, 3)?, Seq::new(4)?);
    /// let late = (Moment::new(1, 3, 5)?, Seq::new(7)?);
    /// assert_eq!(Distance::between(late, early).parts(), [0, 1, 2]);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn parts(self) -> [i64; 3] {
        let secs = self.micros / 1_000_000;
        [secs / 1_000_000, secs % 1_000_000, self.micros % 1_000_000]
    }

    /// The distance as a moment and a sequence, where neither is negative.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Distance, Moment}};
    ///
    /// let early = (Moment::new(1, 2, 3)?, Seq::new(4)?);
    /// let late = (Moment::new(1, 3, 5)?, Seq::new(7)?);
    /// let distance = Distance::between(late, early).to_moment();
    /// assert_eq!(distance, Some((Moment::new(0, 1, 2)?, Seq::new(3)?)));
    /// assert_eq!(Distance::between(early, late).to_moment(), None);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn to_moment(self) -> Option<(Moment, Seq)> {
        let micros = u64::try_from(self.micros).ok()?;
        let seq = u16::try_from(self.seq).ok()?;
        Moment::from_unix_micros(micros).ok().zip(Seq::new(seq).ok())
    }
}
