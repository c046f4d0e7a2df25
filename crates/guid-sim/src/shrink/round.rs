//! Rounding: times and offsets to few digits, repetitions to few.
//!
//! # Invariants
//!
//! A number is replaced by one that is shorter as text, or as short and smaller: this ends.

use super::search::Search;
use crate::plan::{Quantity, Step, What};

const UNITS_NS: [i64; 14] = [
    86_400_000_000_000,
    3_600_000_000_000,
    60_000_000_000,
    10_000_000_000,
    1_000_000_000,
    100_000_000,
    10_000_000,
    1_000_000,
    100_000,
    10_000,
    1_000,
    100,
    10,
    1,
];

pub(super) fn all(search: &mut Search<'_>) {
    search.change(|plan| plan.steps.iter_mut().for_each(|step| step.offset_ns = 0));
    for at in 1..search.plan().steps.len() {
        at_once(search, at);
    }
    for at in 0..search.plan().steps.len() {
        gap(search, at);
    }
    for at in 0..search.plan().steps.len() {
        jump(search, at);
        offset(search, at);
    }
    for at in 0..search.plan().steps.len() {
        times(search, at);
    }
}

/// All from here on happens at one moment, and clocks stay as they are.
fn at_once(search: &mut Search<'_>, from: usize) {
    search.change(|plan| {
        let (before, after) = plan.steps.split_at_mut(from);
        let at_ns = before.last().map_or(0, |last| last.at_ns);
        for step in after {
            step.at_ns = at_ns;
            let last = before.iter().rev().find(|last| last.node == step.node);
            step.offset_ns = last.map_or(0, |last| last.offset_ns);
        }
    });
}

/// The time from one step to the next: all that comes later moves along.
fn gap(search: &mut Search<'_>, at: usize) {
    let steps = &search.plan().steps;
    let before = at.checked_sub(1).map_or(0, |before| steps[before].at_ns);
    let gap = i64::try_from(steps[at].at_ns - before).unwrap_or(i64::MAX);
    try_simpler(search, gap, |steps, simpler| {
        let by = simpler - gap;
        steps[at..].iter_mut().for_each(|step| step.at_ns = step.at_ns.saturating_add_signed(by));
    });
}

/// What a clock gained or lost between two steps of its node: all that comes later moves along.
fn jump(search: &mut Search<'_>, at: usize) {
    let steps = &search.plan().steps;
    let (node, offset) = (steps[at].node, steps[at].offset_ns);
    let before = steps[..at].iter().rev().find(|step| step.node == node);
    let Some(jump) = offset.checked_sub(before.map_or(0, |before| before.offset_ns)) else {
        return;
    };
    try_simpler(search, jump, |steps, simpler| {
        for step in steps[at..].iter_mut().filter(|step| step.node == node) {
            step.offset_ns = step.offset_ns.saturating_add(simpler.saturating_sub(jump));
        }
    });
}

/// How far a clock is off at one step.
fn offset(search: &mut Search<'_>, at: usize) {
    let offset = search.plan().steps[at].offset_ns;
    try_simpler(search, offset, |steps, simpler| steps[at].offset_ns = simpler);
}

/// How often an event happens at one moment.
fn times(search: &mut Search<'_>, at: usize) {
    let What::Mint { times } = search.plan().steps[at].what else { return };
    let (mut few, mut many) = (0, times);
    while many - few > 1 && !search.is_spent() {
        let middle = u64::midpoint(few, many);
        if search.change(|plan| plan.steps[at].what = What::Mint { times: middle }) {
            many = middle;
        } else {
            few = middle;
        }
    }
}

fn try_simpler(search: &mut Search<'_>, value: i64, set: impl Fn(&mut [Step], i64)) {
    for simpler in simpler(value) {
        if search.is_spent() || search.change(|plan| set(&mut plan.steps, simpler)) {
            return;
        }
    }
}

/// Simpler values, the simplest first.
fn simpler(value: i64) -> Vec<i64> {
    let mut found = vec![0];
    let sign = value.signum();
    found.extend(UNITS_NS[4..].iter().step_by(3).map(|unit| sign * unit)); // 1s, 1ms, 1us, 1ns
    for unit in UNITS_NS {
        let toward_zero = value / unit;
        found.push(toward_zero.saturating_mul(unit));
        found.push((toward_zero + sign).saturating_mul(unit));
    }
    // Not more than doubled: a clock that is off by seconds does not become one that is by days.
    let most = value.unsigned_abs().saturating_mul(2);
    found.retain(|&simpler| cost(simpler) < cost(value) && simpler.unsigned_abs() <= most);
    found.dedup();
    found
}

fn cost(value: i64) -> (usize, u64) {
    let length =
        if value == 0 { 0 } else { Quantity(value).to_string().trim_start_matches('-').len() };
    (length, value.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_simpler_is_shorter_or_smaller() {
        for value in [1, -1, 1_000, 1_234_567_891, -5_000_231_000, 3_600_000_000_000, i64::MIN + 1]
        {
            let simpler = simpler(value);
            assert!(simpler.contains(&0) && !simpler.contains(&value), "{value}");
            assert!(simpler.iter().all(|&one| cost(one) < cost(value)));
        }
        assert!(simpler(0).is_empty());
        assert!(simpler(-5_000_231_000).contains(&-5_000_000_000));
        assert!(simpler(700_000_000).iter().all(|&one| one <= 1_400_000_000));
        assert!(simpler(-4_999_231_000).contains(&-5_000_000_000));
    }
}
