//! Every closed form against what is measured, at parameters drawn at random: within four standard
//! deviations, twenty times each.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a test may, and counts are small"
)]

use guid_core::Drift;
use guid_sim::{Purpose, Report, Rng, Scenario, Streams, predict};

const POINTS: u64 = 20;

fn draws(seed: u64) -> Rng {
    Streams::new(seed).of_world(Purpose::Workload)
}

fn run(text: &str, seed: u64) -> Report {
    Scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")).run(seed).unwrap()
}

fn window_ns(code: u64) -> u64 {
    let drift = Drift::from_code(u8::try_from(code).unwrap()).unwrap();
    u64::try_from(drift.window().as_nanos()).unwrap()
}

/// Messages, and pairs at three gaps, between clocks that are up to a window and a half apart.
#[test]
fn the_misorder_of_messages_and_pairs() {
    let mut rng = draws(1);
    for seed in 0..POINTS {
        let (code, nodes) = (rng.below(8), 3 + rng.below(8));
        let window = window_ns(code);
        // Latencies are ten days at most: more than nine windows of any code.
        let latency = 1 + rng.below(window * 5 / 4);
        let offsets: Vec<String> = (1..=nodes)
            .map(|id| {
                let offset = rng.below(window * 3 / 2);
                format!("[[clock.node]]\nid = {id}\noffset = \"{offset}ns\"\n")
            })
            .collect();
        let offsets = offsets.concat();
        let gaps: Vec<String> =
            (0..3).map(|_| format!("\"{}ns\"", 1 + rng.below(window * 3))).collect();
        // Twelve windows, some four thousand messages.
        let hours = window as f64 * 12.0 / 3.6e12;
        let text = format!(
            "[scenario]\nnodes = {nodes}\nduration = \"{}ns\"\nsettle = \"{}ns\"\n{offsets}\
             [ids]\nschemes = [\"guid96:d{code}\"]\nobserve = \"off\"\n\
             [network]\nlatency = \"{latency}ns\"\n\
             [workload]\nkind = \"lww\"\nrate = \"{}/h\"\nthink = \"{}ns\"\n\
             [check]\ngaps = [{}]",
            window * 12,
            window * 2,
            4_000.0 / hours / nodes as f64,
            window * 9,
            gaps.join(", ")
        );
        let report = run(&text, seed);
        let forms = report
            .checks
            .iter()
            .filter(|check| check.name == "edge-order" || check.name.starts_with("pair-order"));
        let mut of = 0;
        for check in forms {
            of += 1;
            let z = check.z.map_or(0.0, |z| z.0);
            assert!(check.of > 100 && z.abs() <= 4.0, "point {seed}: {check:?}\n{text}");
        }
        assert_eq!(of, 4, "a latency and three gaps");
    }
}

