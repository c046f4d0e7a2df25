//! `guid crdt replay`: accounts, verdicts, exit codes, and what it says to wrong input.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

const SCENARIOS: &str = include_str!("../../guid-crdt/tests/data/crdt-scenarios.jsonl");

const MET: &str =
    r#"{"id":"a","type":"orset","steps":[{"op":["A","add","x"]}],"expect":{"A":["x"]}}"#;
const MISSED: &str =
    r#"{"id":"b","type":"orset","steps":[{"op":["A","add","x"]}],"expect":{"A":["y"]}}"#;
const UNTOLD: &str = r#"{"id":"c","type":"text","steps":[],"expect":{"A":""}}"#;

/// Runs the command on standard input.
fn guid(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
        .args(["crdt", "replay"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // Apart, since neither side may wait for the other.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).ok());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    output
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn ends(lines: &[&str], code: i32) {
    for arguments in [&[][..], &["-"], &["--json"], &["--quiet"]] {
        let output = guid(arguments, &lines.join("\n"));
        assert_eq!(output.status.code(), Some(code), "{lines:?}: {}", stderr(&output));
    }
}

#[test]
fn the_worst_outcome_is_the_exit_code() {
    ends(&[], 2);
    ends(&[MET, MET], 0);
    ends(&[MET, MISSED, UNTOLD], 1);
    ends(&[MET, UNTOLD], 2);
    ends(&[UNTOLD, MISSED, "x"], 65);
    ends(&[MET, "", MET], 65);
    let missing = guid(&["no such file"], "");
    assert_eq!(missing.status.code(), Some(74));
    assert_eq!(guid(&["--jsn"], "").status.code(), Some(64));
}

#[test]
fn the_shared_scenarios_are_met_or_owed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../guid-crdt/tests/data/crdt-scenarios.jsonl");
    let output = guid(&[path], "");
    assert_eq!(output.status.code(), Some(2), "text and tree are owed");
    let summary = "35 histories: 32 as expected, 0 not, 3 not told\n";
    assert!(stdout(&output).ends_with(summary), "{}", stdout(&output));
    let output = guid(&[path, "--json"], "");
    assert_eq!((output.status.code(), &*stderr(&output)), (Some(2), ""));
    for (line, object) in SCENARIOS.lines().zip(stdout(&output).lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let object: Value = serde_json::from_str(object).unwrap();
        assert_eq!((&object["id"], &object["type"]), (&line["id"], &line["type"]));
        let is_owed = ["text", "tree"].contains(&object["type"].as_str().unwrap());
        assert_eq!(object["met"], if is_owed { Value::Null } else { Value::Bool(true) });
        assert_eq!(object.get("why").is_some(), is_owed);
    }
    assert_eq!(stdout(&output).lines().count(), 35);
}

#[test]
fn what_differs_is_told_in_both_forms() {
    let output = guid(&[], MISSED);
    let expected = r#"line 1: b (orset): not as expected
    1  A: add "x"                            A shows ["x"]
  in the end A is ["y"]: expected, and not so
  missed: A shows ["x"], expected ["y"]
"#;
    assert_eq!(stdout(&output), expected);
    let output = guid(&["--json"], MISSED);
    let expected = r#"{"id":"b","type":"orset","met":false,"misses":[{"what":"A","found":["x"],"expected":["y"]}]}
"#;
    assert_eq!(stdout(&output), expected);
    let colored = stdout(&guid(&["--color", "always"], MISSED));
    assert!(colored.contains("\x1b[31mnot as expected\x1b[0m"), "{colored}");
}

#[test]
fn a_wrong_line_is_told_where_it_stands_and_the_rest_goes_on() {
    let wrong = MET.replace("add", "ad");
    let output = guid(&[], &[MET, &wrong, MET].join("\n"));
    assert_eq!(output.status.code(), Some(65));
    let told = stderr(&output);
    let start = "guid: line 2: step 1: no operation `ad`: did you mean `add`?: ";
    assert!(told.starts_with(start), "{told}");
    assert!(stdout(&output).ends_with("2 histories: 2 as expected, 0 not, 0 not told\n"));
    let output = guid(&["--json"], &wrong);
    let object: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(object["at"], wrong.find(r#""ad""#).unwrap());
    let long = format!("{{\"id\":\"{}\"}}", "x".repeat(300 << 10));
    let output = guid(&["--json"], &long);
    assert!(stdout(&output).contains("a line of more than 262144 bytes"));
}

#[test]
fn nothing_comes_out_that_a_terminal_would_obey() {
    let line = MISSED.replace(r#""b""#, "\"\u{9b}31m\u{7f}\"").replace('x', "\u{9b}");
    let output = guid(&[], &[line.as_str(), "\u{1b}[31m"].join("\n"));
    assert_eq!(output.status.code(), Some(65));
    let all = stdout(&output) + &stderr(&output);
    assert!(all.chars().all(|c| c == '\n' || !c.is_control()), "{all:?}");
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../docs/REPLAY.md");
    let block = |fence: &str| page.split(fence).nth(1).unwrap().split("```").next().unwrap();
    let line = block("```json\n");
    let mut shown = block("```console\n").split("$ guid crdt replay ").skip(1).map(|command| {
        let (arguments, printed) = command.split_once('\n').unwrap();
        (arguments.strip_suffix("FILE").unwrap().trim(), printed)
    });
    for arguments in [&[][..], &["--json"]] {
        let (named, printed) = shown.next().unwrap();
        assert_eq!(named, arguments.join(" "));
        assert_eq!(stdout(&guid(arguments, line)), printed);
    }
}
