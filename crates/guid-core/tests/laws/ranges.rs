//! Ranges of time, against the order of every ID in them.

use std::collections::BTreeSet;

use guid_core::{Drift, Guid, NodeId, Stamp, Tick, millis_of_ulid, millis_of_uuid_v7};
use proptest::prelude::*;

use crate::spec::{Fractions, TICK_NS, below, cases, code, fractions, node, seq, window_ns};

/// A moment, and IDs around it: many in its window, some in its very tick.
fn around() -> impl Strategy<Value = (u64, Vec<Fractions>)> {
    let place = prop_oneof![-2..3_i64, -600_000..600_000_i64, any::<i64>()];
    let id = (place, node(), seq());
    (below(u64::MAX), code(), prop::collection::vec(id, 1..40)).prop_map(|(nanos, code, ids)| {
        let tick = |by: i64| (nanos / TICK_NS).saturating_add_signed(by).min(Tick::MAX.as_u64());
        let id = |(by, node, seq)| Fractions { code, node, tick: tick(by), seq };
        (nanos, ids.into_iter().map(id).collect())
    })
}

proptest! {
    #![proptest_config(cases())]

    /// Nothing made at the moment or after it lies below `first_at`, nor before it above `last_at`.
    #[test]
    fn bounds_hold_for_every_node((nanos, ids) in around()) {
        let drift = Drift::from_code(ids[0].code).unwrap();
        let (first, last) = (Guid::first_at(drift, nanos), Guid::last_at(drift, nanos));
        for id in ids {
            let (tick, id) = (id.tick, id.to_guid());
            prop_assert!(tick < nanos / TICK_NS || first <= id, "{id} below {first}");
            prop_assert!(tick > nanos / TICK_NS || id <= last, "{id} above {last}");
        }
    }

    /// The bounds are IDs of the tick: one more would leave one out.
    #[test]
    fn bounds_are_tight(nanos in below(u64::MAX), code in code()) {
        let drift = Drift::from_code(code).unwrap();
        for bound in [Guid::first_at(drift, nanos), Guid::last_at(drift, nanos)] {
            prop_assert_eq!((bound.drift(), bound.tick().as_u64()), (drift, nanos / TICK_NS));
        }
    }

    /// A scan, filtered, is what a search through everything finds; what it filters away is within
    /// a window of the ends.
    #[test]
    fn a_filtered_scan_is_brute_force(
        (from, ids) in around(),
        length in prop_oneof![0..TICK_NS, below(1 << 45)],
        others in prop::collection::vec(fractions(), 0..10),
    ) {
        let code = ids[0].code;
        let (drift, to) = (Drift::from_code(code).unwrap(), from.saturating_add(length));
        let index: BTreeSet<Guid> =
            ids.iter().chain(&others).map(|fractions| fractions.to_guid()).collect();
        let ticks = from / TICK_NS..=to / TICK_NS;
        let wanted = |id: &&Guid| ticks.contains(&id.tick().as_u64());
        let scanned: Vec<_> = index.range(Guid::scan(drift, from, to)).collect();
        let found: Vec<_> = scanned.iter().copied().filter(wanted).collect();
        let brute: Vec<_> = index.iter().filter(|id| id.drift() == drift).filter(wanted).collect();
        prop_assert_eq!(found, brute);
        for id in scanned {
            prop_assert_eq!(id.drift(), drift);
            let window = u128::from(window_ns(code));
            let (low, high) = (u128::from(from) / window, u128::from(to) / window);
            prop_assert!((low..=high).contains(&(u128::from(id.unix_nanos()) / window)));
        }
    }

    /// The 48 bits on top, whatever stands below; a version or variant of another kind is refused.
    #[test]
    fn milliseconds_of_strangers(millis in below(1 << 48), low in any::<u128>()) {
        let bits = u128::from(millis) << 80 | low >> 48;
        prop_assert_eq!(millis_of_ulid(bits), millis);
        let v7 = bits & !(0xf << 76) & !(3 << 62) | 7 << 76 | 2 << 62;
        prop_assert_eq!(millis_of_uuid_v7(v7), Some(millis));
        for wrong in [1_u128 << 76, 2 << 76, 4 << 76, 8 << 76, 1 << 62, 2 << 62] {
            prop_assert_eq!(millis_of_uuid_v7(v7 ^ wrong), None);
        }
    }

    /// Every nanosecond of the millisecond is in its range, for every node.
    #[test]
    fn a_millisecond_is_a_range(
        millis in 0..18_446_744_073_709_u64,
        nanos in 0..1_000_000_u64,
        (node, code) in (node(), code()),
    ) {
        let drift = Drift::from_code(code).unwrap();
        let stamp = Stamp::from_unix_nanos(millis * 1_000_000 + nanos);
        let range = Guid::scan_of_millis(drift, millis);
        prop_assert!(range.contains(&Guid::new(drift, NodeId::new(node), stamp)));
    }
}

/// Milliseconds go on to the year 10889; IDs end in 2554.
#[test]
fn after_the_end_of_time_is_its_last_tick() {
    let range = Guid::scan_of_millis(Drift::D0, (1 << 48) - 1);
    assert_eq!((range.start().tick(), range.end().stamp()), (Tick::MAX, Stamp::MAX));
}
