//! What pictures of a run are made of: parts of it, event by event, and the whole of it in steps.
//!
//! A run may have millions of events, and a picture holds a hundred. So a run is sampled while it
//! goes: its beginning; then, in a second run that is the same, the events around each witness;
//! and, in a fixed number of steps, how far clocks were off and what was lost. What is kept does
//! not grow with the run.

mod collector;
mod offsets;
mod ramp;
mod series;

use std::{cell::RefCell, io::Write, ops::Range, rc::Rc};

use guid_core::Guid;

use crate::{Check, Event, Report, RunError, Scenario, Scheme, Verdict, Witness, WorldConfig};

pub(crate) use self::collector::Collector;
pub use self::{
    offsets::{Off, Offsets},
    ramp::{Ramp, RampPoint},
    series::Series,
};

/// How many events of the beginning are kept.
const BEGINNING: u64 = 60;
/// How many events before and after each event of a witness.
const AROUND: u64 = 12;
/// Two events of a witness that are no further apart stand in one piece.
const TOGETHER: u64 = 60;
/// How many parts there are of witnesses, and how many of faults.
const PARTS: usize = 5;
const FAULTS: usize = 6;
/// How many events before and after a window's end.
const AT_BOUNDARY: u64 = 18;
/// As many events as may be asked for at once.
const ASKED: u64 = 240;

/// Which order of the IDs of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two orders there are")]
pub enum By {
    /// k-order, that of the bytes.
    Bytes,
    /// Time order: stamp, then node.
    Time,
}

/// A scheme's IDs in one of their orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sorting {
    /// Whose IDs.
    pub scheme: Scheme,
    /// In which order.
    pub by: By,
}

/// An event of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// What happened.
    pub event: Event,
    /// Its ID in every scheme, as people know it; none if it bears no IDs.
    pub ids: Vec<String>,
    /// A key that compares as its ID does, for each [`Sorting`] of the sample.
    pub keys: Vec<u128>,
}

/// A part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The checks whose witness it shows.
    pub of: Vec<String>,
    /// The witness of the first of them.
    pub witness: Option<Witness>,
    /// The kind of fault of which it shows the first.
    pub fault: Option<&'static str>,
    /// Whether it shows where the first window ends.
    pub boundary: bool,
    /// Its events, by number; there may be gaps.
    pub events: Vec<Seen>,
}

/// A sample of a run, bounded whatever the run is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// How many nodes there were.
    pub nodes: u32,
    /// True time at the start, in Unix nanoseconds.
    pub start_ns: u64,
    /// How long it ran, in true time.
    pub duration_ns: u64,
    /// What stamped the events.
    pub schemes: Vec<Scheme>,
    /// The orders there are of their IDs; schemes whose IDs do not compare have none.
    pub sortings: Vec<Sorting>,
    /// The beginning, then parts around witnesses, then parts around the first fault of a kind, and
    /// one where the first window ends.
    pub parts: Vec<Part>,
    /// How many witnesses stand in no part.
    pub left_out: usize,
    /// How far the clocks of the first nodes were off.
    pub offsets: Vec<Offsets>,
    /// The least and the most that any clock was off.
    pub envelope: Offsets,
    /// Misorder against the gap, for each scheme that has the closed form and a window of a second
    /// or more.
    pub ramps: Vec<Ramp>,
    /// What was lost, and other counts, over time.
    pub series: Vec<Series>,
}

impl Sorting {
    /// In which window, counted from the epoch, the ID stands of which this is the key; `None`
    /// unless it is sorted by windows.
    pub fn window(&self, key: u128) -> Option<u64> {
        let by_windows = self.by == By::Bytes && self.scheme.has_two_orders();
        Guid::from_u128(key).filter(|_| by_windows).map(collector::window_of)
    }
}

