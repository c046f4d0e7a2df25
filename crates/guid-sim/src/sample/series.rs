//! What was counted, in steps of the run.

use std::collections::BTreeMap;

use super::collector::STEPS;
use crate::{
    checker::{GUARANTEES, Guarantee, Order},
    lane::Lane,
};

/// More names are not kept: those that ship have a handful.
const NAMES: usize = 32;

/// A number over the run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Series {
    /// The key of the check: `lww-lost@hlc`, `address-siblings`.
    pub name: String,
    /// Whether it counts up; else it is a value that rises and falls, of which each step has the
    /// greatest.
    pub counts: bool,
    /// Of how many, in the end, where that is known.
    pub of: Option<u64>,
    /// Step by step; where nothing was counted, what a count was before, and zero of a value.
    pub steps: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Line {
    counts: bool,
    of: Option<u64>,
    steps: Vec<Option<u64>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    named: BTreeMap<String, Line>,
    /// What each register of each scheme lost.
    lost: BTreeMap<String, Line>,
    step: Option<usize>,
    /// What each of them had lost at the latest event, and of how many.
    latest: Vec<(u64, u64)>,
    keys: Vec<String>,
}

impl Counts {
    pub(super) fn count(&mut self, name: &str, step: usize, total: u64) {
        self.set(name, true, step, total);
    }

    pub(super) fn value(&mut self, name: &str, step: usize, value: u64) {
        self.set(name, false, step, value);
    }

    /// How often each session guarantee was broken by now, and of how often.
    pub(super) fn sessions(&mut self, step: usize, guarantees: &[Guarantee]) {
        for (name, guarantee) in GUARANTEES.into_iter().zip(guarantees) {
            if guarantee.of > 0 {
                self.set(name, true, step, guarantee.against);
                if let Some(line) = self.named.get_mut(name) {
                    line.of = Some(guarantee.of);
                }
            }
        }
    }

    fn set(&mut self, name: &str, counts: bool, step: usize, number: u64) {
        if !self.named.contains_key(name) {
            if self.named.len() >= NAMES {
                return;
            }
            let line = Line { counts, of: None, steps: vec![None; STEPS] };
            self.named.insert(String::from(name), line);
        }
        let Some(Line { steps, .. }) = self.named.get_mut(name) else { return };
        if let Some(at) = steps.get_mut(step) {
            *at = Some(at.map_or(number, |before| before.max(number)));
        }
    }

    /// What registers have lost by the latest event.
    pub(super) fn lost(&mut self, step: usize, lanes: &[Lane]) {
        let before = self.step.replace(step);
        if let Some(before) = before.filter(|&before| before != step) {
            self.store(before);
        }
        totals(lanes, &mut self.latest);
        if self.keys.is_empty() {
            self.keys = keys(lanes);
        }
    }

    fn store(&mut self, step: usize) {
        for (key, &(total, of)) in self.keys.iter().zip(&self.latest) {
            if of == 0 {
                continue; // nothing that could be lost
            }
            let new = || Line { counts: true, of: None, steps: vec![None; STEPS] };
            let lost = self.lost.entry(key.clone()).or_insert_with(new);
            lost.of = Some(of);
            if let Some(at) = lost.steps.get_mut(step) {
                *at = Some(total);
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Series> {
        if let Some(step) = self.step {
            self.store(step);
        }
        let named = self.named.into_iter();
        let all = self.lost.into_iter().chain(named);
        all.map(|(name, Line { counts, of, steps })| Series {
            name,
            counts,
            of,
            steps: filled(&steps, counts),
        })
        .collect()
    }
}

fn filled(steps: &[Option<u64>], counts: bool) -> Vec<u64> {
    let mut last = 0;
    let fill = |step: &Option<u64>| {
        let number = step.unwrap_or(if counts { last } else { 0 });
        last = number;
        number
    };
    steps.iter().map(fill).collect()
}

/// The keys of what registers may lose, as the checks call it.
fn keys(lanes: &[Lane]) -> Vec<String> {
    let of_lane = |lane: &Lane| {
        let scheme = lane.scheme;
        let of_register = move |order| {
            let by = if order == Order::Time { "-by-time" } else { "" };
            [format!("lww-lost{by}@{scheme}"), format!("lww-lost-long-lived{by}@{scheme}")]
        };
        lane.lww.iter().flat_map(move |lww| of_register(lww.order())).collect::<Vec<_>>()
    };
    lanes.iter().flat_map(of_lane).collect()
}

fn totals(lanes: &[Lane], into: &mut Vec<(u64, u64)>) {
    into.clear();
    let registers = lanes.iter().flat_map(|lane| &lane.lww);
    let both = registers.flat_map(|lww| [&lww.fresh.tally, &lww.long_lived.tally]);
    into.extend(both.map(|tally| (tally.count, tally.of)));
}
