//! From what the checkers counted to a report: which counts are claims, and what is expected.

mod witness;

use guid_core::Tick;

use crate::{
    Check, Fault, Observe, Report, Scheme, Unit, Verdict, WorldConfig,
    checker::{Convergence, GUARANTEES, HlcCounter, Jumps, Lost, Lww, Order},
    lane::{Lane, bytes_are_causal, promises},
    predict,
    recorder::Recorder,
    report::Number,
    stamper::RESERVED_NS,
};

use self::witness::{Witnesses, plain};

pub(crate) use self::witness::cause;

/// The report of a run that has ended.
pub(crate) fn report(config: &WorldConfig, recorder: &Recorder) -> Report {
    let of_lanes = recorder.lanes.iter().flat_map(|lane| {
        let clocks = Clocks { spread: recorder.offsets.spread(), jumps: &recorder.jumps };
        of_lane(config, &clocks, lane)
    });
    let all = of_lanes.chain(of_replicas(recorder));
    let (checks, measures) = all.partition(|check| check.claim);
    let mut report = Report {
        schema: 1,
        version: String::from(env!("CARGO_PKG_VERSION")),
        scenario: config.name.clone(),
        seed: config.seed,
        start_ns: config.start_ns().to_string(),
        events: recorder.events,
        trace_hash: recorder.hash.to_string(),
        checks,
        measures,
        dropped: Vec::new(),
        verdict: Verdict::Holds,
    };
    report.judge();
    report
}

impl Report {
    /// Sums the verdicts up: the worst one.
    pub(crate) fn judge(&mut self) {
        // A run that claims nothing has shown nothing.
        let verdicts = self.checks.iter().map(|check| check.verdict);
        self.verdict = verdicts.max().unwrap_or(Verdict::Unknown);
    }
}

/// What the clocks of a run did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks<'a> {
    /// E: how far they were apart.
    pub(crate) spread: i128,
    pub(crate) jumps: &'a Jumps,
}

/// What one scheme came to.
pub(crate) fn of_lane(config: &WorldConfig, clocks: &Clocks<'_>, lane: &Lane) -> Vec<Check> {
    let seen = Witnesses { lane, jumps: clocks.jumps };
    let mut checks = identity(config, &seen);
    if lane.scheme.is_ordered() {
        checks.extend(causality(&seen));
        checks.extend(k_order(config, clocks.spread, &seen));
        checks.extend(disorder(lane));
        checks.extend(lead(config, &seen));
        checks.extend(pairs(&seen));
        checks.extend(lane.lww.iter().flat_map(|lww| overwrites(&seen, lww)));
    }
    checks.extend(vector(&seen));
    checks.extend(lane.hlc.iter().flat_map(|hlc| hlc_counter(&seen, hlc)));
    if refuses(lane.scheme, lane.observe) {
        let refused = lane.refused as f64;
        checks.push(Check::figure("observe-refused", Some(lane.scheme), refused, Unit::Count));
    }
    checks
}

/// Whether the policy of the scenario may refuse IDs of the scheme.
pub(crate) const fn refuses(scheme: Scheme, observe: Observe) -> bool {
    scheme.observes() && matches!(observe, Observe::Reject(_))
}

