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
mod crossings;
mod claim;
mod sessions;

use crate::{Event, EventKind, NodeIndex};

use self::crossings::Crossings;
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
    p: f64,
    /// How long the gap is into which a boundary of a window may fall; 0 if that decides nothing.
    gap_ns: f64,
    window_ns: f64,
    /// What a boundary in the gap adds to the count of cases.
    decides: f64,
    /// The boundary that did fall into it.
    boundary: Option<u64>,
}

impl Chance {
    /// A case between two moments, and what it adds to the count if a boundary of a window lies
    /// between them.
    pub(crate) fn new(p: f64, [first, second]: [u64; 2], window_ns: u64, decides: f64) -> Self {
        let gap_ns = first.abs_diff(second);
        if gap_ns >= window_ns {
            return Self { p, ..Self::default() };
        }
        let (before, after) = (first.min(second) / window_ns, first.max(second) / window_ns);
        let boundary = (before != after).then_some(after);
        Self { p, gap_ns: gap_ns as f64, window_ns: window_ns as f64, decides, boundary }
    }
}

/// Cases that went against a claim, of all, with what a closed form expects.
///
/// The cases of one run are not independent: a boundary of a window falls into many gaps at once,
/// and how many boundaries a run sees is certain but for one. So the variance has two parts: that
/// of one boundary more or less, (Σ |swing| / 2T)², and that of where they fall. Of independent
/// gaps the second is Σ p (1 − p); where messages come in bursts it is more, and what each
/// boundary did decide says how much: Σ (F − mean)².
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) of: u64,
    /// The sum of the probabilities of the cases.
    pub(crate) expected: f64,
    independent: f64,
    /// What a boundary decides if it falls into a gap, times how long the gap is: summed with its
    /// sign, without it, and over the window with it.
    swing_ns: f64,
    swing_abs_ns: f64,
    swings: f64,
    crossings: Crossings,
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
        let chance = chance.unwrap_or_default();
        self.expected += chance.p;
        self.independent += chance.p * (1.0 - chance.p);
        if chance.gap_ns > 0.0 {
            let swing_ns = chance.decides * chance.gap_ns;
            self.swing_ns += swing_ns;
            self.swing_abs_ns += swing_ns.abs();
            self.swings += swing_ns / chance.window_ns;
        }
        if let Some(boundary) = chance.boundary {
            self.crossings.add(boundary, chance.decides);
        }
        let (first, last) = self.span.unwrap_or((true_ns, true_ns));
        self.span = Some((first.min(true_ns), last.max(true_ns)));
    }

    /// The variance of the count.
    pub(crate) fn variance(&self) -> f64 {
        let span = self.span.map_or(0, |(first, last)| last - first);
        if span == 0 {
            return self.independent;
        }
        let (one, mean) = (self.swing_abs_ns / (2.0 * span as f64), self.swing_ns / span as f64);
        // Of a mean of zero there is no number of boundaries to tell, and none is needed.
        let boundaries = if mean == 0.0 { 0.0 } else { self.swings / mean };
        self.independent.max(self.crossings.scatter(mean, boundaries)) + one * one
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
