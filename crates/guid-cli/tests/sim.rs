//! `guid sim`: results, exit codes, and what it says to wrong input.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;

fn guid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_guid")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn objects(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A file of the test's own, in the folder that cargo keeps for tests.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[track_caller]
fn ends(arguments: &[&str], code: i32, says: &str) {
    let output = guid(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"));
}

#[test]
fn a_run_has_a_table_a_hash_and_a_verdict_and_repeats() {
    let run = guid(&["sim", "run", "hello-clocks"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let text = stdout(&run);
    for part in ["guarantee", "vector-iff", "as expected", "trace hash ", "verdict    holds"] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(stdout(&guid(&["sim", "run", "hello-clocks"])), text);
    let hash =
        |text: &str| text.lines().find(|line| line.starts_with("trace hash")).map(str::to_owned);
    let other = guid(&["sim", "run", "hello-clocks", "--seed", "7"]);
    assert_ne!(hash(&stdout(&other)), hash(&text));
    assert!(!text.contains('\x1b'), "no colors where nobody looks");
    let colored = guid(&["sim", "run", "hello-clocks", "--color", "always"]);
    assert!(stdout(&colored).contains("\x1b[32mholds"));
}

#[test]
fn the_json_of_a_run() {
    let run = guid(&["sim", "run", "hello-clocks", "--json", "--check-determinism"]);
    let [report] = &objects(&run)[..] else { panic!("one object") };
    assert_eq!(report["schema"], 1);
    assert_eq!(report["scenario"], "hello-clocks");
    assert_eq!(report["seed"], 42);
    assert_eq!(report["verdict"], "holds");
    assert_eq!(report["trace_hash"].as_str().unwrap().len(), 32);
    let checks = report["checks"].as_array().unwrap();
    for check in checks {
        for key in
            ["name", "scheme", "verdict", "count", "of", "measured", "expected", "z", "witness"]
        {
            assert!(check.get(key).is_some(), "{key}");
        }
        assert!(["holds", "violated", "unknown"].contains(&check["verdict"].as_str().unwrap()));
    }
    let violated = checks.iter().find(|check| check["name"] == "happens-before-by-bytes").unwrap();
    assert!(violated["count"].as_u64().unwrap() > 0);
    for event in ["first", "second"] {
        for key in ["node", "event", "true_ns", "local_ns", "id"] {
            assert!(violated["witness"][event].get(key).is_some(), "{key}");
        }
    }
    assert!(violated["witness"]["cause"].is_string());
}

#[test]
fn many_seeds_end_with_a_summary() {
    let run = guid(&["sim", "run", "hello-clocks", "--seeds", "3..6", "--json"]);
    let objects = objects(&run);
    let seeds: Vec<u64> = objects.iter().filter_map(|object| object["seed"].as_u64()).collect();
    assert_eq!(seeds, [3, 4, 5]);
    let summary = objects.last().unwrap();
    assert_eq!(summary["summary"], true);
    assert_eq!((&summary["seeds"], &summary["holds"]), (&Value::from(3), &Value::from(3)));
    assert_eq!(summary["verdict"], "holds");
    assert_eq!(objects.len(), 4);
}

#[test]
fn a_violated_expectation_ends_with_one() {
    let text = "[scenario]\nduration = \"1s\"\n[check]\nexpect = { unique = \">= 1\" }";
    let path = file("violated.toml", text.as_bytes());
    let run = guid(&["sim", "run", path.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stdout(&run).contains("verdict    violated"));
    let run = guid(&["sim", "run", path.to_str().unwrap(), "--seeds", "0..2"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stdout(&run).contains("2 seeds: 0 hold, 2 violated, 0 unknown: violated"));
}

#[test]
fn a_run_that_grows_too_large_could_not_be_told() {
    ends(
        &["sim", "run", "hello-clocks", "--set", "scenario.max-events=100"],
        2,
        "after 100 events",
    );
}

#[test]
fn overrides_traces_and_the_files_that_ship() {
    let shown = guid(&["sim", "show", "hello-clocks"]);
    let path = file("shown.toml", &shown.stdout);
    let path = path.to_str().unwrap();
    assert_eq!(
        stdout(&guid(&["sim", "run", path])),
        stdout(&guid(&["sim", "run", "hello-clocks"])),
    );
    let fewer = guid(&["sim", "run", path, "--set", "workload.think=2s", "--json"]);
    assert!(objects(&fewer)[0]["events"].as_u64().unwrap() < 500);

    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trace.jsonl");
    let run = guid(&["sim", "run", path, "--trace", trace.to_str().unwrap(), "--json"]);
    let lines = fs::read_to_string(trace).unwrap();
    let events = objects(&run)[0]["events"].as_u64().unwrap();
    assert_eq!(lines.lines().count() as u64, events + 1, "a header, then one line an event");

    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trace.jsonl");
    let trace = trace.to_str().unwrap();
    let shiviz = stdout(&guid(&["sim", "export", trace, "--to", "shiviz"]));
    assert_eq!(
        shiviz.lines().count() as u64,
        2 * events + 2,
        "two lines to parse it, two an event"
    );
    ends(&["sim", "export", trace, "--to", "shivz"], 64, "did you mean `shiviz`?");
    ends(&["sim", "export", path, "--to", "csv"], 65, "line 1: ");

    let list = stdout(&guid(&["sim", "list"]));
    assert!(list.lines().count() >= 5 && list.contains("lww-window-trap"));
    assert_eq!(objects(&guid(&["sim", "list", "--json"]))[0]["name"], "hello-clocks");
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    ends(&["sim", "run", "lww-window-trp"], 64, "did you mean `lww-window-trap`?");
    ends(&["sim", "show", "x"], 64, "no scenario `x` ships");
    ends(&["sim", "run", "missing.toml"], 74, "missing.toml: No such file");
    ends(&["sim", "run", "."], 74, "directory");
    ends(&["sim", "run", "hello-clocks", "--seeds", "5..5"], 64, "expected A..B");
    ends(&["sim", "run", "hello-clocks", "--seed", "-1"], 64, "--seed");
    ends(&["sim", "run", "hello-clocks", "--set", "x"], 64, "expected KEY=VALUE");
    ends(&["sim", "run", "hello-clocks", "--set", "nodes=3"], 65, "did you mean `scenario.nodes`?");
    ends(
        &["sim", "run", "hello-clocks", "--set", "scenario.nodes=none"],
        65,
        "--set: `scenario.nodes`",
    );
    ends(&["sim", "run", "hello-clocks", "--trace", "/nowhere/x"], 74, "/nowhere/x");
    let typo = file("typo.toml", b"[workload]\nknd = \"ids\"");
    let typo = typo.to_str().unwrap();
    ends(
        &["sim", "run", typo],
        65,
        "line 2, column 1: unknown key `knd` in [workload]: did you mean `kind`?",
    );
    ends(
        &["sim", "run", file("bytes.toml", b"a\xff").to_str().unwrap()],
        65,
        "not UTF-8 text at 1",
    );
    ends(&["sim", "run", file("empty.toml", b"").to_str().unwrap()], 0, "");
    let expect = file("expect.toml", b"[check]\nexpect = { unqiue = true }");
    ends(&["sim", "run", expect.to_str().unwrap()], 65, "did you mean `unique`?");
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
        .args(["sim", "run", "hello-clocks", "--seeds", "0..20"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

/// Whoever pipes the output gets what they always got; bars stand where they are asked for.
#[test]
fn bars_stand_below_the_table_where_they_are_asked_for() {
    let run = |more: &[&str]| {
        let arguments = [&["sim", "run", "lww-window-trap"], more].concat();
        String::from_utf8(guid(&arguments).stdout).unwrap()
    };
    let plain = run(&[]);
    assert!(!plain.contains('█'));
    let drawn = run(&["--bars", "always"]);
    let bar = |label: &str| {
        let line = drawn.lines().find(|line| line.trim_start().starts_with(label)).unwrap();
        line.matches('█').count()
    };
    let lost = drawn.split("\nlww-lost\n").nth(1).unwrap();
    assert!(lost.contains("  guid96:d3 by time") && lost.contains("0.0000"), "{lost}");
    assert!((38..=40).contains(&lost.lines().next().unwrap().matches('█').count()), "{lost}");
    assert_eq!(bar("guid96:d3 by time"), 0);
    assert!(bar("guid96:d3, 60s apart") > 2 * bar("guid96:d1, 60s apart"), "{drawn}");
    // The rest is as it was.
    let without: Vec<&str> = plain.lines().filter(|line| !line.is_empty()).collect();
    let mut rest = drawn.lines();
    assert!(without.iter().all(|line| rest.any(|other| other == *line)));
    assert_eq!(run(&["--json"]), run(&["--json", "--bars", "always"]));
}
