//! The generator of many threads: the last stamp in one atomic word.

use core::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::{GenerateError, MAX_AHEAD, ObserveError, check_ahead, check_observed, next_stamp};
#[cfg(feature = "std")]
use crate::SystemClock;
use crate::{Clock, Drift, Guid, NodeId, Stamp};

/// A strict, lock-free generator that threads share by reference.
///
/// Not `Clone`: two generators with one node would make the same IDs.
///
/// # Examples
///
/// ```
/// use guid_core::{Generator, NodeId};
///
/// let ids = Generator::new(NodeId::from_name("abc@go"));
/// let (ours, theirs) = std::thread::scope(|threads| {
///     let theirs = threads.spawn(|| ids.next());
///     (ids.next(), theirs.join().unwrap())
/// });
/// assert_ne!(ours, theirs);
/// assert!(ids.next() > ours.max(theirs));
/// ```
#[derive(Debug)]
pub struct Generator<C> {
    /// The number of the last stamp issued or observed: the whole mutable state.
    last: AtomicU64,
    node: NodeId,
    drift: Drift,
    max_ahead: Duration,
    clock: C,
}

#[cfg(feature = "std")]
impl Generator<SystemClock> {
    /// Returns a generator for a node on the system clock, at the default drift.
    pub const fn new(node: NodeId) -> Self {
        Self::on_clock(node, SystemClock::new())
    }
}

impl<C: Clock> Generator<C> {
    /// Returns a generator for a node on any clock, at the default drift.
    pub const fn on_clock(node: NodeId, clock: C) -> Self {
        Self { last: AtomicU64::new(0), node, drift: Drift::D3, max_ahead: MAX_AHEAD, clock }
    }

    /// Puts another clock in.
    #[must_use]
    pub fn with_clock<D: Clock>(self, clock: D) -> Generator<D> {
        let Self { last, node, drift, max_ahead, clock: _ } = self;
        Generator { last, node, drift, max_ahead, clock }
    }

    /// Sets the drift of the IDs made from here on.
    #[must_use]
    pub fn with_drift(self, drift: Drift) -> Self {
        Self { drift, ..self }
    }

    /// Sets how far the checked calls let a stamp lead the clock; `Duration::MAX` follows anything.
    #[must_use]
    pub fn with_max_ahead(self, max_ahead: Duration) -> Self {
        Self { max_ahead, ..self }
    }

    /// Continues after a stamp: every ID made from here on is later. For restarts with the node
    /// kept, and (with a stamp below 16,384) for choosing where the sequence starts.
    #[must_use]
    pub fn with_last(self, last: Stamp) -> Self {
        Self { last: AtomicU64::new(last.as_u64()), ..self }
    }

    /// Returns the next ID, whatever the clock says. Lock-free: one clock read, one
    /// compare-and-swap unless threads race.
    ///
    /// # Panics
    ///
    /// At the end of time: after 2⁶¹ stamps, in the year 2554.
    pub fn next(&self) -> Guid {
        let now = self.clock.unix_nanos();
        let stamp = self.advance(|last| next_stamp(last, now).ok_or(()));
        self.id(stamp.expect("time ends in 2554"))
    }

    /// Returns the next ID, unless it would lead the clock by more than `max_ahead`.
    ///
    /// # Errors
    ///
    /// See [`GenerateError`]; nothing is consumed then.
    pub fn try_next(&self) -> Result<Guid, GenerateError> {
        let now = self.clock.unix_nanos();
        let stamp = self.advance(|last| {
            let stamp = next_stamp(last, now).ok_or(GenerateError::Exhausted)?;
            check_ahead(stamp, now, self.max_ahead).map_err(|by| GenerateError::Ahead { by })?;
            Ok(stamp)
        })?;
        Ok(self.id(stamp))
    }

    /// Takes note of an ID from elsewhere: every ID made from here on is later in time order.
    ///
    /// # Errors
    ///
    /// See [`ObserveError`]; the generator is unchanged then.
    pub fn observe(&self, id: Guid) -> Result<(), ObserveError> {
        let now = self.clock.unix_nanos();
        let last = self.last.load(Ordering::Acquire);
        check_observed(id, self.node, last, now, self.max_ahead)?;
        self.last.fetch_max(id.stamp().as_u64(), Ordering::AcqRel);
        Ok(())
    }

    /// Moves `last` to what `step` makes of it, as one atomic step. The clock was read before:
    /// a stall between the two costs nothing, because `step` starts from the newest `last`.
    fn advance<E>(&self, step: impl Fn(u64) -> Result<Stamp, E>) -> Result<Stamp, E> {
        let mut last = self.last.load(Ordering::Acquire);
        loop {
            let stamp = step(last)?;
            debug_assert!(stamp.as_u64() > last, "stamps strictly increase");
            match self.last.compare_exchange_weak(
                last,
                stamp.as_u64(),
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Ok(stamp),
                Err(newer) => last = newer,
            }
        }
    }

    const fn id(&self, stamp: Stamp) -> Guid {
        Guid::new(self.drift, self.node, stamp)
    }

    /// The node it writes under.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The last stamp issued or observed.
    pub fn last(&self) -> Stamp {
        Stamp::from_masked(self.last.load(Ordering::Acquire))
    }

    /// How far the last stamp leads the clock.
    pub fn lead(&self) -> Duration {
        self.last().ahead_of(Stamp::from_unix_nanos(self.clock.unix_nanos()))
    }
}
