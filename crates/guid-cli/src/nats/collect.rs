//! The collector: puts jobs into the queue, and results into their order.

use std::time::Duration;

use anyhow::anyhow;
use async_nats::jetstream::{
    consumer::{AckPolicy, pull},
    stream::{RawMessageErrorKind, Stream},
};
use guid_sim::sweep::{Accepted, Ordered, Outcome, Shard, Sweep};
use rand::RngExt;
use tokio::time::{Instant, sleep};

use super::{AGAIN, ATTEMPT, Announced, PAUSE, Range, Server, WORKERS, own_stream, subject};
use crate::cli::{Globals, Nats, Queue};

/// How far jobs are handed out ahead of the oldest unfinished one: what waits for its turn is
/// bounded by that.
const AHEAD: u64 = 1 << 14;

/// Runs a sweep on the workers of a server, from a job on, and hands the lines over in order.
pub(crate) fn collect(
    (nats, queue): (&Nats, &Queue),
    sweep: &Sweep,
    from: u64,
    globals: Globals,
    take: impl FnMut(&str, &Outcome) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Server::connect(nats, globals).await?;
        let ack_wait = Duration::from_nanos(queue.ack_wait);
        let (jobs, results) = begin(&server, sweep, ack_wait).await?;
        let collector = Collector {
            server,
            jobs,
            results,
            sweep,
            name: rand::rng().random::<u64>().to_string(),
            chunk: u64::from(queue.chunk),
            ack_wait,
            ordered: Ordered::new(Shard::WHOLE, from),
            published: from,
            read: 0,
            take,
        };
        collector.run().await
    })
}

/// The streams of a sweep, with an empty queue: what an earlier collector put there is done again
/// if it is not among the results.
async fn begin(
    server: &Server,
    sweep: &Sweep,
    ack_wait: Duration,
) -> anyhow::Result<(Stream, Stream)> {
    let make = async |kind: &str| {
        let config = own_stream(kind, sweep.id());
        let made = async || server.jetstream.get_or_create_stream(config.clone()).await;
        server.patience.wait("making a stream", made).await
    };
    let (jobs, results) = (make("jobs").await?, make("results").await?);
    let workers = pull::Config {
        durable_name: Some(WORKERS.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_ack_pending: -1,
        ..pull::Config::default()
    };
    let create = async || jobs.create_consumer(workers.clone()).await;
    server.patience.wait("setting the queue up", create).await?;
    let purge = async || jobs.purge().await;
    server.patience.wait("emptying the queue", purge).await?;
    Ok((jobs, results))
}

struct Collector<'a, F> {
    server: Server,
    jobs: Stream,
    results: Stream,
    sweep: &'a Sweep,
    /// A name that no other collector bears.
    name: String,
    chunk: u64,
    ack_wait: Duration,
    ordered: Ordered,
    /// Up to which job the queue was filled.
    published: u64,
    /// The sequence number of the last message of results that was read.
    read: u64,
    take: F,
}

