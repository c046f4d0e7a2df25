//! The protocol, over a mark whose stores fail or crash at any step, and any clock.

use core::time::Duration;
use std::{cell::RefCell, io, rc::Rc};

use guid_core::{
    Drift, DurableError, DurableGenerator, Guid, HighWater, HighWaterError, ManualClock, NodeId,
    Stamp,
};
use proptest::prelude::*;

const NODE: NodeId = NodeId::new(0x0200_0000);
const START: u64 = 1_719_822_159_109_605_709;
const SECOND: u64 = 1_000_000_000;
const MAX_AHEAD: u64 = 60 * SECOND;

/// What the next store does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Store {
    #[default]
    Works,
    /// It fails before anything is on the disk.
    FailsBefore,
    /// It fails after: the sync reports an error, though the bytes are there.
    FailsAfter,
}

#[derive(Debug, Default)]
struct Disk {
    bound: Option<Stamp>,
    /// What a store that returned has promised.
    promised: Option<Stamp>,
    store: Store,
    stores: u32,
}

/// A mark on a disk that outlives it.
#[derive(Clone, Debug, Default)]
struct Mark(Rc<RefCell<Disk>>);

impl HighWater for Mark {
    fn node(&self) -> NodeId {
        NODE
    }

    fn load(&mut self) -> Result<Option<Stamp>, HighWaterError> {
        Ok(self.0.borrow().bound)
    }

    fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError> {
        let mut disk = self.0.borrow_mut();
        assert!(disk.promised < Some(bound), "a bound only grows");
        disk.stores += 1;
        if disk.store != Store::FailsBefore {
            disk.bound = Some(bound);
        }
        if disk.store != Store::Works {
            return Err(full());
        }
        disk.promised = Some(bound);
        Ok(())
    }
}

fn full() -> HighWaterError {
    HighWaterError::io("storing the bound", &io::Error::from(io::ErrorKind::StorageFull))
}

fn generator<'a>(mark: &Mark, clock: &'a ManualClock) -> DurableGenerator<Mark, &'a ManualClock> {
    DurableGenerator::on_clock(mark.clone(), clock).expect("this mark always loads")
}

#[derive(Clone, Debug)]
enum Op {
    /// The clock moves by this many nanoseconds, either way.
    Clock(i64),
    Next,
    Fill(usize),
    /// Most of it is skipped.
    Batch(usize),
    /// An ID of a peer, this many nanoseconds from the clock.
    Observe(i64),
    Renew,
    /// What stores do from now on.
    Stores(Store),
    /// The process ends, by a crash or not, and another begins.
    Restart,
}

fn op() -> impl Strategy<Value = Op> {
    let second = SECOND.cast_signed();
    let store = prop_oneof![
        3 => Just(Store::Works),
        1 => Just(Store::FailsBefore),
        1 => Just(Store::FailsAfter),
    ];
    prop_oneof![
        3 => prop_oneof![0..second, 0..20 * second, -30 * second..second].prop_map(Op::Clock),
        4 => Just(Op::Next),
        1 => (1..50_usize).prop_map(Op::Fill),
        // Up to eight seconds of stamps.
        1 => (1..1_000_000_000_usize).prop_map(Op::Batch),
        1 => (-second..65 * second).prop_map(Op::Observe),
        1 => Just(Op::Renew),
        2 => store.prop_map(Op::Stores),
        2 => Just(Op::Restart),
    ]
}

/// Refused: no stamp moved, and for a reason that holds.
fn check_refusal(
    error: &DurableError,
    ids: &DurableGenerator<Mark, &ManualClock>,
    (last, disk): (Stamp, &Disk),
) {
    assert_eq!(ids.last(), last, "a refusal changes no stamp");
    match error {
        DurableError::HighWater(error) => {
            assert_eq!(error, &full());
            assert_ne!(disk.store, Store::Works);
        }
        DurableError::Ahead { by } => assert!(*by > Duration::from_nanos(MAX_AHEAD)),
        other => panic!("{other}"),
    }
}

