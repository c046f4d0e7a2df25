//! Values of operations: any JSON, in one canonical form, so that equal values are one element.
//!
//! Equality is that of JSON values: keys of an object in any order, and the integer `1` is not the
//! number `1.0`, as in Clojure, whose checkers these follow. The order is one that sorts lists of
//! results: null, booleans, integers, other numbers, strings, lists, objects.
//!
//! # Invariants
//!
//! * Two elements are equal just if they were written as the same value. An integer that 64 bits
//!   cannot hold would be rounded and could then equal another: [`wide_integer`] finds it.
//! * Depth is bounded by the parser (128), so that neither comparing nor dropping can overflow.

use std::{cmp::Ordering, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

/// A JSON value in canonical form, with an order.
///
/// # Examples
///
/// ```
/// use guid_sim::history::Element;
///
/// let element: Element = serde_json::from_str(r#"{"b": [1, 2.5], "a": null}"#)?;
/// assert_eq!(element, serde_json::from_str(r#"{"a": null, "b": [1, 2.5]}"#)?);
/// assert_eq!(element.to_string(), r#"{"a":null,"b":[1,2.5]}"#);
/// assert_ne!(Element::from(1), serde_json::from_str("1.0")?);
/// assert!(Element::from(9) < Element::from(10));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element(Canonical);

/// Small (24 bytes), since a history holds millions of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Canonical {
    Null,
    Bool(bool),
    Negative(i64),
    Natural(u64),
    Real(Real),
    Text(Box<str>),
    List(Box<[Element]>),
    /// By key, ascending. No map: a node of one would weigh a hundred times what it was read from.
    Object(Box<[(Box<str>, Element)]>),
}

/// A number that is not an integer. JSON has neither NaN nor infinities.
#[derive(Clone, Copy, Debug)]
struct Real(f64);

impl Element {
    /// Returns the value if it is an integer that fits.
    pub fn as_integer(&self) -> Option<i64> {
        match self.0 {
            Canonical::Negative(value) => Some(value),
            Canonical::Natural(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }

    /// Returns the text if it is a string.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Canonical::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value if it is true or false.
    pub fn as_bool(&self) -> Option<bool> {
        match self.0 {
            Canonical::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements if it is a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match &self.0 {
            Canonical::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the keys and their values, ascending, if it is an object.
    pub fn as_object(&self) -> Option<&[(Box<str>, Self)]> {
        match &self.0 {
            Canonical::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the value of a key, if it is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let members = self.as_object()?;
        let index = members.binary_search_by(|(other, _)| (**other).cmp(key)).ok()?;
        Some(&members[index].1)
    }
}

/// Where an integer stands that 64 bits do not hold. The text must be JSON.
pub(super) fn wide_integer(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let token = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = match byte {
            b'\\' => 2, // never outside a string: what it escapes ends none
            b'-' | b'0'..=b'9' if !in_string => bytes[at..].iter().take_while(token).count(),
            _ => 1,
        };
        in_string ^= byte == b'"';
        if length > 19 && !in_string && is_wide(&text[at..at + length]) {
            return Some(at);
        }
        at += length;
    }
    None
}

fn is_wide(number: &str) -> bool {
    let is_integer = !number.contains(['.', 'e', 'E']);
    is_integer && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
}

impl From<i64> for Element {
    fn from(value: i64) -> Self {
        Self(u64::try_from(value).map_or(Canonical::Negative(value), Canonical::Natural))
    }
}

impl From<&str> for Element {
    fn from(text: &str) -> Self {
        Self(Canonical::Text(text.into()))
    }
}

impl FromIterator<Self> for Element {
    fn from_iter<I: IntoIterator<Item = Self>>(iter: I) -> Self {
        Self(Canonical::List(iter.into_iter().collect()))
    }
}

/// Compact JSON.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Canonical::Null => serializer.serialize_unit(),
            Canonical::Bool(value) => serializer.serialize_bool(*value),
            Canonical::Negative(value) => serializer.serialize_i64(*value),
            Canonical::Natural(value) => serializer.serialize_u64(*value),
            Canonical::Real(Real(value)) => serializer.serialize_f64(*value),
            Canonical::Text(text) => serializer.serialize_str(text),
            Canonical::List(list) => serializer.collect_seq(&**list),
            Canonical::Object(members) => {
                serializer.collect_map(members.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Element;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Element, E> {
        Ok(Element(Canonical::Null))
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<Element, E> {
        Ok(Element(Canonical::Bool(v)))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Element, E> {
        Ok(v.into())
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Element, E> {
        Ok(Element(Canonical::Natural(v)))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Element, E> {
        // Adding zero makes of the two zeros one.
        Ok(Element(Canonical::Real(Real(v + 0.0))))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Element, E> {
        Ok(v.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Element, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element()? {
            list.push(element);
        }
        Ok(Element(Canonical::List(list.into())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Element, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry::<Box<str>, Element>()? {
            members.push(member);
        }
        members.sort_unstable();
        // Which of two values was meant cannot be known.
        match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(Element(Canonical::Object(members.into()))),
            Some(pair) => {
                Err(A::Error::custom(format_args!("the key {:?} stands twice", pair[0].0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_would_be_rounded_are_found() {
        for (text, at) in [
            ("18446744073709551615", None),
            ("[1,18446744073709551616]", Some(3)),
            ("-9223372036854775808", None),
            (r#"{"a":-9223372036854775809}"#, Some(5)),
            (r#""18446744073709551616""#, None),
            (r#"["\\\"",99999999999999999999]"#, Some(8)),
            (r#"["\"99999999999999999999"]"#, None),
            ("[99999999999999999999.5, 1e300]", None),
        ] {
            assert_eq!(wide_integer(text), at, "{text}");
        }
    }

    #[test]
    fn an_element_is_small() {
        assert_eq!(size_of::<Element>(), 24);
    }

    #[test]
    fn values_are_equal_as_json() {
        let read = |text: &str| serde_json::from_str::<Element>(text).unwrap();
        assert_eq!(read("0.0"), read("-0.0"));
        assert_eq!(read("\"\\u0041\""), read("\"A\""));
        assert_ne!(read("0"), read("0.0"));
        assert_ne!(read("0"), read("\"0\""));
        assert_ne!(read("[]"), read("null"));
        assert!(serde_json::from_str::<Element>(r#"{"a":1,"b":2,"a":1}"#).is_err());
        let object = read(r#"{"b":1,"a":null}"#);
        assert_eq!((object.get("b"), object.get("c")), (Some(&1.into()), None));
    }
}
