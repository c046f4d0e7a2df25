//! The rule of all generators, on plain numbers.
//!
//! # The idea
//!
//! A generator takes *runs*: `count` consecutive stamps, of which one ID is the shortest. A run
//! starts where the formula says and counts up from there, over ticks too. What is refused is
//! refused by its last stamp, so that a run is taken whole or not at all.
//!
//! # Invariants
//!
//! * A run starts after `last`, ends within time, and is not empty.
//! * A stamp of a [`Gap`] was never issued.

use core::time::Duration;

use super::{GenerateError, ObserveError};
use crate::{Guid, NodeId, Stamp, layout};

/// Consecutive stamps, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Run {
    pub(crate) const fn first(self) -> Stamp {
        Stamp::from_masked(self.first)
    }
}

/// The run of `count` stamps after `last` at a clock reading; `None` if time ends before it does.
/// A count of zero is taken for one: callers answer it without coming here.
pub(crate) const fn next_run(last: u64, now_nanos: u64, count: u64) -> Option<Run> {
    let Some(up) = Stamp::from_masked(last).next() else { return None };
    let up = up.as_u64();
    let clock = layout::stamp(layout::tick_of_nanos(now_nanos), layout::stamp_seq(up));
    let first = if clock > up { clock } else { up };
    let Some(last) = first.checked_add(count.saturating_sub(1)) else { return None };
    if last > layout::STAMP_MAX { None } else { Some(Run { first, last }) }
}

/// The same, refused where its end would lead the clock by more than allowed.
pub(crate) fn checked_run(
    last: u64,
    now_nanos: u64,
    count: u64,
    max_ahead: Duration,
) -> Result<Run, GenerateError> {
    let run = next_run(last, now_nanos, count).ok_or(GenerateError::Exhausted)?;
    check_ahead(run.last, now_nanos, max_ahead).map_err(|by| GenerateError::Ahead { by })?;
    Ok(run)
}

/// Refuses a stamp that leads the clock by more than allowed.
fn check_ahead(stamp: u64, now_nanos: u64, max_ahead: Duration) -> Result<(), Duration> {
    let by = Stamp::from_masked(stamp).ahead_of(Stamp::from_unix_nanos(now_nanos));
    if by > max_ahead { Err(by) } else { Ok(()) }
}

/// The stamps above `after`, up to `upto` included, that observing made the generator jump over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) after: u64,
    pub(crate) upto: u64,
}

impl Gap {
    const fn contains(self, stamp: u64) -> bool {
        self.after < stamp && stamp <= self.upto
    }

    /// The gap once `last` jumps to `stamp`. A jump that starts where the former one ended makes
    /// it longer: nothing was issued between.
    pub(crate) const fn jump(self, last: u64, stamp: u64) -> Self {
        Self { after: if self.upto == last { self.after } else { last }, upto: stamp }
    }
}

/// Checks an ID from elsewhere against what this generator issued and its clock.
pub(crate) fn check_observed(
    id: Guid,
    own: NodeId,
    (last, gap): (u64, Gap),
    now_nanos: u64,
    max_ahead: Duration,
) -> Result<(), ObserveError> {
    let stamp = id.stamp().as_u64();
    if id.node() == own && (stamp > last || gap.contains(stamp)) {
        return Err(ObserveError::NodeCollision { id });
    }
    check_ahead(stamp, now_nanos, max_ahead).map_err(|by| ObserveError::Ahead { by })
}
