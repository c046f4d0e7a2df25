//! Traces in the forms of other tools: by each tool's rules, as far as they can be checked here.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{cell::RefCell, collections::BTreeMap, io::Write, rc::Rc};

use guid_sim::{Builtin, Format, Trace};
use serde_json::Value;

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

fn trace(name: &str) -> Trace {
    let out = Shared::default();
    let scenario = Builtin::named(name).unwrap().scenario().unwrap();
    scenario.run_traced(42, Some(Box::new(out.clone()))).unwrap();
    Trace::parse(&String::from_utf8(out.0.take()).unwrap()).unwrap()
}

/// The rules that `ShiViz` enforces: each host counts 1, 2, 3, … in its own component, names only
/// hosts that have events, and none beyond the events they have.
#[test]
fn shiviz_accepts_the_log() {
    let text = Format::Shiviz.write(&trace("split-brain-cart"));
    let mut lines = text.lines();
    let expression = lines.next().unwrap();
    assert!(expression.contains("(?<event>") && expression.contains("(?<host>"));
    assert!(!expression.starts_with('^') && !expression.ends_with('$'));
    assert_eq!(lines.next(), Some(""), "no delimiter");
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    let mut named: BTreeMap<String, u64> = BTreeMap::new();
    let lines: Vec<&str> = lines.collect();
    for pair in lines.chunks(2) {
        let (host, clock) = pair[1].split_once(' ').unwrap();
        assert!(pair[0].starts_with('[') && pair[0].contains("] "));
        let clock: BTreeMap<String, u64> = serde_json::from_str(clock).unwrap();
        let own = counted.entry(String::from(host)).or_default();
        *own += 1;
        assert_eq!(clock[host], *own);
        for (host, count) in clock {
            let most = named.entry(host).or_default();
            *most = count.max(*most);
        }
    }
    assert_eq!(named, counted, "nobody is known beyond what they did");
}

/// Faults are instants, and everything else a slice.
fn is_fault(kind: &str) -> bool {
    !["mint", "write", "send", "receive"].contains(&kind)
}

#[test]
fn chrome_has_a_slice_an_event_an_instant_a_fault_and_flows_that_meet() {
    // Loss, duplicates, a partition; clocks that strobe; bursts of events at one moment.
    for name in ["hello-clocks", "split-brain-cart", "jepsen-strobe", "five-regions"] {
        let trace = trace(name);
        let json: Value = serde_json::from_str(&Format::Chrome.write(&trace)).unwrap();
        let all = json["traceEvents"].as_array().unwrap();
        let of = |ph: &str| all.iter().filter(|event| event["ph"] == ph).collect::<Vec<_>>();
        let faults = trace.events.iter().filter(|event| is_fault(&event.kind)).count();
        assert_eq!(of("I").len(), faults, "{name}");
        assert_eq!(of("X").len(), trace.events.len() - faults, "{name}");
        assert!(name == "hello-clocks" || faults > 0, "{name}");
        assert!(of("I").iter().all(|event| event["s"] == "t" && event["dur"].is_null()));

        // Each flow begins once and ends once, later, and inside a slice of its own node.
        let ids = |ph: &str| {
            let ids = of(ph).into_iter().map(|event| event["id"].as_u64().unwrap());
            let mut ids: Vec<u64> = ids.collect();
            ids.sort_unstable();
            ids
        };
        let (starts, ends) = (ids("s"), ids("f"));
        assert_eq!(starts, ends, "{name}");
        assert!(ends.is_sorted_by(|a, b| a < b) && ends.len() > 200, "{name}: once each");

        let mut slices: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
        for slice in of("X") {
            let number = |key: &str| slice[key].as_f64().unwrap();
            let of_node = slices.entry(slice["tid"].as_u64().unwrap()).or_default();
            of_node.push((number("ts"), number("ts") + number("dur")));
            assert!(number("dur") > 0.0);
        }
        for of_node in slices.values_mut() {
            of_node.sort_by(|a, b| a.0.total_cmp(&b.0));
            // To a picosecond: the times are sums of doubles.
            let overlap = of_node.windows(2).find(|two| two[1].0 < two[0].1 - 1e-6);
            assert!(overlap.is_none(), "{name}: {overlap:?}");
        }
        for flow in of("s").into_iter().chain(of("f")) {
            let (node, ts) = (flow["tid"].as_u64().unwrap(), flow["ts"].as_f64().unwrap());
            assert!(
                slices[&node].iter().any(|slice| slice.0.total_cmp(&ts).is_eq()),
                "{name}: {flow}"
            );
        }
    }
}

#[test]
fn csv_has_as_many_cells_in_every_line() {
    let trace = trace("hello-clocks");
    let text = Format::Csv.write(&trace);
    let cells = |line: &str| line.split(',').count();
    let head = text.lines().next().unwrap();
    assert!(head.ends_with("guid64,guid96:d3,hlc,lamport,vector"), "{head}");
    assert!(text.lines().all(|line| cells(line) == cells(head)));
    assert_eq!(text.lines().count(), trace.events.len() + 1);
}

#[test]
fn diagrams_draw_every_message() {
    let trace = trace("hello-clocks");
    let received = trace.events.iter().filter(|event| event.kind == "receive").count();
    let mermaid = Format::Mermaid.write(&trace);
    assert_eq!(mermaid.matches("->>").count(), received);
    let dot = Format::Dot.write(&trace);
    assert_eq!(dot.matches("style=bold").count(), received);
    assert_eq!(dot.matches("[label=").count(), trace.events.len());
}

