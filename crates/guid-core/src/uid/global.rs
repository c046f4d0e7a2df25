//! [`Uid`]: the 96-bit ID.

use core::{fmt, str::FromStr};

use super::{DriftBits, Moment, layout};
use crate::{NodeId, ParseError, Seq, Text, layout::global_from_bytes, text::lex};

/// A 96-bit Erlang ID; `Ord` is the order of the bytes.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
///
/// let bits = DriftBits::new(5)?;
/// let made = Moment::new(1_700, 847_446, 806_026)?;
/// let id = Uid::new(bits, NodeId::new(0xfc07_18fb), made, Seq::new(14_781)?);
/// assert_eq!(id.to_string(), ".5dBv_y.slxqlEax");
/// assert_eq!(".5dBv_y.slxqlEax".parse::<Uid>()?, id);
/// assert_eq!(id.node(bits), NodeId::new(0xfc07_18fb));
/// assert_eq!(id.moment(bits), made.as_kept());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Uid([u8; 12]);

impl Uid {
    /// Returns the ID with these fractions; it keeps the moment [rounded](Moment::as_kept).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(id.moment(bits), made);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn new(bits: DriftBits, node: NodeId, moment: Moment, seq: Seq) -> Self {
        let id = bits.pack(node.as_u32(), moment.fields(), seq.as_u16());
        Self(crate::layout::global_to_bytes(id))
    }

    /// Returns the ID with these bytes; every pattern is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(Uid::from_bytes(id.to_bytes()), id);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn from_bytes(bytes: [u8; 12]) -> Self {
        Self(bytes)
    }

    /// The bytes, big-endian: they sort as the IDs do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(id.to_bytes().len(), 12);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn to_bytes(self) -> [u8; 12] {
        self.0
    }

    const fn number(self) -> u128 {
        global_from_bytes(&self.0)
    }

    /// The node, read at the tolerance it was written with.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(id.node(bits), node);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn node(self, bits: DriftBits) -> NodeId {
        NodeId::new(bits.node(self.number()))
    }

    /// The moment, read at the tolerance it was written with.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(id.moment(bits), made);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn moment(self, bits: DriftBits) -> Moment {
        Moment::from_fields(bits.fields(self.number()))
    }

    /// The sequence.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(id.seq(), Seq::new(9)?);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> Seq {
        Seq::from_masked(layout::seq(self.number()))
    }

    /// The text: 16 characters of the canonical alphabet that sort as the bytes in ASCII order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{NodeId, Seq, uid::{DriftBits, Moment, Uid}};
    ///
    /// let (bits, node) = (DriftBits::new(5)?, NodeId::new(7));
    /// let made = Moment::new(1_700, 0, 2_048)?;
    /// let id = Uid::new(bits, node, made, Seq::new(9)?);
    /// assert_eq!(id.to_text().parse(), Ok(id));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn to_text(self) -> Text<16> {
        lex::encode_sixes(self.number())
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_text().as_str())
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uid({})", self.to_text())
    }
}

/// Reads the 16 characters.
impl FromStr for Uid {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        lex::decode_global(text).map(|id| Self(id.to_bytes()))
    }
}
