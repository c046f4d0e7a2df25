//! The Go library's rule, against what the Go library made.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use guid_core::{Drift, NodeId};
use guid_sim::UpstreamSource;
use serde_json::Value;

fn hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

#[test]
fn every_run_line_of_the_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../guid-core/tests/data/guid-v2.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut runs = 0;
    for line in lines.filter(|line| line["kind"] == "run") {
        runs += 1;
        let drift =
            Drift::from_code(u8::try_from(line["drift"].as_u64().unwrap()).unwrap()).unwrap();
        let node = NodeId::new(u32::try_from(hex(&line["node"])).unwrap());
        let first = u16::try_from(line["first_seq"].as_u64().unwrap()).unwrap();
        let mut source = UpstreamSource::new(first);
        let clock = line["t"].as_array().unwrap();
        let ids: Vec<_> = clock.iter().map(|t| source.next(drift, node, hex(t))).collect();

        let texts: Vec<String> = ids.iter().map(|id| id.to_hex().to_string()).collect();
        let expected: Vec<&str> =
            line["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(texts, expected);
        let not_after: Vec<usize> = (1..ids.len()).filter(|&i| ids[i] <= ids[i - 1]).collect();
        let dups: Vec<usize> = (0..ids.len()).filter(|&i| ids[..i].contains(&ids[i])).collect();
        assert_eq!(serde_json::to_value(not_after).unwrap(), line["not_after"]);
        assert_eq!(serde_json::to_value(dups).unwrap(), line["dups"]);
    }
    assert_eq!(runs, 50);
}
