//! Packing is a bijection; splitting, inverting and embedding lose nothing.

use core::time::Duration;

use guid_core::{Drift, Guid, LocalId, NodeId, Seq, Stamp, Tick};
use proptest::prelude::*;

use crate::spec::{
    Fractions, SEQS, STAMPS, TICK_NS, TICKS, below, cases, code, fractions, guid, local, window_ns,
};

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn packing_is_what_the_spec_says(fractions in fractions()) {
        let Fractions { code, node, tick, seq } = fractions;
        let (global, local) = (fractions.to_guid(), fractions.to_local());
        prop_assert_eq!(global.to_u128(), fractions.global());
        prop_assert_eq!(local.as_u64(), fractions.local());
        let stamp = global.stamp();
        prop_assert_eq!(stamp.as_u64(), fractions.stamp());
        prop_assert_eq!(stamp, local.stamp());
        prop_assert_eq!((global.drift().code(), local.drift().code()), (code, code));
        prop_assert_eq!(global.node(), NodeId::new(node));
        prop_assert_eq!((global.tick().as_u64(), global.seq().as_u16()), (tick, seq));
        prop_assert_eq!((local.tick().as_u64(), local.seq().as_u16()), (tick, seq));
        prop_assert_eq!(global.unix_nanos(), tick * TICK_NS);
        prop_assert_eq!(local.unix_nanos(), tick * TICK_NS);
    }

    #[test]
    fn every_pattern_of_bits_is_the_pack_of_its_fractions(id in guid(), local in local()) {
        prop_assert_eq!(Guid::new(id.drift(), id.node(), id.stamp()), id);
        prop_assert_eq!(LocalId::new(local.drift(), local.stamp()), local);
        prop_assert_eq!(Guid::from_bytes(id.to_bytes()), id);
        prop_assert_eq!(Guid::try_from(&id.as_bytes()[..]), Ok(id));
        prop_assert_eq!(Guid::from_u128(id.to_u128()), Some(id));
        prop_assert_eq!(Guid::from(<[u8; 12]>::from(id)), id);
        prop_assert_eq!(LocalId::from_bytes(local.to_bytes()), local);
        prop_assert_eq!(LocalId::from_u64(local.as_u64()), local);
    }

    #[test]
    fn a_global_is_a_node_and_a_local(id in guid(), node: u32) {
        let (own, local) = id.to_local();
        prop_assert_eq!(local.to_global(own), id);
        let moved = local.to_global(NodeId::new(node));
        prop_assert_eq!(moved.to_local(), (NodeId::new(node), local));
    }

    #[test]
    fn the_bytes_of_another_length_are_no_id(bytes: Vec<u8>) {
        prop_assert_eq!(Guid::try_from(&*bytes).is_ok(), bytes.len() == 12);
        prop_assert_eq!(LocalId::try_from(&*bytes).is_ok(), bytes.len() == 8);
    }

    #[test]
    fn a_fraction_fits_or_is_refused(number: u64, small: u16, code: u8) {
        prop_assert_eq!(Tick::new(number).is_ok(), number < TICKS);
        prop_assert_eq!(Stamp::from_u64(number).is_ok(), number < STAMPS);
        prop_assert_eq!(Seq::new(small).is_ok(), u64::from(small) < SEQS);
        prop_assert_eq!(Drift::from_code(code).is_ok(), code < 8);
        prop_assert_eq!(Guid::from_u128(u128::from(number) << 64).is_some(), number < 1 << 32);
    }

    #[test]
    fn a_moment_is_its_tick(nanos: u64) {
        prop_assert_eq!(Tick::from_unix_nanos(nanos).as_u64(), nanos / TICK_NS);
        prop_assert_eq!(Stamp::from_unix_nanos(nanos).as_u64(), nanos / TICK_NS * SEQS);
        prop_assert_eq!(Stamp::from_unix_nanos(nanos).unix_nanos(), nanos - nanos % TICK_NS);
    }

    #[test]
    fn inverse_is_an_involution_that_reverses(
        a in below(STAMPS),
        b in below(STAMPS),
        id in guid(),
    ) {
        let (a, b) = (Stamp::from_u64(a).unwrap(), Stamp::from_u64(b).unwrap());
        prop_assert_eq!(a.inverse().inverse(), a);
        prop_assert_eq!(a.inverse().cmp(&b.inverse()), b.cmp(&a));
        prop_assert_eq!(a.inverse().as_u64(), STAMPS - 1 - a.as_u64());
        prop_assert_eq!(id.inverse().inverse(), id);
        prop_assert_eq!((id.inverse().node(), id.inverse().drift()), (id.node(), id.drift()));
        prop_assert_eq!(id.inverse().to_local().1, id.to_local().1.inverse());
    }

    #[test]
    fn a_distance_is_signed(a in below(STAMPS), b in below(STAMPS)) {
        let (first, second) = (Stamp::from_u64(a).unwrap(), Stamp::from_u64(b).unwrap());
        let diff = first.diff(second);
        prop_assert_eq!(i128::from(diff.stamps()), i128::from(a) - i128::from(b));
        prop_assert_eq!(second.diff(first).stamps(), -diff.stamps());
        prop_assert_eq!(diff.ticks() * 16_384 + i64::from(diff.seq()), diff.stamps());
        let ticks = (a / SEQS).abs_diff(b / SEQS);
        prop_assert_eq!(diff.duration(), Duration::from_nanos(ticks * TICK_NS));
    }

    #[test]
    fn a_drift_covers_and_none_below_does(nanos in below(u64::MAX)) {
        let duration = Duration::from_nanos(nanos);
        let codes = 0..8;
        let smallest = codes.into_iter().find(|&code| window_ns(code) >= nanos);
        let covering = Drift::covering(duration).ok();
        prop_assert_eq!(covering.map(Drift::code), smallest);
    }

    #[test]
    fn split_folds_back(id in guid(), local in local(), width in 0..40_u32) {
        let exact = [1, 2, 3, 4, 6, 8].contains(&width);
        prop_assert_eq!(id.split(width).is_some(), exact);
        if let Some(cells) = id.split(width) {
            prop_assert_eq!(cells.len(), 96 / width as usize);
            let cells: Vec<_> = cells.collect();
            let number = cells.iter().fold(0, |number, &cell| {
                number * 2_u128.pow(width) + u128::from(cell)
            });
            prop_assert_eq!(number, id.to_u128());
            prop_assert_eq!(Guid::fold(&cells, width), Some(id));
            prop_assert_eq!(Guid::fold(&cells[1..], width), None);
        }
        let cells: Option<Vec<_>> = local.split(width).map(Iterator::collect);
        prop_assert_eq!(cells.is_some(), [1, 2, 4, 8].contains(&width));
        let folded = cells.and_then(|cells| LocalId::fold(&cells, width));
        prop_assert_eq!(folded, cells_of(local, width));
    }

    #[test]
    fn a_cell_that_is_too_wide_does_not_fold(mut cells: [u8; 16], at in 0..16_usize) {
        cells = cells.map(|cell| cell % 64);
        prop_assert!(Guid::fold(&cells, 6).is_some());
        cells[at] += 64;
        prop_assert_eq!(Guid::fold(&cells, 6), None);
    }

    #[test]
    fn a_uuid_embeds_in_order(a in guid(), b in guid(), other: u128) {
        let uuid = a.to_uuid_u128();
        prop_assert_eq!(Guid::from_uuid_u128(uuid), Some(a));
        prop_assert_eq!(uuid.cmp(&b.to_uuid_u128()), a.cmp(&b));
        // The version (8) and the two variant bits (10) of RFC 9562.
        prop_assert_eq!((uuid >> 76 & 15, uuid >> 62 & 3), (8, 2));
        if let Some(id) = Guid::from_uuid_u128(other) {
            prop_assert_eq!(id.to_uuid_u128(), other);
        }
    }

    #[test]
    fn a_signed_column_takes_codes_below_four(id in local()) {
        prop_assert_eq!(id.to_i64().is_some(), id.drift().code() < 4);
        if let Some(signed) = id.to_i64() {
            prop_assert_eq!(u64::try_from(signed), Ok(id.as_u64()));
        }
    }

    #[test]
    fn windows_double(code in code()) {
        let window = Drift::from_code(code).unwrap().window();
        prop_assert_eq!(window, Duration::from_nanos(window_ns(code)));
    }
}

/// What a local folds back to: itself, where the width divides it.
fn cells_of(local: LocalId, width: u32) -> Option<LocalId> {
    [1, 2, 4, 8].contains(&width).then_some(local)
}
