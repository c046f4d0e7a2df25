//! What theory expects of a scenario, without running it.
//!
//! A run prints beside each measurement what a closed form expects of *the cases of that run*. Here
//! the same forms are averaged over what the scenario says: its latencies, its clocks, the nodes of
//! its seed. Where no form applies, the reason stands in its place.

mod headline;
mod offsets;
mod average;

use guid_core::NodeId;
use serde::Serialize;

use crate::{
    Fault, NodeIndex, Number, Purpose, Scenario, Scheme, Start, Streams, Unit, WorldConfig,
    identity::fresh_id,
    lane::{bytes_are_causal, granularity_ns, promises},
    predict,
    stamper::RESERVED_NS,
    units::Ns,
    verdict::refuses,
    workload::{Arrival, Session, Workload},
};

pub(crate) use self::headline::{beside, of as headlines};

use self::{average::Average, offsets::Offsets};

/// What theory says of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Prediction {
    /// Which check.
    pub name: String,
    /// Of which scheme, if it is about one.
    pub scheme: Option<String>,
    /// The number to expect; `None` where no closed form applies.
    pub expected: Option<Number>,
    /// Whether `expected` bounds the number from above.
    pub bound: bool,
    /// The form, or why there is none.
    pub form: String,
    /// How to show the number.
    #[serde(skip)]
    pub unit: Unit,
}

impl Prediction {
    /// The key of the check: `name@scheme`, or the name alone.
    pub fn key(&self) -> String {
        match &self.scheme {
            Some(scheme) => format!("{}@{scheme}", self.name),
            None => self.name.clone(),
        }
    }

    fn of(name: &str, scheme: Option<Scheme>, unit: Unit, found: Found) -> Self {
        let (expected, form) = match found {
            Ok((number, form)) => (Some(Number(number)), form),
            Err(why) => (None, why),
        };
        let (name, scheme) = (String::from(name), scheme.map(|scheme| scheme.to_string()));
        Self { name, scheme, expected, bound: false, form: String::from(form), unit }
    }

    /// The forms that average over the phase of a window say so where the start is given: a run
    /// that is shorter than a window sees one part of it, the same for every seed.
    fn of_one_phase(mut self) -> Self {
        let averages = self.unit == Unit::Fraction && self.expected.is_some_and(|at| at.0 > 0.0);
        if averages {
            self.form += "; of a uniform phase, while the start is given";
        }
        self
    }
}

/// A number and the form it comes from, or why there is none.
type Found = Result<(f64, &'static str), &'static str>;

/// A promise: no case may go against it.
const NONE: Found = Ok((0.0, "promised: none"));
const UNPROMISED: Found = Err("nothing is promised");
const MIXED: &str = "no form: drift codes sort before time";
const UNEVEN: &str = "no form: who hears whom, and so who does what, is for the run to say";
const DIFFERENT: &str = "k-order of random nodes is decided by the nodes: see edge-order";

impl Scenario {
    /// What theory expects of each check of a run with this seed, which is not run. (The seed
    /// decides which nodes there are.)
    ///
    /// # Examples
    ///
    /// ```
    /// let scenario = guid_sim::Builtin::named("lww-window-trap").unwrap().scenario()?;
    /// let all = scenario.predict(42);
    /// let lost = all.iter().find(|one| one.key() == "lww-lost@guid96:d3").unwrap();
    /// assert!((lost.expected.unwrap().0 - 0.4982).abs() < 1e-4);
    /// # Ok::<(), guid_sim::ScenarioError>(())
    /// ```
    pub fn predict(&self, seed: u64) -> Vec<Prediction> {
        let config = self.config(seed, None);
        let forecast = Forecast {
            offsets: Offsets::new(&config),
            nodes: node_ids(&config),
            workload: self.workload(),
            active_s: self.active_ns() as f64 / 1e9,
            config: &config,
        };
        let of_schemes = config.schemes.iter().flat_map(|&scheme| forecast.of_scheme(scheme));
        let mut all: Vec<Prediction> = of_schemes.chain(forecast.of_replicas()).collect();
        if config.start != Start::Drawn {
            all = all.into_iter().map(Prediction::of_one_phase).collect();
        }
        for one in headlines(&config, self.workload(), forecast.active_s) {
            let prediction = one.prediction();
            match all.iter_mut().find(|other| other.key() == prediction.key()) {
                Some(other) if other.expected.is_none() => *other = prediction,
                Some(_) => {}
                None => all.push(prediction),
            }
        }
        all
    }
}

const fn is_one_way(fault: &Fault) -> bool {
    matches!(fault, Fault::OneWay { .. })
}

/// The node IDs that the seed gives: drawn as the run draws them.
fn node_ids(config: &WorldConfig) -> Vec<NodeId> {
    let mut rng = Streams::new(config.seed).of_world(Purpose::NodeIds);
    let mut ids: Vec<NodeId> = Vec::new();
    for node in NodeIndex::first(config.nodes) {
        let own = fresh_id(&ids, &mut rng);
        let first = config.shared_node.first().filter(|_| config.shared_node.contains(&node));
        ids.push(first.and_then(|first| ids.get(first.at())).copied().unwrap_or(own));
    }
    ids
}

struct Forecast<'a> {
    config: &'a WorldConfig,
    offsets: Offsets,
    nodes: Vec<NodeId>,
    workload: &'a Workload,
    active_s: f64,
}

