//! The network: late, lossy, repeating, and split.
//!
//! A message draws its latency from the sender's stream; messages may overtake each other, as
//! datagrams do. Partitions are groups of nodes: what crosses a border is lost.

use crate::{Distribution, NodeIndex, Region, Rng};

/// How messages travel.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NetworkModel {
    /// One-way latency.
    pub latency: Distribution,
    /// Probability that a message is lost.
    pub loss: f64,
    /// Probability that a message arrives twice.
    pub duplicate: f64,
    /// What is added to the latency from a node to another, by their indices; empty for nothing.
    pub distance_ns: Vec<Vec<u64>>,
}

impl NetworkModel {
    /// Puts nodes into regions, one after the other, over and over.
    #[must_use]
    pub fn in_regions(self, nodes: u32, regions: &[Region]) -> Self {
        if regions.is_empty() {
            return self;
        }
        let of = |node: NodeIndex| &regions[node.at() % regions.len()];
        let row = |from| NodeIndex::first(nodes).map(|to| of(from).one_way_ns(of(to))).collect();
        Self { distance_ns: NodeIndex::first(nodes).map(row).collect(), ..self }
    }

    /// Returns a network that loses and repeats nothing.
    pub const fn new(latency: Distribution) -> Self {
        Self { latency, loss: 0.0, duplicate: 0.0, distance_ns: Vec::new() }
    }
}

/// The network at work: the model and the partition in force.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    model: NetworkModel,
    /// The group of each node; empty when there is no partition.
    groups: Vec<u32>,
}

/// When the copies of one message arrive, after sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Lost,
    Once(u64),
    Twice(u64, u64),
}

impl Network {
    pub(crate) const fn new(model: NetworkModel) -> Self {
        Self { model, groups: Vec::new() }
    }

    /// Decides what becomes of a message. Draws the same number of times whatever the faults.
    pub(crate) fn route(&self, from: NodeIndex, to: NodeIndex, rng: &mut Rng) -> Fate {
        let distance = self.model.distance_ns.get(from.at()).and_then(|row| row.get(to.at()));
        let distance = distance.copied().unwrap_or(0);
        let latency =
            |rng: &mut Rng| self.model.latency.sample_unsigned(rng).saturating_add(distance);
        let first = latency(rng);
        // That of a second copy is drawn in any case, and worked out if there is one.
        let mut of_second = rng.clone();
        self.model.latency.skip(rng);
        let (lost, twice) = (rng.chance(self.model.loss), rng.chance(self.model.duplicate));
        match (lost || !self.connected(from, to), twice) {
            (true, _) => Fate::Lost,
            (false, false) => Fate::Once(first),
            (false, true) => Fate::Twice(first, latency(&mut of_second)),
        }
    }

    pub(crate) fn connected(&self, a: NodeIndex, b: NodeIndex) -> bool {
        self.groups.is_empty() || self.groups[a.at()] == self.groups[b.at()]
    }

    /// Splits the nodes: each group hears itself alone, nodes in no group form one of their own.
    pub(crate) fn partition(&mut self, nodes: u32, groups: &[Vec<NodeIndex>]) {
        self.groups = vec![0; nodes as usize];
        for (number, group) in (1..).zip(groups) {
            for node in group {
                self.groups[node.at()] = number;
            }
        }
    }

    pub(crate) fn heal(&mut self) {
        self.groups.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    #[test]
    fn a_partition_cuts_between_groups_and_heals() {
        let [a, b, c] = [0, 1, 2].map(NodeIndex::new);
        let mut network = Network::new(NetworkModel::new(Distribution::constant(5)));
        network.partition(3, &[vec![a, b]]);
        assert!(network.connected(a, b) && !network.connected(b, c) && !network.connected(c, a));
        let mut rng = Streams::new(1).of_world(Purpose::Network);
        assert_eq!(network.route(a, c, &mut rng), Fate::Lost);
        network.heal();
        assert_eq!(network.route(a, c, &mut rng), Fate::Once(5));
    }

    #[test]
    fn loss_and_duplication_come_as_often_as_asked() {
        let mut model = NetworkModel::new(Distribution::constant(5));
        (model.loss, model.duplicate) = (0.25, 0.5);
        let (network, node) = (Network::new(model), NodeIndex::new(0));
        let mut rng = Streams::new(1).of_world(Purpose::Network);
        let fates: Vec<Fate> = (0..10_000).map(|_| network.route(node, node, &mut rng)).collect();
        let lost = fates.iter().filter(|&&fate| fate == Fate::Lost).count();
        let twice = fates.iter().filter(|&&fate| fate == Fate::Twice(5, 5)).count();
        // Five standard deviations: 0.25 +- 0.022, and 0.375 +- 0.024 of those that arrive.
        assert!((2_280..2_720).contains(&lost), "{lost}");
        assert!((3_510..3_990).contains(&twice), "{twice}");
    }
}
