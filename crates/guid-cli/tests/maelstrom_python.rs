//! `guid maelstrom test` on nodes in Python: those that are wrong are found, the example passes.
//!
//! It needs `python3`, so it waits for the feature `test-python`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

/// Runs a short test of a workload; the exit code and the JSON of what was found.
fn test(workload: &str, args: &[&str]) -> (i32, Value) {
    let mut short = vec!["maelstrom", "test", workload, "--json"];
    if !args.contains(&"--time") {
        short.extend(["--time", "2s", "--settle", "2s"]);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_guid")).args(short).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let found = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    (output.status.code().unwrap(), found)
}

/// A node in Python.
fn wrong(workload: &str, fault: &str) -> (i32, Value) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/maelstrom/sabotaged.py");
    test(workload, &["--rate", "50", "--bin", "python3", "--", file, fault])
}

#[test]
fn ids_given_twice_are_found() {
    let (exit, found) = wrong("unique-ids", "duplicates");
    assert_eq!(exit, 1, "{found}");
    assert!(found["witness"].as_str().unwrap().contains("twice"), "{found}");
}

#[test]
fn a_set_that_tells_nobody_is_found() {
    let (exit, found) = wrong("g-set", "silent");
    assert_eq!(exit, 1, "{found}");
    assert!(found["witness"].as_str().unwrap().contains("is lost"), "{found}");
}

#[test]
fn a_counter_that_counts_twice_is_found() {
    let (exit, found) = wrong("g-counter", "double");
    assert_eq!(exit, 1, "{found}");
    assert_eq!(found["faults"], json!([]));
    // More is read than all adds together come to: `N is read at the end, and the adds make M`.
    let says = found["witness"].as_str().unwrap();
    let (read, sums) = says.split_once(" is read at the end, and the adds make ").unwrap();
    let most = sums.rsplit([' ', ',']).next().unwrap();
    let [read, most] = [read, most].map(|number| number.parse::<i64>().unwrap());
    assert!(read > most && most > 0, "{says}");
}

#[test]
fn an_echo_that_says_something_else_is_found() {
    let (exit, found) = wrong("echo", "pardon");
    assert_eq!(exit, 1, "{found}");
    let says = found["witness"].as_str().unwrap();
    assert!(says.contains(r#""pardon?" is answered to "Please echo"#), "{found}");
}

/// A value of the wrong type is the node's fault: it is told, and what was seen is kept.
#[test]
fn values_of_the_wrong_type_are_found() {
    let file = |name: &str| {
        let name = format!("guid-wrong-type-{}-{name}", std::process::id());
        std::env::temp_dir().join(name).display().to_string()
    };
    let (history, report, folder) = (file("history"), file("report"), file("folder"));
    let deep = "[".repeat(120) + &"]".repeat(120);
    let (list, number) = ("expected a list", "expected a whole number of 64 bits, signed");
    for (workload, value, expected) in [
        ("g-set", "\"hello\"", list),
        ("g-set", "null", list),
        ("g-set", "1.5", list),
        ("g-set", "7", list),
        ("g-set", &deep, "expected at most 100 lists"),
        ("g-counter", "\"7\"", number),
        ("pn-counter", "[7]", number),
        ("g-counter", "1.5", number),
        ("pn-counter", "9223372036854775808", number),
    ] {
        let sabotage = format!("reads {value}");
        let python = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/maelstrom/sabotaged.py");
        let quick = "--time 1s --settle 0s --nodes 1 --folder".split(' ');
        let kept = [&folder, "--history", &history, "--report", &report];
        let bin = ["--bin", "python3", "--", python, &sabotage];
        let args: Vec<&str> = quick.chain(kept).chain(bin).collect();
        let (exit, found) = test(workload, &args);
        let fault = found["faults"][0].as_str().unwrap_or_default();
        assert!(exit == 1 && fault.contains(expected), "{workload} {value}: {found}");
        assert!(fs::read_to_string(&report).unwrap().contains("expected"), "{value}");
        let judged = Command::new(env!("CARGO_BIN_EXE_guid")).args(["history", &history]).output();
        let said = String::from_utf8(judged.unwrap().stdout).unwrap();
        assert!(said.starts_with("line 1: "), "{said}");
        fs::remove_file(&history).unwrap();
        fs::remove_file(&report).unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn what_breaks_the_protocol_is_found() {
    for (fault, says) in [
        ("extra", "a `read_ok` has no `elements`"),
        ("babbles", "wrote a line that is no message"),
        ("dies", "ended by itself (exit status: 1): out of cheese"),
    ] {
        let (exit, found) = wrong("g-set", fault);
        let first = found["faults"][0].as_str().unwrap_or_default();
        assert!(exit == 1 && first.contains(says), "{fault}: {found}");
    }
}

/// Of no ID none is given twice; that is no reason to call it valid.
#[test]
fn who_answers_nothing_has_shown_nothing() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/maelstrom/sabotaged.py");
    let args = ["--timeout", "200ms", "--bin", "python3", "--", file, "mute"];
    for workload in ["unique-ids", "echo", "g-set", "broadcast", "pn-counter"] {
        let (exit, found) = test(workload, &args);
        assert_eq!((exit, &found["verdict"]), (2, &json!("unknown")), "{workload}: {found}");
        assert_eq!(found["requests"]["ok"], json!(0), "{found}");
    }
}

/// Who says more than can be heard is heard all the same, and so are the others; what a node says
/// does not reach the terminal as it is.
#[test]
fn floods_and_controls_are_borne() {
    let (exit, found) = wrong("g-set", "floods");
    assert_eq!(exit, 1, "{found}");
    let first = found["faults"][0].as_str().unwrap();
    assert!(first.contains("no message") && !first.contains('\u{1b}'), "{first:?}");
}

#[test]
fn the_example_in_python_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap();
    let file = root.join("examples/maelstrom/node.py");
    let file = file.to_str().unwrap();
    let args = ["--loss", "10%", "--partition", "--every", "500ms", "--bin", "python3", "--", file];
    for workload in ["g-set", "broadcast"] {
        let (exit, found) = test(workload, &[&args[..], &[workload]].concat());
        assert_eq!(exit, 0, "{found}");
    }
    // The head of the file says forty lines.
    let code = fs::read_to_string(root.join("examples/maelstrom/node.py")).unwrap();
    let code = code.split("\"\"\"").nth(2).unwrap();
    assert!(code.lines().filter(|line| !line.trim().is_empty()).count() <= 40);
}
