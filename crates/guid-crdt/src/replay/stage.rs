//! Replicas of one type, with the names that a history gives them, and what is under way.

use core::time::Duration;
use std::collections::BTreeMap;

use guid_core::{ManualClock, NodeId, Stamp};
use serde_json::Value;

use super::{
    kind::Kind,
    script::{Names, Op},
    subject::Subject,
};
use crate::{
    AddBias, AwLwwMap, BoundedCounter, Dot, DwFlag, EwFlag, FwwRegister, GCounter, GSet, LwwMap,
    LwwRegister, LwwSet, MutateError, MvRegister, Nested, OrMap, OrSet, PnCounter, RemoveBias,
    Replica, ResettableCounter, RwSet, TwoPhaseSet, WriteError,
};

/// What an operation came to.
pub(super) enum Written {
    Done,
    /// Carried out, once the replica had fetched what the operation has seen.
    Fetched,
    /// Another write stands before it and after it.
    Lost,
    /// Refused; and whether all is as before.
    Refused {
        why: String,
        is_unchanged: bool,
    },
}

/// A step that cannot be carried out.
pub(super) type Broken = String;

/// Where the steps of a history are carried out, whatever the type.
pub(super) trait Stage {
    fn write(&mut self, op: &Op, observed_clock: bool) -> Result<Written, Broken>;
    fn merge(&mut self, from: &str, to: &str) -> Result<(), Broken>;
    /// Exchanges full states; tells whether all ended up equal.
    fn sync(&mut self, replicas: &[String]) -> Result<bool, Broken>;
    /// Tells why the message is held back, if it is.
    fn deliver(&mut self, message: &str, to: &str) -> Result<Option<String>, Broken>;
    fn save(&mut self, from: &str, name: &str);
    fn value(&self, name: &str) -> Value;
    fn rights(&self, replica: &str) -> u64;
    /// The value of these states, joined in every order; or two orders that differ.
    fn joined(&self, names: &[String]) -> Result<Value, String>;
}

/// The most states whose orders are tried: 40,320 of them.
pub(super) const ORDERED_MAX: usize = 8;

struct Group<T: Subject> {
    replicas: BTreeMap<String, Replica<T, ManualClock>>,
    saved: BTreeMap<String, T>,
    messages: BTreeMap<String, T::Delta>,
    /// Messages that did not connect: tried again whenever their receiver has learned something.
    held: Vec<(String, T::Delta)>,
}

/// The stage of a type, if it is here.
pub(super) fn stage(kind: &Kind, names: &Names) -> Result<Box<dyn Stage>, &'static str> {
    match kind {
        Kind::GCounter => Ok(group::<GCounter>(names)),
        Kind::PnCounter => Ok(group::<PnCounter>(names)),
        Kind::BoundedCounter => Ok(group::<BoundedCounter>(names)),
        Kind::GSet => Ok(group::<GSet<String>>(names)),
        Kind::TwoPhaseSet => Ok(group::<TwoPhaseSet<String>>(names)),
        Kind::OrSet => Ok(group::<OrSet<String>>(names)),
        Kind::RwSet => Ok(group::<RwSet<String>>(names)),
        Kind::LwwSet { add_stays: true } => Ok(group::<LwwSet<String, AddBias>>(names)),
        Kind::LwwSet { add_stays: false } => Ok(group::<LwwSet<String, RemoveBias>>(names)),
        Kind::LwwRegister => Ok(group::<LwwRegister<String>>(names)),
        Kind::FwwRegister => Ok(group::<FwwRegister<String>>(names)),
        Kind::MvRegister => Ok(group::<MvRegister<String>>(names)),
        Kind::EwFlag => Ok(group::<EwFlag>(names)),
        Kind::DwFlag => Ok(group::<DwFlag>(names)),
        Kind::LwwMap => Ok(group::<LwwMap<String, String>>(names)),
        Kind::AwLwwMap => Ok(group::<AwLwwMap<String, String>>(names)),
        Kind::OrMap(of) => nested::<One>(of, names),
        Kind::Text | Kind::Tree | Kind::VectorClock | Kind::Dots => {
            Err("the type does not exist here yet")
        }
    }
}

/// How deep a value lies in maps: types are made when this is compiled, so there is a deepest.
trait Depth {
    fn stage<V: Subject + Nested + 'static>(names: &Names) -> Box<dyn Stage>;
    fn deeper(of: &Kind, names: &Names) -> Result<Box<dyn Stage>, &'static str>;
}

struct One;
struct Two;
struct Three;

impl Depth for One {
    fn stage<V: Subject + Nested + 'static>(names: &Names) -> Box<dyn Stage> {
        group::<OrMap<String, V>>(names)
    }

    fn deeper(of: &Kind, names: &Names) -> Result<Box<dyn Stage>, &'static str> {
        nested::<Two>(of, names)
    }
}

