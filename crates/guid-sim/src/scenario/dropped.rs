//! Expectations that a replaced value made pointless.
//!
//! Whoever runs a scenario with other schemes or another workload did not write its expectations,
//! and is not to be refused for those of them that are about what is gone. They are dropped, and
//! the report says which and why.
//!
//! # Invariants
//!
//! * Nothing is dropped of a scenario of which nothing was replaced.
//! * Nothing is dropped that was never there: the scenario as its file has it makes the check.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Scenario,
    expect::{Expectation, apply, fits},
};
use crate::{Report, RunError, Scheme, workload};

/// An expectation of a scenario that is not judged, since what was replaced left nothing to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Dropped {
    /// The key of the check: `name@scheme`, or a name.
    pub check: String,
    /// What the scenario expects of it, in its words.
    pub expectation: String,
    /// Why there is no such check.
    pub why: String,
}

impl Scenario {
    /// Judges a report of this scenario, less what is dropped.
    ///
    /// It runs the scenario as its file has it if that is the only way to tell a check that is gone
    /// from one that never was.
    pub(super) fn judge(&self, report: &mut Report) -> Result<(), RunError> {
        let Some(unchanged) = &self.unchanged else { return apply(&self.expectations, report) };
        let mut as_written: Option<Report> = None;
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for expectation in &self.expectations {
            let Err(error) = fits(expectation, report) else {
                kept.push(expectation.clone());
                continue;
            };
            // What stands nowhere in the file was typed for this run.
            if expectation.place.is_none() {
                return Err(error);
            }
            let why = if let Some(scheme) = self.gone(expectation) {
                format!("this run has no scheme {scheme}")
            } else {
                if as_written.is_none() {
                    as_written = self.report_of(unchanged, report.seed);
                }
                let was = as_written.as_ref().is_some_and(|was| fits(expectation, was).is_ok());
                if !was {
                    return Err(error);
                }
                String::from("with what is set, this run has no such check")
            };
            let Expectation { key, text, .. } = expectation.clone();
            dropped.push(Dropped { check: key, expectation: text, why });
        }
        apply(&kept, report)?;
        report.dropped = dropped;
        Ok(())
    }

    /// The scheme that an expectation is about, if its file has it and this run has not.
    fn gone(&self, expectation: &Expectation) -> Option<Scheme> {
        let (_, scheme) = expectation.key.split_once('@')?;
        let scheme = scheme.parse().ok()?;
        let was = self.unchanged.as_ref()?.schemes.contains(&scheme);
        (was && !self.schemes.contains(&scheme)).then_some(scheme)
    }

    /// The report of another scenario within the bounds of this one, if it comes to one.
    fn report_of(&self, other: &Arc<Self>, seed: u64) -> Option<Report> {
        let mut config = other.config(seed, None);
        config.max_events = config.max_events.min(self.max_events);
        config.stop.clone_from(&self.stop);
        workload::run(&other.workload, config, other.duration_ns).ok()
    }
}
