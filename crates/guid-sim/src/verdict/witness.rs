//! Witnesses: the first case against a claim as a report shows it.
//!
//! Each event stands with its ID as the scheme writes it, and with what the ID says of its moment
//! and its node, where the text does not say so itself.

use guid_core::NodeId;

use crate::{
    Witness, WitnessEvent,
    checker::{Case, Cause, Facts, Jumps, Keyed, Order},
    lane::{Lane, promises},
    stamper::{id_of_time, id_text, says},
};

/// What witnesses of one scheme are made from.
pub(super) struct Witnesses<'a> {
    pub(super) lane: &'a Lane,
    pub(super) jumps: &'a Jumps,
}

impl Witnesses<'_> {
    /// The witness of a case whose keys compare in this order.
    pub(super) fn of(&self, order: Order, case: Option<&Case>) -> Option<Witness> {
        let case = case?;
        let Lane { scheme, observe, .. } = *self.lane;
        let promises = promises(scheme, observe);
        let facts = Facts { scheme: Some(scheme), order, promises, jumps: self.jumps };
        let [first, second] = [&case.first, &case.second].map(|one| self.event(order, one));
        Some(Witness::new(first, second, cause(&facts, case)))
    }

    fn event(&self, order: Order, keyed: &Keyed) -> WitnessEvent {
        let scheme = self.lane.scheme;
        let key = match order {
            Order::Bytes => keyed.key,
            Order::Time => id_of_time(scheme, keyed.key, self.lane.drift(keyed.event.node)),
        };
        let says = says(scheme, key);
        let text = |number: u64| number.to_string();
        WitnessEvent {
            stamp_ns: says.ns.map(text),
            sequence: says.sequence,
            id_node: says.node.map(|node: NodeId| format!("{:08x}", node.as_u32())),
            ..WitnessEvent::new(&keyed.event, id_text(scheme, key))
        }
    }
}

/// The cause of a case, in words.
pub(crate) fn cause(facts: &Facts<'_>, case: &Case) -> String {
    let order = || facts.cause(&case.first, &case.second);
    match case.cause {
        Cause::Said(cause) => String::from(cause),
        Cause::Order => String::from(order()),
        Cause::Lost => format!("the register keeps the old value: {}", order()),
    }
}

/// The witness of a case whose events bear no IDs of their own.
pub(super) fn plain(case: &Case) -> Witness {
    let facts =
        Facts { scheme: None, order: Order::Bytes, promises: false, jumps: &Jumps::default() };
    let [first, second] =
        [&case.first, &case.second].map(|keyed| WitnessEvent::new(&keyed.event, String::new()));
    Witness::new(first, second, cause(&facts, case))
}
