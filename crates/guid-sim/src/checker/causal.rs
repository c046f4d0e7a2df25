//! Happens-before, exactly and without vectors.
//!
//! Each node carries the greatest ID of its causal past; messages carry it too. An event f has some
//! e → f with ID(e) ≥ ID(f) if and only if ID(f) is at most that greatest ID.

use super::{Case, Cause, Keyed};

/// The greatest ID of a causal past.
pub(crate) type Past = Option<Keyed>;

#[derive(Debug)]
pub(crate) struct Causal {
    past: Vec<Past>,
    pub(crate) violated: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
}

impl Causal {
    pub(crate) fn new(nodes: u32) -> Self {
        Self { past: vec![None; nodes as usize], violated: 0, of: 0, first: None }
    }

    /// Counts an event whose past is the node's and, for a receive, that of the message.
    pub(crate) fn event(&mut self, keyed: &Keyed, received: Option<&Keyed>) {
        let own = &mut self.past[keyed.event.node.at()];
        learn(own, received);
        if let Some(past) = own {
            self.of += 1;
            if keyed.key <= past.key {
                self.violated += 1;
                let case = Case { first: *past, second: *keyed, cause: Cause::Order };
                self.first.get_or_insert(case);
                return;
            }
        }
        *own = Some(*keyed);
    }

    /// The node learns of a past, at an event that bears no ID.
    pub(crate) fn learn(&mut self, node: crate::NodeIndex, received: Past) {
        learn(&mut self.past[node.at()], received.as_ref());
    }

    /// What a message sent now carries.
    pub(crate) fn past(&self, node: crate::NodeIndex) -> Past {
        self.past[node.at()]
    }

    /// A node is a copy of another: its past is that of its original.
    pub(crate) fn copy(&mut self, node: crate::NodeIndex, of: crate::NodeIndex) {
        self.past[node.at()] = self.past[of.at()];
    }

    /// The node begins anew, with no past.
    pub(crate) fn forget(&mut self, node: crate::NodeIndex) {
        self.past[node.at()] = None;
    }
}

/// The greater of two pasts is that of both.
fn learn(own: &mut Past, received: Option<&Keyed>) {
    if let Some(received) = received
        && own.is_none_or(|own| received.key > own.key)
    {
        *own = Some(*received);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, EventKind, NodeIndex, Purpose, Streams};

    /// Ancestors of each event, the slow way.
    fn violated_by_brute_force(parents: &[Vec<usize>], keys: &[u128]) -> u64 {
        let mut ancestors: Vec<Vec<bool>> = Vec::new();
        let mut violated = 0;
        for (f, direct) in parents.iter().enumerate() {
            let mut of = vec![false; parents.len()];
            for &e in direct {
                of[e] = true;
                for (i, &is) in ancestors[e].iter().enumerate() {
                    of[i] |= is;
                }
            }
            violated += u64::from((0..f).any(|e| of[e] && keys[e] >= keys[f]));
            ancestors.push(of);
        }
        violated
    }

    #[test]
    fn the_scalar_counts_exactly_what_the_graph_counts() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        for _ in 0..3_000 {
            let nodes = 1 + u32::try_from(rng.below(4)).unwrap();
            let mut causal = Causal::new(nodes);
            let (mut last, mut parents, mut keys, mut pasts) =
                (vec![None; nodes as usize], Vec::<Vec<usize>>::new(), Vec::new(), Vec::new());
            for number in 0..20_u64 {
                let mut node = || NodeIndex::new(u32::try_from(rng.below(nodes.into())).unwrap());
                let (node, copy, of) = (node(), node(), node());
                if rng.below(8) == 0 {
                    causal.copy(copy, of);
                    last[copy.at()] = last[of.at()];
                }
                let key = u128::from(rng.below(30));
                let mut direct: Vec<usize> = last[node.at()].into_iter().collect();
                let mut received: Past = None;
                if number > 0 && rng.below(2) == 0 {
                    let sender = usize::try_from(rng.below(number)).unwrap();
                    direct.push(sender);
                    received = pasts[sender];
                }
                let event = Event {
                    number,
                    node,
                    incarnation: 1,
                    true_ns: number,
                    local_ns: 0,
                    kind: EventKind::Mint,
                };
                causal.event(&Keyed { key, event }, received.as_ref());
                pasts.push(causal.past(node));
                last[node.at()] = Some(parents.len());
                parents.push(direct);
                keys.push(key);
            }
            assert_eq!(causal.violated, violated_by_brute_force(&parents, &keys));
        }
    }
}
