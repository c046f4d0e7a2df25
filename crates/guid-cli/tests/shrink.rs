//! `guid sim shrink` and `guid sim replay`: what they write, how they end, what they refuse.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
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

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A scenario that fails: a clock is set back under the Go library's rule.
fn planted(name: &str) -> String {
    let path = path(name);
    let text = "[scenario]\nname = \"planted\"\nnodes = 12\nduration = \"10s\"\n\
                [ids]\nschemes = [\"upstream\", \"guid96:d3\"]\n[workload]\nkind = \"lww\"\n\
                [[fault]]\nat = \"6s\"\nkind = \"clock-step\"\nnode = 5\nby = \"-2s\"\n\
                [check.expect]\n\"monotone\" = true\n";
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[track_caller]
fn ends(arguments: &[&str], code: i32, says: &str) {
    let output = guid(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"));
}

#[test]
fn what_shrink_writes_replay_shows() {
    let scenario = planted("shrink-whole.toml");
    let shrunk = guid(&["sim", "shrink", &scenario, "--seed", "3"]);
    assert_eq!(shrunk.status.code(), Some(0), "{}", stderr(&shrunk));
    let text = stdout(&shrunk);
    for part in [
        "# A run that fails, made small: 1 node, 2 events on 2 lines.\n",
        "# It comes from planted, seed 3, and shows\n# monotone@upstream violated: the clock went",
        "format = 1\n",
        "\n  { at = \"0s\", node = 1, kind = \"mint\" },\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let repro = path("shrink-whole-repro.toml");
    fs::write(&repro, &text).unwrap();
    let trace = path("shrink-whole.jsonl");
    let [repro, trace] = [&repro, &trace].map(|path| path.to_str().unwrap());
    let replayed = guid(&["sim", "replay", repro, "--trace", trace]);
    assert_eq!(replayed.status.code(), Some(0), "{}", stderr(&replayed));
    let table = stdout(&replayed);
    for part in [
        "planted: made small, from seed 3\nshows monotone@upstream violated: the clock went back\n",
        "event    at  node  its clock   what         upstream\n",
        "    2  0 ns  n1    ",
        "monotone@upstream: 1 of 1 go against it\nthe clock went back\n  first  n1 made ",
        "\nverdict    holds: it fails as the file says\n",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let checked = guid(&["sim", "check", trace]);
    assert_eq!(checked.status.code(), Some(1), "the trace shows it too: {}", stdout(&checked));

    // From standard input, as an object.
    let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
        .args(["sim", "replay", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let object: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(object["verdict"], "holds");
    assert_eq!(object["check"]["verdict"], "violated");
    assert_eq!(object["happened"].as_array().unwrap().len(), 2);
}

#[test]
fn an_out_file_comes_with_a_table_and_json_with_the_text() {
    let scenario = planted("shrink-out.toml");
    let repro = path("shrink-out-repro.toml");
    let repro = repro.to_str().unwrap();
    let check = ["--check", "lww-lost@guid96:d3"];
    let told = guid(&["sim", "shrink", &scenario, check[0], check[1], "--out", repro]);
    assert_eq!(told.status.code(), Some(0), "{}", stderr(&told));
    let text = stdout(&told);
    assert!(text.starts_with("from 12 nodes and "), "{text}");
    assert!(text.contains(" to 2 and 4, after "), "{text}");
    assert!(text.contains("overwrites register 1"), "{text}");
    assert!(text.ends_with(&format!("\nreplay it  guid sim replay {repro}\n")), "{text}");
    let json = guid(&["sim", "shrink", &scenario, check[0], check[1], "--json"]);
    let object: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(object["shows"], "case");
    assert_eq!(object["to"]["events"], 4);
    assert_eq!(object["minimal"], true);
    assert_eq!(object["repro"].as_str().unwrap(), fs::read_to_string(repro).unwrap());
}

#[test]
fn what_no_longer_fails_is_a_surprise() {
    let scenario = planted("shrink-surprise.toml");
    let text = stdout(&guid(&["sim", "shrink", &scenario]));
    let repaired = path("shrink-surprise-repro.toml");
    fs::write(&repaired, text.replace("clock = \"-", "clock = \"+")).unwrap();
    let replayed = guid(&["sim", "replay", repaired.to_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(stdout(&replayed).contains("violated: it does not fail as the file says"));
    // Another cause is another failure.
    fs::write(&repaired, text.replace("cause = \"the clock", "cause = \"the moon")).unwrap();
    assert_eq!(guid(&["sim", "replay", repaired.to_str().unwrap()]).status.code(), Some(1));
}

#[test]
fn what_cannot_be_shrunk_says_why() {
    let scenario = planted("shrink-why.toml");
    ends(&["sim", "shrink", "hello-clocks"], 65, "seed 42: the run comes out as it should");
    ends(
        &["sim", "shrink", &scenario, "--check", "uniqe"],
        64,
        "no check `uniqe` in this run: did",
    );
    ends(&["sim", "shrink", &scenario, "--check", "unique"], 65, "no case goes against it");
    let little = ["--set", "check.expect.unique=>= 1"];
    ends(&["sim", "shrink", "hello-clocks", little[0], little[1]], 65, "shows less of it than");
    ends(&["sim", "shrink", &scenario, "--out", &scenario], 64, "would overwrite the scenario");
    ends(&["sim", "shrink", "no-such"], 64, "no scenario `no-such` ships");
    let few = ["--set", "scenario.max-events=10"];
    ends(&["sim", "shrink", &scenario, few[0], few[1]], 2, "given up after 10 events");
    ends(&["sim", "shrink", &scenario, "--tries", "1"], 0, "1 replays were not enough");
    ends(&["sim", "shrink", &scenario, "--out", "/nowhere/at/all"], 74, "/nowhere/at/all");
    ends(&["sim", "replay", "/nowhere/at/all"], 74, "/nowhere/at/all");
    ends(&["sim", "replay", &scenario], 65, "line 1, column 1: the file lacks `format`");
    let repro = path("shrink-why-repro.toml");
    fs::write(&repro, stdout(&guid(&["sim", "shrink", &scenario]))).unwrap();
    let repro = repro.to_str().unwrap();
    ends(&["sim", "replay", repro, "--trace", repro], 64, "would overwrite the repro");
    fs::write(repro, b"format = \xff").unwrap();
    ends(&["sim", "replay", repro], 65, "utf-8");
}

#[test]
fn the_help_has_examples() {
    for command in ["shrink", "replay"] {
        let help = stdout(&guid(&["sim", command, "--help"]));
        assert!(help.contains("Examples:") && help.contains("Ends with 0"), "{help}");
    }
}
