//! The state that threads share: the last stamp in one atomic word, and the gap below it.
//!
//! # Invariants
//!
//! * `last` only grows, and only by one atomic step: what a step returns is the caller's alone.
//! * Making IDs touches `last` and nothing else.
//! * A gap that is read holds no stamp that was ever issued, however threads race. Both of its ends
//!   only grow, `after` is written before `upto` and read after it: whoever sees the end of a jump
//!   sees its start or that of a later jump, and then the gap read is empty.

use super::rule::{Gap, Run};
use crate::sync::{AtomicU64, Ordering};

/// The last stamp issued or observed, under threads.
#[derive(Debug)]
pub(crate) struct Word {
    last: AtomicU64,
    after: AtomicU64,
    upto: AtomicU64,
}

impl Word {
    pub(crate) const fn new(last: u64, gap: Gap) -> Self {
        Self {
            last: AtomicU64::new(last),
            after: AtomicU64::new(gap.after),
            upto: AtomicU64::new(gap.upto),
        }
    }

    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// The last stamp and the gap below it. A race makes the gap smaller, never wrong.
    pub(crate) fn last_and_gap(&self) -> (u64, Gap) {
        let last = self.last();
        let upto = self.upto.load(Ordering::Acquire);
        (last, Gap { after: self.after.load(Ordering::Acquire), upto })
    }

    /// Takes the run that `step` makes of `last`, as one atomic step. The clock was read before:
    /// a stall between the two costs nothing, because `step` starts from the newest `last`.
    #[inline]
    pub(crate) fn advance<E>(&self, step: impl Fn(u64) -> Result<Run, E>) -> Result<Run, E> {
        let mut last = self.last.load(Ordering::Acquire);
        loop {
            let run = step(last)?;
            debug_assert!(last < run.first && run.first <= run.last, "stamps strictly increase");
            match self.last.compare_exchange_weak(
                last,
                run.last,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Ok(run),
                Err(newer) => last = newer,
            }
        }
    }

    /// Jumps over the stamps up to `stamp`, if it is ahead.
    pub(crate) fn jump(&self, stamp: u64) {
        let last = self.last.fetch_max(stamp, Ordering::AcqRel);
        if last >= stamp {
            return;
        }
        // Where the former jump ended at `last`, nothing was issued between: this one makes it
        // longer, and its start stays.
        if self.upto.load(Ordering::Acquire) != last {
            self.after.fetch_max(last, Ordering::AcqRel);
        }
        self.upto.fetch_max(stamp, Ordering::AcqRel);
    }
}
