//! Sweeps on many machines, over the streams of a NATS server.
//!
//! Three streams, shared by all sweeps on a server: what is swept (a message a sweep, there for as
//! long as the sweep goes on), the jobs (a work queue), the results. A message of jobs is a range;
//! it is acknowledged after its results are stored, and delivered again if that does not happen in
//! time. So a worker may die at any moment, and so may the collector and the server.
//!
//! # Invariants
//!
//! * What a job comes to does not depend on who did it: results that come twice are compared.
//! * The collector writes in the order of jobs. Its file and the streams are all that it knows:
//!   begun again, it goes on.

mod collect;
mod work;

use std::{
    fmt::Display,
    io::{self, Write},
    time::Duration,
};

use anyhow::{Context, anyhow};
use async_nats::{
    ConnectOptions,
    jetstream::{
        self,
        context::Context as JetStream,
        stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream},
    },
};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::{Globals, Nats};

pub(crate) use self::{collect::collect, work::work};

/// How long one request may take before it is made again.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How long to wait between two attempts.
const PAUSE: Duration = Duration::from_millis(300);

/// The one consumer that all workers share.
const WORKERS: &str = "workers";

/// Some jobs of a sweep, as they lie in the queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Range {
    sweep: String,
    first: u64,
    end: u64,
}

/// A server, and the three streams.
struct Server {
    jetstream: JetStream,
    sweeps: Stream,
    jobs: Stream,
    results: Stream,
    patience: Patience,
}

/// How long an absent server is waited for, and whether somebody is told.
#[derive(Clone, Copy, Debug)]
struct Patience {
    longest: Duration,
    quiet: bool,
}

impl Server {
    async fn connect(args: &Nats, globals: Globals) -> anyhow::Result<Self> {
        let url = args.url.as_deref().unwrap_or_default();
        let patience =
            Patience { longest: Duration::from_nanos(args.patience), quiet: globals.quiet };
        let client = options(args).await?.connect(url).await.map_err(|error| {
            // The address may hold a password: it is not repeated.
            anyhow!("cannot reach the NATS server: {error}")
        })?;
        let jetstream = jetstream::new(client);
        let create = async |config: Config| {
            let name = config.name.clone();
            let made = patience
                .wait(&name, async || jetstream.get_or_create_stream(config.clone()).await)
                .await;
            made.context("the server must have JetStream switched on (nats-server -js)")
        };
        let sweeps = create(Config { max_messages_per_subject: 1, ..stream("sweep") }).await?;
        let queue = Config { retention: RetentionPolicy::WorkQueue, ..stream("jobs") };
        let (jobs, results) = (create(queue).await?, create(stream("results")).await?);
        Ok(Self { jetstream, sweeps, jobs, results, patience })
    }

    /// Stores a message; it is stored when this returns, perhaps more than once.
    async fn publish(&self, kind: &str, sweep: &str, text: &str) -> anyhow::Result<()> {
        let subject = subject(kind, sweep);
        let publish = async || {
            let stored = self.jetstream.publish(subject.clone(), text.to_owned().into()).await?;
            stored.await
        };
        self.patience.wait("storing on the server", publish).await?;
        Ok(())
    }

    /// How many sweeps are going on.
    async fn going_on(&self) -> anyhow::Result<u64> {
        let info = async || self.sweeps.get_info().await;
        Ok(self.patience.wait("asking the server", info).await?.state.messages)
    }
}

impl Patience {
    /// Tries until it succeeds, or patience ends.
    async fn wait<T, E: Display>(
        self,
        what: &str,
        mut attempt: impl AsyncFnMut() -> Result<T, E>,
    ) -> anyhow::Result<T> {
        let begun = Instant::now();
        let mut told = false;
        loop {
            let error = match timeout(ATTEMPT, attempt()).await {
                Ok(Ok(done)) => {
                    if told {
                        self.tell("the server is back");
                    }
                    return Ok(done);
                }
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no answer".to_owned(),
            };
            if begun.elapsed() > self.longest {
                return Err(anyhow!("{what}: {error}: given up"));
            }
            if !told {
                self.tell(&format!("{what}: {error}: waiting for the server"));
                told = true;
            }
            sleep(PAUSE).await;
        }
    }

    fn tell(self, what: &str) {
        if !self.quiet {
            // Nobody is left to tell if this fails.
            writeln!(io::stderr(), "guid: {what}").ok();
        }
    }
}

async fn options(args: &Nats) -> anyhow::Result<ConnectOptions> {
    let mut options = ConnectOptions::new().name("guid");
    if let Some(path) = &args.creds {
        let read = options.credentials_file(path).await;
        options = read.with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.tls_ca {
        options = options.add_root_certificates(path.clone());
    }
    if let (Some(cert), Some(key)) = (&args.tls_cert, &args.tls_key) {
        options = options.add_client_certificate(cert.clone(), key.clone());
    }
    Ok(options)
}

fn stream(kind: &str) -> Config {
    Config {
        name: format!("guid-{kind}"),
        subjects: vec![format!("guid.{kind}.*")],
        storage: StorageType::File,
        // Full is an error that somebody sees, never the loss of what is old.
        discard: DiscardPolicy::New,
        ..Config::default()
    }
}

fn subject(kind: &str, sweep: &str) -> String {
    format!("guid.{kind}.{sweep}")
}
