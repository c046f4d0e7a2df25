//! Outcomes that come in any order, some of them twice, put in the order of jobs.

use std::collections::{BTreeMap, VecDeque};

use super::Shard;
use crate::TraceHash;

/// Of how many outcomes that were taken out a fingerprint is kept, for a second one to be compared.
const REMEMBERED: usize = 1 << 16;

/// Outcomes on their way into a file: taken in as they come, taken out in order.
///
/// A job that was done twice (by a worker that was taken for dead, say) must have come to the same
/// line twice; that it did not is how a run that is not deterministic shows.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::{Accepted, Ordered, Shard};
///
/// let mut ordered = Ordered::new(Shard::WHOLE, 0);
/// assert_eq!(ordered.accept(1, "second"), Accepted::New);
/// assert_eq!(ordered.pop(), None); // the first is missing
/// assert_eq!(ordered.accept(0, "first"), Accepted::New);
/// assert_eq!(ordered.pop(), Some((0, "first".into())));
/// assert_eq!(ordered.accept(0, "first"), Accepted::Same);
/// assert_eq!(ordered.accept(1, "another"), Accepted::Differs);
/// assert_eq!(ordered.pop(), Some((1, "second".into())));
/// ```
#[derive(Clone, Debug)]
pub struct Ordered {
    shard: Shard,
    /// The place in the shard of the job that goes out next.
    next: u64,
    waiting: BTreeMap<u64, String>,
    /// Fingerprints of those that went out last.
    gone: VecDeque<u128>,
}

/// What is known of an outcome that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accepted {
    /// It is the first of its job.
    New,
    /// It came before, and is the same.
    Same,
    /// It came before, and was another.
    Differs,
    /// It came before, too long ago to compare.
    Forgotten,
    /// It is of no job of the shard.
    Foreign,
}

impl Ordered {
    /// Begins at a place in a shard.
    pub const fn new(shard: Shard, next: u64) -> Self {
        Self { shard, next, waiting: BTreeMap::new(), gone: VecDeque::new() }
    }

    /// Takes in what a job came to. In O(log n) of those that wait.
    pub fn accept(&mut self, job: u64, line: &str) -> Accepted {
        let Some(place) = self.shard.place(job) else { return Accepted::Foreign };
        if let Some(before) = self.next.checked_sub(place).filter(|&before| before > 0) {
            let before = usize::try_from(before).unwrap_or(usize::MAX);
            let known = self.gone.len().checked_sub(before).and_then(|at| self.gone.get(at));
            return match known {
                Some(&gone) if gone == fingerprint(line) => Accepted::Same,
                Some(_) => Accepted::Differs,
                None => Accepted::Forgotten,
            };
        }
        match self.waiting.get(&place) {
            Some(known) if known == line => Accepted::Same,
            Some(_) => Accepted::Differs,
            None => {
                self.waiting.insert(place, String::from(line));
                Accepted::New
            }
        }
    }

    /// Takes out the next in order, if it is there.
    pub fn pop(&mut self) -> Option<(u64, String)> {
        let line = self.waiting.remove(&self.next)?;
        if self.gone.len() == REMEMBERED {
            self.gone.pop_front();
        }
        self.gone.push_back(fingerprint(&line));
        self.next += 1;
        Some((self.shard.job(self.next - 1), line))
    }

    /// The place in the shard of the job that goes out next: how many went out.
    pub const fn place(&self) -> u64 {
        self.next
    }

    /// Whether the job at a place has not come yet.
    pub fn lacks(&self, place: u64) -> bool {
        place >= self.next && !self.waiting.contains_key(&place)
    }
}

fn fingerprint(line: &str) -> u128 {
    let mut hash = TraceHash::default();
    hash.bytes(line.as_bytes());
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    #[test]
    fn whatever_the_order_and_the_repetitions_each_goes_out_once_in_order() {
        let mut rng = Streams::new(5).of_world(Purpose::Workload);
        for _ in 0..100 {
            let shard: Shard = "2/3".parse().unwrap();
            let mut ordered = Ordered::new(shard, 0);
            let jobs: Vec<u64> = (0..40).map(|place| shard.job(place)).collect();
            let mut coming: Vec<u64> = jobs.iter().chain(&jobs).copied().collect();
            let (mut out, mut new) = (Vec::new(), 0);
            while !coming.is_empty() {
                let at = usize::try_from(rng.below(coming.len() as u64)).unwrap();
                let job = coming.swap_remove(at);
                match ordered.accept(job, &job.to_string()) {
                    Accepted::New => new += 1,
                    other => assert_eq!(other, Accepted::Same),
                }
                out.extend(std::iter::from_fn(|| ordered.pop()));
            }
            let expected: Vec<(u64, String)> = jobs.iter().map(|&j| (j, j.to_string())).collect();
            assert_eq!((out, new), (expected, 40));
        }
    }

    #[test]
    fn what_went_out_long_ago_is_not_compared_and_what_is_foreign_is_said() {
        let mut ordered = Ordered::new(Shard::WHOLE, 5);
        assert_eq!(ordered.accept(4, "before the start"), Accepted::Forgotten);
        assert!(ordered.lacks(5) && !ordered.lacks(4));
        assert_eq!(ordered.accept(5, "x"), Accepted::New);
        assert!(!ordered.lacks(5) && ordered.lacks(6));
        let shard: Shard = "1/2".parse().unwrap();
        assert_eq!(Ordered::new(shard, 0).accept(1, "x"), Accepted::Foreign);
    }
}
