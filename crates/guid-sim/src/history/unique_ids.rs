//! Was every ID given once?
//!
//! # References
//!
//! Jepsen, `checker/unique-ids`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Counts, Element, Function, History, HistoryError, OpKind, Witness, op::told, outcome::Found,
};
use crate::Verdict;

/// What the checker of IDs counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UniqueIds {
    /// IDs asked for.
    pub attempted: u64,
    /// IDs given.
    pub acknowledged: u64,
    /// Different IDs that were given more than once.
    pub duplicated: u64,
}

pub(super) fn check(history: &History) -> Result<Found, HistoryError> {
    let mut counts = UniqueIds { attempted: 0, acknowledged: 0, duplicated: 0 };
    let mut given: BTreeMap<&Element, usize> = BTreeMap::new();
    let mut twice = BTreeSet::new();
    let mut witness = None;
    for next in history.clients(&[Function::Generate]) {
        let (index, op) = next?;
        match op.kind {
            OpKind::Invoke => counts.attempted += 1,
            OpKind::Fail | OpKind::Info => {}
            OpKind::Ok => {
                let value = op.value.as_ref();
                let id = value.ok_or_else(|| HistoryError::value(index, op, "an ID"))?;
                counts.acknowledged += 1;
                let first = *given.entry(id).or_insert(index);
                if first != index {
                    twice.insert(id);
                    let says = || format!("{} is given twice", told(id));
                    witness.get_or_insert_with(|| Witness::new(says(), vec![first, index]));
                }
            }
        }
    }
    counts.duplicated = twice.len() as u64;
    Ok((Verdict::of(twice.is_empty()), Counts::Ids(counts), witness))
}
