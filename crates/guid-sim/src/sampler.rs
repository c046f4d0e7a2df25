//! Distributions of durations: integers out, pure-Rust mathematics inside.
//!
//! `exp`, `ln` and `cos` come from `libm`, not from the platform, so a seed gives the same delays
//! everywhere; golden values in the tests pin them.

use std::fmt;

use crate::{Rng, units};

/// A distribution of durations in nanoseconds.
///
/// As text: `200us`, or a base and a tail: `200us + exp(50us)`, `1ms + uniform(0, 2ms)`,
/// `lognormal(2ms, 0.5)` (median, sigma of the logarithm), `pareto(1ms, 1.5)` (scale, shape),
/// `normal(0, 33us)` (mean, standard deviation).
///
/// # Examples
///
/// ```
/// use guid_sim::{Distribution, Purpose, Streams};
///
/// let latency: Distribution = "200us + exp(50us)".parse()?;
/// assert_eq!(latency.mean_ns(), Some(250_000.0));
/// let mut rng = Streams::new(1).of_world(Purpose::Network);
/// assert!(latency.sample(&mut rng) >= 200_000);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution {
    base: i64,
    tail: Tail,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tail {
    None,
    Exponential { mean: f64 },
    LogNormal { median: f64, sigma: f64 },
    Normal { mean: f64, sigma: f64 },
    Pareto { scale: f64, shape: f64 },
    Uniform { low: f64, high: f64 },
}

/// No sample is larger: ten days, so that a heavy tail cannot overflow the time scale.
const LONGEST: f64 = 864e12;

impl Distribution {
    /// Always this many nanoseconds.
    pub const fn constant(ns: i64) -> Self {
        Self { base: ns, tail: Tail::None }
    }

    /// Normal around zero.
    pub const fn normal(sigma_ns: f64) -> Self {
        Self { base: 0, tail: Tail::Normal { mean: 0.0, sigma: sigma_ns } }
    }

    /// Exponential with this mean: the gaps of a Poisson process.
    pub const fn exponential(mean_ns: f64) -> Self {
        Self { base: 0, tail: Tail::Exponential { mean: mean_ns } }
    }

    /// The least sample, but for a normal tail, which has none: there, the base.
    pub fn least_ns(&self) -> i64 {
        self.base.saturating_add(match self.tail {
            Tail::Uniform { low, .. } => round(low),
            Tail::Pareto { scale, .. } => round(scale),
            Tail::None
            | Tail::Exponential { .. }
            | Tail::LogNormal { .. }
            | Tail::Normal { .. } => 0,
        })
    }

    /// The mean, where it exists.
    #[expect(clippy::cast_precision_loss, reason = "durations of interest are far below 2^53 ns")]
    pub fn mean_ns(&self) -> Option<f64> {
        let tail = match self.tail {
            Tail::None => 0.0,
            Tail::Exponential { mean } | Tail::Normal { mean, .. } => mean,
            Tail::LogNormal { median, sigma } => median * libm::exp(sigma * sigma / 2.0),
            Tail::Pareto { scale, shape } if shape > 1.0 => scale * shape / (shape - 1.0),
            Tail::Pareto { .. } => return None,
            Tail::Uniform { low, high } => f64::midpoint(low, high),
        };
        Some(self.base as f64 + tail)
    }

    /// Draws a duration, rounded to whole nanoseconds. One or two draws of the stream.
    pub fn sample(&self, rng: &mut Rng) -> i64 {
        let tail = match self.tail {
            Tail::None => return self.base,
            Tail::Exponential { mean } => -mean * libm::log(rng.unit()),
            Tail::LogNormal { median, sigma } => median * libm::exp(sigma * standard_normal(rng)),
            Tail::Normal { mean, sigma } => mean + sigma * standard_normal(rng),
            Tail::Pareto { scale, shape } => scale * libm::pow(rng.unit(), -1.0 / shape),
            Tail::Uniform { low, high } => low + (high - low) * rng.unit(),
        };
        self.base.saturating_add(round(tail))
    }

    /// Draws as often as [`Distribution::sample`] does.
    pub(crate) fn skip(&self, rng: &mut Rng) {
        let draws = match self.tail {
            Tail::None => 0,
            Tail::Exponential { .. } | Tail::Pareto { .. } | Tail::Uniform { .. } => 1,
            Tail::LogNormal { .. } | Tail::Normal { .. } => 2,
        };
        for _ in 0..draws {
            rng.next_u64();
        }
    }

    /// Draws a duration that is not negative.
    pub fn sample_unsigned(&self, rng: &mut Rng) -> u64 {
        u64::try_from(self.sample(rng)).unwrap_or(0)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped far inside the range")]
fn round(ns: f64) -> i64 {
    libm::round(ns.clamp(-LONGEST, LONGEST)) as i64
}

/// Box and Muller's transform, the cosine half.
fn standard_normal(rng: &mut Rng) -> f64 {
    let (radius, angle) = (rng.unit(), rng.unit());
    libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(2.0 * std::f64::consts::PI * angle)
}

impl std::str::FromStr for Distribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = |why: String| format!("{why}, in `{text}`");
        let (base, tail) = match text.split_once(" + ") {
            Some((base, tail)) => (base, Some(tail)),
            None if text.contains('(') => ("0", Some(text)),
            None => (text, None),
        };
        let base = units::signed_ns(base).map_err(error)?;
        let tail = tail.map_or(Ok(Tail::None), |tail| tail_of(tail.trim())).map_err(error)?;
        Ok(Self { base, tail })
    }
}

