//! Kinds `from_t`, `inverse`, `drift` and `overflow`: moments, tolerances and their limits.

use guid_core::{Drift, Guid, InverseClock, LocalId, ManualClock, NodeId, Seq, Stamp, Tick};

use crate::{
    line::{Line, check_all},
    value::{assert_global, assert_global_parts, assert_local, assert_local_parts, number},
};

/// A time before 1970 wraps to the top of the range upstream. Here a moment is unsigned: the caller
/// has to write that wrap down, and then gets upstream's bits.
#[test]
fn a_moment_gives_the_local_of_upstream() {
    check_all("from_t", |line| {
        let unix_ns = line.decimal("/unix_ns");
        assert_eq!(u64::try_from(unix_ns).is_err(), unix_ns < 0);
        let id = LocalId::new(line.drift(""), Stamp::from_unix_nanos(unix_ns.cast_unsigned()));
        assert_local(line, "/l", id);
        assert_local_parts(line, "/l_parts", id);
    });
}

#[test]
fn inverse_ids_are_those_of_the_inverse_clock() {
    check_all("inverse", |line| {
        let (drift, node, stamp) = (line.drift("/in"), line.node("/in/node"), line.stamp("/in"));
        let (global, local) = (Guid::new(drift, node, stamp), LocalId::new(drift, stamp));
        assert_global(line, "/g", global);
        assert_global_parts(line, "/g_parts", global);
        assert_local(line, "/l", local);
        assert_local_parts(line, "/l_parts", local);

        let unix = |pointer| line.text(pointer).parse::<u64>().expect("decimal digits");
        let now = unix("/unix_ns");
        assert_eq!(InverseClock::new(ManualClock::new(now)).nanos(), line.hex("/t"));
        let forward = Guid::new(drift, node, complement(now, stamp.seq()));
        assert_eq!(forward.inverse(), global);
        assert_eq!(forward.to_local().1.inverse(), local);
        check_later(line, global, unix("/later_unix_ns"));
    });
}

/// The forward stamp whose inverse has this sequence.
fn complement(unix_nanos: u64, seq: Seq) -> Stamp {
    let seq = Seq::new(Seq::MAX.as_u16() - seq.as_u16()).expect("below the greatest");
    Stamp::new(Tick::from_unix_nanos(unix_nanos), seq)
}

/// Upstream takes the sequence before, modulo 2¹⁴, for the later ID.
fn check_later(line: &Line, global: Guid, later: u64) {
    let seq = global
        .seq()
        .as_u16()
        .checked_sub(1)
        .map_or(Seq::MAX, |seq| Seq::new(seq).expect("below a sequence"));
    let later = Guid::new(global.drift(), global.node(), complement(later, seq)).inverse();
    assert_eq!(later.to_u128(), number(line, "/later_g"));
    assert_eq!(global > later, line.flag("/g_after_later"));
}

#[test]
fn upstream_takes_these_codes_for_durations() {
    check_all("drift", |line| {
        let drift = if line.flag("/given") {
            line.drift("")
        } else {
            assert_eq!(i64::from(Drift::default().code()), line.int("/drift"));
            Drift::default()
        };
        let low_bits = u32::try_from(line.int("/drift_bits")).expect("18 to 25");
        assert_eq!(drift.window().as_nanos(), 131_072 * 2_u128.pow(low_bits));
        let zero = Guid::new(drift, NodeId::new(0), Stamp::MIN);
        assert_eq!(zero.to_u128(), number(line, "/z"));
        assert_eq!(u128::from(zero.to_local().1.as_u64()), number(line, "/z_local"));
    });
}

/// Upstream lets a wide node or sequence run over into other fields. Here neither can be made: a
/// node is a `u32`, and a sequence is checked.
#[test]
fn fractions_that_are_too_wide_are_refused() {
    check_all("overflow", |line| {
        let (wide_node, wide_seq) = (line.hex("/node64"), line.hex("/seq64"));
        let node = u32::try_from(wide_node).map(NodeId::new);
        let seq = u16::try_from(wide_seq).ok().and_then(|seq| Seq::new(seq).ok());
        assert_eq!(node.is_err(), wide_node >= 1 << 32);
        assert_eq!(seq.is_none(), wide_seq >= 1 << 14);

        let drift = Drift::from_code(u8::try_from(line.int("/drift")).expect("a code"));
        let drift = drift.expect("a code");
        let tick = Tick::from_unix_nanos(line.hex("/t"));
        let (Ok(node), Some(seq)) = (node, seq) else {
            check_surplus(line, drift, tick);
            return;
        };
        // The three lines where everything fits.
        let id = Guid::new(drift, node, Stamp::new(tick, seq));
        assert_eq!(id.to_u128(), number(line, "/g"));
        assert_global_parts(line, "/g_parts", id);
        assert_local_parts(line, "/l_parts", id.to_local().1);
    });
}

/// What upstream packed reads back as something else than was handed in, or is not even an ID.
fn check_surplus(line: &Line, drift: Drift, tick: Tick) {
    let handed_in = (drift, tick, line.hex("/node64"), line.hex("/seq64"));
    let read_back = Guid::from_u128(number(line, "/g")).map(|id| {
        let (node, seq) = (u64::from(id.node().as_u32()), u64::from(id.seq().as_u16()));
        (id.drift(), id.tick(), node, seq)
    });
    assert_ne!(read_back, Some(handed_in));
}
