//! Schemes that put a millisecond first: UUIDv7, ULID, Snowflake.
//!
//! None of them has a receive rule. Inside a millisecond UUIDv7 and ULID leave the order of two
//! nodes to chance, a Snowflake to the number of the machine.
//!
//! # References
//!
//! RFC 9562, section 5.7 (UUIDv7); the ULID specification, section "Monotonicity"; Twitter's
//! Snowflake, as announced in 2010.

use crate::{NodeIndex, Rng};

/// Random bits of a ULID, and of the key of a UUIDv7.
pub(super) const RANDOM_BITS: u32 = 80;
pub(crate) const RANDOM_MASK: u128 = (1 << RANDOM_BITS) - 1;
const NS: u64 = 1_000_000;

/// Where random bits come from.
#[derive(Clone, Debug)]
pub(crate) enum RandomBits {
    /// A stream of the seed.
    Drawn(Rng),
    /// A plan, which says what was drawn.
    Given(u128),
}

impl From<Rng> for RandomBits {
    fn from(rng: Rng) -> Self {
        Self::Drawn(rng)
    }
}

impl RandomBits {
    fn next(&mut self) -> u128 {
        let bits = match self {
            Self::Drawn(rng) => u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()),
            Self::Given(bits) => *bits,
        };
        bits & RANDOM_MASK
    }
}

/// A millisecond and 80 random bits. (A UUIDv7 has 74; which ones makes no difference to order.)
pub(super) fn random_id(now_ns: u64, random: &mut RandomBits) -> u128 {
    u128::from(now_ns / NS) << RANDOM_BITS | random.next()
}

/// The start of the millisecond in a key.
pub(super) fn ns_of(key: u128) -> u64 {
    ((key >> RANDOM_BITS) as u64).saturating_mul(NS)
}

/// Counts its random bits up within a millisecond; another millisecond draws new ones, also an
/// earlier one: the specification says nothing of clocks that go back.
#[derive(Clone, Debug)]
pub(super) struct Ulid {
    random: RandomBits,
    last: Option<u128>,
}

impl Ulid {
    pub(super) fn new(random: RandomBits) -> Self {
        Self { random, last: None }
    }

    pub(super) fn restart(&mut self) {
        self.last = None;
    }

    pub(super) fn give(&mut self, bits: u128) {
        self.random = RandomBits::Given(bits);
    }

    pub(super) fn next(&mut self, now_ns: u64) -> u128 {
        let same = self.last.filter(|last| last >> RANDOM_BITS == u128::from(now_ns / NS));
        let id = match same {
            // That the 80 bits overflow has a probability of 2^-80 times the IDs in a millisecond.
            Some(last) if last & RANDOM_MASK < RANDOM_MASK => last + 1,
            _ => random_id(now_ns, &mut self.random),
        };
        self.last = Some(id);
        id
    }
}

/// 41 bits of milliseconds, 10 of a machine, 12 of a sequence that starts over.
///
/// While the clock is behind the last ID it holds that ID's millisecond, and a sequence that is
/// used up takes the next one; what others refuse or wait for, this does at once.
#[derive(Clone, Debug)]
pub(super) struct Snowflake {
    machine: u64,
    ms: u64,
    seq: u64,
}

impl Snowflake {
    const MACHINE_BITS: u32 = 10;
    const SEQ_BITS: u32 = 12;
    /// Machine and sequence, below the millisecond.
    pub(super) const TAIL: u32 = Self::MACHINE_BITS + Self::SEQ_BITS;
    /// 2010-11-04T01:42:54.657Z, where Twitter's time began.
    const EPOCH_MS: u64 = 1_288_834_974_657;

    pub(super) fn new(machine: NodeIndex) -> Self {
        Self { machine: u64::from(machine.as_u32()) % (1 << Self::MACHINE_BITS), ms: 0, seq: 0 }
    }

    pub(super) fn restart(&mut self) {
        (self.ms, self.seq) = (0, 0);
    }