fn tail_of(text: &str) -> Result<Tail, String> {
    const EXPECTED: &str = "exp(MEAN), uniform(LOW, HIGH), normal(MEAN, SIGMA), \
                            lognormal(MEDIAN, SIGMA) or pareto(SCALE, SHAPE)";
    let error = || format!("found `{text}`, expected {EXPECTED}");
    let (name, rest) = text.split_once('(').ok_or_else(error)?;
    let arguments = rest.strip_suffix(')').ok_or_else(error)?;
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    match (name.trim(), arguments.as_slice()) {
        ("exp", [mean]) => Ok(Tail::Exponential { mean: unsigned(mean)? }),
        ("uniform", [low, high]) => match (duration(low)?, duration(high)?) {
            (low, high) if low <= high => Ok(Tail::Uniform { low, high }),
            _ => Err(format!("found {low} above {high}, expected the lower bound first")),
        },
        ("normal", [mean, sigma]) => {
            Ok(Tail::Normal { mean: duration(mean)?, sigma: unsigned(sigma)? })
        }
        ("lognormal", [median, sigma]) => {
            Ok(Tail::LogNormal { median: unsigned(median)?, sigma: positive(sigma)? })
        }
        ("pareto", [scale, shape]) => {
            Ok(Tail::Pareto { scale: unsigned(scale)?, shape: positive(shape)? })
        }
        _ => Err(error()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "durations of interest are far below 2^53 ns")]
fn duration(text: &str) -> Result<f64, String> {
    let ns = units::signed_ns(text)? as f64;
    if ns.abs() > LONGEST {
        return Err(format!("found `{text}`, expected at most ten days"));
    }
    Ok(ns)
}

fn unsigned(text: &str) -> Result<f64, String> {
    match duration(text)? {
        ns if ns >= 0.0 => Ok(ns),
        _ => Err(format!("found `{text}`, expected a duration that is not negative")),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("found `{text}`, expected a positive number")),
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = |ns: f64| units::Ns(i128::from(round(ns)));
        if self.base != 0 || self.tail == Tail::None {
            write!(f, "{}", units::Ns(self.base.into()))?;
            if self.tail != Tail::None {
                f.write_str(" + ")?;
            }
        }
        match self.tail {
            Tail::None => Ok(()),
            Tail::Exponential { mean } => write!(f, "exp({})", ns(mean)),
            Tail::LogNormal { median, sigma } => write!(f, "lognormal({}, {sigma})", ns(median)),
            Tail::Normal { mean, sigma } => write!(f, "normal({}, {})", ns(mean), ns(sigma)),
            Tail::Pareto { scale, shape } => write!(f, "pareto({}, {shape})", ns(scale)),
            Tail::Uniform { low, high } => write!(f, "uniform({}, {})", ns(low), ns(high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    fn draws(text: &str) -> Vec<i64> {
        let distribution: Distribution = text.parse().unwrap();
        let mut rng = Streams::new(42).of_world(Purpose::Network);
        (0..3).map(|_| distribution.sample(&mut rng)).collect()
    }

    /// The values are part of what a seed means: they must never change. Computed by another
    /// implementation, from the definitions.
    #[test]
    fn golden_samples() {
        assert_eq!(draws("1ms"), [1_000_000; 3]);
        assert_eq!(draws("200us + exp(50us)"), [208_038, 223_521, 274_541]);
        assert_eq!(draws("uniform(0, 1s)"), [851_495_427, 624_738_773, 225_188_319]);
        assert_eq!(draws("normal(0, 1s)"), [-401_607_863, -345_860_684, -2_224_281_922]);
        assert_eq!(draws("lognormal(2ms, 0.5)"), [1_636_146, 1_682_392, 657_708]);
        assert_eq!(draws("pareto(1ms, 1.5)"), [1_113_128, 1_368_362, 2_701_694]);
    }

    #[test]
    fn skipping_draws_as_often_as_sampling() {
        for text in [
            "1ms",
            "exp(1ms)",
            "uniform(0, 1s)",
            "normal(0, 1s)",
            "lognormal(2ms, 0.5)",
            "pareto(1ms, 2)",
        ] {
            let distribution: Distribution = text.parse().unwrap();
            let mut sampled = Streams::new(42).of_world(Purpose::Network);
            let mut skipped = sampled.clone();
            distribution.sample(&mut sampled);
            distribution.skip(&mut skipped);
            assert_eq!(sampled.next_u64(), skipped.next_u64(), "{text}");
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "a mean of a test")]
    fn means_are_as_predicted() {
        for text in
            ["1ms + exp(2ms)", "uniform(1ms, 5ms)", "lognormal(2ms, 0.5)", "normal(3ms, 1ms)"]
        {
            let distribution: Distribution = text.parse().unwrap();
            let mut rng = Streams::new(7).of_world(Purpose::Network);
            let sum: i64 = (0..100_000).map(|_| distribution.sample(&mut rng)).sum();
            let mean = distribution.mean_ns().unwrap();
            // The standard error of every one of these is below 0.4 % of its mean.
            assert!((sum as f64 / 1e5 - mean).abs() < 0.02 * mean, "{text}");
        }
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        for text in
            ["", "1", "exp", "exp()", "exp(1)", "1ms +", "gamma(1ms)", "pareto(1ms, 0)", "exp(1ms"]
        {
            assert!(text.parse::<Distribution>().is_err(), "{text}");
        }
    }
}