fn identity(config: &WorldConfig, seen: &Witnesses<'_>) -> Vec<Check> {
    let lane = seen.lane;
    let (scheme, unique, monotone) = (lane.scheme, &lane.unique, &lane.monotone);
    let mut uniqueness = Check::claim("unique", Some(scheme), unique.duplicates, unique.of)
        .with_witness(seen.of(Order::Bytes, unique.first.as_ref()));
    if unique.overrun && unique.duplicates == 0 {
        uniqueness = uniqueness.claimed(Verdict::Unknown);
    }
    let form = shared_node(config, lane).or_else(|| held_or_set_back(config, lane));
    if let Some(form) = form {
        (uniqueness.expected, uniqueness.z) = form.beside(unique.duplicates);
    }
    let mut monotony = Check::claim("monotone", Some(scheme), monotone.inversions, monotone.of)
        .with_witness(seen.of(Order::Bytes, monotone.first.as_ref()));
    if matches!(scheme, Scheme::Upstream(_)) && config.faults.is_empty() && monotone.of > 0 {
        let seconds = config.duration_ns as f64 / 1e9;
        let rate = unique.of as f64 / f64::from(config.nodes) / seconds;
        let each = predict::wrap_inversions(rate);
        // The sequence wraps every 2^14 IDs: each time it may be inside a tick.
        let spread = each * monotone.of as f64 * (1.0 - each * 16_384.0).max(0.0);
        let form = Form { mean: each * monotone.of as f64, variance: spread };
        (monotony.expected, monotony.z) = form.beside(monotone.inversions);
    }
    // A version 7 UUID of random bits promises no order inside its millisecond.
    let monotony = if scheme == Scheme::Uuid7 { monotony.unclaimed() } else { monotony };
    vec![uniqueness, monotony]
}

/// What a closed form says of a count.
#[derive(Clone, Copy, Debug, Default)]
struct Form {
    mean: f64,
    /// With the runs in which cases come, where they do.
    variance: f64,
}

impl Form {
    /// The number expected, and how far off the count is, in standard deviations.
    fn beside(self, count: u64) -> (Option<Number>, Option<Number>) {
        let z = predict::z_score(count as f64, self.mean, self.variance);
        (Some(Number(self.mean)), z.map(Number))
    }

    fn add(&mut self, mean: f64, deviation: f64) {
        self.mean += mean;
        self.variance += deviation * deviation;
    }
}

/// What the closed form expects of the Go library's rule: one term a step back or a clock that
/// stands still, at the rate at which the node made IDs. Only where those are all that happens to
/// clocks and nodes.
fn held_or_set_back(config: &WorldConfig, lane: &Lane) -> Option<Form> {
    let clocks = &config.clocks;
    let steered = clocks.discipline.is_some() || clocks.ntp.is_some();
    let steered = steered || clocks.suspensions.is_some();
    if !matches!(lane.scheme, Scheme::Upstream(_)) || steered {
        return None;
    }
    let seconds = config.duration_ns as f64 / 1e9;
    let per_node = lane.unique.of as f64 / f64::from(config.nodes) / seconds;
    let mut form = Form::default();
    let mut still = |ns: f64, times: f64| {
        let each = predict::still_duplicates(per_node, ns);
        // The number of arrivals is that of a Poisson process, and the run ends anywhere within.
        let arrivals = per_node * ns / 1e9 * times;
        if each > 0.0 {
            form.add(each * times, libm::sqrt(arrivals + each * each));
        }
    };
    if clocks.granularity_ns > Tick::NANOS {
        let granule = clocks.granularity_ns as f64;
        let readings = config.duration_ns / clocks.granularity_ns;
        still(granule, readings as f64 * f64::from(config.nodes));
    }
    for scheduled in &config.faults {
        match scheduled.fault {
            Fault::ClockFreeze { for_ns, .. } => still(for_ns as f64, 1.0),
            Fault::ClockStep { .. } | Fault::Partition { .. } | Fault::Heal => {}
            _ => return None,
        }
    }
    for scheduled in &config.faults {
        if let Fault::ClockStep { by_ns: by_ns @ ..0, .. } = scheduled.fault {
            let step = -(by_ns as f64);
            let mean = predict::step_back_duplicates(per_node, step);
            form.add(mean, predict::step_back_deviation(per_node, step));
        }
    }
    Some(form)
}

/// What the closed form expects of clones, where cloning is all that happens: a term for each.
fn cloned(config: &WorldConfig, lane: &Lane) -> Option<Form> {
    let seconds = config.duration_ns as f64 / 1e9;
    let rate = lane.unique.of as f64 / f64::from(config.nodes) / seconds;
    let mut form = Form::default();
    for due in &config.faults {
        let Fault::Clone { .. } = due.fault else { return None };
        let left = (seconds - due.at_ns as f64 / 1e9).max(0.0);
        let mean = predict::clone_duplicates(rate, left);
        form.add(mean, predict::CLONE_DEVIATION * mean);
    }
    (form.mean > 0.0).then_some(form)
}

