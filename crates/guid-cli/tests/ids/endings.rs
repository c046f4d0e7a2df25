//! How the command ends: bad lines, garbage, wrong usage, closed pipes, full disks.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    process::Stdio,
};

use crate::{
    ID, JSON,
    program::{self, GARBAGE, Ran, guid, random_bytes},
};

#[test]
fn wrong_arguments_are_usage_errors() {
    let compose = ["compose", "--node=02000000", "--unix-ns=1"];
    for arguments in [
        &[][..],
        &["nothing"],
        &["new", "-n", "-1"],
        &["new", "-n", "many"],
        &["new", "--code=8"],
        &["new", "--code=3", "--drift=5m"],
        &["new", "--drift=2h"],
        &["new", "--drift=-5m"],
        &["new", "--drift=soon"],
        &["new", "--node=200000"],
        &["new", "--node=02000000", "--node-name=a"],
        &["new", "--node-name="],
        &["new", "--local", "--text=uuid"],
        &["new", "--text=decimal"],
        &[&compose[..], &["--code=3", "--seq=16384"]].concat(),
        &[&compose[..], &["--code=3", "--seq=-1"]].concat(),
        &[&compose[..], &["--code=8", "--seq=1"]].concat(),
        &[&compose[..], &["--code=3"]].concat(),
        &["compose", "--code=3", "--unix-ns=1", "--seq=1"],
        &["compose", "--code=3", "--unix-ns=18446744073709551616", "--seq=1", "--local"],
        &["convert", ID],
        &["sort", "--by=node"],
    ] {
        let ran = guid(arguments, "");
        assert_eq!((ran.code, &*ran.stdout), (64, ""), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_is_no_error() {
    for arguments in [&["--help"][..], &["-h"], &["--version"], &["new", "--help"]] {
        let ran = guid(arguments, "");
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert!(ran.stdout.contains("guid"));
    }
    for command in ["new", "inspect", "compose", "convert", "sort"] {
        assert!(guid(&[command, "--help"], "").ok().contains("Examples:"), "{command}");
    }
    assert!(guid(&["completions", "bash"], "").ok().contains("inspect"));
}

#[test]
fn a_bad_line_is_told_and_the_rest_goes_on() {
    let input = format!("{ID}\r\nNjj070..é.H7o_z\n{ID}");
    let told = guid(&["inspect", "--json"], &input);
    assert_eq!(told.code, 65);
    let bad = concat!(
        r#"{"input":"Njj070..é.H7o_z","error":"invalid character `é` at index 8 of an ID: "#,
        r#"expected one of `.0-9A-Z_a-z`","at":8}"#,
        "\n",
    );
    assert_eq!(told.stdout, format!("{JSON}{bad}{JSON}"));
    guid(&["convert", "--to=lex"], &input).is(
        65,
        &format!("{ID}\n{ID}\n"),
        "guid: line 2: invalid character `é` at index 8 of an ID: \
         expected one of `.0-9A-Z_a-z`: \"Njj070..é.H7o_z\"\n",
    );
    guid(&["sort"], &input).ends(65);
    guid(&["sort", "--quiet"], &input).is(65, &format!("{ID}\n{ID}\n"), "");
}

#[test]
fn garbage_is_refused_line_by_line() {
    let mut input = random_bytes(100_000);
    for garbage in GARBAGE {
        input.push(b'\n');
        input.extend_from_slice(garbage);
    }
    input.push(b'\n');
    input.resize(input.len() + 200_000, b'N');
    input.extend_from_slice(format!("\n{ID}\n").as_bytes());
    for command in [&["inspect", "--json"][..], &["compose"]] {
        let ran = guid(command, &input);
        assert_eq!(ran.code, 65);
        let told = ran.lines_as_objects();
        assert_eq!(told.len(), input.split(|&byte| byte == b'\n').count() - 1);
        let (last, garbage) = told.split_last().expect("lines");
        assert!(garbage.iter().all(|line| line["at"].is_u64() && line["error"].is_string()));
        assert_eq!(last.contains_key("error"), command == ["compose"]);
    }
    for command in [&["inspect"][..], &["convert", "--to=hex"], &["sort"]] {
        let ran = guid(command, &input);
        assert_eq!(ran.code, 65);
        assert!(ran.stdout.contains(ID) || ran.stdout == "62fbc1201000000488d25fff\n");
        // One line a refusal, and nothing in it that a terminal would obey.
        assert!(ran.stderr.lines().all(|line| line.starts_with("guid: line ")));
        assert!(ran.stderr.chars().all(|c| c == '\n' || !c.is_control()));
    }
}

#[test]
fn no_input_is_no_error() {
    for command in [&["inspect"][..], &["compose"], &["convert", "--to=hex"], &["sort"]] {
        guid(command, "").is(0, "", "");
    }
}

#[test]
fn color_is_asked_for_or_absent() {
    assert!(guid(&["inspect", "--color=always", ID], "").ok().contains("\x1b[1m02000000\x1b[0m"));
    assert!(!guid(&["inspect", "--color=auto", ID], "").ok().contains('\x1b'));
    assert!(!guid(&["inspect", "--color=never", ID], "").ok().contains('\x1b'));
}

/// `guid new | head`: whoever has read enough closes, and that is fine.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = program::command(&["new", "-n", "18446744073709551615"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line.len(), 17);
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut stderr = String::new();
    child.stderr.unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = program::command(&["new", "-n1000"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("guid: "));
}

#[cfg(unix)]
#[test]
fn a_directory_is_no_input() {
    for command in [&["inspect"][..], &["compose"], &["convert", "--to=hex"], &["sort"]] {
        let directory = File::open(env!("CARGO_MANIFEST_DIR")).unwrap();
        let output = program::command(command).stdin(directory).output().unwrap();
        assert_eq!(output.status.code(), Some(74));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("guid: standard input: "), "{stderr}");
    }
}

/// Bytes that are no text, as an argument.
#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_bad_input() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let mut command = program::command(&["inspect", "--json"]);
    let ran = Ran::from(command.arg(OsStr::from_bytes(b"Njj\xff70....H7o_zz")).output().unwrap());
    assert_eq!(ran.code, 65);
    assert_eq!(ran.lines_as_objects()[0]["at"], 3);
}
