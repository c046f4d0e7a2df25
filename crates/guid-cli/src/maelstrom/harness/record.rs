//! The history, as it is made: operations in the form that `guid history` reads.

use guid_sim::history::{Case, Outcome};
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct Record {
    ops: Vec<Value>,
    /// Requests by how they ended.
    pub(super) ok: u64,
    pub(super) failed: u64,
    pub(super) unknown: u64,
}

/// How an operation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Invoke,
    Ok,
    Fail,
    Info,
}

/// What is asked for, and with what; of an answer, with what it was answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation<'a> {
    pub(super) function: &'static str,
    pub(super) value: &'a Value,
    pub(super) is_final: bool,
}

impl Record {
    pub(super) fn push(&mut self, process: usize, kind: Kind, what: &Operation<'_>, time_ns: u64) {
        let kind = match kind {
            Kind::Invoke => "invoke",
            Kind::Ok => {
                self.ok += 1;
                "ok"
            }
            Kind::Fail => {
                self.failed += 1;
                "fail"
            }
            Kind::Info => {
                self.unknown += 1;
                "info"
            }
        };
        let mut op = json!({
            "process": process, "type": kind, "f": what.function, "value": what.value, "time": time_ns,
        });
        if what.is_final {
            op["final?"] = true.into();
        }
        self.ops.push(op);
    }

    /// What was done to the nodes, for who reads the history.
    pub(super) fn note(&mut self, what: &str, value: &Value, time_ns: u64) {
        self.ops.push(json!({
            "process": "nemesis", "type": "info", "f": what, "value": value, "time": time_ns,
        }));
    }

    pub(super) fn to_line(&self, checker: &str) -> String {
        json!({"checker": checker, "history": self.ops}).to_string()
    }

    pub(super) fn judge(&self, checker: &str) -> anyhow::Result<Outcome> {
        Ok(Case::parse(&self.to_line(checker))?.check()?)
    }
}