impl<F: FnMut(&str, &Outcome) -> anyhow::Result<()>> Collector<'_, F> {
    async fn run(mut self) -> anyhow::Result<()> {
        self.announce().await?;
        // What an earlier collector left is read before anything is done again.
        while self.read().await? {}
        let (mut heard, mut said) = (Instant::now(), Instant::now());
        while self.ordered.place() < self.sweep.jobs() {
            if said.elapsed() > AGAIN {
                self.refuse_other().await?;
                self.announce().await?;
                said = Instant::now();
            }
            self.fill().await?;
            if self.read().await? {
                heard = Instant::now();
                continue;
            }
            if heard.elapsed() > 2 * self.ack_wait.max(ATTEMPT) {
                self.refuse_other().await?;
                if self.is_queue_empty().await? {
                    let lost = "jobs were lost on the server: they are given out again";
                    self.server.patience.tell(lost);
                    self.published = self.ordered.place();
                }
                heard = Instant::now();
            }
            sleep(PAUSE / 3).await;
        }
        self.end().await
    }

    async fn announce(&self) -> anyhow::Result<()> {
        let (collector, sweep) = (self.name.clone(), self.sweep.definition());
        let text = serde_json::to_string(&Announced { collector, sweep })?;
        self.server.publish(&subject("sweep", self.sweep.id()), &text).await
    }

    /// Of two collectors of one sweep the later one goes on.
    async fn refuse_other(&self) -> anyhow::Result<()> {
        match self.server.announced(self.sweep.id()).await? {
            Some(last) if last.collector != self.name => Err(super::unreachable(
                "another collector of this sweep has begun: it goes on, and this one ends",
            )),
            _ => Ok(()),
        }
    }

    /// The sweep is over: its streams go, and workers find no more of it.
    async fn end(&self) -> anyhow::Result<()> {
        self.refuse_other().await?;
        let Server { jetstream, sweeps, patience, .. } = &self.server;
        let over = subject("sweep", self.sweep.id());
        let purge = async || sweeps.purge().filter(over.as_str()).await;
        patience.wait("ending the sweep", purge).await?;
        for kind in ["jobs", "results"] {
            let name = own_stream(kind, self.sweep.id()).name;
            // It may have gone already: then nothing is left to do.
            jetstream.delete_stream(&name).await.ok();
        }
        Ok(())
    }

    async fn is_queue_empty(&self) -> anyhow::Result<bool> {
        let info = async || self.jobs.get_info().await;
        Ok(self.server.patience.wait("asking the server", info).await?.state.messages == 0)
    }

    /// Puts ranges of jobs into the queue, as far ahead as may be.
    async fn fill(&mut self) -> anyhow::Result<()> {
        let until = self.ordered.place().saturating_add(AHEAD).min(self.sweep.jobs());
        while self.published < until {
            let first = self.published;
            let end = (first + self.chunk).min(self.sweep.jobs());
            if (first..end).any(|job| self.ordered.lacks(job)) {
                let text = serde_json::to_string(&Range { first, end })?;
                self.server.publish(&subject("jobs", self.sweep.id()), &text).await?;
            }
            self.published = end;
        }
        Ok(())
    }

    /// Reads the next message of results, if there is one.
    async fn read(&mut self) -> anyhow::Result<bool> {
        let subject = subject("results", self.sweep.id());
        let next = async || {
            let asked = self.results.raw_message_builder().sequence(self.read + 1);
            match asked.next_by_subject(subject.as_str()).send().await {
                Ok(message) => Ok(Some(message)),
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(error),
            }
        };
        let message = self.server.patience.wait("reading results", next).await?;
        let Some(message) = message else { return Ok(false) };
        self.read = message.sequence;
        let text = String::from_utf8_lossy(&message.payload).into_owned();
        for line in text.lines() {
            self.accept(line)?;
        }
        while let Some((_, line)) = self.ordered.pop() {
            let outcome = Outcome::parse(&line).map_err(|error| anyhow!("{error}"))?;
            (self.take)(&line, &outcome)?;
        }
        Ok(true)
    }

    fn accept(&mut self, line: &str) -> anyhow::Result<()> {
        let known = Outcome::parse(line).ok().filter(|outcome| {
            let Outcome { job, point, seed, .. } = outcome;
            *job < self.sweep.jobs() && (*point, *seed) == self.sweep.job(*job)
        });
        let Some(outcome) = known else {
            // No worker of ours wrote it: the job it may stand for is still to be done.
            self.server.patience.tell("the stream of results holds what is no result: passed over");
            return Ok(());
        };
        let job = outcome.job;
        match self.ordered.accept(job, line) {
            Accepted::Differs => Err(anyhow!(
                "run {job} came to one thing on one worker and to another on another one: a run \
                 is not deterministic, or the workers are of different builds"
            )),
            _ => Ok(()),
        }
    }
}
