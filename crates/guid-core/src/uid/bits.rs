//! [`DriftBits`]: how many bits of the seconds stand below the node.

use super::layout;
use crate::RangeError;

/// The tolerance of an Erlang ID, 5 to 10: inside 2^bits seconds the node decides, not the time.
///
/// The ID does not carry it: reading takes the number that writing took. A window is one of the
/// seconds 0 to 999,999, so the last one before each megasecond (every 11.6 days) is short.
///
/// # Examples
///
/// ```
/// use guid_core::uid::DriftBits;
///
/// assert_eq!(DriftBits::new(8)?, DriftBits::default());
/// assert_eq!(
///     DriftBits::new(11).unwrap_err().to_string(),
///     "drift bits 11 is out of range: expected 5 to 10",
/// );
/// assert!(DriftBits::new(4).is_err()); // the original never returns from this
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriftBits(u8);

impl DriftBits {
    /// All six, the smallest first.
    pub const ALL: [Self; 6] = [Self(5), Self(6), Self(7), Self(8), Self(9), Self(10)];

    /// Returns the tolerance of 2^`bits` seconds.
    ///
    /// # Errors
    ///
    /// Fewer than 5 or more than 10 bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::DriftBits;
    ///
    /// assert_eq!(DriftBits::new(5).map(DriftBits::get), Ok(5));
    /// ```
    pub const fn new(bits: u8) -> Result<Self, RangeError> {
        if bits < 5 || bits > 10 {
            return Err(RangeError::between("drift bits", bits as u64, 5, 10));
        }
        Ok(Self(bits))
    }

    /// The number of bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::DriftBits;
    ///
    /// assert_eq!(DriftBits::ALL.map(DriftBits::get), [5, 6, 7, 8, 9, 10]);
    /// ```
    pub const fn get(self) -> u8 {
        self.0
    }

    pub(super) const fn pack(self, node: u32, fields: layout::Fields, seq: u16) -> u128 {
        layout::pack_global(self.0 as u32, node, fields, seq)
    }

    pub(super) const fn node(self, id: u128) -> u32 {
        layout::global_node(self.0 as u32, id)
    }

    pub(super) const fn fields(self, id: u128) -> layout::Fields {
        layout::global_fields(self.0 as u32, id)
    }
}

/// 8 bits: 256 seconds, the original's default.
impl Default for DriftBits {
    fn default() -> Self {
        Self(8)
    }
}
