//! The durable generator under chosen interleavings, over crashes and failing stores.
//!
//! Its lock and its atomics are the model's; the mark is a disk in memory.

use std::{
    sync::{Arc, Mutex as StdMutex},
    time::Duration,
};

use guid_core_model::{DurableError, DurableGenerator, HighWater, HighWaterError, NodeId, Stamp};
use shuttle::{
    check_dfs, check_pct,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

const NODE: NodeId = NodeId::new(7);
const SECOND: u64 = 1_000_000_000;
const DRAWN: usize = 20_000;
const SWITCHES: usize = 4;

/// A disk; the stores whose number is in `failing` fail, half of them after they wrote.
#[derive(Clone, Debug, Default)]
struct Disk {
    bound: Arc<StdMutex<Option<Stamp>>>,
    stores: Arc<StdMutex<u32>>,
    failing: Vec<u32>,
}

impl Disk {
    fn bound(&self) -> Stamp {
        self.bound.lock().expect("one thread at a time").unwrap_or_default()
    }
}

impl HighWater for Disk {
    fn node(&self) -> NodeId {
        NODE
    }

    fn load(&mut self) -> Result<Option<Stamp>, HighWaterError> {
        Ok(Some(self.bound()))
    }

    fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError> {
        let number = {
            let mut stores = self.stores.lock().expect("one thread at a time");
            *stores += 1;
            *stores
        };
        let fails = self.failing.contains(&number);
        // A disk is slow: others run while it writes, before and after the bytes are there.
        thread::yield_now();
        if !fails || number.is_multiple_of(2) {
            *self.bound.lock().expect("one thread at a time") = Some(bound);
        }
        thread::yield_now();
        if fails { Err(HighWaterError::Corrupt { why: "planted" }) } else { Ok(()) }
    }
}

/// What one process makes on its threads, its clock moving on by eleven seconds at each reading:
/// a call alone needs a new bound, and reads twice. After some four calls the second process, whose
/// clock starts where the first one's did, is behind by more than the usual `max_ahead`.
fn process(disk: &Disk, start: u64, threads: usize) -> Vec<Stamp> {
    let readings = AtomicU64::new(0);
    let clock = move || start + readings.fetch_add(1, Ordering::SeqCst) * 11 * SECOND;
    let ids = DurableGenerator::on_clock(disk.clone(), clock).expect("it loads");
    let ids = Arc::new(ids.with_max_ahead(Duration::from_secs(600)));
    let mut started = Vec::with_capacity(threads);
    for _ in 0..threads {
        let (ids, disk) = (Arc::clone(&ids), disk.clone());
        started.push(thread::spawn(move || make(&ids, &disk)));
    }
    started.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
}

fn make<C: guid_core_model::Clock>(ids: &DurableGenerator<Disk, C>, disk: &Disk) -> Vec<Stamp> {
    let mut made = Vec::new();
    for _ in 0..2 {
        match ids.next() {
            Ok(id) => {
                assert!(disk.bound() >= id.stamp(), "given out beyond the disk");
                assert!(made.last() < Some(&id.stamp()), "a thread sees its own rise");
                made.push(id.stamp());
            }
            Err(DurableError::HighWater(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
    made
}

fn assert_apart(mut stamps: Vec<Stamp>, above: Stamp) -> Stamp {
    let made = stamps.len();
    stamps.sort_unstable();
    stamps.dedup();
    assert_eq!(stamps.len(), made, "a stamp came twice");
    assert!(stamps.first().is_none_or(|first| *first > above), "below an earlier process");
    stamps.last().copied().unwrap_or(above)
}

/// Two processes, one after the other, the second with its clock back at the first's start.
fn two_processes(threads: usize, failing: &[u32]) {
    let disk = Disk { failing: failing.to_vec(), ..Disk::default() };
    let first = process(&disk, 1 << 60, threads);
    let second = process(&disk, 1 << 60, threads);
    if failing.is_empty() {
        assert_eq!((first.len(), second.len()), (2 * threads, 2 * threads), "none refused");
    }
    let last = assert_apart(first, Stamp::MIN);
    assert_apart(second, last);
}

#[test]
fn depth_first_schedules_of_two_threads_stay_below_the_disk() {
    check_dfs(
        || {
            let disk = Disk::default();
            assert_apart(process(&disk, 1 << 60, 2), Stamp::MIN);
        },
        // Not all there are: that takes hours.
        Some(200_000),
    );
}

#[test]
fn drawn_schedules_over_a_restart_repeat_nothing() {
    check_pct(|| two_processes(2, &[]), DRAWN, SWITCHES);
}

#[test]
fn drawn_schedules_with_failing_stores_repeat_nothing() {
    for failing in [&[1][..], &[2], &[1, 2, 3], &[2, 4]] {
        check_pct(move || two_processes(2, failing), DRAWN / 4, SWITCHES);
    }
}

/// The protocol with the store and the bound the wrong way round.
struct Hasty {
    bound: AtomicU64,
    disk: StdMutex<Disk>,
    last: AtomicU64,
}

impl Hasty {
    fn next(&self) -> Stamp {
        let stamp = self.last.fetch_add(1, Ordering::SeqCst) + 1;
        if stamp > self.bound.load(Ordering::SeqCst) {
            self.bound.store(stamp + 10, Ordering::SeqCst);
            let mut disk = self.disk.lock().expect("the model runs one at a time").clone();
            disk.store(Stamp::from_u64(stamp + 10).expect("a stamp")).expect("it works");
        }
        Stamp::from_u64(stamp).expect("a stamp")
    }
}

/// The control: a thread that relies on a bound not yet stored is found out.
#[test]
#[should_panic(expected = "given out beyond the disk")]
fn every_schedule_finds_a_bound_that_is_used_before_it_is_stored() {
    check_dfs(
        || {
            let disk = Disk::default();
            let (bound, last) = (AtomicU64::new(0), AtomicU64::new(0));
            let ids = Arc::new(Hasty { bound, disk: StdMutex::new(disk.clone()), last });
            let mut started = Vec::with_capacity(2);
            for _ in 0..2 {
                let (ids, disk) = (Arc::clone(&ids), disk.clone());
                started.push(thread::spawn(move || {
                    let stamp = ids.next();
                    assert!(disk.bound() >= stamp, "given out beyond the disk");
                }));
            }
            for thread in started {
                thread.join().expect("no panic");
            }
        },
        None,
    );
}
