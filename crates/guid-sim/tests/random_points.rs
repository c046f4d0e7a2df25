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

/// A clock that is coarse, and one that is frozen: the Go rule has 2^14 IDs for each reading.
#[test]
fn duplicates_of_a_clock_that_stands_still() {
    let mut rng = draws(7);
    let (mut none, mut some) = (0, 0);
    for seed in 0..POINTS {
        let rate = 200_000 + rng.below(1_800_000);
        let granule = 8_000_000 + rng.below(32_000_000);
        // A whole number of readings, so that none is cut off; an ID at a boundary is in either.
        let text = format!(
            "[scenario]\nnodes = 1\nduration = \"{}ns\"\n[ids]\nschemes = [\"upstream\"]\n\
             [clock]\ngranularity = \"{granule}ns\"\n\
             [workload]\nkind = \"ids\"\nrate = \"{rate}/s\"",
            granule * 6
        );
        let check = run(&text, seed).get("unique@upstream").unwrap().clone();
        let each = predict::still_duplicates(rate as f64, granule as f64);
        let arrivals = (rate * granule) as f64 / 1e9;
        let luck = 4.0 * (6.0 * arrivals).sqrt();
        let expected = check.expected.unwrap().0;
        assert!((expected - 6.0 * each).abs() <= luck, "{expected} {check:?}");
        // Where a run begins within a reading is anybody's guess: up to one reading is shared out.
        let off = (check.count as f64 - 6.0 * each).abs();
        assert!(off <= each + luck, "{rate} {granule}: {check:?}");
        assert!(check.z.is_none_or(|z| z.0.abs() <= 4.0), "{check:?}");
        if each == 0.0 {
            none += 1;
        } else {
            some += 1;
        }

        let freeze = 20_000_000 + rng.below(200_000_000);
        let text = format!(
            "[scenario]\nnodes = 1\nduration = \"300ms\"\n[ids]\nschemes = [\"upstream\"]\n\
             [workload]\nkind = \"ids\"\nrate = \"{rate}/s\"\n\
             [[fault]]\nat = \"20ms\"\nkind = \"clock-freeze\"\nnode = 1\nfor = \"{freeze}ns\""
        );
        let check = run(&text, seed).get("unique@upstream").unwrap().clone();
        let each = predict::still_duplicates(rate as f64, freeze as f64);
        let deviation = (rate as f64 * freeze as f64 / 1e9).sqrt();
        let off = (check.count as f64 - each).abs();
        assert!(off <= 4.0 * deviation + 2.0, "{rate} {freeze}: {check:?}");
    }
    assert!(none >= 1 && some >= 8, "{none} {some}");
}

/// Pairs in the wrong order of a few nodes whose clocks are up to two windows apart.
#[test]
fn the_inversions_of_nodes_at_constant_offsets() {
    let mut rng = draws(8);
    for seed in 0..POINTS {
        let (code, nodes) = (rng.below(3), 2 + rng.below(4));
        let window = window_ns(code);
        let offsets: Vec<String> = (1..=nodes)
            .map(|id| {
                let offset = rng.below(window * 2);
                format!("[[clock.node]]\nid = {id}\noffset = \"{offset}ns\"\n")
            })
            .collect();
        // Eighty windows, twenty IDs a window and node.
        let text = format!(
            "[scenario]\nnodes = {nodes}\nduration = \"{}ns\"\n{}\
             [ids]\nschemes = [\"guid96:d{code}\"]\n\
             [workload]\nkind = \"ids\"\nrate = \"{}/h\"\n[check]\ndisorder = true",
            window * 80,
            offsets.concat(),
            20.0 * 3.6e12 / window as f64
        );
        let report = run(&text, seed);
        let check = report.get(&format!("inversions@guid96:d{code}")).unwrap();
        let (found, expected) = (check.measured.0, check.expected.unwrap().0);
        // Both ends of the run are up to a window and the skew, of eighty; arrivals add 3 %.
        assert!((found / expected - 1.0).abs() < 0.12, "{found}, expected {expected}\n{text}");
    }
}

