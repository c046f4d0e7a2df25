//! Quantiles of any number of values in bounded memory, within one part in a hundred.
//!
//! Values are counted in buckets whose bounds grow by a constant factor. The value shown for a
//! bucket is less than 1 % from every value in it, so a quantile is that near to the value that
//! stands there. The order in which values come does not matter: it is counts that are kept.
//!
//! # References
//!
//! Masson, Rim, Lee, "`DDSketch`: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error
//! Guarantees", VLDB 2019.

use std::collections::BTreeMap;

/// How far a quantile may be from the value that stands there, as a part of that value.
const ERROR: f64 = 0.01;

/// Counts of values, by magnitude.
///
/// Memory is bounded by the magnitudes that a double has: 71,000 buckets; a figure that is measured
/// takes some dozens.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::Sketch;
///
/// let mut sketch = Sketch::default();
/// (1..=1_000).for_each(|value| sketch.add(f64::from(value)));
/// let median = sketch.quantile(0.5).unwrap();
/// assert!((median - 500.0).abs() < 5.0, "{median}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Counts by bucket, the least value first.
    buckets: BTreeMap<Bucket, u64>,
    count: u64,
}

/// A sign, and the logarithm of the magnitude; the order is that of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bucket {
    Negative(std::cmp::Reverse<i32>),
    Zero,
    Positive(i32),
}

fn growth() -> f64 {
    (1.0 + ERROR) / (1.0 - ERROR)
}

impl Sketch {
    /// Counts a value. One that is no number is left out.
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double fits")]
        let index = || libm::ceil(libm::log(value.abs()) / libm::log(growth())) as i32;
        let bucket = match value {
            0.0 => Bucket::Zero,
            _ if value < 0.0 => Bucket::Negative(std::cmp::Reverse(index())),
            _ => Bucket::Positive(index()),
        };
        *self.buckets.entry(bucket).or_default() += 1;
        self.count += 1;
    }

    /// How many values were counted.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value that a part `q` of all (0 to 1) is not above, within 1 %.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of a count is a count"
        )]
        let rank = (q.clamp(0.0, 1.0) * self.count.saturating_sub(1) as f64) as u64;
        let mut below = 0;
        let found = self.buckets.iter().find(|&(_, &count)| {
            below += count;
            below > rank
        });
        found.map(|(&bucket, _)| bucket.value())
    }
}

impl Bucket {
    /// The value whose distance from both bounds of the bucket is the same part of them.
    fn value(self) -> f64 {
        let middle = |index: i32| 2.0 * libm::pow(growth(), index.into()) / (growth() + 1.0);
        match self {
            Self::Zero => 0.0,
            Self::Positive(index) => middle(index),
            Self::Negative(std::cmp::Reverse(index)) => -middle(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    #[test]
    fn quantiles_are_within_a_hundredth_of_those_of_the_sorted_values() {
        let mut rng = Streams::new(3).of_world(Purpose::Workload);
        for round in 0..200 {
            let count = 1 + rng.below(2_000);
            let mut values: Vec<f64> = (0..count)
                .map(|_| {
                    let size = libm::pow(10.0, rng.below(40) as f64 - 20.0);
                    let value = (rng.below(1_000) as f64) * size;
                    if round % 2 == 0 && rng.below(3) == 0 { -value } else { value }
                })
                .collect();
            let mut sketch = Sketch::default();
            for &value in &values {
                sketch.add(value);
            }
            sketch.add(f64::NAN);
            assert_eq!(sketch.len(), count);
            values.sort_unstable_by(f64::total_cmp);
            for q in [0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 1.0] {
                #[expect(clippy::cast_sign_loss, reason = "a part of a count is a count")]
                let exact = values[(q * (count - 1) as f64) as usize];
                let found = sketch.quantile(q).unwrap();
                assert!((found - exact).abs() <= exact.abs() * 0.010_001, "{q} {found} {exact}");
            }
        }
        assert_eq!(Sketch::default().quantile(0.5), None);
    }

    #[test]
    fn the_ends_of_what_a_double_holds_have_their_buckets() {
        for value in [f64::MAX, f64::MIN_POSITIVE, 5e-324, -f64::MAX, -5e-324] {
            let mut sketch = Sketch::default();
            sketch.add(value);
            let found = sketch.quantile(0.5).unwrap();
            assert!(found.is_infinite() || found.signum() == value.signum(), "{value} {found}");
        }
    }
}
