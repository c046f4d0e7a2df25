//! What theory says beforehand is what a run says of its own cases: for every scenario that ships.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a test may, and counts are small"
)]

use guid_sim::{BUILTIN, Check, Prediction, Scenario, Unit, meaning};

/// Whether a run's expectation is the prediction, as far as the luck of the run goes.
fn agrees(check: &Check, expected: f64, predicted: f64) -> bool {
    let apart = (expected - predicted).abs();
    match check.unit {
        // Each of `of` pairs has its node order by chance: four deviations of one half.
        Unit::Fraction => apart <= 2.0 / (check.of as f64).sqrt() + 1e-3,
        // The rate of a run is a Poisson count over its length; the form of a step back is steep.
        Unit::Count => apart <= 0.04 * predicted,
        // A clock is read at events only, which may miss its extremes.
        _ => expected <= predicted * 1.001 + 1.0 && apart <= 0.02 * predicted + 131_072.0,
    }
}

#[test]
fn a_run_of_every_scenario_expects_what_was_predicted() {
    let (mut numbers, mut without) = (0, Vec::new());
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap();
        let report = scenario.run(scenario.seed()).unwrap();
        let predictions = scenario.predict(scenario.seed());
        let checks = || report.checks.iter().chain(&report.measures);
        for check in checks().filter(|check| !meaning(&check.name).is_empty()) {
            let key = check.key();
            let found = predictions.iter().find(|one| one.key() == key);
            let one = found.unwrap_or_else(|| panic!("{}: {key} is not predicted", builtin.name));
            assert!(!one.form.is_empty());
            match (check.expected, one.expected) {
                (Some(expected), Some(predicted)) => {
                    numbers += 1;
                    let (expected, predicted) = (expected.0, predicted.0);
                    let fits = agrees(check, expected, predicted);
                    assert!(fits, "{}: {key}: {expected}, predicted {predicted}", builtin.name);
                    assert_eq!(check.bound, one.bound, "{key}");
                }
                (Some(_), None) => without.push(format!("{} {key}: {}", builtin.name, one.form)),
                (None, None) => {}
                // How many there are to meet, only the workload knows.
                (None, Some(predicted)) if one.name == "vector-size" => {
                    let measured = check.measured.0;
                    assert!((measured - predicted.0).abs() < 20.0, "{measured}, {}", predicted.0);
                }
                (None, Some(_)) => panic!("{}: nothing is expected of {key}", builtin.name),
            }
        }
        // And nothing is predicted that does not come.
        for one in &predictions {
            assert!(checks().any(|check| check.key() == one.key()), "{} {one:?}", builtin.name);
        }
    }
    assert!(numbers > 200, "{numbers}");
    // Where a run knows more than theory, the reason is said.
    for why in &without {
        let known = ["E is read off", "ε depends", "no form: ", "drawn"];
        assert!(known.iter().any(|known| why.contains(known)), "{why}");
    }
}

/// Numbers at the ends of their ranges: an answer, and soon.
#[test]
fn extremes_are_answered_at_once() {
    for text in [
        "[scenario]\nduration = \"0s\"",
        "[scenario]\nnodes = 1\n[check]\ngaps = [\"0\", \"106751d\"]\ndisorder = true\n[workload]\nkind = \"lww\"",
        "[scenario]\nnodes = 2000\nduration = \"106751d\"\nsettle = \"106751d\"\n[workload]\nkind = \"lww\"\nthink = \"106751d\"",
        "[scenario]\nduration = \"106751d\"\n[ids]\nschemes = [\"upstream\", \"guid64\"]\n\
         [workload]\nkind = \"ids\"\nrate = \"1000000000/s\"\n[clock]\ngranularity = \"106751d\"",
        "[scenario]\nduration = \"106751d\"\n[ids]\nschemes = [\"upstream\"]\n\
         [workload]\nkind = \"ids\"\nrate = \"1000000000/s\"\n\
         [[fault]]\nat = \"0\"\nkind = \"clock-step\"\nnode = 1\nby = \"-106751d\"",
        "[ids]\nschemes = []\n[workload]\nkind = \"chain\"",
        "[network]\nlatency = \"pareto(10d, 0.01)\"\n[ids]\nschemes = [\"uuid7\"]\nobserve = \"off\"\n\
         [workload]\nkind = \"chain\"\n[clock]\noffset-sigma = \"106751d\"\nrate-sigma = \"500000ppm\"",
    ] {
        for one in predicted(text) {
            assert!(one.expected.is_none_or(|n| n.0.is_finite() && n.0 >= 0.0), "{one:?}");
        }
    }
}

fn predicted(text: &str) -> Vec<Prediction> {
    Scenario::parse(text).unwrap().predict(42)
}

fn number(all: &[Prediction], key: &str) -> f64 {
    all.iter().find(|one| one.key() == key).unwrap().expected.unwrap().0
}

/// Figures worked out by hand.
#[test]
fn the_forms_at_points_worked_out_by_hand() {
    let head =
        "[scenario]\nnodes = 8\nduration = \"8s\"\n[ids]\nschemes = [\"upstream\", \"uuid7\"]\n";
    let ids = "[workload]\nkind = \"ids\"\nrate = \"10000/s\"\n";
    let step = "[[fault]]\nat = \"4s\"\nkind = \"clock-step\"\nnode = 1\nby = \"-1.6384s\"\n";
    let all = predicted(&format!("{head}{ids}{step}"));
    assert!((number(&all, "unique@upstream") - 66.9).abs() < 0.1);
    // The step, the window of a millisecond, and two for counting: 16,384 IDs come before the clock
    // shows anything new.
    assert!((number(&all, "k-order@uuid7") - (1_638_400_000.0 + 3_000_000.0)).abs() < 1.0);

    // Right clocks, a latency of 250 us: of uuid7 inside its millisecond 1/2 (1 - 0.25).
    let lww = "[workload]\nkind = \"lww\"\n[network]\nlatency = \"250us\"\n";
    let all = predicted(&format!("{head}{lww}"));
    assert!((number(&all, "edge-order@uuid7") - 0.375).abs() < 1e-9);
    // One second of 274.88 s.
    assert!((number(&all, "lww-lost@upstream") - 0.498_181).abs() < 1e-6);

    let fault = "[[fault]]\nat = \"1s\"\nkind = \"clock-strobe\"\nnode = 1\nby = \"1s\"\n\
                 every = \"1ns\"\nfor = \"5s\"\n";
    let all = predicted(&format!("{head}{lww}{fault}"));
    let order = all.iter().find(|one| one.key() == "k-order@uuid7").unwrap();
    assert!(order.expected.is_none() && order.form.contains("too often"), "{order:?}");
}
