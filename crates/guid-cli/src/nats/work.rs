//! The worker: takes jobs, runs them, stores what they came to, and only then acknowledges them.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use async_nats::jetstream::{AckKind, Message, consumer::PullConsumer};
use futures_util::{StreamExt, future::try_join_all};
use guid_sim::sweep::{Sweep, SweepError};
use tokio::{
    task::spawn_blocking,
    time::{Instant, interval, sleep, timeout},
};

use super::{
    Deadly, Missing, PAUSE, Range, Server, WORKERS,
    streams::{own_stream, subject},
};
use crate::{
    cli::{Globals, Worker},
    lines::without_controls,
};

/// How long to wait for a job before looking whether there is still a sweep.
const FETCH: Duration = Duration::from_secs(2);
/// The most bytes of results in one message; a server takes a million, unless told otherwise.
const MESSAGE: usize = 256 << 10;
/// After so many workers that fell silent over a range of runs each of them is given out alone.
const MOST_TOGETHER: i64 = 3;
/// After so many that fell silent over one run it is said that it kills them.
const MOST_ALONE: i64 = 8;
/// A server that has lost its disk is empty until a collector comes back: for how long a server
/// must hold no sweep before a worker believes that all are done.
const DONE: Duration = Duration::from_secs(2);

/// Works until the sweeps of a server are done.
pub(crate) fn work(args: &Worker, globals: Globals) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Server::connect(&args.nats, globals).await?;
        let patience = server.patience;
        let at_work = AtWork {
            server,
            idle: Duration::from_nanos(args.idle),
            sweeps: Mutex::new(BTreeMap::new()),
            foreign: Mutex::new(BTreeSet::new()),
            seen: AtomicBool::new(false),
            runs: AtomicU64::new(0),
        };
        let all = || thread::available_parallelism().map_or(1, NonZero::get);
        let threads = args.threads.map_or_else(all, usize::from);
        try_join_all((0..threads).map(|number| at_work.slot(number))).await?;
        patience.tell(&format!("{} runs done", at_work.runs.load(Ordering::Relaxed)));
        Ok(())
    })
}

/// What the slots of a worker share.
struct AtWork {
    server: Server,
    idle: Duration,
    /// The sweeps that were worked for, by their IDs.
    sweeps: Mutex<BTreeMap<String, Arc<Sweep>>>,
    /// Sweeps that are for other workers, or are none.
    foreign: Mutex<BTreeSet<String>>,
    /// Whether there was any sweep yet.
    seen: AtomicBool,
    runs: AtomicU64,
}

impl AtWork {
    /// One job at a time, until there are none left.
    async fn slot(&self, number: usize) -> anyhow::Result<()> {
        let (mut idle_since, mut seen_last) = (Instant::now(), Instant::now());
        loop {
            let mut ids = self.going_on().await?;
            match &ids {
                Some(ids) if ids.is_empty() => {}
                Some(_) => {
                    self.seen.store(true, Ordering::Relaxed);
                    seen_last = Instant::now();
                }
                // Somebody will make it anew.
                None => seen_last = Instant::now(),
            }
            let done = self.seen.load(Ordering::Relaxed) && seen_last.elapsed() > DONE;
            if done || idle_since.elapsed() > self.idle {
                return Ok(());
            }
            let mut ids = ids.take().unwrap_or_default();
            // Of several sweeps each has its share of the slots.
            if !ids.is_empty() {
                let first = number % ids.len();
                ids.rotate_left(first);
            }
            let mut worked = false;
            for id in ids {
                match self.sweep(&id).await {
                    // It may be over, or come back: what goes on says so.
                    Err(error) if error.is::<Missing>() => {}
                    has_worked => worked |= has_worked?,
                }
            }
            if worked {
                idle_since = Instant::now();
            } else {
                sleep(PAUSE).await;
            }
        }
    }

