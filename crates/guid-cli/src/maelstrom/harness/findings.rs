//! What came out of a test.

use std::path::PathBuf;

use guid_sim::{Verdict, history::Outcome};

/// What came out.
pub(crate) struct Findings {
    pub(crate) outcome: Option<Outcome>,
    /// Why the history was not judged, if it was not.
    pub(crate) unjudged: Option<String>,
    /// How nodes broke the protocol, the first few.
    pub(crate) faults: Vec<String>,
    pub(crate) ok: u64,
    pub(crate) failed: u64,
    pub(crate) unknown: u64,
    pub(crate) sent: u64,
    pub(crate) lost: u64,
    pub(crate) kills: u64,
    pub(crate) partitions: u64,
    pub(crate) steps: u64,
    pub(crate) history: String,
    /// Where the nodes' stderr is, if it was kept.
    pub(crate) folder: PathBuf,
}

impl Findings {
    pub(crate) fn verdict(&self) -> Verdict {
        if !self.faults.is_empty() {
            return Verdict::Violated;
        }
        match &self.outcome {
            // Of no ID none is twice: nodes that answer nothing have shown nothing.
            Some(outcome) if outcome.verdict == Verdict::Holds && self.ok == 0 => Verdict::Unknown,
            Some(outcome) => outcome.verdict,
            None => Verdict::Unknown,
        }
    }
}
