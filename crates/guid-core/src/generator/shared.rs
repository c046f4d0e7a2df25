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
/// # #[cfg(feature = "std")] {
/// use guid_core::{Generator, NodeId};
///
/// let ids = Generator::new(NodeId::from_name("abc@go"));
/// let (ours, theirs) = std::thread::scope(|threads| {
///     let theirs = threads.spawn(|| ids.next());
///     (ids.next(), theirs.join().unwrap())
/// });
/// assert_ne!(ours, theirs);
/// assert!(ids.next() > ours.max(theirs));
/// # }
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Generator, NodeId};
    ///
    /// static IDS: Generator<guid_core::SystemClock> = Generator::new(NodeId::new(7));
    /// assert_eq!(IDS.next().node(), NodeId::new(7));
    /// ```
    pub const fn new(node: NodeId) -> Self {
        Self::on_clock(node, SystemClock::new())
    }
}

impl<C: Clock> Generator<C> {
    /// Returns a generator for a node on any clock, at the default drift.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Generator, NodeId, Tick};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17);
    /// assert_eq!(ids.next().tick(), Tick::from_unix_nanos(5 << 17));
    /// ```
    pub const fn on_clock(node: NodeId, clock: C) -> Self {
        Self { last: AtomicU64::new(0), node, drift: Drift::D3, max_ahead: MAX_AHEAD, clock }
    }

    /// Puts another clock in.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Generator, NodeId, Tick};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 0).with_clock(|| 5 << 17);
    /// assert_eq!(ids.next().tick(), Tick::from_unix_nanos(5 << 17));
    /// ```
    #[must_use]
    pub fn with_clock<D: Clock>(self, clock: D) -> Generator<D> {
        let Self { last, node, drift, max_ahead, clock: _ } = self;
        Generator { last, node, drift, max_ahead, clock }
    }

    /// Sets the drift of the IDs made from here on.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Generator, NodeId};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17).with_drift(Drift::D0);
    /// assert_eq!(ids.next().drift(), Drift::D0);
    /// ```
    #[must_use]
    pub fn with_drift(self, drift: Drift) -> Self {
        Self { drift, ..self }
    }

    /// Sets how far the checked calls let a stamp lead the clock; `Duration::MAX` follows anything.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use guid_core::{Drift, Generator, Guid, NodeId, Stamp};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17).with_max_ahead(Duration::MAX);
    /// let far = Guid::new(Drift::D3, NodeId::new(8), Stamp::from_unix_nanos(1 << 60));
    /// assert!(ids.observe(far).is_ok());
    /// ```
    #[must_use]
    pub fn with_max_ahead(self, max_ahead: Duration) -> Self {
        Self { max_ahead, ..self }
    }

    /// Continues after a stamp: every ID made from here on is later. For restarts with the node
    /// kept, and (with a stamp below 16,384) for choosing where the sequence starts.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Generator, NodeId, Stamp};
    ///
    /// let stored = Stamp::from_unix_nanos(9 << 17); // before the restart
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17).with_last(stored);
    /// assert!(ids.next().stamp() > stored);
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Generator, NodeId, Tick};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17);
    /// assert_eq!(ids.next().tick(), Tick::from_unix_nanos(5 << 17));
    /// assert!(ids.next() < ids.next());
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{GenerateError, Generator, NodeId, Stamp};
    ///
    /// // The clock was set back by an hour since the last ID.
    /// let hour = 3_600_000_000_000;
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17)
    ///     .with_last(Stamp::from_unix_nanos(hour));
    /// assert!(matches!(ids.try_next(), Err(GenerateError::Ahead { .. })));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{ByTime, Drift, Generator, Guid, NodeId, Stamp};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17);
    /// let received = Guid::new(Drift::D3, NodeId::new(8), Stamp::from_unix_nanos(9 << 17));
    /// ids.observe(received)?;
    /// assert!(ByTime(ids.next()) > ByTime(received)); // though our clock is behind
    /// # Ok::<(), guid_core::ObserveError>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Generator, NodeId, Stamp};
    ///
    /// let ids = Generator::on_clock(NodeId::new(7), || 5 << 17)
    ///     .with_last(Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(ids.lead().as_nanos(), 4 << 17);
    /// ```
    pub fn lead(&self) -> Duration {
        self.last().ahead_of(Stamp::from_unix_nanos(self.clock.unix_nanos()))
    }
}
