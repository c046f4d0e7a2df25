//! The workloads that replicate something: a set or a counter behind a [`Peer`].

use std::{path::Path, time::Duration};

use anyhow::anyhow;
use guid_core::NodeId;
use guid_crdt::{
    Dot, GCounter, Message as News, MutateError, OrSet, Peer, PnCounter, Replica, Versioned,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{
    super::{
        LibcClock,
        protocol::{Code, RawBody, Refusal, raw, raw_body},
    },
    Message, NEWS, Names, Service, element, field, kind, not_supported, read,
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
    accepts: fn(&RawValue) -> bool,
    expected: &'static str,
    /// Whether the state can be read when this is written too.
    fits: fn(&T, &RawValue) -> bool,
    mutate: fn(&mut T, Dot, &RawValue) -> Result<T::Delta, MutateError>,
    /// What is read, if it can be said.
    value: fn(&T) -> Option<Box<RawValue>>,
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
    fits: |_, _| true,
    mutate: |set, dot, value| set.insert(dot, element::text(value)),
    value: |set| RawValue::from_string(element::list(set.iter())).ok(),
};

pub(super) static G_COUNTER: Spec<GCounter> = Spec {
    name: "g-counter",
    write: "add",
    written: "delta",
    read: "value",
    accepts: |value| integer(value).is_some_and(|delta| delta >= 0),
    expected: "a whole number from 0 to 9223372036854775807",
    fits: |counter, value| {
        let sum =
            counter.value().checked_add(integer(value).unwrap_or_default().unsigned_abs().into());
        sum.is_some_and(|sum| i64::try_from(sum).is_ok())
    },
    mutate: |counter, dot, value| {
        counter.add(dot, integer(value).unwrap_or_default().unsigned_abs())
    },
    value: |counter| i64::try_from(counter.value()).ok().map(|value| raw(&value)),
};

pub(super) static PN_COUNTER: Spec<PnCounter> = Spec {
    name: "pn-counter",
    write: "add",
    written: "delta",
    read: "value",
    accepts: |value| integer(value).is_some(),
    expected: "a whole number of 64 bits, signed",
    fits: |counter, value| {
        let sum = counter.value().checked_add(integer(value).unwrap_or_default().into());
        sum.is_some_and(|sum| i64::try_from(sum).is_ok())
    },
    mutate: |counter, dot, value| counter.add(dot, integer(value).unwrap_or_default()),
    value: |counter| i64::try_from(counter.value()).ok().map(|value| raw(&value)),
};

fn integer(value: &RawValue) -> Option<i64> {
    serde_json::from_str(value.get()).ok()
}

/// A counter goes no further than the numbers of those who read it.
fn beyond() -> Refusal {
    Refusal(Code::PreconditionFailed, "the sum is beyond 64 bits, signed".to_owned())
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

    fn write(&mut self, request: &RawBody, out: &mut Vec<Message>) -> Result<RawBody, Refusal> {
        let value = field(request, self.spec.written)?;
        if !(self.spec.accepts)(value) {
            let Spec { written, expected, .. } = self.spec;
            return Err(Refusal::malformed(format!("`{written}`: expected {expected}")));
        }
        if !(self.spec.fits)(self.peer.state(), value) {
            return Err(beyond());
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
        Ok(raw_body(&format!("{}_ok", self.spec.write)))
    }

    fn tell(&self, other: &str, news: &News<T>) -> Message {
        let mut body = raw_body(NEWS);
        body.insert("news".to_owned(), raw(news));
        Message::new(&self.names.own, other, body)
    }
}

impl<T: Told> Service for Shared<T> {
    fn request(&mut self, request: &RawBody, out: &mut Vec<Message>) -> Result<RawBody, Refusal> {
        match kind(request).as_deref() {
            Some(kind) if kind == self.spec.write => self.write(request, out),
            Some("read") => {
                let mut reply = raw_body("read_ok");
                let value = (self.spec.value)(self.peer.state()).ok_or_else(beyond)?;
                reply.insert(self.spec.read.to_owned(), value);
                Ok(reply)
            }
            _ => Err(not_supported(request)),
        }
    }

    fn news(&mut self, from: &str, news: &RawBody) -> anyhow::Result<Option<Message>> {
        let news = read(news, "news", "news").map_err(|Refusal(_, why)| anyhow!(why))?;
        let handled = self.peer.handle(news)?;
        Ok(handled.reply.map(|reply| self.tell(from, &reply)))
    }

    fn greet(&mut self) -> Option<Message> {
        let other = self.names.others.get(self.next % self.names.others.len().max(1))?;
        self.next = self.next.wrapping_add(1);
        Some(self.tell(other, &self.peer.greet()))
    }
}
