//! Logs of other systems: a trace of ours is judged as its run was, whatever order its lines are
//! in; what is wrong is told with its place; nothing makes it panic.

#![expect(clippy::unwrap_used, clippy::float_cmp, reason = "a test may, and numbers are exact")]

use std::{cell::RefCell, collections::VecDeque, io::Write, rc::Rc};

use guid_sim::{
    BUILTIN, Builtin, Log, LogReport, LogRules, Observe, Purpose, Report, Rng, Streams, Verdict,
};

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn traced(builtin: &Builtin, seed: u64) -> (Report, String) {
    let out = Shared::default();
    let report = builtin.scenario().unwrap().run_traced(seed, Some(Box::new(out.clone()))).unwrap();
    (report, String::from_utf8(out.0.take()).unwrap())
}

fn check(text: &str) -> LogReport {
    Log::parse(text, LogRules::default()).unwrap().check()
}

/// Whether only a run knows it: vectors, states and clients, which belong to no scheme of IDs.
fn is_of_the_run(check: &guid_sim::Check) -> bool {
    check.scheme.is_none() || check.name.starts_with("vector-")
}

#[test]
fn a_trace_is_judged_as_its_run_was() {
    let mut compared = 0;
    let small = BUILTIN.iter().filter(|builtin| !builtin.text.contains("0000/s"));
    for builtin in small.filter(|builtin| builtin.name != "restart-amnesia") {
        let (report, trace) = traced(builtin, 7);
        let mut rules = LogRules::default();
        if builtin.text.contains("gaps = [\"1s\", \"60s\"]") {
            rules.gaps_ns = vec![1_000_000_000, 60_000_000_000];
        }
        let found = Log::parse(&trace, rules).unwrap().check();
        assert_eq!(found.scenario.as_deref(), Some(builtin.name));
        assert_eq!(found.events, report.events);
        for check in report.checks.iter().chain(&report.measures) {
            let key = check.key();
            if is_of_the_run(check) {
                continue;
            }
            let Some(again) = found.get(&key) else {
                // Of the scenarios, one says nothing to its gaps here.
                assert!(key.starts_with("pair-order"), "{}: {key}", builtin.name);
                continue;
            };
            assert_eq!(again.outcome, check.outcome, "{}: {key}", builtin.name);
            // Six random bits of a UUIDv7, and the node that decides between two locals of one
            // stamp, do not stand in their texts.
            let is_told_by_text =
                !(key.ends_with("uuid7") || key.ends_with("guid64") && key.starts_with("k-"));
            if is_told_by_text {
                let numbers = |c: &guid_sim::Check| (c.count, c.of, c.measured);
                assert_eq!(numbers(again), numbers(check), "{}: {key}", builtin.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Each node's lines in their order, nodes mixed at random.
fn mixed(text: &str, rng: &mut Rng) -> String {
    let mut lines = text.lines();
    let mut mixed = String::from(lines.next().unwrap());
    let mut nodes: Vec<VecDeque<&str>> = vec![VecDeque::new(); 9];
    for line in lines {
        let node = line.split("\"node\":").nth(1).unwrap().split(',').next().unwrap();
        nodes[node.parse::<usize>().unwrap()].push_back(line);
    }
    while nodes.iter().any(|lines| !lines.is_empty()) {
        let node = usize::try_from(rng.below(9)).unwrap();
        for _ in 0..rng.below(40) {
            if let Some(line) = nodes[node].pop_front() {
                mixed += "\n";
                mixed += line;
            }
        }
    }
    mixed
}

#[test]
fn how_the_lines_of_nodes_are_mixed_does_not_matter() {
    let mut rng = Streams::new(3).of_world(Purpose::Workload);
    for name in ["hello-clocks", "split-brain-cart"] {
        let (_, trace) = traced(Builtin::named(name).unwrap(), 42);
        let expected = check(&trace);
        for _ in 0..5 {
            let found = check(&mixed(&trace, &mut rng));
            for check in expected.checks.iter().chain(&expected.measures) {
                let again = found.get(&check.key()).unwrap();
                let told = |c: &guid_sim::Check| (c.outcome, c.count, c.of, c.measured);
                assert_eq!(told(again), told(check), "{name} {}", check.key());
            }
        }
    }
}

#[test]
fn a_log_of_somebody_else() {
    // Two nodes, the second two seconds behind, UUIDs of version 7 that show it.
    let text = "\u{feff}{\"node\":\"a\",\"time_ns\":\"5000000000\",\"id\":\"00000000-1388-7000-8000-000000000001\",\"send\":[\"x\",\"y\"],\"level\":\"info\"}\r\n\
        \r\n\
        {\"node\":\"b\",\"time_ns\":3000000000,\"id\":\"00000000-0bb8-7000-8000-000000000001\",\"receive\":\"x\"}\n\
        {\"node\":\"b\",\"time_ns\":3500000000,\"id\":\"00000000-0dac-7000-8000-000000000001\",\"receive\":\"nobody sent it\"}\n\
        {\"node\":\"c\",\"time_ns\":6000000000,\"receive\":\"y\",\"send\":\"z\"}\n\
        {\"node\":\"b\",\"time_ns\":4000000000,\"id\":\"00000000-1388-7000-8000-000000000001\",\"receive\":\"z\"}";
    let report = check(text);
    assert_eq!(report.schemes, ["uuid7"]);
    assert_eq!((report.events, report.messages), (5, 3));
    assert_eq!(report.nodes, ["a", "b", "c"]);
    let count = |key: &str| report.get(key).unwrap().count;
    assert_eq!(count("unique@uuid7"), 1);
    // All three of b's IDs are at or below the one that c carried on from a without one of its own.
    assert_eq!(count("happens-before@uuid7"), 3);
    assert!(!report.get("happens-before@uuid7").unwrap().claim, "a UUID promises no such thing");
    assert_eq!(report.get("skew-shown").unwrap().measured.0, 2e9);
    assert_eq!(report.get("received-unsent").unwrap().count, 1);
    assert_eq!(report.verdict, Verdict::Violated);

    let mut rules = LogRules::default();
    rules.skew_ns = Some(1_000_000_000);
    let report = Log::parse(text, rules).unwrap().check();
    assert_eq!(report.get("skew-shown").unwrap().verdict, Verdict::Violated);
}

#[test]
fn nodes_are_told_apart_by_their_names_as_they_are_written() {
    let line = |node: &str, id: u64| format!("{{\"node\":{node},\"time_ns\":1,\"id\":{id}}}\n");
    let report = check(&(line("\"01\"", 1) + &line("1", 2) + &line("\"+1\"", 3)));
    assert_eq!(report.nodes, ["01", "1", "+1"]);
    assert_eq!(report.get("monotone@text").unwrap().of, 0, "each made one ID");
    let report = check(&(line("3", 1) + &line("\"1\"", 2)));
    assert_eq!(report.nodes, ["1", "2", "3"], "numbers are counted as they are");
    let report = check(&(line("\"é\"", 1) + &line("\"e\u{301}\"", 2) + &line("\"\u{202e}\"", 3)));
    assert_eq!(report.nodes.len(), 3);
    assert_eq!(check(&line("4000000000", 1)).nodes, ["4000000000"]);
}

#[test]
fn ids_that_are_only_text() {
    let line = |node: &str, ns: u64, id: &str| {
        format!("{{\"node\":\"{node}\",\"time_ns\":{ns},\"id\":\"{id}\"}}\n")
    };
    let numbers = line("a", 1, "9") + &line("b", 2, "10") + &line("a", 3, "011");
    let report = check(&numbers);
    assert_eq!(report.schemes, ["text"]);
    assert_eq!(report.get("k-radius@text").unwrap().measured.0, 1.0, "9 < 10 < 11");
    let words = line("a", 1_000, "9") + &line("b", 2_000, "10") + &line("a", 3_000, "x");
    assert_eq!(check(&words).get("k-radius@text").unwrap().measured.0, 2.0, "\"10\" < \"9\"");
    for (window, skew, verdict) in [
        (2_000, Some(0), Verdict::Holds),
        (500, Some(600), Verdict::Holds),
        (500, Some(400), Verdict::Violated),
        (500, None, Verdict::Unknown),
    ] {
        let mut rules = LogRules::default();
        (rules.window_ns, rules.skew_ns) = (Some(window), skew);
        let report = Log::parse(&words, rules).unwrap().check();
        assert_eq!(report.get("k-order@text").unwrap().verdict, verdict, "{window} {skew:?}");
    }
    let mut rules = LogRules::default();
    rules.scheme = Some(String::from("text"));
    let same = line("a", 1, "Njj070....H7o_zz").repeat(2);
    assert_eq!(Log::parse(&same, rules).unwrap().check().get("unique@text").unwrap().count, 1);
}

#[test]
fn the_policy_for_received_ids_decides_what_is_promised() {
    let (_, trace) = traced(Builtin::named("hello-clocks").unwrap(), 42);
    let without = trace.replacen("\"observe\":\"follow\"", "\"observe\":\"off\"", 1);
    assert!(check(&trace).get("happens-before@hlc").unwrap().claim);
    assert!(!check(&without).get("happens-before@hlc").unwrap().claim);
    let mut rules = LogRules::default();
    rules.observe = Some(Observe::Off);
    let silent = trace.replacen(",\"observe\":\"follow\"", "", 1);
    let report = Log::parse(&silent, rules).unwrap().check();
    assert!(!report.get("happens-before@hlc").unwrap().claim);
}

#[track_caller]
fn refused(text: &str, place: (u64, usize), says: &str) {
    let error = Log::parse(text, LogRules::default()).unwrap_err();
    assert_eq!((error.line, error.column), place, "{error}");
    assert!(error.message.contains(says), "{error}");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let good = "{\"node\":\"a\",\"time_ns\":1}\n";
    refused("{", (1, 1), "no JSON object: EOF");
    refused("[]", (1, 1), "expected an object");
    refused(&format!("{good}{{\"node\":\"b\" \"x\":1}}"), (2, 13), "no JSON object");
    refused("{\"time_ns\":1}", (1, 1), "`node` is missing");
    refused("{\"node\":\"a\"}", (1, 1), "`time_ns` is missing");
    refused("{\"node\":[1],\"time_ns\":1}", (1, 2), "expected a text or a whole number");
    refused("{\"node\":\"a\",\"time_ns\":1.5}", (1, 13), "found 1.5, expected a whole number");
    refused("{\"node\":\"a\",\"time_ns\":-1}", (1, 13), "found -1");
    refused("{\"node\":\"a\",\"time_ns\":9223372036854775808}", (1, 13), "less than 2^63");
    refused("{\"node\":\"a\",\"time_ns\":1,\"ids\":{\"guid97\":\"x\"}}", (1, 25), "found `guid97`");
    refused("{\"node\":\"a\",\"time_ns\":1,\"ids\":{\"hlc\":\"x\"}}", (1, 25), "(as hlc)");
    refused("{\"node\":\"a\",\"time_ns\":1,\"ids\":7}", (1, 25), "an object of texts");
    refused("{\"node\":\"a\",\"time_ns\":1,\"send\":{}}", (1, 25), "`send`");
    refused("{\"node\":\"a\",\"time_ns\":1,\"send\":[1,2,3,2]}", (1, 25), "\"2\" is sent twice");
    refused("{\"node\":\"a\",\"time_ns\":1,\"send\":[1,1]}", (1, 25), "sent twice");
    refused("{\"node\":\"a\",\"time_ns\":1,\"send\":1,\"receive\":1}", (1, 25), "on one line");
    let twice = good.replace('}', ",\"send\":1}").repeat(2);
    refused(&twice, (2, 25), "message \"1\" is sent twice");
    let header = "{\"guid_sim\":1}\n";
    refused(&header.repeat(2), (2, 2), "second header");
    refused("{\"guid_sim\":2}", (1, 2), "expected 1");
    refused("{\"guid_sim\":1,\"observe\":\"x\"}", (1, 15), "found `x`");
    let d1 = "{\"node\":\"a\",\"time_ns\":1,\"ids\":{\"guid96:d1\":\"Njj070....H7o_zz\"}}";
    refused(d1, (1, 25), "drift code 3, expected 1");
    // a waits for b, and b for a.
    let cycle = "{\"node\":\"a\",\"time_ns\":1,\"receive\":\"y\"}\n{\"node\":\"a\",\"time_ns\":2,\"send\":\"x\"}\n\
                 {\"node\":\"b\",\"time_ns\":1,\"receive\":\"x\"}\n{\"node\":\"b\",\"time_ns\":2,\"send\":\"y\"}";
    refused(cycle, (1, 1), "before it can have been sent");
    let of_one = "{\"node\":\"a\",\"time_ns\":1,\"receive\":\"y\"}\n{\"node\":\"a\",\"time_ns\":2,\"send\":\"y\"}";
    refused(of_one, (1, 1), "before it can have been sent");
    let unknown = check("");
    assert_eq!((unknown.events, unknown.verdict), (0, Verdict::Unknown));
}

/// Changes some bytes, doubles or drops some lines.
fn mutated(lines: &[&str], rng: &mut Rng) -> String {
    const BYTES: &[u8] = b"\"{}[]:,0123456789.-eE\\/x \tnull\xc3\xa9";
    let mut below = |n: usize| usize::try_from(rng.below(n as u64)).unwrap();
    let mut text = Vec::new();
    for line in lines {
        match below(12) {
            0 => {}
            1 => text.extend_from_slice(format!("{line}\n{line}\n").as_bytes()),
            2 | 3 => {
                let mut bytes = line.as_bytes().to_vec();
                for _ in 0..=below(3) {
                    let at = below(bytes.len());
                    match below(3) {
                        0 => bytes[at] = BYTES[below(BYTES.len())],
                        1 => drop(bytes.remove(at)),
                        _ => bytes.insert(at, BYTES[below(BYTES.len())]),
                    }
                }
                text.extend_from_slice(&bytes);
                text.push(b'\n');
            }
            4 => {
                // Another number, perhaps a huge one.
                let numbers =
                    ["0", "1", "3", "18446744073709551615", "9223372036854775807", "1e99"];
                let digits = |c: char| c.is_ascii_digit();
                let start = line[below(line.len())..].find(digits);
                let changed =
                    start.map(|_| line.replacen(&below(10).to_string(), numbers[below(6)], 2));
                text.extend_from_slice(changed.as_deref().unwrap_or(line).as_bytes());
                text.push(b'\n');
            }
            _ => {
                text.extend_from_slice(line.as_bytes());
                text.push(b'\n');
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn ten_thousand_mutated_traces_do_no_harm() {
    let mut rng = Streams::new(99).of_world(Purpose::Workload);
    let (_, hello) = traced(Builtin::named("hello-clocks").unwrap(), 1);
    let (_, lww) = traced(Builtin::named("cloud-ntp-causality").unwrap(), 1);
    let (_, cart) = traced(Builtin::named("split-brain-cart").unwrap(), 1);
    let traces: Vec<Vec<&str>> =
        [&hello, &lww, &cart].map(|t| t.lines().take(900).collect()).into();
    let (mut read, mut refused) = (0, 0);
    for round in 0..10_000_usize {
        let lines = &traces[round % 3];
        let from = usize::try_from(rng.below(800)).unwrap();
        let count = 1 + usize::try_from(rng.below(14)).unwrap();
        let part: Vec<&str> =
            lines.iter().take(1).chain(&lines[from..from + count]).copied().collect();
        let mut rules = LogRules::default();
        rules.gaps_ns = vec![0, 1_000_000];
        match Log::parse(&mutated(&part, &mut rng), rules) {
            Ok(log) => {
                read += 1;
                let report = log.check();
                serde_json::to_string(&report).unwrap();
            }
            Err(error) => {
                refused += 1;
                assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
            }
        }
    }
    assert!(read > 1_000 && refused > 1_000, "{read} {refused}");
}

/// What a run looks at and a trace does not have is said, and nothing else is left out: every check
/// of the run is in the report of its trace, or is listed.
#[test]
fn what_a_trace_cannot_decide_is_listed() {
    for name in ["split-brain-cart", "roaming-clients", "hello-clocks", "five-regions"] {
        let scenario = Builtin::named(name).unwrap().scenario().unwrap();
        let out = Shared::default();
        let run = scenario.run_traced(42, Some(Box::new(out.clone()))).unwrap();
        let text = String::from_utf8(out.0.take()).unwrap();
        let checked = Log::parse(&text, LogRules::default()).unwrap().check();
        let listed = |name: &str| checked.undecided.iter().any(|one| one.name == name);
        let mut lacking = 0;
        for check in run.checks.iter().filter(|check| !guid_sim::meaning(&check.name).is_empty()) {
            let key = check.key();
            assert_ne!(checked.get(&key).is_some(), listed(&check.name), "{name}: {key}");
            lacking += u32::from(listed(&check.name));
        }
        assert!(lacking >= 1, "{name}");
        let vectors = checked.schemes.iter().any(|scheme| scheme == "vector");
        assert_eq!(listed("vector-iff"), vectors, "{name}");
    }
}

/// A witness shows an ID in the form in which the log has it.
#[test]
fn witnesses_show_ids_as_the_log_writes_them() {
    use guid_core::{Drift, Guid, NodeId, Stamp};
    let id = Guid::new(Drift::D3, NodeId::new(7), Stamp::from_unix_nanos(1 << 60));
    let hex = id.to_hex();
    let line = |node: &str, time: u64| {
        format!(r#"{{"node":"{node}","time_ns":{time},"id":"{}"}}"#, hex.as_str())
    };
    let text = format!("{}\n{}", line("a", 1 << 60), line("b", (1 << 60) + 5));
    let report = Log::parse(&text, LogRules::default()).unwrap().check();
    let witness = report.get("unique@guid96:d3").unwrap().witness.clone().unwrap();
    assert_eq!((&witness.first.id[..], &witness.second.id[..]), (hex.as_str(), hex.as_str()));
}
