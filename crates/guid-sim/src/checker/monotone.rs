//! Each incarnation of a node makes its IDs in strictly increasing order.

use super::{Case, Cause, Keyed};

#[derive(Debug)]
pub(crate) struct Monotone {
    /// The last ID of each node.
    last: Vec<Option<Keyed>>,
    pub(crate) inversions: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
}

impl Monotone {
    pub(crate) fn new(nodes: u32) -> Self {
        Self { last: vec![None; nodes as usize], inversions: 0, of: 0, first: None }
    }

    pub(crate) fn event(&mut self, keyed: &Keyed) {
        let last = &mut self.last[keyed.event.node.at()];
        if let Some(last) = last
            && last.event.incarnation == keyed.event.incarnation
        {
            self.of += 1;
            if keyed.key <= last.key {
                self.inversions += 1;
                let case = Case { first: *last, second: *keyed, cause: Cause::Order };
                self.first.get_or_insert(case);
            }
        }
        *last = Some(*keyed);
    }
}
