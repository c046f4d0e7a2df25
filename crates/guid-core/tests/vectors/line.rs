//! One line of the vectors, read by JSON pointers (`/in/node`).

use std::thread;

use guid_core::{Drift, NodeId, Seq, Stamp, Tick};
use serde_json::Value;

const DATA: &str = include_str!("../data/guid-v2.jsonl");
pub(crate) const LINES: usize = 2_000;

/// Every kind and how many lines of it there are: none can be skipped unnoticed.
pub(crate) const KINDS: [(&str, usize); 13] = [
    ("id", 840),
    ("order", 280),
    ("diff", 200),
    ("parse", 140),
    ("decode", 130),
    ("from_t", 80),
    ("inverse", 80),
    ("drift", 60),
    ("node_env", 50),
    ("sort", 50),
    ("run", 50),
    ("node_id", 20),
    ("overflow", 20),
];

pub(crate) struct Line {
    number: usize,
    json: Value,
}

/// A failed check says which line it failed on.
impl Drop for Line {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("line {} of the vectors: {}", self.number, self.json);
        }
    }
}

pub(crate) fn lines() -> impl Iterator<Item = Line> {
    DATA.lines().enumerate().map(|(i, text)| Line {
        number: i + 1,
        json: serde_json::from_str(text).expect("the vectors are JSON"),
    })
}

/// Runs a check on all lines of a kind, and asserts that they were as many as the table says.
pub(crate) fn check_all(kind: &str, check: impl Fn(&Line)) {
    let mut checked = 0;
    for line in lines().filter(|line| line.text("/kind") == kind) {
        check(&line);
        checked += 1;
    }
    assert!(KINDS.contains(&(kind, checked)), "{checked} lines of kind {kind}");
}

impl Line {
    #[track_caller]
    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.json.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"))
    }

    #[track_caller]
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.at(pointer).as_str().expect("a string")
    }

    #[track_caller]
    pub(crate) fn flag(&self, pointer: &str) -> bool {
        self.at(pointer).as_bool().expect("a boolean")
    }

    #[track_caller]
    pub(crate) fn int(&self, pointer: &str) -> i64 {
        self.at(pointer).as_i64().expect("an integer")
    }

    /// A 64-bit quantity in hexadecimal digits.
    #[track_caller]
    pub(crate) fn hex(&self, pointer: &str) -> u64 {
        u64::from_str_radix(self.text(pointer), 16).expect("hexadecimal digits")
    }

    /// A signed 64-bit quantity in decimal digits.
    #[track_caller]
    pub(crate) fn decimal(&self, pointer: &str) -> i64 {
        self.text(pointer).parse().expect("decimal digits")
    }

    #[track_caller]
    pub(crate) fn list(&self, pointer: &str) -> &[Value] {
        self.at(pointer).as_array().expect("a list")
    }

    #[track_caller]
    pub(crate) fn texts(&self, pointer: &str) -> impl Iterator<Item = &str> {
        self.list(pointer).iter().map(|item| item.as_str().expect("a string"))
    }

    #[track_caller]
    pub(crate) fn indices(&self, pointer: &str) -> Vec<usize> {
        let index = |item: &Value| item.as_u64().and_then(|i| usize::try_from(i).ok());
        self.list(pointer).iter().map(|item| index(item).expect("an index")).collect()
    }

    #[track_caller]
    pub(crate) fn node(&self, pointer: &str) -> NodeId {
        self.text(pointer).parse().expect("a node")
    }

    /// The drift that a duration gives, checked against the code beside it.
    #[track_caller]
    pub(crate) fn drift(&self, object: &str) -> Drift {
        let drift = Drift::upstream(self.decimal(&format!("{object}/drift_ns")));
        assert_eq!(i64::from(drift.code()), self.int(&format!("{object}/drift")));
        drift
    }

    #[track_caller]
    pub(crate) fn seq(&self, pointer: &str) -> Seq {
        u16::try_from(self.int(pointer)).ok().and_then(|seq| Seq::new(seq).ok()).expect("14 bits")
    }

    /// The stamp of the `t` and `seq` of an object.
    #[track_caller]
    pub(crate) fn stamp(&self, object: &str) -> Stamp {
        let tick = Tick::from_unix_nanos(self.hex(&format!("{object}/t")));
        Stamp::new(tick, self.seq(&format!("{object}/seq")))
    }
}

/// Bytes of hexadecimal digits of any length, read here and not by the library.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let byte = |pair: &[u8]| Some(digit(pair[0])? * 16 + digit(pair[1])?);
    text.as_bytes().chunks_exact(2).map(|pair| byte(pair).expect("hexadecimal digits")).collect()
}
