//! A sweep on the processors of this machine.
//!
//! # Invariants
//!
//! * Jobs are handed out in order, and no further ahead of the oldest unfinished one than a window:
//!   what waits to go out is bounded, however uneven the jobs.
//! * Outcomes are given to the caller in order, on the caller's thread.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
    thread,
};

use super::{Outcome, Shard, Sweep};

/// How far the processors may run ahead of the oldest unfinished job, for each of them.
const AHEAD: u64 = 256;

/// Who gets which job.
struct Counter {
    state: Mutex<State>,
    moved: Condvar,
    ahead: u64,
    end: u64,
}

struct State {
    /// The place of the job that is handed out next.
    next: u64,
    /// The place of the one that goes out next.
    going: u64,
    stopped: bool,
}

impl Counter {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Three numbers: they are as they should be, whoever panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a job that nobody has, as soon as it may be begun; none when all are taken.
    fn take(&self) -> Option<u64> {
        let mut state = self.lock();
        while !state.stopped && state.next < self.end && state.next >= state.going + self.ahead {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.stopped || state.next >= self.end {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    fn gone(&self, going: u64) {
        self.lock().going = going;
        self.moved.notify_all();
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.moved.notify_all();
    }
}

impl Sweep {
    /// Runs the jobs of a shard from a place in it on, on so many threads, and hands what they came
    /// to over in the order of jobs. An error of `take` ends it.
    ///
    /// # Errors
    ///
    /// What `take` returned.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::sweep::{Shard, Sweep};
    ///
    /// let sweep = Sweep::new("scenario.duration = \"1s\"", &[], &[], Some(0..10))?;
    /// let mut seeds = Vec::new();
    /// sweep.run_from(Shard::WHOLE, 0, 2, |outcome| {
    ///     seeds.push(outcome.seed);
    ///     Ok::<(), ()>(())
    /// });
    /// assert_eq!(seeds, (0..10).collect::<Vec<_>>());
    /// # Ok::<(), guid_sim::sweep::SweepError>(())
    /// ```
    pub fn run_from<E>(
        &self,
        shard: Shard,
        place: u64,
        threads: usize,
        mut take: impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let (threads, end) = (threads.max(1), shard.jobs(self.jobs()));
        let counter = Counter {
            state: Mutex::new(State { next: place, going: place, stopped: false }),
            moved: Condvar::new(),
            ahead: AHEAD * threads as u64,
            end,
        };
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..threads {
                let (counter, sender) = (&counter, sender.clone());
                scope.spawn(move || self.work(counter, shard, &sender));
            }
            drop(sender);
            let (mut waiting, mut next) = (BTreeMap::new(), place);
            for outcome in receiver {
                waiting.insert(outcome.job, outcome);
                while let Some(outcome) = waiting.remove(&shard.job(next)) {
                    if let Err(error) = take(outcome) {
                        counter.stop();
                        return Err(error);
                    }
                    next += 1;
                    counter.gone(next);
                }
            }
            Ok(())
        })
    }

    fn work(&self, counter: &Counter, shard: Shard, out: &Sender<Outcome>) {
        while let Some(place) = counter.take() {
            let job = shard.job(place);
            // Nobody is left to tell if this fails.
            if out.send(self.run_guarded(job)).is_err() {
                return;
            }
        }
    }

    /// Runs a job; a panic, which would be a fault of the simulator, ends that job alone.
    pub fn run_guarded(&self, job: u64) -> Outcome {
        catch_unwind(AssertUnwindSafe(|| self.run(job))).unwrap_or_else(|_| {
            let (point, seed) = self.job(job);
            let error = Some(String::from("the simulator panicked: please report this"));
            Outcome::given_up(job, (point, seed), self.settings(point as usize), error)
        })
    }
}