impl Depth for Two {
    fn stage<V: Subject + Nested + 'static>(names: &Names) -> Box<dyn Stage> {
        One::stage::<OrMap<String, V>>(names)
    }

    fn deeper(of: &Kind, names: &Names) -> Result<Box<dyn Stage>, &'static str> {
        nested::<Three>(of, names)
    }
}

impl Depth for Three {
    fn stage<V: Subject + Nested + 'static>(names: &Names) -> Box<dyn Stage> {
        Two::stage::<OrMap<String, V>>(names)
    }

    fn deeper(_: &Kind, _: &Names) -> Result<Box<dyn Stage>, &'static str> {
        Err("maps lie in maps three deep here, not deeper")
    }
}

fn nested<D: Depth>(of: &Kind, names: &Names) -> Result<Box<dyn Stage>, &'static str> {
    match of {
        Kind::OrSet => Ok(D::stage::<OrSet<String>>(names)),
        Kind::RwSet => Ok(D::stage::<RwSet<String>>(names)),
        Kind::MvRegister => Ok(D::stage::<MvRegister<String>>(names)),
        Kind::GCounter | Kind::PnCounter => Ok(D::stage::<ResettableCounter>(names)),
        Kind::EwFlag => Ok(D::stage::<EwFlag>(names)),
        Kind::DwFlag => Ok(D::stage::<DwFlag>(names)),
        Kind::AwLwwMap => Ok(D::stage::<AwLwwMap<String, String>>(names)),
        Kind::OrMap(of) => D::deeper(of, names),
        _ => Err("a map cannot hold this type: what is removed under a key needs a dot"),
    }
}

fn group<T: Subject + 'static>(names: &Names) -> Box<dyn Stage> {
    let replica = |(name, node): (&str, NodeId)| {
        let replica = Replica::new(node, ManualClock::new(0)).with_max_ahead(Duration::MAX);
        (name.to_owned(), replica)
    };
    let replicas = names.replicas().map(replica).collect();
    let (saved, messages) = (BTreeMap::new(), BTreeMap::new());
    Box::new(Group::<T> { replicas, saved, messages, held: Vec::new() })
}

impl<T: Subject> Group<T> {
    /// A replica that is named in the history, all of which are there from the beginning.
    fn replica(&mut self, name: &str) -> Result<&mut Replica<T, ManualClock>, Broken> {
        self.replicas.get_mut(name).ok_or_else(|| format!("no replica `{name}`"))
    }

    fn state(&self, name: &str) -> Option<&T> {
        self.saved.get(name).or_else(|| self.replicas.get(name).map(Replica::state))
    }

    fn snapshot(&self, name: &str) -> T {
        self.state(name).cloned().unwrap_or_default()
    }

    fn join(&mut self, to: &str, state: &T) -> Result<(), Broken> {
        self.replica(to)?.join(state).map_err(|error| error.to_string())?;
        self.retry(to)
    }

    /// Applies what is held back for a replica, as far as it connects by now.
    fn retry(&mut self, to: &str) -> Result<(), Broken> {
        loop {
            let held = self.held.iter().position(|(receiver, delta)| {
                let mut state = self.snapshot(to);
                receiver == to && state.apply(delta).is_ok()
            });
            let Some(at) = held else { return Ok(()) };
            let (_, delta) = self.held.remove(at);
            self.replica(to)?.apply(&delta).map_err(|error| error.to_string())?;
        }
    }

    fn try_write(
        replica: &mut Replica<T, ManualClock>,
        op: &Op,
        observed_clock: bool,
        seen_by: Option<&T>,
    ) -> Result<Option<T::Delta>, WriteError> {
        let stamp = next_stamp(replica, op.stamp, observed_clock).ok_or(WriteError::Exhausted)?;
        let dot = Dot::new(replica.node(), stamp);
        // A date that is given decides alone, also where it is older than what is there.
        if let Some(write) = op.stamp.and_then(|_| T::written(dot, &op.action)) {
            if replica.issued() < Some(stamp) {
                // No delta of these types builds on another, so there is no gap.
                replica.write_with_stamp(stamp, |state, _| Ok(state.apply(&write).ok()))?;
            } else if replica.apply(&write).is_err() {
                return Ok(None);
            }
            return Ok(Some(write));
        }
        replica.write_with_stamp(stamp, |state, dot| match seen_by {
            Some(seen) => state.act_seen(dot, &op.action, seen),
            None => state.act(dot, &op.action),
        })
    }
}