impl Forecast<'_> {
    fn of_scheme(&self, scheme: Scheme) -> Vec<Prediction> {
        let one = |name: &str, unit, found| Prediction::of(name, Some(scheme), unit, found);
        let mut all = vec![
            one("unique", Unit::Count, self.unique(scheme)),
            one("monotone", Unit::Count, self.monotone(scheme)),
        ];
        let promised = promises(scheme, self.config.observe);
        if scheme.is_ordered() {
            all.push(one("happens-before", Unit::Count, if promised { NONE } else { UNPROMISED }));
            if scheme.has_two_orders() {
                let causal = bytes_are_causal(scheme, self.config.observe);
                let found = if causal { NONE } else { Err(DIFFERENT) };
                all.push(one("happens-before-by-bytes", Unit::Count, found));
            }
            all.extend(self.of_window(scheme));
            if self.config.disorder {
                let names = ["k-displacement", "inversions", "k-stride"];
                all.extend(names.map(|name| one(name, Unit::Count, Err("measured, no form"))));
            }
            all.extend(self.of_pairs(scheme));
            all.extend(self.of_registers(scheme));
        }
        if refuses(scheme, self.config.observe) {
            all.push(one("observe-refused", Unit::Count, Err("measured, no form")));
        }
        if scheme == Scheme::Hlc {
            const FORM: Found = Err("ε depends on the run: events that bear one time");
            all.push(one("hlc-counter", Unit::Count, FORM));
            all.push(one("hlc-counter-zero", Unit::Fraction, Err("measured, no form")));
        }
        if scheme == Scheme::Vector {
            all.push(one("vector-iff", Unit::Count, NONE));
            all.push(one("vector-size", Unit::Count, Err("measured, no form")));
        }
        all
    }

    /// The rate of a node that only makes IDs.
    fn rate(&self) -> Option<(f64, Arrival)> {
        match self.workload {
            Workload::Ids(ids) => Some((ids.per_second, ids.arrival)),
            _ => None,
        }
    }

    fn unique(&self, scheme: Scheme) -> Found {
        let sharing = self.config.shared_node.len() as f64;
        if sharing >= 2.0 {
            return self.shared(scheme, sharing * (sharing - 1.0) / 2.0);
        }
        if self.config.faults.iter().any(|due| due.fault.is_of_identity()) {
            return self.cloned(scheme);
        }
        if matches!(scheme, Scheme::Upstream(_)) {
            return self.repeated();
        }
        if scheme == Scheme::Counter && self.restarts() {
            return Err("no form: it starts over at a restart");
        }
        NONE
    }

    /// What clones repeat, where cloning is all that happens.
    fn cloned(&self, scheme: Scheme) -> Found {
        let has_form = matches!(scheme, Scheme::Guid96(_) | Scheme::Guid64);
        let mut expected = 0.0;
        for due in &self.config.faults {
            let (Fault::Clone { .. }, Some((rate, Arrival::Poisson)), true) =
                (&due.fault, self.rate(), has_form)
            else {
                return Err("no form: nodes forget, or live twice");
            };
            let left = (self.active_s - due.at_ns as f64 / 1e9).max(0.0);
            expected += predict::clone_duplicates(rate, left);
        }
        Ok((expected, "clone_duplicates: r^1.5 τ √(T/π), each clone"))
    }

    fn shared(&self, scheme: Scheme, pairs: f64) -> Found {
        let has_form = matches!(scheme, Scheme::Guid96(_) | Scheme::Guid64);
        match self.rate() {
            Some((rate, Arrival::Poisson)) if has_form && self.config.faults.is_empty() => {
                let per_second = predict::shared_node_duplicates(rate, rate);
                Ok((pairs * per_second * self.active_s, "shared_node_duplicates: a b τ / 2^14"))
            }
            _ if has_form => Err("no form: only for nodes that make IDs at random, without faults"),
            _ => Err("no form: the phases of the sequences are not independent"),
        }
    }

    /// The Go library's rule: what a step back repeats.
    fn repeated(&self) -> Found {
        let faults = &self.config.faults;
        let steps = faults.iter().map(|due| match due.fault {
            Fault::ClockStep { by_ns, .. } if by_ns < 0 => Some(-(by_ns as f64)),
            Fault::ClockStep { .. } => Some(0.0),
            _ => (!due.fault.is_of_clocks()).then_some(0.0),
        });
        let steps: Option<Vec<f64>> = steps.collect();
        let granule = self.config.clocks.granularity_ns;
        let coarse = granule > guid_core::Tick::NANOS;
        if let (true, true, Some((rate, _))) = (coarse, faults.is_empty(), self.rate()) {
            let each = predict::still_duplicates(rate, granule as f64);
            let granules = libm::floor(libm::round(self.active_s * 1e9) / granule as f64);
            let nodes = f64::from(self.config.nodes);
            return Ok((nodes * granules * each, "still_duplicates: r c - 2^14, each reading"));
        }
        match (steps, self.rate()) {
            (Some(steps), _) if !coarse && steps.iter().all(|&step| step == 0.0) => {
                Ok((0.0, "no step back: none"))
            }
            (Some(steps), Some((rate, Arrival::Poisson)))
                if !coarse && self.config.clocks.discipline.is_none() =>
            {
                let of = |&step: &f64| predict::step_back_duplicates(rate, step);
                let back = steps.iter().filter(|&&step| step > 0.0);
                Ok((back.map(of).sum(), "step_back_duplicates: r S τ Σ φ(…)"))
            }
            _ => Err("no form: only for steps back, of nodes that make IDs at random"),
        }
    }

    fn monotone(&self, scheme: Scheme) -> Found {
        if scheme == Scheme::Uuid7 {
            return UNPROMISED;
        }
        match (scheme, self.rate()) {
            (Scheme::Upstream(_), Some((rate, _))) if self.config.faults.is_empty() => {
                let ids = rate * self.active_s * f64::from(self.config.nodes);
                let inverted = predict::wrap_inversions(rate) * ids;
                Ok((inverted, "wrap_inversions: (1 - (1 - e^-rτ) / rτ) / 2^14"))
            }
            (Scheme::Upstream(_) | Scheme::Ulid, _) if self.clocks_go_back() => {
                Err("no form: it follows a clock that goes back")
            }
            _ => NONE,
        }
    }

    fn clocks_go_back(&self) -> bool {
        self.config.faults.iter().any(|due| match due.fault {
            Fault::ClockStep { by_ns, .. } => by_ns < 0,
            _ => due.fault.is_of_clocks(),
        })
    }

    fn restarts(&self) -> bool {
        let takes_over = |fault: &Fault| fault.is_restart() || matches!(fault, Fault::Clone { .. });
        self.config.faults.iter().any(|due| takes_over(&due.fault))
    }

    /// The ticks that counting adds: one for every 2^14 IDs made while the clock shows nothing new.
    #[expect(clippy::cast_sign_loss, reason = "a rate and a time are not negative")]
    fn carried(&self) -> u64 {
        let back = self.config.faults.iter().map(|due| match due.fault {
            Fault::ClockStep { by_ns, .. } => by_ns.min(0).unsigned_abs(),
            Fault::ClockFreeze { for_ns, .. } => for_ns,
            _ => 0,
        });
        let still = back.max().unwrap_or(0).max(self.config.clocks.granularity_ns);
        let rate = self.rate().map_or(0.0, |(rate, _)| rate);
        (rate * still as f64 / 1e9 / 16_384.0) as u64
    }

    /// The bound of k-order, and what there is beside it.
    fn of_window(&self, scheme: Scheme) -> Vec<Prediction> {
        let Some(window) = scheme.window_ns() else { return Vec::new() };
        let one = |name: &str, unit, found| Prediction::of(name, Some(scheme), unit, found);
        let reserved = if self.restarts() { RESERVED_NS } else { 0 };
        let counted = granularity_ns(scheme).saturating_mul(self.carried().saturating_add(1));
        let order = self.offsets.spread_ns().map(|spread| {
            let bound = window.saturating_add(counted).saturating_add(reserved) as f64 + spread;
            (bound, "W + E: the window, the spread of the clocks, counting")
        });
        let lead = match self.offsets.apart_ns() {
            // Going on to the next window is running ahead.
            _ if self.restarts() || matches!(scheme, Scheme::Bump(_)) => UNPROMISED,
            Ok(apart) => {
                let apart = if promises(scheme, self.config.observe) { apart } else { 0.0 };
                Ok((counted as f64 + apart, "ε: how far clocks are apart at a time, counting"))
            }
            Err(why) => Err(why),
        };
        let no_form = Err("measured, no form");
        vec![
            Prediction { bound: true, ..one("k-order", Unit::Ns, order) },
            one("k-radius", Unit::Count, no_form),
            one("stamp-skew", Unit::Ns, no_form),
            Prediction { bound: true, ..one("lead", Unit::Ns, lead) },
        ]
    }

    fn average(&self, scheme: Scheme) -> Average<'_> {
        Average {
            config: self.config,
            offsets: &self.offsets,
            nodes: &self.nodes,
            ring: matches!(self.workload, Workload::Chain(_)),
            scheme,
        }
    }

    fn of_pairs(&self, scheme: Scheme) -> Vec<Prediction> {
        let Some(window) = scheme.window_ns().filter(|_| self.config.nodes > 1) else {
            return Vec::new();
        };
        let fraction =
            |name: &str, found| Prediction::of(name, Some(scheme), Unit::Fraction, found);
        let mut all = Vec::new();
        let observed = bytes_are_causal(scheme, self.config.observe);
        let is_uneven = self.config.faults.iter().any(|due| is_one_way(&due.fault));
        if self.rate().is_none() {
            const FORM: &str = "misorder: q (1 - δ/W), averaged over latency and clocks";
            let edges = if observed {
                Ok((0.0, "the receive rule: none"))
            } else if scheme == Scheme::Mixed {
                Err(MIXED)
            } else if is_uneven {
                Err(UNEVEN)
            } else {
                self.average(scheme).misorder(window, None).map(|p| (p, FORM))
            };
            all.push(fraction("edge-order", edges));
        }
        for &gap in &self.config.gaps_ns {
            const FORM: &str = "misorder: q (1 - δ/W), averaged over clocks";
            let name = format!("pair-order-{}", Ns(gap.into())).replace(' ', "");
            let found = if is_uneven {
                Err(UNEVEN)
            } else {
                self.average(scheme).misorder(window, Some(gap))
            };
            all.push(fraction(&name, found.map(|p| (p, FORM))));
        }
        all
    }

    fn of_registers(&self, scheme: Scheme) -> Vec<Prediction> {
        let Workload::Lww(lww) = self.workload else { return Vec::new() };
        let promised = promises(scheme, self.config.observe);
        let fraction =
            |name: &str, found| Prediction::of(name, Some(scheme), Unit::Fraction, found);
        let safe = Ok((0.0, "a write that observed what it overwrites is later: none"));
        let safe = if refuses(scheme, self.config.observe) {
            Err("no form: IDs may be refused")
        } else {
            safe
        };
        let by_time = if promised { safe } else { UNPROMISED };
        let two_orders = scheme.has_two_orders();
        let (fresh, long_lived) = if bytes_are_causal(scheme, self.config.observe) {
            (safe, safe)
        } else {
            (self.lost(scheme, lww.think_ns), Err("measured, no form"))
        };
        let mut all =
            vec![fraction("lww-lost", fresh), fraction("lww-lost-long-lived", long_lived)];
        if two_orders {
            all.push(fraction("lww-lost-by-time", by_time));
            all.push(fraction("lww-lost-long-lived-by-time", by_time));
        }
        all
    }

    fn lost(&self, scheme: Scheme, think_ns: u64) -> Found {
        const FORM: &str = "lww_lost: ½ (1 - clamp(δ/W)), averaged over latency";
        let Some(window) = scheme.window_ns() else { return Err("no form: it tells no time") };
        let average = self.average(scheme);
        // The skew of stamps is that of clocks, and what rounding adds.
        let rounding = granularity_ns(scheme) as f64;
        if average.skew_ns()? + rounding > (window / 100) as f64 {
            return Err("no form: clocks or stamps are too far apart for the window");
        }
        average.lww_lost(window, think_ns).map(|p| (p, FORM))
    }

    fn of_replicas(&self) -> Vec<Prediction> {
        const CONVERGE: [&str; 2] = ["converged", "strong-eventual-consistency"];
        const SESSIONS: [&str; 4] =
            ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"];
        let one = |name, found| Prediction::of(name, None, Unit::Count, found);
        let (more, found): (&[&str], Found) = match self.workload {
            Workload::Cart(_) => (&[], NONE),
            Workload::Counter(_) | Workload::Gossip(_) => (&["share-holds"], NONE),
            Workload::Register(register) if register.session == Session::Roam => {
                (&SESSIONS, Err("no form: clients go anywhere, and rely on nothing"))
            }
            Workload::Register(_) => (&SESSIONS, NONE),
            _ => return Vec::new(),
        };
        let converge = CONVERGE.iter().map(|name| one(name, NONE));
        converge.chain(more.iter().map(|name| one(name, found))).collect()
    }
}
