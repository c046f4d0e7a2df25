//! The canonical text, upstream's: 16 characters of `.0-9A-Z_a-z`, which ASCII sorts as digits.
//!
//! A global spends 6 bits a character. A local spends 4, and so uses the first 16 characters only.

use super::{NONE, Text, digits};
use crate::{Guid, LocalId, ParseError};

const ALPHABET: &[u8; 64] = b".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const DIGITS: [u8; 256] = digits(ALPHABET);
const LENGTH: usize = 16;

fn encode(bits: u128, width: u32) -> Text<LENGTH> {
    let mut text = [0; LENGTH];
    for (i, c) in text.iter_mut().rev().enumerate() {
        let digit = bits >> (width * i as u32) & ((1 << width) - 1);
        *c = ALPHABET[digit as usize];
    }
    Text::new(text)
}

fn decode(text: &str, width: u32, expected: &'static str) -> Result<u128, ParseError> {
    let bytes: &[u8; LENGTH] =
        text.as_bytes().try_into().map_err(|_| ParseError::length(text.len(), "16 characters"))?;
    let mut bits = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let digit = DIGITS[usize::from(byte)];
        if digit == NONE || u32::from(digit) >= 1 << width {
            return Err(ParseError::character(text, at, expected));
        }
        bits = bits << width | u128::from(digit);
    }
    Ok(bits)
}

pub(crate) fn decode_global(text: &str) -> Result<Guid, ParseError> {
    decode(text, 6, ".0-9A-Z_a-z").map(Guid::from_bits)
}

pub(crate) fn decode_local(text: &str) -> Result<LocalId, ParseError> {
    decode(text, 4, ".0-9A-E").map(|bits| LocalId::from_u64(bits as u64))
}

impl Guid {
    /// The canonical text: 16 characters that sort as the bytes in ASCII order.
    ///
    /// Collations sort it otherwise; where a database compares linguistically use
    /// [`to_base32`](Self::to_base32).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::ZERO.to_lex(), "................");
    /// assert_eq!(Guid::MAX.to_lex(), "zzzzzzzzzzzzzzzz");
    /// ```
    pub fn to_lex(self) -> Text<16> {
        encode(self.bits(), 6)
    }
}

impl LocalId {
    /// The canonical text: 16 characters that sort as the bytes in ASCII order.
    ///
    /// It cannot be told from a global's by looking: read it as what it is.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::MAX.to_lex(), "EEEEEEEEEEEEEEEE");
    /// ```
    pub fn to_lex(self) -> Text<16> {
        encode(u128::from(self.as_u64()), 4)
    }
}
