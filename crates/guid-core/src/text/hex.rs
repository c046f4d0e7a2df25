//! Hexadecimal: the bytes, lower-case when written, either case when read.

use super::{NONE, Text, digits_either_case};
use crate::{Guid, LocalId, ParseError};

const ALPHABET: &[u8; 16] = b"0123456789abcdef";
/// The two digits of a byte.
const PAIRS: [[u8; 2]; 256] = {
    let mut table = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = [ALPHABET[i >> 4], ALPHABET[i & 15]];
        i += 1;
    }
    table
};
const DIGITS: [u8; 256] = digits_either_case(ALPHABET);

/// `C` is twice `N`: the language cannot say so in a type yet.
#[inline]
pub(crate) fn encode<const N: usize, const C: usize>(bytes: [u8; N]) -> Text<C> {
    const { assert!(C == 2 * N) }
    let mut text = [0; C];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&PAIRS[usize::from(byte)]);
    }
    Text::new(text)
}

#[inline]
pub(crate) fn decode<const N: usize>(
    text: &str,
    expected: &'static str,
) -> Result<[u8; N], ParseError> {
    if text.len() != 2 * N {
        return Err(ParseError::length(text.len(), expected));
    }
    let mut bytes = [0; N];
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let (high, low) = (DIGITS[usize::from(pair[0])], DIGITS[usize::from(pair[1])]);
        seen |= high | low;
        *byte = high << 4 | low;
    }
    // A digit is below 16, and `NONE` is all ones: the place is looked for when there is one.
    if seen == NONE {
        let at = text.bytes().position(|c| DIGITS[usize::from(c)] == NONE);
        return Err(ParseError::character(text, at.unwrap_or_default(), "0-9a-f"));
    }
    Ok(bytes)
}

/// Reads 24 digits in a constant, where an error cannot say more than that.
pub(crate) const fn read_global(text: &[u8; 24]) -> Option<Guid> {
    let mut bytes = [0; 12];
    let mut i = 0;
    while i < bytes.len() {
        let (high, low) = (DIGITS[text[2 * i] as usize], DIGITS[text[2 * i + 1] as usize]);
        if (high | low) == NONE {
            return None;
        }
        bytes[i] = high << 4 | low;
        i += 1;
    }
    Some(Guid::from_bytes(bytes))
}

impl Guid {
    /// The bytes as 24 hexadecimal digits, lower-case.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?;
    /// assert_eq!(id.to_hex(), "62fbc1201000000488d25fff");
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    #[inline]
    pub fn to_hex(self) -> Text<24> {
        encode(self.to_bytes())
    }

    /// Reads 24 hexadecimal digits, in either case.
    ///
    /// # Errors
    ///
    /// Another length or another character.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::from_hex("FFFFFFFFFFFFFFFFFFFFFFFF"), Ok(Guid::MAX));
    /// ```
    #[inline]
    pub fn from_hex(text: &str) -> Result<Self, ParseError> {
        decode(text, "24 hexadecimal digits").map(Self::from_bytes)
    }
}

impl LocalId {
    /// The bytes as 16 hexadecimal digits, lower-case.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// let id: LocalId = "51EAB01377C14EEE".parse()?;
    /// assert_eq!(id.to_hex(), "62fbc12488d25fff");
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    #[inline]
    pub fn to_hex(self) -> Text<16> {
        encode(self.to_bytes())
    }

    /// Reads 16 hexadecimal digits, in either case.
    ///
    /// # Errors
    ///
    /// Another length or another character.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_hex("ffffffffffffffff"), Ok(LocalId::MAX));
    /// ```
    #[inline]
    pub fn from_hex(text: &str) -> Result<Self, ParseError> {
        decode(text, "16 hexadecimal digits").map(Self::from_bytes)
    }
}
