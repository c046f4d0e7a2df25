//! What a run found: claims with their verdicts, and figures that nobody made a claim about.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Dropped, Event, Scheme, units::Ns};

/// Whether a claim came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "yes, no, and cannot tell: there is no fourth")]
pub enum Verdict {
    /// It held on this run.
    Holds,
    /// The checker could not tell: it ran out of its bounds.
    Unknown,
    /// It did not hold.
    Violated,
}

impl Verdict {
    /// Holds if so, else violated.
    pub const fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Violated }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Unknown => "unknown",
            Self::Violated => "violated",
        })
    }
}

/// What the number of a check counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Unit {
    /// Things.
    Count,
    /// A part of all.
    Fraction,
    /// Nanoseconds.
    Ns,
}

/// A number that prints as an integer where it is one.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper for output")]
pub struct Number(pub f64);

impl Number {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be an integer that fits")]
    fn integer(self) -> Option<i64> {
        (self.0.fract() == 0.0 && self.0.abs() < 9e15).then_some(self.0 as i64)
    }

    /// Shows the number in a unit.
    pub fn show(self, unit: Unit) -> String {
        match (unit, self.integer()) {
            (Unit::Ns, Some(ns)) => Ns(ns.into()).to_string(),
            (Unit::Count, Some(count)) => count.to_string(),
            (Unit::Count, None) => format!("{:.1}", self.0),
            (Unit::Fraction | Unit::Ns, _) => format!("{:.4}", self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.integer() {
            Some(integer) => serializer.serialize_i64(integer),
            None => serializer.serialize_f64(self.0),
        }
    }
}

/// An event as a witness shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WitnessEvent {
    /// The node's number, from one.
    pub node: u32,
    /// The event's number.
    pub event: u64,
    /// True time, in Unix nanoseconds.
    pub true_ns: String,
    /// What the node's clock read.
    pub local_ns: String,
    /// The event's ID in the scheme that is on trial, as the scheme writes it; empty where the
    /// claim is about no ID.
    pub id: String,
    /// What the ID says of its moment, in Unix nanoseconds, if it does.
    pub stamp_ns: Option<String>,
    /// The sequence in the ID, if it has one.
    pub sequence: Option<u32>,
    /// The node in the ID, in hexadecimal, if it names one.
    pub id_node: Option<String>,
}

impl WitnessEvent {
    pub(crate) fn new(event: &Event, id: String) -> Self {
        Self {
            node: event.node.number(),
            event: event.number,
            true_ns: event.true_ns.to_string(),
            local_ns: event.local_ns.to_string(),
            id,
            stamp_ns: None,
            sequence: None,
            id_node: None,
        }
    }
}

/// Two events that show a violation, and what brought it about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Witness {
    /// The event that came first.
    pub first: WitnessEvent,
    /// The event that came second.
    pub second: WitnessEvent,
    /// Why.
    pub cause: String,
    /// How the first came to be known to the second, if that was looked for.
    pub path: Option<Path>,
}

impl Witness {
    pub(crate) const fn new(first: WitnessEvent, second: WitnessEvent, cause: String) -> Self {
        Self { first, second, cause, path: None }
    }
}

/// How one event came to be known to another: the messages between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Path {
    /// Whether the first happened before the second. If not, nothing led from one to the other.
    pub is_causal: bool,
    /// The messages that led from one to the other, in order; none if both are of one node. Of more
    /// than eight, the first and the last four.
    pub hops: Vec<Hop>,
    /// How many hops are left out in the middle.
    pub left_out: u64,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_causal {
            return f.write_str("concurrent: nothing led from the first to the second");
        }
        f.write_str("by ")?;
        let middle = self.hops.len() / 2;
        for (at, hop) in self.hops.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            let left_out = self.left_out;
            if left_out > 0 && at == middle {
                write!(f, ", {left_out} more")?;
            }
            let Hop { message, from, sent, to, received } = hop;
            write!(
                f,
                "{comma}message {message} from n{from} (event {sent}) to n{to} ({received})"
            )?;
        }
        Ok(())
    }
}

/// A message on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Hop {
    /// The number of the message.
    pub message: u64,
    /// The node that sent it, and the event.
    pub from: u32,
    /// The event that sent it.
    pub sent: u64,
    /// The node that received it.
    pub to: u32,
    /// The event that received it.
    pub received: u64,
}

