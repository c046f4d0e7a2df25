//! Checkers: each watches the run and counts what goes against one guarantee.
//!
//! They are streaming and exact. What none of them may do is guess: past its bounds a checker says
//! [`Unknown`](crate::Verdict::Unknown).
//!
//! * `unique`, `monotone`: no ID twice; each incarnation of a node makes them in order
//! * `causal`: happens-before, exactly, without vectors
//! * `k_order`: how far from sorted the k-order is, against the bound W + E
//! * `disorder`: displacement, inversions and stride, on demand
//! * `lead`: how far stamps lead their clocks, against how far clocks are apart
//! * `hlc`: the counter of a hybrid clock, against how often its time was used
//! * `misorder`: message edges and pairs at a gap, against the closed form
//! * `lww`: overwrites that last-writer-wins loses, by each order
//! * `vector`: vector clocks against the recorded graph, both ways
//! * `convergence`: replicas that received the same show the same
//! * `sessions`: what a client may rely on, whichever replicas it talks to
//! * `claim`: what a process claims of itself
//! * `cause`: why two IDs are in the wrong order

mod cause;
mod unique;
mod monotone;
mod causal;
mod k_order;
mod disorder;
mod lead;
mod hlc;
mod misorder;
mod lww;
mod vector;
mod convergence;
mod claim;
mod sessions;

use crate::{Event, EventKind, NodeIndex};

pub(crate) use self::{
    causal::{Causal, Past},
    cause::{Facts, Jumps},
    claim::Claim,
    convergence::Convergence,
    disorder::{Disorder, LIMIT as DISORDER_LIMIT},
    hlc::HlcCounter,
    k_order::{KOrder, LIMIT as RECORDS_LIMIT, StampSkew},
    lead::Lead,
    lww::{LONG_LIVED, Lost, Lww, Order},
    misorder::{Edges, Endpoint, Observed, Pairs, count as count_pair},
    monotone::Monotone,
    sessions::{GUARANTEES, Guarantee, Sessions},
    unique::{LIMIT as UNIQUE_LIMIT, Unique},
    vector::VectorIff,
};

/// An event and the key its ID compares by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyed {
    pub(crate) key: u128,
    pub(crate) event: Event,
}

/// An event in half the memory: all but its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    number: u64,
    node: NodeIndex,
    incarnation: u32,
    true_ns: u64,
    local_ns: u64,
}

impl Moment {
    pub(crate) const fn of(event: &Event) -> Self {
        let Event { number, node, incarnation, true_ns, local_ns, .. } = *event;
        Self { number, node, incarnation, true_ns, local_ns }
    }

    pub(crate) const fn event(self, kind: EventKind) -> Event {
        let Self { number, node, incarnation, true_ns, local_ns } = self;
        Event { number, node, incarnation, true_ns, local_ns, kind }
    }
}

/// What a closed form says of one case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Chance {
    /// The probability that the case goes against the claim.
    pub(crate) p: f64,
    /// By how much the boundary of a window, falling into the gap or not, decides it: q · |δ|.
    pub(crate) swing_ns: f64,
}

/// Cases that went against a claim, of all, with what a closed form expects.
///
/// The cases of one run are not independent: a boundary of a window falls into many gaps at once,
/// and how many boundaries a run sees is certain but for one. So the variance has two parts: that
/// of independent cases, Σ p (1 − p), and that of one boundary more or less, (Σ q |δ| / 2T)².
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) of: u64,
    /// The sum of the probabilities of the cases.
    pub(crate) expected: f64,
    independent: f64,
    swing_ns: f64,
    /// True time of the first and the latest case.
    span: Option<(u64, u64)>,
    /// Whether every case came with a chance.
    pub(crate) predicted: bool,
}

impl Tally {
    pub(crate) fn add(&mut self, against: bool, true_ns: u64, chance: Option<Chance>) {
        self.predicted = chance.is_some() && (self.of == 0 || self.predicted);
        self.of += 1;
        self.count += u64::from(against);
        let Chance { p, swing_ns } = chance.unwrap_or_default();
        self.expected += p;
        self.independent += p * (1.0 - p);
        self.swing_ns += swing_ns;
        let (first, last) = self.span.unwrap_or((true_ns, true_ns));
        self.span = Some((first.min(true_ns), last.max(true_ns)));
    }

    /// The variance of the count.
    pub(crate) fn variance(&self) -> f64 {
        let span = self.span.map_or(0, |(first, last)| last - first);
        let boundary = if span == 0 { 0.0 } else { self.swing_ns / (2.0 * span as f64) };
        self.independent + boundary * boundary
    }
}

/// The first case against a claim: two keyed events and a cause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) first: Keyed,
    pub(crate) second: Keyed,
    pub(crate) cause: Cause,
}

/// What brought a case about, as far as its checker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// In words.
    Said(&'static str),
    /// Two IDs are in the wrong order: the facts of the two events say why.
    Order,
    /// They are, and so a register lost the second.
    Lost,
}
