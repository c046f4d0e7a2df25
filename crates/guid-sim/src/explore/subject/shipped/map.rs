//! Maps.

use std::collections::BTreeSet;

use guid_crdt::{AwLwwMap, Dot, LwwMap, OrMap, OrSet};

use super::{Done, Happened, Known, Op, Received, braced, set};

/// The key that a write is about.
fn key<'a>(write: &Happened<'a, Op>) -> Option<&'a str> {
    match write.op {
        Op::Put(key, _) | Op::Delete(key) | Op::Under(key, _) => Some(key),
        _ => None,
    }
}

/// `{key: value}`, for the keys that have one.
fn by_key<'a>(
    received: &Received<'a>,
    value: impl Fn(&[Happened<'a, Op>]) -> Option<String>,
) -> String {
    let keys: BTreeSet<&str> = received.iter().filter_map(key).collect();
    braced(keys.into_iter().filter_map(|k| {
        let writes: Vec<_> = received.iter().copied().filter(|w| key(w) == Some(k)).collect();
        Some(format!("{k}: {}", value(&writes)?))
    }))
}

/// What the write with the greatest dot puts.
fn last_put(writes: &[Happened<'_, Op>]) -> Option<String> {
    match writes.iter().max_by_key(|write| (write.dot.stamp(), write.dot.node()))?.op {
        Op::Put(_, value) => Some(value.clone()),
        _ => None,
    }
}

impl Known for LwwMap<String, String> {
    const NAME: &'static str = "lww-map";
    const VERBS: &'static [&'static str] = &["put", "delete"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Put(key, value) => Some(self.put(dot, key.clone(), value.clone())),
            Op::Delete(key) => Some(self.remove(dot, key.clone())),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter().map(|(key, value)| format!("{key}: {value}")))
    }

    fn meaning(received: &Received<'_>) -> String {
        by_key(received, last_put)
    }
}

impl Known for AwLwwMap<String, String> {
    const NAME: &'static str = "aw-lww-map";
    const VERBS: &'static [&'static str] = &["put", "delete"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Put(key, value) => Some(self.put(dot, key.clone(), value.clone())),
            Op::Delete(key) => Some(self.remove(dot, key)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        braced(self.iter().map(|(key, value)| format!("{key}: {value}")))
    }

    /// Of the puts that no write of the key has seen, the last.
    fn meaning(received: &Received<'_>) -> String {
        by_key(received, |writes| {
            let seen = |put: &Happened<'_, Op>| writes.iter().any(|other| other.saw(put));
            let puts = |write: &&Happened<'_, Op>| matches!(write.op, Op::Put(..)) && !seen(write);
            let standing: Vec<_> = writes.iter().filter(puts).copied().collect();
            last_put(&standing)
        })
    }
}

/// A map of sets.
impl Known for OrMap<String, OrSet<String>> {
    const NAME: &'static str = "or-map";
    const VERBS: &'static [&'static str] = &["under", "delete"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        match op {
            Op::Under(key, inner) => match &**inner {
                Op::Add(x) => Some(self.update(dot, key.clone(), |set| set.insert(dot, x.clone()))),
                Op::Remove(x) => Some(self.update(dot, key.clone(), |set| set.remove(dot, x))),
                _ => None,
            },
            Op::Delete(key) => Some(self.remove(dot, key)),
            _ => None,
        }
    }

    fn show(&self) -> String {
        let full = self.iter().filter(|(_, set)| !set.is_empty());
        braced(full.map(|(key, set)| format!("{key}: {}", set.show())))
    }

    /// The set of a key, over what no delete of the key has seen.
    fn meaning(received: &Received<'_>) -> String {
        by_key(received, |writes| {
            let deletes = |w: &Happened<'_, Op>| matches!(w.op, Op::Delete(_));
            let gone = |write: &Happened<'_, Op>| writes.iter().any(|d| deletes(d) && d.saw(write));
            let standing = writes.iter().filter(|write| !gone(write));
            let inner = standing.filter_map(|write| match write.op {
                Op::Under(_, op) => Some(write.of(&**op)),
                _ => None,
            });
            Some(set::add_wins(&inner.collect::<Vec<_>>())).filter(|set| set != "{}")
        })
    }
}
