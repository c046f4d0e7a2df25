//! What many runs come to: how often a claim held, and where the measured numbers lie.
//!
//! Memory is bounded by points and checks, whatever the number of runs. Means are those of values
//! taken in the order of jobs, so that equal sweeps give equal bits.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Figure, Outcome, Sketch};
use crate::{Number, Unit, Verdict};

/// How many of the seeds that violate a claim are kept, the first ones.
const SEEDS_KEPT: usize = 10;

/// The 97.5 % quantile of the normal distribution: what a 95 % interval reaches to.
const Z95: f64 = 1.959_963_984_540_054;

/// What all runs of a sweep came to, point by point.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    points: BTreeMap<u64, AtPoint>,
    /// How many runs were taken in.
    pub runs: u64,
    /// How many events happened in all of them.
    pub events: u64,
    worst: Option<Verdict>,
}

#[derive(Clone, Debug, Default)]
struct AtPoint {
    set: Vec<(String, String)>,
    verdicts: Verdicts,
    given_up: Seeds,
    events: u64,
    /// In the order in which a run names them.
    names: Vec<String>,
    checks: BTreeMap<String, Gathered>,
}

#[derive(Clone, Debug, Default)]
struct Verdicts {
    holds: u64,
    violated: u64,
    unknown: u64,
    violated_seeds: Seeds,
}

/// Some of the seeds in which something happened, and how many there are.
#[derive(Clone, Debug, Default)]
struct Seeds {
    first: Vec<u64>,
    count: u64,
}

#[derive(Clone, Debug)]
struct Gathered {
    verdicts: Verdicts,
    measured: Moments,
    sketch: Sketch,
    expected: Moments,
    unit: Unit,
}

/// Mean and variance, one value at a time (Welford, "Note on a Method for Calculating Corrected
/// Sums of Squares and Products", Technometrics 1962).
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
    least: f64,
    greatest: f64,
}

/// What the runs of one point came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PointSummary {
    /// Which point of the grid, from zero.
    pub point: u64,
    /// What is set there.
    pub set: Vec<(String, String)>,
    /// How many runs.
    pub runs: u64,
    /// How many of them came out as the scenario expects.
    pub holds: u64,
    /// How many did not.
    pub violated: u64,
    /// Of how many that could not be told.
    pub unknown: u64,
    /// How many were given up, which counts as unknown.
    pub given_up: u64,
    /// How many events happened in all runs.
    pub events: u64,
    /// The first seeds whose run was violated.
    pub violated_seeds: Vec<u64>,
    /// The first seeds whose run was given up.
    pub given_up_seeds: Vec<u64>,
    /// Every claim and figure.
    pub checks: Vec<Aggregate>,
}

/// What one claim or figure came to, over the runs of one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Aggregate {
    /// The key of the check: `name@scheme`, or the name alone.
    pub check: String,
    /// How many runs had it.
    pub runs: u64,
    /// In how many it came out.
    pub holds: u64,
    /// In how many it did not.
    pub violated: u64,
    /// In how many that could not be told.
    pub unknown: u64,
    /// The 95 % interval of the part that is violated (Wilson, "Probable Inference, the Law of
    /// Succession, and Statistical Inference", 1927).
    pub violated_ci95: [Number; 2],
    /// The first seeds that violate it.
    pub violated_seeds: Vec<u64>,
    /// The mean of the measured numbers.
    pub mean: Number,
    /// The 95 % interval of that mean: normal, from the sample's own variance; none for one run.
    pub mean_ci95: Option<[Number; 2]>,
    /// The least that was measured.
    pub min: Number,
    /// Half of the runs are not above it, within 1 %.
    pub p50: Number,
    /// Nine in ten are not above it, within 1 %.
    pub p90: Number,
    /// 99 in a hundred are not above it, within 1 %.
    pub p99: Number,
    /// The most that was measured.
    pub max: Number,
    /// The mean of what was expected, if anything was.
    pub expected: Option<Number>,
    /// What the numbers count.
    pub unit: Unit,
}

impl Totals {
    /// Takes in what a run came to: in the order of jobs, for the same bits.
    pub fn add(&mut self, outcome: &Outcome) {
        self.runs += 1;
        self.events += outcome.events;
        self.worst = self.worst.max(Some(outcome.verdict));
        let new = || AtPoint { set: outcome.set.clone(), ..AtPoint::default() };
        self.points.entry(outcome.point).or_insert_with(new).add(outcome);
    }

    /// The worst verdict; unknown if there was no run.
    pub fn verdict(&self) -> Verdict {
        self.worst.unwrap_or(Verdict::Unknown)
    }

    /// What it all came to, a point at a time.
    pub fn points(&self) -> impl Iterator<Item = PointSummary> + '_ {
        self.points.iter().map(|(&number, point)| point.summary(number))
    }
}

impl AtPoint {
    fn add(&mut self, outcome: &Outcome) {
        self.verdicts.add(outcome.verdict, outcome.seed);
        self.events += outcome.events;
        if outcome.error.is_some() {
            self.given_up.add(outcome.seed);
        }
        for figure in &outcome.checks {
            let Some(gathered) = self.checks.get_mut(&figure.check) else {
                self.names.push(figure.check.clone());
                let mut gathered = Gathered::new(figure.unit);
                gathered.add(figure, outcome.seed);
                self.checks.insert(figure.check.clone(), gathered);
                continue;
            };
            gathered.add(figure, outcome.seed);
        }
    }

