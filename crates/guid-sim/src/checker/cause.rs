//! Why two IDs are in the wrong order: the cause of a witness, from the facts of its two events.
//!
//! What an ID says of its time comes first: inside one unit of it (a window, a tick, a millisecond)
//! something else decides, and which thing that is depends on the scheme. Where the unit of the
//! earlier event is the later one, the clocks were apart, or one was stepped, or the stamp ran
//! ahead of its clock. On one node the clock went back, or a sequence wrapped, or a restart forgot.
//!
//! # Invariants
//!
//! A cause has no numbers in it: two runs that fail of the same cause say so in the same words,
//! which is what a run is shrunk by. The numbers stand with the events.

use guid_core::Guid;

use super::{Keyed, Order};
use crate::{Event, EventKind, NodeIndex, Scheme, stamper::time_bits};

/// How many jumps of all clocks are remembered.
const MOST_JUMPS: usize = 1 << 14;

/// How far clocks were stepped, and when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jumps(Vec<(NodeIndex, u64, i64)>);

impl Jumps {
    /// Takes note of an event that stepped a clock. Of very many, the first are remembered.
    pub(crate) fn event(&mut self, event: &Event) {
        if let EventKind::ClockFault { by_ns } = event.kind
            && self.0.len() < MOST_JUMPS
        {
            self.0.push((event.node, event.number, by_ns));
        }
    }

    /// How far the clock of an event had been stepped by then, in all.
    fn before(&self, event: &Event) -> i128 {
        let earlier = self.0.iter().filter(|jump| jump.0 == event.node && jump.1 < event.number);
        earlier.map(|&(.., by_ns)| i128::from(by_ns)).sum()
    }
}

/// What there is to know beside the two events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// `None` for IDs of which nothing is known but how they compare.
    pub(crate) scheme: Option<Scheme>,
    /// The order that the keys of the case compare by.
    pub(crate) order: Order,
    /// Whether nodes promise to go on above what they receive.
    pub(crate) promises: bool,
    pub(crate) jumps: &'a Jumps,
}

impl Facts<'_> {
    /// Why the second ID is not above the first, which was made before it.
    pub(crate) fn cause(&self, first: &Keyed, second: &Keyed) -> &'static str {
        let (a, b) = (&first.event, &second.event);
        match self.scheme {
            _ if a.node == b.node => self.on_one_node(first, second),
            _ if first.key == second.key => "two live nodes share one node ID",
            Some(scheme) => self.between_nodes(scheme, first, second),
            None if b.local_ns < a.local_ns => self.skew(a, b),
            None => "the IDs of two nodes are in another order than their times",
        }
    }

    fn on_one_node(&self, first: &Keyed, second: &Keyed) -> &'static str {
        let (a, b) = (&first.event, &second.event);
        let back = b.local_ns < a.local_ns;
        match self.scheme {
            _ if a.incarnation != b.incarnation => {
                "the source forgot at a restart what it had made"
            }
            _ if back => "the clock went back",
            Some(Scheme::Upstream(_)) if self.is_one_tick(first, second) => {
                "the sequence wrapped inside a tick"
            }
            Some(scheme @ (Scheme::Uuid7 | Scheme::Ulid))
                if self.is_one_unit(scheme, first, second) =>
            {
                "inside a millisecond random bits decide, not the time"
            }
            _ => "the source made an ID that is not above its last one",
        }
    }

    fn between_nodes(&self, scheme: Scheme, first: &Keyed, second: &Keyed) -> &'static str {
        let (a, b) = (&first.event, &second.event);
        if self.is_of_two_codes(first, second) {
            return "drift codes differ, and sort before time";
        }
        if self.promises && b.incarnation > 1 {
            return "the node forgot at a restart what it had taken in";
        }
        match scheme {
            Scheme::Lamport => "the counts of two nodes are apart: none followed the other's",
            _ if self.is_one_unit(scheme, first, second) => self.inside(scheme, first, second),
            _ if b.local_ns < a.local_ns => self.skew(a, b),
            // The clocks were right about the two: so the earlier stamp was ahead of its own.
            _ => "the first stamp ran ahead of its clock, after what the node had seen",
        }
    }

    /// What decides between two IDs of one window, tick or millisecond.
    fn inside(&self, scheme: Scheme, first: &Keyed, second: &Keyed) -> &'static str {
        let by_bytes = scheme.has_two_orders() && self.order == Order::Bytes;
        match scheme {
            _ if by_bytes && node_of(first.key) == node_of(second.key) => {
                "two live nodes share one node ID"
            }
            _ if by_bytes => "inside a window the node decides, not the time",
            Scheme::Uuid7 | Scheme::Ulid => "inside a millisecond random bits decide, not the time",
            Scheme::Snowflake => "inside a millisecond the machine decides, not the time",
            Scheme::Hlc => "of one time the counter and the node decide",
            _ => "inside a tick the sequence and the node decide, not the time",
        }
    }

    /// The clock of the first was ahead of the second's by more than the time between them.
    fn skew(&self, a: &Event, b: &Event) -> &'static str {
        let (of_a, of_b) = (self.jumps.before(a), self.jumps.before(b));
        let without = (i128::from(a.local_ns) - of_a) - (i128::from(b.local_ns) - of_b);
        if of_a == of_b || without > 0 {
            "the first clock was ahead of the second by more than the time between the events"
        } else if of_a > 0 && of_a >= -of_b {
            "the first clock had been stepped ahead"
        } else {
            "the second clock had been stepped back"
        }
    }

    fn is_of_two_codes(&self, first: &Keyed, second: &Keyed) -> bool {
        let by_bytes = self.scheme == Some(Scheme::Mixed) && self.order == Order::Bytes;
        by_bytes && code_of(first.key) != code_of(second.key)
    }

    fn is_one_unit(&self, scheme: Scheme, first: &Keyed, second: &Keyed) -> bool {
        let below = time_bits(scheme, self.order == Order::Bytes, first.key);
        first.key >> below == second.key >> below
    }

    /// Whether two IDs of one node bear one tick, whichever order their keys are in.
    fn is_one_tick(&self, first: &Keyed, second: &Keyed) -> bool {
        let tick = |keyed: &Keyed| match self.order {
            Order::Bytes => Guid::from_u128(keyed.key).map(|id| id.stamp().as_u64() >> 14),
            Order::Time => Some((keyed.key >> 46) as u64),
        };
        tick(first) == tick(second)
    }
}

fn code_of(key: u128) -> Option<u8> {
    Guid::from_u128(key).map(|id| id.drift().code())
}

fn node_of(key: u128) -> Option<u32> {
    Guid::from_u128(key).map(|id| id.node().as_u32())
}
