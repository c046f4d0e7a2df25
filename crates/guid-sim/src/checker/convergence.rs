//! Convergence, and strong eventual consistency at every event.
//!
//! Strong eventual consistency: replicas that have received the same updates show the same value,
//! at every moment, not only at the end. Convergence: at the end all show the same, of those that
//! are up: what a node showed before it crashed is nobody's view any more.

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
    /// Which nodes are down.
    down: Vec<bool>,
    pub(crate) states: u64,
    pub(crate) disagreements: u64,
    pub(crate) overrun: bool,
}

impl Convergence {
    pub(crate) fn new(nodes: u32) -> Self {
        Self {
            shown: BTreeMap::new(),
            now: vec![None; nodes as usize],
            down: vec![false; nodes as usize],
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

    /// A node crashes, and shows nothing until it says so again.
    pub(crate) fn crash(&mut self, node: NodeIndex) {
        (self.now[node.at()], self.down[node.at()]) = (None, true);
    }

    /// A node is up again.
    pub(crate) fn restart(&mut self, node: NodeIndex) {
        self.down[node.at()] = false;
    }

    /// How many nodes are down now.
    pub(crate) fn down(&self) -> u64 {
        self.down.iter().filter(|&&down| down).count() as u64
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_that_are_up_must_show_the_same() {
        let mut convergence = Convergence::new(3);
        let [a, b, c] = [0, 1, 2].map(NodeIndex::new);
        convergence.state(a, 1, 10);
        convergence.state(b, 2, 20);
        convergence.state(c, 2, 20);
        assert_eq!((convergence.values(), convergence.down()), ((2, 3), 0));
        convergence.crash(a);
        assert_eq!((convergence.values(), convergence.down()), ((1, 2), 1));
        convergence.restart(a);
        assert_eq!((convergence.values(), convergence.down()), ((1, 2), 0));
        convergence.state(a, 3, 30);
        assert_eq!((convergence.values(), convergence.down()), ((2, 3), 0));
    }
}
