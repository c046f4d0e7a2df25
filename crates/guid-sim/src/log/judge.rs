//! The checkers at work on the lines of a log, by the IDs of one scheme.
//!
//! The checks are those of a run, in a lane of its own whose events come from the log instead of a
//! stamper: what a trace of ours has in it gets the verdicts that its run had.

use guid_core::{NodeId, Stamp};

use super::{Column, Kind, Log};
use crate::{
    Check, Fault, LocalClock, Memory, NodeIndex, Number, Observe, Purpose, ScheduledFault, Scheme,
    Streams, Unit, Verdict, WorldConfig,
    checker::{Endpoint, Jumps, Order, Past},
    lane::{Lane, LaneConfig, observed, promises},
    stamper::{Setup, Stamped, read_id},
    verdict::{self, Clocks},
};

/// What a message carries.
#[derive(Clone)]
struct Baggage {
    past_time: Past,
    past_bytes: Past,
    endpoint: Option<Endpoint>,
    stamped_ns: u64,
    /// How many are still to receive it.
    left: u32,
}

struct Judge<'a> {
    log: &'a Log,
    column: &'a Column,
    scheme: Scheme,
    lane: Lane,
    /// The ID of each line: its key and who made it.
    ids: Vec<Option<(Stamped, NodeId)>>,
}

pub(super) fn check(log: &Log, column: &Column, scheme: Scheme) -> Vec<Check> {
    let mut ids: Vec<Option<(Stamped, NodeId)>> = vec![None; log.lines.len()];
    for id in &column.ids {
        // It was read before, when nodes had no numbers yet.
        ids[id.line] = read_id(scheme, &id.text, log.lines[id.line].node()).ok();
    }
    let mut judge = Judge { log, column, scheme, lane: lane(log, scheme), ids };
    judge.in_causal_order();
    judge.in_order_of_time();
    judge.checks()
}

/// A lane whose stampers have nothing to do.
fn lane(log: &Log, scheme: Scheme) -> Lane {
    let setup = |machine: NodeIndex| Setup {
        node: NodeId::new(machine.as_u32()),
        machine,
        clock: LocalClock::default(),
        sequence: Stamp::MIN,
        random: Streams::new(0).of_world(Purpose::RandomIds).into(),
    };
    let nodes: Vec<Setup> = NodeIndex::first(log.node_count()).map(setup).collect();
    let config = LaneConfig {
        observe: log.observe,
        memory: Memory::HighWater,
        gaps_ns: &log.rules.gaps_ns,
        disorder: log.rules.disorder,
        nodes: &nodes,
        lanes: log.columns.len(),
    };
    // A log has no vectors to judge.
    let mut lane = Lane::new(scheme, &config);
    lane.vector = None;
    lane
}

