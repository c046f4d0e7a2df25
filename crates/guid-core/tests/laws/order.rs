//! The two orders, and the bound that ties k-order to true time.

use core::cmp::Ordering;

use guid_core::{ByTime, Drift, Guid, NodeId, Stamp};
use proptest::prelude::*;

use crate::spec::{Fractions, TICK_NS, below, cases, code, fractions, guid, node, window_ns};

/// What a node stamps at a true time when its clock is off by `offset` ns.
fn stamped(code: u8, node: u32, true_ns: u64, offset: i64) -> Guid {
    let drift = Drift::from_code(code).expect("a code");
    let reading = true_ns.checked_add_signed(offset).expect("in range");
    Guid::new(drift, NodeId::new(node), Stamp::from_unix_nanos(reading))
}

/// Offsets up to an hour: more than most windows.
const OFFSET_NS_MAX: i64 = 3_600_000_000_000;
/// A range of true time that stays inside 64 bits with the largest window and offsets.
const TIME_NS_MAX: u64 = 1 << 63;

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn k_order_is_the_order_of_the_bytes(a in guid(), b in guid()) {
        prop_assert_eq!(a.cmp(&b), a.to_bytes().cmp(&b.to_bytes()));
        prop_assert_eq!(a.cmp(&b), a.to_u128().cmp(&b.to_u128()));
        prop_assert_eq!(a == b, a.to_bytes() == b.to_bytes());
    }

    #[test]
    fn k_order_on_one_node_is_the_order_of_stamps(a in fractions(), b in fractions()) {
        let b = Fractions { node: a.node, code: a.code, ..b };
        prop_assert_eq!(a.to_guid().cmp(&b.to_guid()), a.stamp().cmp(&b.stamp()));
        prop_assert_eq!(a.to_local().cmp(&b.to_local()), a.stamp().cmp(&b.stamp()));
    }

    #[test]
    fn k_order_puts_the_code_first(a in fractions(), b in fractions()) {
        prop_assume!(a.code != b.code);
        prop_assert_eq!(a.to_guid().cmp(&b.to_guid()), a.code.cmp(&b.code));
        prop_assert_eq!(a.to_local().cmp(&b.to_local()), a.code.cmp(&b.code));
    }

    /// A true gap of W + E or more is in the right order, whoever made the two IDs.
    #[test]
    fn a_gap_of_window_and_skew_is_ordered(
        code in code(),
        (first, second) in (node(), node()),
        start in (1_u64 << 42)..TIME_NS_MAX,
        (e1, e2) in (-OFFSET_NS_MAX..=OFFSET_NS_MAX, -OFFSET_NS_MAX..=OFFSET_NS_MAX),
        beyond in below(1 << 44),
    ) {
        let skew = e1.abs_diff(e2);
        let gap = window_ns(code) + skew + beyond;
        let a = stamped(code, first, start, e1);
        let b = stamped(code, second, start + gap, e2);
        prop_assert!(a < b, "{a} {b}");
    }

    /// The bound is tight: one nanosecond less can be wrong, for every skew and window.
    #[test]
    fn a_smaller_gap_can_be_out_of_order(
        code in code(),
        nodes in (node(), node()).prop_filter("two nodes", |(a, b)| a != b),
        window in 1_u64 << 8..1 << 20,
        skew in 0..OFFSET_NS_MAX,
    ) {
        let (low, high) = (nodes.0.min(nodes.1), nodes.0.max(nodes.1));
        // The first reads the start of a window; the second is slow by the skew, and reads its end.
        let start = window * window_ns(code);
        let gap = window_ns(code) + skew.unsigned_abs() - 1;
        let a = stamped(code, high, start, 0);
        let b = stamped(code, low, start + gap, -skew);
        prop_assert!(a > b, "{a} {b}");
    }

    #[test]
    fn inside_a_window_the_greater_node_wins(
        code in code(),
        nodes in (node(), node()).prop_filter("two nodes", |(a, b)| a != b),
        window in 0_u64..1 << 20,
        (x, y) in (any::<u64>(), any::<u64>()),
    ) {
        let at = |place: u64| window * window_ns(code) + place % window_ns(code);
        let a = stamped(code, nodes.0, at(x), 0);
        let b = stamped(code, nodes.1, at(y), 0);
        prop_assert_eq!(a.cmp(&b), nodes.0.cmp(&nodes.1));
    }

    /// One nanosecond over the edge decides, whatever the nodes.
    #[test]
    fn a_window_ends_where_it_ends(
        code in code(),
        nodes in (node(), node()),
        window in 1_u64..1 << 20,
    ) {
        let edge = window * window_ns(code);
        let last = stamped(code, nodes.0, edge - 1, 0);
        let first = stamped(code, nodes.1, edge, 0);
        prop_assert!(last < first);
        prop_assert_eq!(first.unix_nanos() - last.unix_nanos(), TICK_NS);
    }

    #[test]
    fn time_order_is_stamp_then_node_then_code(a in fractions(), b in fractions()) {
        let key = |f: Fractions| (f.tick, f.seq, f.node, f.code);
        prop_assert_eq!(a.to_guid().time_cmp(&b.to_guid()), key(a).cmp(&key(b)));
    }

    #[test]
    fn time_order_is_total(a in guid(), b in guid(), c in guid()) {
        let [x, y, z] = [ByTime(a), ByTime(b), ByTime(c)];
        prop_assert_eq!(x.cmp(&y), y.cmp(&x).reverse());
        prop_assert_eq!(x.cmp(&y).is_eq(), a == b);
        prop_assert_eq!(x.partial_cmp(&y), Some(x.cmp(&y)));
        prop_assert_eq!(a.time_cmp(&b), x.cmp(&y));
        if x.cmp(&y) != Ordering::Greater && y.cmp(&z) != Ordering::Greater {
            prop_assert_ne!(x.cmp(&z), Ordering::Greater);
        }
    }

    /// IDs that share a stamp, or a stamp and a node: where ties are broken.
    #[test]
    fn ties_of_time_order_are_broken_the_same_way(
        a in fractions(),
        node in node(),
        code in code(),
    ) {
        let other = Fractions { node, ..a };
        prop_assert_eq!(a.to_guid().time_cmp(&other.to_guid()), a.node.cmp(&node));
        let other = Fractions { code, ..a };
        prop_assert_eq!(a.to_guid().time_cmp(&other.to_guid()), a.code.cmp(&code));
    }
}
