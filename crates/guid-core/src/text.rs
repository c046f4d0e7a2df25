//! The text forms of an ID.
//!
//! | form | global | local | sorts as the bytes | made for |
//! |---|---|---|---|---|
//! | canonical ([`to_lex`](crate::Guid::to_lex), `Display`) | 16 | 16 | in ASCII order | upstream, logs |
//! | [`to_base32`](crate::Guid::to_base32) | 20 | 13 | in ASCII order and under collations | databases |
//! | [`to_hex`](crate::Guid::to_hex) | 24 | 16 | in ASCII order and under collations | reading |
//! | [`to_base62_padded`](crate::Guid::to_base62_padded) | 17 | 11 | in ASCII order | URLs |
//! | [`to_base62`](crate::Guid::to_base62) | ≤ 17 | ≤ 11 | no | upstream's base62 |
//! | [`to_uuid`](crate::Guid::to_uuid) | 36 | – | in ASCII order and under collations | UUID columns |
//!
//! # Invariants
//!
//! Reading is strict and injective: exact length, exact alphabet, exact range, so that a value has
//! one text in each form (hexadecimal digits and base32 are read in either case; upstream's JSON
//! text of a local holds a node that is dropped, so there many are read as one) and everything else
//! is a [`ParseError`](crate::ParseError) with a position. Writing allocates nothing.

pub(crate) mod lex;
mod base32;
mod base62;
pub(crate) mod hex;
mod uuid;
mod starred;

use core::{fmt, ops::Deref, str};

/// A short ASCII text of at most `N` bytes, by value: it derefs to `str`.
///
/// # Examples
///
/// ```
/// use guid_core::{Guid, Text};
///
/// let hex: Text<24> = Guid::MAX.to_hex();
/// assert_eq!(&*hex, "ffffffffffffffffffffffff");
/// assert_eq!(format!("{hex:>26}"), "  ffffffffffffffffffffffff");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const N: usize> {
    /// ASCII; zero after `len`.
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> Text<N> {
    /// The caller hands in ASCII.
    #[inline]
    pub(crate) const fn new(bytes: [u8; N]) -> Self {
        const { assert!(N <= u8::MAX as usize) }
        Self { bytes, len: N as u8 }
    }

    /// The text after its first `skip` bytes.
    pub(crate) fn trimmed(bytes: [u8; N], skip: usize) -> Self {
        let mut text = Self { bytes: [0; N], len: (N - skip) as u8 };
        text.bytes[..N - skip].copy_from_slice(&bytes[skip..]);
        text
    }

    /// The bytes of the text: for a buffer of one's own, without the check that makes a `str`.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let mut buffer = [0; 20];
    /// buffer[4..].copy_from_slice(Guid::MAX.to_lex().as_bytes());
    /// assert_eq!(&buffer, b"\0\0\0\0zzzzzzzzzzzzzzzz");
    /// ```
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The text.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::MAX.to_lex().as_str(), "zzzzzzzzzzzzzzzz");
    /// ```
    #[expect(clippy::missing_panics_doc, reason = "it holds ASCII by construction")]
    #[inline]
    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("an ID's text is ASCII")
    }
}

impl<const N: usize> Deref for Text<N> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<const N: usize> AsRef<str> for Text<N> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl<const N: usize> PartialEq<str> for Text<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl<const N: usize> PartialEq<&str> for Text<N> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// What a byte that is no digit maps to.
const NONE: u8 = 0xff;

/// The inverse of an alphabet: byte to digit, [`NONE`] elsewhere.
const fn digits(alphabet: &[u8]) -> [u8; 256] {
    let mut table = [NONE; 256];
    let mut i = 0;
    while i < alphabet.len() {
        table[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    table
}

/// The same, where a lower-case letter stands for the upper-case one.
const fn digits_either_case(alphabet: &[u8]) -> [u8; 256] {
    let mut table = digits(alphabet);
    let mut i = 0;
    while i < alphabet.len() {
        table[alphabet[i].to_ascii_lowercase() as usize] = i as u8;
        table[alphabet[i].to_ascii_uppercase() as usize] = i as u8;
        i += 1;
    }
    table
}
