//! The closed form of one pair, averaged over the pairs, latencies and clocks of a scenario.
//!
//! The draws come from a stream of their own with a fixed seed: the same scenario gives the same
//! number, to about three digits.

use guid_core::NodeId;

use crate::{NodeIndex, Purpose, Rng, Scheme, Streams, WorldConfig, lane::promises, predict};

use super::offsets::Offsets;

const DRAWS: usize = 1 << 14;
/// Of larger worlds the pairs of this many nodes stand for all.
const NODES: u32 = 128;

pub(super) struct Average<'a> {
    pub(super) config: &'a WorldConfig,
    pub(super) offsets: &'a Offsets,
    pub(super) nodes: &'a [NodeId],
    /// Whether each node sends to the next one only.
    pub(super) ring: bool,
    pub(super) scheme: Scheme,
}

impl Average<'_> {
    /// How often a pair is in the wrong order: events `gap_ns` apart, or without one the two ends
    /// of a message.
    pub(super) fn misorder(
        &self,
        window_ns: u64,
        gap_ns: Option<u64>,
    ) -> Result<f64, &'static str> {
        let window = window_ns as f64;
        // Events that far apart may be of any two nodes; messages go where the workload sends them.
        let ring = self.ring && gap_ns.is_none();
        self.over(ring, |rng, (from, to)| {
            let gap = gap_ns.map_or_else(|| self.latency(from, to, rng), |gap| gap as f64);
            let delta = gap - self.error(from, to, rng)?;
            Ok(predict::misorder(delta, window, self.greater(from, to)))
        })
    }

    /// How often an overwrite of a fresh value is lost.
    pub(super) fn lww_lost(&self, window_ns: u64, think_ns: u64) -> Result<f64, &'static str> {
        self.over(false, |rng, (from, to)| {
            let gap = self.latency(from, to, rng) + think_ns.max(1) as f64;
            Ok(predict::lww_lost(gap - self.error(from, to, rng)?, window_ns as f64))
        })
    }

    /// The largest difference of two clocks among the draws.
    pub(super) fn skew_ns(&self) -> Result<f64, &'static str> {
        let mut most = 0.0_f64;
        self.over(false, |rng, (from, to)| {
            let at = self.offsets.moment(rng);
            let apart = self.offsets.draw(from, at, rng)? - self.offsets.draw(to, at, rng)?;
            most = most.max(apart.abs());
            Ok(0.0)
        })?;
        Ok(most)
    }

    fn over(
        &self,
        ring: bool,
        mut one: impl FnMut(&mut Rng, (NodeIndex, NodeIndex)) -> Result<f64, &'static str>,
    ) -> Result<f64, &'static str> {
        let mut rng = Streams::new(0).of_world(Purpose::Workload);
        let pairs = self.pairs(ring);
        let rounds = DRAWS.div_ceil(pairs.len().max(1));
        let mut sum = 0.0;
        for _ in 0..rounds {
            for &pair in &pairs {
                sum += one(&mut rng, pair)?;
            }
        }
        Ok(sum / (rounds * pairs.len().max(1)) as f64)
    }

    fn pairs(&self, ring: bool) -> Vec<(NodeIndex, NodeIndex)> {
        let nodes = self.config.nodes;
        let few = || NodeIndex::first(nodes.min(NODES));
        if ring {
            let next = |node: NodeIndex| NodeIndex::new((node.as_u32() + 1) % nodes);
            return NodeIndex::first(nodes).map(|node| (node, next(node))).collect();
        }
        few().flat_map(|a| few().filter(move |&b| a != b).map(move |b| (a, b))).collect()
    }

    fn latency(&self, from: NodeIndex, to: NodeIndex, rng: &mut Rng) -> f64 {
        let network = &self.config.network;
        let distance = network.distance_ns.get(from.at()).and_then(|row| row.get(to.at()));
        network.latency.sample_unsigned(rng).saturating_add(distance.copied().unwrap_or(0)) as f64
    }

    /// How far the first clock is ahead of the second. Stamps that follow what is received move
    /// together: none.
    fn error(&self, a: NodeIndex, b: NodeIndex, rng: &mut Rng) -> Result<f64, &'static str> {
        if promises(self.scheme, self.config.observe) {
            return Ok(0.0);
        }
        let at = self.offsets.moment(rng);
        Ok(self.offsets.draw(a, at, rng)? - self.offsets.draw(b, at, rng)?)
    }

    /// The probability that the first of two IDs in one window is the greater.
    fn greater(&self, a: NodeIndex, b: NodeIndex) -> f64 {
        let is_greater = match self.scheme {
            Scheme::Guid96(_) | Scheme::Upstream(_) => self.nodes[a.at()] > self.nodes[b.at()],
            // Ten bits of a machine that is configured.
            Scheme::Snowflake => a.as_u32() % 1024 > b.as_u32() % 1024,
            // A sequence or random bits decide.
            _ => return 0.5,
        };
        f64::from(u8::from(is_greater))
    }
}