/// Carries an operation out and returns the greatest stamp it issued or observed.
fn run(
    op: &Op,
    ids: &DurableGenerator<Mark, &ManualClock>,
    now: u64,
    floor: Stamp,
) -> Result<Option<Stamp>, DurableError> {
    let above = |id: Guid| assert!(id.stamp() > floor, "{id} repeats or goes back");
    match *op {
        Op::Next => ids.next().map(|id| {
            above(id);
            Some(id.stamp())
        }),
        Op::Fill(len) => {
            let mut slots = vec![Guid::ZERO; len];
            ids.fill(&mut slots).map(|()| {
                above(slots[0]);
                assert!(slots.is_sorted_by(|a, b| a < b));
                slots.last().map(|id| id.stamp())
            })
        }
        Op::Batch(len) => ids.batch(len).map(|mut batch| {
            batch.next().into_iter().for_each(above);
            Some(batch.last().map_or(ids.last(), Guid::stamp))
        }),
        Op::Observe(from_now) => {
            let stamp = Stamp::from_unix_nanos(now.saturating_add_signed(from_now));
            let id = Guid::new(Drift::D3, NodeId::new(1), stamp);
            ids.observe(id).map(|()| Some(stamp))
        }
        Op::Renew => ids.renew().map(|()| None),
        Op::Clock(_) | Op::Stores(_) | Op::Restart => Ok(None),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_048))]

    /// Over crashes at any step: what is made is later than all that was made or observed by
    /// whatever process before, and nothing beyond the bound on the disk was ever given out.
    #[test]
    fn ids_increase_over_restarts(ops in prop::collection::vec(op(), 1..120)) {
        let (mark, clock) = (Mark::default(), ManualClock::new(START));
        let mut ids = generator(&mark, &clock);
        let (mut now, mut floor) = (START, Stamp::MIN);
        for op in ops {
            match op {
                Op::Clock(by) => {
                    now = now.saturating_add_signed(by);
                    clock.set(now);
                }
                Op::Stores(store) => mark.0.borrow_mut().store = store,
                Op::Restart => ids = generator(&mark, &clock),
                _ => {}
            }
            let last = ids.last();
            match run(&op, &ids, now, floor) {
                Ok(reached) => floor = floor.max(reached.unwrap_or_default()),
                Err(error) => check_refusal(&error, &ids, (last, &mark.0.borrow())),
            }
            let disk = mark.0.borrow();
            prop_assert!(disk.bound.unwrap_or_default() >= floor, "issued beyond the disk");
            prop_assert!(ids.bound() <= disk.bound.unwrap_or_default());
            prop_assert!(ids.last() <= ids.bound());
        }
    }

    /// The bound never leads the clock by more than `max_ahead`, however far ahead peers are: a
    /// restart at once is not refused, but for one tick at the very limit.
    #[test]
    fn a_restart_is_not_refused_for_what_was_reserved(
        peers in prop::collection::vec(0..MAX_AHEAD, 1..50),
        max_ahead in 1..MAX_AHEAD,
    ) {
        let (mark, clock) = (Mark::default(), ManualClock::new(START));
        let max_ahead = Duration::from_nanos(max_ahead);
        for peer in peers {
            let ids = generator(&mark, &clock).with_max_ahead(max_ahead);
            let stamp = Stamp::from_unix_nanos(START + peer);
            ids.observe(Guid::new(Drift::D3, NodeId::new(1), stamp)).ok();
            let bound = mark.0.borrow().bound.unwrap_or_default();
            prop_assert!(bound.ahead_of(Stamp::from_unix_nanos(START)) <= max_ahead);
        }
        clock.advance(131_072);
        let ids = generator(&mark, &clock).with_max_ahead(max_ahead);
        prop_assert!(ids.next().is_ok(), "{:?}", ids.next());
    }
}

/// A hundred restarts while the clock stands still: each reserves a little more, none is refused.
#[test]
fn restarts_in_a_row_are_served() {
    let (mark, clock) = (Mark::default(), ManualClock::new(START));
    let mut last = Stamp::MIN;
    for _ in 0..100 {
        let id = generator(&mark, &clock).next().unwrap();
        assert!(id.stamp() > last);
        last = id.stamp();
    }
    assert!(last.ahead_of(Stamp::from_unix_nanos(START)) < Duration::from_secs(20 + 1));
}

