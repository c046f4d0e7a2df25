//! The tools around a run: `guid sim predict`, `new`, `check`, `export`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;

fn guid(arguments: &[&str]) -> Output {
    guid_in(env!("CARGO_TARGET_TMPDIR"), arguments)
}

fn guid_in(folder: &str, arguments: &[&str]) -> Output {
    let guid = env!("CARGO_BIN_EXE_guid");
    Command::new(guid).current_dir(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).unwrap();
    }
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_prediction_has_a_number_or_a_reason() {
    let output = guid(&["sim", "predict", "lww-window-trap", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let predicted: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&predicted["schema"], &predicted["seed"]), (&1.into(), &42.into()));
    let all = predicted["predictions"].as_array().unwrap();
    assert!(all.iter().all(|one| !one["form"].as_str().unwrap().is_empty()));
    let one = |name: &str, scheme: &str| {
        let is = |one: &&Value| one["name"] == name && one["scheme"] == scheme;
        all.iter().find(is).unwrap()["expected"].clone()
    };
    assert!((one("lww-lost", "guid96:d3").as_f64().unwrap() - 0.4982).abs() < 1e-4);
    assert_eq!(one("unique", "hlc"), 0);
    assert!(one("k-radius", "hlc").is_null());

    let set = guid(&["sim", "predict", "lww-window-trap", "--set", "workload.think=30s"]);
    assert!(stdout(&set).contains("0.4454"), "{}", stdout(&set));
    let wrong = guid(&["sim", "predict", "lww-window-trap", "--set", "workload.thnk=30s"]);
    assert_eq!(wrong.status.code(), Some(65));
    assert_eq!(guid(&["sim", "predict", "x"]).status.code(), Some(64));
}

#[test]
fn the_template_runs_holds_and_overwrites_nothing() {
    let folder = folder("new");
    let folder = folder.to_str().unwrap();
    let output = guid_in(folder, &["sim", "new", "mine"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = guid_in(folder, &["sim", "run", "mine.toml", "--seeds", "40..45"]);
    assert_eq!(run.status.code(), Some(0), "{}", stdout(&run));
    assert!(stdout(&guid_in(folder, &["sim", "run", "mine.toml"])).starts_with("mine: "));

    fs::write(format!("{folder}/mine.toml"), "kept").unwrap();
    for name in ["mine", "mine.toml"] {
        let output = guid_in(folder, &["sim", "new", name]);
        assert_eq!(output.status.code(), Some(64));
        assert!(stderr(&output).contains("is there already"), "{}", stderr(&output));
    }
    assert_eq!(fs::read_to_string(format!("{folder}/mine.toml")).unwrap(), "kept");
    for name in ["../out", "", "a b", ".hidden", "a/b"] {
        assert_eq!(guid_in(folder, &["sim", "new", name]).status.code(), Some(64), "{name}");
    }

    let text = stdout(&guid(&["sim", "new"]));
    assert!(text.lines().filter(|line| line.contains('#')).count() > 10, "it is commented");
}

#[test]
fn a_trace_is_checked_and_a_log_of_somebody_else() {
    let folder = folder("check");
    let folder = folder.to_str().unwrap();
    guid_in(folder, &["sim", "run", "hello-clocks", "--trace", "run.jsonl"]);
    let output = guid_in(folder, &["sim", "check", "run.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("a trace of hello-clocks"));
    assert!(stdout(&output).ends_with("verdict    holds\n"));

    let line = |node: &str, ns: u64| {
        format!("{{\"node\":\"{node}\",\"time_ns\":{ns},\"id\":\"Njj070....H7o_zz\"}}\n")
    };
    fs::write(format!("{folder}/log.jsonl"), line("web-\\u001b[31m1", 5) + &line("b", 9)).unwrap();
    let output = guid_in(folder, &["sim", "check", "log.jsonl"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("guid96:d3") && stdout(&output).contains("  second b made"));
    assert!(!stdout(&output).contains('\x1b'), "a name is not obeyed");
    let output = guid_in(folder, &["sim", "check", "log.jsonl", "--json", "--scheme", "text"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&report["schemes"][0], &report["verdict"]), (&"text".into(), &"violated".into()));
    assert_eq!(report["nodes"][1], "b");
}

#[test]
fn a_log_that_is_none_is_told_with_its_place() {
    let folder = folder("no-log");
    let long = [b"{".repeat(2 << 20), b"\n{}".to_vec()].concat();
    let cases: [(&[u8], i32, &str); 7] = [
        (b"", 2, ""),
        (b"\xef\xbb\xbf\r\n", 2, ""),
        (b"{\"node\":1,\"time_ns\":2}\r\n{\"node\":1,", 65, "line 2, column 10: no JSON"),
        (b"{\"node\":1,\"time_ns\":2}\n\xff\x00", 65, "line 2, column 1: bytes that are not"),
        (b"\x7fELF\x02\x01\x01\0\0", 65, "line 1, column 1: no JSON"),
        (b"[[[[[[[[[[[[", 65, "line 1, column"),
        (&long, 65, "line 1, column 1: a line of more than 1048576 bytes"),
    ];
    for (bytes, code, says) in cases {
        let path = folder.join("log.jsonl");
        fs::write(&path, bytes).unwrap();
        let output = guid(&["sim", "check", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
    for wrong in [
        &["--scheme", "uuid8"][..],
        &["--skew", "5"],
        &["--window", "-1s"],
        &["--observe", "x"],
        &["--gaps", "1s,,"],
    ] {
        let output = guid(&[&["sim", "check", "-"], wrong].concat());
        assert_eq!(output.status.code(), Some(64), "{wrong:?}: {}", stderr(&output));
    }
    assert_eq!(guid(&["sim", "check", "missing.jsonl"]).status.code(), Some(74));
    assert_eq!(guid(&["sim", "check", "."]).status.code(), Some(74));
}

#[test]
fn a_picture_of_a_part_of_a_run() {
    let folder = folder("picture");
    let folder = folder.to_str().unwrap();
    guid_in(folder, &["sim", "run", "hello-clocks", "--trace", "run.jsonl"]);
    let picture = |more: &[&str]| {
        let arguments = [&["sim", "export", "run.jsonl", "--to", "svg"], more].concat();
        let output = guid_in(folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    assert!(picture(&[]).starts_with("<svg xmlns="));
    assert!(picture(&["--events", "300..320"]).contains("Events 300 to 319"));
    assert!(picture(&["--events", "90000..90001"]).contains("nothing is drawn"));
    let wrong = guid_in(folder, &["sim", "export", "run.jsonl", "--to", "svg", "--events", "5..5"]);
    assert_eq!(wrong.status.code(), Some(64));
}