    pub(super) fn next(&mut self, now_ns: u64) -> u64 {
        let ms = (now_ns / NS).saturating_sub(Self::EPOCH_MS);
        (self.ms, self.seq) = if ms > self.ms {
            (ms, 0)
        } else if self.seq + 1 < 1 << Self::SEQ_BITS {
            (self.ms, self.seq + 1)
        } else {
            (self.ms + 1, 0)
        };
        let node = self.machine << Self::SEQ_BITS;
        self.ms << (Self::MACHINE_BITS + Self::SEQ_BITS) | node | self.seq
    }

    pub(super) fn ns(id: u64) -> u64 {
        let ms = (id >> (Self::MACHINE_BITS + Self::SEQ_BITS)) + Self::EPOCH_MS;
        ms.saturating_mul(NS)
    }
}

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// 26 characters of Crockford's base32.
pub(super) fn ulid_text(key: u128) -> String {
    (0..26).rev().map(|i| char::from(ALPHABET[(key >> (5 * i) & 31) as usize])).collect()
}

/// The UUID: version and variant stand between the random bits.
pub(super) fn uuid7_text(key: u128) -> String {
    let (ms, random) = (key >> RANDOM_BITS, key & RANDOM_MASK);
    let (a, b) = (random >> 68, random & ((1 << 62) - 1));
    let uuid = ms << 80 | 7 << 76 | a << 64 | 2 << 62 | b;
    let hex = format!("{uuid:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Reads 26 characters of Crockford's base32, in either case.
pub(super) fn read_ulid(text: &str) -> Option<u128> {
    // 26 characters hold 130 bits: the first one has three.
    if text.len() != 26 || text.as_bytes()[0] > b'7' {
        return None;
    }
    text.bytes().try_fold(0, |key: u128, byte| {
        let digit = ALPHABET.iter().position(|&known| known == byte.to_ascii_uppercase())?;
        Some(key << 5 | digit as u128)
    })
}

/// Reads a UUID of version 7. Its random bits are put where [`uuid7_text`] takes them from.
pub(super) fn read_uuid7(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    let hyphens = [8, 13, 18, 23];
    if bytes.len() != 36 || hyphens.iter().any(|&at| bytes[at] != b'-') {
        return None;
    }
    let digits = bytes.iter().enumerate().filter(|(at, _)| !hyphens.contains(at));
    let mut uuid = digits.map(|(_, &byte)| char::from(byte).to_digit(16));
    let uuid = uuid.try_fold(0, |uuid: u128, digit| Some(uuid << 4 | u128::from(digit?)))?;
    let (ms, version, variant) = (uuid >> 80, uuid >> 76 & 15, uuid >> 62 & 3);
    let (a, b) = (uuid >> 64 & 0xfff, uuid & ((1 << 62) - 1));
    (version == 7 && variant == 2).then_some(ms << RANDOM_BITS | a << 68 | b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    #[test]
    fn a_ulid_counts_inside_a_millisecond() {
        let mut ids = Ulid::new(Streams::new(1).of_world(Purpose::RandomIds).into());
        let (a, b) = (ids.next(5 * NS), ids.next(5 * NS + 999));
        assert_eq!(b, a + 1);
        assert!(ids.next(6 * NS) > b);
        assert!(ids.next(4 * NS) < a, "it follows a clock that goes back");
        assert_eq!(ns_of(a), 5 * NS);
    }

    #[test]
    fn a_snowflake_is_strict_and_reads_its_time_back() {
        let mut ids = Snowflake::new(NodeIndex::new(3));
        let now = 1_767_225_600_000 * NS;
        let first = ids.next(now);
        assert_eq!(Snowflake::ns(first), now);
        let mut last = first;
        for step in 0..10_000_u64 {
            // Backwards, and more than 4,096 in what the clock calls one millisecond.
            let id = ids.next(now - step / 100 * NS);
            assert!(id > last);
            last = id;
        }
    }

    #[test]
    fn texts_have_their_forms() {
        let id = random_id(5 * NS, &mut Streams::new(1).of_world(Purpose::RandomIds).into());
        assert!(uuid7_text(id).starts_with("00000000-0005-7"));
        assert_eq!(ulid_text(5 << RANDOM_BITS), "00000000050000000000000000");
    }
}
