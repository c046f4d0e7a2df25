//! Between the nodes: what is due when, what is late, lost or cut off.

use std::{
    collections::{BTreeMap, btree_map::OccupiedEntry},
    time::{Duration, Instant},
};

use rand::{Rng, RngExt, seq::SliceRandom};

use super::{super::protocol::Message, exponential};

/// What is to be done at some time.
#[derive(Debug)]
pub(super) enum Due {
    Deliver { from: usize, to: usize, message: Message },
    Request(usize),
    Timeout { client: usize, id: u64 },
    Disturb,
    Undo,
    Start(usize),
}

/// All that is to be done, by time, and what was added first at the same time.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    due: BTreeMap<(Instant, u64), Due>,
    added: u64,
}

impl Agenda {
    pub(super) fn add(&mut self, at: Instant, due: Due) {
        self.due.insert((at, self.added), due);
        self.added += 1;
    }

    pub(super) fn next_at(&self) -> Option<Instant> {
        self.due.first_key_value().map(|(&(at, _), _)| at)
    }

    pub(super) fn next_due(&mut self, now: Instant) -> Option<Due> {
        self.due.first_entry().filter(|next| next.key().0 <= now).map(OccupiedEntry::remove)
    }

    /// From here on nothing is done to the nodes.
    pub(super) fn forget_faults(&mut self) {
        let is_fault =
            |due: &Due| matches!(due, Due::Disturb | Due::Undo | Due::Start(_) | Due::Request(_));
        self.due.retain(|_, due| !is_fault(due));
    }
}

#[derive(Debug)]
pub(super) struct Network {
    latency: Duration,
    loss: f64,
    /// The nodes of one half, while there are two.
    side: Vec<usize>,
    sent: u64,
    lost: u64,
    splits: u64,
}

impl Network {
    pub(super) const fn new(latency: Duration, loss: f64) -> Self {
        Self { latency, loss, side: Vec::new(), sent: 0, lost: 0, splits: 0 }
    }

    /// How long a message takes; nothing if it is lost.
    pub(super) fn send(
        &mut self,
        from: usize,
        to: usize,
        random: &mut impl Rng,
    ) -> Option<Duration> {
        self.sent += 1;
        if from != to && random.random_bool(self.loss) {
            self.lost += 1;
            return None;
        }
        let latency = if from == to { Duration::ZERO } else { self.latency };
        Some(latency.mul_f64(exponential(random)))
    }

    pub(super) fn reaches(&mut self, from: usize, to: usize) -> bool {
        let reaches = self.side.contains(&from) == self.side.contains(&to);
        self.lost += u64::from(!reaches);
        reaches
    }

    /// Cuts the nodes into two halves, and returns one of them.
    pub(super) fn split(&mut self, nodes: usize, random: &mut impl Rng) -> Vec<usize> {
        let mut all: Vec<usize> = (0..nodes).collect();
        all.shuffle(random);
        all.truncate(nodes / 2);
        self.splits += 1;
        self.side = all;
        self.side.clone()
    }

    /// Whether there was anything to heal.
    pub(super) fn heal(&mut self) -> bool {
        !std::mem::take(&mut self.side).is_empty()
    }

    /// How many messages were sent between nodes, and how many of them never arrived.
    pub(super) const fn counts(&self) -> (u64, u64) {
        (self.sent, self.lost)
    }

    pub(super) const fn splits(&self) -> u64 {
        self.splits
    }
}
