//! A replicated type of your own: a lattice by hand, a struct of it by derive, the laws, and then
//! fifty worlds of bad clocks and a bad network.

use std::{cmp::Reverse, time::Duration};

use guid_crdt::{
    Causality, Changed, Dot, Gap, Lattice, MutateError, OrSet, Replicated, VectorClock, Versioned,
    laws,
};
use guid_sim::{
    ClockModel, Distribution, Fault, NetworkModel, NodeIndex, Rng, WorldConfig,
    workload::{Share, Sharing, SharingConfig, Ship},
};
use proptest::prelude::any;

/// The highest bid, and of equal ones the earliest. Pairs (amount, earlier dot) are a chain, and
/// the greater of two is their join.
#[derive(Clone, Debug, Default, PartialEq)]
struct HighBid(Option<(u64, Reverse<Dot>)>);

impl HighBid {
    fn bid(&mut self, dot: Dot, amount: u64) -> Self {
        self.join(&Self(Some((amount, Reverse(dot)))));
        self.clone()
    }

    fn amount(&self) -> u64 {
        self.0.map_or(0, |(amount, _)| amount)
    }
}

impl Lattice for HighBid {
    fn join(&mut self, other: &Self) {
        self.0 = self.0.max(other.0);
    }

    fn compare(&self, other: &Self) -> Causality {
        self.0.cmp(&other.0).into()
    }
}

/// It is its own delta.
impl Replicated for HighBid {
    type Delta = Self;

    fn frontier(&self) -> VectorClock {
        self.0.iter().map(|&(_, Reverse(dot))| dot).collect()
    }

    fn delta_frontier(delta: &Self) -> VectorClock {
        delta.frontier()
    }

    fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
        let news = !delta.compare(self).is_within();
        self.join(delta);
        Ok(if news { Changed::Yes } else { Changed::No })
    }
}

/// And its own version: it is small.
impl Versioned for HighBid {
    type Version = Self;

    fn version(&self) -> Self {
        self.clone()
    }

    fn delta_version(delta: &Self) -> Self {
        delta.clone()
    }

    fn delta_since(&self, _: &Self) -> Option<Self> {
        Some(self.clone())
    }
}

/// An auction: the derive joins it field by field, and makes an enum of its deltas.
#[derive(Clone, Debug, Default, PartialEq, Lattice, Replicated, Versioned)]
struct Auction {
    best: HighBid,
    watchers: OrSet<u64>,
}

impl Auction {
    fn bid(&mut self, dot: Dot, amount: u64) -> AuctionDelta {
        AuctionDelta::Best(self.best.bid(dot, amount))
    }

    fn watch(&mut self, dot: Dot, who: u64) -> Result<AuctionDelta, MutateError> {
        self.watchers.insert(dot, who).map(AuctionDelta::Watchers)
    }
}

/// A bidder, who knows what it has bid.
#[derive(Default)]
struct Bidder {
    own: u64,
}

impl Share for Bidder {
    type State = Auction;

    fn change(
        &mut self,
        state: &mut Auction,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<AuctionDelta, MutateError> {
        if rng.below(3) == 0 {
            return state.watch(dot, rng.below(20));
        }
        self.own = state.best.amount() + rng.below(2); // often the same as somebody else
        Ok(state.bid(dot, self.own))
    }

    fn show(&self, state: &Auction) -> String {
        format!("{:?} {:?}", state.best, state.watchers.iter().collect::<Vec<_>>())
    }

    fn holds(&self, state: &Auction) -> bool {
        state.best.amount() >= self.own
    }
}

/// Four nodes; one clock jumps a minute back; for ten seconds two of them are cut off.
fn world(seed: u64) -> WorldConfig {
    let [a, b] = [0, 1].map(NodeIndex::new);
    let mut network = NetworkModel::new(Distribution::exponential(50_000_000.0));
    (network.loss, network.duplicate) = (0.1, 0.1);
    WorldConfig::new(4, seed)
        .lasting(Duration::from_secs(40))
        .with_clocks(ClockModel::disciplined(2e9)) // 2 s
        .with_network(network)
        .with_fault(Duration::from_secs(5), Fault::ClockStep { node: a, by_ns: -60_000_000_000 })
        .with_fault(Duration::from_secs(8), Fault::Partition { groups: vec![vec![a, b]] })
        .with_fault(Duration::from_secs(18), Fault::Heal)
}

fn main() {
    let operation = (any::<bool>(), 0..4_u64);
    let histories = || {
        laws::reached(operation.clone(), |auction: &mut Auction, dot, (bids, number)| {
            if bids { Ok(auction.bid(dot, number)) } else { auction.watch(dot, number) }
        })
    };
    laws::check(histories());
    laws::check_versions(histories());
    println!("the laws hold");

    for ship in [Ship::State, Ship::Delta, Ship::Op] {
        let sharing = SharingConfig::new(ship, Duration::from_secs(25));
        let test = guid_sim::test(world).seeds(0..50);
        let passed = test.run(|_| Sharing::new(Bidder::default(), sharing));
        println!("{ship:?}: {} worlds, {} events, all converged", passed.seeds, passed.events);
    }
}
