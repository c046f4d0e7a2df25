//! Runs of IDs: the same IDs that one call after another would give, or none at all.

use guid_core::{Drift, Generator, Guid, LocalGenerator, NodeId, Stamp};
use proptest::prelude::*;

use crate::spec::{SEQS, STAMPS, below, cases, code, node, ticks_in_window};

proptest! {
    #![proptest_config(cases())]

    /// A slice, a batch and single calls give the same IDs, over edges of ticks and windows.
    #[test]
    fn a_run_is_what_single_calls_give(
        code in code(),
        node in node(),
        start in below(STAMPS - 600),
        edge in 0..3_u8,
        len in 1..300_usize,
    ) {
        // Many runs cross the end of a window, where the part above the node changes, or the end
        // of the lower 32 bits.
        let span = [1, 1 << 32, ticks_in_window(code) * SEQS][usize::from(edge)];
        let start = start / span * span + span - 100.min(span);
        let start = Stamp::from_u64(start.min(STAMPS - 601)).unwrap();
        let drift = Drift::from_code(code).unwrap();
        let generator =
            || LocalGenerator::new(NodeId::new(node), || 0).with_drift(drift).with_last(start);
        let mut one_by_one = generator();
        let single: Vec<Guid> = (0..len).map(|_| one_by_one.next()).collect();
        let mut filled = vec![Guid::ZERO; len];
        generator().fill(&mut filled);
        prop_assert_eq!(&filled, &single);
        prop_assert_eq!(generator().batch(len).collect::<Vec<_>>(), single);
    }

    /// Skipping in a batch lands where stepping does.
    #[test]
    fn a_batch_skips_as_it_steps(len in 0..50_usize, skip in 0..60_usize) {
        let generator = || Generator::on_clock(NodeId::new(1), || 1 << 50);
        let stepped: Vec<_> = generator().batch(len).collect();
        let mut batch = generator().batch(len);
        prop_assert_eq!(batch.nth(skip), stepped.get(skip).copied());
        prop_assert_eq!(batch.len(), len.saturating_sub(skip + 1));
        prop_assert!(batch.eq(stepped.into_iter().skip(skip + 1)));
        let last = generator().batch(len).last();
        prop_assert_eq!(last, generator().batch(len).collect::<Vec<_>>().last().copied());
    }
}

/// The clock panics if it is read: nothing to make needs no time and changes nothing.
#[test]
fn an_empty_run_reads_no_clock() {
    let stopped = || -> u64 { panic!("read") };
    let mut ids = LocalGenerator::new(NodeId::new(1), stopped).with_last(Stamp::MAX);
    ids.fill(&mut []);
    assert_eq!(ids.try_fill(&mut []), Ok(()));
    assert_eq!(ids.batch(0).count() + ids.try_batch(0).unwrap().count(), 0);
    let ids = Generator::on_clock(NodeId::new(1), stopped).with_last(Stamp::MAX);
    ids.fill(&mut []);
    assert_eq!(ids.batch(0).count(), 0);
}

/// Two are left; three are asked for: none is consumed, and the two are still there.
#[test]
fn a_run_over_the_end_of_time_consumes_nothing() {
    let last = Stamp::from_u64(STAMPS - 3).unwrap();
    let mut ids = LocalGenerator::new(NodeId::new(1), || u64::MAX).with_last(last);
    assert!(ids.try_batch(3).is_err());
    assert!(ids.try_batch(usize::MAX).is_err());
    assert_eq!(ids.last(), last);
    assert_eq!(ids.batch(2).last().map(Guid::stamp), Some(Stamp::MAX));
}

#[test]
#[should_panic(expected = "time ends in 2554")]
fn fill_panics_over_the_end_of_time() {
    let last = Stamp::from_u64(STAMPS - 3).unwrap();
    let mut slots = [Guid::ZERO; 3];
    Generator::on_clock(NodeId::new(1), || 0).with_last(last).fill(&mut slots);
}
