//! When a run begins: where in the windows of IDs its time lies.
//!
//! Closed forms are about a window whose phase is uniform. Runs that all began at the same moment
//! would see one phase of it, for every seed: many of them would be no better than one.

use crate::{Purpose, Streams};

/// 2026-01-01T00:00:00Z: the earliest that runs begin unless told otherwise.
pub const DEFAULT_START_NS: u64 = 1_767_225_600_000_000_000;

/// The longest window, that of drift code 7: a whole multiple of all shorter ones, and of a tick.
/// A start that is uniform over it is uniform over each of them.
pub(crate) const LONGEST_WINDOW_NS: u64 = 1 << 42;

/// When a run begins, in true time.
///
/// # Examples
///
/// ```
/// use guid_sim::{DEFAULT_START_NS, Start};
///
/// assert_eq!(Start::At(DEFAULT_START_NS).of_seed(1), Start::At(DEFAULT_START_NS).of_seed(2));
/// assert_ne!(Start::Drawn.of_seed(1), Start::Drawn.of_seed(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a moment is given, or it is not")]
pub enum Start {
    /// Each seed draws it: [`DEFAULT_START_NS`], and up to the longest window (73 min) later.
    #[default]
    Drawn,
    /// At this moment, in Unix nanoseconds, whatever the seed.
    At(u64),
}

impl Start {
    /// When the run of a seed begins, in Unix nanoseconds. It is drawn from a stream of its own.
    pub fn of_seed(self, seed: u64) -> u64 {
        match self {
            Self::Drawn => {
                let mut rng = Streams::new(seed).of_world(Purpose::Start);
                DEFAULT_START_NS + rng.below(LONGEST_WINDOW_NS)
            }
            Self::At(ns) => ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use guid_core::Drift;

    use super::*;

    #[test]
    fn the_longest_window_is_a_multiple_of_all() {
        for code in 0..8 {
            let window = Drift::from_code(code).unwrap().window().as_nanos();
            assert_eq!(u128::from(LONGEST_WINDOW_NS) % window, 0, "drift code {code}");
        }
        assert_eq!(Drift::D7.window().as_nanos(), LONGEST_WINDOW_NS.into());
    }

    #[test]
    fn starts_are_uniform_over_every_window() {
        for code in [0, 3, 7] {
            let window =
                u64::try_from(Drift::from_code(code).unwrap().window().as_nanos()).unwrap();
            let tenth = |seed| Start::Drawn.of_seed(seed) % window * 10 / window;
            for part in 0..10 {
                // A tenth of 1,000, with a deviation of 9.5: five of them.
                let count = (0..1_000).filter(|&seed| tenth(seed) == part).count();
                assert!((53..148).contains(&count), "drift code {code}, part {part}: {count}");
            }
        }
    }
}
