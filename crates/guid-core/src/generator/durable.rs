//! The generator of a fixed node: strict over restarts too.
//!
//! # The idea
//!
//! Beside the last stamp stands the *bound*, the greatest stamp that a [`HighWater`] has stored.
//! Runs that end at or below the bound are taken as by [`Generator`](super::Generator), by one
//! atomic step. A run beyond it first stores a greater bound, ten seconds ahead of the clock.
//!
//! # Invariants
//!
//! * No stamp above the stored bound is issued or observed. Hence a generator that starts at the
//!   bound is later than all that its predecessors issued or observed, whenever they ended.
//! * The bound leads the clock by at most `max_ahead`, as the stamps do: a restart is not refused
//!   for what the former process reserved.
//! * A failing call changes no stamp. It may have raised the bound: some lead after a restart.

use core::{error::Error, fmt, time::Duration};

use super::{
    Batch, GenerateError, HighWater, HighWaterError, MAX_AHEAD, ObserveError,
    batch::write_run,
    fork::ForkGuard,
    rule::{Gap, Run, check_observed, checked_run},
    word::Word,
};
use crate::{
    Clock, Drift, Guid, NodeId, Stamp, SystemClock, Tick,
    sync::{AtomicU64, Mutex, Ordering, PoisonError},
};

/// How far ahead of the clock a bound is stored: 10 s, or half of a `max_ahead` below 20 s.
const RESERVATION: Duration = Duration::from_secs(10);

/// How much a new bound reserves beyond the run that asked for it, where stamps already lead the
/// clock, as right after a restart: 100 ms, or 12.5 million.
const SLACK: Duration = Duration::from_millis(100);

/// The same where they lead by half of `max_ahead` already, so as not to use up what peers allow.
const LEAST_SLACK: Duration = Duration::from_nanos(Tick::NANOS);

/// A strict generator for a fixed node, which repeats nothing after a restart.
///
/// It stores a bound about every ten seconds, before it goes beyond it; the call that does so, and
/// those that come in meanwhile and need the new bound, wait for the store. All others are
/// lock-free. [`renew`](Self::renew) stores ahead of need, from a thread of its own.
///
/// Starts in quick succession add up: each leads by 100 ms more than the one before, by a tick from
/// half of `max_ahead` on. Rather than start a process for each ID, ask one.
///
/// Every call can fail, because storing can: see [`DurableError`]. In a forked child, with the
/// feature `fork`, every call fails.
///
/// # Examples
///
/// ```
/// use guid_core::{DurableGenerator, FileHighWater, NodeId};
///
/// # let folder = std::env::temp_dir().join(format!("guid-doc-durable-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("node-7");
/// let ids = DurableGenerator::new(FileHighWater::open_or_create(&path, NodeId::new(7))?)?;
/// let (a, b) = (ids.next()?, ids.next()?);
/// assert!(a < b);
/// # drop(ids);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DurableGenerator<H, C = SystemClock> {
    word: Word,
    /// The number of the greatest stamp that may be used. Only grows, under the lock.
    bound: AtomicU64,
    high_water: Mutex<H>,
    node: NodeId,
    drift: Drift,
    max_ahead: Duration,
    clock: C,
    fork: ForkGuard,
}

impl<H: HighWater> DurableGenerator<H> {
    /// Returns a generator for the node of a high-water mark, on the system clock.
    ///
    /// # Errors
    ///
    /// The mark cannot be loaded.
    ///
    /// # Examples
    ///
    /// See [`FileHighWater`](super::FileHighWater).
    pub fn new(high_water: H) -> Result<Self, HighWaterError> {
        Self::on_clock(high_water, SystemClock::new())
    }
}

