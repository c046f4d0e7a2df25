//! The first witness of each claim: the IDs as their schemes write them, the cause that the facts
//! of the two events have, and the messages between them.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{cell::RefCell, collections::BTreeMap, io::Write, rc::Rc};

use guid_sim::{Report, Scenario, Trace, Witness};

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

fn run(text: &str) -> Report {
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    scenario.run(42).unwrap()
}

fn witness<'a>(report: &'a Report, key: &str) -> &'a Witness {
    let check = report.get(key).unwrap_or_else(|| panic!("no {key}"));
    check.witness.as_ref().unwrap_or_else(|| panic!("no witness of {key}"))
}

/// Two nodes that pass a message to and fro; the second clock is off by so much.
fn pair(schemes: &str, offset: &str, more: &str) -> String {
    format!(
        "[scenario]\nnodes = 2\nduration = \"10s\"\n[ids]\nschemes = [{schemes}]\n\
         observe = \"off\"\n[[clock.node]]\nid = 2\noffset = \"{offset}\"\n\
         [workload]\nkind = \"chain\"\nthink = \"50ms\"\n{more}"
    )
}

const ALL: &str = "\"guid96:d3\", \"guid64\", \"uuid7\", \"ulid\", \"snowflake\", \"hlc\", \
                   \"lamport\", \"upstream\", \"bump:d1\", \"guid96:mixed\"";

/// Every witness of a run, whichever order its checker went by, shows IDs that its trace has.
#[test]
fn the_ids_of_witnesses_are_those_of_the_trace() {
    let out = Shared::default();
    let scenario = Scenario::parse(&pair(ALL, "-5s", "[check]\ngaps = [\"1s\"]")).unwrap();
    let report = scenario.run_traced(42, Some(Box::new(out.clone()))).unwrap();
    let trace = Trace::parse(&String::from_utf8(out.0.take()).unwrap()).unwrap();
    let ids: BTreeMap<(u64, &str), &str> = (trace.events.iter())
        .flat_map(|event| event.ids.iter().map(|(s, id)| ((event.event, &s[..]), &id[..])))
        .collect();
    let (mut seen, mut by_time) = (0, 0);
    for check in report.checks.iter().chain(&report.measures) {
        let (Some(witness), Some(scheme)) = (&check.witness, &check.scheme) else { continue };
        for event in [&witness.first, &witness.second] {
            assert_eq!(event.id, ids[&(event.event, &scheme[..])], "{}", check.key());
            seen += 1;
        }
        by_time += u64::from(check.name == "happens-before");
    }
    assert!(seen > 40 && by_time == 10, "{seen} {by_time}");
}

/// Five seconds of skew turn the messages round; what decides inside a unit of time is another
/// cause, and so is a clock that was stepped.
#[test]
fn causes_are_those_of_the_two_events() {
    let skew = "the first clock was ahead of the second by more than the time between the events";
    let report = run(&pair(ALL, "-5s", ""));
    for key in ["happens-before@guid64", "edge-order@guid64", "edge-order@ulid", "k-order@hlc"] {
        assert_eq!(witness(&report, key).cause, skew, "{key}");
    }
    let lamport = &witness(&report, "happens-before@lamport").cause;
    assert!(lamport.contains("counts of two nodes"), "{lamport}");
    // Both clocks stand in one window of 274 s: there the node decides, whatever the skew.
    let node = "inside a window the node decides, not the time";
    assert_eq!(witness(&report, "edge-order@guid96:d3").cause, node);
    let codes = &witness(&report, "edge-order@guid96:mixed").cause;
    assert_eq!(codes, "drift codes differ, and sort before time");

    let report =
        run(&pair("\"uuid7\", \"snowflake\", \"ulid\"", "0", "[network]\nlatency = \"1us\""));
    let random = "inside a millisecond random bits decide, not the time";
    assert_eq!(witness(&report, "edge-order@uuid7").cause, random);
    assert_eq!(witness(&report, "edge-order@ulid").cause, random);
    let machine = &witness(&report, "edge-order@snowflake").cause;
    assert_eq!(machine, "inside a millisecond the machine decides, not the time");

    for (node, by, cause) in [
        (1, "+7s", "the first clock had been stepped ahead"),
        (2, "-7s", "the second clock had been stepped back"),
    ] {
        let fault = format!(
            "[[fault]]\nat = \"3s\"\nkind = \"clock-step\"\nnode = {node}\nby = \"{by}\"\n"
        );
        let report = run(&pair("\"guid64\", \"hlc\"", "0", &fault));
        assert_eq!(witness(&report, "happens-before@hlc").cause, cause);
        assert_eq!(witness(&report, "edge-order@guid64").cause, cause);
    }
}

/// Of one node: a version 7 UUID has no sequence, the Go library's rule has, clocks go back.
#[test]
fn causes_on_one_node_are_those_of_the_scheme() {
    let ids = |more: &str| {
        run(&format!(
            "[scenario]\nnodes = 1\nduration = \"2s\"\n[ids]\n\
             schemes = [\"uuid7\", \"upstream\", \"ulid\"]\n\
             [workload]\nkind = \"ids\"\nrate = \"100000/s\"\n{more}"
        ))
    };
    let report = ids("");
    let cause = |report: &Report, key: &str| witness(report, key).cause.clone();
    let random = "inside a millisecond random bits decide, not the time";
    assert_eq!(cause(&report, "monotone@uuid7"), random);
    assert_eq!(cause(&report, "monotone@upstream"), "the sequence wrapped inside a tick");
    assert!(report.get("monotone@ulid").unwrap().witness.is_none());
    let back = "[[fault]]\nat = \"10ms\"\nkind = \"clock-step\"\nnode = 1\nby = \"-1s\"\n";
    assert_eq!(cause(&ids(back), "monotone@ulid"), "the clock went back");
}

