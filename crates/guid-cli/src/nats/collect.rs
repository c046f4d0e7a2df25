//! The collector: puts jobs into the queue, and results into their order.

use std::time::Duration;

use anyhow::anyhow;
use async_nats::jetstream::{
    consumer::{AckPolicy, pull},
    stream::RawMessageErrorKind,
};
use guid_sim::sweep::{Accepted, Ordered, Outcome, Shard, Sweep};
use tokio::time::{Instant, sleep};

use super::{ATTEMPT, PAUSE, Range, Server, WORKERS, subject};
use crate::cli::{Globals, Nats};

/// How far jobs are handed out ahead of the oldest unfinished one: what waits for its turn is
/// bounded by that.
const AHEAD: u64 = 1 << 14;

/// Runs a sweep on the workers of a server, from a job on, and hands the lines over in order.
pub(crate) fn collect(
    args: &Nats,
    sweep: &Sweep,
    from: u64,
    globals: Globals,
    take: impl FnMut(&str, &Outcome) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Server::connect(args, globals).await?;
        let collector = Collector {
            server,
            sweep,
            chunk: u64::from(args.chunk),
            ack_wait: Duration::from_nanos(args.ack_wait),
            ordered: Ordered::new(Shard::WHOLE, from),
            published: from,
            read: 0,
            take,
        };
        collector.run().await
    })
}

struct Collector<'a, F> {
    server: Server,
    sweep: &'a Sweep,
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
        self.begin().await?;
        // What an earlier collector left is read before anything is done again.
        while self.read().await? {}
        let mut heard = Instant::now();
        while self.ordered.place() < self.sweep.jobs() {
            self.fill().await?;
            if self.read().await? {
                heard = Instant::now();
            } else if heard.elapsed() > 2 * self.ack_wait.max(ATTEMPT)
                && self.is_queue_empty().await?
            {
                self.server.patience.tell("jobs were lost on the server: they are given out again");
                self.published = self.ordered.place();
                heard = Instant::now();
            } else {
                sleep(PAUSE / 3).await;
            }
        }
        self.end().await
    }

    /// Says what is swept, and empties the queue of what an earlier collector put there.
    async fn begin(&self) -> anyhow::Result<()> {
        let (server, id) = (&self.server, self.sweep.id());
        let workers = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.ack_wait,
            max_ack_pending: -1,
            ..pull::Config::default()
        };
        let create = async || server.jobs.create_consumer(workers.clone()).await;
        server.patience.wait("setting the queue up", create).await?;
        self.purge("jobs").await?;
        server.publish("sweep", id, &self.sweep.definition()).await
    }

    async fn end(&self) -> anyhow::Result<()> {
        for kind in ["sweep", "jobs", "results"] {
            self.purge(kind).await?;
        }
        Ok(())
    }

    async fn purge(&self, kind: &str) -> anyhow::Result<()> {
        let server = &self.server;
        let (stream, subject) = match kind {
            "sweep" => (&server.sweeps, subject(kind, self.sweep.id())),
            "jobs" => (&server.jobs, subject(kind, self.sweep.id())),
            _ => (&server.results, subject(kind, self.sweep.id())),
        };
        let purge = async || stream.purge().filter(subject.as_str()).await;
        server.patience.wait("clearing a stream", purge).await?;
        Ok(())
    }

    async fn is_queue_empty(&self) -> anyhow::Result<bool> {
        let info = async || self.server.jobs.get_info().await;
        Ok(self.server.patience.wait("asking the server", info).await?.state.messages == 0)
    }

    /// Puts ranges of jobs into the queue, as far ahead as may be.
    async fn fill(&mut self) -> anyhow::Result<()> {
        let until = self.ordered.place().saturating_add(AHEAD).min(self.sweep.jobs());
        while self.published < until {
            let (first, end) =
                (self.published, (self.published + self.chunk).min(self.sweep.jobs()));
            if (first..end).any(|job| self.ordered.lacks(job)) {
                let range = Range { sweep: self.sweep.id().to_owned(), first, end };
                let text = serde_json::to_string(&range)?;
                self.server.publish("jobs", self.sweep.id(), &text).await?;
            }
            self.published = end;
        }
        Ok(())
    }

    /// Reads the next message of results, if there is one.
    async fn read(&mut self) -> anyhow::Result<bool> {
        let subject = subject("results", self.sweep.id());
        let next = async || {
            let results = &self.server.results;
            let asked = results.raw_message_builder().sequence(self.read + 1);
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
        let outcome = Outcome::parse(line)
            .map_err(|error| anyhow!("a worker sent what is no result: {error}"))?;
        let job = outcome.job;
        if job >= self.sweep.jobs() || (outcome.point, outcome.seed) != self.sweep.job(job) {
            return Err(anyhow!("a worker sent a result of run {job}, which is not of this sweep"));
        }
        match self.ordered.accept(job, line) {
            Accepted::Differs => Err(anyhow!(
                "run {job} came to one thing on one worker and to another on another one: a run \
                 is not deterministic, or the workers are of different builds"
            )),
            _ => Ok(()),
        }
    }
}
