//! Runs, a few at a time, each within its bounds.
//!
//! A run is stopped when its time is up, when the process has grown too large, when nobody waits
//! for it any more, and when the server ends; a flag tells it, which it looks at before each step.

use std::{
    fmt, fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use guid_sim::{RunError, Scenario};
use tokio::{sync::Semaphore, task::spawn_blocking, time};

use crate::cli::Serve;

/// So many may wait for their turn, and so long.
const WAITING: usize = 64;
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How often a run is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The process may grow to this, in KiB: beyond it runs are stopped.
const MOST_KIB: u64 = 3 << 20;

#[derive(Debug)]
pub(super) struct Work {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    max_events: u64,
    longest: Duration,
    ending: AtomicBool,
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Failed {
    /// Too many wait already.
    Busy,
    /// The run came to nothing, and says why.
    Run(String),
    /// It took too long.
    TooLong(Duration),
    /// It grew too large.
    TooLarge,
    /// A mistake of ours.
    Broken,
}

impl Failed {
    pub(super) const fn status(&self) -> StatusCode {
        match self {
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Run(_) | Self::TooLong(_) | Self::TooLarge => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// When to come back, if it is worth it.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if matches!(self, Self::Busy) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
        }
        headers
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("too many runs are waiting: try again in some seconds"),
            Self::Run(why) => f.write_str(why),
            Self::TooLong(longest) => {
                let seconds = longest.as_secs();
                write!(f, "the run was given up after {seconds} s: lower a rate or the duration")
            }
            Self::TooLarge => f.write_str("the run was given up, as memory ran short"),
            Self::Broken => f.write_str("the run broke off: please report this"),
        }
    }
}

/// Sets its flag when it goes: nobody waits any more.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Counts one who waits.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Option<Self> {
        let waiting = Self(count);
        let before = count.fetch_add(1, Ordering::Relaxed);
        (before < WAITING).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Work {
    pub(super) fn new(asked: &Serve) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(asked.max_runs.into())),
            waiting: AtomicUsize::new(0),
            max_events: asked.max_events,
            longest: Duration::from_secs(asked.max_seconds),
            ending: AtomicBool::new(false),
        }
    }

    /// Stops what goes on, and whatever comes.
    pub(super) fn stop(&self) {
        self.ending.store(true, Ordering::Relaxed);
        self.turns.close();
    }

    /// Does something with a scenario that is bounded, when it is its turn.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        scenario: Scenario,
        job: impl FnOnce(&Scenario) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, Failed> {
        let turn = {
            let _waiting = Waiting::new(&self.waiting).ok_or(Failed::Busy)?;
            let turn = time::timeout(LONGEST_WAIT, Arc::clone(&self.turns).acquire_owned()).await;
            turn.map_err(|_| Failed::Busy)?.map_err(|_| Failed::Busy)?
        };
        let stop = Stop(Arc::default());
        let scenario = scenario.with_max_events(self.max_events).stopped_by(Arc::clone(&stop.0));
        let mut task = spawn_blocking(move || {
            let done = job(&scenario);
            // The turn is over when the work is, whoever still waits for it.
            drop(turn);
            done
        });
        let (began, mut why) = (now(), None);
        let done = loop {
            match time::timeout(LOOK_EVERY, &mut task).await {
                Ok(done) => break done,
                Err(_) => why = why.or_else(|| self.enough(began)),
            }
            if why.is_some() {
                stop.0.store(true, Ordering::Relaxed);
            }
        };
        match done {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => match error.downcast_ref::<RunError>() {
                Some(RunError::Stopped) => Err(why.unwrap_or(Failed::Busy)),
                _ => Err(Failed::Run(format!("{error:#}"))),
            },
            Err(_) => Err(Failed::Broken),
        }
    }

    /// Why a run must end, if it must.
    fn enough(&self, began: Instant) -> Option<Failed> {
        if self.ending.load(Ordering::Relaxed) {
            Some(Failed::Busy)
        } else if began.elapsed() > self.longest {
            Some(Failed::TooLong(self.longest))
        } else if resident_kib().is_some_and(|kib| kib > MOST_KIB) {
            Some(Failed::TooLarge)
        } else {
            None
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "whoever waits does so in real time")]
fn now() -> Instant {
    Instant::now()
}

/// The memory of this process, where the system tells.
fn resident_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
