//! [`LocalId`]: the 64-bit ID of one node.
//!
//! A type of its own, not a flag: in the Go library `hi == 0` means "local", which loses nodes and
//! breaks the zero value.

use core::{fmt, str::FromStr};

use crate::{Drift, Guid, NodeId, ParseError, Seq, Stamp, Tick, layout, text::lex};

/// A k-ordered ID that is unique on the node that made it: 64 bits of (time, sequence).
///
/// `Ord` is the order of the bytes: drift code, then stamp. It names no node, so it is never a dot
/// between replicas. No generator makes it by itself: it is what a global is without its node,
/// `ids.next().to_local()`. As a signed 64-bit integer an ID of code 4 and above is negative:
/// [`to_i64`](Self::to_i64) refuses those.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, LocalId, NodeId, Stamp};
///
/// let id = LocalId::new(Drift::D3, Stamp::from_unix_nanos(1_719_822_159_109_605_709));
/// assert_eq!(id.to_string(), "51EAB01377C13...");
/// assert_eq!(id.to_global(NodeId::new(7)).to_local(), (NodeId::new(7), id));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LocalId(u64);

impl LocalId {
    /// The ID whose bits are all zero. It sorts first.
    pub const ZERO: Self = Self(0);
    /// The ID whose bits are all one. It sorts last.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the ID with these fractions.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// assert_eq!(LocalId::new(Drift::D0, Stamp::MIN), LocalId::ZERO);
    /// assert_eq!(LocalId::new(Drift::D7, Stamp::MAX), LocalId::MAX);
    /// ```
    pub const fn new(drift: Drift, stamp: Stamp) -> Self {
        Self(layout::pack_local(drift.code(), stamp.as_u64()))
    }

    /// Returns the ID with this number; every number is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_u64(u64::MAX), LocalId::MAX);
    /// ```
    pub const fn from_u64(number: u64) -> Self {
        Self(number)
    }

    /// The number. Over 2⁶¹ in practice: more than a double holds, so JSON carries it as text.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::MAX.as_u64(), u64::MAX);
    /// ```
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The number for a signed 64-bit column, or `None` for codes 4 to 7, which would be negative
    /// there and sort before all others.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// assert!(LocalId::new(Drift::D3, Stamp::MAX).to_i64().is_some());
    /// assert!(LocalId::new(Drift::D4, Stamp::MIN).to_i64().is_none());
    /// ```
    pub const fn to_i64(self) -> Option<i64> {
        if self.0 >> 63 == 0 { Some(self.0.cast_signed()) } else { None }
    }

    /// Returns the ID with these bytes, big-endian.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_bytes([0xff; 8]), LocalId::MAX);
    /// ```
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    /// The bytes, big-endian: they sort as the IDs do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_u64(1).to_bytes(), [0, 0, 0, 0, 0, 0, 0, 1]);
    /// ```
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// The tolerance this ID was made for, ⟨d⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// let id = LocalId::new(Drift::D3, Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(id.drift(), Drift::D3);
    /// ```
    pub const fn drift(self) -> Drift {
        Drift::from_masked(layout::local_code(self.0))
    }

    /// When it was made: the logical time, ⟨t⟩ and ⟨s⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// let id = LocalId::new(Drift::D3, Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(id.stamp(), Stamp::from_unix_nanos(9 << 17));
    /// ```
    pub const fn stamp(self) -> Stamp {
        Stamp::from_masked(layout::local_stamp(self.0))
    }

    /// The tick of the stamp, ⟨t⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// let id = LocalId::new(Drift::D3, Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(id.tick().as_u64(), 9);
    /// ```
    pub const fn tick(self) -> Tick {
        self.stamp().tick()
    }

    /// The sequence of the stamp, ⟨s⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// let id = LocalId::new(Drift::D3, Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(id.seq().as_u16(), 0);
    /// ```
    pub const fn seq(self) -> Seq {
        self.stamp().seq()
    }

    /// The first nanosecond of the tick, counted from the epoch of the clock that stamped it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalId, Stamp};
    ///
    /// let id = LocalId::new(Drift::D3, Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(id.unix_nanos(), 9 << 17);
    /// ```
    pub const fn unix_nanos(self) -> u64 {
        self.stamp().unix_nanos()
    }

    /// Puts a node in.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalId, NodeId};
    ///
    /// let id: LocalId = "51EAB01377C14EEE".parse()?;
    /// assert_eq!(id.to_global(NodeId::new(0x0200_0000)).to_string(), "Njj070....H7o_zz");
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn to_global(self, node: NodeId) -> Guid {
        Guid::new(self.drift(), node, self.stamp())
    }

    /// The ID with the stamp complemented, so that the newest sorts first: see [`Guid::inverse`].
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::ZERO.inverse().unix_nanos(), u64::MAX << 17);
    /// ```
    #[must_use]
    pub const fn inverse(self) -> Self {
        Self::new(self.drift(), self.stamp().inverse())
    }
}

/// The canonical text, 16 characters that sort as the bytes; width and alignment are honoured.
impl fmt::Display for LocalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_lex().as_str())
    }
}

impl fmt::Debug for LocalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalId({})", self.to_lex())
    }
}

/// Reads the canonical text.
impl FromStr for LocalId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        lex::decode_local(text)
    }
}

impl TryFrom<&[u8]> for LocalId {
    type Error = ParseError;

    fn try_from(bytes: &[u8]) -> Result<Self, ParseError> {
        match bytes.try_into() {
            Ok(bytes) => Ok(Self::from_bytes(bytes)),
            Err(_) => Err(ParseError::length(bytes.len(), "8 bytes")),
        }
    }
}
