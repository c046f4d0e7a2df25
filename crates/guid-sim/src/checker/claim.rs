//! What a process claims of itself.

use std::collections::BTreeMap;

use super::{Case, Cause, Keyed};
use crate::{Event, NodeIndex};

/// A claim, over all the moments at which it was made.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    pub(crate) of: u64,
    pub(crate) against: u64,
    /// Where it held last, on each node.
    held: BTreeMap<NodeIndex, Event>,
    pub(crate) first: Option<Case>,
}

impl Claim {
    pub(crate) fn add(&mut self, event: Event, holds: bool) {
        self.of += 1;
        if holds {
            self.held.insert(event.node, event);
            return;
        }
        self.against += 1;
        let held = self.held.get(&event.node);
        let cause = match held {
            Some(_) => "it held at the first event, and no longer at the second",
            None => "it never held on this node",
        };
        let keyed = |event| Keyed { key: 0, event };
        let first = keyed(held.copied().unwrap_or(event));
        self.first.get_or_insert(Case { first, second: keyed(event), cause: Cause::Said(cause) });
    }
}
