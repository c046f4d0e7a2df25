//! The UUIDv8 that embeds a global: lossless, and in the order of the IDs.
//!
//! The hexadecimal digits of the ID stand in order, with the version and variant digits (both 8)
//! put in where RFC 9562 section 5.8 has them, and six zeros at the end.

use super::{Text, hex};
use crate::{Guid, ParseError, layout};

/// Where the hyphens stand in the 36 characters.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

impl Guid {
    /// The UUIDv8 as a number.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id = Guid::from_hex("630f93f6f56df77ff883404d")?;
    /// assert_eq!(id.to_uuid(), "630f93f6-f56d-8f77-8ff8-83404d000000");
    /// assert_eq!(id.to_uuid_u128(), 0x630f93f6_f56d_8f77_8ff8_83404d000000);
    /// assert_eq!(Guid::from_uuid("630f93f6-f56d-8f77-8ff8-83404d000000")?, id);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn to_uuid_u128(self) -> u128 {
        layout::global_to_uuid(self.bits())
    }

    /// Returns the ID embedded in a UUIDv8, or `None` for a UUID that embeds none.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::from_uuid_u128(Guid::MAX.to_uuid_u128()), Some(Guid::MAX));
    /// assert_eq!(Guid::from_uuid_u128(u128::MAX), None);
    /// ```
    pub const fn from_uuid_u128(uuid: u128) -> Option<Self> {
        match layout::global_from_uuid(uuid) {
            Some(bits) => Some(Self::from_bits(bits)),
            None => None,
        }
    }

    /// The UUIDv8 as text: 36 characters, lower-case, with hyphens.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::MAX.to_uuid(), "ffffffff-ffff-8fff-8fff-ffffff000000");
    /// ```
    pub fn to_uuid(self) -> Text<36> {
        let digits = hex::encode::<16, 32>(self.to_uuid_u128().to_be_bytes());
        let mut digits = digits.bytes();
        let mut text = [b'-'; 36];
        for (at, c) in text.iter_mut().enumerate() {
            if !HYPHENS.contains(&at) {
                *c = digits.next().unwrap_or_default();
            }
        }
        Text::new(text)
    }

    /// Reads a UUIDv8 that embeds an ID: 36 characters with hyphens, in either case.
    ///
    /// # Errors
    ///
    /// Text that is no such UUID, or a UUID that embeds no ID.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let error = Guid::from_uuid("ffffffff-ffff-4fff-8fff-ffffff000000").unwrap_err();
    /// assert_eq!(error.offset(), Some(14)); // version 4
    /// ```
    pub fn from_uuid(text: &str) -> Result<Self, ParseError> {
        if text.len() != 36 {
            return Err(ParseError::length(text.len(), "36 characters of a UUID"));
        }
        let mut uuid = 0_u128;
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            if HYPHENS.contains(&at) {
                if byte != b'-' {
                    return Err(ParseError::character(text, at, "-"));
                }
                continue;
            }
            let digit = (byte as char).to_digit(16).filter(|_| byte.is_ascii());
            let digit = digit.ok_or_else(|| ParseError::character(text, at, "0-9a-f"))?;
            uuid = uuid << 4 | u128::from(digit);
        }
        Self::from_uuid_u128(uuid).ok_or_else(|| {
            let why = "a UUID that embeds an ID reads ........-....-8...-8...-......000000";
            ParseError::not_canonical(misplaced(text), why)
        })
    }
}

/// The first character that no embedding has there.
fn misplaced(text: &str) -> usize {
    let fixed = [(14, b'8'), (19, b'8')].into_iter().chain((30..36).map(|at| (at, b'0')));
    fixed.into_iter().find(|&(at, digit)| text.as_bytes()[at] != digit).map_or(0, |(at, _)| at)
}
