//! Measurements against closed forms, at parameter points drawn at random: the simulator checks
//! itself, and a wrong generator or checker would show here.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a test may, and counts are small"
)]

use guid_core::Drift;
use guid_sim::{Check, Purpose, Scenario, Streams, predict};

/// A scenario of pairs of writes by random nodes, at a think time and a drift code.
fn overwrites(code: u64, think_s: u64, seed: u64) -> Check {
    let text = format!(
        "[scenario]\nnodes = 9\nduration = \"3h\"\nsettle = \"2h\"\n\
         [ids]\nschemes = [\"guid96:d{code}\"]\n\
         [clock]\npreset = \"lan-ntp\"\n\
         [workload]\nkind = \"lww\"\nrate = \"0.1/s\"\nthink = \"{think_s}s\""
    );
    let report = Scenario::parse(&text).unwrap().run(seed).unwrap();
    report.get(&format!("lww-lost@guid96:d{code}")).unwrap().clone()
}

#[test]
fn lost_overwrites_at_twenty_random_points() {
    let mut rng = Streams::new(2026).of_world(Purpose::Workload);
    for seed in 0..20 {
        let code = rng.below(8);
        let window = Drift::from_code(u8::try_from(code).unwrap()).unwrap().window();
        let think = 1 + rng.below(window.as_secs() * 5 / 4);
        let check = overwrites(code, think, seed);
        let z = check.z.map_or(0.0, |z| z.0);
        assert!(check.of > 8_000, "{check:?}");
        assert!(z.abs() <= 4.0, "code {code}, think {think} s: {check:?}");
        // The closed form from the parameters alone, with the latency of the network left out.
        let form = predict::lww_lost(think as f64 * 1e9, window.as_nanos() as f64);
        assert!((check.expected.unwrap().0 - form).abs() < 1e-3, "{form} {check:?}");
        assert!((check.measured.0 - form).abs() < 0.05, "{form} {check:?}");
    }
}

/// Steps back by about as long as the sequence takes to come round, at random rates.
#[test]
fn duplicates_of_the_go_rule_after_a_step_back() {
    let mut rng = Streams::new(2027).of_world(Purpose::Workload);
    let (mut total, mut expected, mut variance) = (0, 0.0, 0.0);
    for seed in 0..20 {
        let rate = 5_000 + rng.below(15_000);
        let step = 16_384_000_000_000 / rate * (990 + rng.below(21)) / 1_000;
        let steps: Vec<String> = (1..=8)
            .map(|node| {
                let at = step + 100_000_000;
                format!(
                    "[[fault]]\nat = \"{at}ns\"\nkind = \"clock-step\"\nnode = {node}\n\
                     by = \"-{step}ns\"\n"
                )
            })
            .collect();
        let text = format!(
            "[scenario]\nnodes = 8\nduration = \"{}ns\"\n[ids]\nschemes = [\"upstream\"]\n\
             [workload]\nkind = \"ids\"\nrate = \"{rate}/s\"\n{}",
            2 * step + 200_000_000,
            steps.concat()
        );
        let report = Scenario::parse(&text).unwrap().run(seed).unwrap();
        total += report.get("unique@upstream").unwrap().count;
        let each = predict::step_back_duplicates(rate as f64, step as f64);
        expected += 8.0 * each;
        // Repeats come in runs: the deviation of a step is about 1.2 times its mean.
        variance += 8.0 * (1.2 * each).powi(2);
    }
    let off = (total as f64 - expected).abs();
    assert!(off <= 4.0 * f64::sqrt(variance), "{total}, expected {expected}");
}

