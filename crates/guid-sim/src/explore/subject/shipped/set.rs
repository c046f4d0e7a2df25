//! Sets.

use std::collections::BTreeSet;

use guid_crdt::{Dot, GSet, LwwSet, OrSet, RwSet, TwoPhaseSet};

use super::{super::ScalarSet, Done, Happened, Known, Op, Received, braced};

/// Whether a write says something of an element, as an add or as a remove.
fn adds(write: &Happened<'_, Op>, x: &str) -> bool {
    matches!(write.op, Op::Add(y) if y == x)
}

fn removes(write: &Happened<'_, Op>, x: &str) -> bool {
    match write.op {
        Op::Remove(y) => y == x,
        Op::Clear => true,
        _ => false,
    }
}

/// The elements that were ever added and stand by a rule.
fn standing(received: &Received<'_>, stands: impl Fn(&str) -> bool) -> String {
    let added = received.iter().filter_map(|write| match write.op {
        Op::Add(x) => Some(x.as_str()),
        _ => None,
    });
    let added: BTreeSet<&str> = added.collect();
    braced(added.into_iter().filter(|x| stands(x)))
}

/// x is in if some add of it was seen by no remove of it.
pub(super) fn add_wins(received: &Received<'_>) -> String {
    standing(received, |x| {
        received
            .iter()
            .filter(|add| adds(add, x))
            .any(|add| !received.iter().any(|remove| removes(remove, x) && remove.saw(add)))
    })
}

impl Known for OrSet<String> {
    const NAME: &'static str = "or-set";
    const VERBS: &'static [&'static str] = &["add", "remove", "clear"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Add(x) => Some(self.insert(dot, x.clone())),
            Op::Remove(x) => Some(self.remove(dot, x)),
            Op::Clear => Some(self.clear(dot)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter())
    }

    fn meaning(received: &Received<'_>) -> String {
        add_wins(received)
    }
}

/// The bug, judged as the set that it was meant to be.
impl Known for ScalarSet {
    const NAME: &'static str = "broken-or-set";
    const VERBS: &'static [&'static str] = &["add", "remove"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Add(x) => Some(Ok(self.insert(dot, x.clone()))),
            Op::Remove(x) => Some(Ok(self.remove(dot, x))),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.values())
    }

    fn meaning(received: &Received<'_>) -> String {
        add_wins(received)
    }
}

impl Known for RwSet<String> {
    const NAME: &'static str = "rw-set";
    const VERBS: &'static [&'static str] = &["add", "remove", "clear"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Add(x) => Some(self.insert(dot, x.clone())),
            Op::Remove(x) => Some(self.remove(dot, x.clone())),
            Op::Clear => Some(self.clear(dot)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter())
    }

    /// Added, and every remove seen by some add; what a clear has seen is void.
    fn meaning(received: &Received<'_>) -> String {
        let clears = |w: &Happened<'_, Op>| matches!(w.op, Op::Clear);
        let is_void = |w: &Happened<'_, Op>| received.iter().any(|c| clears(c) && c.saw(w));
        let valid = || received.iter().filter(|&w| !clears(w) && !is_void(w));
        standing(received, |x| {
            let undone =
                |remove: &Happened<'_, Op>| valid().any(|add| adds(add, x) && add.saw(remove));
            valid().any(|add| adds(add, x)) && valid().filter(|w| removes(w, x)).all(undone)
        })
    }
}

impl Known for LwwSet<String> {
    const NAME: &'static str = "lww-set";
    const VERBS: &'static [&'static str] = &["add", "remove"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Add(x) => Some(self.insert(dot, x.clone())),
            Op::Remove(x) => Some(self.remove(dot, x.clone())),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter())
    }

    /// The write with the greatest stamp is an add; between equal stamps adds come last.
    fn meaning(received: &Received<'_>) -> String {
        standing(received, |x| {
            let of_x = received.iter().filter(|w| adds(w, x) || removes(w, x));
            of_x.map(|write| (write.dot.stamp(), adds(write, x))).max().is_some_and(|last| last.1)
        })
    }
}

impl Known for GSet<String> {
    const NAME: &'static str = "g-set";
    const VERBS: &'static [&'static str] = &["add"];

    fn act(&mut self, _: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Add(x) => Some(Ok(self.insert(x.clone()))),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter())
    }

    fn meaning(received: &Received<'_>) -> String {
        standing(received, |_| true)
    }
}

impl Known for TwoPhaseSet<String> {
    const NAME: &'static str = "two-phase-set";
    const VERBS: &'static [&'static str] = &["add", "remove"];

    fn act(&mut self, _: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Add(x) => Some(Ok(self.insert(x.clone()))),
            Op::Remove(x) => Some(Ok(self.remove(x.clone()))),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter())
    }

    /// Added, and removed by nobody who had seen it added.
    fn meaning(received: &Received<'_>) -> String {
        standing(received, |x| {
            let effective = |remove: &Happened<'_, Op>| {
                removes(remove, x) && received.iter().any(|add| adds(add, x) && remove.saw(add))
            };
            !received.iter().any(effective)
        })
    }
}
