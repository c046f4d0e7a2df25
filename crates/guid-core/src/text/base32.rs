//! Crockford's base32: digits, then letters without I, L, O and U; sorts under any collation.
//!
//! Upper-case when written, either case when read, no aliases for the missing letters (an alias
//! would give a value two texts). The bits that pad the first character are zero.

use super::{NONE, Text, digits_either_case};
use crate::{Guid, LocalId, ParseError};

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DIGITS: [u8; 256] = digits_either_case(ALPHABET);

#[inline]
fn encode<const N: usize>(bits: u128) -> Text<N> {
    // Eight digits fill 40 bits: the rest fits a word too, and words shift faster.
    let (mut low, mut high) = (bits as u64 & 0xff_ffff_ffff, (bits >> 40) as u64);
    let mut text = [0; N];
    let (front, back) = text.split_at_mut(N - 8);
    for c in back.iter_mut().rev() {
        *c = ALPHABET[(low & 31) as usize];
        low >>= 5;
    }
    for c in front.iter_mut().rev() {
        *c = ALPHABET[(high & 31) as usize];
        high >>= 5;
    }
    Text::new(text)
}

/// The number of at most twelve digits, and the bits that occur in one of them.
#[inline]
fn number(digits: &[u8]) -> (u64, u8) {
    digits.iter().fold((0, 0), |(number, seen), &byte| {
        let digit = DIGITS[usize::from(byte)];
        (number << 5 | u64::from(digit & 31), seen | digit)
    })
}

/// Reads `N` digits of a number of `size` bits.
#[inline]
fn decode<const N: usize>(
    text: &str,
    size: u32,
    expected: &'static str,
) -> Result<u128, ParseError> {
    let bytes: &[u8; N] =
        text.as_bytes().try_into().map_err(|_| ParseError::length(text.len(), expected))?;
    let (front, back) = bytes.split_at(N - 8);
    let (high, seen_high) = number(front);
    let (low, seen_low) = number(back);
    if seen_high | seen_low >= 32 {
        let at = bytes.iter().position(|&byte| DIGITS[usize::from(byte)] == NONE);
        return Err(ParseError::character(text, at.unwrap_or_default(), "0-9A-HJKMNP-TV-Z"));
    }
    let bits = u128::from(high) << 40 | u128::from(low);
    // Only the first digit holds padding, so it alone can be too large.
    if bits >> size != 0 { Err(ParseError::overflow(0)) } else { Ok(bits) }
}

impl Guid {
    /// Crockford base32: 20 characters, upper-case.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?;
    /// assert_eq!(id.to_base32(), "0RQVR4G100000J4D4QZZ");
    /// assert_eq!(Guid::from_base32("0rqvr4g100000j4d4qzz")?, id);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    #[inline]
    pub fn to_base32(self) -> Text<20> {
        encode(self.bits())
    }

    /// Reads Crockford base32, in either case.
    ///
    /// # Errors
    ///
    /// Anything but 20 digits below 2⁹⁶; `I`, `L`, `O` and `U` are not digits.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert!(Guid::from_base32("0RQVR4G100000J4D4QZZ").is_ok());
    /// assert!(Guid::from_base32("ORQVR4G100000J4D4QZZ").is_err()); // an O is no zero
    /// ```
    #[inline]
    pub fn from_base32(text: &str) -> Result<Self, ParseError> {
        decode::<20>(text, 96, "20 characters").map(Self::from_bits)
    }
}

impl LocalId {
    /// Crockford base32: 13 characters, upper-case.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// let id: LocalId = "51EAB01377C14EEE".parse()?;
    /// assert_eq!(id.to_base32(), "65YY14J4D4QZZ");
    /// assert_eq!(LocalId::from_base32("65yy14j4d4qzz")?, id);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    #[inline]
    pub fn to_base32(self) -> Text<13> {
        encode(u128::from(self.as_u64()))
    }

    /// Reads Crockford base32, in either case.
    ///
    /// # Errors
    ///
    /// Anything but 13 digits below 2⁶⁴; `I`, `L`, `O` and `U` are not digits.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert!(LocalId::from_base32("FZZZZZZZZZZZZ").is_ok());
    /// assert!(LocalId::from_base32("G000000000000").is_err()); // 2^64
    /// ```
    #[inline]
    pub fn from_base32(text: &str) -> Result<Self, ParseError> {
        decode::<13>(text, 64, "13 characters").map(|bits| Self::from_u64(bits as u64))
    }
}
