//! The worker: takes jobs, runs them, stores what they came to, and only then acknowledges them.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::anyhow;
use async_nats::jetstream::{
    AckKind, Message,
    consumer::{PullConsumer, pull},
    stream::RawMessageErrorKind,
};
use futures_util::{StreamExt, future::try_join_all};
use guid_sim::sweep::Sweep;
use tokio::{
    task::spawn_blocking,
    time::{Instant, interval, sleep, timeout},
};

use super::{PAUSE, Range, Server, WORKERS, subject};
use crate::cli::{Globals, Worker};

/// How long to wait for a job before looking whether there is still a sweep.
const FETCH: Duration = Duration::from_secs(2);
/// The most bytes of results in one message; a server takes a million, unless told otherwise.
const MESSAGE: usize = 256 << 10;
/// So many workers may fall silent over a range of jobs before it is said that it kills them.
const MOST_DELIVERIES: i64 = 8;

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
            seen: AtomicBool::new(false),
            runs: AtomicU64::new(0),
        };
        let all = || thread::available_parallelism().map_or(1, NonZero::get);
        let threads = args.threads.map_or_else(all, usize::from);
        try_join_all((0..threads).map(|_| at_work.slot())).await?;
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
    /// Whether there was any sweep yet.
    seen: AtomicBool,
    runs: AtomicU64,
}

impl AtWork {
    /// One job at a time, until there are none left.
    async fn slot(&self) -> anyhow::Result<()> {
        let mut idle_since = Instant::now();
        loop {
            // The queue is there when a sweep is; afterwards it stays.
            if let Some((queue, ack_wait)) = self.queue().await?
                && let Some(message) = next(&queue).await
            {
                self.job(&message, ack_wait).await?;
                idle_since = Instant::now();
                continue;
            }
            let going_on = self.server.going_on().await? > 0;
            self.seen.fetch_or(going_on, Ordering::Relaxed);
            let done = self.seen.load(Ordering::Relaxed) && !going_on;
            if done || idle_since.elapsed() > self.idle {
                return Ok(());
            }
            sleep(PAUSE).await;
        }
    }

    /// The queue, and how long a job may take before it is given to another worker.
    async fn queue(&self) -> anyhow::Result<Option<(PullConsumer, Duration)>> {
        let get = async || match self.server.jobs.get_consumer::<pull::Config>(WORKERS).await {
            Ok(queue) => Ok(Some(queue)),
            Err(error) if error.to_string().contains("not found") => Ok(None),
            Err(error) => Err(error),
        };
        let queue = self.server.patience.wait("looking for jobs", get).await?;
        Ok(queue.map(|queue| {
            let ack_wait = queue.cached_info().config.ack_wait;
            (queue, ack_wait)
        }))
    }

    async fn job(&self, message: &Message, ack_wait: Duration) -> anyhow::Result<()> {
        let range: Range = serde_json::from_slice(&message.payload)
            .map_err(|error| anyhow!("the queue holds what is no job: {error}"))?;
        let delivered = message.info().map_or(1, |info| info.delivered);
        if delivered > MOST_DELIVERIES {
            return Err(anyhow!(
                "runs {} to {} were given to {delivered} workers, none of which finished them: \
                 they take longer than --ack-wait without a pause, or more memory than there is",
                range.first,
                range.end
            ));
        }
        match self.sweep(&range.sweep).await {
            // The sweep is over: its jobs were done by others.
            Ok(None) => {}
            Ok(Some(sweep)) => self.range(&range, sweep, message, ack_wait).await?,
            Err(error) => {
                // Another worker may be of the right version.
                message.ack_with(AckKind::Nak(None)).await.ok();
                return Err(error);
            }
        }
        // If this is lost the job is done again, and compared.
        timeout(super::ATTEMPT, message.double_ack()).await.ok();
        Ok(())
    }

    /// Runs a range and stores what it came to.
    async fn range(
        &self,
        range: &Range,
        sweep: Arc<Sweep>,
        message: &Message,
        ack_wait: Duration,
    ) -> anyhow::Result<()> {
        let jobs = range.first..range.end.min(sweep.jobs());
        let count = jobs.clone().count() as u64;
        let running =
            spawn_blocking(move || jobs.map(|job| sweep.run_guarded(job).line()).collect());
        let lines: Vec<String> = self.while_alive(running, message, ack_wait).await?;
        let mut text = String::new();
        for line in lines {
            if !text.is_empty() && text.len() + line.len() > MESSAGE {
                self.server.publish("results", &range.sweep, &text).await?;
                text.clear();
            }
            text.push_str(&line);
            text.push('\n');
        }
        self.server.publish("results", &range.sweep, &text).await?;
        self.runs.fetch_add(count, Ordering::Relaxed);
        Ok(())
    }

    /// Waits for what runs, and says meanwhile that this worker is alive.
    async fn while_alive<T>(
        &self,
        mut running: tokio::task::JoinHandle<T>,
        message: &Message,
        ack_wait: Duration,
    ) -> anyhow::Result<T> {
        let mut beat = interval((ack_wait / 3).max(Duration::from_millis(100)));
        loop {
            tokio::select! {
                biased;
                done = &mut running => return Ok(done?),
                _ = beat.tick() => {
                    // If this is lost the job may be done twice, and compared.
                    message.ack_with(AckKind::Progress).await.ok();
                }
            }
        }
    }

    /// The sweep of an ID; none if it is over.
    async fn sweep(&self, id: &str) -> anyhow::Result<Option<Arc<Sweep>>> {
        let known = self.sweeps.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let subject = subject("sweep", id);
        let get = async || match self.server.sweeps.get_last_raw_message_by_subject(&subject).await
        {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(error),
        };
        let message = self.server.patience.wait("reading what is swept", get).await?;
        let Some(message) = message else { return Ok(None) };
        self.seen.store(true, Ordering::Relaxed);
        let sweep = Arc::new(Sweep::parse(&String::from_utf8_lossy(&message.payload))?);
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
