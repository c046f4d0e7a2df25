//! Plans replay to what the run was; shrunk, they still fail the same way.

#![expect(clippy::unwrap_used, reason = "a test may")]

use guid_sim::{BUILTIN, Check, Report};

/// What a report counted: all of it but what the closed forms of rates expect of the run.
fn counted(report: &Report) -> Vec<String> {
    let show = |check: &Check| {
        let Check { count, of, measured, z, witness, outcome, .. } = check;
        format!("{} {count} {of} {measured:?} {z:?} {outcome:?} {witness:?}", check.key())
    };
    let mut all: Vec<String> = report.checks.iter().chain(&report.measures).map(show).collect();
    all.sort();
    all
}

#[test]
fn the_plan_of_every_scenario_replays_to_its_report() {
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap();
        let (report, plan) = scenario.plan(scenario.seed()).unwrap();
        let replayed = plan.replay();
        assert_eq!(replayed.trace_hash, report.trace_hash, "{}", builtin.name);
        assert_eq!(replayed.events, plan.events());
        assert_eq!(counted(&replayed), counted(&report), "{}", builtin.name);
    }
}
