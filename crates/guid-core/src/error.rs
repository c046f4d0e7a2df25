//! The errors of this crate: small, comparable, one a family of operations.
//!
//! [`RangeError`] answers constructors, [`ParseError`] answers readers of text and bytes. Those of
//! the generators stand beside them, in [`generator`](crate::generator).

use core::{error::Error, fmt};

/// A number outside the range of its fraction of an ID.
///
/// # Examples
///
/// ```
/// use guid_core::Seq;
///
/// let error = Seq::new(16_384).unwrap_err();
/// assert_eq!(error.to_string(), "sequence 16384 is out of range: expected at most 16383");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RangeError {
    what: &'static str,
    found: u64,
    min: u64,
    max: u64,
}

impl RangeError {
    pub(crate) const fn new(what: &'static str, found: u64, max: u64) -> Self {
        Self { what, found, min: 0, max }
    }

    #[cfg(feature = "uid")]
    pub(crate) const fn between(what: &'static str, found: u64, min: u64, max: u64) -> Self {
        Self { what, found, min, max }
    }

    /// The greatest value that would have been accepted.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Tick;
    ///
    /// assert_eq!(Tick::new(1 << 47).unwrap_err().max(), (1 << 47) - 1);
    /// ```
    pub const fn max(&self) -> u64 {
        self.max
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, found, min, max } = self;
        write!(f, "{what} {found} is out of range: expected ")?;
        if *min == 0 { write!(f, "at most {max}") } else { write!(f, "{min} to {max}") }
    }
}

impl Error for RangeError {}

/// Text or bytes that are not an ID: what was found, where, and what was expected.
///
/// # Examples
///
/// ```
/// use guid_core::Guid;
///
/// let error = "Njj070..!.H7o_zz".parse::<Guid>().unwrap_err();
/// assert_eq!(error.offset(), Some(8));
/// assert_eq!(
///     error.to_string(),
///     "invalid character `!` at index 8 of an ID: expected one of `.0-9A-Z_a-z`",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseError(ParseErrorKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ParseErrorKind {
    /// `expected` is a sentence fragment: "16 characters".
    Length {
        found: usize,
        expected: &'static str,
    },
    Character {
        found: char,
        at: usize,
        expected: &'static str,
    },
    /// A digit that makes the number too large for the ID.
    Overflow {
        at: usize,
    },
    /// Text that reads as a value, but is not the text of that value.
    NotCanonical {
        at: usize,
        why: &'static str,
    },
}

impl ParseError {
    pub(crate) const fn length(found: usize, expected: &'static str) -> Self {
        Self(ParseErrorKind::Length { found, expected })
    }

    /// The error for the byte at `at` of `text`, which may stand inside a character.
    pub(crate) fn character(text: &str, at: usize, expected: &'static str) -> Self {
        let start = (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        let found = text[start..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
        Self(ParseErrorKind::Character { found, at: start, expected })
    }

    pub(crate) const fn overflow(at: usize) -> Self {
        Self(ParseErrorKind::Overflow { at })
    }

    pub(crate) const fn not_canonical(at: usize, why: &'static str) -> Self {
        Self(ParseErrorKind::NotCanonical { at, why })
    }

    /// Returns the same error for text of which `skipped` bytes were read before.
    pub(crate) const fn after(self, skipped: usize) -> Self {
        Self(match self.0 {
            ParseErrorKind::Character { found, at, expected } => {
                ParseErrorKind::Character { found, at: at + skipped, expected }
            }
            ParseErrorKind::Overflow { at } => ParseErrorKind::Overflow { at: at + skipped },
            ParseErrorKind::NotCanonical { at, why } => {
                ParseErrorKind::NotCanonical { at: at + skipped, why }
            }
            length @ ParseErrorKind::Length { .. } => length,
        })
    }

    /// The byte where reading failed, or `None` where the length alone is wrong.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!("Njj070..é.H7o_z".parse::<Guid>().unwrap_err().offset(), Some(8));
    /// assert_eq!("Njj070".parse::<Guid>().unwrap_err().offset(), None);
    /// ```
    pub const fn offset(&self) -> Option<usize> {
        match self.0 {
            ParseErrorKind::Length { .. } => None,
            ParseErrorKind::Character { at, .. }
            | ParseErrorKind::Overflow { at }
            | ParseErrorKind::NotCanonical { at, .. } => Some(at),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ParseErrorKind::Length { found, expected } => {
                write!(f, "invalid length {found} of an ID: expected {expected}")
            }
            ParseErrorKind::Character { found, at, expected } => write!(
                f,
                "invalid character `{}` at index {at} of an ID: expected one of `{expected}`",
                found.escape_debug(),
            ),
            ParseErrorKind::Overflow { at } => {
                write!(f, "the number is too large for an ID at index {at}")
            }
            ParseErrorKind::NotCanonical { at, why } => {
                write!(f, "not the text of an ID at index {at}: {why}")
            }
        }
    }
}

impl Error for ParseError {}
