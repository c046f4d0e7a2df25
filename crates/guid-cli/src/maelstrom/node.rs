//! `guid maelstrom node`: one node, on standard input and output.
//!
//! # The idea
//!
//! IDs are made by a generator, sets and counters are replicated types behind a
//! [`Peer`](guid_crdt::Peer). A write is stored (with `--state`), told to all other nodes at once,
//! and answered; ten times a second a node greets the next of the others, which repairs whatever
//! was lost. Nobody waits for anybody, so a node answers in any partition.
//!
//! # Invariants
//!
//! * What was answered `ok` is in the state file, if there is one, before the answer leaves.
//! * Without a state file a node that comes back takes a new node ID: what it gave out it never
//!   gives again, and what only it knew is gone.
//! * A reply holds the keys of the protocol and no others.

mod element;
mod ids;
mod shared;
mod state;

use std::{
    io::{self, BufRead, Write},
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use self::{ids::UniqueIds, shared::Shared};
use super::{
    Workload,
    protocol::{Code, RawBody, Refusal, raw_body},
};
use crate::exit::Exit;

type Message = super::protocol::Message<RawBody>;

/// How often a node greets another.
const GREETING: Duration = Duration::from_millis(100);

/// What a node does, once it knows who it is.
trait Service {
    /// Answers a client. What others must hear is added to `out`.
    fn request(&mut self, request: &RawBody, out: &mut Vec<Message>) -> Result<RawBody, Refusal>;

    /// Takes in what another node of ours said, and answers it.
    fn news(&mut self, _from: &str, _news: &RawBody) -> anyhow::Result<Option<Message>> {
        Ok(None)
    }

    /// What is to be said without being asked.
    fn greet(&mut self) -> Option<Message> {
        None
    }
}

/// The node in Maelstrom's numbering, and the others.
#[derive(Clone, Debug)]
struct Names {
    own: String,
    others: Vec<String>,
}

/// The type of the messages between nodes of ours.
const NEWS: &str = "guid_news";

pub(crate) fn run(workload: Workload, state: Option<&Path>) -> anyhow::Result<Exit> {
    let (lines, arriving) = mpsc::channel();
    // It ends with standard input, or with the process.
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
    let mut node = Node { workload, state, names: None, service: None };
    let mut greeting = now() + GREETING;
    loop {
        let out = match arriving.recv_timeout(greeting.saturating_duration_since(now())) {
            Ok(line) => node.take(&line.context("standard input")?),
            Err(RecvTimeoutError::Timeout) => {
                greeting = now() + GREETING;
                node.service.as_mut().and_then(|service| service.greet()).into_iter().collect()
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(Exit::Holds),
        };
        let mut stdout = io::stdout().lock();
        for message in out {
            writeln!(stdout, "{}", message.to_line())?;
        }
        stdout.flush()?;
    }
}

#[expect(clippy::disallowed_methods, reason = "a node lives in real time")]
fn now() -> Instant {
    Instant::now()
}

struct Node<'a> {
    workload: Workload,
    state: Option<&'a Path>,
    names: Option<Names>,
    service: Option<Box<dyn Service>>,
}

impl Node<'_> {
    /// Takes in a line, and returns what to say. What is no message is told on stderr.
    fn take(&mut self, line: &str) -> Vec<Message> {
        let message = match Message::parse(line) {
            Ok(message) => message,
            Err(error) => {
                eprintln!("no message: {error}: {line}");
                return Vec::new();
            }
        };
        if kind(&message.body).as_deref() == Some(NEWS) {
            let Some(service) = &mut self.service else { return Vec::new() };
            return match service.news(&message.src, &message.body) {
                Ok(reply) => reply.into_iter().collect(),
                Err(error) => {
                    eprintln!("news of {}: {error:#}", message.src);
                    Vec::new()
                }
            };
        }
        // An answer to something that we did not ask.
        if message.body.contains_key("in_reply_to") {
            return Vec::new();
        }
        let mut out = Vec::new();
        let reply = self.request(&message.body, &mut out);
        let own = self.names.as_ref().map_or(&message.dest, |names| &names.own).clone();
        if let Some(id) = message.body.get("msg_id") {
            let mut reply = reply.unwrap_or_else(Refusal::into_body);
            reply.insert("in_reply_to".to_owned(), id.clone());
            out.insert(0, Message::new(&own, &message.src, reply));
        }
        out
    }

    fn request(&mut self, request: &RawBody, out: &mut Vec<Message>) -> Result<RawBody, Refusal> {
        match (kind(request).as_deref(), &mut self.service) {
            (None, _) => Err(Refusal::malformed("`type` is missing: expected a text")),
            (Some("init"), None) => self.init(request),
            (Some("init"), Some(_)) => Err(Refusal::malformed("a second `init`")),
            (Some(_), None) => {
                Err(Refusal(Code::TemporarilyUnavailable, "expected `init` first".to_owned()))
            }
            // Everybody talks to everybody here.
            (Some("topology"), Some(_)) => Ok(raw_body("topology_ok")),
            (Some("echo"), Some(_)) if self.workload == Workload::Echo => {
                let mut reply = raw_body("echo_ok");
                reply.insert("echo".to_owned(), field(request, "echo")?.to_owned());
                Ok(reply)
            }
            (Some(_), Some(service)) => service.request(request, out),
        }
    }

    fn init(&mut self, request: &RawBody) -> Result<RawBody, Refusal> {
        let own: String = read(request, "node_id", "a text")?;
        let mut others: Vec<String> = read(request, "node_ids", "a list of texts")?;
        others.retain(|other| *other != own);
        let names = Names { own, others };
        let service = self.service(&names);
        let crash = |error: anyhow::Error| Refusal(Code::Crash, format!("{error:#}"));
        self.service = Some(service.map_err(crash)?);
        self.names = Some(names);
        Ok(raw_body("init_ok"))
    }

    fn service(&self, names: &Names) -> anyhow::Result<Box<dyn Service>> {
        Ok(match self.workload {
            Workload::Echo => Box::new(Echo),
            Workload::UniqueIds => Box::new(UniqueIds::open(names, self.state)?),
            Workload::Broadcast => Box::new(Shared::open(&shared::BROADCAST, names, self.state)?),
            Workload::GSet => Box::new(Shared::open(&shared::G_SET, names, self.state)?),
            Workload::GCounter => Box::new(Shared::open(&shared::G_COUNTER, names, self.state)?),
            Workload::PnCounter => Box::new(Shared::open(&shared::PN_COUNTER, names, self.state)?),
        })
    }
}

/// Its one request is answered before it is asked.
struct Echo;

impl Service for Echo {
    fn request(&mut self, request: &RawBody, _: &mut Vec<Message>) -> Result<RawBody, Refusal> {
        Err(not_supported(request))
    }
}

fn not_supported(request: &RawBody) -> Refusal {
    let kind = kind(request).unwrap_or_default();
    Refusal(Code::NotSupported, format!("`{kind}` is no request of this workload"))
}

/// What kind of request it is, if it says so in a text.
fn kind(body: &RawBody) -> Option<String> {
    serde_json::from_str(body.get("type")?.get()).ok()
}

/// A key that must be there.
fn field<'a>(request: &'a RawBody, key: &str) -> Result<&'a RawValue, Refusal> {
    let value = request.get(key).map(|value| &**value);
    value.ok_or_else(|| Refusal::malformed(format!("`{key}` is missing")))
}

/// A key that must be there, with a value of this type.
fn read<T: DeserializeOwned>(request: &RawBody, key: &str, what: &str) -> Result<T, Refusal> {
    let value = serde_json::from_str(field(request, key)?.get());
    value.map_err(|_| Refusal::malformed(format!("`{key}`: expected {what}")))
}
