//! Why a seed fails, as small as it gets: the least list of events that fails the same way, and a
//! smaller world in which the same code does.

use std::fmt::Debug;

use super::less::{self, Less};
use crate::{ClockModel, Effort, Failure, Plan, Report, Shrunk, Verdict, WorldConfig};

/// How much is tried to find the least list of events.
const EFFORT: Effort = Effort::new(2_000, 5_000_000);
/// How many smaller worlds are tried, and how many where each failure is a panic, which is told.
const MOST_WORLDS: u32 = 64;
const MOST_PANICS: u32 = 16;

/// How a seed failed.
pub(super) enum Fails {
    /// A check, of some cause.
    Check(Failure),
    /// The run did not come to its end; numbers in the message do not count.
    Error(String),
}

impl Fails {
    pub(super) fn of(outcome: &Result<Report, String>) -> Option<Self> {
        match outcome {
            Ok(report) => Failure::first(report).ok().map(Self::Check),
            Err(error) => Some(Self::Error(without_digits(error))),
        }
    }

    fn is_that_of(&self, outcome: &Result<Report, String>) -> bool {
        match (self, outcome) {
            (Self::Check(failure), Ok(report)) => report.checks.iter().any(|check| {
                let cause = check.witness.as_ref().map(|witness| &witness.cause);
                check.verdict == Verdict::Violated
                    && check.key() == failure.check
                    && failure.cause.as_ref() == cause
            }),
            (Self::Error(known), Err(error)) => *known == without_digits(error),
            _ => false,
        }
    }
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The least list of events that fails like that. `None` if what a process claims is all that
/// fails: that list says no more than the claim.
pub(super) fn shrunk(plan: Plan, fails: &Fails) -> Option<Shrunk> {
    let Fails::Check(failure) = fails else { return None };
    plan.shrink(failure, EFFORT, &mut |_| {}).ok()
}

/// A world from which much is taken away and that fails the same way; `run` runs one.
pub(super) fn smaller(
    world: &WorldConfig,
    report: Option<&Report>,
    fails: &Fails,
    run: impl FnMut(&Less) -> Result<Report, String>,
) -> Option<Less> {
    let left = if matches!(fails, Fails::Error(_)) { MOST_PANICS } else { MOST_WORLDS };
    let witnessed_ns = report.and_then(|report| witnessed_ns(report, fails));
    let mut search = Search { best: Less::default(), witnessed_ns, fails, run, left };
    if !is_like(&world.network, &less::plain_network()) {
        search.change(|less| less.plain_network = true);
    }
    if !is_like(&world.clocks, &ClockModel::perfect()) {
        search.change(|less| less.right_clocks = true);
    }
    search.faults(world.faults.len());
    search.nodes(world.nodes);
    search.duration(world.duration_ns);
    Some(search.best).filter(|best| *best != Less::default())
}

/// Whether there is nothing to take away from a model: it says of itself what the other one says.
fn is_like(model: &impl Debug, other: &impl Debug) -> bool {
    format!("{model:?}") == format!("{other:?}")
}

/// How long after the start the second event of the witness was.
fn witnessed_ns(report: &Report, fails: &Fails) -> Option<u64> {
    let Fails::Check(failure) = fails else { return None };
    let at: u64 = report.get(&failure.check)?.witness.as_ref()?.second.true_ns.parse().ok()?;
    at.checked_sub(report.start_ns.parse().ok()?)
}

struct Search<'a, R> {
    best: Less,
    /// When it failed there.
    witnessed_ns: Option<u64>,
    fails: &'a Fails,
    run: R,
    left: u32,
}

impl<R: FnMut(&Less) -> Result<Report, String>> Search<'_, R> {
    fn change(&mut self, change: impl FnOnce(&mut Less)) -> bool {
        let mut less = self.best.clone();
        change(&mut less);
        if self.left == 0 || less == self.best {
            return false;
        }
        self.left -= 1;
        let outcome = (self.run)(&less);
        let fails = self.fails.is_that_of(&outcome);
        if fails {
            self.best = less;
            self.witnessed_ns = outcome.ok().and_then(|report| witnessed_ns(&report, self.fails));
        }
        fails
    }

    /// None of them, else those without which it does not fail.
    fn faults(&mut self, faults: usize) {
        if faults == 0 || self.change(|less| less.faults = Some(Vec::new())) {
            return;
        }
        // Halves, quarters, each one.
        let mut chunk = faults.div_ceil(2);
        loop {
            let mut start = 1;
            while start <= faults {
                let gone = start..start + chunk;
                self.change(|less| {
                    let kept = less.faults.take().unwrap_or_else(|| (1..=faults).collect());
                    let kept: Vec<usize> =
                        kept.into_iter().filter(|number| !gone.contains(number)).collect();
                    less.faults = Some(kept).filter(|kept| kept.len() < faults);
                });
                start += chunk;
            }
            if chunk == 1 {
                return;
            }
            chunk = chunk.div_ceil(2);
        }
    }

    fn nodes(&mut self, nodes: u32) {
        let few = (1..nodes).take(4);
        let halves = std::iter::successors(Some(nodes / 2), |half| Some(half / 2));
        let mut halves: Vec<u32> = halves.take_while(|&half| half > 4).collect();
        halves.reverse();
        for fewer in few.chain(halves) {
            if self.change(|less| less.nodes = Some(fewer)) {
                return;
            }
        }
    }

    fn duration(&mut self, duration_ns: u64) {
        // To the moment of the failure, rounded up to two digits.
        let mut shortest = self.witnessed_ns.map_or(duration_ns, rounded_up);
        if shortest < duration_ns && !self.change(|less| less.duration_ns = Some(shortest)) {
            shortest = duration_ns;
        }
        while shortest > 1 {
            shortest = rounded_up(shortest / 2);
            if !self.change(|less| less.duration_ns = Some(shortest)) {
                return;
            }
        }
    }
}

fn rounded_up(ns: u64) -> u64 {
    let unit = 10_u64.pow(ns.max(1).ilog10().saturating_sub(1));
    ns.div_ceil(unit).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_left_and_none_is_lost() {
        for (ns, rounded) in [(0, 0), (7, 7), (99, 99), (101, 110), (1_234_567, 1_300_000)] {
            assert_eq!(rounded_up(ns), rounded);
        }
    }

    #[test]
    fn numbers_in_a_message_do_not_count() {
        let fails = Fails::of(&Err(String::from("lost 17 of 20"))).unwrap();
        assert!(fails.is_that_of(&Err(String::from("lost 3 of 4"))));
        assert!(!fails.is_that_of(&Err(String::from("found 3 of 4"))));
    }
}
