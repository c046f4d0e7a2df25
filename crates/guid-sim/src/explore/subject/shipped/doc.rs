//! Documents: registers, counters, sets and maps under keys, to any depth.
//!
//! A document is shown as `(k: v|w +3 {x} (j: u))`: under `k` the values of its register, its
//! count, its set and its map, each unless there is nothing.

use std::collections::BTreeSet;

use guid_crdt::{Doc, DocEdit, DocMap, Dot, Scalar};

use super::{Done, Happened, Known, Op, Received, braced, set};

impl Known for Doc {
    const NAME: &'static str = "doc";
    const VERBS: &'static [&'static str] = &["put", "delete", "under"];
    const VERBS_UNDER: &'static [&'static str] =
        &["add", "remove", "inc", "put", "delete", "under"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self> {
        Some(self.edit(dot, |doc| act(doc, op)))
    }

    fn show(&self) -> String {
        show(self.root())
    }

    fn meaning(received: &Received<'_>) -> String {
        let placed: Vec<Placed<'_>> = received.iter().map(Placed::new).collect();
        let is_gone = |write: &Placed<'_>| placed.iter().any(|delete| delete.takes(write));
        let standing: Vec<&Placed<'_>> = placed.iter().filter(|write| !is_gone(write)).collect();
        meaning(&standing, 0)
    }
}

fn act(doc: &mut DocEdit<'_>, op: &Op) {
    match op {
        Op::Put(key, value) => doc.set(key, value.as_str()),
        Op::Delete(key) => doc.delete(key),
        Op::Under(key, inner) => match &**inner {
            Op::Add(x) => doc.insert(key, x.as_str()),
            Op::Remove(x) => doc.remove(key, x.as_str()),
            Op::Inc(amount) => doc.add(key, *amount),
            deeper => doc.map(key, |map| act(map, deeper)),
        },
        _ => {}
    }
}

fn show(map: DocMap<'_>) -> String {
    let texts = |scalar: &Scalar| scalar.as_text().unwrap_or_default().to_owned();
    parenthesized(map.keys().map(|key| {
        let values: BTreeSet<String> = map.values(key).map(texts).collect();
        let set = braced(map.elements(key).map(texts));
        let inner = map.map(key).map_or_else(String::new, show);
        (key, parts(values, map.count(key), set, inner))
    }))
}

/// The keys under which there is something.
fn parenthesized<'a>(keys: impl Iterator<Item = (&'a str, String)>) -> String {
    let full = keys.filter(|(_, content)| !content.is_empty());
    let full: Vec<String> = full.map(|(key, content)| format!("{key}: {content}")).collect();
    format!("({})", full.join(", "))
}

fn parts(values: BTreeSet<String>, count: i128, set: String, map: String) -> String {
    let values = values.into_iter().collect::<Vec<_>>().join("|");
    let count = if count == 0 { String::new() } else { format!("{count:+}") };
    let parts = [values, count, set, map].into_iter();
    let full: Vec<String> = parts.filter(|part| !["", "{}", "()"].contains(&&**part)).collect();
    full.join(" ")
}

/// A write, by the path to what it changes.
struct Placed<'a> {
    path: Vec<&'a str>,
    write: Happened<'a, Op>,
}

impl<'a> Placed<'a> {
    fn new(write: &Happened<'a, Op>) -> Self {
        let mut placed = Self { path: Vec::new(), write: *write };
        while let Op::Under(key, inner) = placed.write.op {
            placed.path.push(key);
            placed.write = placed.write.of(&**inner);
        }
        if let Op::Put(key, _) | Op::Delete(key) = placed.write.op {
            placed.path.push(key);
        }
        placed
    }

    /// Whether it is a delete that had seen a write at its place or below.
    fn takes(&self, other: &Placed<'_>) -> bool {
        matches!(self.write.op, Op::Delete(_))
            && other.path.starts_with(&self.path)
            && self.write.saw(&other.write)
    }
}

/// What stands below the first `depth` keys of these writes, which they share.
fn meaning(standing: &[&Placed<'_>], depth: usize) -> String {
    let keys: BTreeSet<&str> =
        standing.iter().filter_map(|write| write.path.get(depth).copied()).collect();
    parenthesized(keys.into_iter().map(|key| {
        let of_key = standing.iter().copied().filter(|write| write.path.get(depth) == Some(&key));
        let (here, deeper): (Vec<_>, Vec<_>) =
            of_key.partition(|write| write.path.len() == depth + 1);
        let here: Vec<Happened<'_, Op>> = here.into_iter().map(|placed| placed.write).collect();
        let count = here.iter().map(|write| match write.op {
            Op::Inc(amount) => i128::from(*amount),
            _ => 0,
        });
        (key, parts(last(&here), count.sum(), set::add_wins(&here), meaning(&deeper, depth + 1)))
    }))
}

/// The values that no other put has seen.
fn last(here: &[Happened<'_, Op>]) -> BTreeSet<String> {
    let puts = here.iter().filter_map(|write| match write.op {
        Op::Put(_, value) => Some((write, value)),
        _ => None,
    });
    let is_put = |write: &Happened<'_, Op>| matches!(write.op, Op::Put(..));
    let is_seen = |put| here.iter().any(|later| is_put(later) && later.saw(put));
    puts.filter(|(put, _)| !is_seen(put)).map(|(_, value)| value.clone()).collect()
}