/// A message that is lost was on its way from its sender to somebody else.
#[test]
fn a_lost_message_is_drawn_from_its_sender() {
    let trace = trace("split-brain-cart");
    let text = Format::Mermaid.write(&trace);
    let sent: BTreeMap<u64, (u32, u32)> = (trace.events.iter())
        .filter(|event| event.kind == "send")
        .map(|event| (event.message.unwrap(), (event.node, event.peer.unwrap())))
        .collect();
    let lost: Vec<_> = trace.events.iter().filter(|event| event.kind == "lost").collect();
    assert!(lost.len() > 100);
    for event in &lost {
        let message = event.message.unwrap();
        let (from, to) = sent[&message];
        assert_ne!(from, to);
        assert!(text.contains(&format!("  n{from}--xn{to}: message {message} lost\n")));
    }
    // Of a part that lacks the sending nothing more is known.
    let mut part = trace;
    part.events.retain(|event| event.kind == "lost");
    let text = Format::Mermaid.write(&part);
    assert!(!text.contains("--x") && text.matches("lost").count() == part.events.len());
}

#[test]
fn what_is_no_trace_is_said_with_its_line() {
    let header = r#"{"guid_sim":1,"scenario":"x","nodes":2}"#;
    let error = |line: &str| Trace::parse(&format!("{header}\n{line}")).unwrap_err().to_string();
    assert_eq!(error("[]"), "line 2: not a JSON object");
    assert_eq!(error(r#"{"event":1}"#), "line 2: `node` is missing");
    assert_eq!(error(r#"{"event":-1}"#), "line 2: `event` is -1, expected a whole number");
    let event = r#"{"event":1,"node":3,"true_ns":"1","local_ns":"1","kind":"mint"}"#;
    assert_eq!(error(event), "line 2: node 3 of 2");
    assert!(Trace::parse("").unwrap_err().to_string().starts_with("line 1: "));
}

/// Tags in pairs, attributes in quotes, text without bare signs: what makes a document whole.
fn is_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (i, part) in text.split('<').enumerate().skip(1) {
        let (tag, after) = part.split_once('>').unwrap_or_else(|| panic!("part {i}: {part}"));
        assert!(!after.contains('>') || open.contains(&"style"), "{after}");
        assert!(after.split('&').skip(1).all(|rest| rest.contains(';')), "{after}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_picture_shows_each_message_that_ids_tell_wrong() {
    for name in ["hello-clocks", "split-brain-cart", "jepsen-strobe", "lww-window-trap"] {
        let mut trace = trace(name);
        trace.events.truncate(200);
        let text = Format::Svg.write(&trace);
        is_well_formed(&text);
        // The canonical texts of global IDs sort as their bytes: that is enough to count by hand.
        let id = |event: &guid_sim::TraceEvent| {
            let found = event.ids.iter().find(|(scheme, _)| scheme.starts_with("guid96"));
            found.map(|(_, id)| id.clone())
        };
        let sends: BTreeMap<u64, Option<String>> = (trace.events.iter())
            .filter(|event| event.kind == "send")
            .map(|event| (event.message.unwrap(), id(event)))
            .collect();
        let receives = trace.events.iter().filter(|event| event.kind == "receive");
        let wrong = receives
            .filter(|event| sends.get(&event.message.unwrap()).is_some_and(|s| *s >= id(event)))
            .count();
        // One more is in the legend.
        assert_eq!(text.matches("class=\"inverted\"").count(), wrong + 1, "{name}");
        assert!(text.contains(&format!("{wrong} of ")), "{name}");
        assert!(wrong > 0, "{name}");
        assert!(text.contains("prefers-color-scheme: dark"));
    }
}

#[test]
fn a_picture_is_bounded_and_says_what_it_shows() {
    let all = trace("jepsen-strobe");
    let text = Format::Svg.write(&all);
    assert!(text.contains("Events 1 to 240") && text.contains("240 of 25972"), "{}", &text[..900]);
    assert!(text.len() < 200_000, "{}", text.len());

    let mut faults = all;
    faults.events.retain(|event| event.kind == "clock-fault");
    faults.events.truncate(3);
    let text = Format::Svg.write(&faults);
    for says in ["clock -288 s", "clock +129 s", "clock +262 s"] {
        assert!(text.contains(says), "{says}");
    }

    let header = |name: &str| format!("{{\"guid_sim\":1,\"scenario\":{name},\"nodes\":60000}}");
    let empty = Trace::parse(&header("\"<script>&\\u0000\\\"\"")).unwrap();
    let text = Format::Svg.write(&empty);
    is_well_formed(&text);
    assert!(text.contains("nothing is drawn") && text.contains("&lt;script&gt;&amp;\u{fffd}"));

    let crowd = header("\"x\"").replace("60000", "4000000000");
    assert!(Trace::parse(&crowd).unwrap_err().to_string().contains("at most 65536"));

    // Many nodes, times at both ends of the scale, IDs that are none.
    let mut lines = header("\"x\"");
    for event in 1..500_u64 {
        let ns = if event % 2 == 0 { 0 } else { u64::MAX };
        lines += &format!(
            "\n{{\"event\":{event},\"node\":{},\"true_ns\":\"{ns}\",\"local_ns\":\"0\",\"kind\":\"<b>\",\
             \"message\":1,\"to\":7,\"ids\":{{\"hlc\":\"\\u0007\",\"guid96:d3\":\"&\"}}}}",
            event * 100
        );
    }
    let text = Format::Svg.write(&Trace::parse(&lines).unwrap());
    is_well_formed(&text);
    assert!(text.contains("16 of 499"), "{}", &text[..900]);
}