/// Pairs of many nodes whose clocks are off at random: over all of them, by the form of the spread.
#[test]
fn the_misorder_of_pairs_with_clocks_off_at_random() {
    let mut rng = draws(9);
    for seed in 0..POINTS {
        let window = 131_072.0;
        let sigma = 20_000 + rng.below(2_000_000);
        let gap = 1 + rng.below(3 * sigma);
        let text = format!(
            "[scenario]\nnodes = 400\nduration = \"20s\"\n[ids]\nschemes = [\"guid64\"]\n\
             observe = \"off\"\n[clock]\noffset-sigma = \"{sigma}ns\"\n\
             [workload]\nkind = \"ids\"\nrate = \"20/s\"\n[check]\ngaps = [\"{gap}ns\"]"
        );
        let report = run(&text, seed);
        let all = report.checks.iter().chain(&report.measures);
        let check = all.clone().find(|check| check.name.starts_with("pair-order")).unwrap();
        // A pair is at least so far apart, and the next event of 8,000 a second 125 us further.
        let form = |more: f64| predict::misorder_at_random(gap as f64 + more, window, sigma as f64);
        let mean =
            (0..100).map(|i| form(-125e3 * f64::ln((f64::from(i) + 0.5) / 100.0))).sum::<f64>();
        let (mean, of) = (mean / 100.0, check.of as f64);
        // Cases of one node go together: as many independent ones as there are nodes, and pairs.
        let deviation = (mean * (1.0 - mean) / of).sqrt() + 0.5 / 400.0_f64.sqrt() * mean.min(0.2);
        let off = (check.measured.0 - mean).abs();
        assert!(off <= 4.0 * deviation + 0.004, "{sigma} {gap}: {mean} {check:?}");
    }
}

/// What skew turns round: two runs of the same events, one with right clocks.
#[test]
fn the_comparisons_that_skew_turns_round() {
    let mut rng = draws(10);
    let mut sums = (0.0, 0.0);
    for seed in 0..POINTS {
        let window = window_ns(0);
        // Gap, and gap less or more the skew, are within the window. Of two nodes in both
        // directions the mean is the form, if the skew is less than the gap.
        let gap = 1 + rng.below(window / 2);
        let skew = 1 + rng.below(gap);
        let ids = |offset: u64| {
            let text = format!(
                "[scenario]\nnodes = 2\nduration = \"{}ns\"\n\
                 [ids]\nschemes = [\"guid96:d0\"]\n[[clock.node]]\nid = 1\noffset = \"{offset}ns\"\n\
                 [workload]\nkind = \"ids\"\nrate = \"{}/h\"",
                window * 200,
                20.0 * 3.6e12 / window as f64
            );
            let scenario = Scenario::parse(&text).unwrap();
            let mut events = Vec::new();
            let mut from = 1;
            loop {
                let part = scenario.events(seed, from..from + 240).unwrap().events;
                if part.is_empty() || events.len() > 4_000 {
                    return events;
                }
                from += 240;
                events.extend(
                    part.into_iter()
                        .map(|seen| (seen.event.node, seen.event.true_ns, seen.ids[0].clone())),
                );
            }
        };
        let (right, skewed) = (ids(0), ids(skew));
        let (mut turned, mut of) = (0_u32, 0_u32);
        for (i, first) in right.iter().enumerate() {
            let later =
                right[i..].iter().position(|other| other.0 != first.0 && other.1 >= first.1 + gap);
            let Some(j) = later.map(|after| i + after) else { break };
            let is_less = |ids: &[(guid_sim::NodeIndex, u64, String)]| ids[i].2 < ids[j].2;
            of += 1;
            turned += u32::from(is_less(&right) != is_less(&skewed));
        }
        // Of one pair of nodes, both ways round: half of them have the greater node first.
        let form = predict::flipped(skew as f64, window as f64);
        let found = f64::from(turned) / f64::from(of);
        // Two hundred windows, whose boundaries decide.
        assert!(of > 2_000 && (found - form).abs() < 4.0 * (form / 200.0).sqrt(), "{found} {form}");
        sums = (sums.0 + found, sums.1 + form);
    }
    // All points together: within a tenth.
    assert!((sums.0 / sums.1 - 1.0_f64).abs() < 0.1, "{sums:?}");
}

/// Clones that go on in step, at random rates.
#[test]
fn duplicates_of_clones() {
    let mut rng = draws(11);
    let (mut found, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for seed in 0..POINTS {
        let (rate, ms) = (5_000 + rng.below(10_000), 500 + rng.below(1_000));
        let clone = |node: u64| {
            format!("[[fault]]\nat = \"0\"\nkind = \"clone\"\nnode = {}\nof = {node}\n", node + 4)
        };
        let text = format!(
            "[scenario]\nnodes = 8\nduration = \"{ms}ms\"\n[ids]\nschemes = [\"guid96:d3\"]\n\
             [workload]\nkind = \"ids\"\nrate = \"{rate}/s\"\n{}",
            (1..=4).map(clone).collect::<String>()
        );
        let check = run(&text, seed).get("unique@guid96:d3").unwrap().clone();
        let each = predict::clone_duplicates(rate as f64, ms as f64 / 1e3);
        assert!((check.expected.unwrap().0 / (4.0 * each) - 1.0).abs() < 0.05, "{check:?}");
        assert!(check.z.unwrap().0.abs() <= 5.0, "{check:?}");
        found += check.count as f64;
        expected += 4.0 * each;
        variance += 4.0 * (predict::CLONE_DEVIATION * each).powi(2);
    }
    assert!(f64::abs(found - expected) <= 4.0 * variance.sqrt(), "{found}, expected {expected}");
}
