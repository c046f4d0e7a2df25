//! The fractions in a JSON object. Strict: a key that is unknown, twice there or missing, a number
//! out of its range, another type are errors that name the key; nothing is cut to fit.

use std::fmt;

use guid_core::{Drift, NodeId, Seq};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Unexpected, Visitor},
};

use super::Parts;
use crate::lines::Bad;

const KEYS: &[&str] = &["code", "node", "unix_ns", "seq", "local"];

pub(super) fn read(line: &str) -> Result<Parts, Bad> {
    serde_json::from_str(line).map_err(|error| {
        // The column counts bytes from one; the message repeats it, and we tell it as `at`.
        let message = error.to_string();
        let why = message.split(" at line ").next().unwrap_or(&message).to_owned();
        Bad { at: error.column().saturating_sub(1).min(line.len()), why }
    })
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with the keys code, node, unix_ns, seq and local")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
        let (mut code, mut node, mut unix_ns, mut seq, mut local) = (None, None, None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            let number = |key, max| Number { key, max, or_text: false };
            match &*key {
                "code" => put("code", &mut code, map.next_value_seed(number("code", 7))?)?,
                "node" => put("node", &mut node, map.next_value_seed(Node)?)?,
                "unix_ns" => {
                    let any = Number { or_text: true, ..number("unix_ns", u64::MAX) };
                    put("unix_ns", &mut unix_ns, map.next_value_seed(any)?)?;
                }
                "seq" => put("seq", &mut seq, map.next_value_seed(number("seq", 16_383))?)?,
                "local" => put("local", &mut local, map.next_value_seed(Local)?)?,
                _ => return Err(A::Error::unknown_field(&key, KEYS)),
            }
        }
        let missing = A::Error::missing_field;
        let code = code.ok_or_else(|| missing("code"))?;
        let seq = seq.ok_or_else(|| missing("seq"))?;
        let is_local = local.unwrap_or(false);
        Ok(Parts {
            drift: narrow(code)
                .and_then(|code| Drift::from_code(code).map_err(A::Error::custom))?,
            unix_ns: unix_ns.ok_or_else(|| missing("unix_ns"))?,
            seq: narrow(seq).and_then(|seq| Seq::new(seq).map_err(A::Error::custom))?,
            node: if is_local { None } else { Some(node.ok_or_else(|| missing("node"))?) },
        })
    }
}

fn put<T, E: Error>(key: &'static str, slot: &mut Option<T>, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(key)),
    }
}

/// The number was checked against its range when it was read.
fn narrow<T: TryFrom<u64>, E: Error>(number: u64) -> Result<T, E> {
    T::try_from(number).map_err(|_| E::custom("a number out of its range"))
}

/// A whole number from 0 to `max`, under a key.
struct Number {
    key: &'static str,
    max: u64,
    /// Whether decimal digits in a string will do: for what a double cannot hold.
    or_text: bool,
}

impl<'de> DeserializeSeed<'de> for Number {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Number {
    type Value = u64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a whole number from 0 to {} for `{}`", self.max, self.key)
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<u64, E> {
        if v > self.max { Err(E::invalid_value(Unexpected::Unsigned(v), &self)) } else { Ok(v) }
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<u64, E> {
        Err(E::invalid_value(Unexpected::Signed(v), &self))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<u64, E> {
        Err(E::invalid_value(Unexpected::Float(v), &self))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<u64, E> {
        if !self.or_text {
            return Err(E::invalid_type(Unexpected::Str(v), &self));
        }
        let digits = !v.is_empty() && v.bytes().all(|byte| byte.is_ascii_digit());
        match v.parse() {
            Ok(number) if digits => self.visit_u64(number),
            _ => Err(E::invalid_value(Unexpected::Str(v), &self)),
        }
    }
}

/// Eight hexadecimal digits in a string, under `node`.
struct Node;

impl<'de> DeserializeSeed<'de> for Node {
    type Value = NodeId;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeId, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Node {
    type Value = NodeId;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("8 hexadecimal digits in a string for `node`")
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<NodeId, E> {
        v.parse().map_err(|_| E::invalid_value(Unexpected::Str(v), &self))
    }
}

/// `true` or `false`, under `local`.
struct Local;

impl<'de> DeserializeSeed<'de> for Local {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Local {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("true or false for `local`")
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<bool, E> {
        Ok(v)
    }
}
