//! How far a clock was off, in steps of the run.

use super::collector::STEPS;

/// How far a clock was off within one step, at the events there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Off {
    /// The least, in nanoseconds.
    pub least_ns: i128,
    /// The most.
    pub most_ns: i128,
    /// At the last event.
    pub last_ns: i128,
}

/// How far the clock of one node was off, over the run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offsets {
    /// The number of the node, from one; zero for all of them.
    pub node: u32,
    /// Step by step; `None` where nothing happened at the node.
    pub steps: Vec<Option<Off>>,
}

impl Offsets {
    pub(super) fn new(node: u32) -> Self {
        Self { node, steps: vec![None; STEPS] }
    }

    pub(super) fn add(&mut self, step: usize, off_ns: i128) {
        let Some(at) = self.steps.get_mut(step) else { return };
        let off = at.get_or_insert(Off { least_ns: off_ns, most_ns: off_ns, last_ns: off_ns });
        off.least_ns = off.least_ns.min(off_ns);
        off.most_ns = off.most_ns.max(off_ns);
        off.last_ns = off_ns;
    }
}
