//! The collector: sees every event of a run, and keeps a bounded part.

use std::ops::Range;

use guid_core::Guid;

use super::{By, Offsets, Part, Sample, Seen, Sorting, ramp, series};
use crate::{
    Event, EventKind, NodeIndex, Scheme, WorldConfig,
    checker::Guarantee,
    lane::Lane,
    stamper::{id_text, time_key},
};

/// In how many steps of time the whole run is shown.
pub(super) const STEPS: usize = 240;
/// As many clocks are shown one by one.
const CLOCKS: u32 = 16;

/// Into which step of the run a time falls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    start_ns: u64,
    step_ns: u64,
}

impl Steps {
    fn new(config: &WorldConfig) -> Self {
        let step_ns = (config.duration_ns / STEPS as u64).saturating_add(1);
        Self { start_ns: config.start_ns(), step_ns }
    }

    pub(super) fn at(self, true_ns: u64) -> usize {
        let step = true_ns.saturating_sub(self.start_ns) / self.step_ns;
        usize::try_from(step).map_or(STEPS - 1, |step| step.min(STEPS - 1))
    }
}

/// Watches a run.
#[derive(Clone, Debug)]
pub(crate) struct Collector {
    steps: Steps,
    nodes: u32,
    start_ns: u64,
    duration_ns: u64,
    schemes: Vec<Scheme>,
    sortings: Vec<Sorting>,
    /// The numbers of the events to keep.
    ranges: Vec<Range<u64>>,
    events: Vec<Seen>,
    /// When clocks are tampered with, on which node and how, as the scenario has it.
    tampering: Vec<(u64, NodeIndex, &'static str)>,
    /// The first fault of each kind.
    faults: Vec<(&'static str, u64)>,
    boundary: Boundary,
    offsets: Vec<Offsets>,
    envelope: Offsets,
    ramps: ramp::Ramps,
    series: series::Counts,
}

impl Collector {
    pub(super) fn new(config: &WorldConfig, ranges: Vec<Range<u64>>) -> Self {
        let clocks = 1..=config.nodes.min(CLOCKS);
        Self {
            steps: Steps::new(config),
            nodes: config.nodes,
            start_ns: config.start_ns(),
            duration_ns: config.duration_ns,
            schemes: config.schemes.clone(),
            sortings: sortings(&config.schemes),
            ranges,
            events: Vec::new(),
            tampering: tampering(config),
            faults: Vec::new(),
            boundary: Boundary::new(&config.schemes),
            offsets: clocks.map(Offsets::new).collect(),
            envelope: Offsets::new(0),
            ramps: ramp::Ramps::new(config),
            series: series::Counts::default(),
        }
    }

    /// An event, the keys of its IDs in k-order (none if it bears none), and the lanes that have
    /// just stamped it.
    pub(crate) fn event(&mut self, event: &Event, keys: &[u128], lanes: &[Lane]) {
        let step = self.steps.at(event.true_ns);
        let off = i128::from(event.local_ns) - i128::from(event.true_ns);
        self.envelope.add(step, off);
        if let Some(offsets) = self.offsets.get_mut(event.node.at()) {
            offsets.add(step, off);
        }
        self.series.lost(step, lanes);
        if keys.is_empty() {
            self.fault(event);
        } else {
            self.ramps.event(event, lanes);
            self.boundary.event(event, keys);
        }
        if self.ranges.iter().any(|range| range.contains(&event.number)) {
            self.keep(event, keys);
        }
    }

    fn fault(&mut self, event: &Event) {
        let name = self.fault_name(event);
        let lost = matches!(event.kind, EventKind::Lost { .. });
        if !lost && !self.faults.iter().any(|(known, _)| *known == name) {
            self.faults.push((name, event.number));
        }
    }

    /// What a fault is called: a change of a clock as what the scenario did to it last.
    fn fault_name(&self, event: &Event) -> &'static str {
        let EventKind::ClockFault { .. } = event.kind else { return event.kind.name() };
        let before =
            self.tampering.iter().filter(|due| due.1 == event.node && due.0 <= event.true_ns);
        before.max_by_key(|due| due.0).map_or(event.kind.name(), |due| due.2)
    }

    fn keep(&mut self, event: &Event, keys: &[u128]) {
        let of = |scheme: Scheme| {
            let at = self.schemes.iter().position(|&other| other == scheme)?;
            keys.get(at).copied()
        };
        let key = |sorting: &Sorting| {
            let k = of(sorting.scheme)?;
            match sorting.by {
                By::Bytes => Some(k),
                By::Time => Guid::from_u128(k).map(time_key),
            }
        };
        let ids = self.schemes.iter().zip(keys).map(|(&scheme, &key)| id_text(scheme, key));
        let seen = Seen {
            event: *event,
            ids: ids.collect(),
            keys: self.sortings.iter().filter_map(key).collect(),
        };
        self.events.push(seen);
    }

    /// A client did something; how often each guarantee was broken by now.
    pub(crate) fn sessions(&mut self, true_ns: u64, guarantees: &[Guarantee]) {
        self.series.sessions(self.steps.at(true_ns), guarantees);
    }

    /// A process counted something; `total` is what it came to.
    pub(crate) fn count(&mut self, name: &str, true_ns: u64, total: u64) {
        self.series.count(name, self.steps.at(true_ns), total);
    }

    /// A process saw a value of which the greatest is reported.
    pub(crate) fn value(&mut self, name: &str, true_ns: u64, value: u64) {
        self.series.value(name, self.steps.at(true_ns), value);
    }

    pub(super) fn finish(self) -> Unfinished {
        Unfinished {
            sample: Sample {
                nodes: self.nodes,
                start_ns: self.start_ns,
                duration_ns: self.duration_ns,
                schemes: self.schemes,
                sortings: self.sortings,
                parts: Vec::new(),
                left_out: 0,
                offsets: self.offsets,
                envelope: self.envelope,
                ramps: self.ramps.finish(),
                series: self.series.finish(),
            },
            events: self.events,
            faults: self.faults,
            boundary: self.boundary.first,
        }
    }
}

/// A sample whose events are not yet in parts.
pub(super) struct Unfinished {
    sample: Sample,
    pub(super) events: Vec<Seen>,
    pub(super) faults: Vec<(&'static str, u64)>,
    /// The first event of another window than that before it.
    pub(super) boundary: Option<u64>,
}

impl Unfinished {
    pub(super) fn with(self, parts: Vec<Part>, left_out: usize) -> Sample {
        Sample { parts, left_out, ..self.sample }
    }
}

fn tampering(config: &WorldConfig) -> Vec<(u64, NodeIndex, &'static str)> {
    let of_clocks = config.faults.iter().filter(|due| due.fault.is_of_clocks());
    let named = of_clocks.filter_map(|due| {
        let at = config.start_ns().saturating_add(due.at_ns);
        Some((at, due.fault.node()?, due.fault.name()))
    });
    named.collect()
}

/// Looks for the first event whose ID stands in a later window than all before it.
#[derive(Clone, Debug)]
struct Boundary {
    /// The lane whose windows are watched: the first whose two orders differ.
    lane: Option<usize>,
    window: Option<u64>,
    first: Option<u64>,
}

impl Boundary {
    fn new(schemes: &[Scheme]) -> Self {
        let one = |scheme: &Scheme| scheme.has_two_orders() && scheme.has_pair_form();
        Self { lane: schemes.iter().position(one), window: None, first: None }
    }

    fn event(&mut self, event: &Event, keys: &[u128]) {
        let key = self.lane.and_then(|lane| keys.get(lane));
        let Some(id) = key.and_then(|&key| Guid::from_u128(key)) else { return };
        let window = window_of(id);
        if self.first.is_none() && self.window.is_some_and(|before| window > before) {
            self.first = Some(event.number);
        }
        self.window = self.window.max(Some(window));
    }
}

/// In which window an ID stands, counted from the epoch.
pub(super) fn window_of(id: Guid) -> u64 {
    let window_ns = u64::try_from(id.drift().window().as_nanos()).unwrap_or(u64::MAX);
    id.unix_nanos() / window_ns
}

fn sortings(schemes: &[Scheme]) -> Vec<Sorting> {
    let ordered = schemes.iter().filter(|scheme| scheme.is_ordered());
    let both = ordered.flat_map(|&scheme| {
        let time = scheme.has_two_orders().then_some(Sorting { scheme, by: By::Time });
        [Some(Sorting { scheme, by: By::Bytes }), time]
    });
    both.flatten().collect()
}
