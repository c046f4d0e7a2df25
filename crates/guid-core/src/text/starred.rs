//! Upstream's JSON text: a global is its canonical text, a local is `*` and the text of a global.
//!
//! Upstream writes the node of a process-wide clock into a local's text. Here writing never
//! depends on a process (the node is 0); reading takes any node and drops it.

use super::{Text, lex};
use crate::{LocalId, NodeId, ParseError};

impl LocalId {
    /// The text of a local in JSON: `*` and the canonical text of the global with node 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// let id: LocalId = "51EAB01377C14EEE".parse()?;
    /// assert_eq!(id.to_starred(), "*Njj07.....H7o_zz");
    /// // As the Go library writes it in a process whose node is 04000000:
    /// assert_eq!(LocalId::from_starred("*Njj071....H7o_zz")?, id);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub fn to_starred(self) -> Text<17> {
        let global = self.to_global(NodeId::new(0)).to_lex();
        let mut text = [b'*'; 17];
        text[1..].copy_from_slice(global.as_bytes());
        Text::new(text)
    }

    /// Reads the text of a local in JSON, whatever node stands in it.
    ///
    /// # Errors
    ///
    /// Anything but `*` and 16 characters of canonical text.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::from_starred("*Njj071....H7o_zz"), "51EAB01377C14EEE".parse());
    /// assert!(LocalId::from_starred("Njj071....H7o_zz").is_err());
    /// ```
    pub fn from_starred(text: &str) -> Result<Self, ParseError> {
        if text.len() != 17 {
            return Err(ParseError::length(text.len(), "`*` and 16 characters"));
        }
        let global = text.strip_prefix('*').ok_or_else(|| ParseError::character(text, 0, "*"))?;
        let (_, local) = lex::decode_global(global).map_err(|error| error.after(1))?.to_local();
        Ok(local)
    }
}
