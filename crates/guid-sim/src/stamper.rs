//! Stampers: one scheme at work on one node.
//!
//! A stamper turns the events of a node into IDs, and takes note of the IDs on what the node
//! receives. It is carried along by the run and changes nothing in it.

mod upstream;
mod milliseconds;
mod reading;
mod says;

use std::{
    fmt::{self, Write as _},
    time::Duration,
};

use guid_core::{ByTime, Clock, Drift, Guid, LocalGenerator, NodeId, ObserveError, Stamp};
use guid_crdt::{Dot, Lattice, VectorClock};

use crate::{LocalClock, Memory, NodeIndex, Observe, Scheme, recorder::Storage};

use self::milliseconds::{Snowflake, Ulid};

pub(crate) use self::milliseconds::{RANDOM_MASK, RandomBits};
pub(crate) use self::reading::{read_id, recognize};
pub(crate) use self::says::{id_of_time, says, time_bits};
pub use self::upstream::UpstreamSource;

/// How far ahead a high-water mark is stored: one write every 10 s, less than the 60 s that a
/// generator is allowed to lead.
pub(crate) const RESERVED_NS: u64 = 10_000_000_000;

/// What a scheme made of an event: keys that compare as its IDs do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamped {
    /// The ID in the scheme's byte order; distinct IDs have distinct keys.
    pub(crate) k: u128,
    /// The ID in time order.
    pub(crate) time: u128,
    /// What the ID says of its moment, in Unix nanoseconds; zero where it says nothing.
    pub(crate) ns: u64,
    /// What decides between two IDs of one window: the node, a sequence, random bits.
    pub(crate) tail: u128,
}

/// An ID was too far ahead to be observed, or bore our own node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl From<ObserveError> for Refused {
    fn from(_: ObserveError) -> Self {
        Self
    }
}

/// What a node brings to every scheme.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) node: NodeId,
    /// For schemes whose node is configured, not drawn.
    pub(crate) machine: NodeIndex,
    pub(crate) clock: LocalClock,
    /// Where a sequence starts, if it is free to.
    pub(crate) sequence: Stamp,
    pub(crate) random: RandomBits,
}

/// One scheme on one node.
#[derive(Debug)]
pub(crate) struct Stamper {
    node: NodeId,
    clock: LocalClock,
    observe: Observe,
    source: Source,
    saved: Saved,
}

/// What a source had stored at the last snapshot.
#[derive(Clone, Debug, Default)]
struct Saved {
    reserved: Stamp,
    /// A hybrid clock's time and counter, or a Lamport clock's counter in the second.
    logical: (u64, u64),
    vector: VectorClock,
}

#[derive(Debug)]
enum Source {
    Bump { drift: Drift, ids: Strict },
    Counter(u64),
    Guid { drift: Option<Drift>, ids: Strict },
    Hlc { ns: u64, count: u32 },
    Lamport(u64),
    Snowflake(Snowflake),
    Ulid(Ulid),
    Uuid7(RandomBits),
    Upstream { drift: Drift, ids: UpstreamSource },
    Vector { ids: Strict, clock: VectorClock },
}

/// A strict generator and its high-water mark.
#[derive(Debug)]
struct Strict {
    ids: LocalGenerator<LocalClock>,
    /// Every stamp issued is at most this one, which is stored.
    reserved: Stamp,
}

impl Strict {
    fn new(node: NodeId, clock: LocalClock, observe: Observe, last: Stamp) -> Self {
        let max_ahead = match observe {
            Observe::Reject(ns) => Duration::from_nanos(ns),
            Observe::Off | Observe::Follow => Duration::MAX,
        };
        let ids = LocalGenerator::new(node, clock).with_max_ahead(max_ahead).with_last(last);
        Self { ids, reserved: last }
    }

    fn next(&mut self) -> Guid {
        let id = self.ids.next();
        if id.stamp() > self.reserved {
            let ahead = id.unix_nanos().saturating_add(RESERVED_NS);
            self.reserved = Stamp::from_unix_nanos(ahead);
        }
        id
    }
}

