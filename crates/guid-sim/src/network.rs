//! The network: late, lossy, repeating, reordering, narrow, and split.
//!
//! A message draws its latency from the sender's stream; messages may overtake each other, as
//! datagrams do, unless links are asked to keep their order. Partitions are in `cut`.

mod cut;

use std::collections::BTreeMap;

use crate::{Distribution, NodeIndex, Region, Rng};

pub(crate) use self::cut::Cut;

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
    /// Probability that a message is held up on its way, by up to ten times its latency.
    pub reorder: f64,
    /// Whether messages of one node to another arrive in the order of sending.
    pub in_order: bool,
    /// The least time between two messages of one node to another: what a link can carry. Of those
    /// that wait for it, the thousand-and-first is lost.
    pub spacing_ns: u64,
    /// Links that differ.
    pub links: Vec<Link>,
}

/// A link in one direction that is not like the others.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Link {
    /// Whose messages.
    pub from: NodeIndex,
    /// To whom.
    pub to: NodeIndex,
    /// One-way latency; no distance between regions is added.
    pub latency: Option<Distribution>,
    /// Probability that a message is lost.
    pub loss: Option<f64>,
    /// The least time between two messages.
    pub spacing_ns: Option<u64>,
}

impl Link {
    /// Returns a link that is like all others, to be changed.
    pub const fn new(from: NodeIndex, to: NodeIndex) -> Self {
        Self { from, to, latency: None, loss: None, spacing_ns: None }
    }
}

/// How many messages wait for a link at most.
const WAITING: u64 = 1_000;
/// A message that is held up takes up to so many times as long.
const HELD_UP: u64 = 10;

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
        Self {
            latency,
            loss: 0.0,
            duplicate: 0.0,
            distance_ns: Vec::new(),
            reorder: 0.0,
            in_order: false,
            spacing_ns: 0,
            links: Vec::new(),
        }
    }
}

/// The network at work: the model, what is on its links, and the partitions in force.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    model: NetworkModel,
    links: BTreeMap<(NodeIndex, NodeIndex), Link>,
    /// When each link is free again, and when the last message on it arrives.
    busy: BTreeMap<(NodeIndex, NodeIndex), (u64, u64)>,
    cuts: Vec<Cut>,
}

/// When the copies of one message arrive, after sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Lost,
    Once(u64),
    Twice(u64, u64),
}

/// What one way is like.
struct Way {
    latency: Distribution,
    distance_ns: u64,
    loss: f64,
    spacing_ns: u64,
}

impl Way {
    fn latency(&self, rng: &mut Rng) -> u64 {
        self.latency.sample_unsigned(rng).saturating_add(self.distance_ns)
    }
}

impl Network {
    pub(crate) fn new(model: NetworkModel) -> Self {
        let links = model.links.iter().map(|link| ((link.from, link.to), *link)).collect();
        Self { model, links, busy: BTreeMap::new(), cuts: Vec::new() }
    }

    fn way(&self, from: NodeIndex, to: NodeIndex) -> Way {
        let distance = self.model.distance_ns.get(from.at()).and_then(|row| row.get(to.at()));
        let mut way = Way {
            latency: self.model.latency,
            distance_ns: distance.copied().unwrap_or(0),
            loss: self.model.loss,
            spacing_ns: self.model.spacing_ns,
        };
        if self.links.is_empty() {
            return way;
        }
        if let Some(link) = self.links.get(&(from, to)) {
            if let Some(latency) = link.latency {
                (way.latency, way.distance_ns) = (latency, 0);
            }
            way.loss = link.loss.unwrap_or(way.loss);
            way.spacing_ns = link.spacing_ns.unwrap_or(way.spacing_ns);
        }
        way
    }

    /// Decides what becomes of a message sent now. Draws the same number of times whatever the
    /// faults; `reorder` is a stream for what only some networks do.
    pub(crate) fn route(
        &mut self,
        now: u64,
        (from, to): (NodeIndex, NodeIndex),
        rng: &mut Rng,
        reorder: &mut Rng,
    ) -> Fate {
        let way = self.way(from, to);
        let mut first = way.latency(rng);
        // That of a second copy is drawn in any case, and worked out if there is one.
        let mut of_second = rng.clone();
        way.latency.skip(rng);
        let (lost, twice) = (rng.chance(way.loss), rng.chance(self.model.duplicate));
        if self.model.reorder > 0.0 && reorder.chance(self.model.reorder) {
            first = first.saturating_add(reorder.below(first.saturating_mul(HELD_UP).max(1)));
        }
        if lost || !self.connected(from, to) {
            return Fate::Lost;
        }
        let Some(first) = self.queued(now, (from, to), first, way.spacing_ns) else {
            return Fate::Lost;
        };
        if twice { Fate::Twice(first, way.latency(&mut of_second)) } else { Fate::Once(first) }
    }

    /// The latency with the wait for the link and for what has to arrive before; `None` if too many
    /// wait.
    fn queued(
        &mut self,
        now: u64,
        link: (NodeIndex, NodeIndex),
        latency: u64,
        spacing_ns: u64,
    ) -> Option<u64> {
        if spacing_ns == 0 && !self.model.in_order {
            return Some(latency);
        }
        let (free, last) = self.busy.entry(link).or_default();
        let leaves = now.max(*free);
        if leaves - now > spacing_ns.saturating_mul(WAITING) {
            return None;
        }
        *free = leaves.saturating_add(spacing_ns);
        let mut arrives = leaves.saturating_add(latency);
        if self.model.in_order {
            arrives = arrives.max(*last);
        }
        *last = arrives;
        Some(arrives - now)
    }

