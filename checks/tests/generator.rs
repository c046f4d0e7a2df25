//! The shared generator under chosen interleavings: every thread sees its IDs rise, no stamp comes
//! twice, and what is observed is never ours unless it is.
//!
//! # The idea
//!
//! The scheduler of the model may switch threads at each atomic step, so a thread can stall
//! anywhere for as long as it likes. Small scenarios are run through *every* schedule (depth first)
//! where that ends, larger ones through many drawn with a seed, by priorities: that finds bugs that
//! need few switches with a known probability.
//!
//! # References
//!
//! Burckhardt, Kothari, Musuvathi, Nagarakatti, "A Randomized Scheduler with Probabilistic
//! Guarantees of Finding Bugs", ASPLOS 2010.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use guid_core_model::{Drift, Generator, Guid, LocalGenerator, NodeId, ObserveError, Stamp};
use shuttle::{
    check_dfs, check_pct,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

const NODE: NodeId = NodeId::new(7);
const PEER: NodeId = NodeId::new(8);
const TICK: u64 = 1 << 17;
/// Schedules drawn for each scenario, and how many forced switches they have.
const DRAWN: usize = 20_000;
const SWITCHES: usize = 4;

/// Runs a function on threads and returns what each gave.
fn on_threads<T: Send + 'static>(
    count: usize,
    work: impl Fn(usize) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let work = Arc::new(work);
    let mut threads = Vec::with_capacity(count);
    for i in 0..count {
        let work = Arc::clone(&work);
        threads.push(thread::spawn(move || work(i)));
    }
    threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
}

fn assert_strict(lists: &[Vec<Stamp>]) {
    for list in lists {
        assert!(list.is_sorted_by(|a, b| a < b), "a thread sees its own rise");
    }
    let mut all = lists.concat();
    let made = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), made, "a stamp came twice");
}

/// A clock that each thread reads differently: one is a tick behind.
fn makes_strictly(threads: usize, each: usize) {
    let clock = AtomicU64::new(0);
    let ids = Arc::new(Generator::on_clock(NODE, move || {
        (10 + clock.fetch_add(1, Ordering::SeqCst) % 2) * TICK
    }));
    let lists = on_threads(threads, move |_| (0..each).map(|_| ids.next().stamp()).collect());
    assert_strict(&lists);
}

#[test]
fn every_schedule_of_two_threads_is_strict() {
    check_dfs(|| makes_strictly(2, 2), None);
}

#[test]
fn drawn_schedules_of_three_threads_are_strict() {
    check_pct(|| makes_strictly(3, 3), DRAWN, SWITCHES);
}

/// Runs of stamps do not overlap, with one another or with single IDs.
fn runs_are_apart() {
    let ids = Arc::new(Generator::on_clock(NODE, || 10 * TICK));
    let lists = on_threads(3, move |i| match i {
        0 => ids.batch(3).map(Guid::stamp).collect(),
        1 => {
            let mut slots = [Guid::ZERO; 2];
            ids.try_fill(&mut slots).expect("not ahead");
            slots.map(Guid::stamp).to_vec()
        }
        _ => vec![ids.next().stamp(), ids.next().stamp()],
    });
    assert_strict(&lists);
}

#[test]
fn drawn_schedules_keep_runs_apart() {
    check_pct(runs_are_apart, DRAWN, SWITCHES);
}

fn peer(tick: u64) -> Guid {
    Guid::new(Drift::D3, PEER, Stamp::from_unix_nanos(tick * TICK))
}

/// Threads observe, and make IDs that come back to them: later than the observed, and never taken
/// for a twin's, though the gap is read in two steps while others move it.
fn echoes_are_no_collisions(threads: u64) {
    let ids = Arc::new(Generator::on_clock(NODE, || 10 * TICK));
    let count = usize::try_from(threads).expect("a few");
    on_threads(count, move |i| {
        let foreign = peer(20 + 10 * i as u64);
        let before = ids.next();
        ids.observe(foreign).expect("near enough");
        let after = ids.next();
        assert!(after.stamp() > foreign.stamp().max(before.stamp()));
        assert_eq!(ids.observe(before), Ok(()), "our own");
        assert_eq!(ids.observe(after), Ok(()), "our own");
    });
}

#[test]
fn drawn_schedules_take_no_echo_for_a_twin() {
    check_pct(|| echoes_are_no_collisions(2), DRAWN, SWITCHES);
    check_pct(|| echoes_are_no_collisions(3), DRAWN, SWITCHES);
}

/// One jumps, one makes an ID and looks at its echo: every schedule of that.
#[test]
fn every_schedule_of_a_jump_and_an_echo() {
    check_dfs(
        || {
            let ids = Arc::new(Generator::on_clock(NODE, || 10 * TICK));
            on_threads(2, move |i| {
                if i == 0 {
                    ids.observe(peer(20)).expect("near enough");
                    ids.observe(peer(30)).expect("near enough");
                } else {
                    let own = ids.next();
                    assert_eq!(ids.observe(own), Ok(()), "our own");
                }
            });
        },
        None,
    );
}

/// When all is quiet, the gap is what one thread alone would have: a twin in it is seen.
#[test]
fn drawn_schedules_end_with_a_gap_that_catches_twins() {
    let caught = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&caught);
    check_pct(
        move || {
            let ids = Arc::new(Generator::on_clock(NODE, || 10 * TICK));
            let shared = Arc::clone(&ids);
            on_threads(2, move |i| shared.observe(peer(20 + 10 * i as u64)));
            let twin = Guid::new(Drift::D3, NODE, Stamp::from_unix_nanos(30 * TICK));
            let collision = Err(ObserveError::NodeCollision { id: twin });
            assert_eq!(ids.observe(twin), collision, "just below the last jump's end");
            seen.fetch_add(1, Relaxed);
        },
        DRAWN,
        SWITCHES,
    );
    assert_eq!(caught.load(Relaxed), DRAWN);
}

/// The rule with its step torn in two: load, then store.
struct Torn {
    last: AtomicU64,
}

impl Torn {
    fn next(&self) -> Stamp {
        let last = self.last.load(Ordering::SeqCst);
        let last = Stamp::from_u64(last).expect("a stamp");
        let stamp = LocalGenerator::new(NODE, || 10 * TICK).with_last(last).next().stamp();
        self.last.store(stamp.as_u64(), Ordering::SeqCst);
        stamp
    }
}

/// The control: the same check, by the same search, finds the planted race.
#[test]
#[should_panic(expected = "a stamp came twice")]
fn every_schedule_finds_a_torn_step() {
    check_dfs(
        || {
            let ids = Arc::new(Torn { last: AtomicU64::new(0) });
            assert_strict(&on_threads(2, move |_| vec![ids.next(), ids.next()]));
        },
        None,
    );
}