impl Stamper {
    /// Returns the stamper of a node that starts for the first time.
    pub(crate) fn new(scheme: Scheme, setup: &Setup, observe: Observe) -> Self {
        let Setup { node, machine, ref clock, sequence, ref random } = *setup;
        let strict = || Strict::new(node, clock.clone(), observe, sequence);
        let source = match scheme {
            Scheme::Bump(drift) => Source::Bump { drift, ids: strict() },
            Scheme::Counter => Source::Counter(0),
            Scheme::Guid64 => Source::Guid { drift: None, ids: strict() },
            Scheme::Guid96(drift) => Source::Guid { drift: Some(drift), ids: strict() },
            Scheme::Hlc => Source::Hlc { ns: 0, count: 0 },
            Scheme::Lamport => Source::Lamport(0),
            Scheme::Mixed => {
                let code = (machine.as_u32() % 8) as u8;
                Source::Guid { drift: Drift::from_code(code).ok(), ids: strict() }
            }
            Scheme::Snowflake => Source::Snowflake(Snowflake::new(machine)),
            Scheme::Ulid => Source::Ulid(Ulid::new(random.clone())),
            Scheme::Uuid7 => Source::Uuid7(random.clone()),
            Scheme::Upstream(drift) => Source::Upstream { drift, ids: UpstreamSource::new(1) },
            Scheme::Vector => Source::Vector { ids: strict(), clock: VectorClock::new() },
        };
        Self { node, clock: clock.clone(), observe, source, saved: Saved::default() }
    }

    /// Comes back after a crash. Counters and the Go library's sequence start over whatever the
    /// memory is: that is what they do. Logical clocks and vectors are state that was stored.
    pub(crate) fn restart(
        &mut self,
        memory: Memory,
        fresh: NodeId,
        sequence: Stamp,
        storage: Storage,
    ) {
        if memory == Memory::FreshNode {
            self.node = fresh;
        }
        let (node, clock, observe) = (self.node, self.clock.clone(), self.observe);
        let saved = match storage {
            Storage::Kept => None,
            Storage::Lost => Some(Saved { reserved: sequence, ..Saved::default() }),
            Storage::Snapshot => Some(self.saved.clone()),
        };
        match &mut self.source {
            Source::Counter(count) => *count = 0,
            Source::Upstream { ids, .. } => *ids = UpstreamSource::new(1),
            Source::Bump { ids, .. } | Source::Guid { ids, .. } | Source::Vector { ids, .. } => {
                let reserved = saved.as_ref().map_or(ids.reserved, |saved| saved.reserved);
                let last = if memory == Memory::HighWater { reserved } else { sequence };
                *ids = Strict::new(node, clock, observe, last);
            }
            Source::Snowflake(ids) => ids.restart(),
            Source::Ulid(ids) => ids.restart(),
            Source::Hlc { .. } | Source::Lamport(_) | Source::Uuid7(_) => {}
        }
        if let Some(saved) = saved {
            self.go_back(saved);
        }
    }

    fn go_back(&mut self, saved: Saved) {
        match &mut self.source {
            Source::Hlc { ns, count } => {
                (*ns, *count) = (saved.logical.0, saved.logical.1 as u32);
            }
            Source::Lamport(count) => *count = saved.logical.1,
            Source::Vector { clock, .. } => *clock = saved.vector,
            _ => {}
        }
    }

    /// Copies what is stored.
    pub(crate) fn snapshot(&mut self) {
        match &self.source {
            Source::Bump { ids, .. } | Source::Guid { ids, .. } => {
                self.saved.reserved = ids.reserved;
            }
            Source::Hlc { ns, count } => self.saved.logical = (*ns, (*count).into()),
            Source::Lamport(count) => self.saved.logical = (0, *count),
            Source::Vector { ids, clock } => {
                self.saved.reserved = ids.reserved;
                self.saved.vector.clone_from(clock);
            }
            _ => {}
        }
    }