    /// The latency of one poll of a time protocol; `None` if it is lost.
    pub(crate) fn poll(&self, from: NodeIndex, to: NodeIndex, rng: &mut Rng) -> Option<u64> {
        let way = self.way(from, to);
        let latency = way.latency(rng);
        let lost = rng.chance(way.loss);
        (!lost && self.connected(from, to)).then_some(latency)
    }

    pub(crate) fn connected(&self, from: NodeIndex, to: NodeIndex) -> bool {
        self.cuts.iter().all(|cut| cut.passes(from, to))
    }

    /// Splits the network, beside what splits it already.
    pub(crate) fn cut(&mut self, cut: Cut) {
        self.cuts.push(cut);
    }

    pub(crate) fn heal(&mut self) {
        self.cuts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    const A: NodeIndex = NodeIndex::new(0);
    const B: NodeIndex = NodeIndex::new(1);
    const C: NodeIndex = NodeIndex::new(2);

    fn model() -> NetworkModel {
        NetworkModel::new(Distribution::constant(5))
    }

    /// The fates of messages from A to B, sent at these times.
    fn fates(model: NetworkModel, sent: impl Iterator<Item = u64>) -> Vec<Fate> {
        let mut network = Network::new(model);
        let [mut rng, mut reorder] =
            [Purpose::Network, Purpose::Reorder].map(|of| Streams::new(1).of_world(of));
        sent.map(|now| network.route(now, (A, B), &mut rng, &mut reorder)).collect()
    }

    #[test]
    fn partitions_cut_together_and_heal() {
        let mut network = Network::new(model());
        network.cut(Cut::groups(3, &[vec![A, B]]));
        assert!(network.connected(A, B) && !network.connected(B, C) && !network.connected(C, A));
        network.cut(Cut::one_way(3, &[A], &[B]));
        assert!(!network.connected(A, B) && network.connected(B, A));
        let mut rng = Streams::new(1).of_world(Purpose::Network);
        let mut other = rng.clone();
        assert_eq!(network.route(0, (A, C), &mut rng, &mut other), Fate::Lost);
        network.heal();
        assert_eq!(network.route(0, (A, C), &mut rng, &mut other), Fate::Once(5));
    }

    #[test]
    fn loss_and_duplication_come_as_often_as_asked() {
        let fates = fates(NetworkModel { loss: 0.25, duplicate: 0.5, ..model() }, 0..10_000);
        let lost = fates.iter().filter(|&&fate| fate == Fate::Lost).count();
        let twice = fates.iter().filter(|&&fate| fate == Fate::Twice(5, 5)).count();
        // Five standard deviations: 0.25 +- 0.022, and 0.375 +- 0.024 of those that arrive.
        assert!((2_280..2_720).contains(&lost), "{lost}");
        assert!((3_510..3_990).contains(&twice), "{twice}");
    }

    #[test]
    fn a_narrow_link_makes_messages_wait_and_loses_what_waits_too_long() {
        let narrow = || NetworkModel { spacing_ns: 10, ..model() };
        let waits = [5, 15, 25, 10].map(Fate::Once);
        assert_eq!(fates(narrow(), [0, 0, 0, 25].into_iter()), waits);
        let burst = fates(narrow(), std::iter::repeat_n(0, 1_500));
        assert_eq!(burst.iter().filter(|&&fate| fate == Fate::Lost).count(), 1_500 - 1_001);
    }

    #[test]
    fn messages_are_held_up_as_often_as_asked_and_in_order_never_overtake() {
        let late = |fates: &[Fate]| fates.iter().filter(|&&fate| fate != Fate::Once(5)).count();
        let held_up = fates(NetworkModel { reorder: 0.2, ..model() }, 0..10_000);
        // A fifth, but for those held up by nothing: 0.2 * 49 / 50 = 0.196 +- 0.02.
        assert!((1_760..2_160).contains(&late(&held_up)), "{}", late(&held_up));
        let ordered = fates(NetworkModel { reorder: 0.2, in_order: true, ..model() }, 0..10_000);
        let arrive = |(now, fate): (u64, &Fate)| match fate {
            Fate::Once(after) => now + after,
            _ => panic!("neither lost nor twice"),
        };
        assert!((0..).zip(&ordered).map(arrive).is_sorted());
        assert!(!(0..).zip(&held_up).map(arrive).is_sorted());
    }

    #[test]
    fn a_link_may_differ_in_one_direction() {
        let far = Link { latency: Some(Distribution::constant(30)), ..Link::new(A, B) };
        let dead = Link { loss: Some(1.0), ..Link::new(B, A) };
        let mut network = Network::new(NetworkModel { links: vec![far, dead], ..model() });
        let mut rng = Streams::new(1).of_world(Purpose::Network);
        let mut other = rng.clone();
        let mut route = |link| network.route(0, link, &mut rng, &mut other);
        assert_eq!(
            [(A, B), (B, A), (A, C)].map(&mut route),
            [Fate::Once(30), Fate::Lost, Fate::Once(5)]
        );
    }
}