impl Scenario {
    /// Runs it, judges it, and keeps what pictures are made of.
    ///
    /// It takes up to twice the time of a run, and memory that does not grow with it.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    ///
    /// # Examples
    ///
    /// ```
    /// let scenario = guid_sim::Builtin::named("hello-clocks").unwrap().scenario()?;
    /// let (report, sample) = scenario.sample(42)?;
    /// assert_eq!(report, scenario.run(42)?);
    /// assert_eq!(sample.parts[0].events[0].event.number, 1);
    /// let key = "happens-before-by-bytes@guid96:d3".to_owned();
    /// assert!(sample.parts.iter().any(|part| part.of.contains(&key)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample(&self, seed: u64) -> Result<(Report, Sample), RunError> {
        self.sample_traced(seed, None)
    }

    /// The same, and writes the trace of everything that happened.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    pub fn sample_traced(
        &self,
        seed: u64,
        trace: Option<Box<dyn Write>>,
    ) -> Result<(Report, Sample), RunError> {
        let config = self.config(seed, trace);
        let (report, collector) = self.collected(config, one(1..BEGINNING + 1), None)?;
        let mut sample = collector.finish();
        let beginning = std::mem::take(&mut sample.events);
        let mut parts = vec![Part::of_events(beginning)];
        let (mut plans, left_out) = plan(&report);
        plans.extend(sample.faults.iter().take(FAULTS).map(|&fault| Plan::fault(fault)));
        plans.extend(sample.boundary.map(Plan::boundary));
        let last = plans.iter().flat_map(|plan| &plan.ranges).map(|range| range.end).max();
        if let Some(last) = last {
            let ranges = plans.iter().flat_map(|plan| plan.ranges.clone()).collect();
            let seen = self.seen(seed, ranges, last)?;
            parts.extend(plans.into_iter().map(|plan| plan.part(&seen)));
        }
        Ok((report, sample.with(parts, left_out)))
    }

    /// Runs it as far as it must, and keeps the events with these numbers; of more than 240 the
    /// first.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    ///
    /// # Examples
    ///
    /// ```
    /// let scenario = guid_sim::Builtin::named("lww-window-trap").unwrap().scenario()?;
    /// let part = scenario.events(42, 100..110)?;
    /// assert!(part.events.iter().map(|seen| seen.event.number).eq(100..110));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn events(&self, seed: u64, numbers: Range<u64>) -> Result<Part, RunError> {
        let end = numbers.end.min(numbers.start.saturating_add(ASKED));
        let events = self.seen(seed, one(numbers.start..end), end)?;
        Ok(Part::of_events(events))
    }

    /// The events in these ranges, of a run that is given up at the last of them.
    fn seen(&self, seed: u64, ranges: Vec<Range<u64>>, last: u64) -> Result<Vec<Seen>, RunError> {
        let config = self.config(seed, None);
        self.collected(config, ranges, Some(last)).map(|(_, collector)| collector.finish().events)
    }

    /// A run, and what was collected. One that is given up where it was told to has no report.
    fn collected(
        &self,
        mut config: WorldConfig,
        ranges: Vec<Range<u64>>,
        last: Option<u64>,
    ) -> Result<(Report, Collector), RunError> {
        let collector = Rc::new(RefCell::new(Collector::new(&config, ranges)));
        config.collector = Some(Rc::clone(&collector));
        let most = config.max_events;
        config.max_events = last.map_or(most, |last| last.min(most));
        let report = match self.run_config(config) {
            Err(RunError::TooManyEvents(at)) if at < most => Ok(Report::none()),
            other => other,
        }?;
        // The run is over: nobody else holds it.
        let collected = Rc::try_unwrap(collector).map(RefCell::into_inner);
        Ok((report, collected.unwrap_or_else(|shared| shared.borrow().clone())))
    }
}

impl Part {
    const fn of_events(events: Vec<Seen>) -> Self {
        Self { of: Vec::new(), witness: None, fault: None, boundary: false, events }
    }
}

/// A list of one range.
fn one(range: Range<u64>) -> Vec<Range<u64>> {
    std::iter::once(range).collect()
}

/// A part to be collected.
struct Plan {
    of: Vec<String>,
    witness: Option<Witness>,
    fault: Option<&'static str>,
    boundary: bool,
    ranges: Vec<Range<u64>>,
}

impl Plan {
    fn new(key: String, witness: &Witness) -> Self {
        let (a, b) = (witness.first.event, witness.second.event);
        let (a, b) = (a.min(b), a.max(b));
        let apart = b - a > TOGETHER;
        let ranges = if apart { vec![around(a, a), around(b, b)] } else { vec![around(a, b)] };
        Self { of: vec![key], witness: Some(witness.clone()), fault: None, boundary: false, ranges }
    }

    fn fault((fault, event): (&'static str, u64)) -> Self {
        let ranges = vec![around(event, event.saturating_add(AROUND))];
        Self { of: Vec::new(), witness: None, fault: Some(fault), boundary: false, ranges }
    }

    fn boundary(event: u64) -> Self {
        let start = event.saturating_sub(AT_BOUNDARY).max(1);
        let ranges = one(start..event.saturating_add(AT_BOUNDARY));
        Self { of: Vec::new(), witness: None, fault: None, boundary: true, ranges }
    }

    /// Whether another witness stands in it whole.
    fn holds(&self, witness: &Witness) -> bool {
        [witness.first.event, witness.second.event]
            .iter()
            .all(|event| self.ranges.iter().any(|range| range.contains(event)))
    }

    fn part(self, seen: &[Seen]) -> Part {
        let within = |seen: &&Seen| self.ranges.iter().any(|r| r.contains(&seen.event.number));
        let events = seen.iter().filter(within).cloned().collect();
        let Self { of, witness, fault, boundary, .. } = self;
        Part { of, witness, fault, boundary, events }
    }
}

const fn around(from: u64, to: u64) -> Range<u64> {
    let start = from.saturating_sub(AROUND);
    (if start == 0 { 1 } else { start })..to.saturating_add(AROUND + 1)
}

/// Which witnesses are shown: of violations first, then of what the scenario speaks of, then of
/// other claims; and how many are not.
fn plan(report: &Report) -> (Vec<Plan>, usize) {
    let mut plans: Vec<Plan> = Vec::new();
    let mut left_out = 0;
    let mut checks: Vec<&Check> = report.checks.iter().chain(&report.measures).collect();
    checks.sort_by_key(|check| {
        (check.verdict != Verdict::Violated, check.expectation.is_none(), !check.claim)
    });
    for check in checks {
        let Some(witness) = &check.witness else { continue };
        if check.count == 0 && check.verdict != Verdict::Violated {
            continue; // the furthest that it goes, within what is promised
        }
        if let Some(plan) = plans.iter_mut().find(|plan| plan.holds(witness)) {
            plan.of.push(check.key());
        } else if plans.len() < PARTS {
            plans.push(Plan::new(check.key(), witness));
        } else {
            left_out += 1;
        }
    }
    (plans, left_out)
}
