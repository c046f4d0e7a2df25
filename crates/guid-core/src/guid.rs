//! [`Guid`]: the 96-bit global ID.
//!
//! # Invariants
//!
//! Twelve bytes, big-endian; every pattern of bytes is an ID. `Ord` compares the bytes: k-order.

use core::{cmp::Ordering, fmt, hash::Hash, hash::Hasher, str::FromStr};

use crate::{Drift, LocalId, NodeId, ParseError, Seq, Stamp, Tick, layout, text::lex};

/// A k-ordered ID that is unique across nodes: 96 bits of (time, node, sequence).
///
/// `Ord` is *k-order*, the order of the bytes: windows of time first, then the node, then the time
/// inside the window. It suits indexes; it does not say who was later. For "later" use
/// [`ByTime`](crate::ByTime) or [`time_cmp`](Self::time_cmp). IDs of different drift codes do not
/// compare by time in k-order at all: the code is the first thing in the bytes.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, Guid, NodeId, Seq, Stamp, Tick};
///
/// let tick = Tick::from_unix_nanos(1_719_822_159_109_605_709);
/// let id = Guid::new(Drift::D3, NodeId::new(0x0200_0000), Stamp::new(tick, Seq::new(8191)?));
///
/// assert_eq!(id.to_string(), "Njj070....H7o_zz");
/// assert_eq!("Njj070....H7o_zz".parse::<Guid>()?, id);
/// assert_eq!((id.node(), id.tick(), id.seq()), (NodeId::new(0x0200_0000), tick, Seq::new(8191)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default)]
#[cfg_attr(
    feature = "zerocopy",
    derive(
        zerocopy::FromBytes,
        zerocopy::Immutable,
        zerocopy::IntoBytes,
        zerocopy::KnownLayout,
        zerocopy::Unaligned,
    )
)]
#[repr(transparent)]
pub struct Guid([u8; 12]);

impl Guid {
    /// The ID whose bits are all zero: drift code 0, node 0, stamp 0. It sorts first.
    pub const ZERO: Self = Self([0; 12]);
    /// The ID whose bits are all one. It sorts last.
    pub const MAX: Self = Self([0xff; 12]);

    /// Returns the ID with these fractions.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Guid, NodeId, Stamp};
    ///
    /// assert_eq!(Guid::new(Drift::D0, NodeId::new(0), Stamp::MIN), Guid::ZERO);
    /// assert_eq!(Guid::new(Drift::D7, NodeId::new(u32::MAX), Stamp::MAX), Guid::MAX);
    /// ```
    #[inline]
    pub const fn new(drift: Drift, node: NodeId, stamp: Stamp) -> Self {
        let words = layout::pack_global(drift.code(), node.as_u32(), stamp.as_u64());
        Self(layout::words_to_bytes(words))
    }

    /// Returns the ID with these bytes; every pattern is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::from_bytes([0xff; 12]), Guid::MAX);
    /// ```
    #[inline]
    pub const fn from_bytes(bytes: [u8; 12]) -> Self {
        Self(bytes)
    }

    /// The bytes, big-endian: they sort as the IDs do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::MAX.as_bytes(), &[0xff; 12]);
    /// ```
    #[inline]
    pub const fn as_bytes(&self) -> &[u8; 12] {
        &self.0
    }

    /// The bytes, big-endian, by value.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::MAX.to_bytes(), [0xff; 12]);
    /// ```
    #[inline]
    pub const fn to_bytes(self) -> [u8; 12] {
        self.0
    }

    pub(crate) const fn from_bits(bits: u128) -> Self {
        Self(layout::global_to_bytes(bits))
    }

    pub(crate) const fn bits(self) -> u128 {
        layout::global_from_bytes(&self.0)
    }

    /// Returns the ID in the low 96 bits of a number, if the rest is zero.
    ///
    /// The numbers compare as the IDs do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::from_u128(0), Some(Guid::ZERO));
    /// assert_eq!(Guid::from_u128(1 << 96), None);
    /// ```
    pub const fn from_u128(number: u128) -> Option<Self> {
        if number >> 96 == 0 { Some(Self::from_bits(number)) } else { None }
    }

    /// The ID as a number below 2⁹⁶.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::MAX.to_u128(), (1 << 96) - 1);
    /// ```
    pub const fn to_u128(self) -> u128 {
        self.bits()
    }

    /// The tolerance this ID was made for, ⟨d⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Drift;
    ///
    /// let id = guid_core::guid!("Njj070....H7o_zz");
    /// assert_eq!(id.drift(), Drift::D3);
    /// ```
    #[inline]
    pub const fn drift(self) -> Drift {
        Drift::from_masked(layout::global_code(self.words()))
    }

