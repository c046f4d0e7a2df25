//! Was what was said said again?
//!
//! # References
//!
//! Maelstrom, the checker of its workload `echo`.

use super::{
    Counts, Element, Function, History, HistoryError, OpKind, Witness, op::told, outcome::Found,
};
use crate::Verdict;

/// What the checker of echoes counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Echoes {
    /// What was said.
    pub attempted: u64,
    /// What was answered.
    pub acknowledged: u64,
    /// Answers that are not what was said.
    pub wrong: u64,
}

/// Judges in O(n).
pub(super) fn check(history: &History) -> Result<Found, HistoryError> {
    let mut counts = Echoes::default();
    let mut witness = None;
    for next in history.clients(&[Function::Echo]) {
        let (index, op) = next?;
        match op.kind {
            OpKind::Invoke => counts.attempted += 1,
            OpKind::Fail | OpKind::Info => {}
            OpKind::Ok => {
                counts.acknowledged += 1;
                let invoked = history.invoked[index];
                let said = &history.ops[invoked].value;
                if op.value != *said {
                    counts.wrong += 1;
                    let show = |value: &Option<Element>| {
                        value.as_ref().map_or_else(|| String::from("null"), told)
                    };
                    let says = || format!("{} is answered to {}", show(&op.value), show(said));
                    witness.get_or_insert_with(|| Witness::new(says(), vec![invoked, index]));
                }
            }
        }
    }
    Ok((Verdict::of(counts.wrong == 0), Counts::Echoes(counts), witness))
}
