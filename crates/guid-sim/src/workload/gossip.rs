//! News that spread: every node says something new now and then, and all hear of it in the end.

use guid_crdt::{Dot, GSet, MutateError, Replicated};

use super::{Share, Sharing, SharingConfig};
use crate::{Report, Rng, RunError, WorldConfig, simulate};

/// Spread news.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GossipWorkload {
    /// How they are shared.
    pub sharing: SharingConfig,
}

pub(super) fn run(workload: &GossipWorkload, config: WorldConfig) -> Result<Report, RunError> {
    simulate(config, |_| Sharing::new(News::default(), workload.sharing))
}

/// The news that this node told: the set must have all of them.
#[derive(Default)]
struct News {
    told: Vec<Dot>,
}

impl Share for News {
    type State = GSet<Dot>;

    fn change(
        &mut self,
        state: &mut GSet<Dot>,
        dot: Dot,
        _: &mut Rng,
    ) -> Result<<GSet<Dot> as Replicated>::Delta, MutateError> {
        self.told.push(dot);
        Ok(state.insert(dot))
    }

    fn show(&self, state: &GSet<Dot>) -> String {
        format!("{state:?}")
    }

    fn holds(&self, state: &GSet<Dot>) -> bool {
        self.told.last().is_none_or(|dot| state.contains(dot))
    }
}