    /// Who made it, ⟨l⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::NodeId;
    ///
    /// let id = guid_core::guid!("Njj070....H7o_zz");
    /// assert_eq!(id.node(), NodeId::new(0x0200_0000));
    /// ```
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId::new(layout::global_node(self.words()))
    }

    /// When it was made: the logical time, ⟨t⟩ and ⟨s⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Stamp;
    ///
    /// let id = guid_core::guid!("Njj070....H7o_zz");
    /// assert_eq!(id.stamp(), Stamp::new(id.tick(), id.seq()));
    /// ```
    #[inline]
    pub const fn stamp(self) -> Stamp {
        Stamp::from_masked(layout::global_stamp(self.words()))
    }

    /// The tick of the stamp, ⟨t⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Tick;
    ///
    /// let id = guid_core::guid!("Njj070....H7o_zz");
    /// assert_eq!(id.tick(), Tick::from_unix_nanos(1_719_822_159_109_605_709));
    /// ```
    pub const fn tick(self) -> Tick {
        self.stamp().tick()
    }

    /// The sequence of the stamp, ⟨s⟩.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Seq;
    ///
    /// let id = guid_core::guid!("Njj070....H7o_zz");
    /// assert_eq!(id.seq(), Seq::new(8191)?);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> Seq {
        self.stamp().seq()
    }

    /// The first nanosecond of the tick, counted from the epoch of the clock that stamped it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?;
    /// assert_eq!(id.unix_nanos(), 1_719_822_159_109_554_176);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn unix_nanos(self) -> u64 {
        self.stamp().unix_nanos()
    }

    /// Takes the node out: nothing is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?;
    /// let (node, local) = id.to_local();
    /// assert_eq!(local.to_string(), "51EAB01377C14EEE");
    /// assert_eq!(local.to_global(node), id);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn to_local(self) -> (NodeId, LocalId) {
        (self.node(), LocalId::new(self.drift(), self.stamp()))
    }

    /// The ID with the stamp complemented, so that the newest sorts first.
    ///
    /// Equal to what the Go library's inverse clock makes. For storage keys only: an inverse ID is
    /// never a dot and its time is not a moment. See [`Stamp::inverse`].
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let (old, new): (Guid, Guid) = ("Njj070....H7o_zz".parse()?, "Njj090....H7o_zz".parse()?);
    /// assert!(old < new && new.inverse() < old.inverse());
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    #[must_use]
    pub const fn inverse(self) -> Self {
        Self::new(self.drift(), self.node(), self.stamp().inverse())
    }

    /// Compares by time order: stamp, then node, then drift code.
    ///
    /// The code decides only between IDs that name the same event at two tolerances, so that two
    /// IDs are equal in time order exactly when they are equal.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use guid_core::{Drift, Guid, NodeId, Stamp};
    ///
    /// let first = Guid::new(Drift::D3, NodeId::new(2), Stamp::from_unix_nanos(1_000_000_000));
    /// let second = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(2_000_000_000));
    /// assert_eq!(first.time_cmp(&second), Ordering::Less);
    /// assert_eq!(first.cmp(&second), Ordering::Greater); // one window: the node decides
    /// ```
    pub fn time_cmp(&self, other: &Self) -> Ordering {
        let key = |id: &Self| (id.stamp(), id.node(), id.drift());
        key(self).cmp(&key(other))
    }

    /// The upper 64 bits and the lower 32.
    pub(crate) const fn words(&self) -> (u64, u32) {
        layout::global_words(&self.0)
    }

    pub(crate) const fn from_words(high: u64, low: u32) -> Self {
        Self(layout::words_to_bytes((high, low)))
    }
}

impl PartialEq for Guid {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        layout::global_key(&self.0) == layout::global_key(&other.0)
    }
}

impl Eq for Guid {}

/// Sorting asks for `lt`, and there the comparison of bytes that the compiler knows is faster than
/// our integer; searching asks for `cmp`, and there it is slower. Both are measured in `benches/`.
impl PartialOrd for Guid {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.0 < other.0
    }
}

/// k-order: the order of the bytes, compared as one integer.
impl Ord for Guid {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        layout::global_key(&self.0).cmp(&layout::global_key(&other.0))
    }
}

impl Hash for Guid {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (high, low) = self.words();
        state.write_u64(high);
        state.write_u32(low);
    }
}

/// The canonical text, 16 characters that sort as the bytes; width and alignment are honoured.
impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.to_lex().as_str())
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guid({})", self.to_lex())
    }
}

/// Reads the canonical text.
impl FromStr for Guid {
    type Err = ParseError;

    #[inline]
    fn from_str(text: &str) -> Result<Self, ParseError> {
        lex::decode_global(text)
    }
}

impl TryFrom<&[u8]> for Guid {
    type Error = ParseError;

    fn try_from(bytes: &[u8]) -> Result<Self, ParseError> {
        match bytes.try_into() {
            Ok(bytes) => Ok(Self(bytes)),
            Err(_) => Err(ParseError::length(bytes.len(), "12 bytes")),
        }
    }
}

impl From<[u8; 12]> for Guid {
    fn from(bytes: [u8; 12]) -> Self {
        Self(bytes)
    }
}

impl From<Guid> for [u8; 12] {
    fn from(id: Guid) -> Self {
        id.0
    }
}