/// A hundred nodes under one ID are 4,950 pairs, of which a few are in phase at any time.
#[test]
fn duplicates_of_nodes_that_share_an_id() {
    let mut rng = Streams::new(2028).of_world(Purpose::Workload);
    let (mut total, mut expected, mut variance) = (0, 0.0, 0.0);
    let nodes: Vec<String> = (1..=100).map(|node| node.to_string()).collect();
    for seed in 0..20 {
        let rate = 5_000 + rng.below(10_000);
        let text = format!(
            "[scenario]\nnodes = 100\nduration = \"100ms\"\n\
             [ids]\nschemes = [\"guid64\"]\nshared-node = [{}]\n\
             [workload]\nkind = \"ids\"\nrate = \"{rate}/s\"",
            nodes.join(", ")
        );
        let report = Scenario::parse(&text).unwrap().run(seed).unwrap();
        let check = report.get("unique@guid64").unwrap();
        let form = 4_950.0 * 0.1 * predict::shared_node_duplicates(rate as f64, rate as f64);
        assert!((check.expected.unwrap().0 / form - 1.0).abs() < 0.05, "{form} {check:?}");
        (total, expected) = (total + check.count, expected + form);
        // Two sequences that drift by w = 1.6 √(2rT) meet with a chance of w / 2^14, and then
        // often.
        let drift = 1.6 * f64::sqrt(2.0 * rate as f64 * 0.1);
        let meetings = 4_950.0 * drift / 16_384.0;
        variance += 2.0 * form * form / meetings;
    }
    let off = (total as f64 - expected).abs();
    assert!(off <= 4.0 * f64::sqrt(variance), "{total}, expected {expected}");
    assert!(total as f64 > expected / 2.0);
}

#[test]
fn evenly_spaced_ids_repeat_all_of_them() {
    let text = guid_sim::Builtin::named("step-back-duplicates").unwrap().text;
    let set = |key: &str, value: &str| (String::from(key), String::from(value));
    let overrides = [set("ids.schemes", "upstream"), set("workload.arrival", "even")];
    let text = text.split("[check.expect]").next().unwrap();
    let report = Scenario::parse_with(text, &overrides).unwrap().run(42).unwrap();
    // 2^14 on each of eight nodes.
    assert_eq!(report.get("unique@upstream").unwrap().count, 8 * 16_384);
}

/// A generator whose order is broken must show: the same run with the receive rule switched off
/// and clocks a window apart is far from the form that holds for clocks in step.
#[test]
fn skew_shows_in_edges_as_the_form_says() {
    for (offset, low, high) in [("0s", 0.0, 1.0), ("+60s", 0.0, 1.0), ("+300s", 0.45, 0.55)] {
        let text = format!(
            "[scenario]\nnodes = 2\nduration = \"1h\"\n\
             [ids]\nschemes = [\"guid96:d3\"]\nobserve = \"off\"\n\
             [[clock.node]]\nid = 2\noffset = \"{offset}\"\n\
             [workload]\nkind = \"chain\"\nthink = \"1s\""
        );
        let report = Scenario::parse(&text).unwrap().run(42).unwrap();
        let edges = report.get("edge-order@guid96:d3").unwrap();
        assert!(edges.z.is_none_or(|z| z.0.abs() <= 4.0), "{edges:?}");
        assert!((low..=high).contains(&edges.measured.0), "{edges:?}");
    }
}

/// A clock that stands still for 5 s at 10,000 IDs a second: the Go rule has 2^14 IDs for it.
#[test]
fn a_frozen_clock_repeats_all_but_one_round_of_the_sequence() {
    let text = "[scenario]\nnodes = 1\nduration = \"10s\"\n\
                [ids]\nschemes = [\"upstream\", \"guid96:d3\", \"hlc\"]\n\
                [workload]\nkind = \"ids\"\nrate = \"10000/s\"\narrival = \"even\"\n\
                [[fault]]\nat = \"3s\"\nkind = \"clock-freeze\"\nnode = 1\nfor = \"5s\"";
    let report = Scenario::parse(text).unwrap().run(42).unwrap();
    let count = |key: &str| report.get(key).unwrap().count;
    // 50,000 IDs in one tick, give or take the two at its ends.
    assert!(count("unique@upstream").abs_diff(50_000 - 16_384) <= 2);
    let cause = &report.get("unique@upstream").unwrap().witness.as_ref().unwrap().cause;
    assert!(cause.contains("inside one reading of the clock"), "{cause}");
    for scheme in ["guid96:d3", "hlc"] {
        assert_eq!(count(&format!("unique@{scheme}")), 0);
        assert_eq!(count(&format!("monotone@{scheme}")), 0);
    }
}

