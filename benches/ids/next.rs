//! Making IDs, on one thread and on two.

use std::{
    hint::black_box,
    sync::{Arc, Barrier},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use guid_core::{CoarseClock, Generator, Guid, LocalGenerator, NodeId, SystemClock};
use rand::{TryRng, rngs::SysRng};
use rustix::time::{ClockId, clock_gettime};

use crate::subject::{Group, Subject, now};

#[expect(clippy::disallowed_methods, reason = "the floor that generators are measured against")]
fn wall() -> SystemTime {
    SystemTime::now()
}

pub(crate) const FLOOR: &str = "SystemTime::now";
pub(crate) const OWNED: &str = "guid, one owner";
pub(crate) const SHARED: &str = "guid, shared";

pub(crate) fn one_thread() -> Group {
    let node = NodeId::new(7);
    let mut owned = LocalGenerator::new(node, SystemClock::new());
    let mut by_std = LocalGenerator::new(node, nanos_by_std);
    let shared = Generator::new(node);
    let mut ulid = ulid::Generator::new();
    let uhlc = uhlc::HLC::default();
    let subjects = vec![
        Subject::new(FLOOR, wall),
        Subject::new(OWNED, move || owned.next()),
        Subject::new(SHARED, move || shared.next()),
        Subject::new("guid, one owner, without fast-clock", move || by_std.next()),
        Subject::new("uuid v7, random from the system", uuid_v7_by_the_system),
        Subject::new("uuid v7, fast-rng", uuid::Uuid::now_v7),
        Subject::new("ulid, monotonic", move || ulid.generate().expect("80 bits of room")),
        Subject::new("uhlc", move || uhlc.new_timestamp()),
        Subject::new("ferroid, thread-local ULID", || {
            ferroid::generator::thread_local::Ulid::new_ulid_mono(|_| thread::yield_now())
        }),
        Subject::new("scru128", scru128::new),
    ];
    Group { name: "next", subjects }
}

/// What `SystemClock` does without the feature `fast-clock`.
fn nanos_by_std() -> u64 {
    let since = wall().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs().saturating_mul(1_000_000_000).saturating_add(since.subsec_nanos().into())
}

pub(crate) const COARSE_FLOOR: &str = "clock_gettime, coarse";
pub(crate) const COARSE: &str = "guid, one owner, coarse clock";

pub(crate) fn coarse() -> Group {
    let mut owned = LocalGenerator::new(NodeId::new(7), CoarseClock::new());
    let subjects = vec![
        Subject::new(COARSE_FLOOR, || clock_gettime(ClockId::RealtimeCoarse)),
        Subject::new(COARSE, move || owned.next()),
    ];
    Group { name: "coarse", subjects }
}

pub(crate) const FILL: &str = "guid, fill(1024)";

/// Time an ID.
pub(crate) fn fill() -> Group {
    let mut ids = LocalGenerator::new(NodeId::new(7), SystemClock::new());
    let shared = Generator::new(NodeId::new(7));
    let (mut slots, mut others) = (vec![Guid::ZERO; 1_024], vec![Guid::ZERO; 1_024]);
    let subjects = vec![
        Subject::bulk(FILL, 1_024, move || {
            ids.fill(&mut slots);
            black_box(&slots);
        }),
        Subject::bulk("guid, shared, fill(1024)", 1_024, move || {
            shared.fill(&mut others);
            black_box(&others);
        }),
    ];
    Group { name: "fill", subjects }
}

/// What `Uuid::now_v7` does without `fast-rng`: time, and ten bytes from the operating system.
fn uuid_v7_by_the_system() -> uuid::Uuid {
    let mut random = [0; 10];
    SysRng.try_fill_bytes(&mut random).expect("randomness");
    let since = wall().duration_since(UNIX_EPOCH).expect("after 1970");
    let millis = u64::try_from(since.as_millis()).expect("before the end of time");
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

pub(crate) const ALONE: &str = "guid, own generator, one thread";
pub(crate) const TOGETHER: &str = "guid, own generators, two threads";

/// Time an ID and thread: linear scaling is a ratio of 1.
pub(crate) fn two_threads() -> Group {
    fn own() -> impl FnMut() -> Guid {
        let mut ids = LocalGenerator::new(NodeId::new(7), SystemClock::new());
        move || ids.next()
    }
    let shared: &'static Generator<SystemClock> =
        Box::leak(Box::new(Generator::new(NodeId::new(7))));
    let subjects = vec![
        Subject::whole(ALONE, |n| on_threads(1, n, own)),
        Subject::whole(TOGETHER, |n| on_threads(2, n, own)),
        Subject::whole("guid, shared, two threads", |n| on_threads(2, n, || || shared.next())),
        Subject::whole("uuid v7 fast-rng, two threads", |n| {
            on_threads(2, n, || uuid::Uuid::now_v7)
        }),
        Subject::whole("scru128, two threads", |n| on_threads(2, n, || scru128::new)),
    ];
    Group { name: "threads", subjects }
}

/// Makes n IDs on each of so many threads at once; the time of the slowest.
fn on_threads<T, F: FnMut() -> T>(
    threads: usize,
    n: u64,
    maker: impl Fn() -> F + Send + Copy + 'static,
) -> Duration {
    let start = Arc::new(Barrier::new(threads));
    let run = |_| {
        let start = Arc::clone(&start);
        thread::spawn(move || {
            let mut make = maker();
            start.wait();
            let from = now();
            for _ in 0..n {
                black_box(make());
            }
            from.elapsed()
        })
    };
    let handles: Vec<_> = (0..threads).map(run).collect();
    let times = handles.into_iter().map(|handle| handle.join().expect("no panic"));
    times.max().unwrap_or_default()
}
