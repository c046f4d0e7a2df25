//! News that spread: every node says something new now and then, and all hear of it in the end.

use guid_crdt::{Dot, MutateError, OrSet, OrSetDelta};

use super::{Share, Sharing, SharingConfig};
use crate::{Report, Rng, RunError, TraceHash, WorldConfig, simulate};

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

/// The latest news that this node told: the set must have it. (A set that also knows what it has
/// taken in, by spans, says so in few words however many news there are.)
#[derive(Default)]
struct News {
    told: Option<Dot>,
}

impl Share for News {
    type State = OrSet<Dot>;

    fn change(
        &mut self,
        state: &mut OrSet<Dot>,
        dot: Dot,
        _: &mut Rng,
    ) -> Result<OrSetDelta<Dot>, MutateError> {
        let delta = state.insert(dot, dot)?;
        self.told = Some(dot);
        Ok(delta)
    }

    fn show(&self, state: &OrSet<Dot>) -> String {
        format!("{:?}", state.iter().collect::<Vec<_>>())
    }

    fn digest(&self, state: &OrSet<Dot>) -> u128 {
        let mut hash = TraceHash::default();
        for dot in state.iter() {
            hash.word(u64::from(dot.node().as_u32()));
            hash.word(dot.stamp().as_u64());
        }
        hash.value()
    }

    fn holds(&self, state: &OrSet<Dot>) -> bool {
        self.told.is_none_or(|dot| state.contains(&dot))
    }
}
