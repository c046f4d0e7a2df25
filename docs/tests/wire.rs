//! The reader in Python that was made from WIRE.md against the golden lines of `guid-crdt`, and
//! against the crate itself where bytes are damaged.
//!
//! It needs `python3`, so it waits for the feature `test-python`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

#[path = "../../crates/guid-crdt/tests/golden/history.rs"]
#[expect(dead_code, reason = "what is in the file is read from there")]
mod history;
#[path = "../../crates/guid-crdt/tests/golden/types.rs"]
mod types;

use std::{
    io::Write,
    process::{Command, Output, Stdio},
    thread,
};

use guid_crdt::{
    Doc, GSet,
    wire::{self, WireError},
};
use history::{Line, hex};
use serde_json::{Value, json};

const GOLDEN: &str = include_str!("../../crates/guid-crdt/tests/data/wire.jsonl");
const PAGE: &str = include_str!("../WIRE.md");
const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/reader.py");

fn run(args: &[&str], input: String) -> Output {
    let mut command = Command::new("python3");
    let command = command.arg(READER).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut reader = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = reader.stdin.take().unwrap();
    // Beside its answers: neither waits for the other.
    let asking = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = reader.wait_with_output().unwrap();
    asking.join().unwrap().unwrap();
    output
}

/// The answer of the reader to each question.
fn ask(questions: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    let output = run(&["lines"], lines.join("\n"));
    let (stdout, stderr) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
    let (stdout, stderr) = (stdout.unwrap(), stderr.unwrap());
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    let answers: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), questions.len());
    answers
}

/// The bytes up to the checksum, with the checksum that fits.
fn framed(bytes: &[u8]) -> Vec<u8> {
    [bytes, &crc32fast::hash(bytes).to_le_bytes()].concat()
}

#[test]
fn the_reader_reads_every_line_and_writes_it_again() {
    let golden: Vec<Value> =
        GOLDEN.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (line, answer) in golden.iter().zip(ask(&golden)) {
        assert_eq!(answer["json"], line["json"], "{line}");
    }
    let values: Vec<Value> =
        golden.iter().map(|line| json!({"type": line["type"], "json": line["json"]})).collect();
    for (line, answer) in golden.iter().zip(ask(&values)) {
        assert_eq!(answer["hex"], line["hex"], "{line}");
    }
}

#[test]
fn one_byte_changed_is_refused() {
    let mut questions = Vec::new();
    for Line { type_name, bytes, .. } in types::lines() {
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            questions.push(json!({"type": type_name, "hex": hex(&damaged)}));
        }
    }
    for (question, answer) in questions.iter().zip(ask(&questions)) {
        let why = answer["refused"].as_str().unwrap_or_default();
        assert!(why.contains("checksum") || why.contains("begins with gc"), "{question}: {answer}");
    }
}

/// Damage behind a checksum that fits: other bytes, too few, too many.
fn damages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let whole = &bytes[..bytes.len() - 4];
    let mut damages = Vec::new();
    for at in 2..whole.len() {
        for byte in [whole[at] ^ 1, whole[at] ^ 2, whole[at].wrapping_add(4), 0, 0x80, 0xff] {
            let mut damaged = whole.to_vec();
            damaged[at] = byte;
            damages.push(damaged);
        }
        damages.push(whole[..at].to_vec());
        damages.push([&whole[..at], &whole[at + 1..]].concat());
        damages.push([&whole[..at], &whole[at..=at], &whole[at..]].concat());
        // A number in more bytes than it needs.
        damages.push([&whole[..at], &[whole[at] | 0x80, 0], &whole[at + 1..]].concat());
    }
    damages.into_iter().map(|damaged| framed(&damaged)).collect()
}

