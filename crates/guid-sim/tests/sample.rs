//! Samples: what is kept is what happened, and no more of it however long the run.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::{self, Write},
    rc::Rc,
    sync::{Arc, atomic::AtomicBool},
};

use guid_sim::{
    BUILTIN, Builtin, Check, RunError, Scenario, Trace, Verdict,
    sample::{By, Part, Sample},
};

#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn scenario(name: &str) -> Scenario {
    Builtin::named(name).unwrap().scenario().unwrap()
}

/// Everything that happened, as the trace has it.
fn trace(scenario: &Scenario, seed: u64) -> Trace {
    let kept = Kept::default();
    drop(scenario.run_traced(seed, Some(Box::new(kept.clone()))).unwrap());
    let text = String::from_utf8(kept.0.take()).unwrap();
    Trace::parse(&text).unwrap()
}

fn numbers(part: &Part) -> Vec<u64> {
    part.events.iter().map(|seen| seen.event.number).collect()
}

#[test]
fn a_sample_is_the_same_every_time_and_changes_no_run() {
    for name in ["hello-clocks", "jepsen-strobe", "split-brain-cart", "vm-clone"] {
        let scenario = scenario(name);
        let (report, sample) = scenario.sample(7).unwrap();
        assert_eq!(report, scenario.run(7).unwrap(), "{name}");
        assert_eq!(scenario.sample(7).unwrap().1, sample, "{name}");
    }
}

#[test]
fn events_are_those_of_the_trace() {
    for name in ["hello-clocks", "lww-window-trap", "restart-amnesia"] {
        let scenario = scenario(name);
        let trace = trace(&scenario, 42);
        let (_, sample) = scenario.sample(42).unwrap();
        assert_eq!(numbers(&sample.parts[0]), (1..=60).collect::<Vec<u64>>());
        for seen in sample.parts.iter().flat_map(|part| &part.events) {
            let at = usize::try_from(seen.event.number).unwrap() - 1;
            let event = &trace.events[at];
            let (number, node) = (seen.event.number, seen.event.node.number());
            assert_eq!((event.event, event.node), (number, node));
            assert_eq!((event.true_ns, event.local_ns), (seen.event.true_ns, seen.event.local_ns));
            assert_eq!(event.kind, seen.event.kind.name());
            let named = sample.schemes.iter().map(ToString::to_string).zip(seen.ids.clone());
            let sorted = |ids: Vec<(String, String)>| ids.into_iter().collect::<BTreeMap<_, _>>();
            assert_eq!(sorted(event.ids.clone()), sorted(named.collect()));
        }
    }
}

#[test]
fn keys_compare_as_ids_do_by_bytes_and_by_time() {
    let (_, sample) = scenario("hello-clocks").sample(42).unwrap();
    let place = |by, scheme: &str| {
        let mut all = sample.sortings.iter();
        all.position(|one| one.by == by && one.scheme.to_string() == scheme).unwrap()
    };
    let ids =
        |scheme: &str| sample.schemes.iter().position(|one| one.to_string() == scheme).unwrap();
    let (bytes, time) = (place(By::Bytes, "guid96:d3"), place(By::Time, "guid96:d3"));
    let text = ids("guid96:d3");
    for a in &sample.parts[0].events {
        for b in &sample.parts[0].events {
            let [id_a, id_b] =
                [a, b].map(|seen| seen.ids[text].parse::<guid_core::Guid>().unwrap());
            assert_eq!(a.keys[bytes].cmp(&b.keys[bytes]), id_a.cmp(&id_b));
            assert_eq!(a.keys[time].cmp(&b.keys[time]), id_a.time_cmp(&id_b));
        }
    }
    assert!(sample.sortings.iter().all(|one| one.scheme.is_ordered()));
}

