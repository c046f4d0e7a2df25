//! JSON that knows where it stands, and says so where it is refused.
//!
//! # Invariants
//!
//! Nothing is dropped: a key that stands twice, a key that nobody asks for and a number that would
//! be rounded are refused.

use std::{collections::BTreeSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

use super::ReplayError;

/// A piece of a line.
#[derive(Clone, Copy)]
pub(super) struct Json<'a> {
    line: &'a str,
    raw: &'a str,
}

pub(super) type Read<T> = Result<T, ReplayError>;

impl<'a> Json<'a> {
    /// A whole line, which must be JSON throughout: later readings find no other fault of syntax.
    pub(super) fn line(line: &'a str) -> Read<Self> {
        match serde_json::from_str::<&RawValue>(line) {
            Ok(raw) => Ok(Self { line, raw: raw.get() }),
            Err(error) => Err(placed(line, 0, &error)),
        }
    }

    fn at(self) -> usize {
        self.raw.as_ptr().addr() - self.line.as_ptr().addr()
    }

    /// An error that shows here.
    pub(super) fn error(self, message: impl Into<String>) -> ReplayError {
        ReplayError { at: self.at(), message: message.into() }
    }

    /// The error that this is not what was expected.
    pub(super) fn not(self, name: &str, what: &str) -> ReplayError {
        self.error(format!("{name} is {}: expected {what}", shortened(self.raw)))
    }

    fn read<T: Deserialize<'a>>(self, name: &str, what: &str) -> Read<T> {
        serde_json::from_str(self.raw).map_err(|_| self.not(name, what))
    }

    pub(super) fn text(self, name: &str) -> Read<String> {
        self.read(name, "a text")
    }

    pub(super) fn natural(self, name: &str, most: u64) -> Read<u64> {
        let what = format!("a number from 0 to {most}");
        let number = self.read(name, &what)?;
        if number <= most { Ok(number) } else { Err(self.not(name, &what)) }
    }

    pub(super) fn flag(self, name: &str) -> Read<bool> {
        self.read(name, "true or false")
    }

    pub(super) fn list(self, name: &str, what: &str) -> Read<Vec<Self>> {
        let items: Vec<&RawValue> = self.read(name, what)?;
        Ok(items.into_iter().map(|raw| Self { raw: raw.get(), ..self }).collect())
    }

    /// The entries of an object, in the order in which they stand.
    pub(super) fn object(self, name: &str, what: &str) -> Read<Vec<(String, Self)>> {
        if !self.raw.starts_with('{') {
            return Err(self.not(name, what));
        }
        match serde_json::from_str::<Entries<'a>>(self.raw) {
            Ok(Entries(entries)) => {
                let piece =
                    |(key, raw): (String, &'a RawValue)| (key, Self { raw: raw.get(), ..self });
                Ok(entries.into_iter().map(piece).collect())
            }
            Err(error) => Err(placed(self.line, self.at(), &error)),
        }
    }

    /// Any JSON, to be compared as JSON.
    pub(super) fn value(self) -> Read<Value> {
        let value = serde_json::from_str(self.raw);
        let value = value.map_err(|error| placed(self.line, self.at(), &error))?;
        if has_rounded(&value) {
            return Err(self.error("a number beyond 64 bits: expected it as a text"));
        }
        Ok(value)
    }

    /// The text of any JSON, the same for what compares as the same.
    pub(super) fn element(self) -> Read<String> {
        Ok(self.value()?.to_string())
    }
}

/// Whether a number is so large that its last digits are lost.
fn has_rounded(value: &Value) -> bool {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Number(number) if !number.is_u64() && !number.is_i64() => {
            number.as_f64().is_none_or(|number| number.abs() >= TWO_TO_63)
        }
        Value::Array(items) => items.iter().any(has_rounded),
        Value::Object(entries) => entries.values().any(has_rounded),
        _ => false,
    }
}

/// The reason without serde's line and column, and the byte they mean.
fn placed(line: &str, from: usize, error: &serde_json::Error) -> ReplayError {
    // A line holds no line end, so serde's line is 1.
    let at = from + error.column().saturating_sub(1);
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    ReplayError { at: at.min(line.len()), message }
}

/// The beginning of a text.
pub(super) fn shortened(text: &str) -> String {
    const WIDTH: usize = 60;
    let dots = if text.chars().nth(WIDTH).is_some() { "…" } else { "" };
    text.chars().take(WIDTH).chain(dots.chars()).collect()
}

/// `: did you mean …?`, or what there is.
pub(super) fn hint(word: &str, known: &[&str]) -> String {
    let distance = |known: &&str| strsim::damerau_levenshtein(word, known);
    let nearest = known.iter().copied().min_by_key(distance);
    match nearest.filter(|near| distance(near) <= near.len().max(word.len()).div_ceil(2)) {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => format!(": expected one of {}", known.join(", ")),
    }
}

struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
        let (mut entries, mut keys) = (Vec::new(), BTreeSet::new());
        while let Some((key, raw)) = map.next_entry::<String, &RawValue>()? {
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("`{}` stands twice", shortened(&key))));
            }
            entries.push((key, raw));
        }
        Ok(Entries(entries))
    }
}
