//! Golden bytes of every type, in `data/wire.jsonl`, for readers in any language.
//!
//! A line is a value: its type, the tag of its frame, how it was made, its bytes, and its JSON.
//! `docs/tests/wire.rs` holds the reader in Python against the same lines.
//!
//! `UPDATE_GOLDEN=1 cargo test -p guid-crdt --all-features --test golden` writes the lines anew.

#![cfg(feature = "wire")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "golden/history.rs"]
mod history;
#[path = "golden/types.rs"]
mod types;

use std::{collections::BTreeSet, env, fs};

use history::{Line, hex};
use serde_json::json;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wire.jsonl");

/// The line as it stands in the file.
fn written(line: &Line) -> String {
    let Line { type_name, made, bytes, json, .. } = line;
    let tag = line.tag.escape_ascii().to_string();
    let [type_name, tag, made] = [type_name.as_str(), &tag, made].map(|text| json!(text));
    let hex = hex(bytes);
    format!(r#"{{"type":{type_name},"tag":{tag},"made":{made},"hex":"{hex}","json":{json}}}"#)
}

#[test]
fn bytes_are_as_they_were() {
    let lines = types::lines();
    let text: String = lines.iter().map(|line| written(line) + "\n").collect();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(FILE, &text).unwrap();
    }
    let golden = fs::read_to_string(FILE).unwrap();
    for (number, (line, golden)) in (1..).zip(text.lines().zip(golden.lines())) {
        assert_eq!(line, golden, "line {number}");
    }
    assert_eq!(text.lines().count(), golden.lines().count());
}

/// What is read from the bytes says what the line says.
#[test]
fn bytes_are_read_as_what_they_were() {
    for line in types::lines() {
        let read = (line.read)(&line.bytes).unwrap();
        assert_eq!(read, line.json, "{}, {}", line.type_name, line.made);
    }
}

/// Every tag of the table of `docs/WIRE.md` is there, and the shapes of `dl` and `ca` that types of
/// this crate have; of each two values.
#[test]
fn every_tag_is_there() {
    let lines = types::lines();
    let tags = [
        "lwwr", "fwwr", "mvrg", "maxr", "minr", "gctr", "pctr", "rctr", "bctr", "ewfl", "dwfl",
        "mesg", "orst", "rwst", "gset", "2pst", "lwws", "lwwm", "awlm", "ormp", "docm", "vclk",
        "ctxt", "save",
    ];
    // A set, values; maps of sets, of values, of branches; maps of maps of sets, of values.
    let shapes = [1, 2, 7, 11, 19, 31, 47].map(|shape| [0, shape]);
    let of_shapes = ["dl", "ca"].map(|kind| shapes.map(|shape| [kind.as_bytes(), &shape].concat()));
    let named = tags.map(|tag| tag.as_bytes().to_vec());
    let expected: BTreeSet<Vec<u8>> = named.into_iter().chain(of_shapes.concat()).collect();
    let found: BTreeSet<Vec<u8>> = lines.iter().map(|line| line.tag.to_vec()).collect();
    assert_eq!(found, expected);
    for tag in expected {
        let values: BTreeSet<&[u8]> =
            lines.iter().filter(|line| line.tag == *tag).map(|line| &line.bytes[..]).collect();
        assert!(values.len() >= 2, "{}", tag.escape_ascii());
    }
}
