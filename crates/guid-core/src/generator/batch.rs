//! Many IDs at once: a run of stamps, written into a slice or handed out one by one.
//!
//! # The idea
//!
//! Inside one window the low bits of an ID are those of its stamp, 32 or more of them: the next ID
//! of a run has the lower word plus one. Only where that word ends are the fractions put together
//! anew.

use core::iter::FusedIterator;

use super::rule::Run;
use crate::{Drift, Guid, NodeId, Stamp, layout};

/// A run of IDs that a generator set aside: made by `batch`, each is given out once.
///
/// What is not taken is skipped: nobody gets those IDs. Not `Clone`: a copy would give them out
/// again.
///
/// # Examples
///
/// ```
/// use guid_core::{LocalGenerator, NodeId};
///
/// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
/// let mut batch = ids.batch(1_000);
/// assert_eq!(batch.len(), 1_000);
/// let first = batch.next().unwrap();
/// let later = ids.next(); // not one of the batch
/// assert!(first < batch.last().unwrap() && first < later);
/// ```
#[derive(Debug)]
pub struct Batch {
    /// The number of the next stamp.
    next: u64,
    left: usize,
    node: NodeId,
    drift: Drift,
}

impl Batch {
    pub(super) const fn empty(drift: Drift, node: NodeId) -> Self {
        Self { next: 0, left: 0, node, drift }
    }

    /// The IDs of a run that holds `count` stamps.
    pub(super) const fn new(drift: Drift, node: NodeId, run: Run, count: usize) -> Self {
        Self { next: run.first, left: count, node, drift }
    }
}

impl Iterator for Batch {
    type Item = Guid;

    fn next(&mut self) -> Option<Guid> {
        self.left = self.left.checked_sub(1)?;
        let stamp = Stamp::from_masked(self.next);
        self.next += 1;
        Some(Guid::new(self.drift, self.node, stamp))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    fn nth(&mut self, n: usize) -> Option<Guid> {
        let skipped = n.min(self.left);
        self.left -= skipped;
        self.next += skipped as u64;
        self.next()
    }

    fn last(mut self) -> Option<Guid> {
        self.nth(self.left.checked_sub(1)?)
    }
}

impl ExactSizeIterator for Batch {}
impl FusedIterator for Batch {}

/// Writes the IDs of the stamps from `first` on.
pub(super) fn write_run(mut ids: &mut [Guid], drift: Drift, node: NodeId, first: Stamp) {
    let mut stamp = first.as_u64();
    while !ids.is_empty() {
        // No window ends between multiples of 2³²: up to there the upper word stays.
        let left = layout::stamps_left_in_word(stamp);
        let here = usize::try_from(left).unwrap_or(usize::MAX).min(ids.len());
        let (now, later) = ids.split_at_mut(here);
        let (high, low) = Guid::new(drift, node, Stamp::from_masked(stamp)).words();
        for (id, low) in now.iter_mut().zip(low..=u32::MAX) {
            *id = Guid::from_words(high, low);
        }
        stamp += here as u64;
        ids = later;
    }
}
