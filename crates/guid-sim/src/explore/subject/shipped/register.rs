//! Registers.

use std::collections::BTreeSet;

use guid_crdt::{Dot, FwwRegister, LwwRegister, Max, Min, MutateError, MvRegister};

use super::{Done, Happened, Known, Op, Received, braced, or_nothing};

fn value<'a>(write: &Happened<'a, Op>) -> Option<&'a String> {
    match write.op {
        Op::Set(value) => Some(value),
        _ => None,
    }
}

impl Known for LwwRegister<String> {
    const NAME: &'static str = "lww-register";
    const VERBS: &'static [&'static str] = &["set"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Set(value) => Some(self.set(dot, value.clone())),
            _ => None,
        }
    }

    fn show(&self) -> String {
        or_nothing(self.get())
    }

    /// The write with the greatest stamp; between equal stamps, of the greatest node.
    fn meaning(received: &Received<'_>) -> String {
        let last = received.iter().max_by_key(|write| (write.dot.stamp(), write.dot.node()));
        or_nothing(last.and_then(value))
    }
}

impl Known for FwwRegister<String> {
    const NAME: &'static str = "fww-register";
    const VERBS: &'static [&'static str] = &["set"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Set(value) => Some(self.set(dot, value.clone())),
            _ => None,
        }
    }

    fn show(&self) -> String {
        or_nothing(self.get())
    }

    /// The write with the least stamp; between equal stamps, of the least node.
    fn meaning(received: &Received<'_>) -> String {
        let first = received.iter().min_by_key(|write| (write.dot.stamp(), write.dot.node()));
        or_nothing(first.and_then(value))
    }

    fn may_refuse(error: &MutateError) -> bool {
        matches!(error, MutateError::Taken { .. })
    }
}

impl Known for MvRegister<String> {
    const NAME: &'static str = "mv-register";
    const VERBS: &'static [&'static str] = &["set", "clear"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Set(value) => Some(self.set(dot, value.clone())),
            Op::Clear => Some(self.clear(dot)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        let values: BTreeSet<&String> = self.values().into_iter().collect();
        braced(values)
    }

    /// The values that no other write has seen.
    fn meaning(received: &Received<'_>) -> String {
        let stands = |write: &&Happened<'_, Op>| !received.iter().any(|other| other.saw(write));
        let values: BTreeSet<&String> = received.iter().filter(stands).filter_map(value).collect();
        braced(values)
    }
}

impl Known for Max<i64> {
    const NAME: &'static str = "max";
    const VERBS: &'static [&'static str] = &["raise"];

    fn act(&mut self, _: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Raise(amount) => Some(Ok(self.raise(*amount))),
            _ => None,
        }
    }

    fn show(&self) -> String {
        or_dash(self.get().copied())
    }

    fn meaning(received: &Received<'_>) -> String {
        or_dash(received.iter().filter_map(amount).max())
    }
}

impl Known for Min<i64> {
    const NAME: &'static str = "min";
    const VERBS: &'static [&'static str] = &["lower"];

    fn act(&mut self, _: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Lower(amount) => Some(Ok(self.lower(*amount))),
            _ => None,
        }
    }

    fn show(&self) -> String {
        or_dash(self.get().copied())
    }

    fn meaning(received: &Received<'_>) -> String {
        or_dash(received.iter().filter_map(amount).min())
    }
}

fn amount(write: &Happened<'_, Op>) -> Option<i64> {
    match write.op {
        Op::Raise(amount) | Op::Lower(amount) => Some(*amount),
        _ => None,
    }
}

fn or_dash(value: Option<i64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}
