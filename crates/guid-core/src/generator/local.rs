//! The generator of one owner: no atomics.

use core::time::Duration;

use super::{GenerateError, MAX_AHEAD, ObserveError, check_ahead, check_observed, next_stamp};
use crate::{Clock, Drift, Guid, NodeId, Stamp};

/// A strict generator with one owner.
///
/// Not `Clone`: two generators with one node would make the same IDs.
///
/// # Examples
///
/// ```
/// use guid_core::{LocalGenerator, ManualClock, NodeId};
///
/// let mut ids = LocalGenerator::new(NodeId::new(7), ManualClock::new(5 << 17));
/// let (a, b) = (ids.next(), ids.next());
/// assert!(a < b);
/// assert_eq!(a.node(), NodeId::new(7));
/// ```
#[derive(Debug)]
pub struct LocalGenerator<C> {
    /// The number of the last stamp issued or observed.
    last: u64,
    node: NodeId,
    drift: Drift,
    max_ahead: Duration,
    clock: C,
}

impl<C: Clock> LocalGenerator<C> {
    /// Returns a generator for a node, at the default drift.
    pub const fn new(node: NodeId, clock: C) -> Self {
        Self { last: 0, node, drift: Drift::D3, max_ahead: MAX_AHEAD, clock }
    }

    /// Sets the drift of the IDs made from here on.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, LocalGenerator, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17).with_drift(Drift::D0);
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
    /// use guid_core::{Drift, LocalGenerator, Guid, NodeId, Stamp};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17).with_max_ahead(Duration::MAX);
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
    /// use guid_core::{LocalGenerator, NodeId, Stamp};
    ///
    /// let stored = Stamp::from_unix_nanos(9 << 17); // before the restart
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17).with_last(stored);
    /// assert!(ids.next().stamp() > stored);
    /// ```
    #[must_use]
    pub fn with_last(self, last: Stamp) -> Self {
        Self { last: last.as_u64(), ..self }
    }

    /// Returns the next ID, whatever the clock says.
    ///
    /// # Panics
    ///
    /// At the end of time: after 2⁶¹ stamps, in the year 2554.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId, Tick};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// assert_eq!(ids.next().tick(), Tick::from_unix_nanos(5 << 17));
    /// assert!(ids.next() < ids.next());
    /// ```
    #[expect(clippy::should_implement_trait, reason = "endless: `Iterator` would add an `Option`")]
    pub fn next(&mut self) -> Guid {
        let stamp = next_stamp(self.last, self.clock.unix_nanos()).expect("time ends in 2554");
        self.issue(stamp)
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
    /// use guid_core::{GenerateError, LocalGenerator, NodeId, Stamp};
    ///
    /// // The clock was set back by an hour since the last ID.
    /// let hour = 3_600_000_000_000;
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17)
    ///     .with_last(Stamp::from_unix_nanos(hour));
    /// assert!(matches!(ids.try_next(), Err(GenerateError::Ahead { .. })));
    /// ```
    pub fn try_next(&mut self) -> Result<Guid, GenerateError> {
        let now = self.clock.unix_nanos();
        let stamp = next_stamp(self.last, now).ok_or(GenerateError::Exhausted)?;
        check_ahead(stamp, now, self.max_ahead).map_err(|by| GenerateError::Ahead { by })?;
        Ok(self.issue(stamp))
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
    /// use guid_core::{ByTime, Drift, Guid, LocalGenerator, NodeId, Stamp};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// let received = Guid::new(Drift::D3, NodeId::new(8), Stamp::from_unix_nanos(9 << 17));
    /// ids.observe(received)?;
    /// assert!(ByTime(ids.next()) > ByTime(received)); // though our clock is behind
    /// # Ok::<(), guid_core::ObserveError>(())
    /// ```
    pub fn observe(&mut self, id: Guid) -> Result<(), ObserveError> {
        check_observed(id, self.node, self.last, self.clock.unix_nanos(), self.max_ahead)?;
        self.last = self.last.max(id.stamp().as_u64());
        Ok(())
    }

    fn issue(&mut self, stamp: Stamp) -> Guid {
        debug_assert!(stamp.as_u64() > self.last, "stamps strictly increase");
        self.last = stamp.as_u64();
        Guid::new(self.drift, self.node, stamp)
    }

    /// The node it writes under.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The last stamp issued or observed.
    pub const fn last(&self) -> Stamp {
        Stamp::from_masked(self.last)
    }

    /// How far the last stamp leads the clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId, Stamp};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17)
    ///     .with_last(Stamp::from_unix_nanos(9 << 17));
    /// assert_eq!(ids.lead().as_nanos(), 4 << 17);
    /// ```
    pub fn lead(&self) -> Duration {
        self.last().ahead_of(Stamp::from_unix_nanos(self.clock.unix_nanos()))
    }
}