#[test]
fn every_witness_stands_in_a_part_or_is_counted() {
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap();
        let (report, sample) = scenario.sample(scenario.seed()).unwrap();
        let checks = report.checks.iter().chain(&report.measures);
        let mut missing = 0;
        for check in checks {
            // That within what is promised a pair is not in order is no case.
            let shown = |check: &&Check| check.count > 0 || check.verdict == Verdict::Violated;
            let Some(check) = Some(check).filter(shown) else { continue };
            let Some(witness) = &check.witness else { continue };
            let part = sample.parts.iter().find(|part| part.of.contains(&check.key()));
            let Some(part) = part else {
                missing += 1;
                continue;
            };
            for event in [witness.first.event, witness.second.event] {
                assert!(numbers(part).contains(&event), "{}: {}", builtin.name, check.key());
            }
        }
        assert_eq!(missing, sample.left_out, "{}", builtin.name);
    }
}

#[test]
fn the_first_fault_of_a_kind_has_a_part() {
    let (_, sample) = scenario("split-brain-cart").sample(42).unwrap();
    let faults: Vec<&str> = sample.parts.iter().filter_map(|part| part.fault).collect();
    assert_eq!(faults, ["partition", "heal"]);
    let part = sample.parts.iter().find(|part| part.fault == Some("heal")).unwrap();
    assert!(part.events.iter().any(|seen| seen.event.kind.name() == "heal"));
}

/// Steps, strobes and freezes are faults of three kinds, though each changes a clock.
#[test]
fn the_first_of_each_kind_of_clock_fault_has_a_part() {
    let (_, sample) = scenario("jepsen-strobe").sample(42).unwrap();
    for (kind, node) in [("clock-step", 1), ("clock-strobe", 3), ("clock-freeze", 5)] {
        let part = sample.parts.iter().find(|part| part.fault == Some(kind)).unwrap();
        let is_it = |seen: &guid_sim::sample::Seen| {
            seen.event.kind.name() == "clock-fault" && seen.event.node.number() == node
        };
        assert!(part.events.iter().any(is_it), "{kind}");
    }
    // What a strobe does later is the strobe's.
    assert!(!sample.parts.iter().any(|part| part.fault == Some("clock-fault")));
}

#[test]
fn the_end_of_the_first_window_has_a_part() {
    let (_, sample) = scenario("lww-window-trap").sample(42).unwrap();
    let part = sample.parts.iter().find(|part| part.boundary).unwrap();
    let by_bytes = |one: &guid_sim::sample::Sorting| one.scheme.to_string() == "guid96:d3";
    let at = sample.sortings.iter().position(by_bytes).unwrap();
    let keys = part.events.iter().filter_map(|seen| seen.keys.get(at));
    let mut windows: Vec<u64> = keys.map(|&key| sample.sortings[at].window(key).unwrap()).collect();
    windows.dedup();
    assert!(windows.len() >= 2, "{windows:?}");
    windows.sort_unstable();
    windows.dedup();
    assert_eq!(windows.len(), 2, "{windows:?}");
    let time = sample.sortings.iter().find(|one| one.by == By::Time).unwrap();
    assert_eq!(time.window(0), None);
}

#[test]
fn broken_session_guarantees_are_counted_over_time() {
    let (report, sample) = scenario("roaming-clients").sample(42).unwrap();
    for name in ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"] {
        let series = sample.series.iter().find(|series| series.name == name).unwrap();
        let check = report.get(name).unwrap();
        assert_eq!(series.steps.last(), Some(&check.count), "{name}");
        assert_eq!(series.of, Some(check.of), "{name}");
        assert!(series.counts && series.steps.is_sorted(), "{name}");
    }
}

#[test]
fn offsets_are_those_of_the_trace() {
    let scenario = scenario("jepsen-strobe");
    let (_, sample) = scenario.sample(42).unwrap();
    let mut spec: BTreeMap<u32, (i128, i128)> = BTreeMap::new();
    for event in trace(&scenario, 42).events {
        let off = i128::from(event.local_ns) - i128::from(event.true_ns);
        let seen = spec.entry(event.node).or_insert((off, off));
        *seen = (seen.0.min(off), seen.1.max(off));
    }
    assert_eq!(sample.offsets.len(), 5);
    for offsets in &sample.offsets {
        let steps = || offsets.steps.iter().flatten();
        let least = steps().map(|off| off.least_ns).min().unwrap();
        let most = steps().map(|off| off.most_ns).max().unwrap();
        assert_eq!((least, most), spec[&offsets.node]);
        assert!(steps().all(|off| off.least_ns <= off.last_ns && off.last_ns <= off.most_ns));
    }
    // The clock of n1 is set back by 288 s after 10 s of 120 s, in 240 steps.
    let first = &sample.offsets[0].steps;
    assert!(first[18].unwrap().last_ns.abs() < 1_000_000);
    assert!(first[21].unwrap().last_ns < -287_000_000_000);
}

