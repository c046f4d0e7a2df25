//! Convergence, and strong eventual consistency at every event.
//!
//! Strong eventual consistency: replicas that have received the same updates show the same value,
//! at every moment, not only at the end. Convergence: at the end all show the same, of those that
//! are up: what a node showed before it crashed is nobody's view any more.

use std::collections::BTreeMap;

use super::{Case, Cause, Keyed, Moment};
use crate::{Event, NodeIndex};

/// How many sets of received updates are remembered.
const LIMIT: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Convergence {
    /// What is shown for a set of received updates, by digest.
    shown: BTreeMap<u128, (u128, Moment)>,
    /// What each node shows now, and since when.
    now: Vec<Option<(u128, Event)>>,
    /// Which nodes are down.
    down: Vec<bool>,
    pub(crate) states: u64,
    pub(crate) disagreements: u64,
    pub(crate) first: Option<Case>,
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
            first: None,
            overrun: false,
        }
    }

    pub(crate) fn state(&mut self, here: &Event, received: u128, shown: u128) {
        self.states += 1;
        self.now[here.node.at()] = Some((shown, *here));
        match self.shown.get(&received) {
            Some((before, _)) if *before == shown => {}
            Some((_, moment)) => {
                self.disagreements += 1;
                let cause = "both had received the same, and show different values";
                let first = moment.event(here.kind);
                self.first.get_or_insert_with(|| case(first, *here, cause));
            }
            None if self.shown.len() < LIMIT => {
                self.shown.insert(received, (shown, Moment::of(here)));
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
        let mut shown: Vec<u128> = self.now.iter().flatten().map(|&(shown, _)| shown).collect();
        let replicas = shown.len() as u64;
        shown.sort_unstable();
        shown.dedup();
        (shown.len() as u64, replicas)
    }

    /// Two replicas that show different values now: the one that has done so for longer first.
    pub(crate) fn apart(&self) -> Option<Case> {
        let mut now = self.now.iter().flatten();
        let (shown, one) = now.next()?;
        let (_, other) = now.find(|(other, _)| other != shown)?;
        let (first, second) = if one.number <= other.number { (one, other) } else { (other, one) };
        Some(case(*first, *second, "in the end the two show different values"))
    }
}

fn case(first: Event, second: Event, cause: &'static str) -> Case {
    let keyed = |event| Keyed { key: 0, event };
    Case { first: keyed(first), second: keyed(second), cause: Cause::Said(cause) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventKind;

    fn at(number: u64, node: u32) -> Event {
        let (node, kind) = (NodeIndex::new(node), EventKind::Mint);
        Event { number, node, incarnation: 1, true_ns: number, local_ns: 0, kind }
    }

    #[test]
    fn the_first_two_that_disagree_are_kept_and_the_two_that_are_apart_in_the_end() {
        let mut convergence = Convergence::new(3);
        for (number, node, received, shown) in
            [(1, 0, 7, 70), (2, 1, 8, 80), (3, 2, 7, 71), (4, 1, 7, 72), (5, 0, 9, 90)]
        {
            convergence.state(&at(number, node), received, shown);
        }
        let numbers = |case: Case| (case.first.event.number, case.second.event.number);
        assert_eq!(convergence.disagreements, 2);
        assert_eq!(convergence.first.map(numbers), Some((1, 3)));
        assert_eq!(convergence.apart().map(numbers), Some((4, 5)));
        for node in 0..3 {
            convergence.state(&at(6 + u64::from(node), node), 10, 100);
        }
        assert!(convergence.apart().is_none());
    }

    #[test]
    fn only_those_that_are_up_must_show_the_same() {
        let mut convergence = Convergence::new(3);
        let a = NodeIndex::new(0);
        convergence.state(&at(1, 0), 1, 10);
        convergence.state(&at(2, 1), 2, 20);
        convergence.state(&at(3, 2), 2, 20);
        assert_eq!((convergence.values(), convergence.down()), ((2, 3), 0));
        convergence.crash(a);
        assert_eq!((convergence.values(), convergence.down()), ((1, 2), 1));
        convergence.restart(a);
        assert_eq!((convergence.values(), convergence.down()), ((1, 2), 0));
        convergence.state(&at(4, 0), 3, 30);
        assert_eq!((convergence.values(), convergence.down()), ((2, 3), 0));
    }
}