/// What the closed form expects of nodes that share an ID: a term for each pair of them. The Go
/// library's sequences all start at 1, so theirs are in phase and the form does not hold.
fn shared_node(config: &WorldConfig, lane: &Lane) -> Option<Form> {
    let sharing = config.shared_node.len() as f64;
    let has_form = matches!(lane.scheme, Scheme::Guid96(_) | Scheme::Guid64);
    if sharing < 2.0 && has_form {
        return cloned(config, lane);
    }
    if sharing < 2.0 || !has_form || !config.faults.is_empty() {
        return None;
    }
    let seconds = config.duration_ns as f64 / 1e9;
    let rate = lane.unique.of as f64 / f64::from(config.nodes) / seconds;
    let pairs = sharing * (sharing - 1.0) / 2.0;
    let deviation = predict::shared_node_deviation(rate, seconds);
    Some(Form {
        mean: pairs * predict::shared_node_duplicates(rate, rate) * seconds,
        variance: pairs * deviation * deviation,
    })
}

fn causality(seen: &Witnesses<'_>) -> Vec<Check> {
    let lane = seen.lane;
    let (scheme, time, bytes) = (lane.scheme, &lane.causal_time, &lane.causal_bytes);
    let mut checks = Vec::new();
    let promised = promises(scheme, lane.observe);
    let by_time = Check::claim("happens-before", Some(scheme), time.violated, time.of)
        .with_witness(seen.of(Order::Time, time.first.as_ref()));
    checks.push(if promised { by_time } else { by_time.unclaimed() });
    if scheme.has_two_orders() {
        let by_bytes =
            Check::claim("happens-before-by-bytes", Some(scheme), bytes.violated, bytes.of)
                .with_witness(seen.of(Order::Bytes, bytes.first.as_ref()));
        let promised = bytes_are_causal(scheme, lane.observe);
        checks.push(if promised { by_bytes } else { by_bytes.unclaimed() });
    }
    checks
}

/// k-order against its bound: a pair further apart than W + E in true time is in order. E comes
/// from the clocks, not from the stamps on trial: the spread of all offsets, and what counting and
/// a high-water mark may add to it.
fn k_order(config: &WorldConfig, spread: i128, seen: &Witnesses<'_>) -> Vec<Check> {
    let lane = seen.lane;
    let (Some(k_order), Some(window)) = (&lane.k_order, lane.scheme.window_ns()) else {
        return Vec::new();
    };
    let added = lane.lead.counted_ns() + if restarts(config) { RESERVED_NS } else { 0 };
    let bound = (window + added) as f64 + spread as f64;
    let gap = k_order.gap_ns as f64;
    let against = u64::from(gap >= bound && k_order.disordered());
    let mut order = Check::figure("k-order", Some(lane.scheme), gap, Unit::Ns)
        .out_of(against, lane.unique.of)
        .claimed(match (against, k_order.overrun || lane.unique.of == 0) {
            (1.., _) => Verdict::Violated,
            (0, true) => Verdict::Unknown,
            (0, false) => Verdict::Holds,
        });
    (order.expected, order.bound) = (Some(Number(bound)), true);
    // Whatever the bound is: an expectation may be of a narrower gap.
    let order = order.with_witness(seen.of(Order::Bytes, k_order.widest.as_ref()));
    let radius = (k_order.displacement + 1) as f64;
    let skew = lane.skew.spread() as f64;
    vec![
        order,
        Check::figure("k-radius", Some(lane.scheme), radius, Unit::Count),
        Check::figure("stamp-skew", Some(lane.scheme), skew, Unit::Ns),
    ]
}

