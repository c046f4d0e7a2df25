//! IDs of the past, in blocks: written once, read only if somebody goes back.

use std::collections::VecDeque;

use super::{Moment, Seen};

#[derive(Debug)]
pub(super) struct Archive {
    /// How many IDs it holds at most.
    limit: usize,
    blocks: VecDeque<Block>,
    len: usize,
    /// The greatest ID that was ever added, and the greatest that was forgotten.
    greatest: Option<u128>,
    forgotten: Option<u128>,
}

/// IDs between a least and a greatest one.
#[derive(Debug)]
struct Block {
    least: u128,
    greatest: u128,
    seen: Vec<Seen>,
    /// Whether they were put in order, which happens when one is looked for.
    sorted: bool,
}

impl Archive {
    pub(super) const fn new(limit: usize) -> Self {
        Self { limit, blocks: VecDeque::new(), len: 0, greatest: None, forgotten: None }
    }

    /// Adds IDs; forgets the oldest blocks beyond the limit.
    pub(super) fn add<'a>(&mut self, seen: impl Iterator<Item = &'a Seen> + Clone) {
        let times = || seen.clone().map(|seen| seen.time);
        let (Some(least), Some(greatest)) = (times().min(), times().max()) else { return };
        self.greatest = self.greatest.max(Some(greatest));
        let seen = self.room(seen);
        self.len += seen.len();
        self.blocks.push_back(Block { least, greatest, seen, sorted: false });
    }

    /// A block of these IDs, in the memory of the one that has to go for it, if one has.
    fn room<'a>(&mut self, added: impl Iterator<Item = &'a Seen> + Clone) -> Vec<Seen> {
        let count = added.clone().count();
        let mut room = Vec::new();
        while self.len + count > self.limit {
            let Some(oldest) = self.blocks.pop_front() else { break };
            self.len -= oldest.seen.len();
            self.forgotten = self.forgotten.max(Some(oldest.greatest));
            room = oldest.seen;
        }
        room.clear();
        room.reserve_exact(count);
        room.extend(added);
        room
    }

    /// The event that made an ID before, if that is remembered.
    pub(super) fn find(&mut self, time: u128) -> Option<Moment> {
        if Some(time) > self.greatest {
            return None;
        }
        let around = |block: &&mut Block| block.least <= time && time <= block.greatest;
        self.blocks.iter_mut().filter(around).find_map(|block| block.find(time))
    }

    /// Whether an ID that is not found may have been here.
    pub(super) fn may_have_forgotten(&self, time: u128) -> bool {
        self.forgotten.is_some_and(|forgotten| time <= forgotten)
    }
}

impl Block {
    fn find(&mut self, time: u128) -> Option<Moment> {
        if !self.sorted {
            self.seen.sort_unstable_by_key(|seen| seen.time);
            self.sorted = true;
        }
        let at = self.seen.binary_search_by_key(&time, |seen| seen.time).ok()?;
        Some(self.seen[at].by)
    }
}
