//! The checkers of histories: equal to Jepsen's on recorded ones, equal to naive ones on random
//! ones, and unmoved by what is no history.
//!
//! `data/history-cases.jsonl` holds random histories with the verdicts and counts that Jepsen
//! 0.3.7 and Maelstrom's checkers gave.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]
#![expect(clippy::cast_possible_truncation, reason = "of random bits any will do")]
#![expect(clippy::cast_possible_wrap, reason = "remainders and indices are small")]

use std::collections::{BTreeMap, BTreeSet};

use guid_sim::{
    Verdict,
    history::{
        Case, Checker, Counter, Counts, Element, Function, History, Op, OpKind, Outcome, SetFull,
    },
};
use proptest::prelude::*;

const CASES: &str = include_str!("data/history-cases.jsonl");

#[test]
fn every_recorded_history_is_judged_as_jepsen_judges_it() {
    let mut judged: BTreeMap<Checker, [u32; 3]> = BTreeMap::new();
    for (number, line) in (1..).zip(CASES.lines()) {
        let case = Case::parse(line).unwrap();
        let outcome = case.check().unwrap();
        assert_eq!(case.differences(&outcome).unwrap(), [""; 0], "line {number}");
        // Not only what is expected is there, but nothing else.
        let keys = |element: &Element| -> BTreeSet<String> {
            element.as_object().unwrap().iter().map(|(key, _)| key.to_string()).collect()
        };
        let mut expected = keys(case.expected.as_ref().unwrap());
        expected.insert("checker".to_owned());
        let json = serde_json::to_string(&outcome).unwrap();
        assert_eq!(keys(&serde_json::from_str(&json).unwrap()), expected);
        let is_wrong = outcome.verdict == Verdict::Violated;
        assert_eq!(outcome.witness.is_some(), is_wrong, "line {number}");
        judged.entry(case.checker).or_default()[outcome.verdict as usize] += 1;
    }
    let expected = [
        // valid, unknown, invalid
        (Checker::SetFull, [75, 17, 45]),
        (Checker::SetFullLin, [29, 17, 24]),
        (Checker::UniqueIds, [53, 0, 19]),
        (Checker::PnCounter, [23, 0, 98]),
    ];
    assert_eq!(judged, BTreeMap::from(expected));
    assert_eq!(judged.values().flatten().sum::<u32>(), 400);
}

