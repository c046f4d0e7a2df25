//! Strategies for property tests (feature `proptest`): every type, and its edges often.
//!
//! A uniform 61-bit stamp is never near anything. These are: near zero, the end of time, the
//! boundary of a window (where k-order turns), and the last sequence of a tick (where it carries).
//!
//! # Examples
//!
//! ```
//! use guid_core::{ByTime, Guid, strategies};
//! use proptest::prelude::*;
//!
//! proptest!(|(id: Guid, stamp in strategies::stamp())| {
//!     prop_assert_eq!(Guid::from_hex(&id.to_hex()), Ok(id));
//!     let later = stamp.next().map(|next| Guid::new(id.drift(), id.node(), next));
//!     let at = Guid::new(id.drift(), id.node(), stamp);
//!     prop_assert!(later.is_none_or(|later| ByTime(later) > ByTime(at)));
//! });
//! ```

use proptest::prelude::*;

use crate::{Drift, Guid, LocalId, NodeId, Seq, Stamp, Tick, layout};

/// Any of the eight drifts.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::drift;
/// use proptest::prelude::*;
///
/// proptest!(|(drift in drift())| prop_assert!(drift.code() < 8));
/// ```
pub fn drift() -> BoxedStrategy<Drift> {
    prop::sample::select(&Drift::ALL[..]).boxed()
}

/// Any node; often the first, the last, or one of a few, so that nodes meet again.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::node;
/// use proptest::prelude::*;
///
/// proptest!(|(node in node())| prop_assert!(node.to_string().len() == 8));
/// ```
pub fn node() -> BoxedStrategy<NodeId> {
    prop_oneof![any::<u32>(), 0..4_u32, Just(u32::MAX)].prop_map(NodeId::new).boxed()
}

/// Any sequence; often one of the first, or of the last, where it carries.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::seq;
/// use proptest::prelude::*;
///
/// proptest!(|(seq in seq())| prop_assert!(seq.as_u16() < 16_384));
/// ```
pub fn seq() -> BoxedStrategy<Seq> {
    let max = Seq::MAX.as_u16();
    let seq = prop_oneof![0..=max, 0..4_u16, max - 4..=max];
    seq.prop_map(|seq| Stamp::from_masked(seq.into()).seq()).boxed()
}

/// Any tick; often near the boundary of a window, zero, or the end of time.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::tick;
/// use proptest::prelude::*;
///
/// proptest!(|(tick in tick())| prop_assert!(tick.as_u64() < 1 << 47));
/// ```
pub fn tick() -> BoxedStrategy<Tick> {
    let max = Tick::MAX.as_u64();
    prop_oneof![
        2 => 0..=max,
        2 => near_window_edge(),
        1 => 0..4_u64,
        1 => max - 4..=max,
    ]
    .prop_map(|tick| Tick::from_unix_nanos(tick * Tick::NANOS))
    .boxed()
}

/// The number of a tick at most two away from where a window begins.
fn near_window_edge() -> impl Strategy<Value = u64> {
    (drift(), any::<u64>(), 0..=4_u64).prop_map(|(drift, window, away)| {
        let ticks = layout::window_ns(drift.code()) / Tick::NANOS;
        let windows = (Tick::MAX.as_u64() + 1) / ticks;
        // The first window is left out: nothing lies two ticks before it.
        (1 + window % (windows - 1)) * ticks + away - 2
    })
}

/// Any stamp: a [`tick`] and a [`seq`], each with its edges.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::stamp;
/// use proptest::prelude::*;
///
/// proptest!(|(stamp in stamp())| prop_assert!(stamp.inverse().inverse() == stamp));
/// ```
pub fn stamp() -> BoxedStrategy<Stamp> {
    (tick(), seq()).prop_map(|(tick, seq)| Stamp::new(tick, seq)).boxed()
}

/// Any global ID, its fractions with their edges.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::guid;
/// use proptest::prelude::*;
///
/// proptest!(|(id in guid())| prop_assert!(id.to_lex().parse() == Ok(id)));
/// ```
pub fn guid() -> BoxedStrategy<Guid> {
    (drift(), node(), stamp()).prop_map(|(d, node, stamp)| Guid::new(d, node, stamp)).boxed()
}

/// Any local ID, its fractions with their edges.
///
/// # Examples
///
/// ```
/// use guid_core::strategies::local_id;
/// use proptest::prelude::*;
///
/// proptest!(|(id in local_id())| prop_assert!(id.to_lex().parse() == Ok(id)));
/// ```
pub fn local_id() -> BoxedStrategy<LocalId> {
    (drift(), stamp()).prop_map(|(drift, stamp)| LocalId::new(drift, stamp)).boxed()
}

macro_rules! arbitrary {
    ($($id:ident: $strategy:ident;)+) => {
        $(impl Arbitrary for $id {
            type Parameters = ();
            type Strategy = BoxedStrategy<Self>;

            fn arbitrary_with((): ()) -> BoxedStrategy<Self> {
                $strategy()
            }
        })+
    };
}

arbitrary! {
    Drift: drift;
    NodeId: node;
    Seq: seq;
    Tick: tick;
    Stamp: stamp;
    Guid: guid;
    LocalId: local_id;
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    /// Each edge comes up, in a thousand stamps of a fixed seed, more than chance would ever do.
    #[test]
    fn stamps_hit_their_edges() {
        let mut runner = TestRunner::deterministic();
        let mut hits = BTreeMap::new();
        for _ in 0..1_000 {
            let stamp = stamp().new_tree(&mut runner).unwrap().current();
            let in_window = stamp.unix_nanos() % layout::window_ns(0);
            let names = [
                (stamp.seq() == Seq::MAX, "carry"),
                (stamp.next().is_none(), "end of time"),
                (stamp.tick() == Tick::default(), "beginning"),
                (in_window == 0 && stamp > Stamp::MAX.inverse(), "start of a window"),
                (in_window == layout::window_ns(0) - Tick::NANOS, "end of a window"),
            ];
            for (_, name) in names.iter().filter(|(hit, _)| *hit) {
                *hits.entry(*name).or_insert(0) += 1;
            }
        }
        assert_eq!(hits.len(), 5, "{hits:?}");
    }
}
