//! The page beside the tests: what it names exists, and no bug of the catalogue is left out.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

use std::{fs, path::Path};

const PAGE: &str = include_str!("README.md");
const TYPES: &str = include_str!("oracle/types.rs");
const SCENARIOS: &str = include_str!("data/crdt-scenarios.jsonl");

/// All source of a test: `tests/NAME.rs` and what is in the folder beside it.
fn source(name: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut source = fs::read_to_string(tests.join(format!("{name}.rs"))).unwrap();
    if let Ok(folder) = fs::read_dir(tests.join(name)) {
        for entry in folder {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                source += &fs::read_to_string(path).unwrap();
            }
        }
    }
    if name == "laws" {
        source += include_str!("../src/laws.rs");
    }
    source
}

/// The words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// What stands in backticks after each occurrence of a word.
fn after<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.split(word).skip(1).filter_map(|rest| rest.split('`').next()).collect()
}

#[test]
fn every_test_that_is_named_exists() {
    let mut named = 0;
    for (file, name) in quoted(PAGE).filter_map(|word| word.split_once("::")) {
        let is_test = !file.is_empty() && file.chars().all(|c| c.is_ascii_lowercase());
        if !is_test || file == "guid_crdt" {
            continue;
        }
        let found = source(file).contains(&format!("fn {name}"));
        assert!(found, "`{file}::{name}` is named and does not exist");
        named += 1;
    }
    assert!(named > 60, "{named}");
    for name in after(PAGE, "oracle `") {
        assert!(TYPES.contains(&format!("{name}:")), "oracle `{name}`");
    }
    for id in after(PAGE, "scenario `") {
        assert!(SCENARIOS.contains(&format!("{{\"id\": \"{id}\"")), "scenario `{id}`");
    }
}

/// Eleven and forty-three, each with an answer.
#[test]
fn the_catalogue_is_complete() {
    let table = PAGE.split("## Bugs elsewhere").nth(1).unwrap();
    let row = |number: &str| {
        let start = format!("\n| {number} | ");
        let row = table.split(&start).nth(1).unwrap_or_else(|| panic!("no row {number}"));
        row.lines().next().unwrap().split(" | ").nth(2).unwrap()
    };
    let numbers = (1..=11).map(|n| format!("P{n}")).chain((1..=43).map(|n| n.to_string()));
    for number in numbers {
        let answer = row(&number);
        let is_answer = ["::", "by construction", "oracle", "not here yet"];
        assert!(is_answer.iter().any(|word| answer.contains(word)), "{number}: {answer}");
    }
}