/// A checker that always says what the file says would pass above.
#[test]
fn another_outcome_than_the_expected_one_is_a_difference() {
    let line = CASES.lines().find(|line| line.contains(r#""valid":true"#)).unwrap();
    let case = Case::parse(&line.replace(r#""valid":true"#, r#""valid":false"#)).unwrap();
    let outcome = case.check().unwrap();
    assert_eq!(case.differences(&outcome).unwrap(), ["valid: true, expected false"]);
}

fn case(checker: &str, ops: &str) -> Case {
    Case::parse(&format!(r#"{{"checker":"{checker}","history":[{ops}]}}"#)).unwrap()
}

/// `0 invoke add 5 @10`, separated by `;`. `!` for a final read.
fn judge(checker: &str, ops: &str) -> Outcome {
    let ops = ops.split(';').map(|op| {
        let [process, kind, function, value, time] =
            op.split_whitespace().collect::<Vec<_>>().try_into().unwrap();
        let (function, is_final) = (function.trim_end_matches('!'), function.ends_with('!'));
        format!(
            r#"{{"process":{process},"type":"{kind}","f":"{function}","value":{value},
                "time":{time},"final?":{is_final}}}"#
        )
    });
    case(checker, &ops.collect::<Vec<_>>().join(",")).check().unwrap()
}

#[track_caller]
fn shows(outcome: &Outcome, says: &str, ops: &[usize]) {
    let witness = outcome.witness.as_ref().unwrap();
    assert_eq!((witness.says.as_str(), witness.ops.as_slice()), (says, ops));
}

#[test]
fn the_witness_of_a_loss_is_the_add_and_the_read_that_missed_it() {
    let ops = "0 invoke add 7 0; 1 invoke read null 1; 0 ok add 7 2; 1 ok read [] 3;
               1 invoke read null 4; 1 ok read [] 5";
    let outcome = judge("set-full", ops);
    shows(&outcome, "7 is lost: known, then missed by a later read", &[0, 2, 4, 5]);
    // The first read began before the add ended: by itself it decides nothing.
    let outcome = judge("set-full", &ops[..ops.find('\n').unwrap() - 1]);
    assert_eq!((outcome.verdict, outcome.witness), (Verdict::Unknown, None));
}

#[test]
fn what_came_late_is_wrong_only_where_at_once_is_promised() {
    let ops = "0 invoke add 7 0; 0 ok add 7 1; 1 invoke read null 1000000; 1 ok read [] 1000001;
               1 invoke read null 1000002; 1 ok read [7] 1000003";
    assert_eq!(judge("set-full", ops).verdict, Verdict::Holds);
    let outcome = judge("set-full-lin", ops);
    assert_eq!(outcome.verdict, Verdict::Violated);
    shows(&outcome, "7 is stale: known, then missed by a read, then there", &[0, 1, 2, 3]);
    // A nanosecond less is less than a millisecond.
    let sooner = ops.replace("1000000", "999999");
    assert_eq!(judge("set-full-lin", &sooner).verdict, Verdict::Holds);
}

#[test]
fn the_witness_of_a_duplicate_is_both_that_were_given() {
    let ops = "0 invoke generate null 0; 0 ok generate {\"a\":1,\"b\":[2]} 1;
               1 invoke generate null 2; 1 ok generate {\"b\":[2],\"a\":1} 3";
    let outcome = judge("unique-ids", ops);
    shows(&outcome, r#"{"a":1,"b":[2]} is given twice"#, &[1, 3]);
    let outcome = judge("unique-ids", &ops.replace("[2],\"a\"", "[2.0],\"a\""));
    assert_eq!(outcome.verdict, Verdict::Holds, "2 is not 2.0");
}

#[test]
fn the_witness_of_a_counter_is_the_read_that_no_sum_explains() {
    let ops = "0 invoke add 5 0; 0 ok add 5 1; 0 invoke add -2 2; 0 info add -2 3;
               1 invoke add 100 4; 1 fail add 100 5; 2 invoke add 50 6; 3 invoke read null 7;
               3 ok read 99 8; 3 invoke read! null 9; 3 ok read! 3 10; 3 invoke read! null 11;
               3 ok read! 4 12";
    for checker in ["pn-counter", "g-counter"] {
        let outcome = judge(checker, ops);
        shows(&outcome, "4 is read at the end, and the adds make 3, 5", &[11, 12]);
        assert_eq!(
            serde_json::to_string(&outcome).unwrap(),
            format!(
                r#"{{"checker":"{checker}","valid":false,"final":[3,4],"acceptable":[[3,3],[5,5]]}}"#
            )
        );
    }
}

/// 2⁴⁰ sums are not counted out, and not guessed at.
#[test]
fn too_many_sums_are_unknown_unless_a_read_is_beyond_all() {
    let verdict = |read: i64| {
        let adds = (0..40).map(|i| format!("{i} invoke add {0} 0; {i} info add {0} 0", 3_i64 << i));
        let mut ops: Vec<String> = adds.collect();
        ops.push(format!("99 invoke read! null 1; 99 ok read! {read} 2"));
        judge("pn-counter", &ops.join(";"))
    };
    // Multiples of three from 0 to 3(2⁴⁰ - 1).
    assert_eq!(verdict(3).verdict, Verdict::Unknown);
    assert_eq!(verdict(4).verdict, Verdict::Unknown);
    assert_eq!(verdict(-1).verdict, Verdict::Violated);
    assert_eq!(verdict(3 << 40).verdict, Verdict::Violated);
    assert!(serde_json::to_string(&verdict(3)).unwrap().ends_with(r#""acceptable":null}"#));
}

#[test]
fn what_the_tester_does_is_passed_over_and_broadcast_is_add() {
    let ops = r#"{"process":"nemesis","type":"info","f":"start-partition","time":0},
        {"process":0,"type":"invoke","f":"broadcast","value":"x","time":1,"index":4},
        {"process":"nemesis","type":"info","f":"start-partition","value":[[1],[2]],"time":2},
        {"process":0,"type":"ok","f":"broadcast","time":3}"#;
    let outcome = case("set-full", ops).check().unwrap();
    let Counts::Set(SetFull { attempt, .. }) = outcome.counts else { panic!("a set") };
    assert_eq!((attempt, outcome.verdict), (1, Verdict::Unknown));
}

#[test]
fn what_is_wrong_is_said_with_its_operation() {
    let invoke = r#"{"process":0,"type":"invoke","f":"add","value":1,"time":0}"#;
    let with = |op: &str| format!(r#"{{"checker":"pn-counter","history":[{invoke},{op}]}}"#);
    let op = |old: &str, new: &str| with(&invoke.replace("invoke", "ok").replace(old, new));
    let check = |text: &str| Case::parse(text).and_then(|case| case.check());
    assert!(check(&with(&invoke.replace("invoke", "ok"))).is_ok());
    for (text, says) in [
        ("", "EOF while parsing a value"),
        ("[]", "invalid type: sequence, expected an object with `checker` and `history`"),
        ("{}", "missing field `checker`"),
        (r#"{"checker":"set"}"#, "`checker` is \"set\": expected one of `set-full`,"),
        (r#"{"checker":"set-full"}"#, "missing field `history`"),
        (r#"{"checker":"set-full","history":{}}"#, "expected a list of operations for `history`"),
        (&with("7"), "op 1: invalid type: integer `7`, expected an object with `process`"),
        (&with("[0]"), "op 1: invalid type: sequence, expected an object with"),
        (&with("{"), "op 1: key must be a string"),
        (&op("\"process\":0,", ""), "op 1: `process` is missing: expected an integer"),
        (&op("\"process\":0", "\"process\":0.5"), "op 1: `process` is 0.5: expected an integer"),
        (&op("\"ok\"", "\"okay\""), "op 1: `type` is \"okay\": expected `invoke`, `ok`,"),
        (&op("\"add\"", "[]"), "op 1: `f` is []: expected a string"),
        (&op("\"time\":0", "\"time\":null"), "op 1: `time` is null: expected an integer"),
        (&op("\"time\":0", "\"time\":0,\"time\":0"), "op 1: `time` stands twice"),
        (&op("\"time\":0", "\"time\":0,\"final?\":0"), "op 1: `final?` is 0: expected true or"),
        (&op("\"ok\"", "\"invoke\""), "op 1: client 0 invokes again, expected the end of its add"),
        (&op("\"process\":0", "\"process\":1"), "op 1: `ok` of client 1: expected an invocation"),
        (&op("\"add\"", "\"read\""), "op 1: `ok` of a read: expected of the add (op 0)"),
        (&op("\"value\":1", "\"value\":2"), "op 1: `value` is 2: expected 1, as invoked (op 0)"),
        (&with(invoke).replace(",\"value\":1", ""), "op 0: `value` is missing: expected what to"),
        (&with(invoke).replace(":1,", ":1e400,"), "op 0: number out of range"),
        (&op("1", "1.5").replace(":1,", ":1.5,"), "op 0: `value` is 1.5: expected an integer"),
        (
            &op("1", "1").replace("pn-counter", "unique-ids"),
            "op 0: `f` is add: expected `generate`",
        ),
        (&with(invoke).replace(":1,", ":18446744073709551616,"), "op 1: client 0 invokes again"),
        (&op("", "").replace(":1,", ":18446744073709551616,"), "an integer beyond 64 bits"),
        (&op("", "").replace(":1,", ":9223372036854775808,"), "op 0: `value` is 9223372036854"),
        (&op("", "").replace(":1,", ":-9223372036854775808,"), "op 1: the adds together"),
        (r#"{"checker":"set-full","history":[],"expected":{}}"#, "expected an object with `valid`"),
        (
            r#"{"checker":"set-full","history":[],"expected":{"valid":true,"los":[]}}"#,
            "`expected` has \"los\": expected any of valid, attempt,",
        ),
    ] {
        let error = check(text).map(|_| ()).expect_err(text);
        assert!(error.message.contains(says), "{text}: {error}");
        assert!(!error.message.contains("column"), "{error}");
        assert!(error.at <= text.len());
    }
    let text = with("7");
    assert_eq!(&text[Case::parse(&text).unwrap_err().at..], "7]}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Case::parse(&with(&deep)).is_err());
}

/// Random operations of a few clients, each of which does one thing at a time.
fn history(
    functions: &'static [Function],
    value: impl Fn(&Function, OpKind, u64) -> Option<Element> + Copy,
) -> impl Strategy<Value = History> {
    let step = (0_i64..4, any::<u64>(), 0_i64..2_000_000);
    prop::collection::vec(step, 0..60).prop_map(move |steps| {
        let mut history = History::default();
        let mut open: BTreeMap<i64, Op> = BTreeMap::new();
        for (client, random, time) in steps {
            let op = if let Some(asked) = open.remove(&client) {
                let kind =
                    [OpKind::Ok, OpKind::Ok, OpKind::Info, OpKind::Fail][random as usize % 4];
                let mut op = Op::new(client, kind, asked.function.clone(), time);
                op.value = value(&op.function, kind, random / 4);
                if op.function == Function::Add {
                    op.value = asked.value;
                }
                op
            } else {
                let function = functions[random as usize % functions.len()].clone();
                let mut op = Op::new(client, OpKind::Invoke, function, time);
                op.value = value(&op.function, OpKind::Invoke, random / 4);
                op.is_final = random % 3 == 0;
                open.insert(client, op.clone());
                op
            };
            history.push(op).unwrap();
        }
        history
    })
}

/// Few elements, so that they meet in reads and are added again.
fn set_value(function: &Function, kind: OpKind, random: u64) -> Option<Element> {
    match (function, kind) {
        (Function::Add, _) => Some(Element::from((random % 6) as i64)),
        (_, OpKind::Ok) => {
            // Every element with even chance, one of them twice at times.
            let mut read: Vec<i64> = (0..7).filter(|bit| random >> bit & 1 == 1).collect();
            read.extend(read.first().copied().filter(|_| random >> 8 & 1 == 1));
            Some(read.into_iter().map(Element::from).collect())
        }
        _ => None,
    }
}

fn counter_value(function: &Function, kind: OpKind, random: u64) -> Option<Element> {
    match (function, kind) {
        (Function::Add, _) => Some(Element::from((random % 41) as i64 - 20)),
        (_, OpKind::Ok) => Some(Element::from((random % 61) as i64 - 30)),
        _ => None,
    }
}

/// Jepsen's rule, word for word: a state an element, and every read goes through all of them.
#[derive(Clone, Copy, Default)]
struct State {
    known: Option<usize>,
    last_present: Option<usize>,
    last_absent: Option<usize>,
}

fn naive_set_full(ops: &[Op]) -> SetFull {
    let mut states: BTreeMap<Element, State> = BTreeMap::new();
    let mut reads = BTreeMap::new();
    for (index, op) in ops.iter().enumerate() {
        match (&op.function, op.kind) {
            (Function::Add, OpKind::Invoke) => {
                states.insert(op.value.clone().unwrap(), State::default());
            }
            (Function::Add, OpKind::Ok) => {
                let state = states.get_mut(op.value.as_ref().unwrap()).unwrap();
                state.known = state.known.or(Some(index));
            }
            (Function::Read, OpKind::Invoke) => drop(reads.insert(op.process, index)),
            (Function::Read, OpKind::Ok) => {
                let invoked = Some(reads[&op.process]);
                let read = op.value.as_ref().unwrap().as_list().unwrap();
                for (element, state) in &mut states {
                    if read.contains(element) {
                        state.known = state.known.or(Some(index));
                        state.last_present = state.last_present.max(invoked);
                    } else {
                        state.last_absent = state.last_absent.max(invoked);
                    }
                }
            }
            _ => {}
        }
    }
    let mut counts = SetFull::default();
    counts.attempt = states.len() as u64;
    for (element, State { known, last_present, last_absent }) in states {
        let index = |op: Option<usize>| op.map_or(-1, |index| index as i64);
        let stable = last_present.is_some() && index(last_absent) < index(last_present);
        let lost = known.is_some()
            && last_absent.is_some()
            && index(last_present) < index(last_absent)
            && index(known) < index(last_absent);
        if stable {
            counts.stable += 1;
            let stable_time = last_absent.map_or(0, |index| ops[index].time_ns + 1);
            let latency = (stable_time - ops[known.unwrap()].time_ns).max(0);
            if latency / 1_000_000 > 0 {
                counts.stale.push(element);
            }
        } else if lost {
            counts.lost.push(element);
        } else {
            counts.never.push(element);
        }
    }
    counts
}

fn naive_verdict(counts: &SetFull, at_once: bool) -> Verdict {
    if !counts.lost.is_empty() {
        Verdict::Violated
    } else if counts.stable == 0 {
        Verdict::Unknown
    } else {
        Verdict::of(!at_once || counts.stale.is_empty())
    }
}

/// Every sum by itself.
fn naive_sums(ops: &[Op]) -> BTreeSet<i64> {
    let adds = |kind: OpKind| {
        let adds = ops.iter().filter(move |op| op.function == Function::Add && op.kind == kind);
        adds.map(|op| op.value.as_ref().unwrap().as_integer().unwrap())
    };
    let mut sums = BTreeSet::from([adds(OpKind::Ok).sum()]);
    for add in adds(OpKind::Info) {
        let moved: Vec<i64> = sums.iter().map(|sum| sum + add).collect();
        sums.extend(moved);
    }
    sums
}

/// Any JSON; objects and lists of them too, with the keys of a history.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let words = prop::sample::select(vec![
        "invoke",
        "ok",
        "info",
        "add",
        "read",
        "generate",
        "set-full",
        "pn-counter",
        "unique-ids",
    ]);
    let keys = prop::sample::select(vec![
        "checker", "history", "expected", "process", "type", "f", "value", "time", "final?",
        "valid",
    ]);
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-3_i64..3).prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        words.prop_map(Into::into),
        ".*".prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 80, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(serde_json::Value::from),
            prop::collection::btree_map(keys.clone(), inner, 0..8).prop_map(|map| {
                map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn a_set_is_judged_as_the_naive_rule_judges_it(
        history in history(&[Function::Add, Function::Read, Function::Read], set_value),
    ) {
        let expected = naive_set_full(history.ops());
        for (checker, at_once) in [(Checker::SetFull, false), (Checker::SetFullLin, true)] {
            let outcome = history.check(checker).unwrap();
            prop_assert_eq!(outcome.verdict, naive_verdict(&expected, at_once));
            prop_assert_eq!(outcome.witness.is_some(), outcome.verdict == Verdict::Violated);
            prop_assert_eq!(outcome.counts, Counts::Set(expected.clone()));
        }
    }

    #[test]
    fn a_counter_accepts_just_the_sums_that_its_adds_have(
        history in history(&[Function::Add, Function::Add, Function::Read], counter_value),
    ) {
        let sums = naive_sums(history.ops());
        let outcome = history.check(Checker::PnCounter).unwrap();
        let Counts::Counter(Counter { finals, acceptable, .. }) = outcome.counts else {
            panic!("a counter")
        };
        let ranges = acceptable.unwrap();
        let accepted: BTreeSet<i64> = ranges.iter().flat_map(|&(low, high)| low..=high).collect();
        prop_assert_eq!(&accepted, &sums);
        prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0), "merged");
        let holds = finals.iter().all(|read| sums.contains(read));
        prop_assert_eq!(outcome.verdict, Verdict::of(holds));
    }

    #[test]
    fn no_json_makes_it_panic(value in json(), checker in json(), history in json()) {
        let whole = serde_json::json!({ "checker": checker, "history": history });
        for text in [value.to_string(), whole.to_string()] {
            if let Ok(case) = Case::parse(&text) {
                case.check().ok();
            }
        }
    }

    /// A history that is one, with a field of an operation replaced, and cut short.
    #[test]
    fn no_change_of_a_history_makes_it_panic(
        line in prop::sample::select(CASES.lines().collect::<Vec<_>>()),
        pick in any::<prop::sample::Index>(),
        key in prop::sample::select(vec!["process", "type", "f", "value", "time", "final?"]),
        value in json(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut json: serde_json::Value = serde_json::from_str(line).unwrap();
        let ops = json["history"].as_array_mut().unwrap();
        if !ops.is_empty() {
            let op = pick.index(ops.len());
            ops[op][key] = value;
        }
        if let Ok(case) = Case::parse(&json.to_string()) {
            case.check().map(|outcome| case.differences(&outcome)).ok();
        }
        let error = Case::parse(&line[..cut.index(line.len())]).unwrap_err();
        prop_assert!(error.at <= line.len());
    }
}
