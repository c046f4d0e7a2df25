//! The scenarios that ship: what they promise on this seed and others, and that a run repeats.

#![expect(clippy::unwrap_used, clippy::float_cmp, reason = "a test may, and counts are exact")]

use guid_sim::{BUILTIN, Scenario, Verdict};

fn builtin(name: &str) -> Scenario {
    guid_sim::Builtin::named(name).unwrap().scenario().unwrap()
}

/// Each comes out as its file says, with the trace it had before.
///
/// `UPDATE_GOLDEN=1 cargo test -p guid-sim` writes the hashes anew, after a change that is meant to
/// change what a seed means.
#[test]
fn every_scenario_comes_out_and_its_trace_hash_is_pinned() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/trace-hashes.txt");
    let mut lines = Vec::new();
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap();
        assert_eq!(scenario.name(), builtin.name);
        let report = scenario.run(scenario.seed()).unwrap();
        let wrong: Vec<String> = (report.checks.iter())
            .filter(|check| check.verdict != Verdict::Holds)
            .map(guid_sim::Check::key)
            .collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", builtin.name);
        assert!(report.checks.iter().any(|check| check.expectation.is_some()));
        let (name, seed) = (builtin.name, scenario.seed());
        let (events, hash) = (report.events, report.trace_hash);
        lines.push(format!("{name} {seed} {events} {hash}\n"));
    }
    let found = lines.concat();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(path).unwrap());
}

#[test]
fn a_run_repeats_and_another_seed_is_another_run() {
    let scenario = builtin("split-brain-cart");
    let (a, b, c) = (scenario.run(1).unwrap(), scenario.run(1).unwrap(), scenario.run(2).unwrap());
    assert_eq!(a, b);
    assert_ne!(a.trace_hash, c.trace_hash);
}

#[test]
fn the_figures_that_the_guide_quotes() {
    let lww = builtin("lww-window-trap").run(42).unwrap();
    let at = |key: &str| lww.get(key).unwrap().measured.0;
    assert!((at("lww-lost@guid96:d3") - 0.4982).abs() < 0.03);
    assert!(at("lww-lost-long-lived@guid96:d3") > 0.9);
    for scheme in ["guid96:d3", "guid96:d1"] {
        assert_eq!(at(&format!("lww-lost-by-time@{scheme}")), 0.0);
        assert_eq!(at(&format!("happens-before@{scheme}")), 0.0);
    }

    let step = builtin("step-back-duplicates").run(42).unwrap();
    let upstream = step.get("unique@upstream").unwrap();
    assert!(upstream.count > 0 && upstream.expected.unwrap().0 > 500.0);
    assert_eq!(step.get("unique@guid96:d3").unwrap().count, 0);
    let cause = &upstream.witness.as_ref().unwrap().cause;
    assert!(cause.contains("came back to a tick of its past"), "{cause}");

    let restart = builtin("restart-amnesia").run(42).unwrap();
    assert!(restart.get("unique@counter").unwrap().count > 1_000);
    assert!(restart.get("unique@upstream").unwrap().count > 0);
    assert_eq!(restart.get("unique@guid96:d3").unwrap().count, 0);
    let witness = restart.get("unique@counter").unwrap().witness.as_ref().unwrap();
    assert!(witness.cause.contains("restart"), "{}", witness.cause);
}

#[test]
fn without_memory_a_restart_goes_behind_its_past_and_a_fresh_node_has_none() {
    let run = |memory: &str| {
        let text = guid_sim::Builtin::named("restart-amnesia").unwrap().text;
        let overrides = [(String::from("ids.restart"), String::from(memory))];
        let report = Scenario::parse_with(text, &overrides).unwrap().run(5).unwrap();
        report.get("happens-before@guid96:d3").unwrap().count
    };
    assert!(run("amnesia") > 0);
    assert_eq!(run("fresh-node"), 0);
    assert_eq!(run("high-water"), 0);
}

#[test]
fn without_the_receive_rule_skew_breaks_happens_before() {
    let text = guid_sim::Builtin::named("hello-clocks").unwrap().text;
    let set = |key: &str, value: &str| (String::from(key), String::from(value));
    let overrides = [set("ids.observe", "off"), set("ids.schemes", "guid96:d3")];
    // The scenario expects no violation, of schemes that are not in this run: drop what it expects.
    let text = text.split("[check]").next().unwrap();
    let report = Scenario::parse_with(text, &overrides).unwrap().run(42).unwrap();
    let violated = report.get("happens-before@guid96:d3").unwrap();
    assert!(violated.count > 0, "n3 is 1.5 s behind n2");
    assert!(violated.witness.is_some());

    let reject = [set("ids.observe", "reject 1s"), set("ids.schemes", "guid96:d3")];
    let report = Scenario::parse_with(text, &reject).unwrap().run(42).unwrap();
    assert!(report.get("observe-refused@guid96:d3").unwrap().measured.0 > 0.0);
    assert_eq!(report.get("happens-before@guid96:d3").unwrap().count, 0, "accepted edges hold");
}
