//! Two that do the same, in turn; and the table of all such pairs.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::Criterion;

/// Runs some turns and tells how long they took.
type Run = Box<dyn FnMut(u64) -> Duration>;

pub(crate) struct Duel {
    name: String,
    ours: Run,
    theirs: Run,
    /// How many times faster ours is to be, where that was promised.
    at_least: Option<f64>,
}

/// How long a round is to be, unless one turn alone takes longer.
const ROUND: Duration = Duration::from_millis(4);
const ROUNDS: usize = 25;
/// Rounds of what takes long by itself.
const LONG_ROUNDS: usize = 9;

impl Duel {
    pub(crate) fn new(name: impl Into<String>, ours: Run, theirs: Run) -> Self {
        Self { name: name.into(), ours, theirs, at_least: None }
    }

    pub(crate) fn at_least(self, ratio: f64) -> Self {
        Self { at_least: Some(ratio), ..self }
    }

    pub(crate) fn bench(&mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(&self.name);
        group.sample_size(10);
        group.bench_function("guid", |b| b.iter_custom(|n| (self.ours)(n)));
        group.bench_function("crdts", |b| b.iter_custom(|n| (self.theirs)(n)));
        group.finish();
    }

    /// Nanoseconds of the best turn of each.
    fn best(&mut self) -> (f64, f64) {
        let (ours, theirs) = (turns(&mut self.ours), turns(&mut self.theirs));
        let is_long = (self.theirs)(theirs) > ROUND * 8 || (self.ours)(ours) > ROUND * 8;
        let mut best = (f64::INFINITY, f64::INFINITY);
        for _ in 0..if is_long { LONG_ROUNDS } else { ROUNDS } {
            best.0 = best.0.min(nanos(&mut self.ours, ours));
            best.1 = best.1.min(nanos(&mut self.theirs, theirs));
        }
        best
    }
}

fn turns(run: &mut Run) -> u64 {
    let mut turns = 1;
    while run(turns) < ROUND / 2 {
        turns *= 2;
    }
    turns
}

#[expect(clippy::cast_precision_loss, reason = "turns are far below 2^53")]
fn nanos(run: &mut Run, turns: u64) -> f64 {
    run(turns).as_secs_f64() * 1e9 / turns as f64
}

#[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
fn now() -> Instant {
    Instant::now()
}

/// Something done again and again, all of it measured.
pub(crate) fn each<T>(mut turn: impl FnMut() -> T + 'static) -> Run {
    Box::new(move |turns| {
        let start = now();
        for _ in 0..turns {
            black_box(turn());
        }
        start.elapsed()
    })
}

/// Something done to what is made anew for every turn; neither making nor dropping is measured.
pub(crate) fn with<S, T>(
    mut make: impl FnMut() -> S + 'static,
    mut turn: impl FnMut(S) -> T + 'static,
) -> Run {
    /// So many are made ahead, so that a short turn is not lost in reading the clock.
    const AHEAD: u64 = 64;
    Box::new(move |turns| {
        let mut spent = Duration::ZERO;
        let mut left = turns;
        while left > 0 {
            let count = left.min(AHEAD);
            let made: Vec<S> = (0..count).map(|_| make()).collect();
            let mut done = Vec::with_capacity(made.len());
            let start = now();
            for state in made {
                done.push(black_box(turn(state)));
            }
            spent += start.elapsed();
            left -= count;
        }
        spent
    })
}

/// The best of many rounds in turn, not the median: what disturbs a round only ever adds.
pub(crate) fn print(duels: &mut [Duel]) {
    println!("{:<46} {:>12} {:>12} {:>9}  to reach", "best, in ns", "guid", "crdts", "ratio");
    for duel in duels {
        let (ours, theirs) = duel.best();
        let ratio = theirs / ours;
        let verdict = match duel.at_least {
            None => String::new(),
            Some(least) if ratio >= least => format!("{least}: reached"),
            Some(least) => format!("{least}: MISSED"),
        };
        println!("{:<46} {ours:>12.1} {theirs:>12.1} {ratio:>9.1}  {verdict}", duel.name);
    }
}
