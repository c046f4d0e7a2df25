//! `guid history`: verdicts, exit codes, and what it says to wrong input.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

const CASES: &str = include_str!("../../guid-sim/tests/data/history-cases.jsonl");

const VALID: &str = r#"{"checker":"unique-ids","history":[{"process":0,"type":"invoke","f":"generate","value":null,"time":0},{"process":0,"type":"ok","f":"generate","value":"a","time":1}]}"#;
const INVALID: &str = r#"{"checker":"unique-ids","history":[{"process":0,"type":"invoke","f":"generate","value":null,"time":0},{"process":0,"type":"ok","f":"generate","value":"a","time":1},{"process":0,"type":"invoke","f":"generate","value":null,"time":2},{"process":0,"type":"ok","f":"generate","value":"a","time":3}]}"#;
const UNKNOWN: &str = r#"{"checker":"set-full","history":[]}"#;

/// Runs the command on standard input.
fn guid(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
        .arg("history")
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

/// A line with what is expected of it.
fn expecting(line: &str, valid: &str) -> String {
    format!(r#"{},"expected":{{"valid":{valid}}}}}"#, line.strip_suffix('}').unwrap())
}

#[track_caller]
fn ends(lines: &[&str], code: i32) {
    for arguments in [&[][..], &["-"], &["--json"], &["--quiet"]] {
        let output = guid(arguments, &lines.join("\n"));
        assert_eq!(output.status.code(), Some(code), "{lines:?}: {}", stderr(&output));
    }
}

#[test]
fn the_worst_verdict_is_the_exit_code() {
    ends(&[], 2);
    ends(&[VALID], 0);
    ends(&[VALID, INVALID, UNKNOWN], 1);
    ends(&[VALID, UNKNOWN], 2);
    ends(&[UNKNOWN, VALID, "x"], 65);
    ends(&[INVALID, "x"], 65);
}

#[test]
fn what_is_expected_counts_instead() {
    ends(&[&expecting(VALID, "true"), &expecting(INVALID, "false")], 0);
    ends(&[&expecting(UNKNOWN, r#""unknown""#)], 0);
    ends(&[&expecting(VALID, "false")], 1);
    ends(&[&expecting(UNKNOWN, "true")], 1);
    ends(&[&expecting(INVALID, "false"), UNKNOWN], 2);
    let lines = [expecting(INVALID, "true"), expecting(VALID, "true")].join("\n");
    let output = guid(&[], &lines);
    let text = stdout(&output);
    assert!(text.contains("line 1: unique-ids: invalid, not as expected: 2 asked for"), "{text}");
    assert!(text.contains("  valid: false, expected true\n"), "{text}");
    assert!(text.contains("line 2: unique-ids: valid, as expected: 1 asked for"), "{text}");
    assert!(text.ends_with("2 histories: 1 valid, 1 invalid, 0 unknown; 1 of 2 as expected\n"));
    let output = guid(&["--json"], &lines);
    assert_eq!(stderr(&output), "guid: line 1: valid: false, expected true\n");
}

#[test]
fn people_see_the_operations_that_show_it() {
    let output = guid(&[], INVALID);
    let expected = "line 1: unique-ids: invalid: 2 asked for, 2 given, 1 of them more than once
  \"a\" is given twice
    op 1  ok     client 0 generate \"a\"
    op 3  ok     client 0 generate \"a\"
";
    assert_eq!(stdout(&output), expected);
    assert_eq!(stderr(&output), "");
    let colored = stdout(&guid(&["--color", "always"], INVALID));
    assert!(colored.contains("\x1b[31minvalid\x1b[0m"), "{colored}");
}

#[test]
fn all_recorded_histories_come_out_in_both_forms() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cases.jsonl");
    fs::write(&path, CASES).unwrap();
    let path = path.to_str().unwrap();
    let output = guid(&[path], "");
    assert_eq!(output.status.code(), Some(0));
    let summary = "400 histories: 180 valid, 186 invalid, 34 unknown; 400 of 400 as expected\n";
    assert!(stdout(&output).ends_with(summary));
    let output = guid(&[path, "--json"], "");
    assert_eq!((output.status.code(), &*stderr(&output)), (Some(0), ""));
    let objects = stdout(&output);
    assert_eq!(objects.lines().count(), 400);
    for (line, object) in CASES.lines().zip(objects.lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let mut expected = line["expected"].clone();
        expected["checker"] = line["checker"].clone();
        assert_eq!(serde_json::from_str::<Value>(object).unwrap(), expected);
        assert!(object.starts_with(r#"{"checker":"#) && object.contains(r#"","valid":"#));
    }
}

#[test]
fn a_bad_line_is_told_and_the_rest_goes_on() {
    let bad = INVALID.replace("\"time\":3", "\"time\":\"3\"");
    let lines = [VALID, "{", &bad, VALID].join("\n");
    let output = guid(&[], &lines);
    assert_eq!(output.status.code(), Some(65));
    let text = stdout(&output);
    assert!(text.contains("line 1: unique-ids: valid") && text.contains("line 4: unique-ids"));
    let told = stderr(&output);
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told[0], "guid: line 2: EOF while parsing an object: \"{\"");
    let wrong = "guid: line 3: op 3: `time` is \"3\": expected an integer of nanoseconds: ";
    assert!(told[1].starts_with(wrong), "{told:?}");
    assert!(told[1].len() < 600, "cut");

    let output = guid(&["--json"], &lines);
    let objects = stdout(&output);
    let objects: Vec<Value> = objects.lines().map(|o| serde_json::from_str(o).unwrap()).collect();
    assert_eq!(objects.len(), 4);
    assert_eq!(objects[1]["input"], "{");
    assert_eq!(objects[2]["input"].as_str().unwrap().len(), 256);
    assert_eq!(objects[2]["line"], 3, "the input is cut and does not tell");
    let at = usize::try_from(objects[2]["at"].as_u64().unwrap()).unwrap();
    assert!(bad[..at].ends_with("\"time\":\"3\""), "{}", &bad[..at]);
    assert_eq!((&objects[0]["valid"], &objects[3]["valid"]), (&true.into(), &true.into()));
}

#[test]
fn a_long_line_is_read() {
    let ids = (0..20_000).map(|id| {
        format!(
            r#"{{"process":0,"type":"invoke","f":"generate","time":{id}}},{{"process":0,"type":"ok","f":"generate","value":{id},"time":{id}}}"#
        )
    });
    let ids = ids.collect::<Vec<_>>().join(",");
    let line = format!(r#"{{"checker":"unique-ids","history":[{ids}]}}"#);
    assert!(line.len() > 2_000_000);
    let output = guid(&["--json"], &line);
    assert_eq!(
        stdout(&output),
        "{\"checker\":\"unique-ids\",\"valid\":true,\"attempted\":20000,\"acknowledged\":20000,\"duplicated\":0}\n",
    );
}

#[test]
fn what_cannot_be_read_or_written_is_said() {
    let output = guid(&["missing.jsonl"], "");
    assert_eq!(output.status.code(), Some(74));
    assert!(stderr(&output).starts_with("guid: missing.jsonl: "), "{}", stderr(&output));
    let output = guid(&["a.jsonl", "b.jsonl"], "");
    assert_eq!(output.status.code(), Some(64));
    if cfg!(unix) {
        let output = guid(&["."], "");
        assert_eq!(output.status.code(), Some(74), "a directory: {}", stderr(&output));
    }
    if cfg!(target_os = "linux") {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("valid.jsonl");
        fs::write(&path, VALID).unwrap();
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
        let output = command.arg("history").arg(path).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(74));
    }
}

#[test]
fn nothing_comes_out_that_a_terminal_would_obey() {
    let line = INVALID.replace("\"a\"", "\"\u{9b}31m\u{7f}\"");
    let output = guid(&[], &[line.as_str(), "\u{1b}[31m", "{\"checker\":\"\u{9b}\"}"].join("\n"));
    assert_eq!(output.status.code(), Some(65));
    let all = stdout(&output) + &stderr(&output);
    assert!(all.chars().all(|c| c == '\n' || !c.is_control()), "{all:?}");
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../docs/HISTORIES.md");
    let block = |fence: &str| page.split(fence).nth(1).unwrap().split("```").next().unwrap();
    let line = block("```json\n");
    let mut shown = block("```console\n").split("$ guid history ").skip(1).map(|command| {
        let (arguments, printed) = command.split_once('\n').unwrap();
        (arguments.strip_suffix("FILE").unwrap().trim(), printed)
    });
    for arguments in [&[][..], &["--json"]] {
        let (named, printed) = shown.next().unwrap();
        assert_eq!(named, arguments.join(" "));
        assert_eq!(stdout(&guid(arguments, line)), printed);
    }
}
