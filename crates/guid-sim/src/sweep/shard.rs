//! A part of the jobs of a sweep, for machines that know nothing of each other.

use std::{fmt, str::FromStr};

/// Every n-th job of a sweep: `2/3` are the jobs 1, 4, 7, … So all shards take as long, even where
/// one end of the grid is slower than the other.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard.jobs(8), 3);
/// assert_eq!((0..3).map(|place| shard.job(place)).collect::<Vec<_>>(), [1, 4, 7]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From zero.
    index: u64,
    of: u64,
}

impl Shard {
    /// All jobs.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Whether these are all jobs.
    pub const fn is_whole(self) -> bool {
        self.of == 1
    }

    /// How many of so many jobs are in this shard.
    pub const fn jobs(self, of_all: u64) -> u64 {
        of_all.saturating_sub(self.index).div_ceil(self.of)
    }

    /// The job at a place in the shard.
    pub const fn job(self, place: u64) -> u64 {
        self.index + place * self.of
    }

    /// The place of a job in the shard, if it is in it.
    pub const fn place(self, job: u64) -> Option<u64> {
        match job.checked_sub(self.index) {
            Some(rest) if rest % self.of == 0 => Some(rest / self.of),
            _ => None,
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (number, of) = text.split_once('/')?;
            Some((number.parse::<u64>().ok()?, of.parse::<u64>().ok()?))
        };
        match parse() {
            Some((number, of)) if 1 <= number && number <= of && of <= 1 << 20 => {
                Ok(Self { index: number - 1, of })
            }
            _ => Err(format!("found `{text}`, expected I/N with I from 1 to N, as in 2/3")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shards_of_a_sweep_are_its_jobs_each_once() {
        for (of, all) in [(1, 5), (3, 8), (3, 9), (3, 10), (7, 3)] {
            let shards = (1..=of).map(|number| format!("{number}/{of}").parse::<Shard>().unwrap());
            let jobs = |shard: Shard| (0..shard.jobs(all)).map(move |place| shard.job(place));
            let mut jobs: Vec<u64> = shards.flat_map(jobs).collect();
            jobs.sort_unstable();
            let shard: Shard = format!("1/{of}").parse().unwrap();
            assert_eq!(shard.place(shard.job(5)), Some(5));
            assert_eq!(jobs, (0..all).collect::<Vec<_>>());
        }
        for wrong in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/99999999999", "-1/2"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("I/N"), "{wrong}");
        }
    }
}
