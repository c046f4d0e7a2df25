//! The scenarios that ship: what they promise on this seed and others, and that a run repeats.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "a test may, and counts are exact"
)]

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

/// What files say of numbers that luck decides is wide enough for other seeds.
#[test]
fn scenarios_come_out_with_other_seeds_too() {
    let quick = [
        "asymmetric-ntp",
        "cloud-ntp-causality",
        "five-regions",
        "hello-clocks",
        "hlc-bounds",
        "lww-window-trap",
        "observe-vs-bump",
        "restart-amnesia",
        "seq-burst",
        "shared-node-id",
        "skew-ramp",
        "split-brain-cart",
        "truetime-commit-wait",
        "vector-clock-growth",
    ];
    for name in quick {
        for seed in [1, 2, 3] {
            let report = builtin(name).run(seed).unwrap();
            let wrong = report.checks.iter().filter(|check| check.verdict != Verdict::Holds);
            let wrong: Vec<String> = wrong
                .map(|check| format!("{} {}", check.key(), check.measured.show(check.unit)))
                .collect();
            assert!(wrong.is_empty(), "{name} with seed {seed}: {wrong:?}");
        }
    }
}

/// The ramp at every step of its sweep: nine latencies, four windows, each within four deviations
/// of the form, and the form as it is worked out by hand for as many pairs of each kind.
#[test]
fn the_skew_ramp_is_a_ramp() {
    let text = guid_sim::Builtin::named("skew-ramp").unwrap().text;
    let mut seen = Vec::new();
    for latency in (0..=120).step_by(15) {
        let overrides = [(String::from("network.latency"), format!("{latency}s"))];
        let file = text.split("[check.expect]").next().unwrap();
        let report = Scenario::parse_with(file, &overrides).unwrap().run(42).unwrap();
        for (code, window) in [(0, 34.36), (1, 68.72), (2, 137.44), (3, 274.88)] {
            let check = report.get(&format!("edge-order@guid96:d{code}")).unwrap();
            assert!(check.of > 1_000 && check.z.is_none_or(|z| z.0.abs() <= 4.0), "{check:?}");
            let delta: f64 = (f64::from(latency) - 60.0) / window;
            // Between all of the greater nodes first, and none.
            let inside = 1.0 - delta.abs().min(1.0);
            let (low, high) = if delta >= 0.0 { (0.0, inside) } else { (1.0 - inside, 1.0) };
            assert!((low - 0.05..=high + 0.05).contains(&check.measured.0), "{delta} {check:?}");
            if code == 0 {
                seen.push(check.measured.0);
            }
        }
        // At no difference at all, ticks are alike and a sequence decides.
        let ticks = report.get("edge-order@guid64").unwrap().measured.0;
        let certain = f64::from(u8::from(latency < 60));
        assert!(latency == 60 || ticks == certain, "{latency}: {ticks}");
    }
    assert!(
        seen.is_sorted_by(|a, b| a >= &(b - 0.05)) && seen[0] == 1.0 && seen[8] == 0.0,
        "{seen:?}"
    );
}

/// The row of the five regions: ticks, one way of 35 ms and some jitter, clocks 10 ms off.
#[test]
fn one_way_of_35_ms_and_clocks_10_ms_off_are_half_a_percent() {
    let text = guid_sim::Builtin::named("five-regions").unwrap().text;
    let text = text.split("[check.expect]").next().unwrap();
    let text =
        text.lines().filter(|line| !line.starts_with("regions")).collect::<Vec<_>>().join("\n");
    let set = |key: &str, value: &str| (String::from(key), String::from(value));
    let overrides = [
        set("ids.observe", "off"),
        set("ids.schemes", "guid64"),
        set("scenario.nodes", "200"),
        set("scenario.duration", "10s"),
        set("scenario.settle", "1s"),
        set("network.latency", "35ms + exp(2ms)"),
        set("network.loss", "0%"),
    ];
    let (mut count, mut of, mut expected) = (0, 0, 0.0);
    for seed in 0..4 {
        let report = Scenario::parse_with(&text, &overrides).unwrap().run(seed).unwrap();
        let check = report.get("edge-order@guid64").unwrap();
        (count, of) = (count + check.count, of + check.of);
        expected += check.expected.unwrap().0 / 4.0;
    }
    let found = count as f64 / of as f64;
    // Eight hundred clocks drawn, of which one in a hundred matters much.
    assert!(
        (found - 0.0047).abs() < 0.002 && (expected - 0.0047).abs() < 0.002,
        "{found} {expected}"
    );
}

/// Closed forms stand beside what a whole run measures, with the deviation where there is one.
#[test]
fn headlines_have_their_forms() {
    for (name, key, form, has_z) in [
        ("node-id-birthday", "drawings-with-two-alike", 78.69, true),
        ("vector-clock-growth", "vector-size@vector", 163.0, true),
        ("asymmetric-ntp", "stamp-skew@hlc", 10e6, false),
        ("truetime-commit-wait", "longest-commit-wait-us", 14_000.0, false),
        ("observe-vs-bump", "lead@bump:d0", 10_205e9, true),
    ] {
        let report = builtin(name).run(42).unwrap();
        let check = report.get(key).unwrap();
        let expected = check.expected.unwrap_or_else(|| panic!("{key} has no form")).0;
        assert!((expected / form - 1.0).abs() < 0.002, "{key}: {expected}, by hand {form}");
        assert_eq!(check.z.is_some(), has_z, "{key}");
        assert!(check.z.is_none_or(|z| z.0.abs() <= 4.0), "{check:?}");
        assert!(!check.bound);
    }
    for (name, key) in [
        ("shared-node-id", "unique@guid96:d3"),
        ("seq-burst", "monotone@upstream"),
        ("coarse-clock", "unique@upstream"),
    ] {
        let report = builtin(name).run(42).unwrap();
        let check = report.get(key).unwrap();
        assert!(check.expected.unwrap().0 > 0.0 && check.z.unwrap().0.abs() <= 4.0, "{check:?}");
    }
}
