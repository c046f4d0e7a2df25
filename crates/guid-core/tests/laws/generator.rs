//! Generators over any clock: strict, all or nothing, and as the model says.

use core::time::Duration;
use std::cell::Cell;

use guid_core::{
    ByTime, Drift, GenerateError, Generator, Guid, LocalGenerator, ManualClock, NodeId,
    ObserveError, Stamp,
};
use proptest::prelude::*;

use crate::spec::{Fractions, SEQS, STAMPS, TICK_NS, below, cases, seq};

const NODE: u32 = 0x0200_0000;
const MAX_AHEAD: u64 = 60_000_000_000;

/// A generator as its documentation words it, on plain numbers.
struct Model {
    last: u64,
    now: u64,
    /// Stamps after the first number, up to the second, that were jumped over: never issued.
    jumped: (u64, u64),
}

#[derive(Debug, PartialEq)]
enum Refusal {
    Ahead,
    Exhausted,
    NodeCollision,
}

impl Model {
    /// The first stamp of the next run of `count`.
    fn candidate(&self, count: u64) -> Option<u64> {
        let up = self.last + 1;
        let first = up.max(self.now / TICK_NS * SEQS + up % SEQS);
        (up < STAMPS && count <= STAMPS - first).then_some(first)
    }

    fn ahead(&self, stamp: u64) -> bool {
        (stamp / SEQS).saturating_sub(self.now / TICK_NS) * TICK_NS > MAX_AHEAD
    }

    fn take(&mut self, first: u64, count: u64) -> u64 {
        self.last = first + count - 1;
        first
    }

    fn try_take(&mut self, count: u64) -> Result<u64, Refusal> {
        let first = self.candidate(count).ok_or(Refusal::Exhausted)?;
        if self.ahead(first + count - 1) {
            return Err(Refusal::Ahead);
        }
        Ok(self.take(first, count))
    }

    fn observe(&mut self, node: u32, stamp: u64) -> Result<(), Refusal> {
        let jumped = self.jumped.0 < stamp && stamp <= self.jumped.1;
        if node == NODE && (stamp > self.last || jumped) {
            return Err(Refusal::NodeCollision);
        }
        if self.ahead(stamp) {
            return Err(Refusal::Ahead);
        }
        if stamp > self.last {
            // A jump from where the last one ended goes on with it: nothing was issued between.
            let start = if self.last == self.jumped.1 { self.jumped.0 } else { self.last };
            self.jumped = (start, stamp);
            self.last = stamp;
        }
        Ok(())
    }
}

#[derive(Clone, Debug)]
enum Op {
    /// The clock reads this from now on.
    Clock(u64),
    Next,
    TryNext,
    /// A slice of this length.
    Fill(usize),
    TryFill(usize),
    /// A batch of this length.
    TryBatch(usize),
    /// An ID of a node, this many ticks from the clock.
    Observe {
        node: u32,
        ticks: i64,
        seq: u16,
    },
}

