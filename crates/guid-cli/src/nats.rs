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
mod streams;
mod work;

use std::{
    error::Error,
    fmt::{self, Display},
    fs,
    io::{self, ErrorKind, Write},
    path::Path,
    time::Duration,
};

use anyhow::{Context, anyhow};
use async_nats::{
    ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr,
    jetstream::{
        self,
        context::Context as JetStream,
        stream::{RawMessageErrorKind, Stream},
    },
};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

use self::streams::{announcements, subject};
use crate::cli::{Globals, Nats};

pub(crate) use self::{collect::collect, work::work};

/// How long one request may take before it is made again.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How long to wait between two attempts.
const PAUSE: Duration = Duration::from_millis(300);

/// For how long a sweep goes on of whose collector nothing is heard, and how often it says so.
const ANNOUNCED: Duration = Duration::from_secs(600);
const AGAIN: Duration = Duration::from_secs(60);
/// The one consumer that all workers share.
const WORKERS: &str = "workers";

/// Some jobs of a sweep, as they lie in its queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Range {
    first: u64,
    end: u64,
}

/// A run that workers die of, as one of them says it among the results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deadly {
    /// Which run.
    deadly: u64,
    /// How many workers took it.
    workers: i64,
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
            Err(error) if may_come(&error) => Err(error),
            Err(error) => Ok(Err(error)),
        };
        let client = patience.wait("cannot reach the NATS server", connect).await?;
        // The address may hold a password: it is not repeated.
        let client = client
            .map_err(|error| unreachable(&format!("cannot reach the NATS server: {error}")))?;
        let jetstream = jetstream::new(client);
        let soon = Patience { longest: ATTEMPT, quiet: true };
        let create = async || jetstream.get_or_create_stream(announcements()).await;
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

/// Whether an error of connecting may pass. A certificate that is not accepted, by either side,
/// comes as data that is not what it should be; it will be no other in ten minutes.
fn may_come(error: &ConnectError) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    let is_refused = cause.is_some_and(|cause| cause.kind() == ErrorKind::InvalidData);
    match error.kind() {
        ConnectErrorKind::Io => !is_refused,
        ConnectErrorKind::TimedOut => true,
        _ => false,
    }
}

/// A stream that was there is not: the sweep is over, or the server has lost its disk.
#[derive(Debug)]
struct Missing;

impl Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stream is missing on the server")
    }
}

impl Error for Missing {}

/// In the words of the server, and of its client: every request has an error type of its own.
fn is_missing(error: &str) -> bool {
    ["stream not found", "no stream found", "consumer not found"]
        .iter()
        .any(|&no| error.contains(no))
}

/// An error of reading or writing, as far as the exit code goes.
fn unreachable(message: &str) -> anyhow::Error {
    io::Error::other(message.to_owned()).into()
}

impl Patience {
    /// Tries until it succeeds, or patience ends. That a stream is [`Missing`] is said at once.
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
                Ok(Err(error)) if is_missing(&error.to_string()) => return Err(Missing.into()),
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
        && let Some(user) = address.username()
    {
        // Who has no password is a token.
        options = match address.password() {
            Some(password) => options.user_and_password(decoded(user)?, decoded(password)?),
            None => options.token(decoded(user)?),
        };
    }
    if let Some(path) = &args.nkey {
        options = options.nkey(seed(path)?);
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

/// The seed of a key, as `nk -gen user` writes it: a line of its own.
fn seed(path: &Path) -> anyhow::Result<String> {
    let name = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(name)?;
    let seed = text.lines().map(str::trim).find(|line| line.starts_with("SU"));
    let seed = seed.ok_or_else(|| anyhow!("{}: expected the seed of a user, SU...", name()))?;
    Ok(seed.to_owned())
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
