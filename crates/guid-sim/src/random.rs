//! Randomness: one seed, many streams.
//!
//! Every draw comes from a stream keyed by (seed, node, purpose), so switching one thing on (a
//! fault, a checker) does not shift the draws of another. The generator is xoshiro256++, whose
//! values never change between versions and platforms.
//!
//! # References
//!
//! Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021 (xoshiro256++);
//! Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014 (the mixer).

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::NodeIndex;

/// What a stream of draws is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// The node fractions of the IDs.
    NodeIds,
    /// Clock offsets and their wander.
    Clock,
    /// Latency, loss and duplication of the messages a node sends.
    Network,
    /// The workload: when, what, to whom.
    Workload,
    /// The random parts of IDs that have some.
    RandomIds,
    /// Where sequences start.
    Sequence,
    /// How the rates of clocks wander.
    Wander,
    /// The polls of a time protocol.
    Ntp,
    /// What a network does beside latency, loss and duplication.
    Reorder,
    /// Which faults a seed brings.
    Faults,
    /// Who acts before whom, where that is drawn.
    Schedule,
    /// When a run begins.
    Start,
}

impl Purpose {
    /// Fixed numbers: they are part of what a seed means.
    const fn code(self) -> u64 {
        match self {
            Self::NodeIds => 1,
            Self::Clock => 2,
            Self::Network => 3,
            Self::Workload => 4,
            Self::Sequence => 5,
            Self::RandomIds => 6,
            Self::Wander => 7,
            Self::Ntp => 8,
            Self::Reorder => 9,
            Self::Faults => 10,
            Self::Schedule => 11,
            Self::Start => 12,
        }
    }
}

/// The streams of one seed.
///
/// # Examples
///
/// ```
/// use guid_sim::{NodeIndex, Purpose, Streams};
///
/// let streams = Streams::new(42);
/// let node = NodeIndex::new(0);
/// let (mut a, mut b) = (streams.of(node, Purpose::Clock), streams.of(node, Purpose::Clock));
/// assert_eq!(a.next_u64(), b.next_u64()); // the same stream
/// let mut other = streams.of(node, Purpose::Network);
/// assert_ne!(a.next_u64(), other.next_u64());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// Returns the streams of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the stream of a node for a purpose, from its beginning.
    pub fn of(self, node: NodeIndex, purpose: Purpose) -> Rng {
        let keyed = mix(mix(self.seed) ^ u64::from(node.as_u32()) << 8 ^ purpose.code());
        Rng(Xoshiro256PlusPlus::seed_from_u64(keyed))
    }

    /// Returns the stream of the world as a whole for a purpose.
    pub fn of_world(self, purpose: Purpose) -> Rng {
        self.of(NodeIndex::WORLD, purpose)
    }
}

/// The finalizer of `SplitMix64`: a bijection in which every input bit moves every output bit.
const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A stream of draws.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.random()
    }

    /// A number below `bound`, which must not be zero; the bias is below bound / 2⁶⁴.
    pub fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound > 0, "nothing is below zero");
        // Multiply and shift: the upper word of the product is uniform below the bound.
        let wide = u128::from(self.next_u64()) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or_default()
    }

    /// A uniform number of the interval (0, 1], in steps of 2⁻⁵³: its logarithm is finite.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        // Always draws, so that a probability of zero does not shift what comes after.
        self.unit() <= probability && probability > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are part of what a seed means: they must never change. Computed by another
    /// implementation, from the papers.
    #[test]
    fn golden_draws() {
        let mut rng = Streams::new(42).of(NodeIndex::new(3), Purpose::Workload);
        let draws: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(
            draws,
            [4_106_811_097_626_750_832, 6_730_609_984_969_199_261, 11_856_931_653_832_719_620]
        );
        assert_eq!(rng.below(1000), 548);
    }

    #[test]
    fn below_is_below_and_reaches_the_ends() {
        let mut rng = Streams::new(1).of_world(Purpose::Workload);
        let draws: Vec<u64> = (0..1000).map(|_| rng.below(3)).collect();
        assert!((0..3).all(|n| draws.contains(&n)) && draws.iter().all(|&n| n < 3));
    }
}
