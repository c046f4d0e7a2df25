//! The layout and the rule of the generator, once more and independently.

use guid_core::{Drift, Guid, LocalId, NodeId, Seq, Stamp, Tick};
use proptest::prelude::*;

pub(crate) const TICK_NS: u64 = 131_072;
pub(crate) const SEQS: u64 = 16_384;
pub(crate) const TICKS: u64 = 140_737_488_355_328; // 2^47
pub(crate) const STAMPS: u64 = TICKS * SEQS;

/// More cases than proptest takes by default: these are cheap.
pub(crate) fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(1_024)
}

/// The fractions of an ID as plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fractions {
    pub(crate) code: u8,
    pub(crate) node: u32,
    pub(crate) tick: u64,
    pub(crate) seq: u16,
}

/// How many ticks one window holds.
pub(crate) fn ticks_in_window(code: u8) -> u64 {
    262_144 * 2_u64.pow(u32::from(code))
}

pub(crate) fn window_ns(code: u8) -> u64 {
    ticks_in_window(code) * TICK_NS
}

impl Fractions {
    /// The 96-bit number, most significant part first.
    pub(crate) fn global(self) -> u128 {
        let low = ticks_in_window(self.code);
        let windows = u128::from(TICKS / low);
        let mut number = u128::from(self.code) * windows + u128::from(self.tick / low);
        number = number * 4_294_967_296 + u128::from(self.node);
        number = number * u128::from(low) + u128::from(self.tick % low);
        number * u128::from(SEQS) + u128::from(self.seq)
    }

    /// The 64-bit number. The node is not in it.
    pub(crate) fn local(self) -> u64 {
        (u64::from(self.code) * TICKS + self.tick) * SEQS + u64::from(self.seq)
    }

    pub(crate) fn stamp(self) -> u64 {
        self.tick * SEQS + u64::from(self.seq)
    }

    pub(crate) fn to_guid(self) -> Guid {
        let (drift, stamp) = self.parts();
        Guid::new(drift, NodeId::new(self.node), stamp)
    }

    pub(crate) fn to_local(self) -> LocalId {
        let (drift, stamp) = self.parts();
        LocalId::new(drift, stamp)
    }

    fn parts(self) -> (Drift, Stamp) {
        let drift = Drift::from_code(self.code).expect("a code");
        let tick = Tick::new(self.tick).expect("47 bits");
        (drift, Stamp::new(tick, Seq::new(self.seq).expect("14 bits")))
    }
}

/// Numbers below a limit: anywhere, and often at the edges, where the faults are.
pub(crate) fn below(limit: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..limit,
        1 => 0..limit.min(3),
        1 => limit.saturating_sub(3)..limit,
        2 => (0..64_u32, -1..2_i64).prop_map(move |(bit, off)| {
            (1_u64 << bit).saturating_add_signed(off).min(limit - 1)
        }),
    ]
}

pub(crate) fn code() -> impl Strategy<Value = u8> {
    0..8_u8
}

pub(crate) fn node() -> impl Strategy<Value = u32> {
    below(1 << 32).prop_map(|node| u32::try_from(node).expect("32 bits"))
}

pub(crate) fn seq() -> impl Strategy<Value = u16> {
    below(SEQS).prop_map(|seq| u16::try_from(seq).expect("14 bits"))
}

pub(crate) fn fractions() -> impl Strategy<Value = Fractions> {
    (code(), node(), below(TICKS), seq()).prop_map(|(code, node, tick, seq)| Fractions {
        code,
        node,
        tick,
        seq,
    })
}

/// Any ID, and often one with zero bytes in front or all ones behind.
pub(crate) fn guid() -> impl Strategy<Value = Guid> {
    prop_oneof![
        fractions().prop_map(Fractions::to_guid),
        any::<[u8; 12]>().prop_map(Guid::from_bytes),
        any::<u32>().prop_map(|low| Guid::from_u128(low.into()).expect("96 bits")),
    ]
}

pub(crate) fn local() -> impl Strategy<Value = LocalId> {
    prop_oneof![
        fractions().prop_map(Fractions::to_local),
        any::<u64>().prop_map(LocalId::from_u64),
        any::<u16>().prop_map(|low| LocalId::from_u64(low.into())),
    ]
}
