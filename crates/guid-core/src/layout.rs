//! The layout of an ID: the only file that shifts bits.
//!
//! # The picture
//!
//! Time is counted in *ticks* of 2¹⁷ ns (131.072 µs). A tick and a sequence make a *stamp*, the
//! logical time of an ID, 61 bits wide. The *drift* code ⟨d⟩ says where the stamp is cut in two:
//! its upper part stands above the node, its lower part below. With b = 18 + code:
//!
//! ```text
//!          47 bits of tick                       14 bits
//! stamp  = ├──────── H = 47 − b ────────┤├── L = b ──┤├─ seq ─┤
//!
//! global = │code│        H         │      node      │     L     │  seq  │     96 bits
//!          │  3 │      47 − b      │       32       │     b     │   14  │
//!          95   92                 b+45             b+13        13      0
//!
//! local  = │code│               tick                │  seq  │             64 bits
//!          │  3 │                47                 │   14  │
//!          63   60                                  13      0
//! ```
//!
//! # Why
//!
//! * **The upper time above the node**: bytes sort by window of W = 2^(35 + code) ns first, so an
//!   index grows at its end and a scan by time is a range.
//! * **The node above the lower time**: inside a window the IDs of one node lie together, and a
//!   clock that is a little wrong changes nothing but the rare pair that straddles a boundary (a
//!   pair flips with probability |e| / 2W). The price: inside a window the *node* decides, not
//!   the time. That is why [`Ord`] on the bytes (k-order) and [`ByTime`](crate::ByTime) are two
//!   orders and are never mixed.
//! * **The sequence below everything, carrying into the tick**: 16,384 IDs a tick, and the next
//!   one simply borrows from the future, so a stamp is one integer that only ever grows.
//! * **The code on top**: an ID says itself where it is cut; IDs of different codes sort apart.
//! * **2¹⁷ ns, not a millisecond**: a shift is cheaper than a division, and 64 bits of nanoseconds
//!   less 17 leave the 47 bits that fit.
//!
//! # Invariants
//!
//! Packing is a bijection between (code, node, stamp) and 96 bits, and between (code, stamp) and
//! 64 bits: every bit pattern is an ID, no field can spill into another (the types refuse values
//! that are too wide before they come here).
//!
//! # References
//!
//! The Go library `fogfish/guid` v2: the layout is its layout, bit for bit.

pub(crate) const TICK_SHIFT: u32 = 17;
pub(crate) const SEQ_BITS: u32 = 14;
pub(crate) const TICK_BITS: u32 = 47;
pub(crate) const STAMP_BITS: u32 = TICK_BITS + SEQ_BITS;
pub(crate) const NODE_BITS: u32 = 32;
pub(crate) const CODE_BITS: u32 = 3;
/// Low bits of the tick that stand below the node when the drift code is 0.
const LOW_BITS_MIN: u32 = 18;

const LOCAL_CODE_AT: u32 = STAMP_BITS;
const GLOBAL_CODE_AT: u32 = STAMP_BITS + NODE_BITS;

const _: () = assert!(CODE_BITS + STAMP_BITS == 64);
const _: () = assert!(CODE_BITS + STAMP_BITS + NODE_BITS == 96);
const _: () = assert!(TICK_SHIFT + TICK_BITS == 64);

pub(crate) const SEQ_MAX: u16 = (1 << SEQ_BITS) - 1;
pub(crate) const TICK_MAX: u64 = (1 << TICK_BITS) - 1;
pub(crate) const STAMP_MAX: u64 = (1 << STAMP_BITS) - 1;

/// The window of a drift code: 2^(35 + code) ns.
pub(crate) const fn window_ns(code: u8) -> u64 {
    1 << (TICK_SHIFT + LOW_BITS_MIN + code as u32)
}

pub(crate) const fn tick_of_nanos(nanos: u64) -> u64 {
    nanos >> TICK_SHIFT
}

pub(crate) const fn nanos_of_tick(tick: u64) -> u64 {
    tick << TICK_SHIFT
}

pub(crate) const fn stamp(tick: u64, seq: u16) -> u64 {
    tick << SEQ_BITS | seq as u64
}

pub(crate) const fn stamp_tick(stamp: u64) -> u64 {
    stamp >> SEQ_BITS
}

pub(crate) const fn stamp_seq(stamp: u64) -> u16 {
    (stamp & SEQ_MAX as u64) as u16
}

/// How many bits of the stamp stand below the node.
const fn low_bits(code: u8) -> u32 {
    LOW_BITS_MIN + code as u32 + SEQ_BITS
}

const fn low_mask(code: u8) -> u64 {
    (1 << low_bits(code)) - 1
}

/// The stamp stands in the low bits of a global, whatever the code, at least this wide.
const LOW_WORD_BITS: u32 = LOW_BITS_MIN + SEQ_BITS;
const _: () = assert!(LOW_WORD_BITS == 32);

/// How many stamps from this one on, itself included, differ in the low word of a global alone.
pub(crate) const fn stamps_left_in_word(stamp: u64) -> u64 {
    (1 << LOW_WORD_BITS) - (stamp & ((1 << LOW_WORD_BITS) - 1))
}

/// A global in two words: its upper 64 bits and its lower 32.
///
/// The stamp is cut at bit 32 + code, so its lowest 32 bits end the ID as they are, its upper part
/// stands in the upper word where it stood, and the node goes between: no shift crosses a word.
pub(crate) type Words = (u64, u32);

