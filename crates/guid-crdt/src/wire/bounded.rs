//! [`Bounded`]: reading that counts the elements of lists.
//!
//! A list of things that take no bytes, as in `Vec<()>`, has a length and nothing behind it: a few
//! bytes could claim more elements than there is time to count. Serde offers no place where a
//! length is seen before it is believed, so this stands between a value and the format, hands on
//! whatever is asked, and counts.
//!
//! # Invariants
//!
//! What is read is what would be read without it, or an error.

use core::{cell::Cell, fmt};

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// A part of the conversation between a value and a format, with how many elements may still come.
pub(super) struct Bounded<'c, T> {
    inner: T,
    left: &'c Cell<u64>,
    /// Whether it is a list, whose length was read, and no tuple, whose length is known.
    is_list: bool,
}

impl<'c, T> Bounded<'c, T> {
    pub(super) const fn new(inner: T, left: &'c Cell<u64>) -> Self {
        Self { inner, left, is_list: false }
    }

    const fn list(inner: T, left: &'c Cell<u64>) -> Self {
        Self { inner, left, is_list: true }
    }

    fn count<E: Error>(&self) -> Result<(), E> {
        if self.is_list {
            let left = self.left.get().checked_sub(1);
            let too_many = || E::custom("a list has too many elements that take no bytes");
            self.left.set(left.ok_or_else(too_many)?);
        }
        Ok(())
    }
}

/// Methods that hand a visitor on.
macro_rules! hand_on {
    ($with:ident: $($method:ident($($name:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V)
            -> Result<V::Value, D::Error>
        {
            self.inner.$method($($name,)* Bounded::$with(visitor, self.left))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<'_, D> {
    type Error = D::Error;

    hand_on! { new:
        deserialize_any() deserialize_bool() deserialize_char()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_str() deserialize_string()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit()
        deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    hand_on! { list: deserialize_seq() deserialize_map() }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Methods that hand on what has no parts.
macro_rules! visit {
    ($($method:ident: $type:ty)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Bounded<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    visit! {
        visit_bool: bool visit_char: char
        visit_i8: i8 visit_i16: i16 visit_i32: i32 visit_i64: i64 visit_i128: i128
        visit_u8: u8 visit_u16: u16 visit_u32: u32 visit_u64: u64 visit_u128: u128
        visit_f32: f32 visit_f64: f64
        visit_str: &str visit_borrowed_str: &'de str visit_string: String
        visit_bytes: &[u8] visit_borrowed_bytes: &'de [u8] visit_byte_buf: Vec<u8>
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Bounded::new(deserializer, self.left))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Bounded::new(deserializer, self.left))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        let Self { inner, left, is_list } = self;
        inner.visit_seq(Bounded { inner: seq, left, is_list })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Self { inner, left, is_list } = self;
        inner.visit_map(Bounded { inner: map, left, is_list })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Bounded::new(data, self.left))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Bounded<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Bounded::new(deserializer, self.left))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        let element = self.inner.next_element_seed(Bounded::new(seed, self.left))?;
        element.map(|element| self.count().map(|()| element)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let key = self.inner.next_key_seed(Bounded::new(seed, self.left))?;
        key.map(|key| self.count().map(|()| key)).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(Bounded::new(seed, self.left))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'c, A: EnumAccess<'de>> EnumAccess<'de> for Bounded<'c, A> {
    type Error = A::Error;
    type Variant = Bounded<'c, A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(Bounded::new(seed, self.left))?;
        Ok((value, Bounded::new(variant, self.left)))
    }
}

impl<'de, D: VariantAccess<'de>> VariantAccess<'de> for Bounded<'_, D> {
    type Error = D::Error;

    fn unit_variant(self) -> Result<(), D::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, D::Error> {
        self.inner.newtype_variant_seed(Bounded::new(seed, self.left))
    }

    hand_on! { new:
        tuple_variant(length: usize)
        struct_variant(fields: &'static [&'static str])
    }
}
