//! serde: text where people read, numbers where machines do (feature `serde`).
//!
//! | type | human-readable formats | binary formats |
//! |---|---|---|
//! | [`Guid`] | canonical text | 12 bytes, big-endian, as a tuple (no length) |
//! | [`LocalId`] | `*` and canonical text | `u64` |
//! | [`NodeId`] | 8 hexadecimal digits | `u32` |
//! | [`Stamp`] | decimal text (a double cannot hold it) | `u64` |
//!
//! These forms are frozen: `tests/serde.rs` holds golden bytes. Upstream's JSON is read for both
//! types: a global is its text, a local is `*` and the text of a global of any node.
//!
//! A field that wants another form names a module of this one; `Option`s of IDs work too (with
//! `default` beside `with`, where the key may be absent).
//!
//! In the binary formats that describe themselves (CBOR, `MessagePack`), serde buffers what is
//! under `flatten`, in an internally tagged or in an untagged enum, and the buffer claims to be
//! human-readable: the default forms are written there but *not read back*. Name a module of text
//! there ([`base32`]), which is one form in every format.
//!
//! ```
//! use guid_core::{Guid, LocalId, guid};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Row {
//!     #[serde(with = "guid_core::serde::base32")]
//!     id: Guid,
//!     #[serde(with = "guid_core::serde::hex")]
//!     parent: Option<LocalId>,
//! }
//!
//! let id = guid!("Njj070....H7o_zz");
//! let json = serde_json::to_string(&Row { id, parent: None })?;
//! assert_eq!(json, r#"{"id":"0RQVR4G100000J4D4QZZ","parent":null}"#);
//! assert_eq!(serde_json::from_str::<Row>(&json)?.id, id);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod forms;

use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};

pub use self::forms::{Field, base32, base62_padded, bytes, hex, uuid};
use crate::{Guid, LocalId, NodeId, Stamp, text::Text};

/// Reads text with a function of this crate, whose error tells what was wrong.
struct TextVisitor<T, E>(fn(&str) -> Result<T, E>, &'static str, PhantomData<T>);

impl<T, E: fmt::Display> Visitor<'_> for TextVisitor<T, E> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.1)
    }

    fn visit_str<F: Error>(self, v: &str) -> Result<T, F> {
        (self.0)(v).map_err(F::custom)
    }
}

fn text<'de, D, T, E>(
    deserializer: D,
    parse: fn(&str) -> Result<T, E>,
    expecting: &'static str,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    E: fmt::Display,
{
    deserializer.deserialize_str(TextVisitor(parse, expecting, PhantomData))
}

impl Serialize for Guid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&self.to_lex())
        } else {
            self.as_bytes().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Guid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            text(deserializer, str::parse, "the canonical text of an ID")
        } else {
            <[u8; 12]>::deserialize(deserializer).map(Self::from_bytes)
        }
    }
}

impl Serialize for LocalId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&self.to_starred())
        } else {
            serializer.serialize_u64(self.as_u64())
        }
    }
}

impl<'de> Deserialize<'de> for LocalId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            text(deserializer, Self::from_starred, "`*` and the canonical text of an ID")
        } else {
            u64::deserialize(deserializer).map(Self::from_u64)
        }
    }
}

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u32(self.as_u32())
        }
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            text(deserializer, str::parse, "8 hexadecimal digits")
        } else {
            u32::deserialize(deserializer).map(Self::new)
        }
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&self.as_u64())
        } else {
            serializer.serialize_u64(self.as_u64())
        }
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Decimal)
        } else {
            Self::from_u64(u64::deserialize(deserializer)?).map_err(D::Error::custom)
        }
    }
}

/// Reads a number as it is written: `str::parse` alone would take `+5` and `05` for `5` too, and a
/// value has one text.
struct Decimal;

impl Visitor<'_> for Decimal {
    type Value = Stamp;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a stamp in decimal digits")
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Stamp, E> {
        let plain = v.bytes().all(|byte| byte.is_ascii_digit());
        let padded = v.len() > 1 && v.starts_with('0');
        match v.parse() {
            Ok(number) if plain && !padded => Stamp::from_u64(number).map_err(E::custom),
            _ => Err(E::custom(format_args!(
                "invalid stamp {v:?}: expected decimal digits without a leading zero"
            ))),
        }
    }
}

/// A text form written as a string, for fields that want another than the canonical one.
impl<const N: usize> Serialize for Text<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