/// A claim and its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// What is claimed: `unique`, `happens-before`, …
    pub name: String,
    /// Of which scheme, if it is about one.
    pub scheme: Option<String>,
    /// Whether it came out: against the scenario's expectation if there is one, else as it stands.
    pub verdict: Verdict,
    /// How many cases went against it.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The number that is compared.
    pub measured: Number,
    /// What a closed form or a bound says of it.
    pub expected: Option<Number>,
    /// How far measured is from expected, in standard deviations.
    pub z: Option<Number>,
    /// What the scenario expects, in its words.
    pub expectation: Option<String>,
    /// The first case against it.
    pub witness: Option<Witness>,
    /// How to show the numbers.
    #[serde(skip)]
    pub unit: Unit,
    /// Whether `expected` is a bound rather than a value.
    #[serde(skip)]
    pub bound: bool,
    /// Whether it is a claim that holds or not by itself; otherwise it is a figure.
    #[serde(skip)]
    pub claim: bool,
    /// What the run says of it, whatever is expected; `None` for a number that is neither true nor
    /// false.
    #[serde(skip)]
    pub outcome: Option<Verdict>,
}

impl Check {
    /// A claim that no case may go against.
    #[expect(clippy::cast_precision_loss, reason = "counts of events fit a double")]
    pub(crate) fn claim(name: &str, scheme: Option<Scheme>, count: u64, of: u64) -> Self {
        // Nothing that was looked at is nothing that was shown.
        let outcome = if of == 0 { Verdict::Unknown } else { Verdict::of(count == 0) };
        Self {
            measured: Number(count as f64),
            expected: Some(Number(0.0)),
            ..Self::figure(name, scheme, 0.0, Unit::Count).out_of(count, of).claimed(outcome)
        }
    }

    /// Makes it a claim that came out like this.
    pub(crate) fn claimed(self, outcome: Verdict) -> Self {
        Self { claim: true, verdict: outcome, outcome: Some(outcome), ..self }
    }

    /// A measured number.
    pub(crate) fn figure(name: &str, scheme: Option<Scheme>, measured: f64, unit: Unit) -> Self {
        Self {
            name: String::from(name),
            scheme: scheme.map(|scheme| scheme.to_string()),
            verdict: Verdict::Holds,
            count: 0,
            of: 0,
            measured: Number(measured),
            expected: None,
            z: None,
            expectation: None,
            witness: None,
            unit,
            bound: false,
            claim: false,
            outcome: None,
        }
    }

    /// A part of all, beside the closed form that gives each case its probability.
    #[expect(clippy::cast_precision_loss, reason = "counts of events fit a double")]
    pub(crate) fn fraction(name: &str, scheme: Scheme, tally: &crate::checker::Tally) -> Self {
        let of = tally.of as f64;
        let measured = if tally.of == 0 { 0.0 } else { tally.count as f64 / of };
        let mut check = Self::figure(name, Some(scheme), measured, Unit::Fraction)
            .out_of(tally.count, tally.of);
        if tally.of > 0 && tally.predicted {
            check.expected = Some(Number(tally.expected / of));
            let z = crate::predict::z_score(tally.count as f64, tally.expected, tally.variance());
            check.z = z.map(Number);
            // Four standard deviations: one in 16,000 by chance.
            return check.claimed(Verdict::of(z.is_none_or(|z| z.abs() <= 4.0)));
        }
        check
    }

    pub(crate) fn out_of(self, count: u64, of: u64) -> Self {
        Self { count, of, ..self }
    }

    pub(crate) fn with_witness(self, witness: Option<Witness>) -> Self {
        Self { witness, ..self }
    }

    /// Turns the claim into a figure: where nothing was promised. Its outcome stays, for whoever
    /// expects one; and so does the form that it is compared with, if it is.
    pub(crate) fn unclaimed(self) -> Self {
        let expected = self.expected.filter(|_| self.z.is_some());
        Self { claim: false, verdict: Verdict::Holds, expected, ..self }
    }

    /// The key of the check in a scenario: `name@scheme`, or the name alone.
    pub fn key(&self) -> String {
        match &self.scheme {
            Some(scheme) => format!("{}@{scheme}", self.name),
            None => self.name.clone(),
        }
    }
}

