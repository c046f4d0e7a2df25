//! [`guid!`](crate::guid!): an ID written in the source, checked when it is compiled.

use crate::{Guid, text::hex, text::lex};

/// A [`Guid`](crate::Guid) from its canonical text or its hexadecimal digits, checked when the
/// program is compiled.
///
/// # Examples
///
/// ```
/// use guid_core::{Guid, guid};
///
/// const ROOT: Guid = guid!("Njj070....H7o_zz");
/// assert_eq!(ROOT, guid!("62fbc1201000000488d25fff"));
/// assert_eq!(ROOT.to_string(), "Njj070....H7o_zz");
/// ```
///
/// What is no ID does not compile:
///
/// ```compile_fail
/// let id = guid_core::guid!("Njj070....H7o_z!");
/// ```
///
/// ```compile_fail
/// let id = guid_core::guid!("Njj070....H7o_z");
/// ```
///
/// Nor does it where nobody calls it, or under `cargo check`:
///
/// ```compile_fail
/// fn nobody_calls_it() -> guid_core::Guid {
///     guid_core::guid!("Njj070....H7o_z!")
/// }
/// ```
#[macro_export]
macro_rules! guid {
    ($text:expr) => {{
        // An item: a `const` block is left unread until code is made of the function around it.
        const __GUID: $crate::Guid = $crate::Guid::from_static($text);
        __GUID
    }};
}

impl Guid {
    /// Returns the ID of its canonical text (16 characters) or its hexadecimal digits (24): for
    /// constants, where an error is found by the compiler. [`guid!`](crate::guid!) makes sure of
    /// it.
    ///
    /// # Panics
    ///
    /// Any other text. To read text that is not in the source, [`parse`](str::parse) it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// static FIRST: Guid = Guid::from_static("................");
    /// assert_eq!(FIRST, Guid::ZERO);
    /// ```
    pub const fn from_static(text: &'static str) -> Self {
        let id = match text.as_bytes() {
            canonical if canonical.len() == 16 => lex::read_global(&sized(canonical)),
            digits if digits.len() == 24 => hex::read_global(&sized(digits)),
            _ => panic!("expected 16 characters of canonical text or 24 hexadecimal digits"),
        };
        match id {
            Some(id) => id,
            None => panic!("expected characters of `.0-9A-Z_a-z`, or hexadecimal digits"),
        }
    }
}

/// The bytes as an array; the caller knows the length. (`try_into` is not const yet.)
const fn sized<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::panic;

    /// What `compile_fail` can only say to fail, here with the reason.
    fn refused(text: &'static str) -> &'static str {
        let panic = panic::catch_unwind(|| Guid::from_static(text)).expect_err("no ID");
        panic.downcast_ref().copied().unwrap_or_default()
    }

    #[test]
    fn what_is_no_id_is_refused_with_the_reason() {
        for text in ["", "Njj070....H7o_z", "Njj070....H7o_zzz", "世世世世世"] {
            assert!(refused(text).contains("16 characters"), "{text}");
        }
        for text in
            ["Njj070....H7o_z!", "62fbc1201000000488d25ffg", "世世世世世.", "世世世世世世世世"]
        {
            assert!(refused(text).contains("of `.0-9A-Z_a-z`"), "{text}");
        }
    }

    #[test]
    fn both_texts_are_read_as_parsing_reads_them() {
        for text in ["................", "zzzzzzzzzzzzzzzz", "Njj070....H7o_zz"] {
            assert_eq!(Guid::from_static(text), text.parse().unwrap());
        }
        for text in ["62fbc1201000000488d25fff", "62FBC1201000000488D25FFF"] {
            assert_eq!(Guid::from_static(text), Guid::from_hex(text).unwrap());
        }
    }
}
