//! What a verdict means: expectations cannot hide a violation, nothing looked at is nothing shown.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use guid_sim::{Report, Scenario, Verdict};

/// A chain between clocks two seconds apart, without the receive rule.
const SKEWED: &str = "[scenario]\nduration = \"30s\"\n\
    [ids]\nschemes = [\"guid96:d3\", \"hlc\"]\nobserve = \"off\"\n\
    [[clock.node]]\nid = 1\noffset = \"2s\"\n[workload]\nkind = \"chain\"\n";

fn run(text: &str) -> Report {
    Scenario::parse(text).unwrap().run(42).unwrap()
}

#[test]
fn what_nobody_promised_can_be_expected_and_is_judged_by_what_happened() {
    let judged = |expect: &str| run(&format!("{SKEWED}[check.expect]\n{expect}")).verdict;
    assert!(run(SKEWED).get("happens-before@hlc").unwrap().count > 0);
    assert_eq!(judged("happens-before = true"), Verdict::Violated);
    assert_eq!(judged("happens-before = false"), Verdict::Holds);
    assert_eq!(judged("happens-before-by-bytes = true"), Verdict::Violated);
    assert_eq!(judged("happens-before = \"any\""), Verdict::Holds);
}

#[test]
fn a_number_is_neither_true_nor_false() {
    let text = format!("{SKEWED}[check.expect]\nk-radius = true");
    let error = Scenario::parse(&text).unwrap().run(42).unwrap_err().to_string();
    assert!(error.contains("neither true nor false"), "{error}");
}

#[test]
fn of_two_expectations_the_one_that_names_the_scheme_counts() {
    let expect = "[check.expect]\nhappens-before = 0\n\"happens-before@hlc\" = \">= 1\"\n\
                  \"happens-before@guid96:d3\" = \">= 1\"";
    assert_eq!(run(&format!("{SKEWED}{expect}")).verdict, Verdict::Holds);
    let expect = "[check.expect]\nhappens-before = false\n\"happens-before@hlc\" = false";
    assert_eq!(run(&format!("{SKEWED}{expect}")).verdict, Verdict::Holds);
}

#[test]
fn nothing_looked_at_is_nothing_shown() {
    assert_eq!(run("[scenario]\nduration = \"0s\"").verdict, Verdict::Unknown);
    assert_eq!(run("[ids]\nschemes = []").verdict, Verdict::Unknown);
    let expect = "[scenario]\nduration = \"0s\"\n[check.expect]\nunique = true";
    assert_eq!(run(expect).verdict, Verdict::Unknown);
}

#[test]
fn a_clock_at_the_end_of_time_ends_nothing() {
    let step = "[[fault]]\nat = \"1s\"\nkind = \"clock-step\"\nnode = 1\nby = \"106751d\"\n";
    let text = format!(
        "[scenario]\nnodes = 2\nduration = \"5s\"\n{step}{step}{step}\
         [ids]\nschemes = [\"guid96:d3\", \"hlc\", \"vector\", \"ulid\", \"snowflake\"]\n\
         [workload]\nkind = \"ids\"\nrate = \"10000/s\""
    );
    let report = run(&text);
    assert_eq!(report.get("unique@guid96:d3").unwrap().count, 0);
    assert_eq!(report.get("monotone@guid96:d3").unwrap().count, 0);
}

#[test]
fn what_is_refused_by_policy_is_said_by_every_scheme_that_observes() {
    let text = SKEWED.replace("observe = \"off\"", "observe = \"reject 1s\"");
    let report = run(&text);
    for scheme in ["guid96:d3", "hlc"] {
        let refused = report.get(&format!("observe-refused@{scheme}")).unwrap();
        assert!(refused.measured.0 > 0.0);
        assert_eq!(report.get(&format!("happens-before@{scheme}")).unwrap().count, 0);
    }
}
