//! Sweeps: one scenario at many points of a grid of parameters, with many seeds at each.
//!
//! # Invariants
//!
//! * A job is a number: points one after the other, the seeds of a point in order. What it comes to
//!   is a function of the sweep and that number, whoever computes it, and when.
//! * Results are written and aggregated in the order of jobs. So equal sweeps give equal bytes, and
//!   the file of a sweep that was stopped is the beginning of the file it would have become.

mod outcome;
mod sketch;
mod aggregate;
mod shard;
mod local;
mod ordered;
mod results;
mod merge;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Scenario, ScenarioError, TraceHash, scenario};

pub use self::{
    aggregate::{Aggregate, PointSummary, Totals},
    merge::{MergeError, merge},
    ordered::{Accepted, Ordered},
    outcome::{Figure, Outcome, OutcomeError},
    results::{Header, Results, ResultsError},
    shard::Shard,
    sketch::Sketch,
};

/// The most points a grid may have.
const MOST_POINTS: usize = 10_000;
/// The most jobs a sweep may have: their numbers fit a double, for who reads JSON.
const MOST_JOBS: u64 = 1 << 40;

/// The version of the form of results.
const SCHEMA: u32 = 1;

/// Why there is no such sweep.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The scenario cannot be read, with the settings of some point.
    #[error("{settings}{error}")]
    Scenario {
        /// What was set, as `key=value `; empty for the scenario as it is.
        settings: String,
        /// What is wrong with it.
        error: ScenarioError,
    },
    /// A key cannot be varied, or its values cannot.
    #[error("`{key}` cannot be varied: {why}")]
    Axis {
        /// The key.
        key: String,
        /// Why not.
        why: String,
    },
    /// There is too much of it.
    #[error("{0}")]
    TooLarge(String),
    /// A definition that was written elsewhere cannot be read.
    #[error("this is no sweep: {0}")]
    Definition(String),
    /// It was written by another version, which may run scenarios in another way.
    #[error("the sweep is of version {found}, this is {own}: results of both do not compare")]
    Version {
        /// The version that wrote it.
        found: String,
        /// The version of this program.
        own: &'static str,
    },
}

/// A key that is varied, with the values it takes: `("network.loss", ["0", "1%"])`.
pub type Axis = (String, Vec<String>);

/// A scenario, the values to try, and the seeds.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::Sweep;
///
/// let text = r#"
///     workload = { kind = "lww", think = "1s" }
///     sweep.vary = { "workload.think" = ["1s", "30s"] }
///     "#;
/// let sweep = Sweep::new(text, &[], &[], Some(0..50))?;
/// assert_eq!((sweep.points(), sweep.jobs()), (2, 100));
/// assert_eq!(sweep.settings(1), [("workload.think".into(), "30s".into())]);
///
/// let outcome = sweep.run(50); // the first seed of the second point
/// assert_eq!((outcome.point, outcome.seed), (1, 0));
/// # Ok::<(), guid_sim::sweep::SweepError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    definition: Definition,
    points: Vec<Point>,
    seeds: Range<u64>,
    id: String,
}

/// All that decides a sweep, as it is sent to other machines.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Definition {
    guid_sweep: u32,
    version: String,
    scenario: String,
    set: Vec<(String, String)>,
    vary: Vec<Axis>,
    first_seed: u64,
    end_seed: u64,
}

#[derive(Clone, Debug)]
struct Point {
    settings: Vec<(String, String)>,
    scenario: Scenario,
}

impl Sweep {
    /// Makes a sweep of a scenario file, some of whose values are replaced. What `vary` and `seeds`
    /// do not say, the `[sweep]` of the file does; the scenario's own seed is the last resort.
    ///
    /// # Errors
    ///
    /// See [`SweepError`]; every point of the grid is read before anything runs.
    pub fn new(
        text: &str,
        set: &[(String, String)],
        vary: &[Axis],
        seeds: Option<Range<u64>>,
    ) -> Result<Self, SweepError> {
        let scenario = parse(text, set, &[])?;
        let own = scenario.sweep();
        // A key that is varied by both is varied as the caller says.
        let of_file = own.vary.iter().filter(|(key, _)| vary.iter().all(|(other, _)| other != key));
        let vary: Vec<Axis> = of_file.chain(vary).cloned().collect();
        let seed = scenario.seed();
        let seeds = seeds.or_else(|| own.seeds.clone()).unwrap_or(seed..seed.saturating_add(1));
        Self::defined(Definition {
            guid_sweep: SCHEMA,
            version: String::from(env!("CARGO_PKG_VERSION")),
            scenario: String::from(text),
            set: set.to_vec(),
            vary,
            first_seed: seeds.start,
            end_seed: seeds.end,
        })
    }

    /// Reads what [`definition`](Self::definition) wrote, on this machine or another.
    ///
    /// # Errors
    ///
    /// See [`SweepError`].
    pub fn parse(definition: &str) -> Result<Self, SweepError> {
        let definition: Definition = serde_json::from_str(definition)
            .map_err(|error| SweepError::Definition(error.to_string()))?;
        let own = env!("CARGO_PKG_VERSION");
        if definition.guid_sweep != SCHEMA || definition.version != own {
            return Err(SweepError::Version { found: definition.version, own });
        }
        Self::defined(definition)
    }

    fn defined(definition: Definition) -> Result<Self, SweepError> {
        let seeds = definition.first_seed..definition.end_seed;
        if seeds.is_empty() {
            return Err(SweepError::TooLarge(String::from("there are no seeds to run")));
        }
        let points = points(&definition)?;
        let jobs = (points.len() as u64).checked_mul(seeds.end - seeds.start);
        if jobs.is_none_or(|jobs| jobs > MOST_JOBS) {
            let message = format!("more than {MOST_JOBS} runs: take fewer seeds");
            return Err(SweepError::TooLarge(message));
        }
        let mut id = TraceHash::default();
        id.bytes(text(&definition).as_bytes());
        Ok(Self { definition, points, seeds, id: id.to_string() })
    }

