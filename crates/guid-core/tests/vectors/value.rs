//! What the vectors say of one value: its words, bytes, texts and fractions.

use guid_core::{Clock, Guid, InverseClock, LocalId, ManualClock, NodeId, Seq};

use crate::line::{Line, unhex};

/// The number that `hi` and `lo` spell.
#[track_caller]
pub(crate) fn number(line: &Line, object: &str) -> u128 {
    let word = |name| u128::from(line.hex(&format!("{object}/{name}")));
    word("hi") << 64 | word("lo")
}

#[track_caller]
pub(crate) fn assert_global(line: &Line, object: &str, id: Guid) {
    let text = |name| line.text(&format!("{object}/{name}"));
    assert_eq!(id.to_u128(), number(line, object));
    assert_eq!(id.to_bytes().as_slice(), unhex(text("bytes")));
    assert_eq!(&*id.to_hex(), text("bytes"));
    assert_eq!(&*id.to_lex(), text("str"));
    assert_eq!(id.to_string(), text("str"));
    assert_eq!(id.to_base62_padded().trim_start_matches('0'), text("b62"));
    assert_base62(id.to_base62().as_deref(), text("b62"), id.to_bytes()[0]);
}

#[track_caller]
pub(crate) fn assert_local(line: &Line, object: &str, id: LocalId) {
    let text = |name| line.text(&format!("{object}/{name}"));
    assert_eq!(u128::from(id.as_u64()), number(line, object));
    assert_eq!(id.to_bytes().as_slice(), unhex(text("bytes")));
    assert_eq!(&*id.to_hex(), text("bytes"));
    assert_eq!(&*id.to_lex(), text("str"));
    assert_eq!(id.to_string(), text("str"));
    assert_eq!(id.to_base62_padded().trim_start_matches('0'), text("b62"));
    assert_base62(id.to_base62().as_deref(), text("b62"), id.to_bytes()[0]);
}

/// Upstream cannot read back the base62 of a value whose first byte is zero; we do not write it.
#[track_caller]
fn assert_base62(ours: Option<&str>, theirs: &str, first_byte: u8) {
    assert_eq!(ours, (first_byte != 0).then_some(theirs));
}

/// The fractions as upstream's accessors give them. The node of a local reads as zero there.
#[track_caller]
fn assert_parts(line: &Line, object: &str, nanos: u64, node: NodeId, seq: Seq) {
    let at = |name| format!("{object}/{name}");
    assert_eq!(nanos, line.hex(&at("time")));
    assert_eq!(node, line.node(&at("node")));
    assert_eq!(seq, line.seq(&at("seq")));
    // Upstream tells time as an `i64`, which wraps in 2262; the bits are the same.
    assert_eq!(nanos.cast_signed(), line.decimal(&at("epoch_ns")));
    let inverse = InverseClock::new(ManualClock::new(nanos)).nanos();
    assert_eq!(inverse.cast_signed(), line.decimal(&at("epoch_inv_ns")));
    assert_eq!(ManualClock::new(nanos).unix_nanos(), nanos);
}

#[track_caller]
pub(crate) fn assert_global_parts(line: &Line, object: &str, id: Guid) {
    assert_parts(line, object, id.unix_nanos(), id.node(), id.seq());
}

#[track_caller]
pub(crate) fn assert_local_parts(line: &Line, object: &str, id: LocalId) {
    assert_parts(line, object, id.unix_nanos(), NodeId::new(0), id.seq());
}
