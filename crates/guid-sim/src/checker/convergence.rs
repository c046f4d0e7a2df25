//! Convergence, and strong eventual consistency at every event.
//!
//! Strong eventual consistency: replicas that have received the same updates show the same value,
//! at every moment, not only at the end. Convergence: at the end all show the same.

use std::collections::BTreeMap;

use crate::NodeIndex;

/// How many sets of received updates are remembered.
const LIMIT: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Convergence {
    /// What is shown for a set of received updates, by digest.
    shown: BTreeMap<u128, u128>,
    /// What each node shows now.
    now: Vec<Option<u128>>,
    pub(crate) states: u64,
    pub(crate) disagreements: u64,
    pub(crate) overrun: bool,
}

impl Convergence {
    pub(crate) fn new(nodes: u32) -> Self {
        Self {
            shown: BTreeMap::new(),
            now: vec![None; nodes as usize],
            states: 0,
            disagreements: 0,
            overrun: false,
        }
    }

    pub(crate) fn state(&mut self, node: NodeIndex, received: u128, shown: u128) {
        self.states += 1;
        self.now[node.at()] = Some(shown);
        match self.shown.get(&received) {
            Some(&before) => self.disagreements += u64::from(before != shown),
            None if self.shown.len() < LIMIT => {
                self.shown.insert(received, shown);
            }
            None => self.overrun = true,
        }
    }

    /// How many distinct values are shown now, and by how many replicas.
    pub(crate) fn values(&self) -> (u64, u64) {
        let mut shown: Vec<u128> = self.now.iter().copied().flatten().collect();
        let replicas = shown.len() as u64;
        shown.sort_unstable();
        shown.dedup();
        (shown.len() as u64, replicas)
    }
}
