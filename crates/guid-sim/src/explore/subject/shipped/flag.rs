//! Flags.

use guid_crdt::{Dot, DwFlag, EwFlag};

use super::{Done, Happened, Known, Op, Received};

const VERBS: &[&str] = &["enable", "disable"];

fn shown(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}

fn enables(write: &Happened<'_, Op>) -> bool {
    matches!(write.op, Op::Enable)
}

impl Known for EwFlag {
    const NAME: &'static str = "ew-flag";
    const VERBS: &'static [&'static str] = VERBS;

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Enable => Some(self.enable(dot)),
            Op::Disable => Some(self.disable(dot)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        shown(self.is_on())
    }

    /// Some enable was seen by no disable.
    fn meaning(received: &Received<'_>) -> String {
        let undone = |e: &Happened<'_, Op>| received.iter().any(|d| !enables(d) && d.saw(e));
        shown(received.iter().any(|write| enables(write) && !undone(write)))
    }
}

impl Known for DwFlag {
    const NAME: &'static str = "dw-flag";
    const VERBS: &'static [&'static str] = VERBS;

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Enable => Some(self.enable(dot)),
            Op::Disable => Some(self.disable(dot)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        shown(self.is_on())
    }

    /// It was enabled, and every disable was seen by an enable.
    fn meaning(received: &Received<'_>) -> String {
        let undone = |d: &Happened<'_, Op>| received.iter().any(|e| enables(e) && e.saw(d));
        let all_undone = received.iter().all(|write| enables(write) || undone(write));
        shown(received.iter().any(enables) && all_undone)
    }
}
