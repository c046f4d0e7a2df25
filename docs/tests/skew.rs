//! The test of the README: a replicated set on nodes whose clocks are apart.

use std::time::Duration;

use guid_crdt::{Dot, MutateError, OrSet, OrSetDelta};
use guid_sim::{
    ClockModel, Rng, Scheme, WorldConfig,
    workload::{Share, Sharing, SharingConfig, Ship},
};

/// A list that every node has a copy of, and what this node has put on it and not taken off.
#[derive(Default)]
struct Shopping {
    own: Vec<u64>,
}

impl Share for Shopping {
    type State = OrSet<u64>;

    fn change(
        &mut self,
        state: &mut OrSet<u64>,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<OrSetDelta<u64>, MutateError> {
        if let Some(gone) = self.own.pop_if(|_| rng.below(3) == 0) {
            return state.remove(dot, &gone);
        }
        let item = rng.next_u64();
        self.own.push(item);
        state.insert(dot, item)
    }

    fn show(&self, state: &OrSet<u64>) -> String {
        format!("{:?}", state.iter().collect::<Vec<_>>())
    }

    fn holds(&self, state: &OrSet<u64>) -> bool {
        self.own.iter().all(|item| state.contains(item))
    }
}

/// Four nodes for twenty seconds.
fn world(seed: u64) -> WorldConfig {
    let mut world = WorldConfig::new(4, seed)
        .lasting(Duration::from_secs(20))
        .with_clocks(ClockModel::disciplined(500e6)) // half a second, one standard deviation
        .with_schemes(&[Scheme::Hlc]); // the set is on trial, not the order of bytes of IDs
    world.network.loss = 0.1;
    world
}

#[test]
fn nothing_that_was_put_on_the_list_is_lost() {
    // Ten seconds of changes, and ten for the copies to converge.
    let sharing = SharingConfig::new(Ship::State, Duration::from_secs(10));
    guid_sim::test(world).seeds(0..20).run(|_| Sharing::new(Shopping::default(), sharing));
}