/// The path between the two events is one of the trace: each hop sends what the next receives.
#[test]
fn paths_lead_from_the_first_event_to_the_second() {
    let text = "[scenario]\nnodes = 5\nduration = \"20s\"\n[ids]\n\
                schemes = [\"ulid\", \"guid96:d3\"]\nobserve = \"off\"\n\
                [[clock.node]]\nid = 1\noffset = \"+3s\"\n\
                [workload]\nkind = \"chain\"\nthink = \"20ms\"\n\
                [check.expect]\nhappens-before = \">= 1\"\n\"k-order@guid96:d3\" = \"<= 1ms\"";
    let (out, scenario) = (Shared::default(), Scenario::parse(text).unwrap());
    let mut report = scenario.run_traced(42, Some(Box::new(out.clone()))).unwrap();
    let before = report.clone();
    scenario.explain(&mut report).unwrap();
    let trace = Trace::parse(&String::from_utf8(out.0.take()).unwrap()).unwrap();
    let event = |number: u64| &trace.events[usize::try_from(number).unwrap() - 1];
    for key in ["happens-before@ulid", "happens-before@guid96:d3", "k-order@guid96:d3"] {
        let witness = witness(&report, key);
        let path = witness.path.as_ref().unwrap_or_else(|| panic!("no path of {key}"));
        assert!(path.is_causal, "{key}");
        let (mut node, mut at) = (witness.first.node, witness.first.event);
        for (i, hop) in path.hops.iter().enumerate() {
            let (sent, received) = (event(hop.sent), event(hop.received));
            assert_eq!((&sent.kind[..], sent.message), ("send", Some(hop.message)));
            assert_eq!((&received.kind[..], received.message), ("receive", Some(hop.message)));
            assert_eq!((sent.node, received.node), (hop.from, hop.to));
            // The four in the middle may be left out.
            if path.left_out == 0 || i != path.hops.len() / 2 {
                assert_eq!(hop.from, node, "{key}");
            }
            assert!(at <= hop.sent && hop.sent < hop.received);
            (node, at) = (hop.to, hop.received);
        }
        assert!(at <= witness.second.event && path.hops.len() <= 8);
        assert_eq!(node, witness.second.node);
    }
    // Nothing else is changed.
    for check in &mut report.checks {
        if let Some(witness) = &mut check.witness {
            witness.path = None;
        }
    }
    assert_eq!(report, before);
}

#[test]
fn a_long_path_shows_its_ends_and_counts_the_rest() {
    // Round a ring of thirty: whoever is reached first is so by many hops.
    let text = "[scenario]\nnodes = 30\nduration = \"20s\"\n[ids]\nschemes = [\"ulid\"]\n\
                [[clock.node]]\nid = 1\noffset = \"+300s\"\n[[clock.node]]\nid = 30\noffset = \"-5s\"\n\
                [workload]\nkind = \"chain\"\nthink = \"20ms\"\n\
                [check.expect]\nedge-order = \"any\"\n\"k-order@ulid\" = \"<= 1ns\"";
    let scenario = Scenario::parse(text).unwrap();
    let mut report = scenario.run(42).unwrap();
    scenario.explain(&mut report).unwrap();
    let path = witness(&report, "k-order@ulid").path.as_ref().unwrap();
    assert_eq!(path.hops.len(), 8);
    assert!(path.is_causal && path.left_out >= 10, "{path}");
    assert!(path.to_string().contains(&format!(", {} more, message", path.left_out)), "{path}");
}

#[test]
fn events_of_which_none_led_to_the_other_are_concurrent() {
    let text = "[scenario]\nnodes = 2\nduration = \"5s\"\n[ids]\nschemes = [\"guid64\"]\n\
                [[clock.node]]\nid = 1\noffset = \"+1s\"\n[workload]\nkind = \"ids\"\n\
                [check.expect]\n\"k-order@guid64\" = \"<= 1ms\"";
    let scenario = Scenario::parse(text).unwrap();
    let mut report = scenario.run(42).unwrap();
    scenario.explain(&mut report).unwrap();
    let path = witness(&report, "k-order@guid64").path.clone().unwrap();
    assert!(!path.is_causal && path.hops.is_empty());
}

/// Claims without IDs have a witness too.
#[test]
fn replicas_that_stay_apart_have_a_witness() {
    let text = "[scenario]\nnodes = 3\nduration = \"5s\"\n[ids]\nschemes = []\n\
                [workload]\nkind = \"cart\"\nrate = \"5/s\"\n\
                [[fault]]\nat = \"1s\"\nkind = \"partition\"\ngroups = [[1], [2, 3]]";
    let report = run(text);
    let witness = witness(&report, "converged");
    assert!(witness.cause.contains("show different values"), "{}", witness.cause);
    assert_ne!(witness.first.node, witness.second.node);
    assert!(witness.first.event <= witness.second.event);
}