/// The reader and the crate agree on what every one of them says, or that it says nothing.
#[test]
fn the_reader_and_the_crate_agree_on_damaged_bytes() {
    let (mut questions, mut expected) = (Vec::new(), Vec::new());
    for Line { type_name, bytes, read, .. } in types::lines() {
        for damaged in damages(&bytes) {
            questions.push(json!({"type": type_name, "hex": hex(&damaged)}));
            expected.push(read(&damaged).map(|text| serde_json::from_str::<Value>(&text).unwrap()));
        }
    }
    let mut values = 0;
    for ((question, answer), expected) in questions.iter().zip(ask(&questions)).zip(&expected) {
        assert_eq!(answer.get("json"), expected.as_ref(), "{question}: {answer}");
        let where_and_what = answer["refused"].as_str().map(|why| why.starts_with("byte "));
        assert!(expected.is_some() || where_and_what == Some(true), "{question}: {answer}");
        values += usize::from(expected.is_some());
    }
    println!("{values} of {} damaged frames are other values", questions.len());
    assert!(values > 1000 && values < questions.len() / 2, "{values} of {}", questions.len());
}

/// A document of one path of so many keys: node 1 has enabled the last one under stamp 10.
fn deep(keys: usize) -> Vec<u8> {
    let above = [1, 1, b'x', 0, 0, 0, 0].repeat(keys - 1);
    let last = [1, 1, b'x', 0, 0, 1, 0, 0, 0];
    framed(&[b"gc\x01docm", &[1, 10, 1, 1, 0][..], &above, &last].concat())
}

/// A set of one list of so many nothings.
fn nothings(length: u64) -> Vec<u8> {
    framed(&[b"gc\x01gset", &[1, 253][..], &length.to_le_bytes()].concat())
}

/// The limits of both are the same.
#[test]
fn a_document_is_64_deep_and_no_deeper() {
    for (keys, fits) in [(64, true), (65, false)] {
        let bytes = deep(keys);
        assert_eq!(wire::decode::<Doc>(&bytes).is_ok(), fits);
        // The command, as JSON so deep is beyond what serde_json reads.
        let read = run(&["read", "Doc", &hex(&bytes)], String::new());
        let stderr = String::from_utf8(read.stderr).unwrap();
        assert_eq!(read.status.success(), fits, "{stderr}");
        assert!(fits || stderr.contains("a document is more than 64 deep"), "{stderr}");
    }
}

#[test]
fn a_list_of_nothings_has_the_same_end() {
    let limit = (1 << 20) + 10; // one more for each byte of the body
    let lengths = [limit, limit + 1, 1 << 62];
    let questions =
        lengths.map(|length| json!({"type": "GSet<Vec<()>>", "hex": hex(&nothings(length))}));
    // The first is as long as a list may be, and written in eight bytes where four do.
    let says = ["has other bytes", "elements that take no bytes", "elements that take no bytes"];
    for ((length, answer), says) in lengths.into_iter().zip(ask(&questions)).zip(says) {
        let why = answer["refused"].as_str().unwrap_or_default();
        assert!(why.ends_with(says), "{length}: {why}");
        let error = wire::decode::<GSet<Vec<()>>>(&nothings(length)).unwrap_err();
        assert_eq!(error == WireError::NotCanonical, length == limit, "{length}: {error}");
    }
}

#[test]
fn the_command_reads_and_writes() {
    // The example of WIRE.md, as it is printed there.
    let bytes = "67 63 01 6f 72 73 74 01 e8 07 07 01 00 01 03 74 65 61 01 00 05 07 8a d0";
    let read = run(&["read", "OrSet<String>", bytes], String::new());
    let text = String::from_utf8(read.stdout).unwrap();
    let compact = bytes.replace(' ', "");
    let shown = format!("$ docs/wire/reader.py read 'OrSet<String>' {compact}\n{text}");
    assert!(PAGE.contains(bytes) && PAGE.contains(&shown), "{shown}");
    let written = run(&["write", "OrSet<String>", text.trim()], String::new());
    assert_eq!(String::from_utf8(written.stdout).unwrap().trim(), compact);
    for (args, code, says) in [
        (&["read", "OrSet<String>", "67"][..], 65, "byte 0: 1 bytes are no frame"),
        (&["read", "OrSet<String>", "6x"], 65, "non-hexadecimal"),
        (&["read", "OrSet", "67"], 64, "no type that is known here: OrSet"),
        (&["read"], 64, "wire.jsonl"),
    ] {
        let refused = run(args, String::new());
        let stderr = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
    }
}
