//! Who the nodes are: the node IDs and the first sequences that a seed gives them.
//!
//! # Invariants
//!
//! Every node ID that is given out is another one, but where the configuration has nodes share.

use guid_core::{NodeId, Stamp};

use crate::{LocalClock, NodeIndex, Purpose, Rng, Streams, WorldConfig, stamper::Setup};

/// Draws node IDs and sequences: at the start, and again at every restart.
#[derive(Debug)]
pub(crate) struct Identities {
    /// Every node ID that was ever given out.
    taken: Vec<NodeId>,
    ids: Rng,
    sequences: Rng,
}

impl Identities {
    pub(crate) fn new(streams: Streams) -> Self {
        let ids = streams.of_world(Purpose::NodeIds);
        Self { taken: Vec::new(), ids, sequences: streams.of_world(Purpose::Sequence) }
    }

    /// What each node brings to every scheme, at the start of the run.
    pub(crate) fn setups(
        &mut self,
        config: &WorldConfig,
        streams: Streams,
        clocks: &[LocalClock],
    ) -> Vec<Setup> {
        let shared = &config.shared_node;
        let nodes = NodeIndex::first(config.nodes).zip(clocks);
        let setup = |(machine, clock): (NodeIndex, &LocalClock)| {
            let own = fresh_id(&self.taken, &mut self.ids);
            let first = shared.first().filter(|_| shared.contains(&machine));
            let node = first.and_then(|first| self.taken.get(first.at())).copied().unwrap_or(own);
            self.taken.push(node);
            let (clock, sequence) = (clock.clone(), random_sequence(&mut self.sequences));
            let random = streams.of(machine, Purpose::RandomIds).into();
            Setup { node, machine, clock, sequence, random }
        };
        nodes.map(setup).collect()
    }

    /// The node ID and the sequence of a new incarnation.
    pub(crate) fn fresh(&mut self) -> (NodeId, Stamp) {
        let fresh = fresh_id(&self.taken, &mut self.ids);
        self.taken.push(fresh);
        (fresh, random_sequence(&mut self.sequences))
    }
}

/// A random node ID that no node bears yet. (That two may share one is a scenario of its own.)
pub(crate) fn fresh_id(taken: &[NodeId], rng: &mut Rng) -> NodeId {
    loop {
        let id = NodeId::new((rng.next_u64() >> 32) as u32);
        if !taken.contains(&id) {
            return id;
        }
    }
}

/// A stamp of tick zero: a place for the sequence to start from.
fn random_sequence(rng: &mut Rng) -> Stamp {
    Stamp::from_u64(rng.next_u64() >> 50).unwrap_or_default()
}