#[test]
fn what_was_lost_adds_up_to_what_is_reported() {
    let (report, sample) = scenario("lww-window-trap").sample(42).unwrap();
    for key in ["lww-lost@guid96:d3", "lww-lost-long-lived@guid96:d1", "lww-lost@guid64"] {
        let series = sample.series.iter().find(|series| series.name == key).unwrap();
        assert_eq!(series.steps.last(), Some(&report.get(key).unwrap().count), "{key}");
        assert!(series.counts && series.steps.is_sorted(), "{key}");
    }
    let (report, sample) = scenario("split-brain-cart").sample(42).unwrap();
    let siblings = sample.series.iter().find(|series| series.name == "address-siblings").unwrap();
    let most = siblings.steps.iter().copied().max().unwrap();
    assert_eq!(most.to_string(), report.get("address-siblings").unwrap().measured.0.to_string());
    // There is one address until the partition heals, two for a while, and one again.
    assert!(!siblings.counts);
    assert_eq!((siblings.steps[110], siblings.steps.last()), (1, Some(&1)));
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 ns")]
fn measured_misorder_is_near_what_the_closed_form_expects() {
    let (_, sample) = scenario("skew-ramp").sample(42).unwrap();
    assert_eq!(sample.ramps.len(), 4);
    for ramp in &sample.ramps {
        let window = ramp.window_ns as f64;
        assert!(ramp.points.len() >= 11, "{}", ramp.scheme);
        for point in &ramp.points {
            let off = (point.measured - point.expected).abs();
            assert!(off <= 5.0 * point.deviation.max(0.001), "{} {point:?}", ramp.scheme);
            assert!((0.0..=1.0).contains(&point.measured));
        }
        let gaps: Vec<f64> = ramp.points.iter().map(|point| point.gap_ns).collect();
        assert!(gaps.is_sorted());
        assert!(gaps[0] < window / 10.0 && *gaps.last().unwrap() > window, "{}", ramp.scheme);
    }
}

#[test]
fn a_sample_does_not_grow_with_the_run() {
    let text = "[workload]\nkind = \"lww\"\nrate = \"100/s\"";
    let size = |duration: &str| {
        let duration = ("scenario.duration".to_owned(), duration.to_owned());
        let scenario = Scenario::parse_with(text, &[duration]).unwrap();
        let (report, sample) = scenario.sample(1).unwrap();
        let Sample { parts, offsets, series, .. } = sample;
        let steps: usize = offsets.iter().map(|offsets| offsets.steps.len()).sum();
        let events: usize = parts.iter().map(|part| part.events.len()).sum();
        assert!(events <= 60 + 12 * 85, "{events}");
        (report.events, steps, series.iter().map(|series| series.steps.len()).max())
    };
    let (short, long) = (size("2s"), size("60s"));
    assert!(long.0 > 20 * short.0);
    assert_eq!((short.1, short.2), (long.1, long.2));
}

#[test]
fn a_range_that_is_too_long_or_beyond_the_end_is_cut() {
    let scenario = scenario("hello-clocks");
    let all = trace(&scenario, 42).events.len() as u64;
    let part = |range| numbers(&scenario.events(42, range).unwrap());
    assert_eq!(part(0..3), [1, 2]);
    assert_eq!(part(10..10_000).len(), 240);
    assert_eq!(part(all..u64::MAX), [all]);
    assert_eq!(part(all + 1..all + 9), [0; 0]);
}

#[test]
fn a_run_that_nobody_waits_for_stops() {
    let flag = Arc::new(AtomicBool::new(true));
    let stopped = scenario("hello-clocks").stopped_by(flag);
    assert!(matches!(stopped.run(1), Err(RunError::Stopped)));
    let few = scenario("hello-clocks").with_max_events(10);
    assert!(matches!(few.sample(1), Err(RunError::TooManyEvents(10))));
}
