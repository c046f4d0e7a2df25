//! Vector clocks and contexts: lines without steps.
//!
//! Count n of an actor is the stamp n − 1 of a node: counts start at 1, stamps at 0.

use std::collections::BTreeMap;

use guid_core::{NodeId, Stamp};
use serde_json::{Value, json};

use super::{
    Line, Miss, ReplayError,
    json::{Json, Read, hint},
};
use crate::{CausalContext, Dot, Lattice, Span, VectorClock};

/// The actors of a line, by name; a node each, in the order in which they come.
#[derive(Default)]
struct Actors(BTreeMap<String, u32>);

impl Actors {
    fn dot(&mut self, name: String, count: Json<'_>) -> Read<Option<Dot>> {
        let number = count.natural("a count", Stamp::MAX.as_u64() + 1)?;
        // A line has far fewer actors than there are nodes.
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let node = NodeId::new(*self.0.entry(name).or_insert(next));
        let stamp = number.checked_sub(1).map(Stamp::from_u64).transpose();
        let stamp = stamp.map_err(|error| count.error(error.to_string()))?;
        Ok(stamp.map(|stamp| Dot::new(node, stamp)))
    }

    fn clock(&mut self, json: Json<'_>) -> Read<VectorClock> {
        let mut clock = VectorClock::new();
        for (name, count) in json.object("a clock", "an object: actor to count")? {
            clock.extend(self.dot(name, count)?);
        }
        Ok(clock)
    }

    fn dots(&mut self, json: Json<'_>) -> Read<Vec<Dot>> {
        let one = |pair: Json<'_>| {
            let what = "[actor, count], counts from 1";
            match pair.list("a dot", what)?[..] {
                [name, count] => {
                    let dot = self.dot(name.text("an actor")?, count)?;
                    dot.ok_or_else(|| pair.not("a dot", what))
                }
                _ => Err(pair.not("a dot", what)),
            }
        };
        json.list("it", "a list of dots")?.into_iter().map(one).collect()
    }

    fn name(&self, node: NodeId) -> &str {
        let found = self.0.iter().find(|&(_, &number)| number == node.as_u32());
        found.map_or("", |(name, _)| name)
    }

    fn show_clock(&self, clock: &VectorClock) -> Value {
        let entry = |(node, stamp): (NodeId, Stamp)| {
            (self.name(node).to_owned(), json!(stamp.as_u64() + 1))
        };
        clock.iter().map(entry).collect()
    }

    fn show_dots(&self, spans: impl Iterator<Item = Span>) -> Value {
        let one = |span: Span| {
            let name = self.name(span.node());
            (span.first().as_u64()..=span.upto().as_u64())
                .map(move |stamp| json!([name, stamp + 1]))
        };
        spans.flat_map(one).collect()
    }
}

fn needed<'a>(json: Option<Json<'a>>, line: &Line<'a>, key: &str) -> Read<Json<'a>> {
    json.ok_or_else(|| line.whole.error(format!("no `{key}`: expected one for this type")))
}

/// Whether one thing is as expected, and how it is told.
struct Answers {
    account: Vec<String>,
    misses: Vec<Miss>,
}

impl Answers {
    fn compare(&mut self, what: &str, found: &Value, expected: &Value) {
        self.account.push(format!("{what}: {found}"));
        if found != expected {
            self.misses.push(Miss::new(None, what, found.to_string(), expected.to_string()));
        }
    }
}

/// What each key of `expect` asks for, held against what is found.
fn answers(
    line: &Line<'_>,
    known: &[&str],
    mut found: impl FnMut(&str, Json<'_>) -> Read<(Value, Value)>,
) -> Result<(Vec<String>, Vec<Miss>), ReplayError> {
    let expect = needed(line.expect, line, "expect")?;
    let mut answers = Answers { account: Vec::new(), misses: Vec::new() };
    for (key, json) in expect.object("`expect`", "an object")? {
        if !known.contains(&&*key) {
            return Err(json.error(format!("no `{key}` here{}", hint(&key, known))));
        }
        let (found, expected) = found(&key, json)?;
        answers.compare(&key, &found, &expected);
    }
    if answers.account.is_empty() {
        return Err(expect.error(format!("nothing is expected: any of {}", known.join(", "))));
    }
    Ok((answers.account, answers.misses))
}

/// Two clocks: how they stand, and what is made of them.
pub(super) fn vector_clocks(line: &Line<'_>) -> Result<(Vec<String>, Vec<Miss>), ReplayError> {
    let mut actors = Actors::default();
    let a = actors.clock(needed(line.a, line, "a")?)?;
    let b = actors.clock(needed(line.b, line, "b")?)?;
    answers(line, &["cmp", "merge", "glb", "minus"], |key, json| {
        if key == "cmp" {
            return Ok((json!(a.compare(&b).as_str()), json.value()?));
        }
        let found = match key {
            "merge" => a.clone().joined(&b),
            "glb" => a.meet(&b),
            _ => a.minus(&b),
        };
        let expected = actors.clock(json)?;
        Ok((actors.show_clock(&found), actors.show_clock(&expected)))
    })
}

/// Dots, put into a context one by one.
pub(super) fn dots(line: &Line<'_>) -> Result<(Vec<String>, Vec<Miss>), ReplayError> {
    let mut actors = Actors::default();
    let dots = actors.dots(needed(line.dots, line, "dots")?)?;
    let context: CausalContext = dots.into_iter().collect();
    let ask = line.ask.map(|ask| actors.dots(ask)).transpose()?.unwrap_or_default();
    answers(line, &["contains", "compact", "cloud"], |key, json| {
        Ok(match key {
            "contains" => {
                let contains = ask.iter().map(|&dot| json!(context.contains(dot))).collect();
                (Value::Array(contains), json.value()?)
            }
            "compact" => {
                let expected = actors.clock(json)?;
                (actors.show_clock(&context.clock()), actors.show_clock(&expected))
            }
            _ => {
                let expected: CausalContext = actors.dots(json)?.into_iter().collect();
                let strays = context.iter().filter(|span| !span.is_prefix());
                (actors.show_dots(strays), actors.show_dots(expected.iter()))
            }
        })
    })
}