const _: () = assert!(low_bits(0) == NODE_BITS);

pub(crate) const fn pack_global(code: u8, node: u32, stamp: u64) -> Words {
    let high = (code as u64) << (GLOBAL_CODE_AT - 32)
        | stamp & !low_mask(code)
        | (node as u64) << code
        | (stamp & low_mask(code)) >> 32;
    (high, stamp as u32)
}

pub(crate) const fn global_code((high, _): Words) -> u8 {
    (high >> (GLOBAL_CODE_AT - 32)) as u8
}

pub(crate) const fn global_node(words: Words) -> u32 {
    (words.0 >> global_code(words)) as u32
}

pub(crate) const fn global_stamp(words: Words) -> u64 {
    let code = global_code(words);
    let above = words.0 & STAMP_MAX & !low_mask(code);
    let between = words.0 << 32 & low_mask(code);
    above | between | words.1 as u64
}

pub(crate) const fn pack_local(code: u8, stamp: u64) -> u64 {
    (code as u64) << LOCAL_CODE_AT | stamp
}

pub(crate) const fn local_code(bits: u64) -> u8 {
    (bits >> LOCAL_CODE_AT) as u8
}

pub(crate) const fn local_stamp(bits: u64) -> u64 {
    bits & STAMP_MAX
}

/// The 12 bytes of a 96-bit number, big-endian.
pub(crate) const fn global_to_bytes(bits: u128) -> [u8; 12] {
    words_to_bytes(((bits >> 32) as u64, bits as u32))
}

pub(crate) const fn words_to_bytes((high, low): Words) -> [u8; 12] {
    let [a, b, c, d, e, f, g, h] = high.to_be_bytes();
    let [i, j, k, l] = low.to_be_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

pub(crate) const fn global_words(bytes: &[u8; 12]) -> Words {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
    (u64::from_be_bytes([a, b, c, d, e, f, g, h]), u32::from_be_bytes([i, j, k, l]))
}

/// A number that compares as the bytes do: the first eight bytes, then the last eight.
///
/// Four bytes are in it twice; where they could decide they are equal. It takes two loads and no
/// shift, and comparing it takes no branch.
pub(crate) const fn global_key(bytes: &[u8; 12]) -> u128 {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
    let first = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
    let last = u64::from_be_bytes([e, f, g, h, i, j, k, l]);
    (first as u128) << 64 | last as u128
}

pub(crate) const fn global_from_bytes(bytes: &[u8; 12]) -> u128 {
    let (high, low) = global_words(bytes);
    (high as u128) << 32 | low as u128
}

/// The four times 24 bits of a global, the highest first, each below bits that are not of it.
pub(crate) const fn quarters((high, low): Words) -> [u32; 4] {
    let between = (high as u32 & 0xffff) << 8 | low >> 24;
    [(high >> 40) as u32, (high >> 16) as u32, between, low]
}

/// The number of its upper 48 bits and its lower 48.
pub(crate) const fn join_halves(high: u64, low: u64) -> u128 {
    (high as u128) << 48 | low as u128
}

/// The UUIDv8 that embeds a global, losslessly and in order: the hex digits keep their order, the
/// version and variant digits (both 8) stand where RFC 9562 section 5.8 wants them, and six zero
/// digits end it.
pub(crate) const fn global_to_uuid(bits: u128) -> u128 {
    (bits >> 48) << 80
        | 8 << 76
        | ((bits >> 36) & 0xfff) << 64
        | 8 << 60
        | (bits & 0xf_ffff_ffff) << 24
}

/// The inverse of [`global_to_uuid`], or nothing where the fixed digits are not as it writes them.
pub(crate) const fn global_from_uuid(uuid: u128) -> Option<u128> {
    let bits = (uuid >> 80) << 48 | ((uuid >> 64) & 0xfff) << 36 | (uuid >> 24) & 0xf_ffff_ffff;
    if global_to_uuid(bits) == uuid { Some(bits) } else { None }
}

/// The cell of `width` bits that ends `shift` bits above the lowest one.
pub(crate) const fn cell(bits: u128, shift: u32, width: u32) -> u8 {
    (bits >> shift & ((1 << width) - 1)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_global_reads_back_every_fraction_at_every_code() {
        for code in 0..8 {
            for node in [0, 1, 0xdead_beef, u32::MAX] {
                for stamp in [0, 1, low_mask(code), low_mask(code) + 1, STAMP_MAX] {
                    let words = pack_global(code, node, stamp);
                    assert_eq!(global_code(words), code);
                    assert_eq!(global_node(words), node);
                    assert_eq!(global_stamp(words), stamp);
                    assert_eq!(global_words(&words_to_bytes(words)), words);
                }
            }
        }
    }

    #[test]
    fn the_documented_uuid_embedding() {
        let bits = 0x630f_93f6_f56d_f77f_f883_404d;
        let uuid = 0x630f93f6_f56d_8f77_8ff8_83404d000000;
        assert_eq!(global_to_uuid(bits), uuid);
        assert_eq!(global_from_uuid(uuid), Some(bits));
        assert_eq!(global_from_uuid(uuid | 1), None);
        assert_eq!(global_from_uuid(uuid ^ 1 << 76), None);
    }
}