impl Judge<'_> {
    fn promised(&self) -> bool {
        promises(self.scheme, self.log.observe)
    }

    fn endpoint(&self, line: usize) -> Option<Endpoint> {
        let (stamped, id) = self.ids[line].as_ref()?;
        let line = &self.log.lines[line];
        let ns = if self.promised() { stamped.ns } else { line.event.local_ns };
        Some(Endpoint { keyed: line.keyed(stamped.k), ns, tail: stamped.tail, id: *id })
    }

    /// What depends on who knew what.
    fn in_causal_order(&mut self) {
        let log = self.log;
        let mut carried: Vec<Option<Baggage>> = vec![None; log.messages.len()];
        for &at in &log.order {
            let line = &log.lines[at];
            let mut received = None;
            if let Some(message) = line.received.map(|message| message as usize) {
                if let Some(baggage) = &mut carried[message] {
                    baggage.left -= 1;
                    received = Some(baggage.clone());
                }
                if received.as_ref().is_some_and(|baggage| baggage.left == 0) {
                    carried[message] = None;
                }
            }
            let received = received.filter(|baggage| self.accepts(at, baggage));
            self.event(at, received.as_ref());
            if line.kind == Kind::Restart && log.fresh_node {
                self.lane.causal_time.forget(line.node());
                self.lane.causal_bytes.forget(line.node());
            }
            for &message in &line.sent {
                carried[message as usize] = Some(Baggage {
                    past_time: self.lane.causal_time.past(line.node()),
                    past_bytes: self.lane.causal_bytes.past(line.node()),
                    endpoint: self.endpoint(at),
                    stamped_ns: self.ids[at].as_ref().map_or(0, |(stamped, _)| stamped.ns),
                    left: log.messages[message as usize].receives,
                });
            }
        }
    }

    /// A message whose ID was too far ahead brought nothing along.
    fn accepts(&mut self, at: usize, baggage: &Baggage) -> bool {
        let Observe::Reject(bound) = self.log.observe else { return true };
        let latest = self.log.lines[at].event.local_ns.saturating_add(bound);
        let accepted = !self.scheme.observes() || baggage.stamped_ns <= latest;
        self.lane.refused += u64::from(!accepted);
        accepted
    }

    fn event(&mut self, at: usize, received: Option<&Baggage>) {
        let line = &self.log.lines[at];
        let past_time = received.and_then(|received| received.past_time.as_ref());
        let past_bytes = received.and_then(|received| received.past_bytes.as_ref());
        let (Some((stamped, _)), Some(endpoint)) = (self.ids[at], self.endpoint(at)) else {
            self.lane.causal_time.learn(line.node(), past_time.copied());
            self.lane.causal_bytes.learn(line.node(), past_bytes.copied());
            return;
        };
        let (by_bytes, by_time) = (line.keyed(stamped.k), line.keyed(stamped.time));
        let lane = &mut self.lane;
        lane.skew.event(&line.event, stamped.ns);
        lane.unique.event(&by_bytes, stamped.time);
        lane.monotone.event(&by_bytes);
        if let Some(hlc) = &mut lane.hlc {
            hlc.event(&by_bytes);
        }
        let Some(window) = self.scheme.window_ns() else {
            if self.scheme.is_ordered() {
                lane.causal_time.event(&by_time, past_time);
            }
            return;
        };
        lane.lead.event(&by_time, stamped.ns);
        lane.causal_time.event(&by_time, past_time);
        if self.scheme.has_two_orders() {
            lane.causal_bytes.event(&by_bytes, past_bytes);
        }
        let sender = received.and_then(|received| received.endpoint);
        if let Some(sender) = sender.filter(|sender| sender.id != endpoint.id) {
            let observed = observed(self.scheme, self.log.observe);
            lane.edges.count(&sender, &endpoint, window, observed);
        }
        for lww in &mut lane.lww {
            let keyed = if lww.order() == Order::Bytes { by_bytes } else { by_time };
            lww.event(keyed, endpoint.ns);
        }
    }

    /// What depends on when things happened.
    fn in_order_of_time(&mut self) {
        for at in self.log.by_time() {
            let Some(endpoint) = self.endpoint(at) else { continue };
            if let Some(k_order) = &mut self.lane.k_order {
                k_order.event(&endpoint.keyed);
            }
            if let Some(disorder) = &mut self.lane.disorder {
                disorder.event(endpoint.keyed.key);
            }
            for pairs in &mut self.lane.pairs {
                pairs.event(endpoint);
            }
        }
    }

    fn checks(&self) -> Vec<Check> {
        let (spread, is_known) = self.log.skew();
        let clocks = Clocks { spread, jumps: &Jumps::default() };
        let mut checks = verdict::of_lane(&config(self.log), &clocks, &self.lane);
        self.as_written(&mut checks);
        for check in &mut checks {
            let bound_unknown = check.name == "k-order" && !is_known;
            if bound_unknown && check.verdict == Verdict::Violated {
                // The times may be as wrong as the IDs.
                *check = check.clone().claimed(Verdict::Unknown);
            }
            if check.name == "lead" && !self.log.has_both_times {
                // Who writes a log reads the clock after the ID was made: that makes no claim.
                *check = check.clone().unclaimed();
            }
        }
        checks
    }
}

impl Judge<'_> {
    /// Witnesses show an ID as it stands in the log, in whichever of its forms.
    fn as_written(&self, checks: &mut [Check]) {
        let witnesses = checks.iter_mut().filter_map(|check| check.witness.as_mut());
        for event in witnesses.flat_map(|witness| [&mut witness.first, &mut witness.second]) {
            let line = self.column.ids.iter().find(|id| {
                let of = &self.log.lines[id.line].event;
                (of.number, of.node.number()) == (event.event, event.node)
            });
            if let Some(id) = line {
                event.id = String::from(&*id.text);
            }
        }
    }
}

/// What the verdicts need to know of a run: whether nodes came back, and that nothing is known of
/// rates, so that forms that need them keep still.
fn config(log: &Log) -> WorldConfig {
    let mut config = WorldConfig::new(log.node_count().max(1), 0);
    let fault = |fault| ScheduledFault::new(0, fault);
    let node = NodeIndex::new(0);
    config.faults = vec![fault(Fault::Crash { node })];
    if log.lines.iter().any(|line| line.kind == Kind::Restart) {
        config.faults.push(fault(Fault::Restart { node }));
    }
    config
}

/// What the messages say of the clocks: whoever receives before the sender sent is behind.
pub(super) fn messages(log: &Log) -> Vec<Check> {
    let (mut most, mut received, mut unmatched) = (0, 0_u64, 0_u64);
    for line in &log.lines {
        let Some(message) = line.received else { continue };
        received += 1;
        let Some(sender) = log.messages[message as usize].sent else {
            unmatched += 1;
            continue;
        };
        most = most.max(log.lines[sender].event.local_ns.saturating_sub(line.event.local_ns));
    }
    if received == 0 {
        return Vec::new();
    }
    let mut shown = Check::figure("skew-shown", None, most as f64, Unit::Ns);
    if let Some(skew) = log.rules.skew_ns {
        (shown.expected, shown.bound) = (Some(Number(skew as f64)), true);
        shown = shown.claimed(Verdict::of(most <= skew));
    }
    let mut all = vec![shown];
    if unmatched > 0 {
        let figure = Check::figure("received-unsent", None, unmatched as f64, Unit::Count);
        all.push(figure.out_of(unmatched, received));
    }
    all
}
