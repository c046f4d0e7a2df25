//! Closed forms beside what a whole run measures: one number a check, from what the scenario says.
//!
//! Other forms stand beside each case of a check, as the checkers count them. These are about the
//! run as a whole: how many nodes were met, how far polls leave clocks apart, how long a commit
//! waits. `predict` says the same numbers beforehand.

use guid_core::NodeId;

use crate::{
    Check, ClockModel, Distribution, NodeIndex, Number, Observe, Prediction, Report, Scheme, Unit,
    WorldConfig,
    lane::promises,
    predict,
    workload::{Arrival, CommitWorkload, ContactsWorkload, DrawingsWorkload, Workload},
};

/// Of larger worlds the inversions of all pairs are not added up.
const MOST_NODES: u32 = 1_000;

/// What a closed form says of one check of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Headline {
    pub(super) name: &'static str,
    pub(super) scheme: Option<Scheme>,
    pub(super) expected: f64,
    /// The deviation of the measurement, where the form has one.
    pub(super) deviation: Option<f64>,
    pub(super) form: &'static str,
}

/// The forms that are about a scenario.
pub(crate) fn of(config: &WorldConfig, workload: &Workload, active_s: f64) -> Vec<Headline> {
    let mut all = Vec::new();
    match workload {
        Workload::Contacts(contacts) => all.extend(entries(config, contacts)),
        Workload::Drawings(drawings) => all.push(alike(drawings)),
        Workload::Commit(CommitWorkload { .. }) => all.push(Headline {
            name: "longest-commit-wait-us",
            scheme: None,
            expected: predict::commit_wait(7e6) / 1e3,
            deviation: None,
            form: "commit_wait: 2 ε, at its longest",
        }),
        Workload::Chain(chain) => all.extend(ahead(config, chain.think_ns, active_s)),
        Workload::Ids(ids) if ids.arrival == Arrival::Poisson => {
            all.extend(inverted(config, ids.per_second, active_s));
        }
        _ => {}
    }
    all.extend(biased(config));
    all
}

/// Puts each number beside its check, where nothing stands there yet.
pub(crate) fn beside(headlines: &[Headline], report: &mut Report) {
    for check in report.checks.iter_mut().chain(&mut report.measures) {
        let is_about = |one: &&Headline| {
            one.name == check.name && one.scheme.map(|scheme| scheme.to_string()) == check.scheme
        };
        if let Some(one) = headlines.iter().find(is_about) {
            one.put(check);
        }
    }
}

impl Headline {
    /// The same, before a run.
    pub(super) fn prediction(&self) -> Prediction {
        let unit = if matches!(self.name, "lead" | "stamp-skew") { Unit::Ns } else { Unit::Count };
        Prediction::of(self.name, self.scheme, unit, Ok((self.expected, self.form)))
    }

    fn put(&self, check: &mut Check) {
        if check.expected.is_none() {
            (check.expected, check.bound) = (Some(Number(self.expected)), false);
            let off = check.measured.0 - self.expected;
            check.z = self.deviation.map(|deviation| Number(off / deviation));
        }
    }
}

/// How many nodes the clock of one that meets others comes to name.
fn entries(config: &WorldConfig, contacts: &ContactsWorkload) -> Option<Headline> {
    let (others, met) = (f64::from(config.nodes.checked_sub(1)?), contacts.contacts as f64);
    let deviation = predict::contacts_met_deviation(others, met).max(0.5);
    Some(Headline {
        name: "vector-size",
        scheme: Some(Scheme::Vector),
        expected: predict::contacts_met(others, met) + 1.0,
        deviation: Some(deviation),
        form: "contacts_met: N (1 - (1 - 1/N)^m), and itself",
    })
}

/// In how many fleets two drew one ID.
fn alike(drawings: &DrawingsWorkload) -> Headline {
    let p = predict::shared_id(drawings.ids.into());
    let of = drawings.drawings as f64;
    Headline {
        name: "drawings-with-two-alike",
        scheme: None,
        expected: of * p,
        deviation: Some(libm::sqrt(of * p * (1.0 - p)).max(0.5)),
        form: "shared_id: 1 - e^(-n (n - 1) / 2^33), each drawing",
    }
}