/// The Go rule at rates from 5,000 to a million a second.
#[test]
fn the_wraps_of_a_sequence() {
    let mut rng = draws(2);
    let (mut inverted, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for seed in 0..POINTS {
        let rate = 5_000 << rng.below(8);
        let rate = rate + rng.below(rate);
        let text = format!(
            "[scenario]\nnodes = 1\nduration = \"{}us\"\n[ids]\nschemes = [\"upstream\"]\n\
             [workload]\nkind = \"ids\"\nrate = \"{rate}/s\"",
            100_000_000_000 / rate
        );
        let report = run(&text, seed);
        let check = report.get("monotone@upstream").unwrap();
        let wraps = (check.of as f64 / 16_384.0).floor();
        let each = predict::wrap_inversions(rate as f64) * 16_384.0;
        assert!((check.expected.unwrap().0 - wraps * each).abs() < 1.0, "{check:?}");
        let deviation = (wraps * each * (1.0 - each)).max(0.25).sqrt();
        let off = check.count as f64 - wraps * each;
        assert!(off.abs() <= 4.0 * deviation, "{rate}/s: {check:?}");
        inverted += check.count as f64;
        expected += wraps * each;
        variance += wraps * each * (1.0 - each);
    }
    assert!(f64::abs(inverted - expected) <= 4.0 * variance.sqrt(), "{inverted} {expected}");
}

#[test]
fn the_entries_of_a_vector_clock() {
    let mut rng = draws(3);
    for seed in 0..POINTS {
        let (others, contacts) = (4 + rng.below(120), 2 + rng.below(300));
        let text = format!(
            "[scenario]\nnodes = {}\nduration = \"10min\"\n[ids]\nschemes = [\"vector\"]\n\
             [workload]\nkind = \"contacts\"\ncontacts = {contacts}",
            others + 1
        );
        let report = run(&text, seed);
        let met = report.get("vector-size@vector").unwrap().measured.0 - 1.0;
        let (n, m) = (others as f64, contacts as f64);
        let expected = predict::contacts_met(n, m);
        // Those not met: n of them at (1 - 1/n)^m each, pairs of them at (1 - 2/n)^m.
        let (one, two) = ((1.0 - 1.0 / n).powf(m), (1.0 - 2.0 / n).powf(m));
        let variance = n * one + n * (n - 1.0) * two - (n * one).powi(2);
        let off = (met - expected).abs();
        assert!(off <= 4.0 * variance.max(0.25).sqrt(), "{n} {m}: {met}, expected {expected}");
    }
}

#[test]
fn node_ids_alike() {
    let mut rng = draws(4);
    let (mut alike, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for seed in 0..POINTS {
        let ids = 20_000 + rng.below(60_000);
        let text = format!(
            "[scenario]\nnodes = 1\nduration = \"1s\"\n[ids]\nschemes = []\n\
             [workload]\nkind = \"drawings\"\nids = {ids}\ndrawings = 8"
        );
        let found = run(&text, seed).get("drawings-with-two-alike").unwrap().measured.0;
        let p = predict::shared_id(ids as f64);
        let deviation = (8.0 * p * (1.0 - p)).max(0.25).sqrt();
        assert!((found - 8.0 * p).abs() <= 4.0 * deviation, "{ids} IDs: {found} of 8, each {p}");
        (alike, expected) = (alike + found, expected + 8.0 * p);
        variance += 8.0 * p * (1.0 - p);
    }
    assert!(f64::abs(alike - expected) <= 4.0 * variance.sqrt(), "{alike}, expected {expected}");
}

#[test]
fn the_lead_of_going_on_to_the_next_window() {
    let mut rng = draws(5);
    for seed in 0..POINTS {
        let (code, think) = (rng.below(4), 1 + rng.below(500));
        let text = format!(
            "[scenario]\nnodes = 2\nduration = \"60s\"\n[ids]\nschemes = [\"bump:d{code}\"]\n\
             [network]\nlatency = \"1ms\"\n[workload]\nkind = \"chain\"\nthink = \"{think}ms\""
        );
        let report = run(&text, seed);
        let lead = report.get(&format!("lead@bump:d{code}")).unwrap().measured.0;
        let window = window_ns(code) as f64;
        let form = predict::bump_lead(60e9, 2e6 * (think + 1) as f64, window);
        // Less the phase of the first window; and a round trip more or less, which has begun.
        let about = form - 2.0 * window..=form + window;
        assert!(about.contains(&lead), "{think} ms: {lead}, form {form}");
        assert_eq!(report.get(&format!("happens-before-by-bytes@bump:d{code}")).unwrap().count, 0);
    }
}

/// Inverted pairs are never further apart than W + E, whatever the clocks, and come close to it.
#[test]
fn the_bound_of_k_order() {
    let mut rng = draws(6);
    let mut closest = 0.0_f64;
    for seed in 0..POINTS {
        let code = rng.below(4);
        let window = window_ns(code);
        let offset = rng.below(window);
        let text = format!(
            "[scenario]\nnodes = 2\nduration = \"{}ns\"\n[ids]\nschemes = [\"guid96:d{code}\"]\n\
             observe = \"off\"\n[[clock.node]]\nid = {}\noffset = \"{offset}ns\"\n\
             [workload]\nkind = \"ids\"\nrate = \"{}/h\"",
            window * 10,
            1 + rng.below(2),
            1e12 * 3_600.0 / window as f64
        );
        let report = run(&text, seed);
        let check = report.get(&format!("k-order@guid96:d{code}")).unwrap();
        let (gap, bound) = (check.measured.0, check.expected.unwrap().0);
        assert!(gap < bound && check.count == 0, "{check:?}");
        closest = closest.max(gap / bound);
    }
    // Where the greater node is ahead the bound is tight, but for the gaps of the arrivals.
    assert!(closest > 0.99, "{closest}");
}