/// What a check of this name measures, in a line for people; empty for a count that a process made
/// up itself.
///
/// # Examples
///
/// ```
/// assert_eq!(guid_sim::meaning("unique"), "no ID is made twice; measured: IDs made again");
/// ```
pub fn meaning(name: &str) -> &'static str {
    match name {
        "unique" => "no ID is made twice; measured: IDs made again",
        "monotone" => "each node makes its IDs in rising order; measured: IDs not above the last",
        "happens-before" => "in time order, an ID is above all of its causal past",
        "happens-before-by-bytes" => {
            "in k-order, an ID is above all of its causal past: nobody promises it"
        }
        "k-order" => {
            "IDs further apart in time than W + E are in order; measured: the widest gap of a pair \
             that is not"
        }
        "k-radius" => "IDs that many places apart are in order",
        "k-displacement" => "an ID is that many places from where it sorts, at most",
        "inversions" => "pairs of IDs in the wrong order, of all pairs",
        "k-stride" => {
            "IDs exactly that many places apart are in order; says nothing of other distances"
        }
        "stamp-skew" => "E: how far apart two nodes' stamps are from true time",
        "lead" => {
            "stamps lead their clock by no more than clocks are apart, or were set back; measured: \
             the most"
        }
        "edge-order" => "messages whose receipt sorts before their sending, of all messages",
        "vector-iff" => {
            "vector clocks say exactly what happened before what, for all pairs of the first 2,000 \
             events"
        }
        "vector-size" => "the most nodes that any vector clock names",
        "hlc-counter" => {
            "a hybrid clock counts no further than events bear its time; measured: the largest count"
        }
        "hlc-counter-zero" => "hybrid timestamps with a counter of zero",
        "lww-lost" => "overwrites of a fresh value that last-writer-wins by bytes loses",
        "lww-lost-by-time" => "overwrites that last-writer-wins by time order loses",
        "lww-lost-long-lived" => {
            "overwrites of one register by other nodes, again and again, that are lost by bytes"
        }
        "lww-lost-long-lived-by-time" => {
            "overwrites of one register, again and again, that are lost by time order"
        }
        "converged" => "in the end all replicas that are up show the same",
        "nodes-down" => "nodes that are down in the end: what they showed is not looked at",
        "strong-eventual-consistency" => {
            "replicas that received the same show the same, at every event"
        }
        "read-your-writes" => "a client reads where all that it wrote is known",
        "monotonic-reads" => "a client reads where all that it read before is known",
        "monotonic-writes" => "a client writes where all that it wrote before is known",
        "writes-follow-reads" => "a client writes where all that it read before is known",
        "share-holds" => "what is shared is as it must be, as far as its process can tell",
        "skew-shown" => {
            "clocks are at least that far apart: a message was received before it was sent, by them"
        }
        "received-unsent" => "messages that were received and, by the log, never sent",
        "one-writer" => {
            "who came back writes knowing all that was written under its node ID; measured: writes \
             that do not"
        }
        "writes-lost" => "acknowledged writes that no replica has in the end, up or stored",
        "writes-unwatched" => "acknowledged writes beyond those that are remembered",
        "observe-refused" => "IDs too far ahead to be observed, by the policy of the scenario",
        _ if name.starts_with("pair-order-") => {
            "IDs of two nodes, that far apart in time, in the wrong order"
        }
        _ => "",
    }
}

/// What a run found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of this form.
    pub schema: u32,
    /// The version of guid-sim.
    pub version: String,
    /// The scenario's name.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// True time at the start, in Unix nanoseconds, in decimal: a double would not hold it.
    pub start_ns: String,
    /// How many events happened.
    pub events: u64,
    /// The rolling hash of everything that happened, 32 hexadecimal digits.
    pub trace_hash: String,
    /// The claims.
    pub checks: Vec<Check>,
    /// Figures that nobody made a claim about.
    pub measures: Vec<Check>,
    /// Expectations of the scenario about what the run no longer has, since values were replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
    /// The worst verdict of all claims.
    pub verdict: Verdict,
}

impl Report {
    /// The report of a run that was given up on purpose: it says nothing.
    pub(crate) fn none() -> Self {
        Self {
            schema: 1,
            version: String::new(),
            scenario: String::new(),
            seed: 0,
            start_ns: String::new(),
            events: 0,
            trace_hash: String::new(),
            checks: Vec::new(),
            measures: Vec::new(),
            dropped: Vec::new(),
            verdict: Verdict::Unknown,
        }
    }

    /// The claim or figure with this key (`name@scheme`, or the name).
    pub fn get(&self, key: &str) -> Option<&Check> {
        self.checks.iter().chain(&self.measures).find(|check| check.key() == key)
    }
}
