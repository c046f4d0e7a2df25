//! `guid sim explore`: tables, files that replay, exit codes, and what it says to wrong input.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/EXPLORE.md");

fn guid(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
    command.args(["sim", "explore"]).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A path of the test's own, in the folder that cargo keeps for tests.
fn path(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    path.to_str().unwrap().to_owned()
}

fn file(name: &str, text: &str) -> String {
    let path = path(name);
    fs::write(&path, text).unwrap();
    path
}

#[track_caller]
fn ends(arguments: &[&str], code: i32, says: &str) {
    let output = guid(arguments);
    let said = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(says), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
}

/// The console blocks of a page: each command and what it prints.
fn sessions(page: &str) -> Vec<(String, String)> {
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands = blocks.flat_map(|block| block.split("$ guid sim explore ").skip(1));
    let session = commands.map(|one| {
        let (command, printed) = one.split_once('\n').unwrap();
        (command.to_owned(), printed.to_owned())
    });
    session.collect()
}

#[test]
fn the_page_shows_what_is_printed() {
    let sessions = sessions(PAGE);
    assert!(sessions.len() >= 3, "{sessions:?}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explore-page");
    fs::create_dir_all(&folder).unwrap();
    let worlds = PAGE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    for world in worlds {
        fs::write(folder.join("mine.toml"), world).unwrap();
    }
    for (command, printed) in sessions {
        let mut guid = Command::new(env!("CARGO_BIN_EXE_guid"));
        guid.args(["sim", "explore"]).args(command.split(' ')).current_dir(&folder);
        let output = guid.output().unwrap();
        assert_eq!(stdout(&output), printed, "{command}: {}", stderr(&output));
    }
}

#[test]
fn verdicts_are_exit_codes() {
    ends(&["or-set-greetings"], 0, "verdict    holds");
    ends(&["broken-or-set"], 1, "n2 shows {}, expected {x}");
    ends(&["forgetful"], 1, "one-dot-one-write");
    ends(&["forgetful-ids"], 1, "n1 makes the ID +1 a second time");
    ends(&["durable-ids"], 0, "verdict    holds");
    ends(&["or-set", "--max-states", "100"], 2, "100  distinct, and there are more");
    ends(&["broken-or-set", "--random", "100"], 1, "of the schedule that fails");
    ends(&["or-set", "--random", "20", "--seed", "9"], 0, "20  along random priorities");
}

#[test]
fn a_run_is_written_and_carried_out_again() {
    let repro = path("repro.toml");
    ends(&["broken-or-set", "--out", &repro], 1, "is written: guid sim explore --replay");
    ends(&["--replay", &repro], 0, "holds: it still breaks what it broke");
    let text = fs::read_to_string(&repro).unwrap();
    let healed =
        file("healed.toml", &text.replace("type = \"broken-or-set\"", "type = \"or-set\""));
    ends(&["--replay", &healed], 1, "violated: it breaks nothing any more");
    let other = file("other.toml", &text.replace("n2 shows {}", "n2 shows nothing"));
    ends(&["--replay", &other], 1, "but not as it was recorded");
    let stuck = file("stuck.toml", &text.replace("\"n2: add x\",", "\"n2 crashes\","));
    ends(&["--replay", &stuck], 2, "step 3, `n2 crashes`, is not possible there");
    ends(&["--replay", "or-set"], 65, "no [run] to replay");
    // A file of the other kind is for the other command.
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../guid-sim/tests/data/repros/bump.toml");
    ends(&["--replay", small], 65, "made small: guid sim replay ");
    let swapped = Command::new(env!("CARGO_BIN_EXE_guid")).args(["sim", "replay", &repro]).output();
    let told = String::from_utf8(swapped.unwrap().stderr).unwrap();
    assert!(told.contains(&format!("small world: guid sim explore --replay {repro}")), "{told}");
    // Nothing found, nothing written.
    let none = path("none.toml");
    ends(&["or-set-greetings", "--out", &none], 0, "is not written");
    assert!(!PathBuf::from(none).exists());
}

#[test]
fn json_is_one_object_and_the_same_each_time() {
    let run = |arguments: &[&str]| {
        let output = guid(&[arguments, &["--json"]].concat());
        assert_eq!(stdout(&output), stdout(&guid(&[arguments, &["--json"]].concat())));
        assert_eq!(stdout(&output).lines().count(), 1);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let report = run(&["broken-or-set"]);
    assert_eq!((&report["schema"], &report["verdict"]), (&1.into(), &"violated".into()));
    assert_eq!(report["violation"]["steps"][3]["step"], "n1.1 to n2 arrives");
    assert_eq!(report["violation"]["steps"][3]["shows"][1], "{}");
    let report = run(&["or-set-greetings"]);
    assert!(report["states"].as_u64().unwrap() > 10_000 && report.get("violation").is_none());
    let report = run(&["or-set", "--random", "10"]);
    assert_eq!((&report["mode"], &report["schedules"]), (&"random".into(), &10.into()));
    let repro = path("json.toml");
    ends(&["forgetful", "--json", "--out", &repro], 1, "\"invariant\"");
    assert_eq!(run(&["--replay", &repro])["same"], true);
}

#[test]
fn worlds_are_listed_printed_and_changed() {
    let output = guid(&["--list"]);
    let text = stdout(&output);
    assert!(text.lines().count() > 20 && text.contains("broken-or-set  "), "{text}");
    let objects = stdout(&guid(&["--list", "--json"]));
    assert_eq!(objects.lines().count(), text.lines().count());
    assert!(objects.starts_with(r#"{"name":"or-set","summary":"a set"#), "{objects}");
    for line in text.lines() {
        let name = line.split_whitespace().next().unwrap();
        ends(&[name, "--print"], 0, "[world]");
    }
    let printed = file("printed.toml", &stdout(&guid(&["or-set", "--print"])));
    let set = ["--set", "faults.losses=1"];
    let (of_file, of_name) =
        (guid(&[&[&*printed], &set[..]].concat()), guid(&[&["or-set"], &set[..]].concat()));
    assert_eq!(stdout(&of_file), stdout(&of_name));
    // A changed world prints as it is then.
    let changed = file("changed.toml", &stdout(&guid(&["or-set", "--print", set[0], set[1]])));
    assert_eq!(stdout(&guid(&[&changed])), stdout(&of_name));
}

#[test]
fn wrong_usage_is_told() {
    ends(&[], 64, "required");
    ends(&["or-sett"], 64, "no world `or-sett` ships: did you mean `or-set`?");
    ends(&["hello-clocks"], 64, "it is a scenario, for `guid sim run`");
    ends(&["or-set", "--max-states", "0"], 64, "max-states");
    ends(&["or-set", "--seed", "1"], 64, "--random");
    ends(&["or-set", "--set", "faults"], 64, "expected KEY=VALUE");
    ends(&["or-set", "--replay", "--random", "1"], 64, "cannot be used with");
    ends(&["no/such.toml"], 74, "no/such.toml");
    ends(&["--list", "or-set"], 64, "cannot be used with");
    let own = file("own.toml", &stdout(&guid(&["broken-or-set", "--print"])));
    ends(&[&own, "--out", &own], 64, "--out would overwrite the world");
    assert!(fs::read_to_string(&own).unwrap().contains("type = \"broken-or-set\""));
    ends(&["or-set", "--set", "faults.loses=1"], 65, "did you mean `faults.losses`?");
    ends(&["broken-or-set", "--out", "no/such/folder/x.toml"], 74, "no/such/folder");
}

#[test]
fn wrong_files_are_told_with_their_place() {
    let wrong = |name: &str, text: &str, says: &str| ends(&[&file(name, text)], 65, says);
    wrong("a.toml", "[world", "line 1, column");
    wrong("b.toml", "[world]\ntype = \"or-set\"\n", "`node`: found 0, expected 1 to 16");
    wrong(
        "c.toml",
        "[world]\ntype = \"or-set\"\n[[node]]\ndose = []",
        "line 4, column 1: unknown key `dose` in [node]: did you mean `does`?",
    );
    wrong(
        "d.toml",
        "[world]\ntype = \"or-set\"\n[[node]]\ndoes = [\"ad x\"]",
        "`node.does`: `ad x`: no step like this: did you mean `add`?",
    );
    wrong(
        "e.toml",
        "[world]\ntype = \"or-set\"\n[[node]]\ndoes = [\"send 2\"]",
        "expected `send all`, or another node from 1 to 1",
    );
    wrong("f.toml", &format!("# {}", "x".repeat(2 << 20)), "larger than");
}