/// Readings anywhere in time, and near one another so that steps back and ties are common.
fn reading() -> impl Strategy<Value = u64> {
    let start = 1_719_822_159_109_605_709;
    prop_oneof![
        4 => (0..5 * TICK_NS).prop_map(move |ns| start + ns),
        2 => (0..4 * MAX_AHEAD).prop_map(move |ns| start + ns),
        1 => below(u64::MAX),
        1 => (0..3 * TICK_NS).prop_map(|ns| u64::MAX - ns),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let ticks = prop_oneof![-5..5_i64, 457_700..457_800_i64, -1_000_000..1_000_000_i64];
    let node = prop_oneof![Just(NODE), Just(1), any::<u32>()];
    prop_oneof![
        2 => reading().prop_map(Op::Clock),
        3 => Just(Op::Next),
        3 => Just(Op::TryNext),
        1 => (1..40_usize).prop_map(Op::Fill),
        1 => (1..40_usize).prop_map(Op::TryFill),
        // Up to what `max_ahead` holds, and over.
        1 => (1..8_000_000_000_usize).prop_map(Op::TryBatch),
        2 => (node, ticks, seq()).prop_map(|(node, ticks, seq)| Op::Observe { node, ticks, seq }),
    ]
}

/// The ID an operation observes, if there is such a tick.
fn observed(now: u64, node: u32, ticks: i64, seq: u16) -> Option<Fractions> {
    let tick = (now / TICK_NS).checked_add_signed(ticks)?;
    (tick < STAMPS / SEQS).then_some(Fractions { code: 3, node, tick, seq })
}

fn number(id: Guid) -> u64 {
    id.stamp().as_u64()
}

/// Whether these are IDs of our node whose stamps count up from `first`.
fn is_run(ids: &[Guid], first: u64) -> bool {
    let node = NodeId::new(NODE);
    ids.iter().zip(first..).all(|(&id, stamp)| (id.node(), number(id)) == (node, stamp))
}

fn of_generate(error: GenerateError) -> Refusal {
    match error {
        GenerateError::Ahead { by } => {
            assert!(by > Duration::from_nanos(MAX_AHEAD));
            Refusal::Ahead
        }
        GenerateError::Exhausted => Refusal::Exhausted,
        other => panic!("{other}"),
    }
}

fn of_observe(error: ObserveError) -> Refusal {
    match error {
        ObserveError::Ahead { by } => {
            assert!(by > Duration::from_nanos(MAX_AHEAD));
            Refusal::Ahead
        }
        ObserveError::NodeCollision { id } => {
            assert_eq!(id.node(), NodeId::new(NODE));
            Refusal::NodeCollision
        }
        other => panic!("{other}"),
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Both generators do what the model does, step by step: the same stamps, the same refusals,
    /// and the same state after a refusal as before it.
    #[test]
    fn generators_follow_the_model(
        start in below(STAMPS),
        ops in prop::collection::vec(op(), 1..80),
    ) {
        let (clock, start) = (ManualClock::new(0), Stamp::from_u64(start).unwrap());
        let mut local = LocalGenerator::new(NodeId::new(NODE), &clock).with_last(start);
        let shared = Generator::on_clock(NodeId::new(NODE), &clock).with_last(start);
        let mut model = Model { last: start.as_u64(), now: 0, jumped: (0, 0) };
        for op in ops {
            match op {
                Op::Clock(now) => {
                    clock.set(now);
                    model.now = now;
                }
                Op::Next => if let Some(stamp) = model.candidate(1) {
                    model.take(stamp, 1);
                    prop_assert_eq!(local.next().stamp().as_u64(), stamp);
                    prop_assert_eq!(shared.next().stamp().as_u64(), stamp);
                },
                Op::TryNext => {
                    let expected = model.try_take(1);
                    prop_assert_eq!(&local.try_next().map(number).map_err(of_generate), &expected);
                    prop_assert_eq!(&shared.try_next().map(number).map_err(of_generate), &expected);
                }
                Op::Fill(len) => if let Some(first) = model.candidate(len as u64) {
                    model.take(first, len as u64);
                    let mut slots = vec![[Guid::ZERO; 2]; len].into_flattened();
                    let (ours, theirs) = slots.split_at_mut(len);
                    local.fill(ours);
                    shared.fill(theirs);
                    prop_assert!(is_run(ours, first) && is_run(theirs, first));
                },
                Op::TryFill(len) => {
                    let expected = model.try_take(len as u64);
                    let mut slots = vec![Guid::ZERO; len];
                    let filled = local.try_fill(&mut slots).map_err(of_generate);
                    prop_assert!(expected.as_ref().map_or(
                        slots.iter().all(|id| *id == Guid::ZERO),
                        |first| is_run(&slots, *first),
                    ));
                    prop_assert_eq!(&filled, &shared.try_fill(&mut slots).map_err(of_generate));
                    prop_assert_eq!(filled.is_ok(), expected.is_ok());
                }
                Op::TryBatch(len) => {
                    let expected = model.try_take(len as u64);
                    let ours = local.try_batch(len).map_err(of_generate);
                    let theirs = shared.try_batch(len).map_err(of_generate);
                    for batch in [ours, theirs] {
                        prop_assert!(batch.as_ref().map_or(true, |batch| batch.len() == len));
                        let first = batch.map(|mut batch| number(batch.next().unwrap()));
                        prop_assert_eq!(&first, &expected);
                    }
                }
                Op::Observe { node, ticks, seq } => {
                    let Some(id) = observed(model.now, node, ticks, seq) else { continue };
                    let expected = model.observe(node, id.stamp());
                    let id = id.to_guid();
                    prop_assert_eq!(&local.observe(id).map_err(of_observe), &expected);
                    prop_assert_eq!(&shared.observe(id).map_err(of_observe), &expected);
                }
            }
            prop_assert_eq!(local.last().as_u64(), model.last);
            prop_assert_eq!(shared.last().as_u64(), model.last);
            prop_assert_eq!(local.lead(), shared.lead());
        }
    }

    #[test]
    fn ids_strictly_increase_over_any_clock(readings in prop::collection::vec(reading(), 2..200)) {
        // The last tick has one sequence left for each reading: time does not end in this test.
        let readings: Vec<_> = readings.iter().map(|ns| ns.saturating_sub(TICK_NS)).collect();
        let at = Cell::new(0);
        let clock = || readings[at.replace(at.get() + 1)];
        let mut ids = LocalGenerator::new(NodeId::new(NODE), clock).with_drift(Drift::D0);
        let ids: Vec<_> = readings.iter().map(|_| ids.next()).collect();
        prop_assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(ids.windows(2).all(|pair| ByTime(pair[0]) < ByTime(pair[1])));
    }

    /// Accepted: everything made later is later. Refused: as if it had not come.
    #[test]
    fn an_observed_id_is_in_the_past(
        now in reading(),
        ticks in -500_000..500_000_i64,
        seq in seq(),
    ) {
        let Some(id) = observed(now, 1, ticks, seq) else { return Ok(()) };
        let clock = ManualClock::new(now.min(u64::MAX - 2 * MAX_AHEAD));
        let ids = Generator::on_clock(NodeId::new(NODE), &clock);
        let before = ids.next();
        let (id, state) = (id.to_guid(), ids.last());
        if ids.observe(id).is_ok() {
            clock.set(0);
            prop_assert!(ByTime(ids.next()) > ByTime(id).max(ByTime(before)));
        } else {
            prop_assert_eq!(ids.last(), state);
        }
    }
}

/// Every start of the sequence, 40,000 IDs in one tick: each wrap carries.
#[test]
fn one_tick_holds_any_number_of_ids() {
    let now = 1_719_822_159_109_554_176;
    for start in (0..SEQS).step_by(1_021).chain([SEQS - 2, SEQS - 1]) {
        let ids = Generator::on_clock(NodeId::new(NODE), || now)
            .with_last(Stamp::from_u64(start).unwrap());
        let mut last = ids.next();
        let first = last;
        for _ in 1..40_000 {
            let id = ids.next();
            assert_eq!(id.diff(last).stamps(), 1);
            last = id;
        }
        assert_eq!(last.diff(first).stamps(), 39_999);
        assert!(ids.lead() <= Duration::from_nanos(3 * TICK_NS));
    }
}

/// A twin from the far future is a twin first.
#[test]
fn a_collision_is_reported_before_a_lead() {
    let ids = Generator::on_clock(NodeId::new(NODE), || 0);
    let twin = Guid::new(Drift::D3, NodeId::new(NODE), Stamp::MAX);
    assert_eq!(ids.observe(twin), Err(ObserveError::NodeCollision { id: twin }));
    let stranger = Guid::new(Drift::D3, NodeId::new(1), Stamp::MAX);
    assert!(matches!(ids.observe(stranger), Err(ObserveError::Ahead { .. })));
    assert_eq!(ids.last(), Stamp::MIN);
}

#[test]
fn our_own_ids_come_back_without_harm() {
    let ids = Generator::on_clock(NodeId::new(NODE), || 1 << 60);
    let id = ids.next();
    assert_eq!(ids.observe(id), Ok(()));
    assert_eq!(ids.last(), id.stamp());
}

/// `max_ahead` itself is allowed, one tick more is not.
#[test]
fn the_bound_of_a_lead_is_inclusive() {
    let max_ahead = Duration::from_nanos(8 * TICK_NS);
    let mut ids = LocalGenerator::new(NodeId::new(NODE), || 0).with_max_ahead(max_ahead);
    let at_tick =
        |tick| Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(tick * TICK_NS));
    let by = Duration::from_nanos(9 * TICK_NS);
    assert_eq!(ids.observe(at_tick(9)), Err(ObserveError::Ahead { by }));
    assert_eq!(ids.observe(at_tick(8)), Ok(()));
    assert_eq!(ids.try_next().map(|id| id.tick().as_u64()), Ok(8));
    let mut ids = ids.with_last(Stamp::from_u64(9 * SEQS - 1).unwrap());
    assert_eq!(ids.try_next(), Err(GenerateError::Ahead { by }));
}

/// The policy "follow": nothing is too far ahead.
#[test]
fn an_unbounded_generator_follows_anything() {
    let ids = Generator::on_clock(NodeId::new(NODE), || 0).with_max_ahead(Duration::MAX);
    let far = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_u64(STAMPS - 3).unwrap());
    assert_eq!(ids.observe(far), Ok(()));
    assert_eq!(ids.try_next().map(Guid::stamp), Ok(Stamp::from_u64(STAMPS - 2).unwrap()));
    assert_eq!(ids.next().stamp(), Stamp::MAX);
    assert_eq!(ids.try_next(), Err(GenerateError::Exhausted));
    assert_eq!(ids.try_next(), Err(GenerateError::Exhausted));
    assert_eq!(ids.last(), Stamp::MAX);
}

#[test]
fn time_ends() {
    let clock = ManualClock::new(u64::MAX);
    let mut ids = LocalGenerator::new(NodeId::new(NODE), &clock)
        .with_last(Stamp::from_u64(STAMPS - 2).unwrap());
    assert_eq!(ids.try_next().map(Guid::stamp), Ok(Stamp::MAX));
    assert_eq!(ids.try_next(), Err(GenerateError::Exhausted));
    assert_eq!(ids.last(), Stamp::MAX);
}

#[test]
#[should_panic(expected = "time ends in 2554")]
fn next_panics_after_the_last_stamp() {
    Generator::on_clock(NodeId::new(NODE), || 0).with_last(Stamp::MAX).next();
}
