//! The values of the Go library through the command, both ways.

use serde_json::{Map, Value, json};

use crate::program::guid;

const DATA: &str = include_str!("../../../guid-core/tests/data/guid-v2.jsonl");

fn vectors(kind: &str) -> Vec<Value> {
    let lines = DATA.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    lines.filter(|line: &Value| line["kind"] == kind).collect()
}

/// The object that `compose` reads for the fractions of a vector.
fn object(vector: &Value, local: bool) -> String {
    let fractions = &vector["in"];
    let t = fractions["t"].as_str().and_then(|t| u64::from_str_radix(t, 16).ok());
    json!({
        "code": fractions["drift"],
        "node": fractions["node"],
        "unix_ns": t.expect("hexadecimal digits").to_string(),
        "seq": fractions["seq"],
        "local": local,
    })
    .to_string()
}

#[track_caller]
fn check(told: &Map<String, Value>, value: &Value, parts: &Value, local: bool) {
    assert_eq!(told["hex"], value["bytes"]);
    assert_eq!(told["lex"], value["str"]);
    assert_eq!(told["base62"], value["b62"]);
    assert_eq!(told["seq"], parts["seq"]);
    let nanos = parts["time"].as_str().and_then(|t| u64::from_str_radix(t, 16).ok());
    assert_eq!(told["unix_ns"], nanos.expect("hexadecimal digits").to_string());
    assert_eq!(told.get("node"), (!local).then_some(&parts["node"]));
}

#[test]
fn fractions_compose_and_texts_inspect_as_upstream() {
    let vectors = vectors("id");
    assert_eq!(vectors.len(), 840);
    for (local, value, parts, form) in
        [(false, "g", "g_parts", "lex"), (true, "l", "l_parts", "lex-local")]
    {
        let objects: Vec<_> = vectors.iter().map(|vector| object(vector, local)).collect();
        let composed = guid(&["compose"], objects.join("\n")).objects();
        let texts: Vec<_> = vectors.iter().filter_map(|v| v[value]["str"].as_str()).collect();
        let inspected = guid(&["inspect", "--json", "--as", form], texts.join("\n")).objects();
        assert_eq!((composed.len(), inspected.len()), (840, 840));
        for ((vector, composed), inspected) in vectors.iter().zip(&composed).zip(&inspected) {
            check(composed, &vector[value], &vector[parts], local);
            check(inspected, &vector[value], &vector[parts], local);
            assert_eq!(inspected["input"], vector[value]["str"]);
        }
    }
}

/// What upstream reads wrongly, or dies of, is refused; what is well formed has its value.
#[test]
fn malformed_texts_are_refused() {
    for (via, form) in [("string_g", "lex"), ("string_l", "lex-local"), ("base62", "base62")] {
        let vectors = vectors("parse");
        for vector in vectors.iter().filter(|vector| vector["via"] == via) {
            let input = vector["input"].as_str().expect("text");
            let ran = guid(&["inspect", "--json", "--as", form], format!("{input}\n"));
            let told = &ran.lines_as_objects()[0];
            if vector["wellformed"] == true {
                assert_eq!((ran.code, &told["input"]), (0, &vector["input"]));
                let number = [&vector["hi"], &vector["lo"]].map(|word| word.as_str().expect("hex"));
                let hex = told["hex"].as_str().expect("hex");
                assert_eq!(number.concat().trim_start_matches('0'), hex.trim_start_matches('0'));
            } else {
                assert_eq!((ran.code, &told["input"]), (65, &vector["input"]));
                assert!(told["at"].as_u64() <= u64::try_from(input.len()).ok());
            }
        }
    }
}
