//! [`Repro`]: the least run that fails, as a file, and its replay.

use std::{collections::BTreeMap, fmt, io, io::Write};

use serde::Serialize;

use crate::{
    Check, Failure, Plan, ScenarioError, Verdict,
    plan::{self, Played},
    stamper::id_text,
};

/// A plan and how it fails: what [`Plan::shrink`] leaves, and what `repro.toml` holds.
///
/// Its text depends on no sampler, no workload and no code of a process; only on the checkers and
/// on the schemes, which are on trial.
///
/// # Examples
///
/// ```
/// use guid_sim::{Repro, Verdict};
///
/// let repro = Repro::parse(
///     r#"
///     format = 1
///     [expect]
///     check = "monotone@upstream"
///     shows = "violated"
///     [plan]
///     schemes = ["upstream"]
///     nodes = [{ id = "00000001" }]
///     events = [
///       { at = "0s", node = 1, kind = "mint" },
///       { at = "1s", node = 1, clock = "-2s", kind = "mint" },
///     ]
///     "#,
/// )?;
/// let replayed = repro.replay();
/// assert_eq!(replayed.verdict, Verdict::Holds); // it fails, as it says
/// assert_eq!(replayed.check.unwrap().verdict, Verdict::Violated);
/// assert_eq!(Repro::parse(&repro.to_string())?, repro);
/// # Ok::<(), guid_sim::ScenarioError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Repro {
    plan: Plan,
    failure: Failure,
}

/// The text of its file.
impl fmt::Display for Repro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        plan::write(&self.plan, &self.failure, f)
    }
}

impl Repro {
    /// Returns the claim that a plan fails like that.
    pub const fn new(plan: Plan, failure: Failure) -> Self {
        Self { plan, failure }
    }

    /// Reads one.
    ///
    /// # Errors
    ///
    /// What is wrong, where, and what was expected: also of what cannot have happened, as a message
    /// that is received and was not sent.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        plan::read(text).map(|(plan, failure)| Self { plan, failure })
    }

    /// What happens.
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What it shows.
    pub const fn failure(&self) -> &Failure {
        &self.failure
    }

    /// Replays it.
    pub fn replay(&self) -> Replayed {
        let mut happened = Vec::new();
        let report = plan::replay(&self.plan, &mut |played| happened.push(self.happened(played)));
        let Plan { name, seed, start_ns, .. } = &self.plan;
        Replayed {
            schema: 1,
            scenario: name.clone(),
            seed: *seed,
            start_ns: start_ns.to_string(),
            shows: self.failure.to_string(),
            happened,
            check: report.get(&self.failure.check).cloned(),
            verdict: Verdict::of(self.failure.is_shown_still(&report)),
        }
    }

    /// Replays it, and writes a trace.
    ///
    /// # Errors
    ///
    /// If the trace cannot be written.
    pub fn trace(&self, out: Box<dyn Write>) -> io::Result<()> {
        plan::replay_traced(&self.plan, Some(out), &mut |_| {}).map(drop)
    }

    fn happened(&self, played: Played<'_>) -> Happened {
        let Played { step, number, keys } = played;
        let ids = self.plan.schemes.iter().zip(keys);
        Happened {
            event: (step.what.events() > 0).then_some(number),
            node: step.node.number(),
            true_ns: self.plan.true_ns(step).to_string(),
            local_ns: self.plan.local_ns(step).to_string(),
            what: step.what.to_string(),
            ids: ids.map(|(&scheme, &key)| (scheme.to_string(), id_text(scheme, key))).collect(),
        }
    }
}

/// What a replay showed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Replayed {
    /// The version of this form.
    pub schema: u32,
    /// The scenario that the run comes from.
    pub scenario: String,
    /// Its seed.
    pub seed: u64,
    /// True time at the start, in Unix nanoseconds, in decimal.
    pub start_ns: String,
    /// What it is to show, in words.
    pub shows: String,
    /// All that happened.
    pub happened: Vec<Happened>,
    /// The check that fails; `None` if the run does not even have it.
    pub check: Option<Check>,
    /// Whether it came out as the file says: `Holds` if it still fails the same way.
    pub verdict: Verdict,
}

/// One thing that happened in a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Happened {
    /// The number of the event, of several the last; `None` for what a process said beside events.
    pub event: Option<u64>,
    /// The node's number, from one.
    pub node: u32,
    /// True time, in Unix nanoseconds, in decimal.
    pub true_ns: String,
    /// What the node's clock read, likewise.
    pub local_ns: String,
    /// What, in words.
    pub what: String,
    /// The ID by each scheme, of several events the last.
    pub ids: BTreeMap<String, String>,
}