    /// The sweeps that this worker can work for; none where the server has no stream of them.
    async fn going_on(&self) -> anyhow::Result<Option<Vec<String>>> {
        match self.server.going_on().await {
            Ok(mut ids) => {
                let foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
                ids.retain(|id| !foreign.contains(id));
                Ok(Some(ids))
            }
            Err(error) if error.is::<Missing>() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Works for a sweep while it has jobs; whether it had any.
    async fn sweep(&self, id: &str) -> anyhow::Result<bool> {
        let Some(sweep) = self.known(id).await? else { return Ok(false) };
        let name = own_stream("jobs", id).name;
        // A queue that is not there is one of a sweep that has just ended.
        let Ok(queue) = self.server.jetstream.get_consumer_from_stream(WORKERS, &name).await else {
            return Ok(false);
        };
        let queue: PullConsumer = queue;
        let ack_wait = queue.cached_info().config.ack_wait;
        let mut worked = false;
        while let Some(message) = next(&queue).await {
            self.job(id, &sweep, &message, ack_wait).await?;
            worked = true;
        }
        Ok(worked)
    }

    async fn job(
        &self,
        id: &str,
        sweep: &Arc<Sweep>,
        message: &Message,
        ack_wait: Duration,
    ) -> anyhow::Result<()> {
        let range = serde_json::from_slice::<Range>(&message.payload).ok();
        let Some(range) =
            range.filter(|range| range.first < range.end && range.end <= sweep.jobs())
        else {
            self.server.patience.tell("the queue holds what is no job: passed over");
            message.ack_with(AckKind::Term).await.ok();
            return Ok(());
        };
        let delivered = message.info().map_or(1, |info| info.delivered);
        let alone = range.end - range.first <= 1;
        if delivered > MOST_TOGETHER && !alone {
            self.split(id, &range).await?;
        } else if delivered > MOST_ALONE {
            self.say_deadly(id, &Deadly { deadly: range.first, workers: delivered - 1 }).await?;
        } else {
            let running = self.range(id, &range, Arc::clone(sweep));
            self.while_alive(running, message, ack_wait).await?;
        }
        // If this is lost the job is done again, and compared.
        timeout(super::ATTEMPT, message.double_ack()).await.ok();
        Ok(())
    }

    /// Gives out each run of a range alone: one of them may be what ends workers.
    async fn split(&self, id: &str, range: &Range) -> anyhow::Result<()> {
        for first in range.first..range.end {
            let text = serde_json::to_string(&Range { first, end: first + 1 })?;
            self.server.publish(&subject("jobs", id), &text).await?;
        }
        Ok(())
    }

    async fn say_deadly(&self, id: &str, deadly: &Deadly) -> anyhow::Result<()> {
        self.server.patience.tell(&format!(
            "run {} was given to {} workers, none of which finished it: it is left alone",
            deadly.deadly, deadly.workers
        ));
        self.server.publish(&subject("results", id), &serde_json::to_string(deadly)?).await
    }

    /// Runs a range and stores what it came to.
    async fn range(&self, id: &str, range: &Range, sweep: Arc<Sweep>) -> anyhow::Result<()> {
        let jobs = range.first..range.end;
        let run = move || jobs.map(|job| sweep.run_guarded(job).line()).collect::<Vec<String>>();
        let (subject, mut text) = (subject("results", id), String::new());
        for line in spawn_blocking(run).await? {
            if !text.is_empty() && text.len() + line.len() > MESSAGE {
                self.server.publish(&subject, &text).await?;
                text.clear();
            }
            text.push_str(&line);
            text.push('\n');
        }
        self.server.publish(&subject, &text).await?;
        self.runs.fetch_add(range.end.saturating_sub(range.first), Ordering::Relaxed);
        Ok(())
    }

    /// Waits for what runs, and says meanwhile that this worker is alive.
    async fn while_alive<T>(
        &self,
        running: impl Future<Output = T>,
        message: &Message,
        ack_wait: Duration,
    ) -> T {
        let mut running = std::pin::pin!(running);
        let mut beat = interval((ack_wait / 3).max(Duration::from_millis(100)));
        loop {
            tokio::select! {
                biased;
                done = &mut running => return done,
                _ = beat.tick() => {
                    // If this is lost the job may be done twice, and compared.
                    message.ack_with(AckKind::Progress).await.ok();
                }
            }
        }
    }

    /// The sweep of an ID; none if it is over, or is none.
    async fn known(&self, id: &str) -> anyhow::Result<Option<Arc<Sweep>>> {
        let known = self.sweeps.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let Some(announced) = self.server.announced(id).await? else { return Ok(None) };
        let sweep = match Sweep::parse(&announced.sweep) {
            Ok(sweep) if sweep.id() == id => Arc::new(sweep),
            not_ours => {
                let why = match not_ours {
                    Err(error @ SweepError::Version { .. }) => error.to_string(),
                    _ => "it is none, or another one".to_owned(),
                };
                let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
                if foreign.insert(id.to_owned()) {
                    let told = without_controls(&format!("sweep {id}: {why}: left alone"));
                    self.server.patience.tell(&told);
                }
                return Ok(None);
            }
        };
        let mut sweeps = self.sweeps.lock().unwrap_or_else(PoisonError::into_inner);
        sweeps.insert(id.to_owned(), Arc::clone(&sweep));
        Ok(Some(sweep))
    }
}

/// The next job, if one comes soon. Whatever goes wrong here shows again at the next request.
async fn next(queue: &PullConsumer) -> Option<Message> {
    let fetch = async {
        let mut batch = queue.fetch().max_messages(1).expires(FETCH).messages().await.ok()?;
        batch.next().await?.ok()
    };
    timeout(2 * FETCH, fetch).await.ok().flatten()
}
