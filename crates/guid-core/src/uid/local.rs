//! [`LocalUid`]: the 64-bit ID of one node.

use core::{fmt, str::FromStr};

use super::{Moment, layout};
use crate::{ParseError, Seq, Text, text::lex};

/// A 64-bit Erlang ID; `Ord` is the order of the bytes, which is that of time and sequence.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, uid::{LocalUid, Moment}};
///
/// let id = LocalUid::new(Moment::new(1_700, 847_446, 806_026)?, Seq::new(14_781)?);
/// assert_eq!(id.to_string(), ".5dBv_Q3yQo");
/// assert_eq!(".5dBv_Q3yQo".parse::<LocalUid>()?, id);
/// // One ID, one text: the last character carries four bits, and the other two are zero.
/// let error = ".5dBv_Q3yQp".parse::<LocalUid>().unwrap_err();
/// assert_eq!(error.offset(), Some(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LocalUid(u64);

impl LocalUid {
    /// Returns the ID with these fractions; it keeps the moment [rounded](Moment::as_kept).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{LocalUid, Moment}};
    ///
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = LocalUid::new(made, Seq::new(9)?);
    /// assert_eq!(id.moment(), made);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn new(moment: Moment, seq: Seq) -> Self {
        Self(layout::pack_local(moment.fields(), seq.as_u16()))
    }

    /// Returns the ID with these bytes; every pattern is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{LocalUid, Moment}};
    ///
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = LocalUid::new(made, Seq::new(9)?);
    /// assert_eq!(LocalUid::from_bytes(id.to_bytes()), id);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    /// The bytes, big-endian: they sort as the IDs do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{LocalUid, Moment}};
    ///
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = LocalUid::new(made, Seq::new(9)?);
    /// assert_eq!(id.to_bytes().len(), 8);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// The moment.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{LocalUid, Moment}};
    ///
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = LocalUid::new(made, Seq::new(9)?);
    /// assert_eq!(id.moment(), made);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn moment(self) -> Moment {
        Moment::from_fields(layout::local_fields(self.0))
    }

    /// The sequence.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{LocalUid, Moment}};
    ///
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = LocalUid::new(made, Seq::new(9)?);
    /// assert_eq!(id.seq(), Seq::new(9)?);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> Seq {
        Seq::from_masked(layout::seq(self.0 as u128))
    }

    /// The text: 11 characters of the canonical alphabet that sort as the bytes in ASCII order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{LocalUid, Moment}};
    ///
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = LocalUid::new(made, Seq::new(9)?);
    /// assert_eq!(id.to_text().parse(), Ok(id));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn to_text(self) -> Text<11> {
        lex::encode_sixes(layout::local_to_digits(self.0))
    }
}

impl fmt::Display for LocalUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_text().as_str())
    }
}

impl fmt::Debug for LocalUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalUid({})", self.to_text())
    }
}

/// Reads the 11 characters, the last of which carries four bits.
impl FromStr for LocalUid {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let digits = lex::decode_sixes::<11>(text, "11 characters")?;
        let why = "the last of 11 characters carries four bits, and the other two are zero";
        layout::local_from_digits(digits)
            .map(Self)
            .ok_or_else(|| ParseError::not_canonical(10, why))
    }
}
