//! Regions of a cloud, and how far they are apart.
//!
//! # References
//!
//! Mean ping over VPC peering between 12 AWS regions, measured on 2019-06-10 by R. Imaoka
//! (`aws-ping`); half of a round trip is taken for one way. Inside a region, the smallest round
//! trip measured between zones, 0.25 ms.

use std::{fmt, str::FromStr};

const MEASURED: &str = include_str!("../data/aws-rtt-2019.csv");
const INSIDE_NS: u64 = 125_000;

/// A region, by its name: `us-east-1`, `eu-west-1`, …
///
/// # Examples
///
/// ```
/// use guid_sim::Region;
///
/// let (here, there): (Region, Region) = ("us-east-1".parse()?, "us-west-2".parse()?);
/// assert_eq!(here.one_way_ns(&there), 36_057_500); // half of 72.115 ms
/// assert_eq!(here.one_way_ns(&there), there.one_way_ns(&here));
/// assert!("us-east-7".parse::<Region>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region(String);

/// The measured pairs: two names and a round trip in microseconds.
fn measured() -> impl Iterator<Item = (&'static str, &'static str, u64)> {
    MEASURED.lines().filter(|line| !line.starts_with('#')).skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        let (a, b, ms) = (cells.next()?, cells.next()?, cells.next()?);
        let rtt = crate::units::ns(&format!("{}ms", ms.trim())).ok()?;
        Some((a, b, rtt))
    })
}

impl Region {
    /// The names there are.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<&str> = measured().flat_map(|(a, b, _)| [a, b]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// How long a message takes to another region, before any jitter.
    pub fn one_way_ns(&self, other: &Self) -> u64 {
        if self == other {
            return INSIDE_NS;
        }
        let pair = measured()
            .find(|&(a, b, _)| (a == self.0 && b == other.0) || (a == other.0 && b == self.0));
        pair.map_or(INSIDE_NS, |(_, _, rtt)| rtt / 2)
    }
}

impl FromStr for Region {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::names();
        if names.contains(&text) {
            return Ok(Self(String::from(text)));
        }
        Err(format!("found `{text}`{}", crate::scenario::hint(text, &names)))
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_regions_was_measured() {
        let names = Region::names();
        assert_eq!(names.len(), 12);
        for a in &names {
            for b in names.iter().filter(|b| b != &a) {
                let (a, b): (Region, Region) = (a.parse().unwrap(), b.parse().unwrap());
                assert!(a.one_way_ns(&b) > INSIDE_NS, "{a} {b}");
            }
        }
    }
}
