//! The generator of one owner: no atomics.

use core::time::Duration;

use super::{
    Batch, GenerateError, MAX_AHEAD, ObserveError,
    batch::write_run,
    rule::{Gap, Run, check_observed, checked_run, next_run},
};
use crate::{Clock, Drift, Guid, NodeId, Stamp, Tick};

/// A strict generator with one owner. (It is local, not its IDs: they are global, as all are.)
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
    /// Stamps below it that were never issued.
    gap: Gap,
    node: NodeId,
    drift: Drift,
    max_ahead: Duration,
    clock: C,
}

impl<C: Clock> LocalGenerator<C> {
    /// Returns a generator for a node, at the default drift.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17); // a clock that stands still
    /// assert!(ids.next() < ids.next());
    /// ```
    pub const fn new(node: NodeId, clock: C) -> Self {
        Self {
            last: 0,
            gap: Gap { after: 0, upto: 0 },
            node,
            drift: Drift::D3,
            max_ahead: MAX_AHEAD,
            clock,
        }
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

    /// Sets how far the checked calls let a stamp lead the clock; `Duration::MAX` follows anything,
    /// also one bad ID to the end of time, where no stamp is left.
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
        Self { last: last.as_u64(), gap: Gap::default(), ..self }
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
        let run = self.take(1).expect("time ends in 2554");
        Guid::new(self.drift, self.node, run.first())
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
        Ok(Guid::new(self.drift, self.node, self.try_take(1)?.first()))
    }

    /// Fills a slice with the next IDs, whatever the clock says: one clock read and one step
    /// for all of them. They are consecutive: nobody else gets one between.
    ///
    /// # Panics
    ///
    /// At the end of time: where fewer stamps are left than the slice is long. Nothing is consumed
    /// then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, Guid, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// let mut slots = [Guid::ZERO; 100];
    /// ids.fill(&mut slots);
    /// assert!(slots.is_sorted_by(|a, b| a < b));
    /// assert!(slots[99] < ids.next());
    /// ```
    pub fn fill(&mut self, ids: &mut [Guid]) {
        if !ids.is_empty() {
            let run = self.take(ids.len()).expect("time ends in 2554");
            write_run(ids, self.drift, self.node, run.first());
        }
    }

