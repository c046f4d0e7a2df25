//! Counters.

use guid_crdt::{BoundedCounter, Dot, GCounter, MutateError, PnCounter, ResettableCounter};

use super::{Done, Happened, Known, Op, Received};

/// By how much a write counts.
fn by(write: &Happened<'_, Op>) -> i128 {
    match *write.op {
        Op::Inc(amount) => amount.into(),
        Op::Dec(amount) => -i128::from(amount),
        _ => 0,
    }
}

fn sum<'a>(writes: impl IntoIterator<Item = &'a Happened<'a, Op>>) -> String {
    writes.into_iter().map(by).sum::<i128>().to_string()
}

impl Known for GCounter {
    const NAME: &'static str = "g-counter";
    const VERBS: &'static [&'static str] = &["inc"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Inc(amount) => Some(self.add(dot, amount.unsigned_abs())),
            _ => None,
        }
    }

    fn show(&self) -> String {
        self.value().to_string()
    }

    fn meaning(received: &Received<'_>) -> String {
        sum(received)
    }
}

impl Known for PnCounter {
    const NAME: &'static str = "pn-counter";
    const VERBS: &'static [&'static str] = &["inc", "dec"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Inc(amount) => Some(self.add(dot, *amount)),
            Op::Dec(amount) => Some(self.add(dot, -amount)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        self.value().to_string()
    }

    fn meaning(received: &Received<'_>) -> String {
        sum(received)
    }
}

impl Known for ResettableCounter {
    const NAME: &'static str = "resettable-counter";
    const VERBS: &'static [&'static str] = &["inc", "dec", "reset"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Inc(amount) => Some(self.add(dot, *amount)),
            Op::Dec(amount) => Some(self.add(dot, -amount)),
            Op::Reset => Some(self.reset(dot)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        self.value().to_string()
    }

    /// What no reset has seen.
    fn meaning(received: &Received<'_>) -> String {
        let resets = |write: &Happened<'_, Op>| matches!(write.op, Op::Reset);
        sum(received.iter().filter(|&add| !received.iter().any(|r| resets(r) && r.saw(add))))
    }
}

impl Known for BoundedCounter {
    const NAME: &'static str = "bounded-counter";
    const VERBS: &'static [&'static str] = &["inc", "dec"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Inc(amount) => Some(self.add(dot, amount.unsigned_abs())),
            Op::Dec(amount) => Some(self.take(dot, amount.unsigned_abs())),
            _ => None,
        }
    }

    fn show(&self) -> String {
        self.value().to_string()
    }

    /// The sum of what was not refused. A negative one is not shown by any state.
    fn meaning(received: &Received<'_>) -> String {
        sum(received)
    }

    fn may_refuse(error: &MutateError) -> bool {
        matches!(error, MutateError::Rights { .. })
    }
}
