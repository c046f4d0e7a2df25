//! Misorder against the gap: pairs of events, drawn from the whole run.
//!
//! Of the run's events about a thousand are anchors. Each is compared with the first event of
//! another node that comes a gap later, for each of a dozen gaps; and each pair has the probability
//! that the closed form gives it.

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    Event, Scheme, WorldConfig,
    checker::{Endpoint, Observed, Tally, count_pair},
    lane::Lane,
};

/// So many anchors are taken, evenly over the run.
const ANCHORS: u64 = 1_000;
/// So many gaps, and how far they reach: in tenths of a window.
const GAPS: u64 = 12;
/// Schemes beyond these are not measured.
const SCHEMES: usize = 4;
/// Below this, the events of a run are too far apart to fall into one window.
const SHORTEST_WINDOW_NS: u64 = 1_000_000_000;
/// So often an event of the anchor's own node may come where one of another is looked for.
const PATIENCE: u32 = 64;

/// What was measured at one gap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RampPoint {
    /// How far apart the pairs were in true time on average, in nanoseconds.
    pub gap_ns: f64,
    /// How many pairs.
    pub of: u64,
    /// The part of them that was in the wrong order.
    pub measured: f64,
    /// The part that the closed form expects of these pairs.
    pub expected: f64,
    /// The standard deviation of `measured`.
    pub deviation: f64,
}

/// The misorder of a scheme against the gap.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ramp {
    /// Whose IDs, in k-order.
    pub scheme: Scheme,
    /// Its window W.
    pub window_ns: u64,
    /// Gap by gap; none where no pair was found.
    pub points: Vec<RampPoint>,
}

/// A pair to be completed.
#[derive(Clone, Debug)]
struct Waiting {
    anchor: Rc<[Endpoint]>,
    /// Which scheme, and which of its gaps.
    scheme: usize,
    gap: usize,
    patience: u32,
}

#[derive(Clone, Debug)]
struct OfScheme {
    lane: usize,
    scheme: Scheme,
    window_ns: u64,
    gaps_ns: Vec<u64>,
    tallies: Vec<(Tally, f64)>,
}

#[derive(Clone, Debug)]
pub(super) struct Ramps {
    every_ns: u64,
    next_anchor_ns: u64,
    schemes: Vec<OfScheme>,
    /// By when they are due, then by the order of being set.
    waiting: BTreeMap<(u64, u64), Waiting>,
    set: u64,
}

impl Ramps {
    pub(super) fn new(config: &WorldConfig) -> Self {
        let several = config.nodes > 1;
        let schemes = config.schemes.iter().enumerate().filter(|_| several);
        let schemes = schemes.filter_map(|(lane, &scheme)| {
            let window_ns = scheme.window_ns().filter(|&window| window >= SHORTEST_WINDOW_NS);
            let window_ns = window_ns.filter(|_| scheme.has_pair_form())?;
            let longest = window_ns.min(config.duration_ns / 10 * 8);
            let gaps_ns: Vec<u64> = (0..GAPS).map(|gap| longest / 10 * gap).collect();
            let tallies = vec![(Tally::default(), 0.0); gaps_ns.len()];
            Some(OfScheme { lane, scheme, window_ns, gaps_ns, tallies })
        });
        Self {
            every_ns: config.duration_ns / ANCHORS,
            next_anchor_ns: config.start_ns(),
            schemes: schemes.take(SCHEMES).collect(),
            waiting: BTreeMap::new(),
            set: 0,
        }
    }

    pub(super) fn event(&mut self, event: &Event, lanes: &[Lane]) {
        if self.schemes.is_empty() {
            return;
        }
        let now = event.true_ns;
        let is_due = self.waiting.first_key_value().is_some_and(|((due, _), _)| *due <= now);
        let is_anchor = now >= self.next_anchor_ns;
        if !is_due && !is_anchor {
            return;
        }
        let of = |one: &OfScheme| lanes.get(one.lane).and_then(Lane::endpoint);
        let ends: Option<Rc<[Endpoint]>> = self.schemes.iter().map(of).collect();
        let Some(ends) = ends else { return };
        self.complete(now, &ends);
        if is_anchor {
            self.next_anchor_ns = now.saturating_add(self.every_ns.max(1));
            self.anchor(now, &ends);
        }
    }

    fn anchor(&mut self, now: u64, ends: &Rc<[Endpoint]>) {
        for (scheme, one) in self.schemes.iter().enumerate() {
            for (gap, &ns) in one.gaps_ns.iter().enumerate() {
                let anchor = Rc::clone(ends);
                let waiting = Waiting { anchor, scheme, gap, patience: PATIENCE };
                self.waiting.insert((now.saturating_add(ns), self.set), waiting);
                self.set += 1;
            }
        }
    }

    /// Completes the pairs that are due with an event of another node.
    fn complete(&mut self, now: u64, ends: &[Endpoint]) {
        let mut own = Vec::new();
        while let Some(entry) = self.waiting.first_entry().filter(|entry| entry.key().0 <= now) {
            let (place, waiting) = entry.remove_entry();
            let (first, second) = (&waiting.anchor[waiting.scheme], &ends[waiting.scheme]);
            if first.id == second.id || first.keyed.event.node == second.keyed.event.node {
                if waiting.patience > 0 {
                    own.push((place, Waiting { patience: waiting.patience - 1, ..waiting }));
                }
                continue;
            }
            let one = &mut self.schemes[waiting.scheme];
            let (tally, gaps) = &mut one.tallies[waiting.gap];
            count_pair(tally, first, second, one.window_ns, Observed::No);
            *gaps += (now - first.keyed.event.true_ns) as f64;
        }
        self.waiting.extend(own);
    }

    pub(super) fn finish(self) -> Vec<Ramp> {
        let ramps = self.schemes.into_iter().map(|one| {
            let points = one.tallies.iter().filter(|(tally, _)| tally.of > 0);
            let points = points.map(|(tally, gaps)| {
                let of = tally.of as f64;
                RampPoint {
                    gap_ns: gaps / of,
                    of: tally.of,
                    measured: tally.count as f64 / of,
                    expected: tally.expected / of,
                    deviation: libm::sqrt(tally.variance()) / of,
                }
            });
            Ramp { scheme: one.scheme, window_ns: one.window_ns, points: points.collect() }
        });
        ramps.filter(|ramp| !ramp.points.is_empty()).collect()
    }
}