    /// Fills a slice with the next IDs, unless the last of them would lead the clock by more than
    /// `max_ahead`.
    ///
    /// # Errors
    ///
    /// See [`GenerateError`]; nothing is consumed then, and the slice is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{GenerateError, LocalGenerator, Guid, NodeId, Stamp};
    ///
    /// let almost = Stamp::from_u64(Stamp::MAX.as_u64() - 3)?; // three stamps are left
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || u64::MAX).with_last(almost);
    /// let mut slots = [Guid::ZERO; 4];
    /// assert_eq!(ids.try_fill(&mut slots), Err(GenerateError::Exhausted));
    /// assert_eq!(slots, [Guid::ZERO; 4]);
    /// assert_eq!(ids.try_fill(&mut slots[..3]), Ok(()));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn try_fill(&mut self, ids: &mut [Guid]) -> Result<(), GenerateError> {
        if !ids.is_empty() {
            let run = self.try_take(ids.len())?;
            write_run(ids, self.drift, self.node, run.first());
        }
        Ok(())
    }

    /// Sets the next `count` IDs aside, whatever the clock says, by one clock read and one step.
    ///
    /// # Panics
    ///
    /// At the end of time: where fewer than `count` stamps are left. Nothing is consumed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, Guid, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// let batch: Vec<Guid> = ids.batch(3).collect();
    /// assert!(batch[0] < batch[1] && batch[1] < batch[2] && batch[2] < ids.next());
    /// ```
    pub fn batch(&mut self, count: usize) -> Batch {
        if count == 0 {
            return Batch::empty(self.drift, self.node);
        }
        let run = self.take(count).expect("time ends in 2554");
        Batch::new(self.drift, self.node, run, count)
    }

    /// Sets the next `count` IDs aside, unless the last of them would lead the clock by more than
    /// `max_ahead`.
    ///
    /// # Errors
    ///
    /// See [`GenerateError`]; nothing is consumed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// let hour = 3_600 * 125_000_000; // stamps
    /// assert!(ids.try_batch(hour).is_err());
    /// assert_eq!(ids.try_batch(1_000).map(|batch| batch.len()), Ok(1_000));
    /// ```
    pub fn try_batch(&mut self, count: usize) -> Result<Batch, GenerateError> {
        if count == 0 {
            return Ok(Batch::empty(self.drift, self.node));
        }
        let run = self.try_take(count)?;
        Ok(Batch::new(self.drift, self.node, run, count))
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
        let now = self.clock.unix_nanos();
        check_observed(id, self.node, (self.last, self.gap), now, self.max_ahead)?;
        let stamp = id.stamp().as_u64();
        if stamp > self.last {
            self.gap = self.gap.jump(self.last, stamp);
            self.last = stamp;
        }
        Ok(())
    }

    /// Goes on under another node, which must never have been used: IDs made from here on are
    /// later than all before. The way out after this machine was cloned, or after a
    /// [collision](ObserveError::NodeCollision).
    ///
    /// Nothing happens if the node is the present one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{ByTime, LocalGenerator, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// let before = ids.next();
    /// ids.reseed(NodeId::new(8)); // a snapshot was restored; with `rand`: `NodeId::random()?`
    /// let after = ids.next();
    /// assert!(after.node() != before.node() && ByTime(after) > ByTime(before));
    /// ```
    pub fn reseed(&mut self, node: NodeId) {
        if node != self.node {
            self.begin(node, self.last());
        }
    }

    /// Starts anew under another node, which must never have been used, and follows the clock
    /// again. The way out after a clock that ran ahead was set right: until it has caught up,
    /// [`lead`](Self::lead) is large and the checked calls refuse.
    ///
    /// The price: IDs made or observed before may be later than those made next. Nothing happens
    /// if the node is the present one, because forgetting its stamp would repeat its IDs.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, ManualClock, NodeId};
    ///
    /// let clock = ManualClock::new(1 << 60);
    /// let mut ids = LocalGenerator::new(NodeId::new(7), &clock);
    /// let wrong = ids.next();
    /// clock.set(1 << 59); // eighteen years less: it was set right
    /// assert!(ids.try_next().is_err());
    ///
    /// ids.restart(NodeId::new(8));
    /// assert!(ids.try_next().is_ok_and(|id| id.tick() < wrong.tick()));
    /// ```
    pub fn restart(&mut self, node: NodeId) {
        if node != self.node {
            // The sequence runs on: no reason to begin at zero every time.
            self.begin(node, Stamp::new(Tick::from_unix_nanos(0), self.last().seq()));
        }
    }

    /// Takes a new node, under which no stamp was issued yet.
    const fn begin(&mut self, node: NodeId, last: Stamp) {
        let gap = Gap { after: 0, upto: last.as_u64() };
        self.node = node;
        self.last = last.as_u64();
        self.gap = gap;
    }

    /// Takes the next run of stamps. A `usize` always fits: no machine has more than 64 bits.
    fn take(&mut self, count: usize) -> Option<Run> {
        let run = next_run(self.last, self.clock.unix_nanos(), count as u64)?;
        Some(self.issue(run))
    }

    fn try_take(&mut self, count: usize) -> Result<Run, GenerateError> {
        let now = self.clock.unix_nanos();
        let run = checked_run(self.last, now, count as u64, self.max_ahead)?;
        Ok(self.issue(run))
    }

    fn issue(&mut self, run: Run) -> Run {
        debug_assert!(run.first > self.last, "stamps strictly increase");
        self.last = run.last;
        run
    }

    /// The node it writes under.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId};
    ///
    /// let ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// assert_eq!(ids.node(), NodeId::new(7));
    /// ```
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The last stamp issued or observed.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{LocalGenerator, NodeId};
    ///
    /// let mut ids = LocalGenerator::new(NodeId::new(7), || 5 << 17);
    /// let id = ids.next();
    /// assert_eq!(ids.last(), id.stamp());
    /// ```
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
