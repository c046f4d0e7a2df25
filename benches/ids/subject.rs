//! Subjects: something that can be done n times, and how long that took.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::Criterion;

/// One line of a table.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn FnMut(u64) -> Duration>,
}

/// One table: its subjects are compared with the first.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) subjects: Vec<Subject>,
}

/// What is to be reached: a subject takes at most so many times as long as another, or as a
/// nanosecond.
pub(crate) struct Target {
    pub(crate) subject: &'static str,
    pub(crate) rival: Option<&'static str>,
    pub(crate) at_most: f64,
}

#[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

impl Subject {
    /// Something done once a turn.
    pub(crate) fn new<T>(name: &'static str, mut each: impl FnMut() -> T + 'static) -> Self {
        Self::whole(name, move |n| {
            let start = now();
            for _ in 0..n {
                black_box(each());
            }
            start.elapsed()
        })
    }

    /// Something done to a thousand items at once: a turn is an item.
    pub(crate) fn bulk(name: &'static str, items: u64, mut all: impl FnMut() + 'static) -> Self {
        Self::whole(name, move |n| {
            let turns = n.div_ceil(items);
            let start = now();
            for _ in 0..turns {
                all();
            }
            let whole = start.elapsed().as_nanos() * u128::from(n) / u128::from(turns * items);
            Duration::from_nanos(u64::try_from(whole).expect("less than centuries"))
        })
    }

    /// Something that measures itself.
    pub(crate) fn whole(name: &'static str, run: impl FnMut(u64) -> Duration + 'static) -> Self {
        Self { name, run: Box::new(run) }
    }
}

impl Group {
    pub(crate) fn bench(&mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        for subject in &mut self.subjects {
            group.bench_function(subject.name, |b| b.iter_custom(|n| (subject.run)(n)));
        }
        group.finish();
    }
}
