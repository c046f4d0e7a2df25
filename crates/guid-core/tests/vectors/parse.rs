//! Kind `parse`: what upstream reads leniently, or dies of, is refused; what is well formed is read
//! to the same value.

use guid_core::{Guid, LocalId, ParseError};
use serde_json::Value;

use crate::{
    line::{Line, check_all, unhex},
    value::number,
};

#[test]
fn well_formed_input_is_read_and_nothing_else() {
    check_all("parse", |line| {
        let ours = read(line);
        if line.flag("/wellformed") {
            assert_eq!(line.text("/outcome"), "ok");
            assert!(line.flag("/reencodes_same"));
            assert_eq!(ours, Some(number(line, "")));
        } else {
            assert_eq!(ours, None);
        }
    });
}

/// What we read, as the number that the two words of upstream spell.
fn read(line: &Line) -> Option<u128> {
    let input = line.text("/input");
    match line.text("/via") {
        "string_g" => global(input.parse()),
        "string_l" => local(input.parse()),
        "base62" => one_of(global(Guid::from_base62(input)), local(LocalId::from_base62(input))),
        "bytes" => {
            let bytes = unhex(input);
            one_of(global(Guid::try_from(&*bytes)), local(LocalId::try_from(&*bytes)))
        }
        "json" => json(input),
        via => panic!("input by {via}"),
    }
}

fn global(result: Result<Guid, ParseError>) -> Option<u128> {
    result.ok().map(Guid::to_u128)
}

fn local(result: Result<LocalId, ParseError>) -> Option<u128> {
    result.ok().map(|id| u128::from(id.as_u64()))
}

/// No input is both a global and a local.
fn one_of(global: Option<u128>, local: Option<u128>) -> Option<u128> {
    assert!(global.is_none() || local.is_none());
    global.or(local)
}

/// `null` and `""` panic upstream.
fn json(input: &str) -> Option<u128> {
    let ours = match serde_json::from_str(input).expect("the inputs are JSON") {
        Value::String(text) => match text.strip_prefix('*') {
            Some(_) => local(LocalId::from_starred(&text)),
            None => global(text.parse()),
        },
        _ => None,
    };
    #[cfg(feature = "serde")]
    assert_eq!(
        ours,
        one_of(
            serde_json::from_str(input).ok().map(Guid::to_u128),
            serde_json::from_str(input).ok().map(|id: LocalId| u128::from(id.as_u64())),
        ),
    );
    ours
}

/// The same inputs as strings of every other form: whatever they are, nothing panics, and what is
/// read is written as the same text.
#[test]
fn every_input_is_safe_in_every_form() {
    check_all("parse", |line| {
        let input = line.text("/input");
        let same = |text: &str| assert!(text.eq_ignore_ascii_case(input), "{text} for {input}");
        input.parse::<Guid>().map(|id| same(&id.to_lex())).ok();
        Guid::from_base32(input).map(|id| same(&id.to_base32())).ok();
        Guid::from_base62_padded(input).map(|id| same(&id.to_base62_padded())).ok();
        Guid::from_hex(input).map(|id| same(&id.to_hex())).ok();
        Guid::from_uuid(input).map(|id| same(&id.to_uuid())).ok();
        input.parse::<LocalId>().map(|id| same(&id.to_lex())).ok();
        LocalId::from_base32(input).map(|id| same(&id.to_base32())).ok();
        LocalId::from_base62_padded(input).map(|id| same(&id.to_base62_padded())).ok();
        LocalId::from_hex(input).map(|id| same(&id.to_hex())).ok();
    });
}
