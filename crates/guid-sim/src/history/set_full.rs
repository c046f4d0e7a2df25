//! Is every element of a set, once known, in every later read?
//!
//! An element is *known* from the first completion that proves it: of its add, or of a read that
//! saw it. Of the reads that could have seen it, those that end after its add begins, two matter:
//! the last to begin that saw it, and the last to begin that did not. If the former is later, it
//! is *stable*; if the latter is, and begins after it was known, it is *lost*; else nothing is
//! decided, *never* read. A stable element that a read missed after it was known was *stale*.
//!
//! The textbook way touches every element at every read. Here reads are numbered as they end, and
//! an element remembers the numbers of those that saw it; the others are the gaps between them,
//! and a tree of maxima tells which read of a gap began last.
//!
//! # Invariants
//!
//! * Time is compared in whole milliseconds, order by index alone.
//! * An element that is added again begins a new life. One that only reads know does not count.
//!
//! # References
//!
//! Jepsen, `checker/set-full`, without and with `:linearizable?`.

use std::collections::BTreeMap;

use super::{
    Counts, Element, Function, History, HistoryError, OpKind, Witness, op::told, outcome::Found,
};
use crate::Verdict;

/// What the checker of sets counts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SetFull {
    /// Elements whose add began.
    pub attempt: u64,
    /// Elements that are there to stay.
    pub stable: u64,
    /// Elements that were known, and are gone, ascending.
    pub lost: Vec<Element>,
    /// Elements of which no read decides, ascending.
    pub never: Vec<Element>,
    /// Elements that came to stay a millisecond or more after they were known, ascending.
    pub stale: Vec<Element>,
}

/// What is known of an element. All but `seen` and `born` are indices in the history.
struct Life {
    added: usize,
    /// The completion that first proves it.
    known: Option<usize>,
    /// How many reads had ended when its add began.
    born: usize,
    /// The reads that saw it, by their number.
    seen: Vec<usize>,
}

/// Reads in the order in which they end, each with the index of its invocation.
struct Reads {
    begun: Vec<usize>,
    /// Maxima of pairs, of pairs of pairs and so on, above the reads; index + 1, so that 0 is none.
    tree: Vec<usize>,
}

/// What becomes of an element.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Stable,
    Stale,
    Lost,
    Never,
}

pub(super) fn check(history: &History, at_once: bool) -> Result<Found, HistoryError> {
    let (lives, reads) = lives(history)?;
    let mut counts = SetFull { attempt: lives.len() as u64, ..SetFull::default() };
    let mut worst: Option<(Fate, &Element, &Life, usize)> = None;
    for (&element, life) in &lives {
        let missed = reads.last_without(life);
        let fate = life.fate(history, &reads, missed);
        match fate {
            Fate::Stable => counts.stable += 1,
            Fate::Lost => counts.lost.push(element.clone()),
            Fate::Never => counts.never.push(element.clone()),
            Fate::Stale => {
                counts.stable += 1;
                counts.stale.push(element.clone());
            }
        }
        let is_wrong = fate == Fate::Lost || at_once && fate == Fate::Stale;
        // What is lost before what is late, then what was added first.
        let rank = |fate, life: &Life| (fate != Fate::Lost, life.added);
        if let (true, Some(missed)) = (is_wrong, missed)
            && worst.is_none_or(|(than, _, other, _)| rank(fate, life) < rank(than, other))
        {
            worst = Some((fate, element, life, missed));
        }
    }
    let verdict = match (worst, counts.stable) {
        (Some((Fate::Lost, ..)), _) => Verdict::Violated,
        (_, 0) => Verdict::Unknown,
        (Some(_), _) => Verdict::Violated,
        (None, _) => Verdict::Holds,
    };
    let witness = worst.map(|worst| witness(history, worst));
    Ok((verdict, Counts::Set(counts), witness))
}

