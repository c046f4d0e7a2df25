//! `guid maelstrom test` with wrong clocks: our node passes under all faults together, and clocks
//! really are wrong.
//!
//! It needs `libfaketime`, so it waits for the feature `test-skew`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    process::{Command, Output},
    time::{SystemTime, UNIX_EPOCH},
};

use guid_core::Guid;
use serde_json::{Value, json};

/// What is asked for is done, at a rate and with steps that fit into two seconds.
const FAULTS: &str = "--time 2s --settle 2s --rate 50 --timeout 1s --every 500ms --latency 10ms \
                      --loss 10% --partition --kill --skew 20s";

fn run(workload: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
    command.args(["maelstrom", "test", workload, "--json"]).args(args).output().unwrap()
}

/// Under all faults our node is valid; there were faults of each kind, and most requests were
/// answered.
fn passes(workload: &str) {
    let ran = run(workload, &FAULTS.split_whitespace().collect::<Vec<_>>());
    let said = String::from_utf8_lossy(&ran.stderr);
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!((ran.status.code(), &found["verdict"]), (Some(0), &json!("holds")), "{found}");
    for fault in ["kills", "partitions", "clock_steps"] {
        assert!(found[fault].as_u64() >= Some(1), "{fault}: {found}");
    }
    let replicates = !["echo", "unique-ids"].contains(&workload);
    assert_eq!(found["messages"]["lost"].as_u64() >= Some(1), replicates, "{found}");
    let requests = |how: &str| found["requests"][how].as_u64().unwrap();
    assert!(requests("ok") > requests("failed") + requests("unknown"), "{found}");
}

#[test]
fn all_workloads_pass_under_all_faults() {
    let workloads = ["echo", "unique-ids", "broadcast", "g-set", "g-counter", "pn-counter"];
    std::thread::scope(|scope| {
        let all = workloads.map(|workload| scope.spawn(move || passes(workload)));
        for one in all {
            one.join().unwrap();
        }
    });
}

/// What the clocks of the nodes show is in their IDs: some are later than the end of the test.
#[test]
fn clocks_are_as_wrong_as_they_are_said_to_be() {
    let history = std::env::temp_dir().join(format!("guid-skewed-{}.jsonl", std::process::id()));
    let name = history.to_str().unwrap();
    let args = "--time 2s --settle 0s --every 300ms --skew 30s --history";
    let ran = run("unique-ids", &args.split(' ').chain([name]).collect::<Vec<_>>());
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = fs::read_to_string(&history).unwrap();
    fs::remove_file(&history).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the clock of the tester, which is right")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let ops: Value = serde_json::from_str(&text).unwrap();
    let ids = ops["history"].as_array().unwrap().iter().filter(|op| op["type"] == "ok");
    let ids = ids.map(|op| op["value"].as_str().unwrap().parse::<Guid>().unwrap());
    let ahead: Vec<u128> = ids
        .map(|id| u128::from(id.stamp().unix_nanos()).saturating_sub(now) / 1_000_000_000)
        .collect();
    let most = ahead.iter().max().unwrap();
    assert!((5..=30).contains(most), "an ID is {most} s ahead");
}

/// A program that does not load the library has a clock that is right: that is no test of skew.
#[test]
fn a_clock_that_cannot_be_set_is_told() {
    let args = ["--time", "1s", "--skew", "1s", "--bin", "env", "--", "-u", "LD_PRELOAD"];
    let own = [env!("CARGO_BIN_EXE_guid"), "maelstrom", "node", "echo"];
    let ran = run("echo", &[&args[..], &own].concat());
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(65), "{said}");
    assert!(said.contains("--skew has no effect on n"), "{said}");
    assert!(said.contains("does not load libfaketime"), "{said}");
}
