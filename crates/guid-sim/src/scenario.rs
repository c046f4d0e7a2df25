//! Scenarios: a run as a file, with what is expected of it.
//!
//! A scenario is TOML. Every quantity has its unit; a key that is not known is refused, with its
//! place in the file and the nearest key that is. What a scenario says nothing about has a default.

pub(crate) mod reader;
mod sections;
mod expect;
mod dropped;
mod builtin;

use std::{
    io::Write,
    sync::{Arc, atomic::AtomicBool},
};

use thiserror::Error;

use crate::{
    ClockModel, Memory, NetworkModel, NodeIndex, Observe, Plan, PlanError, Report, RunError,
    ScheduledFault, Scheme, Start, WorldConfig,
    config::Source,
    forecast::{beside, headlines},
    workload::{self, Workload},
};

pub use self::reader::Knob;
pub(crate) use self::{
    expect::{apply as judge_all, judge},
    reader::hint,
    sections::seeds,
};
use self::{
    reader::Reader,
    sections::{Swarm, SweepSection},
};

pub use self::{
    builtin::{BUILTIN, Builtin},
    dropped::Dropped,
    expect::{Expectation, Expected},
};

/// A run as a file describes it.
///
/// # Examples
///
/// ```
/// use guid_sim::Scenario;
///
/// let scenario = Scenario::parse(
///     r#"
///     [scenario]
///     name = "two-minutes"
///     nodes = 3
///     duration = "2min"
///
///     [workload]
///     kind = "ids"
///     rate = "5/s"
///
///     [check]
///     expect = { unique = true }
///     "#,
/// )?;
/// let report = scenario.run(42)?;
/// assert_eq!(report.verdict, guid_sim::Verdict::Holds);
///
/// let error = Scenario::parse("[workload]\nkind = \"ids\"\nraet = \"5/s\"").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 3, column 1: unknown key `raet` in [workload]: did you mean `rate`?",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    summary: String,
    seed: u64,
    nodes: u32,
    start: Start,
    duration_ns: u64,
    settle_ns: u64,
    max_events: u64,
    clocks: ClockModel,
    network: NetworkModel,
    faults: Vec<ScheduledFault>,
    swarm: Option<Swarm>,
    schemes: Vec<Scheme>,
    observe: Observe,
    memory: Memory,
    shared_node: Vec<NodeIndex>,
    gaps_ns: Vec<u64>,
    disorder: bool,
    workload: Workload,
    expectations: Vec<Expectation>,
    /// As the file has it, where values were replaced.
    unchanged: Option<Arc<Self>>,
    /// Set by whoever has no more time for a run.
    stop: Option<Arc<AtomicBool>>,
    sweep: SweepSection,
    source: Source,
}

/// Why a scenario cannot be read: what, where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", self.shown_place())]
#[non_exhaustive]
pub struct ScenarioError {
    /// Line and column (in characters), both from one; `None` where an override is wrong, which
    /// stands nowhere in the file.
    pub place: Option<(usize, usize)>,
    /// What is wrong and what was expected.
    pub message: String,
}

