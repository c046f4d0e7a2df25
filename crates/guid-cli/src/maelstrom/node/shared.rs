//! The workloads that replicate something: a set or a counter behind a [`Peer`].

use std::{path::Path, time::Duration};

use guid_core::NodeId;
use guid_crdt::{
    Dot, GCounter, Message as News, MutateError, OrSet, Peer, PnCounter, Replica, Versioned,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    super::{
        LibcClock,
        protocol::{Body, Code, Message, Refusal, body},
    },
    NEWS, Names, Service, field, not_supported,
    state::StateFile,
};

/// What the requests of a workload mean for a replicated type.
pub(super) struct Spec<T: Versioned> {
    /// Of the workload: state files bear it.
    name: &'static str,
    /// The request that writes, the key of what it writes.
    write: &'static str,
    written: &'static str,
    /// The key of what `read` answers.
    read: &'static str,
    /// Whether a value can be written at all, and else what was expected.
    accepts: fn(&Value) -> bool,
    expected: &'static str,
    mutate: fn(&mut T, Dot, &Value) -> Result<T::Delta, MutateError>,
    value: fn(&T) -> Value,
}

/// Elements are the JSON texts of what was sent, so that anything can be one.
type Elements = OrSet<String>;

pub(super) static BROADCAST: Spec<Elements> =
    Spec { name: "broadcast", write: "broadcast", written: "message", read: "messages", ..G_SET };

pub(super) static G_SET: Spec<Elements> = Spec {
    name: "g-set",
    write: "add",
    written: "element",
    read: "value",
    accepts: |_| true,
    expected: "anything",
    mutate: |set, dot, value| set.insert(dot, value.to_string()),
    value: |set| {
        let value = |text: &String| serde_json::from_str(text).unwrap_or(Value::Null);
        set.iter().map(value).collect()
    },
};

pub(super) static G_COUNTER: Spec<GCounter> = Spec {
    name: "g-counter",
    write: "add",
    written: "delta",
    read: "value",
    accepts: Value::is_u64,
    expected: "a whole number, not below zero",
    mutate: |counter, dot, value| counter.add(dot, value.as_u64().unwrap_or_default()),
    value: |counter| number(counter.value().try_into().unwrap_or(i128::MAX)),
};

pub(super) static PN_COUNTER: Spec<PnCounter> = Spec {
    name: "pn-counter",
    write: "add",
    written: "delta",
    read: "value",
    accepts: Value::is_i64,
    expected: "a whole number",
    mutate: |counter, dot, value| counter.add(dot, value.as_i64().unwrap_or_default()),
    value: |counter| number(counter.value()),
};

/// Beyond 64 bits a text: JSON numbers end there.
fn number(value: i128) -> Value {
    i64::try_from(value).map_or_else(|_| value.to_string().into(), Value::from)
}

pub(super) struct Shared<T: Versioned + 'static> {
    spec: &'static Spec<T>,
    names: Names,
    peer: Peer<T, LibcClock>,
    state: Option<StateFile>,
    /// Which of the others is greeted next.
    next: usize,
}

/// What must be possible to tell others of a state, and to keep it.
pub(super) trait Told: Versioned<Delta: Clone + Json, Version: Json> + Json {}
impl<T: Versioned<Delta: Clone + Json, Version: Json> + Json> Told for T {}

pub(super) trait Json: Serialize + DeserializeOwned {}
impl<T: Serialize + DeserializeOwned> Json for T {}

impl<T: Told> Shared<T> {
    pub(super) fn open(
        spec: &'static Spec<T>,
        names: &Names,
        state: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let state = state
            .map(|folder| StateFile::new(folder.join(format!("{}.{}.json", names.own, spec.name))));
        let clock = LibcClock;
        let saved = state.as_ref().map(StateFile::load).transpose()?.flatten();
        let replica = match saved {
            Some(saved) => Replica::restore(saved, clock),
            None => Replica::new(NodeId::random()?, clock),
        };
        // One clock that is wrong must not keep the others from agreeing.
        let peer = Peer::new(replica.with_max_ahead(Duration::MAX));
        Ok(Self { spec, names: names.clone(), peer, state, next: 0 })
    }

    fn write(&mut self, request: &Body, out: &mut Vec<Message>) -> Result<Body, Refusal> {
        let value = field(request, self.spec.written)?;
        if !(self.spec.accepts)(value) {
            let Spec { written, expected, .. } = self.spec;
            return Err(Refusal::malformed(format!("`{written}`: expected {expected}")));
        }
        let delta = self.peer.write(|state, dot| (self.spec.mutate)(state, dot, value));
        let delta = delta.map_err(|error| Refusal::malformed(error.to_string()))?;
        if let Some(file) = &self.state {
            let saved = file.save(&self.peer.replica().save());
            saved.map_err(|error| Refusal(Code::Crash, format!("{error:#}")))?;
        }
        let seen = self.peer.state().version();
        let news = News::Deltas { deltas: vec![delta], seen };
        out.extend(self.names.others.iter().map(|other| self.tell(other, &news)));
        Ok(body(&format!("{}_ok", self.spec.write)))
    }

    fn tell(&self, other: &str, news: &News<T>) -> Message {
        let mut body = body(NEWS);
        // What is replicated can be written: its keys are texts.
        body.insert("news".to_owned(), serde_json::to_value(news).unwrap_or_default());
        Message::new(&self.names.own, other, body)
    }
}

impl<T: Told> Service for Shared<T> {
    fn request(&mut self, request: &Body, out: &mut Vec<Message>) -> Result<Body, Refusal> {
        match request.get("type").and_then(Value::as_str) {
            Some(kind) if kind == self.spec.write => self.write(request, out),
            Some("read") => {
                let mut reply = body("read_ok");
                reply.insert(self.spec.read.to_owned(), (self.spec.value)(self.peer.state()));
                Ok(reply)
            }
            _ => Err(not_supported(request)),
        }
    }

    fn news(&mut self, from: &str, news: &Body) -> anyhow::Result<Option<Message>> {
        let news = news.get("news").cloned().unwrap_or_default();
        let handled = self.peer.handle(serde_json::from_value(news)?)?;
        Ok(handled.reply.map(|reply| self.tell(from, &reply)))
    }

    fn greet(&mut self) -> Option<Message> {
        let other = self.names.others.get(self.next % self.names.others.len().max(1))?;
        self.next = self.next.wrapping_add(1);
        Some(self.tell(other, &self.peer.greet()))
    }
}
