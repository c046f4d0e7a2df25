//! Do the final reads of a counter show a sum that the adds can have?
//!
//! Adds that are `ok` are in the sum, those that failed are not, and each that is `info` may be or
//! not: with n of these there are up to 2ⁿ sums. They are kept as closed ranges in ascending order,
//! neighbors merged; an add that is in doubt joins the ranges with the same ranges, moved. Where
//! the ranges become too many the verdict is unknown, unless a read is outside of all of them.
//!
//! # Invariants
//!
//! * No sum can overflow: the adds that count reach no further than 64 bits, whatever their signs.
//!
//! # References
//!
//! Maelstrom, the checker of its workload `pn-counter`, which `g-counter` shares.

use super::{
    Counts, Element, Function, History, HistoryError, Op, OpKind, Witness, outcome::Found,
};
use crate::Verdict;

/// Ranges that are kept at most, and ranges that are moved in all: a second or so of work.
const RANGES_MAX: usize = 1 << 16;
const MOVES_MAX: usize = 1 << 26;

/// What the checker of counters counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counter {
    /// The final reads, as they came.
    pub finals: Vec<i64>,
    /// All sums that the adds can have, as closed ranges, ascending; `None` if too many.
    pub acceptable: Option<Vec<(i64, i64)>>,
}

/// What of a history matters.
#[derive(Default)]
struct Adds {
    sure: i64,
    doubtful: Vec<i64>,
    /// How far the sum could be from zero.
    reach: i64,
    /// Final reads, with their indices.
    finals: Vec<(usize, i64)>,
}

pub(super) fn check(history: &History) -> Result<Found, HistoryError> {
    let Adds { sure, doubtful, finals, .. } = Adds::of(history)?;
    let acceptable = sums(sure, &doubtful);
    // The sums are between these, whether or not all of them are known.
    let (mut least, mut most) = (sure, sure);
    for &add in &doubtful {
        *(if add < 0 { &mut least } else { &mut most }) += add;
    }
    let ends = [(least, most)];
    let within = acceptable.as_deref().unwrap_or(&ends);
    let outside = finals.iter().find(|&&(_, read)| !contains(within, read));
    let verdict = match (outside, &acceptable) {
        (Some(_), _) => Verdict::Violated,
        (None, None) if !finals.is_empty() => Verdict::Unknown,
        (None, _) => Verdict::Holds,
    };
    let witness = outside.map(|&(index, read)| {
        let says = format!("{read} is read at the end, and {}", can_be(within));
        Witness::new(says, vec![history.invoked[index], index])
    });
    let finals = finals.into_iter().map(|(_, read)| read).collect();
    Ok((verdict, Counts::Counter(Counter { finals, acceptable }), witness))
}

/// What the sum can be, in words.
fn can_be(ranges: &[(i64, i64)]) -> String {
    const TOLD_MAX: usize = 8;
    let told = ranges
        .iter()
        .take(TOLD_MAX)
        .map(|&(low, high)| if low == high { low.to_string() } else { format!("{low} to {high}") });
    let told: Vec<String> = told.collect();
    let dots = if ranges.len() > TOLD_MAX { ", …" } else { "" };
    format!("the adds make {}{dots}", told.join(", "))
}

impl Adds {
    fn of(history: &History) -> Result<Self, HistoryError> {
        let mut adds = Self::default();
        for next in history.clients(&[Function::Add, Function::Read]) {
            let (index, op) = next?;
            let integer = || {
                let value = op.value.as_ref().and_then(Element::as_integer);
                value.ok_or_else(|| HistoryError::value(index, op, "an integer of 64 bits, signed"))
            };
            match op.function {
                Function::Add => adds.add(index, op, integer()?)?,
                _ if op.is_final && op.kind == OpKind::Ok => adds.finals.push((index, integer()?)),
                _ => {}
            }
        }
        Ok(adds)
    }

    fn add(&mut self, index: usize, op: &Op, value: i64) -> Result<(), HistoryError> {
        if matches!(op.kind, OpKind::Invoke | OpKind::Fail) {
            return Ok(());
        }
        let reach = value.checked_abs().and_then(|value| self.reach.checked_add(value));
        let beyond = || HistoryError::in_op(index, "the adds together: expected within 64 bits");
        self.reach = reach.ok_or_else(beyond)?;
        if op.kind == OpKind::Ok {
            self.sure += value;
        } else {
            self.doubtful.push(value);
        }
        Ok(())
    }
}

/// All sums of the sure part and any of the doubtful ones, unless they are too many.
fn sums(sure: i64, doubtful: &[i64]) -> Option<Vec<(i64, i64)>> {
    let mut doubtful = doubtful.to_vec();
    // Small ones first: what they fill stays one range when larger ones move it.
    doubtful.sort_unstable_by_key(|add| add.abs());
    let mut ranges = vec![(sure, sure)];
    let mut moves = 0;
    for add in doubtful {
        moves += ranges.len();
        ranges = joined(&ranges, add);
        if ranges.len() > RANGES_MAX || moves > MOVES_MAX {
            return None;
        }
    }
    Some(ranges)
}

/// The ranges, and the same ranges moved, merged where they touch.
fn joined(ranges: &[(i64, i64)], by: i64) -> Vec<(i64, i64)> {
    let mut moved = ranges.iter().map(|&(low, high)| (low + by, high + by)).peekable();
    let mut stayed = ranges.iter().copied().peekable();
    let mut joined: Vec<(i64, i64)> = Vec::with_capacity(ranges.len() + 1);
    loop {
        let next = match (stayed.peek(), moved.peek()) {
            (Some(a), Some(b)) if a <= b => stayed.next(),
            (_, Some(_)) => moved.next(),
            (_, None) => stayed.next(),
        };
        let Some((low, high)) = next else { return joined };
        match joined.last_mut() {
            // The difference, since the end of a range may be the last number.
            Some(last) if low <= last.1 || low - last.1 == 1 => last.1 = last.1.max(high),
            _ => joined.push((low, high)),
        }
    }
}

fn contains(ranges: &[(i64, i64)], value: i64) -> bool {
    let after = ranges.partition_point(|&(low, _)| low <= value);
    after > 0 && value <= ranges[after - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(sums(5, &[]).unwrap(), [(5, 5)]);
        assert_eq!(sums(0, &[2, 1]).unwrap(), [(0, 3)]);
        assert_eq!(sums(0, &[3, -1]).unwrap(), [(-1, 0), (2, 3)]);
        assert_eq!(sums(0, &[0, 4, 4]).unwrap(), [(0, 0), (4, 4), (8, 8)]);
        assert_eq!(
            sums(i64::MIN + 1, &[i64::MAX]).unwrap(),
            [(i64::MIN + 1, i64::MIN + 1), (0, 0)]
        );
    }

    #[test]
    fn too_many_sums_are_given_up() {
        let powers: Vec<i64> = (0..20).map(|i| 3 << (i * 2)).collect();
        assert_eq!(sums(0, &powers), None);
        let halves = vec![1; 100_000];
        assert_eq!(sums(0, &halves).unwrap(), [(0, 100_000)]);
    }
}