impl ScenarioError {
    fn shown_place(&self) -> String {
        let show = |(line, column)| format!("line {line}, column {column}: ");
        self.place.map_or_else(String::new, show)
    }
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    ///
    /// See [`ScenarioError`].
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        Self::parse_with(text, &[])
    }

    /// Reads a scenario of which some values are replaced: `("network.loss", "1%")`.
    ///
    /// An expectation of the file about what the run no longer has is dropped; the report says so.
    ///
    /// # Errors
    ///
    /// See [`ScenarioError`]; an override of a key that does not exist is one.
    pub fn parse_with(text: &str, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        let table = reader::table(text)?;
        let reader = Reader::new(text, overrides);
        let scenario = sections::read(&reader, table.get_ref())?;
        reader.finish()?;
        // A file that cannot be read without what replaces a value of it says nothing of its own.
        let unchanged = if overrides.is_empty() { None } else { Self::parse(text).ok() };
        let source = Source::new(text, overrides);
        Ok(Self { source, unchanged: unchanged.map(Arc::new), ..scenario })
    }

    /// What of a scenario can be replaced, and what it has there: the keys of
    /// [`parse_with`](Self::parse_with).
    ///
    /// # Errors
    ///
    /// See [`ScenarioError`].
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::Scenario;
    ///
    /// let knobs = Scenario::knobs("[workload]\nkind = \"lww\"\nthink = \"1s\"")?;
    /// let value = |path| knobs.iter().find(|knob| knob.path == path).unwrap().value.as_deref();
    /// assert_eq!(value("workload.think"), Some("1s"));
    /// assert_eq!(value("network.loss"), None);
    /// # Ok::<(), guid_sim::ScenarioError>(())
    /// ```
    pub fn knobs(text: &str) -> Result<Vec<Knob>, ScenarioError> {
        let table = reader::table(text)?;
        let reader = Reader::new(text, &[]);
        sections::read(&reader, table.get_ref())?;
        Ok(reader.knobs())
    }

    /// The same scenario, whose runs are given up beyond so many events, if not before.
    #[must_use]
    pub fn with_max_events(self, most: u64) -> Self {
        Self { max_events: self.max_events.min(most), ..self }
    }

    /// The same scenario, whose runs are given up once the flag is set: by whoever waits for them
    /// no longer.
    #[must_use]
    pub fn stopped_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { stop: Some(flag), ..self }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// What stamps the events.
    pub fn schemes(&self) -> &[Scheme] {
        &self.schemes
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shows, in a sentence.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The seed it runs with unless told otherwise.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The faults of a seed: those of the file, and those that the seed draws, which are over when
    /// the run begins to settle.
    fn faults(&self, seed: u64) -> Vec<ScheduledFault> {
        let drawn = self.swarm.iter();
        let drawn = drawn.flat_map(|swarm| swarm.faults(seed, self.nodes, self.duration_ns));
        self.faults.iter().cloned().chain(drawn).collect()
    }

    /// Runs it and judges it against its expectations.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    pub fn run(&self, seed: u64) -> Result<Report, RunError> {
        self.run_traced(seed, None)
    }

    /// Runs it, and writes the trace of everything that happened.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    pub fn run_traced(&self, seed: u64, trace: Option<Box<dyn Write>>) -> Result<Report, RunError> {
        self.run_config(self.config(seed, trace))
    }

    /// Runs it in a configuration made from it.
    pub(crate) fn run_config(&self, config: WorldConfig) -> Result<Report, RunError> {
        let headlines = headlines(&config, &self.workload, self.duration_ns as f64 / 1e9);
        let mut report = workload::run(&self.workload, config, self.duration_ns)?;
        beside(&headlines, &mut report);
        self.judge(&mut report)?;
        Ok(report)
    }

    /// Runs it, and takes down all that happened as a plan, which can be replayed.
    ///
    /// # Errors
    ///
    /// See [`PlanError`].
    pub fn plan(&self, seed: u64) -> Result<(Report, Plan), PlanError> {
        let mut config = self.config(seed, None);
        let (plan, tape) = Plan::begin(&mut config);
        let mut report = workload::run(&self.workload, config, self.duration_ns)?;
        self.judge(&mut report)?;
        Ok((report, tape.finish(plan)?))
    }

    pub(crate) fn own_expectations(&self) -> &[Expectation] {
        &self.expectations
    }

    pub(crate) fn sweep(&self) -> &SweepSection {
        &self.sweep
    }

    pub(crate) fn workload(&self) -> &Workload {
        &self.workload
    }

    /// How long new work begins.
    pub(crate) fn active_ns(&self) -> u64 {
        self.duration_ns
    }

    pub(crate) fn config(&self, seed: u64, trace: Option<Box<dyn Write>>) -> WorldConfig {
        WorldConfig {
            name: self.name.clone(),
            nodes: self.nodes,
            seed,
            start: self.start,
            duration_ns: self.duration_ns.saturating_add(self.settle_ns),
            clocks: self.clocks.clone(),
            network: self.network.clone(),
            faults: self.faults(seed),
            schemes: self.schemes.clone(),
            observe: self.observe,
            memory: self.memory,
            shared_node: self.shared_node.clone(),
            gaps_ns: self.gaps_ns.clone(),
            disorder: self.disorder,
            trace,
            max_events: self.max_events,
            stop: self.stop.clone(),
            source: self.source.clone(),
            ..WorldConfig::new(self.nodes, seed)
        }
    }
}