/// A clock 500 ppm fast is 5 ms ahead after 10 s: the skew that the k-order bound is made of.
#[test]
fn a_fast_clock_shows_in_the_bound() {
    let text = "[scenario]\nnodes = 2\nduration = \"20s\"\n\
                [ids]\nschemes = [\"hlc\"]\nobserve = \"off\"\n\
                [workload]\nkind = \"ids\"\nrate = \"1000/s\"\n\
                [[fault]]\nat = \"10s\"\nkind = \"clock-rate\"\nnode = 1\nrate = \"+500ppm\"";
    let report = Scenario::parse(text).unwrap().run(42).unwrap();
    let bound = report.get("k-order@hlc").unwrap().expected.unwrap().0;
    assert!((bound - 5e6).abs() < 1e4, "{bound} ns");
}

/// Schemes that put time first misorder messages as often as skew and latency say, each with its
/// own window: a tick, or a millisecond.
#[test]
fn time_first_schemes_follow_the_form_with_their_own_window() {
    let text = "[scenario]\nnodes = 6\nduration = \"20min\"\n\
                [ids]\nobserve = \"off\"\n\
                schemes = [\"guid64\", \"uuid7\", \"ulid\", \"snowflake\", \"upstream\"]\n\
                [clock]\noffset-sigma = \"400us\"\n\
                [network]\nlatency = \"100us + exp(300us)\"\n\
                [workload]\nkind = \"lww\"\nrate = \"5/s\"\nthink = \"1s\"";
    for seed in 0..4 {
        let report = Scenario::parse(text).unwrap().run(seed).unwrap();
        for scheme in ["guid64", "uuid7", "ulid", "snowflake", "upstream"] {
            let edges = report.get(&format!("edge-order@{scheme}")).unwrap();
            let z = edges.z.unwrap().0;
            assert!(edges.of > 30_000 && z.abs() <= 4.0, "{scheme}, seed {seed}: {edges:?}");
            assert!(edges.count > 0, "{scheme}: nothing was out of order");
            assert_eq!(report.get(&format!("unique@{scheme}")).unwrap().count, 0);
        }
    }
}

/// Of two nodes with right clocks, a pair within a window is inverted if the greater node comes
/// first: by time, rate × rate × W/2 a second.
#[test]
fn inversions_of_two_nodes_are_half_a_window_of_pairs() {
    let text = "[scenario]\nnodes = 2\nduration = \"2h\"\n[ids]\nschemes = [\"guid96:d0\"]\n\
                [workload]\nkind = \"ids\"\nrate = \"2/s\"\n[check]\ndisorder = true\n";
    let window_s = 34.359_738_368;
    for seed in 0..4 {
        let report = Scenario::parse(text).unwrap().run(seed).unwrap();
        let inversions = report.get("inversions@guid96:d0").unwrap().measured.0;
        let expected = 2.0 * 2.0 * window_s / 2.0 * 7_200.0;
        assert!((inversions / expected - 1.0).abs() < 0.05, "{inversions}, expected {expected}");
        let at = |name: &str| report.get(&format!("{name}@guid96:d0")).unwrap().measured.0;
        // Max <= Dis <= 2 Max, with Dis = radius - 1.
        let (dis, max) = (at("k-radius") - 1.0, at("k-displacement"));
        assert!(max <= dis && dis <= 2.0 * max, "{max} {dis}");
        assert!(at("k-stride") <= at("k-radius"));
    }
}