/// Displacement, inversions and stride; past the bounds they are of the first IDs alone, and
/// whoever expects something of them is told that it is unknown.
fn disorder(lane: &Lane) -> Vec<Check> {
    let Some(disorder) = &lane.disorder else { return Vec::new() };
    let found = disorder.judge();
    let figure = |name, measured: u64, is_known: bool| {
        let check = Check::figure(name, Some(lane.scheme), measured as f64, Unit::Count);
        let outcome = (disorder.overrun || !is_known).then_some(Verdict::Unknown);
        Check { outcome, ..check }
    };
    let (stride, is_known) = (found.stride.unwrap_or(0), found.stride.is_some());
    vec![
        figure("k-displacement", found.displacement, true),
        figure("inversions", found.inversions, true),
        figure("k-stride", stride, is_known),
    ]
}

/// Whether stamps may come from before a restart, or from the node of which another is a clone.
fn restarts(config: &WorldConfig) -> bool {
    let takes_over = |fault: &Fault| fault.is_restart() || matches!(fault, Fault::Clone { .. });
    config.faults.iter().any(|due| takes_over(&due.fault))
}

/// Stamps follow their clock from below, and lead it by no more than clocks are apart, or were set
/// back. A high-water mark leads by what it reserved.
fn lead(config: &WorldConfig, seen: &Witnesses<'_>) -> Option<Check> {
    let (lane, lead) = (seen.lane, &seen.lane.lead);
    if lead.of == 0 {
        return None;
    }
    let mut check = Check::figure("lead", Some(lane.scheme), lead.most_ns as f64, Unit::Ns)
        .out_of(lead.violated, lead.of)
        .with_witness(seen.of(Order::Time, lead.first.as_ref()));
    (check.expected, check.bound) = (Some(Number(lead.bound_ns as f64)), true);
    let check = check.claimed(Verdict::of(lead.violated == 0));
    // Going on to the next window is running ahead.
    let ahead = restarts(config) || matches!(lane.scheme, Scheme::Bump(_));
    Some(if ahead { check.unclaimed() } else { check })
}

fn pairs(seen: &Witnesses<'_>) -> Vec<Check> {
    let lane = seen.lane;
    let mut checks = Vec::new();
    if lane.edges.tally.of > 0 {
        let witness = seen.of(Order::Bytes, lane.edges.first.as_ref());
        let edges = Check::fraction("edge-order", lane.scheme, &lane.edges.tally);
        checks.push(edges.with_witness(witness));
    }
    for pairs in lane.pairs.iter().filter(|pairs| pairs.tally.of > 0) {
        let name = format!("pair-order-{}", crate::units::Ns(pairs.gap_ns.into()));
        let name = name.replace(' ', "");
        let witness = seen.of(Order::Bytes, pairs.first.as_ref());
        checks.push(Check::fraction(&name, lane.scheme, &pairs.tally).with_witness(witness));
    }
    checks
}

fn overwrites(seen: &Witnesses<'_>, lww: &Lww) -> Vec<Check> {
    let lane = seen.lane;
    let suffix = if lww.order() == Order::Time { "-by-time" } else { "" };
    let safe = match lww.order() {
        Order::Bytes => bytes_are_causal(lane.scheme, lane.observe),
        Order::Time => promises(lane.scheme, lane.observe),
    };
    let mut checks = Vec::new();
    let kinds = [("lww-lost", &lww.fresh), ("lww-lost-long-lived", &lww.long_lived)];
    for (name, lost) in kinds.into_iter().filter(|(_, lost)| lost.tally.of > 0) {
        checks.push(overwritten(&format!("{name}{suffix}"), seen, lww.order(), lost, safe));
    }
    checks
}

fn overwritten(name: &str, seen: &Witnesses<'_>, order: Order, lost: &Lost, safe: bool) -> Check {
    let lane = seen.lane;
    let witness = seen.of(order, lost.first.as_ref());
    let mut check = Check::fraction(name, lane.scheme, &lost.tally).with_witness(witness);
    if safe {
        // A write that observed what it overwrites is later: nothing can be lost.
        (check.expected, check.z) = (Some(Number(0.0)), None);
        check = check.claimed(Verdict::of(lost.tally.count == 0));
        if lane.refused > 0 {
            // Some did not observe, by the policy of the scenario: nothing is promised of them.
            check = check.unclaimed();
        }
    }
    // The form is for clocks in step: skew that matters beside the window favours some nodes.
    let window = lane.scheme.window_ns().unwrap_or(u64::MAX);
    if !safe && lane.skew.spread() > i128::from(window / 100) {
        check = check.unclaimed();
    }
    check
}