/// An hour of a thousand IDs a second, and no restart: 360 stores and the first.
#[test]
fn one_store_serves_ten_seconds() {
    let (mark, clock) = (Mark::default(), ManualClock::new(START));
    let ids = generator(&mark, &clock);
    for _ in 0..3_600_000 {
        clock.advance(1_000_000);
        ids.next().unwrap();
    }
    let stores = mark.0.borrow().stores;
    assert!((355..=362).contains(&stores), "{stores}");
}

/// Renewed every four seconds, no call that makes an ID stores.
#[test]
fn renewing_keeps_stores_away_from_those_who_make_ids() {
    let (mark, clock) = (Mark::default(), ManualClock::new(START));
    let ids = generator(&mark, &clock);
    ids.renew().unwrap();
    for _ in 0..900 {
        let stores = mark.0.borrow().stores;
        ids.next().unwrap();
        clock.advance(4 * SECOND);
        assert_eq!(mark.0.borrow().stores, stores);
        ids.renew().unwrap();
    }
    assert!((450..=901).contains(&mark.0.borrow().stores), "{}", mark.0.borrow().stores);
}

/// A disk that is full fails the calls that need it, again and again, until it works.
#[test]
fn a_failing_store_is_tried_again() {
    let (mark, clock) = (Mark::default(), ManualClock::new(START));
    let ids = generator(&mark, &clock);
    let first = ids.next().unwrap();
    mark.0.borrow_mut().store = Store::FailsBefore;
    // What is reserved is still served.
    let second = ids.next().unwrap();
    assert!(first < second);
    clock.advance(11 * SECOND);
    for _ in 0..3 {
        assert_eq!(ids.next(), Err(DurableError::HighWater(full())));
        assert_eq!((ids.last(), mark.0.borrow().bound), (second.stamp(), Some(ids.bound())));
    }
    mark.0.borrow_mut().store = Store::Works;
    assert!(ids.next().unwrap() > second);
}

#[test]
fn the_clock_set_back_an_hour_before_a_restart() {
    let (mark, clock) = (Mark::default(), ManualClock::new(START));
    let before = generator(&mark, &clock).next().unwrap();
    clock.set(START - 3_600 * SECOND);
    let ids = generator(&mark, &clock);
    assert!(matches!(ids.next(), Err(DurableError::Ahead { .. })));
    let ids = generator(&mark, &clock).with_max_ahead(Duration::MAX);
    assert!(ids.next().unwrap() > before);
}

#[test]
fn time_ends_for_durable_generators_too() {
    let mark = Mark::default();
    mark.0.borrow_mut().bound = Stamp::from_u64(Stamp::MAX.as_u64() - 2).ok();
    let clock = ManualClock::new(u64::MAX);
    let ids = generator(&mark, &clock);
    assert_eq!(ids.batch(3).err(), Some(DurableError::Exhausted));
    assert_eq!(ids.batch(2).unwrap().last().map(Guid::stamp), Some(Stamp::MAX));
    assert_eq!(ids.next(), Err(DurableError::Exhausted));
    assert_eq!(generator(&mark, &clock).next(), Err(DurableError::Exhausted));
}

#[test]
fn a_twin_collides_and_stores_nothing() {
    let (mark, clock) = (Mark::default(), ManualClock::new(START));
    let ids = generator(&mark, &clock);
    let twin = Guid::new(Drift::D3, NODE, Stamp::from_unix_nanos(START + SECOND));
    assert_eq!(ids.observe(twin), Err(DurableError::NodeCollision { id: twin }));
    assert_eq!((ids.last(), mark.0.borrow().stores), (Stamp::MIN, 0));
}

/// Starts that crowd leave peers of the same `max_ahead` room: the lead grows to half of it, and
/// from there on by a tick a start.
#[test]
fn crowded_starts_do_not_use_up_what_peers_allow() {
    let (mark, clock) = (Mark::default(), ManualClock::new(1 << 60));
    let mut last = Stamp::MIN;
    for _ in 0..5_000 {
        let id = generator(&mark, &clock).next().expect("never refused");
        assert!(id.stamp() > last);
        last = id.stamp();
    }
    let lead = generator(&mark, &clock).lead();
    let half = Duration::from_nanos(MAX_AHEAD) / 2;
    assert!((half..half + Duration::from_secs(1)).contains(&lead), "{lead:?}");
}
