//! The text forms of an ID, and which one a text is in.

use clap::ValueEnum;
use guid_core::{ByTime, Drift, Guid, LocalId, NodeId, ParseError, Stamp};
use serde::Serialize;

use crate::{cli::Order, lines::Bad};

/// An ID of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    Global(Guid),
    Local(LocalId),
}

impl Id {
    pub(crate) fn drift(self) -> Drift {
        match self {
            Self::Global(id) => id.drift(),
            Self::Local(id) => id.drift(),
        }
    }

    pub(crate) fn stamp(self) -> Stamp {
        match self {
            Self::Global(id) => id.stamp(),
            Self::Local(id) => id.stamp(),
        }
    }

    pub(crate) fn node(self) -> Option<NodeId> {
        match self {
            Self::Global(id) => Some(id.node()),
            Self::Local(_) => None,
        }
    }

    /// What to sort by. Of the kinds, locals come first: as the original has it in k-order, and
    /// because no node is less than any in time order.
    pub(crate) fn key(self, order: Order) -> impl Ord {
        let (local, global) = match self {
            Self::Local(id) => (Some(id), None),
            Self::Global(id) => (None, Some(id)),
        };
        match order {
            Order::K => (None, global, None, local),
            Order::Time => (Some(self.stamp()), None, global.map(ByTime), local),
        }
    }
}

/// A text form. One name stands for the form of both kinds where their lengths tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// Canonical, 16 characters
    Lex,
    /// Canonical of a local, 16 characters
    LexLocal,
    /// A local in JSON: `*` and the canonical text of a global
    Starred,
    /// Crockford base32, 20 characters (local: 13)
    Base32,
    /// Base62 as the Go library writes it, without leading zeros
    Base62,
    /// Base62 padded, 17 characters (local: 11)
    Base62Padded,
    /// Hexadecimal, 24 digits
    Hex,
    /// Hexadecimal of a local, 16 digits
    HexLocal,
    /// UUID version 8, 36 characters
    Uuid,
}

/// Reads a text in a form, or in the one its length tells.
pub(crate) fn read(text: &str, form: Option<Form>) -> Result<Id, Bad> {
    let form = form.map_or_else(|| recognize(text), Ok)?;
    // No text of a global is this short, so the kinds cannot be confused.
    let local_length = |longest: usize| text.len() <= longest;
    Ok(match form {
        Form::Lex => global(text.parse()),
        Form::LexLocal => local(text.parse()),
        Form::Starred => local(LocalId::from_starred(text)),
        Form::Base32 if local_length(13) => local(LocalId::from_base32(text)),
        Form::Base32 => global(Guid::from_base32(text)),
        Form::Base62Padded if local_length(11) => local(LocalId::from_base62_padded(text)),
        Form::Base62Padded => global(Guid::from_base62_padded(text)),
        Form::Base62 if local_length(11) => local(LocalId::from_base62(text)),
        Form::Base62 => global(Guid::from_base62(text)),
        Form::Hex => global(Guid::from_hex(text)),
        Form::HexLocal => local(LocalId::from_hex(text)),
        Form::Uuid => global(Guid::from_uuid(text)),
    }?)
}

fn global(read: Result<Guid, ParseError>) -> Result<Id, ParseError> {
    read.map(Id::Global)
}

fn local(read: Result<LocalId, ParseError>) -> Result<Id, ParseError> {
    read.map(Id::Local)
}

/// The form that the length tells. A text that is a decimal number is in none: as a 64-bit column
/// shows a local, it would pass for base32 at 20 digits, and a wrong ID is worse than none.
fn recognize(text: &str) -> Result<Form, Bad> {
    let form = match text.len() {
        16 => Form::Lex,
        17 if text.starts_with('*') => Form::Starred,
        11 | 17 => Form::Base62Padded,
        13 | 20 => Form::Base32,
        24 => Form::Hex,
        36 => Form::Uuid,
        0 => return Err(Bad::new(0, "nothing where an ID is expected")),
        length => {
            let why = format!(
                "no ID has {length} bytes of text: expected 16, 17, 20, 24 or 36, \
                 of a local 11, 13 or `*` and 16; or say --as FORM"
            );
            return Err(Bad::new(0, why));
        }
    };
    let decimal = text.len() == 20 && !text.starts_with('0') && text.parse::<u64>().is_ok();
    if decimal {
        return Err(Bad::new(0, "a decimal number, or base32: say --as base32 if it is"));
    }
    Ok(form)
}

/// Writes an ID in a form, if it has it.
pub(crate) fn write(id: Id, form: Form) -> Result<String, Bad> {
    match id {
        Id::Global(id) => write_global(id, form),
        Id::Local(id) => write_local(id, form),
    }
}

fn write_global(id: Guid, form: Form) -> Result<String, Bad> {
    Ok(match form {
        Form::Lex => id.to_lex().to_string(),
        Form::Base32 => id.to_base32().to_string(),
        Form::Base62 => id.to_base62().ok_or_else(no_base62)?.to_string(),
        Form::Base62Padded => id.to_base62_padded().to_string(),
        Form::Hex => id.to_hex().to_string(),
        Form::Uuid => id.to_uuid().to_string(),
        Form::LexLocal | Form::Starred | Form::HexLocal => {
            return Err(Bad::new(0, "a global ID has no form of a local: the node would be lost"));
        }
    })
}

fn write_local(id: LocalId, form: Form) -> Result<String, Bad> {
    Ok(match form {
        Form::Lex | Form::LexLocal => id.to_lex().to_string(),
        Form::Starred => id.to_starred().to_string(),
        Form::Base32 => id.to_base32().to_string(),
        Form::Base62 => id.to_base62().ok_or_else(no_base62)?.to_string(),
        Form::Base62Padded => id.to_base62_padded().to_string(),
        Form::Hex | Form::HexLocal => id.to_hex().to_string(),
        Form::Uuid => return Err(Bad::new(0, "a local ID has no UUID: expected a global one")),
    })
}

fn no_base62() -> Bad {
    Bad::new(0, "an ID whose first byte is zero has no unpadded base62: use base62-padded")
}