impl<H: HighWater, C: Clock> DurableGenerator<H, C> {
    /// Returns a generator for the node of a high-water mark, on any clock. Nothing is stored yet.
    ///
    /// # Errors
    ///
    /// The mark cannot be loaded.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, ManualClock, MemoryHighWater, NodeId};
    ///
    /// let mark = MemoryHighWater::new(NodeId::new(7));
    /// let ids = DurableGenerator::on_clock(mark, ManualClock::new(1 << 60))?;
    /// assert!(ids.next()? < ids.next()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_clock(mut high_water: H, clock: C) -> Result<Self, HighWaterError> {
        let bound = high_water.load()?.unwrap_or_default().as_u64();
        Ok(Self {
            word: Word::new(bound, Gap::default()),
            bound: AtomicU64::new(bound),
            node: high_water.node(),
            high_water: Mutex::new(high_water),
            drift: Drift::D3,
            max_ahead: MAX_AHEAD,
            clock,
            fork: ForkGuard::new(),
        })
    }

    /// Sets the drift of the IDs made from here on.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, DurableGenerator, MemoryHighWater, NodeId};
    ///
    /// let mark = MemoryHighWater::new(NodeId::new(7));
    /// let ids = DurableGenerator::new(mark)?.with_drift(Drift::D0);
    /// assert_eq!(ids.next()?.drift(), Drift::D0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_drift(self, drift: Drift) -> Self {
        Self { drift, ..self }
    }

    /// Sets how far a stamp may lead the clock. Below 20 s, half of it is reserved at a time.
    /// `Duration::MAX` follows anything, also one bad ID to the end of time: the mark remembers.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, DurableGenerator, Guid, MemoryHighWater, NodeId, Stamp};
    ///
    /// let mark = MemoryHighWater::new(NodeId::new(7));
    /// let ids = DurableGenerator::new(mark)?.with_max_ahead(std::time::Duration::MAX);
    /// let hour = 3_600 * 125_000_000; // stamps
    /// let far = Stamp::from_u64(ids.next()?.stamp().as_u64() + hour)?;
    /// assert!(ids.observe(Guid::new(Drift::D3, NodeId::new(8), far)).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_max_ahead(self, max_ahead: Duration) -> Self {
        Self { max_ahead, ..self }
    }

    /// Returns the next ID.
    ///
    /// # Errors
    ///
    /// See [`DurableError`]; nothing is consumed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, MemoryHighWater, NodeId};
    ///
    /// let ids = DurableGenerator::new(MemoryHighWater::new(NodeId::new(7)))?;
    /// assert!(ids.next()? < ids.next()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next(&self) -> Result<Guid, DurableError> {
        Ok(Guid::new(self.drift, self.node, self.take(1)?.first()))
    }

    /// Fills a slice with the next IDs, by one clock read and one atomic step.
    ///
    /// # Errors
    ///
    /// See [`DurableError`]; nothing is consumed then, and the slice is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, Guid, MemoryHighWater, NodeId};
    ///
    /// let ids = DurableGenerator::new(MemoryHighWater::new(NodeId::new(7)))?;
    /// let mut slots = [Guid::ZERO; 100];
    /// ids.fill(&mut slots)?;
    /// assert!(slots.is_sorted_by(|a, b| a < b));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill(&self, ids: &mut [Guid]) -> Result<(), DurableError> {
        if !ids.is_empty() {
            let run = self.take(ids.len())?;
            write_run(ids, self.drift, self.node, run.first());
        }
        Ok(())
    }

    /// Sets the next `count` IDs aside, by one clock read and one atomic step.
    ///
    /// # Errors
    ///
    /// See [`DurableError`]; nothing is consumed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, MemoryHighWater, NodeId};
    ///
    /// let ids = DurableGenerator::new(MemoryHighWater::new(NodeId::new(7)))?;
    /// let last = ids.batch(1_000)?.last();
    /// assert!(last < Some(ids.next()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batch(&self, count: usize) -> Result<Batch, DurableError> {
        if count == 0 {
            return Ok(Batch::empty(self.drift, self.node));
        }
        Ok(Batch::new(self.drift, self.node, self.take(count)?, count))
    }

    /// Takes note of an ID from elsewhere: every ID made from here on is later in time order,
    /// after a restart too.
    ///
    /// # Errors
    ///
    /// See [`DurableError`]; the generator is unchanged then.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{ByTime, Drift, DurableGenerator, Guid, MemoryHighWater, NodeId};
    ///
    /// let ids = DurableGenerator::new(MemoryHighWater::new(NodeId::new(7)))?;
    /// let received = Guid::new(Drift::D3, NodeId::new(8), ids.next()?.stamp());
    /// ids.observe(received)?;
    /// assert!(ByTime(ids.next()?) > ByTime(received));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe(&self, id: Guid) -> Result<(), DurableError> {
        self.refuse_if_forked()?;
        let now = self.clock.unix_nanos();
        let known = self.word.last_and_gap();
        check_observed(id, self.node, known, now, self.max_ahead)?;
        let stamp = id.stamp().as_u64();
        if stamp > self.bound.load(Ordering::Acquire) {
            self.reserve(stamp)?;
        }
        self.word.jump(stamp);
        Ok(())
    }

    /// Stores a new bound if less than half of a reservation is left: called every few seconds,
    /// it keeps the calls that make IDs from ever waiting for a store.
    ///
    /// # Errors
    ///
    /// `Forked` or `HighWater`; what is reserved already can still be used after the latter.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, MemoryHighWater, NodeId};
    ///
    /// let ids = DurableGenerator::new(MemoryHighWater::new(NodeId::new(7)))?;
    /// ids.renew()?; // from a thread of its own, every few seconds
    /// assert!(ids.next()?.stamp() < ids.bound());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn renew(&self) -> Result<(), DurableError> {
        self.refuse_if_forked()?;
        let now = self.clock.unix_nanos();
        let soon = after(now, self.reservation() / 2).max(self.word.last());
        if soon >= self.bound.load(Ordering::Acquire) {
            self.reserve(soon.saturating_add(1).min(Stamp::MAX.as_u64()))?;
        }
        Ok(())
    }

    /// Takes the next run of stamps, below a bound that is stored.
    fn take(&self, count: usize) -> Result<Run, DurableError> {
        self.refuse_if_forked()?;
        let (mut now, mut stale) = (self.clock.unix_nanos(), true);
        loop {
            let bound = self.bound.load(Ordering::Acquire);
            let taken = self.word.advance(|last| {
                let run = checked_run(last, now, count as u64, self.max_ahead)?;
                if run.last > bound { Err(Stop::Beyond(run.last)) } else { Ok(run) }
            });
            match taken {
                Ok(run) => return Ok(run),
                // Since the clock was read, most of all while this call waited for a store, others
                // may have followed the clock: they lead the reading, not the clock.
                Err(Stop::Refused(_)) if stale => {
                    (now, stale) = (self.clock.unix_nanos(), false);
                }
                Err(Stop::Refused(error)) => return Err(error.into()),
                Err(Stop::Beyond(stamp)) => {
                    self.reserve(stamp)?;
                    stale = true;
                }
            }
        }
    }

    /// Stores a bound of at least `stamp`, unless another thread has done so by now.
    fn reserve(&self, stamp: u64) -> Result<(), HighWaterError> {
        // A store that panicked left the bound as it was: there is nothing to distrust.
        let mut high_water = self.high_water.lock().unwrap_or_else(PoisonError::into_inner);
        if self.bound.load(Ordering::Acquire) < stamp {
            // Read anew: a bound counted from before the wait for the lock may be past already.
            let bound = self.next_bound(stamp, self.clock.unix_nanos());
            high_water.store(bound)?;
            self.bound.store(bound.as_u64(), Ordering::Release);
        }
        Ok(())
    }

    /// A reservation ahead of the clock; where the stamp is beyond that, some slack ahead of it,
    /// within `max_ahead`. The stamp itself is within it already.
    fn next_bound(&self, stamp: u64, now: u64) -> Stamp {
        let beyond = |slack| after(Stamp::from_masked(stamp).unix_nanos(), slack);
        let slack = beyond(SLACK).min(after(now, self.max_ahead / 2));
        let least = beyond(LEAST_SLACK).min(after(now, self.max_ahead));
        Stamp::from_masked(after(now, self.reservation()).max(slack).max(least).max(stamp))
    }

    fn reservation(&self) -> Duration {
        RESERVATION.min(self.max_ahead / 2)
    }

    fn refuse_if_forked(&self) -> Result<(), DurableError> {
        if self.fork.forked() { Err(DurableError::Forked) } else { Ok(()) }
    }

    /// The node it writes under.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, ManualClock, MemoryHighWater, NodeId};
    ///
    /// let mark = MemoryHighWater::new(NodeId::new(7));
    /// let ids = DurableGenerator::on_clock(mark, ManualClock::new(1 << 60))?;
    /// assert_eq!(ids.node(), NodeId::new(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The last stamp issued or observed; after a restart, the bound that was loaded.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, ManualClock, MemoryHighWater, NodeId};
    ///
    /// let mark = MemoryHighWater::new(NodeId::new(7));
    /// let ids = DurableGenerator::on_clock(mark, ManualClock::new(1 << 60))?;
    /// let id = ids.next()?;
    /// assert_eq!(ids.last(), id.stamp());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn last(&self) -> Stamp {
        Stamp::from_masked(self.word.last())
    }

    /// The greatest stamp that may be used before a greater bound is stored.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, ManualClock, MemoryHighWater, NodeId};
    ///
    /// let mark = MemoryHighWater::new(NodeId::new(7));
    /// let ids = DurableGenerator::on_clock(mark, ManualClock::new(1 << 60))?;
    /// let id = ids.next()?;
    /// assert!(id.stamp() < ids.bound()); // stored before the ID was made
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bound(&self) -> Stamp {
        Stamp::from_masked(self.bound.load(Ordering::Acquire))
    }

    /// How far the last stamp leads the clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{DurableGenerator, MemoryHighWater, NodeId};
    ///
    /// let ids = DurableGenerator::new(MemoryHighWater::new(NodeId::new(7)))?;
    /// assert!(ids.lead().is_zero()); // no ID yet
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lead(&self) -> Duration {
        self.last().ahead_of(Stamp::from_unix_nanos(self.clock.unix_nanos()))
    }
}

