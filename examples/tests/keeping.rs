//! A replica whose process is killed again and again loses nothing that it has acknowledged.
//!
//! `KILLS` sets how often, 50 by default.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The program: tests live in `deps`, examples beside it.
fn program() -> PathBuf {
    let built = env::current_exe().unwrap();
    let built = built.parent().unwrap().parent().unwrap().join("examples");
    built.join("07_keeping_a_replica")
}

fn list(folder: &Path) -> Output {
    Command::new(program()).arg(folder).arg("--list").output().unwrap()
}

fn numbers(output: &Output) -> BTreeSet<u64> {
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Starts the program, kills it after it has acknowledged so many, and returns all that it has.
fn run_and_kill(folder: &Path, after: usize) -> Vec<u64> {
    let mut child = Command::new(program()).arg(folder).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged: Vec<String> =
        lines.by_ref().take(after).map(|line| line.unwrap()).collect();
    child.kill().unwrap(); // SIGKILL, at whatever it is doing by now
    child.wait().unwrap();
    acknowledged.extend(lines.map(|line| line.unwrap()));
    acknowledged.iter().map(|line| line.parse().unwrap()).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("guid-{name}-{}", std::process::id()));
    fs::remove_dir_all(&folder).ok();
    folder
}

#[test]
fn nothing_acknowledged_is_lost() {
    let kills = env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let folder = folder("kills");
    let mut acknowledged = BTreeSet::new();
    for kill in 0..kills {
        let numbers = run_and_kill(&folder, kill % 5);
        assert!(numbers.len() >= kill % 5, "kill {kill}: it ended by itself");
        for number in numbers {
            assert!(acknowledged.insert(number), "kill {kill}: {number} was new twice");
        }
    }
    let kept = numbers(&list(&folder));
    assert_eq!(acknowledged.difference(&kept).count(), 0, "lost after {kills} kills");
    // What is there and was not acknowledged was under way: at most one number a kill.
    assert!(kept.len() <= acknowledged.len() + kills);
    assert!(kept.iter().copied().eq(0..kept.len() as u64), "a number was passed over");
    fs::remove_dir_all(&folder).unwrap();
}

/// A state cut at any byte comes back as of its last whole delta, and is refused if that was not
/// the last write; a byte that is damaged is refused too.
#[test]
fn a_state_that_is_cut_or_damaged_is_refused_or_whole() {
    let folder = folder("cut");
    let mut acknowledged = BTreeSet::from_iter(run_and_kill(&folder, 4));
    let whole = numbers(&list(&folder)); // ends with the state written anew: one saved replica
    assert!(acknowledged.iter().all(|number| whole.contains(number)));
    acknowledged.extend(run_and_kill(&folder, 3)); // and some deltas behind it
    let state = fs::read(folder.join("state")).unwrap();
    let latest = numbers(&list(&folder));
    // The very last write may have been under way, stored and not yet acknowledged.
    let is_whole =
        |found: &BTreeSet<u64>| acknowledged.is_subset(found) && found.is_subset(&latest);
    for at in (0..state.len()).step_by(7) {
        fs::write(folder.join("state"), &state[..at]).unwrap();
        let output = list(&folder);
        let told = String::from_utf8(output.stderr.clone()).unwrap();
        let refused = !output.status.success();
        assert!(refused || is_whole(&numbers(&output)), "cut at {at}");
        assert!(!refused || told.contains("put the latest"), "cut at {at}: {told}");

        let mut damaged = state.clone();
        damaged[at] ^= 0x10;
        fs::write(folder.join("state"), &damaged).unwrap();
        let output = list(&folder);
        assert!(!output.status.success() || is_whole(&numbers(&output)), "damaged at {at}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
