//! Sweeps on many machines, over the streams of a NATS server.
//!
//! One stream says what is swept: a message a sweep, said again while its collector lives, and gone
//! some minutes after the last time. Each sweep has two streams of its own: its jobs (a work queue)
//! and its results. A message of jobs is a range; it is acknowledged after its results are stored,
//! and delivered again if that does not happen in time. So a worker may die at any moment, and so
//! may the collector and the server.
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
    ConnectErrorKind, ConnectOptions, ServerAddr,
    jetstream::{
        self,
        context::Context as JetStream,
        stream::{
            Config, DiscardPolicy, RawMessageErrorKind, RetentionPolicy, StorageType, Stream,
        },
    },
};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::{Globals, Nats};

pub(crate) use self::{collect::collect, work::work};

/// How long one request may take before it is made again.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How long to wait between two attempts.
const PAUSE: Duration = Duration::from_millis(300);

/// For how long a sweep goes on of whose collector nothing is heard, and how often it says so.
const ANNOUNCED: Duration = Duration::from_secs(600);
const AGAIN: Duration = Duration::from_secs(60);
/// For how long results are kept for a collector that is begun again.
const ABANDONED: Duration = Duration::from_secs(30 * 86_400);

/// The one consumer that all workers share.
const WORKERS: &str = "workers";

/// Some jobs of a sweep, as they lie in its queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Range {
    first: u64,
    end: u64,
}

/// A sweep that goes on, as its collector says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Announced {
    /// Who collects: of two collectors of one sweep the later one goes on.
    collector: String,
    sweep: String,
}

/// A server, and the stream of what is swept.
struct Server {
    jetstream: JetStream,
    sweeps: Stream,
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
        let url = args.url().unwrap_or_default();
        let patience =
            Patience { longest: Duration::from_nanos(args.patience), quiet: globals.quiet };
        let options = options(args, &url).await?;
        let connect = async || match options.clone().connect(url.as_str()).await {
            Ok(client) => Ok(Ok(client)),
            // A server that is not there may come.
            Err(error)
                if matches!(error.kind(), ConnectErrorKind::Io | ConnectErrorKind::TimedOut) =>
            {
                Err(error)
            }
            Err(error) => Ok(Err(error)),
        };
        let client = patience.wait("cannot reach the NATS server", connect).await?;
        // The address may hold a password: it is not repeated.
        let client = client
            .map_err(|error| unreachable(&format!("cannot reach the NATS server: {error}")))?;
        let jetstream = jetstream::new(client);
        let config = Config {
            max_messages_per_subject: 1,
            max_age: ANNOUNCED,
            subjects: vec!["guid.sweep.*".to_owned()],
            ..stream("guid-sweep")
        };
        let soon = Patience { longest: ATTEMPT, quiet: true };
        let create = async || jetstream.get_or_create_stream(config.clone()).await;
        let sweeps = soon.wait("making a stream", create).await;
        let sweeps =
            sweeps.context("the server must have JetStream switched on (nats-server -js)")?;
        Ok(Self { jetstream, sweeps, patience })
    }

    /// Stores a message; it is stored when this returns, perhaps more than once.
    async fn publish(&self, subject: &str, text: &str) -> anyhow::Result<()> {
        let publish = async || {
            let stored = self.jetstream.publish(subject.to_owned(), text.to_owned().into()).await?;
            stored.await
        };
        self.patience.wait("storing on the server", publish).await?;
        Ok(())
    }

    /// What a collector said last of its sweep; none if it is over.
    async fn announced(&self, sweep: &str) -> anyhow::Result<Option<Announced>> {
        let subject = subject("sweep", sweep);
        let get = async || match self.sweeps.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(error),
        };
        let message = self.patience.wait("reading what is swept", get).await?;
        // What is no announcement was put there by somebody else.
        Ok(message.and_then(|message| serde_json::from_slice(&message.payload).ok()))
    }

    /// The IDs of the sweeps that go on.
    async fn going_on(&self) -> anyhow::Result<Vec<String>> {
        let info = async || {
            let info = self.sweeps.info_builder().subjects("guid.sweep.*").fetch().await?;
            info.map_ok(|(subject, _)| subject).try_collect::<Vec<String>>().await
        };
        let subjects = self.patience.wait("asking the server", info).await?;
        let ids = subjects.iter().filter_map(|subject| subject.strip_prefix("guid.sweep."));
        let mut ids: Vec<String> = ids.map(str::to_owned).collect();
        ids.sort_unstable();
        Ok(ids)
    }
}

/// An error of reading or writing, as far as the exit code goes.
fn unreachable(message: &str) -> anyhow::Error {
    io::Error::other(message.to_owned()).into()
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
                return Err(unreachable(&format!("{what}: {error}: given up")));
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

async fn options(args: &Nats, url: &str) -> anyhow::Result<ConnectOptions> {
    let mut options = ConnectOptions::new().name("guid");
    // The client leaves the user in the address alone.
    let address = url.parse::<ServerAddr>();
    if let Ok(address) = &address
        && let (Some(user), Some(password)) = (address.username(), address.password())
    {
        options = options.user_and_password(decoded(user)?, decoded(password)?);
    }
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

/// A part of an address without its percent signs.
fn decoded(text: &str) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%').map(str::from_utf8);
        let byte = digits.and_then(|digits| u8::from_str_radix(digits.ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).map_err(|_| anyhow!("the user in the address is not UTF-8 text"))
}

fn stream(name: &str) -> Config {
    Config {
        name: name.to_owned(),
        storage: StorageType::File,
        // Full is an error that somebody sees, never the loss of what is old.
        discard: DiscardPolicy::New,
        ..Config::default()
    }
}

/// The stream of a sweep's jobs, or of its results.
fn own_stream(kind: &str, sweep: &str) -> Config {
    let retention = match kind {
        "jobs" => RetentionPolicy::WorkQueue,
        _ => RetentionPolicy::Limits,
    };
    Config {
        retention,
        subjects: vec![subject(kind, sweep)],
        // Of a sweep that nobody ever goes on with.
        max_age: ABANDONED,
        ..stream(&format!("guid-{kind}-{sweep}"))
    }
}

fn subject(kind: &str, sweep: &str) -> String {
    format!("guid.{kind}.{sweep}")
}