fn vector(seen: &Witnesses<'_>) -> Vec<Check> {
    let lane = seen.lane;
    let Some(vector) = &lane.vector else { return Vec::new() };
    let (wrong, of, first) = vector.judge();
    let iff = Check::claim("vector-iff", Some(lane.scheme), wrong, of)
        .with_witness(seen.of(Order::Bytes, first.as_ref()));
    let entries = lane.entries_most as f64;
    vec![iff, Check::figure("vector-size", Some(lane.scheme), entries, Unit::Count)]
}

fn hlc_counter(seen: &Witnesses<'_>, hlc: &HlcCounter) -> Vec<Check> {
    let lane = seen.lane;
    if hlc.of == 0 {
        return Vec::new();
    }
    let outcome = match (hlc.violated, hlc.overrun) {
        (1.., _) => Verdict::Violated,
        (0, true) => Verdict::Unknown,
        (0, false) => Verdict::Holds,
    };
    let mut counter = Check::figure("hlc-counter", Some(lane.scheme), hlc.most as f64, Unit::Count)
        .out_of(hlc.violated, hlc.of)
        .claimed(outcome)
        .with_witness(seen.of(Order::Bytes, hlc.first.as_ref()));
    (counter.expected, counter.bound) = (Some(Number(hlc.bound as f64)), true);
    let zeros = hlc.zeros as f64 / hlc.of as f64;
    let zeros = Check::figure("hlc-counter-zero", Some(lane.scheme), zeros, Unit::Fraction);
    vec![counter, zeros.out_of(hlc.zeros, hlc.of)]
}

/// Whether the replicas that are up show the same, and how many are down, if any is: of one that is
/// left over nothing can be told.
fn converged(convergence: &Convergence) -> Vec<Check> {
    let ((values, replicas), down) = (convergence.values(), convergence.down());
    let check = Check::claim("converged", None, values.saturating_sub(1), replicas)
        .with_witness(convergence.apart().as_ref().map(plain));
    if down == 0 {
        return vec![check];
    }
    let check = if replicas < 2 { check.claimed(Verdict::Unknown) } else { check };
    vec![check, Check::figure("nodes-down", None, down as f64, Unit::Count)]
}

fn of_replicas(recorder: &Recorder) -> Vec<Check> {
    let convergence = &recorder.convergence;
    let mut checks = Vec::new();
    if convergence.states > 0 {
        checks.extend(converged(convergence));
        let mut sec = Check::claim(
            "strong-eventual-consistency",
            None,
            convergence.disagreements,
            convergence.states,
        );
        if convergence.overrun && convergence.disagreements == 0 {
            sec = sec.claimed(Verdict::Unknown);
        }
        checks.push(sec.with_witness(convergence.first.as_ref().map(plain)));
    }
    let sessions = &recorder.sessions;
    for (name, guarantee) in GUARANTEES.into_iter().zip(&sessions.guarantees) {
        if guarantee.of > 0 {
            let witness = guarantee.first.as_ref().map(plain);
            let check = Check::claim(name, None, guarantee.against, guarantee.of);
            let unknown = sessions.overrun && guarantee.against == 0;
            let check = if unknown { check.claimed(Verdict::Unknown) } else { check };
            checks.push(check.with_witness(witness));
        }
    }
    for (name, claim) in &recorder.claims {
        let witness = claim.first.as_ref().map(plain);
        checks.push(Check::claim(name, None, claim.against, claim.of).with_witness(witness));
    }
    for (name, &count) in &recorder.counts {
        checks.push(Check::figure(name, None, count as f64, Unit::Count));
    }
    checks
}
