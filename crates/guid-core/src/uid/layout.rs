//! The bits of the Erlang layout: the only file of this module that shifts them.
//!
//! # Invariants
//!
//! Packing is a bijection between the fractions (microseconds in units of 1,024) and the bits.

const SEQ_BITS: u32 = 14;
const MICRO_BITS: u32 = 10;
const FIELD_BITS: u32 = 20;
const NODE_BITS: u32 = 32;
/// Microseconds are kept in units of 2¹⁰.
const MICRO_SHIFT: u32 = 10;

const _: () = assert!(FIELD_BITS + FIELD_BITS + NODE_BITS + MICRO_BITS + SEQ_BITS == 96);
const _: () = assert!(FIELD_BITS + FIELD_BITS + MICRO_BITS + SEQ_BITS == 64);

pub(super) const FIELD_MAX: u32 = (1 << FIELD_BITS) - 1;
const SEQ_MASK: u128 = (1 << SEQ_BITS) - 1;
const MICRO_MASK: u128 = (1 << MICRO_BITS) - 1;

/// The three fields of a moment.
pub(super) type Fields = (u32, u32, u32);

/// The microseconds that an ID keeps of these.
pub(super) const fn kept_micros(micros: u32) -> u32 {
    micros >> MICRO_SHIFT << MICRO_SHIFT
}

pub(super) const MICRO_STEP: u64 = 1 << MICRO_SHIFT;

pub(super) const fn pack_global(bits: u32, node: u32, fields: Fields, seq: u16) -> u128 {
    let (mega, sec, micro) = fields;
    let low = bits + MICRO_BITS + SEQ_BITS;
    (mega as u128) << (low + NODE_BITS + FIELD_BITS - bits)
        | ((sec >> bits) as u128) << (low + NODE_BITS)
        | (node as u128) << low
        | ((sec & ((1 << bits) - 1)) as u128) << (MICRO_BITS + SEQ_BITS)
        | ((micro >> MICRO_SHIFT) as u128) << SEQ_BITS
        | seq as u128
}

pub(super) const fn global_node(bits: u32, id: u128) -> u32 {
    (id >> (bits + MICRO_BITS + SEQ_BITS)) as u32
}

pub(super) const fn global_fields(bits: u32, id: u128) -> Fields {
    let high = (id >> (bits + MICRO_BITS + SEQ_BITS + NODE_BITS)) as u64;
    let low = (id >> (MICRO_BITS + SEQ_BITS)) as u32 & ((1 << bits) - 1);
    // Above the node stand the megaseconds and the upper seconds, as one number.
    let seconds = high << bits | low as u64;
    ((seconds >> FIELD_BITS) as u32, seconds as u32 & FIELD_MAX, micros(id))
}

pub(super) const fn pack_local(fields: Fields, seq: u16) -> u64 {
    let (mega, sec, micro) = fields;
    (mega as u64) << (FIELD_BITS + MICRO_BITS + SEQ_BITS)
        | (sec as u64) << (MICRO_BITS + SEQ_BITS)
        | ((micro >> MICRO_SHIFT) as u64) << SEQ_BITS
        | seq as u64
}

pub(super) const fn local_fields(id: u64) -> Fields {
    let seconds = id >> (MICRO_BITS + SEQ_BITS);
    ((seconds >> FIELD_BITS) as u32, seconds as u32 & FIELD_MAX, micros(id as u128))
}

/// The lowest 24 bits are the same in both.
const fn micros(id: u128) -> u32 {
    ((id >> SEQ_BITS & MICRO_MASK) << MICRO_SHIFT) as u32
}

pub(super) const fn seq(id: u128) -> u16 {
    (id & SEQ_MASK) as u16
}

/// A local's number and the two zero bits that fill its eleventh character.
pub(super) const fn local_to_digits(id: u64) -> u128 {
    (id as u128) << 2
}

/// The inverse, or nothing where the two bits are loose.
pub(super) const fn local_from_digits(digits: u128) -> Option<u64> {
    if digits.is_multiple_of(4) { Some((digits >> 2) as u64) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fraction_comes_back_at_every_width() {
        for bits in 5..=10 {
            for node in [0, 1, 0xdead_beef, u32::MAX] {
                for sec in [0, 31, 32, 1023, 1024, 999_999, FIELD_MAX] {
                    let fields = (FIELD_MAX, sec, 999_424);
                    let id = pack_global(bits, node, fields, 16_383);
                    assert!(id < 1 << 96);
                    assert_eq!(global_node(bits, id), node);
                    assert_eq!(global_fields(bits, id), fields);
                    assert_eq!(seq(id), 16_383);
                    assert_eq!(local_fields(pack_local(fields, 7)), fields);
                }
            }
        }
    }
}
