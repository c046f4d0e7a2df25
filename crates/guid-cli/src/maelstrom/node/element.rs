//! Elements of sets: JSON texts, so that anything can be one.
//!
//! # Invariants
//!
//! * Texts of one value are one element, where its numbers are written as they are usually: keys in
//!   any order, spaces, escapes in strings.
//! * A number that no machine word holds comes back digit by digit. So a text with a number that
//!   would be written in another way stays as it is, but for its spaces.

use serde_json::{Value, value::RawValue};

/// The text that stands for a value.
pub(super) fn text(value: &RawValue) -> String {
    let raw = without_spaces(value.get());
    match serde_json::from_str::<Value>(&raw) {
        Ok(value) if numbers(&raw).all(is_usual) => value.to_string(),
        _ => raw,
    }
}

/// The texts as one list.
pub(super) fn list<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    format!("[{}]", texts.join(","))
}

fn is_usual(number: &str) -> bool {
    let written = serde_json::from_str::<Value>(number).map(|value| value.to_string());
    written.is_ok_and(|written| written == number)
}

/// Every character, and whether it is in a string.
fn characters(json: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let (mut within, mut escaped) = (false, false);
    json.char_indices().map(move |(at, character)| {
        let was_within = within;
        if !escaped && character == '"' {
            within = !within;
        }
        escaped = within && !escaped && character == '\\';
        (at, character, was_within || within)
    })
}

fn without_spaces(json: &str) -> String {
    let kept =
        characters(json).filter(|(_, character, within)| *within || !character.is_whitespace());
    kept.map(|(_, character, _)| character).collect()
}

/// The numbers outside of strings.
fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_digit() || "+-.eE".contains(character);
    let starts = move |character: char| character.is_ascii_digit() || character == '-';
    let mut end = 0;
    characters(json).filter_map(move |(at, character, within)| {
        if within || at < end || !starts(character) {
            return None;
        }
        let number = json[at..].split(|character| !is_part(character)).next()?;
        end = at + number.len();
        Some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(json: &str) -> String {
        text(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn texts_of_one_value_are_one_element() {
        for (json, expected) in [
            (r#"{ "b": [1, -2.5], "a" : "\u0041 b" }"#, r#"{"a":"A b","b":[1,-2.5]}"#),
            (r#" "a \" 1e999 b" "#, r#""a \" 1e999 b""#),
            ("null", "null"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(stored(json), expected);
        }
    }

    #[test]
    fn numbers_come_back_digit_by_digit() {
        for json in [
            "123456789012345678901234567890",
            "-18446744073709551617",
            "1e999",
            "0.1234567890123456789012345",
            "1.50",
            "-0",
            r#"{"b":1e999,"a":"x"}"#,
            r#"["\\",1.0000000000000000000001]"#,
        ] {
            assert_eq!(stored(json), json);
        }
        assert_eq!(stored("[ 1e999 , \"a b\" ]"), "[1e999,\"a b\"]");
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(stored(&deep), deep);
    }
}
