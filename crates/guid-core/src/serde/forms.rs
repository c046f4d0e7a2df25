//! The other forms of an ID as fields: modules for `#[serde(with = "…")]`.
//!
//! Each writes one text form whatever the format, or plain bytes. They take a [`Guid`], a
//! [`LocalId`], or an `Option` of one, where the form exists for it.

use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

use super::text;
use crate::{Guid, LocalId};

/// A field that can be written in the form `F`, one of the markers in the modules for `with`.
///
/// Sealed: implemented for [`Guid`], [`LocalId`] and `Option`s of them.
pub trait Field<F>: Sized + sealed::Sealed {
    /// Writes the field.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads the field.
    ///
    /// # Errors
    ///
    /// What is not an ID in this form.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

mod sealed {
    #[expect(unnameable_types, reason = "that is the seal")]
    pub trait Sealed {}
    impl Sealed for crate::Guid {}
    impl Sealed for crate::LocalId {}
    impl<T: Sealed> Sealed for Option<T> {}
}

/// A field as a value of serde's own traits, for the inside of an `Option`.
struct As<T, F>(T, PhantomData<F>);

impl<T: Field<F>, F> Serialize for As<&T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl<'de, T: Field<F>, F> Deserialize<'de> for As<T, F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(|field| Self(field, PhantomData))
    }
}

impl<T: Field<F>, F> Field<F> for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(field) => serializer.serialize_some(&As(field, PhantomData)),
            None => serializer.serialize_none(),
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<As<T, F>>::deserialize(deserializer)?.map(|field| field.0))
    }
}

/// A module for `with`.
macro_rules! module {
    ($(#[$doc:meta])* $module:ident: $marker:ident) => {
        $(#[$doc])*
        pub mod $module {
            use serde::{Deserializer, Serializer};

            use super::Field;

            /// The marker of this form.
            #[derive(Clone, Copy, Debug)]
            #[non_exhaustive]
            pub struct $marker;

            /// Writes a field in this form. See [the module](self) for it at work.
            ///
            /// # Errors
            ///
            /// Those of the serializer.
            pub fn serialize<T, S>(field: &T, serializer: S) -> Result<S::Ok, S::Error>
            where
                T: Field<$marker>,
                S: Serializer,
            {
                field.write(serializer)
            }

            /// Reads a field in this form. See [the module](self) for it at work.
            ///
            /// # Errors
            ///
            /// What is not an ID in this form.
            pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
            where
                T: Field<$marker>,
                D: Deserializer<'de>,
            {
                T::read(deserializer)
            }
        }
    };
}

/// A text form of a type: how it is written, how it is read, what to expect.
macro_rules! text_field {
    ($form:path, $id:ident, $write:ident, $read:ident, $expecting:literal) => {
        impl Field<$form> for $id {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.$write().serialize(serializer)
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                text(deserializer, Self::$read, $expecting)
            }
        }
    };
}

module! {
    /// Crockford base32, 20 or 13 characters: sorts under any collation.
    base32: Base32
}
text_field!(base32::Base32, Guid, to_base32, from_base32, "20 characters of base32");
text_field!(base32::Base32, LocalId, to_base32, from_base32, "13 characters of base32");

module! {
    /// Padded base62, 17 or 11 characters.
    base62_padded: Base62Padded
}
text_field!(
    base62_padded::Base62Padded,
    Guid,
    to_base62_padded,
    from_base62_padded,
    "17 characters of base62"
);
text_field!(
    base62_padded::Base62Padded,
    LocalId,
    to_base62_padded,
    from_base62_padded,
    "11 characters of base62"
);

module! {
    /// Hexadecimal, 24 or 16 digits.
    hex: Hex
}
text_field!(hex::Hex, Guid, to_hex, from_hex, "24 hexadecimal digits");
text_field!(hex::Hex, LocalId, to_hex, from_hex, "16 hexadecimal digits");

module! {
    /// The UUIDv8 that embeds a [`Guid`](crate::Guid), as text.
    uuid: Uuid
}
text_field!(uuid::Uuid, Guid, to_uuid, from_uuid, "a UUID that embeds an ID");

module! {
    /// 12 or 8 bytes, big-endian, as a byte string: for formats that have one (CBOR,
    /// `MessagePack`), where the default form of a binary format would be an array of numbers.
    bytes: Bytes
}

/// Reads exactly `N` bytes, from a byte string or a sequence.
struct BytesVisitor<const N: usize>;

impl<'de, const N: usize> Visitor<'de> for BytesVisitor<N> {
    type Value = [u8; N];

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{N} bytes of an ID")
    }

    fn visit_bytes<E: Error>(self, v: &[u8]) -> Result<[u8; N], E> {
        v.try_into().map_err(|_| E::invalid_length(v.len(), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[u8; N], A::Error> {
        let mut bytes = [0; N];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(at, &self))?;
        }
        match seq.next_element::<u8>()? {
            Some(_) => Err(A::Error::invalid_length(N + 1, &self)),
            None => Ok(bytes),
        }
    }
}

macro_rules! bytes_field {
    ($id:ident, $length:literal) => {
        impl Field<bytes::Bytes> for $id {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(&self.to_bytes())
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_bytes(BytesVisitor::<$length>).map(Self::from_bytes)
            }
        }
    };
}

bytes_field!(Guid, 12);
bytes_field!(LocalId, 8);