/// How far ahead a node runs that goes on to the next window. Where in its window the first one
/// comes is anywhere.
fn ahead(config: &WorldConfig, think_ns: u64, active_s: f64) -> Vec<Headline> {
    let latency = config.network.latency.mean_ns().filter(|_| is_plain(config));
    let Some(latency) = latency.filter(|_| config.nodes == 2) else { return Vec::new() };
    let round_trip = 2.0 * (latency + think_ns as f64);
    let of_scheme = |&scheme: &Scheme| {
        let window = scheme.window_ns()? as f64;
        let lead = predict::bump_lead(active_s * 1e9, round_trip, window) - window / 2.0;
        let is_bump = matches!(scheme, Scheme::Bump(_)) && config.observe == Observe::Follow;
        (is_bump && lead > 0.0).then_some(Headline {
            name: "lead",
            scheme: Some(scheme),
            expected: libm::round(lead),
            // The phase, and whether the last round trip is done: two uniform parts of one.
            deviation: Some(window * libm::sqrt(2.0 / 12.0)),
            form: "bump_lead: a window each round trip, less half a window for the first",
        })
    };
    config.schemes.iter().filter_map(of_scheme).collect()
}

/// Links that all messages take alike.
fn is_plain(config: &WorldConfig) -> bool {
    let network = &config.network;
    network.links.is_empty() && network.distance_ns.is_empty() && network.loss == 0.0
}

/// How far apart polls of a node leave clocks whose ways are uneven. Jitter and crystals add to it.
fn biased(config: &WorldConfig) -> Vec<Headline> {
    let Some(server) = config.clocks.ntp.and_then(|ntp| ntp.server) else { return Vec::new() };
    let network = &config.network;
    let way = |from: NodeIndex, to: NodeIndex| -> Option<f64> {
        let link = network.links.iter().find(|link| (link.from, link.to) == (from, to));
        let own = link.and_then(|link| link.latency);
        let distance = network.distance_ns.get(from.at()).and_then(|row| row.get(to.at()));
        let distance = own.map_or(distance.copied().unwrap_or(0), |_| 0);
        Some(own.unwrap_or(network.latency).mean_ns()? + distance as f64)
    };
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for node in NodeIndex::first(config.nodes).filter(|&node| node != server) {
        let (Some(forth), Some(back)) = (way(node, server), way(server, node)) else {
            return Vec::new();
        };
        let bias = predict::poll_bias(forth, back);
        (low, high) = (low.min(bias), high.max(bias));
    }
    let follows = |scheme: &&Scheme| {
        scheme.window_ns().is_some() && !promises(**scheme, config.observe) && high > low
    };
    let of_scheme = |&scheme: &Scheme| Headline {
        name: "stamp-skew",
        scheme: Some(scheme),
        expected: libm::round(high - low),
        deviation: None,
        form: "poll_bias: (forth - back) / 2, without jitter and crystals",
    };
    config.schemes.iter().filter(follows).map(of_scheme).collect()
}

/// How many pairs of IDs are in the wrong order, of nodes whose clocks are off and stay so.
fn inverted(config: &WorldConfig, per_second: f64, active_s: f64) -> Vec<Headline> {
    let clocks = &config.clocks;
    if !config.disorder || config.nodes > MOST_NODES || !stands_still(clocks) {
        return Vec::new();
    }
    if !config.faults.is_empty() || !config.shared_node.is_empty() {
        return Vec::new();
    }
    let offset = |node: NodeIndex| {
        clocks.fixed.iter().find(|fixed| fixed.node == node).map_or(0, |fixed| fixed.offset_ns)
    };
    let ids: Vec<NodeId> = super::node_ids(config);
    let rate = per_second / 1e9;
    let of_scheme = |&scheme: &Scheme| {
        let two_orders = matches!(scheme, Scheme::Guid96(_) | Scheme::Upstream(_));
        let window = scheme.window_ns().filter(|_| two_orders)? as f64;
        let mut per_ns = 0.0;
        for a in NodeIndex::first(config.nodes) {
            for b in NodeIndex::first(config.nodes).filter(|&b| ids[a.at()] > ids[b.at()]) {
                let e = (offset(a) - offset(b)) as f64;
                per_ns += rate * rate * predict::inversions(e, window);
            }
        }
        Some(Headline {
            name: "inversions",
            scheme: Some(scheme),
            expected: per_ns * active_s * 1e9,
            deviation: None,
            form: "inversions: λ λ' I(e), all pairs of nodes, but for both ends of the run",
        })
    };
    config.schemes.iter().filter_map(of_scheme).collect()
}

/// Whether every clock is off by a time that is known and does not change.
fn stands_still(clocks: &ClockModel) -> bool {
    let nothing = Distribution::constant(0);
    let moves = clocks.discipline.is_some()
        || clocks.ntp.is_some()
        || clocks.sine.is_some()
        || clocks.suspensions.is_some()
        || clocks.astray.is_some()
        || clocks.wander_ppb > 0;
    let drawn = clocks.offset != nothing || clocks.rate != nothing;
    !moves && !drawn && clocks.granularity_ns == 1 && clocks.fixed.iter().all(|one| one.ppb == 0)
}
