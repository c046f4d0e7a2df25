//! The shared scenarios: short histories from the literature and from other libraries' tests; and
//! what `replay` says to lines that are none.
//!
//! `data/crdt-scenarios.jsonl` is a copy, whole; the types that are not here yet are owed, by name.

#![cfg(feature = "replay")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

use std::collections::BTreeMap;

use guid_crdt::replay::{Outcome, replay};
use serde_json::{Value, json};

const SCENARIOS: &str = include_str!("data/crdt-scenarios.jsonl");

/// Types that are not here yet, and how many scenarios each is owed.
const OWED: [(&str, usize); 2] = [("text", 2), ("tree", 1)];
const MET: [(&str, usize); 15] = [
    ("bcounter", 1),
    ("dots", 1),
    ("dwflag", 1),
    ("ewflag", 1),
    ("gcounter", 1),
    ("lwwmap", 1),
    ("lwwreg", 3),
    ("lwwset", 1),
    ("mvreg", 2),
    ("ormap", 6),
    ("orset", 10),
    ("pncounter", 1),
    ("rwset", 1),
    ("twopset", 1),
    ("vclock", 1),
];

#[test]
fn every_scenario_of_a_type_that_exists_is_met() {
    let (mut met, mut owed) = (BTreeMap::new(), BTreeMap::new());
    for line in SCENARIOS.lines() {
        let outcome = replay(line).unwrap();
        assert_eq!(outcome.misses, [], "{}", outcome.id);
        let count = if outcome.met.is_some() { &mut met } else { &mut owed };
        *count.entry(outcome.kind).or_default() += 1;
    }
    let named = |counts: &[(&str, usize)]| {
        counts.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!((met, owed), (named(&MET), named(&OWED)));
}

/// Turns one value at a time into another that is wrong: each must be missed.
#[test]
fn a_wrong_expectation_is_missed_wherever_it_stands() {
    fn spoil(value: &mut Value) {
        *value = match value {
            Value::Array(_) => json!(["no such element"]),
            Value::Object(_) => json!({"no such key": 7}),
            Value::Bool(on) => json!(!*on),
            _ => json!(-7),
        };
    }
    let mut spoilt = 0;
    for line in SCENARIOS.lines() {
        let scenario: Value = serde_json::from_str(line).unwrap();
        let clocks = ["vclock", "dots"].contains(&scenario["type"].as_str().unwrap());
        if replay(line).unwrap().met.is_none() || clocks {
            continue;
        }
        let mut places: Vec<String> = Vec::new();
        let steps = scenario["steps"].as_array().unwrap();
        for (number, step) in steps.iter().enumerate() {
            for name in step["expect"].as_object().iter().flat_map(|expect| expect.keys()) {
                places.push(format!("/steps/{number}/expect/{name}"));
            }
        }
        for name in scenario["expect"].as_object().iter().flat_map(|expect| expect.keys()) {
            places.push(format!("/expect/{name}"));
        }
        if scenario["any_order"].is_object() {
            places.push("/any_order/value".to_owned());
        }
        assert!(!places.is_empty(), "{}", scenario["id"]);
        for place in places {
            let mut wrong = scenario.clone();
            spoil(wrong.pointer_mut(&place).unwrap());
            let outcome = replay(&wrong.to_string()).unwrap();
            assert_eq!(outcome.met, Some(false), "{} {place}", scenario["id"]);
            assert_eq!(outcome.misses.len(), 1, "{} {place}", scenario["id"]);
            spoilt += 1;
        }
    }
    assert!(spoilt > 40, "{spoilt}");
}

fn run(line: &Value) -> Outcome {
    replay(&line.to_string()).unwrap()
}

#[track_caller]
fn refused(line: &Value, message: &str) {
    let error = replay(&line.to_string()).unwrap_err();
    assert_eq!(error.to_string(), message);
}

fn history(kind: &str, step: &Value) -> Value {
    json!({"id": "x", "type": kind, "steps": [step]})
}

/// Types that no shared scenario has, and values that need care.
#[test]
fn types_beyond_the_shared_scenarios() {
    let met = |line: Value| assert_eq!(run(&line).met, Some(true), "{line}");
    met(json!({"id": "a", "type": "gset", "steps": [{"op": ["A", "add", 10]},
        {"op": ["B", "add", 9]}, {"sync": ["A", "B"]}], "expect": {"A": [9, 10], "B": [10, 9]}}));
    met(json!({"id": "b", "type": "fwwreg", "steps": [{"op": ["A", "set", "late"], "t": 9},
        {"op": ["B", "set", "early"], "t": 3}, {"op": ["A", "set", "earlier"], "t": 5}],
        "expect": {"A": "earlier"}, "any_order": {"of": ["A", "B"], "value": "early"}}));
    met(json!({"id": "c", "type": "awlwwmap", "steps": [{"op": ["A", "put", "k", 1]},
        {"merge": ["A", "B"]}, {"op": ["A", "remove", "k"]}, {"op": ["B", "put", "k", 2]}],
        "any_order": {"of": ["A", "B"], "value": {"k": 2}}}));
    met(json!({"id": "d", "type": "bcounter", "steps": [{"op": ["A", "inc", 5]},
        {"op": ["A", "transfer", 3, "B"]}, {"merge": ["A", "B"]}, {"op": ["B", "dec", 3],
        "rights": 3}], "expect": {"B": 2}}));
    let deep = json!({"type": "ormap", "of": {"type": "ormap", "of": {"type": "dwflag"}}});
    met(json!({"id": "e", "type": "ormap", "params": {"of": deep}, "steps": [
        {"op": ["A", "update", "x", ["update", "y", ["update", "z", ["enable"]]]]},
        {"op": ["A", "update", "x", ["update", "w", ["update", "z", ["disable"]]]]}],
        "expect": {"A": {"x": {"y": {"z": true}}}}}));
    met(json!({"id": "f", "type": "lwwset", "steps": [{"op": ["A", "add", "x"], "t": 5},
        {"op": ["B", "remove", "x"], "t": 5}],
        "any_order": {"of": ["A", "B"], "value": ["x"]}}));
}

/// An operation with an older context voids what that has seen, in every type that observes.
#[test]
fn a_stale_context_voids_what_it_has_seen() {
    let story = |kind: &str, of: Value, [first, second, void]: [Value; 3], value: Value| {
        let op = |op: &Value| {
            let mut all = vec![json!("A")];
            all.extend(op.as_array().unwrap().iter().cloned());
            json!({ "op": all })
        };
        let mut last = op(&void);
        last["ctx"] = json!("old");
        let line = json!({"id": kind, "type": kind, "params": of, "steps": [op(&first),
            {"context": ["A", "old"]}, op(&second), last], "expect": {"A": value}});
        assert_eq!(run(&line).misses, [], "{line}");
    };
    let none = json!({});
    let ops = |a, b, c| [a, b, c];
    story(
        "mvreg",
        none.clone(),
        ops(json!(["set", 1]), json!(["set", 2]), json!(["set", 3])),
        json!([2, 3]),
    );
    story(
        "ewflag",
        none.clone(),
        ops(json!(["enable"]), json!(["enable"]), json!(["disable"])),
        json!(true),
    );
    story(
        "rwset",
        none.clone(),
        ops(json!(["remove", 1]), json!(["add", 2]), json!(["clear"])),
        json!([2]),
    );
    story(
        "awlwwmap",
        none,
        ops(json!(["put", "k", 1]), json!(["put", "k", 2]), json!(["remove", "k"])),
        json!({"k": 2}),
    );
    story(
        "ormap",
        json!({"of": {"type": "pncounter"}}),
        ops(
            json!(["update", "k", ["inc", 1]]),
            json!(["update", "k", ["inc", 2]]),
            json!(["remove", "k"]),
        ),
        json!({"k": 2}),
    );
}

#[test]
fn what_could_not_be_told_says_why() {
    let why = |line: Value| {
        let outcome = run(&line);
        assert_eq!(outcome.met, None);
        outcome.why.unwrap()
    };
    let line = json!({"id": "x", "type": "tree", "steps": [{"op": ["A", "move", "a", "b"]}]});
    assert_eq!(why(line), "the type does not exist here yet");
    assert_eq!(why(history("orset", &json!({"op": ["A", "clear"]}))), "the line expects nothing");
    let names: Vec<String> = (0..9).map(|n| format!("r{n}")).collect();
    let any_order = json!({"of": names, "value": []});
    let line = json!({"id": "x", "type": "orset", "steps": [], "any_order": any_order});
    assert_eq!(why(line), "any_order: more than 8 states have too many orders");
    let mut of = json!({"type": "orset"});
    for _ in 0..4 {
        of = json!({"type": "ormap", "of": of});
    }
    let line = json!({"id": "x", "type": "ormap", "params": {"of": of["of"]}, "steps": []});
    assert_eq!(why(line), "maps lie in maps three deep here, not deeper");
    let line = json!({"id": "x", "type": "ormap", "params": {"of": {"type": "gset"}}, "steps": []});
    assert_eq!(why(line), "a map cannot hold this type: what is removed under a key needs a dot");
}

#[test]
fn a_slip_is_told_with_the_nearest_that_exists() {
    let orset = |step: Value| history("orset", &step);
    refused(&json!([]), "the line is []: expected an object with `id` and `type`");
    refused(&json!({"type": "orset"}), "no `id`: expected an object with `id` and `type`");
    refused(
        &json!({"id": "x", "type": "or-set"}),
        "no type is called `or-set`: did you mean `orset`?",
    );
    refused(
        &json!({"id": "x", "type": "orset", "step": []}),
        "no key is called `step`: did you mean `steps`?",
    );
    refused(&json!({"id": "x", "type": "orset", "a": {}}), "`a` is not for `orset`");
    refused(&orset(json!({"opp": []})), "step 1: no step has `opp`: did you mean `op`?");
    refused(
        &orset(json!({"op": ["A", "rmove", 1]})),
        "step 1: no operation `rmove`: did you mean `remove`?",
    );
    refused(&orset(json!({"op": ["A", "add"]})), "step 1: `add` has 0 arguments: expected 1");
    refused(&orset(json!({"deliver": ["d", "A"]})), "step 1: no message is called `d` yet");
    refused(
        &orset(json!({"op": ["A", "clear"], "rights": 1})),
        "step 1: `rights` is for `bcounter`",
    );
    refused(
        &orset(json!({"merge": ["A", "B"], "t": 1})),
        "step 1: `t` belongs to `op`, not to `merge`",
    );
    refused(
        &history("gcounter", &json!({"op": ["A", "inc", -1]})),
        "step 1: an amount is -1: expected a number from 0 to 9223372036854775807",
    );
    refused(
        &orset(json!({"op": ["A", "add", 1e300]})),
        "step 1: a number beyond 64 bits: expected it as a text",
    );
    refused(
        &json!({"id": "x", "type": "orset", "nodes": {"A": 1, "B": 1}}),
        "`B` and `A` are one node: each needs its own",
    );
    refused(
        &json!({"id": "x", "type": "orset", "steps": [{"op": ["A", "add", 1], "t": 5},
            {"op": ["A", "add", 2], "t": 5}]}),
        "step 2: dot 00000001@5 is not after 00000001@5, which is known already",
    );
    let (open, close) = (r#"{"type":"ormap","of":"#.repeat(9000), "}".repeat(9000));
    let deep = format!(r#"{{"id":"x","type":"ormap","params":{{"of":{open}0{close}}}}}"#);
    assert_eq!(replay(&deep).unwrap_err().to_string(), "maps in maps more than 64 deep");
    let twice = r#"{"id": "x", "type": "orset", "steps": [], "steps": []}"#;
    assert_eq!(replay(twice).unwrap_err().to_string(), "`steps` stands twice");
    let cut = r#"{"id": "x", "type"#;
    assert_eq!(replay(cut).unwrap_err().at, cut.len() - 1);
}

/// Whatever comes in: an outcome or an error that points into the line.
#[test]
fn damaged_lines_are_outcomes_or_errors() {
    for line in SCENARIOS.lines() {
        for at in 0..line.len() {
            for byte in [b'"', b'0', b'[', b'}', b' ', b'z'] {
                let mut damaged = line.as_bytes().to_vec();
                damaged[at] = byte;
                let Ok(text) = String::from_utf8(damaged) else { continue };
                if let Err(error) = replay(&text) {
                    assert!(error.at <= text.len(), "{error:?}");
                }
            }
        }
    }
}