/// The stamp that is given; else the one after all that was seen.
fn next_stamp<T: Subject>(
    replica: &Replica<T, ManualClock>,
    given: Option<Stamp>,
    observed_clock: bool,
) -> Option<Stamp> {
    let seen = replica.state().frontier().latest().map(Dot::stamp).max(replica.issued());
    let next = seen.map_or(0, |stamp| stamp.as_u64() + 1);
    match given {
        Some(given) if !observed_clock => Some(given),
        given => Stamp::from_u64(next.max(given.map_or(0, Stamp::as_u64))).ok(),
    }
}

impl<T: Subject> Stage for Group<T> {
    fn write(&mut self, op: &Op, observed_clock: bool) -> Result<Written, Broken> {
        let seen_by = op.seen_by.as_ref().map(|name| self.snapshot(name));
        let before = self.snapshot(&op.at);
        let replica = self.replica(&op.at)?;
        let mut fetched = false;
        let mut written = Self::try_write(replica, op, observed_clock, seen_by.as_ref());
        if let (Err(WriteError::Refused(MutateError::Unseen { .. })), Some(seen)) =
            (&written, &seen_by)
        {
            replica.join(seen).map_err(|error| error.to_string())?;
            fetched = true;
            written = Self::try_write(replica, op, observed_clock, Some(seen));
        }
        let is_unchanged = *replica.state() == before;
        match written {
            Ok(Some(delta)) => {
                if let Some(name) = &op.keep_as {
                    self.messages.insert(name.clone(), delta);
                }
                let is_lost = T::DATED && is_unchanged;
                let done = if fetched { Written::Fetched } else { Written::Done };
                Ok(if is_lost { Written::Lost } else { done })
            }
            Ok(None) => Err("no such operation".to_owned()),
            Err(WriteError::Refused(MutateError::Taken { .. })) => Ok(Written::Lost),
            Err(WriteError::Refused(error @ MutateError::Stale { .. })) => Err(error.to_string()),
            Err(error) => Ok(Written::Refused { why: error.to_string(), is_unchanged }),
        }
    }

    fn merge(&mut self, from: &str, to: &str) -> Result<(), Broken> {
        let state = self.snapshot(from);
        self.join(to, &state)
    }

    fn sync(&mut self, replicas: &[String]) -> Result<bool, Broken> {
        // What was held back may connect by then, and is news to the others.
        for _ in 0..=self.held.len() {
            let states = replicas.iter().filter_map(|name| self.state(name).cloned());
            let all = states.reduce(|a, b| a.joined(&b)).unwrap_or_default();
            for name in replicas {
                self.join(name, &all)?;
            }
            if replicas.iter().all(|name| self.state(name) == Some(&all)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn deliver(&mut self, message: &str, to: &str) -> Result<Option<String>, Broken> {
        // A message of a write that was lost is not there: nothing was sent.
        let Some(delta) = self.messages.get(message).cloned() else {
            return Ok(Some("nothing was sent".to_owned()));
        };
        if let Err(gap) = self.snapshot(to).apply(&delta) {
            self.held.push((to.to_owned(), delta));
            return Ok(Some(format!("held back: {gap}")));
        }
        self.replica(to)?.apply(&delta).map_err(|error| error.to_string())?;
        self.retry(to)?;
        Ok(None)
    }

    fn save(&mut self, from: &str, name: &str) {
        let state = self.snapshot(from);
        self.saved.insert(name.to_owned(), state);
    }

    fn value(&self, name: &str) -> Value {
        self.snapshot(name).value()
    }

    fn rights(&self, replica: &str) -> u64 {
        self.replicas.get(replica).map_or(0, |replica| replica.state().rights(replica.node()))
    }

    /// The join of a set of states, by whatever state comes last: if it is one for every set, it is
    /// one for every order.
    fn joined(&self, names: &[String]) -> Result<Value, String> {
        let states: Vec<T> = names.iter().map(|name| self.snapshot(name)).collect();
        let mut joined = vec![T::default()];
        for set in 1_usize..1 << states.len() {
            let with_last = |last: usize| joined[set ^ 1 << last].clone().joined(&states[last]);
            let mut members = (0..states.len()).filter(|&at| set >> at & 1 == 1);
            let first = members.next().map(with_last).unwrap_or_default();
            if let Some(last) = members.find(|&last| with_last(last) != first) {
                let members = (0..states.len()).filter(|&at| set >> at & 1 == 1);
                let members: Vec<_> = members.map(|at| names[at].as_str()).collect();
                let (a, b) = (first.value(), with_last(last).value());
                let last = &names[last];
                return Err(format!("of {}, {a}; with {last} last, {b}", members.join(", ")));
            }
            joined.push(first);
        }
        Ok(joined.pop().unwrap_or_default().value())
    }
}