    fn summary(&self, point: u64) -> PointSummary {
        let checks = self.names.iter().filter_map(|name| {
            let gathered = self.checks.get(name)?;
            Some(gathered.aggregate(name))
        });
        let Verdicts { holds, violated, unknown, violated_seeds } = &self.verdicts;
        PointSummary {
            point,
            set: self.set.clone(),
            runs: self.verdicts.runs(),
            holds: *holds,
            violated: *violated,
            unknown: *unknown,
            given_up: self.given_up.count,
            events: self.events,
            violated_seeds: violated_seeds.first.clone(),
            given_up_seeds: self.given_up.first.clone(),
            checks: checks.collect(),
        }
    }
}

impl Verdicts {
    fn add(&mut self, verdict: Verdict, seed: u64) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::Unknown => self.unknown += 1,
            Verdict::Violated => {
                self.violated += 1;
                self.violated_seeds.add(seed);
            }
        }
    }

    fn runs(&self) -> u64 {
        self.holds + self.violated + self.unknown
    }
}

impl Seeds {
    fn add(&mut self, seed: u64) {
        self.count += 1;
        if self.first.len() < SEEDS_KEPT {
            self.first.push(seed);
        }
    }
}

impl Gathered {
    fn new(unit: Unit) -> Self {
        let (verdicts, sketch) = (Verdicts::default(), Sketch::default());
        let (measured, expected) = (Moments::default(), Moments::default());
        Self { verdicts, measured, sketch, expected, unit }
    }

    fn add(&mut self, figure: &Figure, seed: u64) {
        self.verdicts.add(figure.verdict, seed);
        self.measured.add(figure.measured.0);
        self.sketch.add(figure.measured.0);
        if let Some(expected) = figure.expected {
            self.expected.add(expected.0);
        }
    }

    fn aggregate(&self, check: &str) -> Aggregate {
        let runs = self.verdicts.runs();
        let Moments { least, greatest, .. } = self.measured;
        // The middle of a bucket may lie beyond all that was measured.
        let quantile = |q| Number(self.sketch.quantile(q).unwrap_or(0.0).clamp(least, greatest));
        Aggregate {
            check: String::from(check),
            runs,
            holds: self.verdicts.holds,
            violated: self.verdicts.violated,
            unknown: self.verdicts.unknown,
            violated_ci95: wilson(self.verdicts.violated, runs).map(Number),
            violated_seeds: self.verdicts.violated_seeds.first.clone(),
            mean: Number(self.measured.mean),
            mean_ci95: self.measured.interval().map(|ends| ends.map(Number)),
            min: Number(self.measured.least),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: Number(self.measured.greatest),
            expected: (self.expected.count > 0).then_some(Number(self.expected.mean)),
            unit: self.unit,
        }
    }
}

impl Moments {
    fn add(&mut self, value: f64) {
        (self.least, self.greatest) = match self.count {
            0 => (value, value),
            _ => (self.least.min(value), self.greatest.max(value)),
        };
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    fn interval(&self) -> Option<[f64; 2]> {
        if self.count < 2 {
            return None;
        }
        let variance = self.squares / (self.count - 1) as f64;
        let half = Z95 * libm::sqrt(variance / self.count as f64);
        Some([self.mean - half, self.mean + half])
    }
}

/// The 95 % interval of a part of all.
fn wilson(count: u64, of: u64) -> [f64; 2] {
    if of == 0 {
        return [0.0, 1.0];
    }
    let (n, p, z2) = (of as f64, count as f64 / of as f64, Z95 * Z95);
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * libm::sqrt(p * (1.0 - p) / n + z2 / (4.0 * n * n));
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_definition() {
        let values = [3.5, -1.0, 4.25, 1e6, 0.0, 7.0];
        let mut moments = Moments::default();
        for value in values {
            moments.add(value);
        }
        let mean = values.iter().sum::<f64>() / 6.0;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 5.0;
        let half = Z95 * (variance / 6.0).sqrt();
        let [low, high] = moments.interval().unwrap();
        assert!(
            (moments.mean - mean).abs() < 1e-6 && (moments.least, moments.greatest) == (-1.0, 1e6)
        );
        assert!((low - (mean - half)).abs() < 1e-3 && (high - (mean + half)).abs() < 1e-3);
        let mut one = Moments::default();
        one.add(5.0);
        assert_eq!(one.interval(), None);
    }

    /// The figures of Newcombe, "Two-Sided Confidence Intervals for the Single Proportion", 1998,
    /// Table I, method 3.
    #[test]
    fn intervals_of_parts_are_the_published_ones() {
        let near = |found: [f64; 2], expected: [f64; 2]| {
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 5e-5)
        };
        assert!(near(wilson(81, 263), [0.2553, 0.3662]));
        assert!(near(wilson(15, 148), [0.0624, 0.1605]));
        assert!(near(wilson(0, 20), [0.0, 0.1611]));
        assert!(near(wilson(1, 29), [0.0061, 0.1718]));
        assert!(near(wilson(0, 0), [0.0, 1.0]));
    }
}
