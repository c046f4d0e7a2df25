//! Base62: the number in digits `0-9A-Za-z`, in upstream's unpadded form and in a padded one.
//!
//! Upstream drops leading zeros, so its texts vary in length, do not sort, and cannot be read back
//! where the number has a zero first byte: those values have no unpadded text here. Every value
//! has the padded text, which sorts in ASCII order.

use super::{NONE, Text, digits};
use crate::{Guid, LocalId, ParseError};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: [u8; 256] = digits(ALPHABET);
/// 62¹⁰, the largest power of 62 below 2⁶⁴: a wide number is cut once, then divided as a `u64`.
const CUT: u128 = 62_u128.pow(10);

fn encode<const N: usize>(mut bits: u128) -> [u8; N] {
    let mut text = [b'0'; N];
    for chunk in text.rchunks_mut(10) {
        let mut low = (bits % CUT) as u64;
        bits /= CUT;
        for c in chunk.iter_mut().rev() {
            *c = ALPHABET[(low % 62) as usize];
            low /= 62;
        }
    }
    debug_assert!(bits == 0, "N digits hold the number");
    text
}

/// Reads digits of a number below 2^`size`.
fn decode(text: &str, size: u32) -> Result<u128, ParseError> {
    let mut number = 0_u128;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        let digit = DIGITS[usize::from(byte)];
        if digit == NONE {
            return Err(ParseError::character(text, at, "0-9A-Za-z"));
        }
        number = number * 62 + u128::from(digit);
        if number >> size != 0 {
            return Err(ParseError::overflow(at));
        }
    }
    Ok(number)
}

fn decode_padded(
    text: &str,
    size: u32,
    length: usize,
    expected: &'static str,
) -> Result<u128, ParseError> {
    if text.len() != length {
        return Err(ParseError::length(text.len(), expected));
    }
    decode(text, size)
}

/// Reads what upstream writes and can read again: no leading zero, and no zero first byte.
fn decode_unpadded(
    text: &str,
    size: u32,
    longest: usize,
    expected: &'static str,
) -> Result<u128, ParseError> {
    if text.is_empty() || text.len() > longest {
        return Err(ParseError::length(text.len(), expected));
    }
    if text.starts_with('0') {
        return Err(ParseError::not_canonical(0, "unpadded base62 has no leading zero"));
    }
    let number = decode(text, size)?;
    if number >> (size - 8) == 0 {
        return Err(ParseError::not_canonical(
            0,
            "the number is too small for an ID in unpadded base62",
        ));
    }
    Ok(number)
}

fn encode_unpadded<const N: usize>(bits: u128, size: u32) -> Option<Text<N>> {
    if bits >> (size - 8) == 0 {
        return None;
    }
    let text = encode::<N>(bits);
    let skip = text.iter().take_while(|&&c| c == b'0').count();
    Some(Text::trimmed(text, skip))
}

impl Guid {
    /// Base62 in upstream's form: without leading zeros, so 16 or 17 characters.
    ///
    /// `None` where upstream could not read it back: IDs whose first byte is zero (drift code 0
    /// until 2106). It does not sort; see [`to_base62_padded`](Self::to_base62_padded).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?;
    /// assert_eq!(&*id.to_base62().unwrap(), "dq7YumjEa745gWTv");
    /// assert_eq!(id.to_base62_padded(), "0dq7YumjEa745gWTv");
    /// assert_eq!(Guid::ZERO.to_base62(), None);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub fn to_base62(self) -> Option<Text<17>> {
        encode_unpadded(self.bits(), 96)
    }

    /// Reads base62 in upstream's form.
    ///
    /// # Errors
    ///
    /// Anything that [`to_base62`](Self::to_base62) does not write.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert!(Guid::from_base62("dq7YumjEa745gWTv").is_ok());
    /// assert!(Guid::from_base62("0dq7YumjEa745gWTv").is_err()); // a leading zero
    /// ```
    pub fn from_base62(text: &str) -> Result<Self, ParseError> {
        decode_unpadded(text, 96, 17, "1 to 17 characters").map(Self::from_bits)
    }

    /// Base62, padded with zeros: 17 characters that sort as the bytes in ASCII order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::ZERO.to_base62_padded(), "00000000000000000");
    /// assert_eq!(Guid::MAX.to_base62_padded(), "1f2SI9UJPXvb7vdJ1");
    /// ```
    pub fn to_base62_padded(self) -> Text<17> {
        Text::new(encode(self.bits()))
    }

    /// Reads padded base62.
    ///
    /// # Errors
    ///
    /// Anything but 17 digits below 2⁹⁶.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::from_base62_padded("00000000000000000"), Ok(Guid::ZERO));
    /// assert!(Guid::from_base62_padded("1f2SI9UJPXvb7vdJ2").is_err()); // 2^96
    /// ```
    pub fn from_base62_padded(text: &str) -> Result<Self, ParseError> {
        decode_padded(text, 96, 17, "17 characters").map(Self::from_bits)
    }
}

impl LocalId {
    /// Base62 in upstream's form: without leading zeros. `None` where upstream could not read it
    /// back: IDs whose first byte is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// let id: LocalId = "51EAB01377C14EEE".parse()?;
    /// assert_eq!(&*id.to_base62().unwrap(), "8UsxJwyLANj");
    /// assert_eq!(LocalId::ZERO.to_base62(), None);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub fn to_base62(self) -> Option<Text<11>> {
        encode_unpadded(u128::from(self.as_u64()), 64)
    }

    /// Reads base62 in upstream's form.
    ///
    /// # Errors
    ///
    /// Anything that [`to_base62`](Self::to_base62) does not write.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_base62("8UsxJwyLANj"), "51EAB01377C14EEE".parse());
    /// ```
    pub fn from_base62(text: &str) -> Result<Self, ParseError> {
        decode_unpadded(text, 64, 11, "1 to 11 characters").map(|bits| Self::from_u64(bits as u64))
    }

    /// Base62, padded with zeros: 11 characters that sort as the bytes in ASCII order.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::ZERO.to_base62_padded(), "00000000000");
    /// ```
    pub fn to_base62_padded(self) -> Text<11> {
        Text::new(encode(u128::from(self.as_u64())))
    }

    /// Reads padded base62.
    ///
    /// # Errors
    ///
    /// Anything but 11 digits below 2⁶⁴.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_base62_padded("LygHa16AHYF"), Ok(LocalId::MAX));
    /// ```
    pub fn from_base62_padded(text: &str) -> Result<Self, ParseError> {
        decode_padded(text, 64, 11, "11 characters").map(|bits| Self::from_u64(bits as u64))
    }
}