/// The number of the first stamp this long after the tick of a moment: counted from the start of
/// the tick, as leads are, so that it leads the moment by no more than the duration.
fn after(nanos: u64, duration: Duration) -> u64 {
    let start = Tick::from_unix_nanos(nanos).unix_nanos();
    let duration = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    Stamp::from_unix_nanos(start.saturating_add(duration)).as_u64()
}

/// Why a run was not taken.
enum Stop {
    /// It ends with this stamp, beyond the bound.
    Beyond(u64),
    Refused(GenerateError),
}

impl From<GenerateError> for Stop {
    fn from(error: GenerateError) -> Self {
        Self::Refused(error)
    }
}

/// Why a durable generator refused. No stamp was consumed.
///
/// # Examples
///
/// ```
/// use guid_core::{DurableError, HighWaterError};
///
/// let error = DurableError::from(HighWaterError::Locked);
/// assert!(error.to_string().starts_with("the high-water file is in use"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DurableError {
    /// The stamp, or the ID observed, would lead the clock by more than `max_ahead`. If the clock
    /// was ahead and is right now, and waiting is no choice: take a new node with a new mark.
    Ahead {
        /// How far it would lead.
        by: Duration,
    },
    /// Not enough stamps are left before the end of time, in 2554.
    Exhausted,
    /// This process was forked off the one that owns the node. Make IDs there, or take a new node.
    Forked,
    /// A new bound could not be stored. The next call tries again.
    HighWater(HighWaterError),
    /// Somebody else writes under our node: see [`ObserveError::NodeCollision`].
    NodeCollision {
        /// The ID that we did not make.
        id: Guid,
    },
}

impl fmt::Display for DurableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ahead { by } => write!(f, "{by:?} ahead of the clock: expected less"),
            Self::Exhausted => GenerateError::Exhausted.fmt(f),
            Self::Forked => f.write_str("this process was forked off the one that owns the node"),
            Self::HighWater(error) => error.fmt(f),
            Self::NodeCollision { id } => ObserveError::NodeCollision { id: *id }.fmt(f),
        }
    }
}

impl Error for DurableError {}

impl From<GenerateError> for DurableError {
    fn from(error: GenerateError) -> Self {
        match error {
            GenerateError::Ahead { by } => Self::Ahead { by },
            GenerateError::Exhausted => Self::Exhausted,
        }
    }
}

impl From<ObserveError> for DurableError {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::Ahead { by } => Self::Ahead { by },
            ObserveError::NodeCollision { id } => Self::NodeCollision { id },
        }
    }
}

impl From<HighWaterError> for DurableError {
    fn from(error: HighWaterError) -> Self {
        Self::HighWater(error)
    }
}
