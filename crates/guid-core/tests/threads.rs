//! Threads on one generator, with stalls where they hurt: between the clock read and the update.
//!
//! The Go library reads the clock and the sequence as two separate steps. A thread that stalls
//! between them uses an old tick with a new sequence, and when the 14 bits of the sequence went
//! round meanwhile, an ID comes twice. Measured there: about one in a million with two threads.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeSet,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use guid_core::{Clock, Drift, Generator, Guid, NodeId};

const NODE: NodeId = NodeId::new(7);
const THREADS: usize = 8;
/// Eighty million IDs in release (640 MB of stamps), fewer where the compiler does not optimize.
const IDS_OF_A_THREAD: usize = if cfg!(debug_assertions) { 200_000 } else { 10_000_000 };
/// 2024-07-01T08:22:39Z.
const START: u64 = 1_719_822_159_109_605_709;

/// A clock whose readings are old when they are used: after reading, it yields or spins, on a
/// pattern that depends on nothing but the count of readings.
fn stalling_clock() -> impl Fn() -> u64 {
    let readings = AtomicU64::new(0);
    move || {
        let count = readings.fetch_add(1, Ordering::Relaxed);
        // 7 ns a reading: 18,724 readings a tick, more than it has sequences.
        let now = START + 7 * count;
        if count.is_multiple_of(1_021) {
            thread::yield_now();
        }
        if count.is_multiple_of(65_521) {
            // About a million steps: long enough for others to use up the sequences of a tick.
            (0..1_000_000).for_each(|i| {
                std::hint::black_box(i);
            });
        }
        now
    }
}

/// What each thread made, in its order.
fn made_by_threads(maker: &(impl Maker + Sync), count: usize) -> Vec<Vec<u64>> {
    let mut stamps: Vec<_> = (0..THREADS).map(|_| Vec::with_capacity(count)).collect();
    thread::scope(|threads| {
        for list in &mut stamps {
            threads.spawn(move || list.extend((0..count).map(|_| maker.make())));
        }
    });
    stamps
}

#[test]
fn stalled_threads_make_no_duplicate_and_no_inversion() {
    let ids = Generator::on_clock(NODE, stalling_clock());
    let stamps = made_by_threads(&ids, IDS_OF_A_THREAD);
    for stamps in &stamps {
        assert_eq!(stamps.len(), IDS_OF_A_THREAD);
        assert!(stamps.is_sorted_by(|a, b| a < b), "a thread sees its own IDs rise");
    }
    assert_distinct(&stamps);
    assert_eq!(stamps.iter().filter_map(|stamps| stamps.last()).max(), Some(&ids.last().as_u64()));
}

/// Walks sorted lists from the smallest stamp to the greatest, without a list of all of them: no
/// stamp comes twice.
fn assert_distinct(sorted: &[Vec<u64>]) {
    let mut rest: Vec<&[u64]> = sorted.iter().map(Vec::as_slice).collect();
    let mut last = None;
    while let Some(list) = rest.iter_mut().filter(|list| !list.is_empty()).min_by_key(|l| l[0]) {
        assert!(last < Some(list[0]), "stamp {} came twice", list[0]);
        last = Some(list[0]);
        *list = &list[1..];
    }
}

/// A maker of stamps over a clock.
trait Maker {
    fn make(&self) -> u64;
}

impl<C: Clock> Maker for Generator<C> {
    fn make(&self) -> u64 {
        self.next().stamp().as_u64()
    }
}

/// The Go library's rule: read the clock, then take the next of a free-running sequence.
struct TwoSteps<C> {
    clock: C,
    sequence: AtomicU64,
}

impl<C: Clock> Maker for TwoSteps<C> {
    fn make(&self) -> u64 {
        let tick = self.clock.unix_nanos() >> 17;
        tick << 14 | self.sequence.fetch_add(1, Ordering::Relaxed) & 0x3fff
    }
}

type StallingClock = Box<dyn Fn() -> u64>;

/// One maker stalls between its clock read and its update while others make 16,384 IDs, all in the
/// tick it read. The same interleaving every time: the "others" run inside the clock of the first.
fn stalled_race<M: Maker + 'static>(maker: impl FnOnce(StallingClock) -> M) -> Vec<u64> {
    let shared: Rc<OnceCell<M>> = Rc::default();
    let others: Rc<RefCell<Vec<u64>>> = Rc::default();
    let stall = Rc::new(Cell::new(true));
    let clock = {
        let (shared, others) = (Rc::downgrade(&shared), Rc::clone(&others));
        move || {
            let now = START;
            if stall.take() {
                let shared = shared.upgrade().expect("it lives as long as the race");
                let maker = shared.get().expect("set before the first ID");
                let made = (0..16_384).map(|_| maker.make()).collect();
                others.replace(made);
            }
            now
        }
    };
    let maker = shared.get_or_init(|| maker(Box::new(clock)));
    let stalled = maker.make();
    let mut stamps = others.take();
    stamps.push(stalled);
    stamps
}

#[test]
fn a_stall_repeats_an_id_where_clock_and_sequence_are_read_apart() {
    let stamps = stalled_race(|clock| TwoSteps { clock, sequence: AtomicU64::new(1) });
    let distinct: BTreeSet<_> = stamps.iter().collect();
    assert_eq!((stamps.len(), distinct.len()), (16_385, 16_384));
    assert_eq!(stamps.first(), stamps.last());
}

#[test]
fn a_stall_costs_nothing_where_the_stamp_is_one_word() {
    let stamps = stalled_race(|clock| Generator::on_clock(NODE, clock));
    assert_eq!(stamps.len(), 16_385);
    assert!(stamps.is_sorted_by(|a, b| a < b));
}

/// Threads that make and threads that observe: what a thread makes after it observed is later.
#[test]
fn observing_threads_make_later_ids() {
    let ids = Generator::on_clock(NODE, stalling_clock());
    let foreign = Generator::on_clock(NodeId::new(8), || START + 1_000_000_000);
    let follow = || {
        for _ in 0..20_000 {
            let seen: Guid = foreign.next();
            ids.observe(seen).expect("a second ahead is allowed");
            assert!(ids.next().stamp() > seen.stamp());
        }
    };
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(follow);
        }
    });
    assert!(ids.last() > foreign.last());
    assert_eq!(ids.next().drift(), Drift::default());
}