    /// Returns a copy that reads another clock: a machine that was cloned while it ran.
    pub(crate) fn twin(&self, clock: LocalClock) -> Self {
        let twin = |ids: &Strict| Strict {
            reserved: ids.reserved,
            ..Strict::new(self.node, clock.clone(), self.observe, ids.ids.last())
        };
        let source = match &self.source {
            Source::Bump { drift, ids } => Source::Bump { drift: *drift, ids: twin(ids) },
            Source::Counter(count) => Source::Counter(*count),
            Source::Guid { drift, ids } => Source::Guid { drift: *drift, ids: twin(ids) },
            Source::Hlc { ns, count } => Source::Hlc { ns: *ns, count: *count },
            Source::Lamport(count) => Source::Lamport(*count),
            Source::Snowflake(ids) => Source::Snowflake(ids.clone()),
            Source::Ulid(ids) => Source::Ulid(ids.clone()),
            Source::Uuid7(random) => Source::Uuid7(random.clone()),
            Source::Upstream { drift, ids } => Source::Upstream { drift: *drift, ids: ids.clone() },
            Source::Vector { ids, clock } => {
                Source::Vector { ids: twin(ids), clock: clock.clone() }
            }
        };
        Self { node: self.node, clock, observe: self.observe, source, saved: self.saved.clone() }
    }

    /// Bears another node's ID from here on.
    pub(crate) fn take_node(&mut self, node: NodeId) {
        self.node = node;
        let (clock, observe) = (self.clock.clone(), self.observe);
        if let Source::Bump { ids, .. } | Source::Guid { ids, .. } | Source::Vector { ids, .. } =
            &mut self.source
        {
            *ids = Strict::new(node, clock, observe, ids.ids.last());
        }
    }

    pub(crate) fn clock(&self) -> LocalClock {
        self.clock.clone()
    }

    /// Says what the random bits of the next ID are, if it has any.
    pub(crate) fn give(&mut self, bits: u128) {
        match &mut self.source {
            Source::Ulid(ids) => ids.give(bits),
            Source::Uuid7(random) => *random = RandomBits::Given(bits),
            _ => {}
        }
    }

    /// Stamps an event.
    pub(crate) fn stamp(&mut self) -> Stamped {
        let (now, node) = (self.clock.unix_nanos(), self.node);
        match &mut self.source {
            Source::Counter(count) => {
                *count += 1;
                let (node, count) = (u128::from(node.as_u32()), u128::from(*count));
                Stamped { k: node << 64 | count, time: count << 32 | node, ns: 0, tail: 0 }
            }
            Source::Guid { drift: None, ids } => {
                let id = ids.next();
                one_order(time_key(id), id.unix_nanos(), TIME_KEY_TAIL)
            }
            Source::Bump { drift, ids } | Source::Guid { drift: Some(drift), ids } => {
                two_orders(Guid::new(*drift, node, ids.next().stamp()))
            }
            Source::Upstream { drift, ids } => two_orders(ids.next(*drift, node, now)),
            Source::Snowflake(ids) => {
                let id = ids.next(now);
                one_order(id.into(), Snowflake::ns(id), Snowflake::TAIL)
            }
            Source::Ulid(ids) => {
                let id = ids.next(now);
                one_order(id, milliseconds::ns_of(id), milliseconds::RANDOM_BITS)
            }
            Source::Uuid7(random) => {
                let id = milliseconds::random_id(now, random);
                one_order(id, milliseconds::ns_of(id), milliseconds::RANDOM_BITS)
            }
            Source::Lamport(count) => {
                *count += 1;
                one_order(u128::from(*count) << 32 | u128::from(node.as_u32()), 0, 0)
            }
            Source::Hlc { ns, count } => {
                (*ns, *count) = hlc_next(*ns, *count, now);
                one_order(hlc_key(*ns, *count, node), *ns, 64)
            }
            Source::Vector { ids, clock } => {
                let id = ids.next();
                clock.record(Dot::from(id));
                one_order(time_key(id), id.unix_nanos(), 0)
            }
        }
    }

