//! Writing and reading text, a thousand IDs at a time, from array to array.

use std::hint::black_box;

use ferroid::{base32::Base32UlidExt, id::ULID};
use guid_core::Guid;

use crate::subject::{Group, Subject};

const ITEMS: u64 = 1_024;

/// A hundred and twenty-eight bits that look like those of an ID: time, then noise.
fn numbers() -> impl Iterator<Item = u128> {
    (0..ITEMS).map(|i| {
        let noise = u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (0x0192_5f3c_0000_u128 + u128::from(i)) << 80 | noise << 8
    })
}

fn guids() -> Vec<Guid> {
    // A time of 2026 at the top, as in a real one.
    let id = |number: u128| Guid::from_u128(3 << 93 | 0xfbc1 << 77 | number & ((1 << 77) - 1));
    numbers().map(|number| id(number).expect("96 bits")).collect()
}

pub(crate) const LEX: &str = "guid, canonical 16";
pub(crate) const UUID: &str = "uuid, simple 32";
pub(crate) const SORTABLE: [&str; 3] = ["ulid 26", "ferroid 26", "scru128 25"];

pub(crate) fn groups() -> [Group; 2] {
    [Group { name: "encode", subjects: encode() }, Group { name: "parse", subjects: parse() }]
}

/// Writes every item into its place of a buffer.
fn writes<T: 'static, const N: usize>(
    name: &'static str,
    items: Vec<T>,
    write: impl Fn(&T, &mut [u8; N]) + 'static,
) -> Subject {
    let mut texts = vec![[0; N]; items.len()];
    Subject::bulk(name, ITEMS, move || {
        for (text, item) in texts.iter_mut().zip(black_box(&items)) {
            write(item, text);
        }
        black_box(&texts);
    })
}

fn encode() -> Vec<Subject> {
    let uuids = numbers().map(uuid::Uuid::from_u128).collect();
    let ulids: Vec<ulid::Ulid> = numbers().map(ulid::Ulid).collect();
    let ferroids: Vec<ULID> = numbers().map(ULID::from_raw).collect();
    let scrus: Vec<scru128::Id> = numbers().map(scru128::Id::from_u128).collect();
    vec![
        writes(UUID, uuids, |id: &uuid::Uuid, text: &mut [u8; 32]| {
            id.simple().encode_lower(text);
        }),
        writes(LEX, guids(), |id, text: &mut [u8; 16]| {
            text.copy_from_slice(id.to_lex().as_bytes());
        }),
        writes("guid, base32 20", guids(), |id, text: &mut [u8; 20]| {
            text.copy_from_slice(id.to_base32().as_bytes());
        }),
        writes("guid, hexadecimal 24", guids(), |id, text: &mut [u8; 24]| {
            text.copy_from_slice(id.to_hex().as_bytes());
        }),
        writes(SORTABLE[0], ulids, |id, text| {
            id.array_to_str(text);
        }),
        writes(SORTABLE[1], ferroids, |id, text: &mut [u8; 26]| {
            text.copy_from_slice(id.encode().as_str().as_bytes());
        }),
        writes(SORTABLE[2], scrus, |id, text: &mut [u8; 25]| {
            text.copy_from_slice(id.encode().as_bytes());
        }),
    ]
}

/// Reads every text into its place of a list.
fn reads<T: Copy + 'static>(
    name: &'static str,
    texts: impl Iterator<Item = String>,
    read: impl Fn(&str) -> T + 'static,
) -> Subject {
    let texts: Vec<String> = texts.collect();
    let mut items: Vec<T> = texts.iter().map(|text| read(text)).collect();
    Subject::bulk(name, ITEMS, move || {
        for (item, text) in items.iter_mut().zip(black_box(&texts)) {
            *item = read(text);
        }
        black_box(&items);
    })
}

fn parse() -> Vec<Subject> {
    let simple = numbers().map(|n| uuid::Uuid::from_u128(n).simple().to_string());
    let ulids = numbers().map(|n| ulid::Ulid(n).to_string());
    let ferroids = numbers().map(|n| ULID::from_raw(n).encode().to_string());
    let scrus = numbers().map(|n| scru128::Id::from_u128(n).to_string());
    let lex = guids().into_iter().map(|id| id.to_string());
    let base32 = guids().into_iter().map(|id| id.to_base32().to_string());
    let hex = guids().into_iter().map(|id| id.to_hex().to_string());
    vec![
        reads(UUID, simple, |text| uuid::Uuid::try_parse(text).expect("a UUID")),
        reads(LEX, lex, |text| text.parse::<Guid>().expect("an ID")),
        reads("guid, base32 20", base32, |text| Guid::from_base32(text).expect("an ID")),
        reads("guid, hexadecimal 24", hex, |text| Guid::from_hex(text).expect("an ID")),
        reads(SORTABLE[0], ulids, |text| ulid::Ulid::from_string(text).expect("a ULID")),
        reads(SORTABLE[1], ferroids, |text| ULID::decode(text).expect("a ULID")),
        reads(SORTABLE[2], scrus, |text| text.parse::<scru128::Id>().expect("an ID")),
    ]
}