/// The add, what made the element known, and the read that missed it.
fn witness(
    history: &History,
    (fate, element, life, missed): (Fate, &Element, &Life, usize),
) -> Witness {
    let ended = history.ended(missed);
    let ops = [Some(life.added), life.known, Some(missed), ended].into_iter().flatten().collect();
    let element = told(element);
    Witness::new(
        match fate {
            Fate::Lost => format!("{element} is lost: known, then missed by a later read"),
            _ => format!("{element} is stale: known, then missed by a read, then there"),
        },
        ops,
    )
}

/// The life of each element, and all reads that were answered.
fn lives(history: &History) -> Result<(BTreeMap<&Element, Life>, Reads), HistoryError> {
    let mut lives: BTreeMap<&Element, Life> = BTreeMap::new();
    let mut begun = Vec::new();
    for next in history.clients(&[Function::Add, Function::Read]) {
        let (index, op) = next?;
        match (&op.function, op.kind, &op.value) {
            (Function::Add, OpKind::Invoke, Some(element)) => {
                let life = Life { added: index, known: None, born: begun.len(), seen: Vec::new() };
                lives.insert(element, life);
            }
            (Function::Add, OpKind::Ok, Some(element)) => {
                if let Some(life) = lives.get_mut(element) {
                    life.known.get_or_insert(index);
                }
            }
            (Function::Read, OpKind::Ok, value) => {
                let list = value.as_ref().and_then(Element::as_list);
                let list = list.ok_or_else(|| HistoryError::value(index, op, "a list"))?;
                for element in list {
                    if let Some(life) = lives.get_mut(element) {
                        life.saw(begun.len(), index);
                    }
                }
                begun.push(history.invoked[index]);
            }
            _ => {}
        }
    }
    Ok((lives, Reads::new(begun)))
}

impl Life {
    /// A read may hold an element more than once.
    fn saw(&mut self, read: usize, index: usize) {
        self.known.get_or_insert(index);
        if self.seen.last() != Some(&read) {
            self.seen.push(read);
        }
    }

    fn fate(&self, history: &History, reads: &Reads, missed: Option<usize>) -> Fate {
        let seen = self.seen.iter().map(|&read| reads.begun[read]).max();
        let Some(known) = self.known else { return Fate::Never };
        match (seen, missed) {
            (Some(seen), missed) if missed < Some(seen) => {
                if late(history, known, missed) {
                    Fate::Stale
                } else {
                    Fate::Stable
                }
            }
            (_, Some(missed)) if known < missed => Fate::Lost,
            _ => Fate::Never,
        }
    }
}

/// Whether the last miss was a millisecond or more after the element was known.
fn late(history: &History, known: usize, missed: Option<usize>) -> bool {
    const MS: i128 = 1_000_000;
    let time = |index: usize| i128::from(history.ops[index].time_ns);
    // Jepsen's: the nanosecond after the miss; zero where there is none.
    let stable = missed.map_or(0, |missed| time(missed) + 1);
    stable - time(known) >= MS
}

impl Reads {
    fn new(begun: Vec<usize>) -> Self {
        let leaves = begun.len();
        let mut tree = vec![0; leaves];
        tree.extend(begun.iter().map(|&index| index + 1));
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Self { begun, tree }
    }

    /// Of the reads that could have seen an element and did not, the last to begin.
    fn last_without(&self, life: &Life) -> Option<usize> {
        let ends = life.seen.iter().copied().chain([self.begun.len()]);
        let starts = [life.born].into_iter().chain(life.seen.iter().map(|&read| read + 1));
        starts.zip(ends).map(|(start, end)| self.last_of(start, end)).max()?.checked_sub(1)
    }

    /// Of the reads from one number up to another, the last to begin, as its index + 1.
    fn last_of(&self, start: usize, end: usize) -> usize {
        let leaves = self.begun.len();
        let (mut low, mut high, mut last) = (start + leaves, end + leaves, 0);
        while low < high {
            if low % 2 == 1 {
                last = last.max(self.tree[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                last = last.max(self.tree[high]);
            }
            low /= 2;
            high /= 2;
        }
        last
    }
}