    /// Takes note of the ID on a message, in time order, and of its vector clock. `Err` says that
    /// it was refused, with nothing changed.
    pub(crate) fn observe(
        &mut self,
        received: u128,
        vector: Option<&VectorClock>,
    ) -> Result<(), Refused> {
        if self.observe == Observe::Off {
            return Ok(());
        }
        let now = self.clock.unix_nanos();
        match &mut self.source {
            Source::Counter(_)
            | Source::Snowflake(_)
            | Source::Ulid(_)
            | Source::Upstream { .. }
            | Source::Uuid7(_) => {}
            Source::Guid { ids, .. } => ids.ids.observe(id_of_time_key(received))?,
            Source::Bump { drift, ids } => {
                let id = id_of_time_key(received);
                ids.ids.observe(id)?;
                bump(Guid::new(*drift, id.node(), id.stamp()), ids, now)?;
            }
            Source::Lamport(count) => *count = (*count).max((received >> 32) as u64),
            Source::Hlc { ns, count } => {
                let seen = ((received >> 64) as u64, (received >> 32) as u32);
                if let Observe::Reject(bound) = self.observe
                    && seen.0 > now.saturating_add(bound)
                {
                    return Err(Refused);
                }
                (*ns, *count) = (*ns, *count).max(seen);
            }
            Source::Vector { ids, clock } => {
                ids.ids.observe(id_of_time_key(received))?;
                if let Some(vector) = vector {
                    clock.join(vector);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn node(&self) -> NodeId {
        self.node
    }

    /// The drift code of its IDs, where the scheme has one.
    pub(crate) fn drift(&self) -> Drift {
        match &self.source {
            Source::Bump { drift, .. }
            | Source::Guid { drift: Some(drift), .. }
            | Source::Upstream { drift, .. } => *drift,
            _ => Drift::default(),
        }
    }

    /// The vector clock of the last event, if the scheme has one.
    pub(crate) fn vector(&self) -> Option<&VectorClock> {
        match &self.source {
            Source::Vector { clock, .. } => Some(clock),
            _ => None,
        }
    }
}

/// Goes on to the next window if the next ID would sort before the received one by its bytes.
fn bump(received: Guid, ids: &mut Strict, now: u64) -> Result<(), ObserveError> {
    let (drift, own) = (received.drift(), ids.ids.node());
    let next = ids.ids.last().max(Stamp::from_unix_nanos(now)).next().unwrap_or(Stamp::MAX);
    if Guid::new(drift, own, next) > received {
        return Ok(());
    }
    let window = drift.window().as_nanos() as u64;
    let start = (received.unix_nanos() / window + 1).saturating_mul(window);
    // The last stamp before the window: what is issued next is in it.
    let before = Stamp::from_unix_nanos(start).as_u64().saturating_sub(1);
    let before = Stamp::from_u64(before).unwrap_or(Stamp::MAX);
    ids.ids.observe(Guid::new(drift, received.node(), before))
}

/// An ID whose bytes are in time order; its lowest `tail` bits decide inside a window.
fn one_order(key: u128, ns: u64, tail: u32) -> Stamped {
    Stamped { k: key, time: key, ns, tail: key & ((1 << tail) - 1) }
}

fn two_orders(id: Guid) -> Stamped {
    let tail = id.node().as_u32().into();
    Stamped { k: id.to_u128(), time: time_key(id), ns: id.unix_nanos(), tail }
}

/// Sequence and node, below the tick of a time key.
const TIME_KEY_TAIL: u32 = 14 + 32;

/// (stamp, node) as a number: compares as [`ByTime`] does for IDs of one drift code.
pub(crate) fn time_key(id: Guid) -> u128 {
    u128::from(id.stamp().as_u64()) << 32 | u128::from(id.node().as_u32())
}

fn id_of_time_key(key: u128) -> Guid {
    let stamp = Stamp::from_u64((key >> 32) as u64).unwrap_or(Stamp::MAX);
    Guid::new(Drift::default(), NodeId::new(key as u32), stamp)
}

/// The local rule of a hybrid clock; a full counter carries into the time, so it stays strict.
fn hlc_next(ns: u64, count: u32, now: u64) -> (u64, u32) {
    match (now > ns, count.checked_add(1)) {
        (true, _) => (now, 0),
        (false, Some(count)) => (ns, count),
        (false, None) => (ns + 1, 0),
    }
}

fn hlc_key(ns: u64, count: u32, node: NodeId) -> u128 {
    u128::from(ns) << 64 | u128::from(count) << 32 | u128::from(node.as_u32())
}

/// The ID of a key in k-order, as people know it.
pub(crate) fn id_text(scheme: Scheme, key: u128) -> String {
    let mut text = String::new();
    write_id(&mut text, scheme, key);
    text
}

/// Writes the ID of a key in k-order.
pub(crate) fn write_id(out: &mut String, scheme: Scheme, key: u128) {
    // Writing to a string does not fail.
    let mut write = |text: fmt::Arguments<'_>| out.write_fmt(text).unwrap_or_default();
    match scheme {
        Scheme::Bump(_) | Scheme::Guid96(_) | Scheme::Mixed | Scheme::Upstream(_) => {
            if let Some(id) = Guid::from_u128(key) {
                out.push_str(id.to_lex().as_str());
            }
        }
        Scheme::Guid64 => write(format_args!("{}", id_of_time_key(key).to_local().1)),
        Scheme::Snowflake => write(format_args!("{key}")),
        Scheme::Ulid => out.push_str(&milliseconds::ulid_text(key)),
        Scheme::Uuid7 => out.push_str(&milliseconds::uuid7_text(key)),
        Scheme::Counter => write(format_args!("{:08x}:{}", (key >> 64) as u32, key as u64)),
        Scheme::Lamport => write(format_args!("{}:{:08x}", (key >> 32) as u64, key as u32)),
        Scheme::Hlc => {
            let (ns, count) = ((key >> 64) as u64, (key >> 32) as u32);
            write(format_args!("{ns}.{count}:{:08x}", key as u32));
        }
        Scheme::Vector => write(format_args!("{}", ByTime(id_of_time_key(key)).0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_keys_compare_as_time_order_and_read_back() {
        let ids = [(0, 1), (1, 0), (1, 1), (1 << 60, 7)].map(|(stamp, node)| {
            Guid::new(Drift::D3, NodeId::new(node), Stamp::from_u64(stamp).unwrap())
        });
        for a in ids {
            assert_eq!(id_of_time_key(time_key(a)), a);
            for b in ids {
                assert_eq!(time_key(a).cmp(&time_key(b)), a.time_cmp(&b));
            }
        }
    }

    #[test]
    fn a_high_water_mark_outlives_amnesia_and_a_clock_set_back() {
        let clock = LocalClock::default();
        let new = |memory| {
            clock.set(1 << 50);
            let setup = Setup {
                node: NodeId::new(1),
                machine: NodeIndex::new(0),
                clock: clock.clone(),
                sequence: Stamp::MIN,
                random: crate::Streams::new(1).of_world(crate::Purpose::RandomIds).into(),
            };
            let mut stamper = Stamper::new(Scheme::Guid64, &setup, Observe::Follow);
            let last = (0..100).map(|_| stamper.stamp().k).last().unwrap();
            clock.set(1 << 40);
            stamper.restart(memory, NodeId::new(2), Stamp::MIN, Storage::Kept);
            (last, stamper.stamp().k)
        };
        let (last, next) = new(Memory::HighWater);
        assert!(next > last);
        let (last, next) = new(Memory::Amnesia);
        assert!(next < last);
    }
}