    /// All that decides the sweep, as JSON.
    pub fn definition(&self) -> String {
        text(&self.definition)
    }

    /// A name that tells the sweep from all others: 32 hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The scenario's name.
    pub fn name(&self) -> &str {
        self.points[0].scenario.name()
    }

    /// How many points the grid has.
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// What is set at a point; nothing for a point that there is not.
    pub fn settings(&self, point: usize) -> &[(String, String)] {
        self.points.get(point).map_or(&[], |point| &point.settings)
    }

    /// The keys that are varied, the slowest first.
    pub fn vary(&self) -> &[Axis] {
        &self.definition.vary
    }

    /// The seeds of every point.
    pub fn seeds(&self) -> Range<u64> {
        self.seeds.clone()
    }

    /// How many runs there are.
    pub fn jobs(&self) -> u64 {
        self.points.len() as u64 * self.seeds_a_point()
    }

    fn seeds_a_point(&self) -> u64 {
        self.seeds.end - self.seeds.start
    }

    /// The point and the seed of a job.
    pub fn job(&self, job: u64) -> (u64, u64) {
        let each = self.seeds_a_point();
        (job / each, self.seeds.start + job % each)
    }

    /// Runs a job. A run that is given up is an outcome too, with the reason.
    ///
    /// # Panics
    ///
    /// If there is no such job.
    pub fn run(&self, job: u64) -> Outcome {
        let (point, seed) = self.job(job);
        let at = &self.points[point as usize];
        let run = at.scenario.run(seed);
        Outcome::new(job, point, seed, &at.settings, run)
    }

    /// The first line of a file of its results, or of one shard of them.
    pub fn header(&self, shard: Shard) -> Header {
        let Definition { guid_sweep, version, set, vary, .. } = self.definition.clone();
        let Range { start, end } = self.seeds;
        Header {
            guid_sweep,
            version,
            sweep: self.id.clone(),
            scenario: String::from(self.name()),
            set,
            vary,
            seeds: format!("{start}..{end}"),
            jobs: self.jobs(),
            shard: (!shard.is_whole()).then(|| shard.to_string()),
        }
    }
}

fn text(definition: &Definition) -> String {
    // Strings and numbers: there is nothing that JSON cannot say.
    serde_json::to_string(definition).unwrap_or_default()
}

fn parse(
    text: &str,
    set: &[(String, String)],
    settings: &[(String, String)],
) -> Result<Scenario, SweepError> {
    let all: Vec<(String, String)> = set.iter().chain(settings).cloned().collect();
    Scenario::parse_with(text, &all).map_err(|error| {
        // What is set may be the cause wherever the error shows.
        let shown = settings.iter().map(|(key, value)| format!("{key}={value}: "));
        SweepError::Scenario { settings: shown.collect(), error }
    })
}

/// Every point of the grid, the last axis the fastest.
fn points(definition: &Definition) -> Result<Vec<Point>, SweepError> {
    let Definition { scenario: text, set, vary, .. } = definition;
    check(set, vary)?;
    let count = vary.iter().try_fold(1_usize, |count, (_, values)| {
        count.checked_mul(values.len()).filter(|&count| count <= MOST_POINTS)
    });
    let Some(count) = count else {
        let message = format!("more than {MOST_POINTS} points: vary fewer values");
        return Err(SweepError::TooLarge(message));
    };
    let point = |number: u64| {
        let settings = settings(vary, number);
        Ok(Point { scenario: parse(text, set, &settings)?, settings })
    };
    (0..count as u64).map(point).collect()
}

/// What is set at a point: the last axis is the fastest.
fn settings(vary: &[Axis], point: u64) -> Vec<(String, String)> {
    let mut rest = point;
    let mut settings: Vec<(String, String)> = (vary.iter().rev())
        .filter_map(|(key, values)| {
            let count = values.len() as u64;
            let value = values.get(usize::try_from(rest.checked_rem(count)?).ok()?)?;
            rest /= count;
            Some((key.clone(), value.clone()))
        })
        .collect();
    settings.reverse();
    settings
}

/// Refuses axes that would say nothing, or something else than they seem to.
fn check(set: &[(String, String)], vary: &[Axis]) -> Result<(), SweepError> {
    for (i, (key, values)) in vary.iter().enumerate() {
        let twice = || (1..values.len()).find(|&at| values[..at].contains(&values[at]));
        let why = if key == "scenario.seed" || key.starts_with("sweep.") {
            String::from("each run has a seed of its own: give a range of seeds")
        } else if set.iter().any(|(other, _)| other == key) {
            String::from("it is set as well")
        } else if vary[..i].iter().any(|(other, _)| other == key) {
            String::from("it is named twice")
        } else if values.is_empty() {
            String::from("it has no values")
        } else if let Some(at) = twice() {
            format!("`{}` stands twice", values[at])
        } else {
            continue;
        };
        return Err(SweepError::Axis { key: key.clone(), why });
    }
    Ok(())
}

/// Reads a range of seeds, `A..B`: from A up to, but not including, B.
///
/// # Errors
///
/// What was expected.
///
/// # Examples
///
/// ```
/// assert_eq!(guid_sim::sweep::seeds("0..100"), Ok(0..100));
/// assert!(guid_sim::sweep::seeds("100..0").is_err());
/// ```
pub fn seeds(text: &str) -> Result<Range<u64>, String> {
    scenario::seeds(text)
}
