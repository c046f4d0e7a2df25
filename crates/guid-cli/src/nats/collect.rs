//! The collector: puts jobs into the queue, and results into their order.

use std::time::Duration;

use anyhow::anyhow;
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};
use guid_sim::sweep::{Accepted, Ordered, Outcome, Shard, Sweep};
use rand::RngExt;
use tokio::time::{Instant, sleep};

use super::{
    AGAIN, ATTEMPT, Announced, Deadly, Missing, PAUSE, Range, Server, WORKERS,
    streams::{announcements, own_stream, subject, workers},
};
use crate::{
    cli::{Globals, Nats, Queue},
    lines::without_controls,
};

/// How far jobs are handed out ahead of the oldest unfinished one: what waits for its turn is
/// bounded by that.
const AHEAD: u64 = 1 << 14;
/// After such a silence it looks who is there.
const SILENCE: Duration = Duration::from_secs(5);

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
            believes: false,
            alone: false,
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
    let create = async || jobs.create_consumer(workers(ack_wait)).await;
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
    /// Whether what workers say of a deadly run is of this collector's time.
    believes: bool,
    /// Whether it was said that nobody works.
    alone: bool,
    take: F,
}

impl<F: FnMut(&str, &Outcome) -> anyhow::Result<()>> Collector<'_, F> {
    async fn run(mut self) -> anyhow::Result<()> {
        loop {
            match self.go_on().await {
                Err(error) if error.is::<Missing>() => self.make_anew().await?,
                ended => break ended?,
            }
        }
        self.end().await
    }

    /// Collects until nothing is left, or a stream is missing.
    async fn go_on(&mut self) -> anyhow::Result<()> {
        self.announce().await?;
        // What an earlier collector left is read before anything is done again. What its workers
        // died of may have been their fault, or their hosts': it is tried again.
        self.believes = false;
        while self.read().await? {}
        self.believes = true;
        let (mut heard, mut looked, mut said) = (Instant::now(), Instant::now(), Instant::now());
        while self.ordered.place() < self.sweep.jobs() {
            if said.elapsed() > AGAIN {
                self.refuse_other().await?;
                self.announce().await?;
                said = Instant::now();
            }
            self.fill().await?;
            if self.read().await? {
                (heard, looked, self.alone) = (Instant::now(), Instant::now(), false);
                continue;
            }
            if looked.elapsed() > SILENCE {
                self.refuse_other().await?;
                self.look_for_workers().await?;
                looked = Instant::now();
            }
            if heard.elapsed() > 2 * self.ack_wait.max(ATTEMPT) {
                if self.is_queue_empty().await? {
                    let lost = "jobs were lost on the server: they are given out again";
                    self.server.patience.tell(lost);
                    self.published = self.ordered.place();
                }
                heard = Instant::now();
            }
            sleep(PAUSE / 3).await;
        }
        Ok(())
    }

    /// The streams of this sweep are gone: another collector has ended it, or the server has lost
    /// its disk. Then they are made anew, and what is not in the file is given out again.
    async fn make_anew(&mut self) -> anyhow::Result<()> {
        let made = async || self.server.jetstream.get_or_create_stream(announcements()).await;
        let sweeps = self.server.patience.wait("making a stream", made).await?;
        let is_same = sweeps.cached_info().created == self.server.sweeps.cached_info().created;
        self.server.sweeps = sweeps;
        self.refuse_other().await?;
        if is_same && self.server.announced(self.sweep.id()).await?.is_none() {
            return Err(super::unreachable(
                "another collector of this sweep has ended it: its file has all results",
            ));
        }
        self.server.patience.tell("the server has lost its streams: they are made anew");
        self.announce().await?;
        (self.jobs, self.results) = begin(&self.server, self.sweep, self.ack_wait).await?;
        (self.published, self.read) = (self.ordered.place(), 0);
        Ok(())
    }

    /// Says once that nobody works: who waits for nothing should know.
    async fn look_for_workers(&mut self) -> anyhow::Result<()> {
        let info = async || self.jobs.consumer_info(WORKERS).await;
        let info = self.server.patience.wait("asking the server", info).await?;
        if info.num_waiting == 0 && info.num_ack_pending == 0 && !self.alone {
            self.alone = true;
            let told = "no worker yet: `guid sim worker --nats URL` is one, on any machine";
            self.server.patience.tell(told);
        }
        Ok(())
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
        match self.refuse_other().await {
            Err(error) if !error.is::<Missing>() => return Err(error),
            _ => {}
        }
        let Server { jetstream, sweeps, patience, .. } = &self.server;
        let over = subject("sweep", self.sweep.id());
        let purge = async || sweeps.purge().filter(over.as_str()).await;
        match patience.wait("ending the sweep", purge).await {
            // Then nothing says any more that it goes on.
            Err(error) if !error.is::<Missing>() => return Err(error),
            _ => {}
        }
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
            match serde_json::from_str::<Deadly>(line) {
                Ok(deadly) => self.refuse_deadly(&deadly)?,
                Err(_) => self.accept(line)?,
            }
        }
        while let Some((_, line)) = self.ordered.pop() {
            let outcome = Outcome::parse(&line).map_err(|error| anyhow!("{error}"))?;
            (self.take)(&line, &outcome)?;
        }
        Ok(true)
    }

    /// A run that workers died of one after the other ends the sweep: to give up on it would make
    /// what comes out depend on where it ran.
    fn refuse_deadly(&self, found: &Deadly) -> anyhow::Result<()> {
        let &Deadly { deadly: run, workers } = found;
        if !self.believes || run >= self.sweep.jobs() || !self.ordered.lacks(run) {
            return Ok(());
        }
        let (point, seed) = self.sweep.job(run);
        let settings = usize::try_from(point).map_or(&[][..], |point| self.sweep.settings(point));
        let set = settings.iter().map(|(key, value)| format!(" --set {key}={value}"));
        Err(super::unreachable(&without_controls(&format!(
            "run {run} was given to {workers} workers, none of which finished it: is there memory \
             enough? `guid sim run{} --seed {seed}` is that run alone. This command, typed again, \
             goes on, and tries it again",
            set.collect::<String>()
        ))))
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
