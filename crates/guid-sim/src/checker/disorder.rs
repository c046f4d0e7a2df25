//! How disordered a sequence of IDs is, by three measures beside the radius.
//!
//! * *displacement*: how far an ID is from its place in sorted order, at most
//! * *inversions*: pairs in the wrong order (the distance of Kendall)
//! * *stride*: the least k such that IDs exactly k places apart are in order. Unlike the radius it
//!   says nothing of other distances: a sequence in order at stride 2 need not be at stride 3.
//!
//! They need the whole sequence, so they are taken on demand, and of so many IDs at most.
//!
//! # References
//!
//! Knuth, "The Art of Computer Programming", vol. 3: section 5.1.1 (inversions), 5.2.1 (h-ordered
//! sequences). Estivill-Castro and Wood, "A Survey of Adaptive Sorting Algorithms", 1992 (Max, Inv,
//! Dis).

/// How many IDs the lanes of a run keep between them.
pub(crate) const LIMIT: usize = 4_000_000;

/// How many comparisons the search for the stride may take.
const COMPARISONS: u64 = 1 << 28;

#[derive(Debug)]
pub(crate) struct Disorder {
    keys: Vec<u128>,
    limit: usize,
    pub(crate) overrun: bool,
}

/// The measures of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Disordered {
    pub(crate) displacement: u64,
    pub(crate) inversions: u64,
    /// `None` where it could not be found in time.
    pub(crate) stride: Option<u64>,
}

impl Disorder {
    pub(crate) fn new(limit: usize) -> Self {
        Self { keys: Vec::new(), limit, overrun: false }
    }

    pub(crate) fn event(&mut self, key: u128) {
        if self.keys.len() < self.limit {
            self.keys.push(key);
        } else {
            self.overrun = true;
        }
    }

    pub(crate) fn judge(&self) -> Disordered {
        Disordered {
            displacement: displacement(&self.keys),
            inversions: inversions(&mut self.keys.clone()),
            stride: stride(&self.keys),
        }
    }
}

/// Equal keys keep their order: they are not displaced by each other.
fn displacement(keys: &[u128]) -> u64 {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by_key(|&place| keys[place]);
    let distances = places.iter().enumerate().map(|(rank, &place)| rank.abs_diff(place));
    distances.max().unwrap_or(0) as u64
}

/// Counts by merging: what of the right half goes before the rest of the left one. Sorts the keys.
fn inversions(keys: &mut [u128]) -> u64 {
    let middle = keys.len() / 2;
    if middle == 0 {
        return 0;
    }
    let (left, right) = keys.split_at_mut(middle);
    let mut count = inversions(left) + inversions(right);
    let (left, mut at) = (left.to_vec(), 0);
    let mut sorted = Vec::with_capacity(right.len() + left.len());
    for (taken, &key) in left.iter().enumerate() {
        while at < right.len() && right[at] < key {
            count += (left.len() - taken) as u64;
            sorted.push(right[at]);
            at += 1;
        }
        sorted.push(key);
    }
    sorted.extend_from_slice(&right[at..]);
    keys.copy_from_slice(&sorted);
    count
}

/// Tries one stride after the other. Where the last one failed, the next one is likely to: looked
/// at first, most strides cost a comparison.
fn stride(keys: &[u128]) -> Option<u64> {
    let (mut compared, mut suspect) = (0, 0);
    for k in 1..keys.len() {
        let fails = |i: usize| keys.get(i + k).is_some_and(|&later| keys[i] > later);
        compared += 1;
        if fails(suspect) {
            continue;
        }
        match (0..keys.len() - k).find(|&i| fails(i)) {
            Some(found) => {
                compared += found as u64;
                suspect = found;
            }
            None => return Some(k as u64),
        }
        if compared > COMPARISONS {
            return None;
        }
    }
    // No two IDs are that far apart: true of none.
    Some(keys.len().max(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Streams};

    fn by_definition(keys: &[u128]) -> Disordered {
        let n = keys.len();
        let pairs = || (0..n).flat_map(|j| (0..j).map(move |i| (i, j)));
        // The rank of a place: what is smaller, and what is equal and comes before.
        let before = |j: usize, i: usize| keys[i] < keys[j] || keys[i] == keys[j] && i < j;
        let rank = |j: usize| (0..n).filter(|&i| before(j, i)).count();
        let fits = |k: usize| pairs().all(|(i, j)| j - i != k || keys[i] <= keys[j]);
        Disordered {
            displacement: (0..n).map(|j| rank(j).abs_diff(j)).max().unwrap_or(0) as u64,
            inversions: pairs().filter(|&(i, j)| keys[i] > keys[j]).count() as u64,
            stride: (1..=n.max(1)).find(|&k| fits(k)).map(|k| k as u64),
        }
    }

    fn radius(keys: &[u128]) -> u64 {
        let pairs = (0..keys.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let wrong = pairs.filter(|&(i, j)| keys[i] > keys[j]).map(|(i, j)| j - i);
        1 + wrong.max().unwrap_or(0) as u64
    }

    #[test]
    fn the_measures_are_those_of_their_definitions() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        let mut not_upward_closed = 0;
        for round in 0..4_000_u64 {
            let n = rng.below(16);
            let mut disorder = Disorder::new(LIMIT);
            // Nearly sorted, or not at all; with and without equal keys.
            let spread = if round % 2 == 0 { 8 } else { 4 * n.max(1) };
            let keys: Vec<u128> =
                (0..n).map(|i| u128::from((round / 2 % 2) * 2 * i + rng.below(spread))).collect();
            for &key in &keys {
                disorder.event(key);
            }
            let found = disorder.judge();
            assert_eq!(found, by_definition(&keys), "{keys:?}");
            // Max <= Dis <= 2 Max, and the stride is within the radius.
            let dis = radius(&keys) - 1;
            assert!(found.displacement <= dis && dis <= 2 * found.displacement, "{keys:?}");
            let stride = found.stride.unwrap();
            assert!(stride <= radius(&keys));
            not_upward_closed += u64::from(stride < radius(&keys));
        }
        assert!(not_upward_closed > 100, "{not_upward_closed}");
    }

    #[test]
    fn past_its_bound_it_says_so() {
        let mut disorder = Disorder::new(3);
        for key in 0..3 {
            disorder.event(key);
        }
        assert!(!disorder.overrun);
        disorder.event(9);
        assert!(disorder.overrun);
    }

    #[test]
    fn a_reversed_sequence_costs_little() {
        let keys: Vec<u128> = (0..200_000).rev().collect();
        assert_eq!(stride(&keys), Some(200_000));
        assert_eq!(inversions(&mut keys.clone()), 200_000 * 199_999 / 2);
        assert_eq!(displacement(&keys), 199_999);
    }
}
