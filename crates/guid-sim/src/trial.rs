//! [`test()`]: code of your own in many worlds, from an ordinary `#[test]`.
//!
//! A test names the worlds (a function of the seed, or a [`Scenario`]), the seeds, and the code of
//! the nodes, or takes the workload of the scenario ([`Test::run_scenario`]). The seeds run on all
//! processors; a seed decides everything that happens in its world, so which thread it ran on does
//! not matter. If a seed fails, the test panics with what failed, the first two events that show
//! it, the least list of events that fails the same way, a smaller world that does, and what to
//! type to run that seed alone.
//!
//! If none fails, the first seed is run twice more, to see that it decides everything indeed.
//!
//! Of the environment it reads `GUID_SIM_SEED`, which runs one seed, `GUID_SIM_LESS`, what is taken
//! away from the worlds, and names of files to write: `GUID_SIM_TRACE`, the trace of that one run,
//! and `GUID_SIM_REPRO`, the least list of events.

mod failure;
mod less;
mod explain;

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{BufWriter, Write},
    num::NonZero,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use crate::{
    NodeIndex, Plan, Process, Report, RunError, Scenario, Verdict, WorldConfig,
    explain::explain as explain_paths,
    scenario::{Expectation, judge_all},
    simulate, workload,
};

use self::{explain::Fails, less::Less};

pub use self::failure::TestFailure;

/// Where a test happens: the world of each seed.
///
/// A function from seeds to configurations is one, and so is a scenario, with its clocks, network,
/// faults and expectations; its workload only where [`Test::run_scenario`] runs it.
pub trait Worlds: Sync {
    /// The world of a seed.
    fn world(&self, seed: u64) -> WorldConfig;

    /// What must come out, beside what is checked anyway.
    fn expectations(&self) -> &[Expectation] {
        &[]
    }
}

impl<F: Fn(u64) -> WorldConfig + Sync> Worlds for F {
    fn world(&self, seed: u64) -> WorldConfig {
        self(seed)
    }
}

impl Worlds for Scenario {
    fn world(&self, seed: u64) -> WorldConfig {
        self.config(seed, None)
    }

    fn expectations(&self) -> &[Expectation] {
        self.own_expectations()
    }
}

/// A test over many seeds. Made by [`test()`].
#[derive(Clone, Debug)]
#[must_use = "nothing is run before `run`"]
pub struct Test<W> {
    worlds: W,
    seeds: Range<u64>,
    threads: usize,
    expectations: Vec<Expectation>,
}

/// What the seeds of a test came to, all of them as they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// How many seeds were run.
    pub seeds: u64,
    /// How many events happened in all of them.
    pub events: u64,
}

/// Returns a test of code of your own in these worlds: a hundred seeds, unless told otherwise.
///
/// # Examples
///
/// ```
/// use guid_sim::{Ctx, NodeIndex, Process, WorldConfig};
///
/// /// Counts the messages of a ball that goes to and fro.
/// #[derive(Default)]
/// struct Player(u32);
///
/// impl Process for Player {
///     type Message = ();
///
///     fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
///         if ctx.id() == NodeIndex::new(0) {
///             ctx.send(NodeIndex::new(1), ());
///         }
///     }
///
///     fn on_message(&mut self, ctx: &mut Ctx<'_, ()>, from: NodeIndex, (): ()) {
///         self.0 += 1;
///         ctx.claim("the ball crosses ten times at most", self.0 <= 5);
///         if self.0 < 5 {
///             ctx.send(from, ());
///         }
///     }
/// }
///
/// let passed = guid_sim::test(|seed| WorldConfig::new(2, seed))
///     .seeds(0..20)
///     .run(|_| Player::default());
/// assert_eq!(passed.seeds, 20);
/// ```
pub fn test<W: Worlds>(worlds: W) -> Test<W> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    Test { worlds, seeds: 0..100, threads, expectations: Vec::new() }
}

impl<W: Worlds> Test<W> {
    /// Sets which seeds are run.
    pub fn seeds(self, seeds: Range<u64>) -> Self {
        Self { seeds, ..self }
    }

    /// Sets how many threads run them; as many as there are processors, unless told otherwise. The
    /// result is the same.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Adds an expectation, in the words of a scenario file: `("k-radius@hlc", "<= 5")`.
    ///
    /// # Panics
    ///
    /// If the words have another form.
    #[track_caller]
    pub fn expect(mut self, key: &str, text: &str) -> Self {
        match Expectation::new(key, text) {
            Ok(expectation) => self.expectations.push(expectation),
            Err(why) => panic!("{key}: {why}"),
        }
        self
    }

    /// Runs all seeds. `make` is called for each node at its start and at each restart.
    ///
    /// # Panics
    ///
    /// If a seed fails: some claim does not hold or could not be told, or the code panicked. The
    /// message says what to type to run that seed alone.
    #[track_caller]
    pub fn run<P: Process>(&self, make: impl Fn(NodeIndex) -> P + Sync) -> Passed {
        passed(self.try_run(make))
    }

    /// The same, for who wants to look at the failure.
    ///
    /// # Errors
    ///
    /// The failure of the first seed that fails.
    pub fn try_run<P: Process>(
        &self,
        make: impl Fn(NodeIndex) -> P + Sync,
    ) -> Result<Passed, Box<TestFailure>> {
        self.try_code(&|world| simulate(world, &make))
    }

    fn try_code(&self, code: &impl Code) -> Result<Passed, Box<TestFailure>> {
        let only = from_env("GUID_SIM_SEED", |text| {
            text.parse::<u64>().map_err(|_| format!("{text:?}, expected a whole number"))
        })?;
        let less = from_env("GUID_SIM_LESS", str::parse::<Less>)?.unwrap_or_default();
        let Some(seed) = only else { return self.all(&less, code) };
        let outcome = self.one(seed, &less, env::var_os("GUID_SIM_TRACE"), code);
        match outcome {
            Ok(report) if report.verdict == Verdict::Holds => {
                self.repeats(seed, &less, code)?;
                Ok(Passed { seeds: 1, events: report.events })
            }
            outcome => {
                let failure = TestFailure::new(seed, seed..seed + 1, 1, outcome);
                Err(self.explained(failure, &less, code))
            }
        }
    }

    fn all(&self, less: &Less, code: &impl Code) -> Result<Passed, Box<TestFailure>> {
        let Range { start, end } = self.seeds;
        let seeds = end.saturating_sub(start);
        if seeds == 0 {
            return Err(Box::new(TestFailure::no_seeds()));
        }
        let next = AtomicU64::new(0);
        // Each thread takes the next seed that nobody has; the least that failed is kept.
        let work = || {
            let (mut events, mut failed, mut first) = (0, 0_u64, None);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= seeds {
                    return (events, failed, first);
                }
                let seed = start + number;
                match self.one(seed, less, None, code) {
                    Ok(report) if report.verdict == Verdict::Holds => events += report.events,
                    outcome => {
                        failed += 1;
                        first.get_or_insert((seed, outcome));
                    }
                }
            }
        };
        let threads = self.threads.min(usize::try_from(seeds).unwrap_or(usize::MAX)).max(1);
        let results = thread::scope(|scope| {
            let mut spawned = Vec::new();
            for _ in 1..threads {
                spawned.push(scope.spawn(work));
            }
            let mut results = vec![work()];
            for thread in spawned {
                // What can panic was caught: this is a fault of ours, and is no success.
                results.push(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            results
        });
        let events = results.iter().map(|(events, ..)| events).sum();
        let failed: u64 = results.iter().map(|&(_, failed, _)| failed).sum();
        let first = results.into_iter().filter_map(|(_, _, first)| first);
        match first.min_by_key(|&(seed, _)| seed) {
            None => {
                self.repeats(start, less, code)?;
                Ok(Passed { seeds, events })
            }
            Some((seed, outcome)) => {
                let failure = TestFailure::new(seed, self.seeds.clone(), failed, outcome);
                Err(self.explained(failure, less, code))
            }
        }
    }

    /// Runs a seed twice: one that does not decide what happens has shown nothing, and its failures
    /// could not be run again.
    fn repeats(&self, seed: u64, less: &Less, code: &impl Code) -> Result<(), Box<TestFailure>> {
        let [first, second] = [(); 2].map(|()| self.one(seed, less, None, code));
        // As text, in which a figure that is no number is the same as itself.
        if format!("{first:?}") == format!("{second:?}") {
            return Ok(());
        }
        Err(Box::new(TestFailure::not_repeated(seed, [&first, &second])))
    }

    /// Adds to a failure what fails the same way and is smaller.
    fn explained(
        &self,
        mut failure: TestFailure,
        less: &Less,
        code: &impl Code,
    ) -> Box<TestFailure> {
        let seed = failure.seed;
        if let Some(report) = &mut failure.report {
            // What cannot be told again is told without its path.
            let told = || explain_paths(report, self.world(seed, less), code);
            drop(catch_unwind(AssertUnwindSafe(told)));
        }
        let outcome = failure.outcome();
        // A world that cannot be made twice cannot be explained.
        let world = catch_unwind(AssertUnwindSafe(|| self.world(seed, less)));
        if let (Some(fails), Ok(world)) = (Fails::of(&outcome), world) {
            if outcome.is_ok() {
                let plan = catch_unwind(AssertUnwindSafe(|| self.plan(seed, less, code)));
                let plan = plan.unwrap_or_default();
                failure.shrunk = plan.and_then(|plan| explain::shrunk(plan, &fails));
            }
            if *less == Less::default() {
                let run = |less: &Less| self.one(seed, less, None, code);
                let smaller = explain::smaller(&world, outcome.as_ref().ok(), &fails, run);
                failure.less = smaller.map(|less| less.to_string());
            }
        }
        failure.write_repro(env::var_os("GUID_SIM_REPRO"));
        Box::new(failure)
    }

    /// All that happens with a seed, unless it is too much.
    fn plan(&self, seed: u64, less: &Less, code: &impl Code) -> Option<Plan> {
        let mut world = self.world(seed, less);
        let (plan, tape) = Plan::begin(&mut world);
        code(world).ok()?;
        tape.finish(plan).ok()
    }

    fn world(&self, seed: u64, less: &Less) -> WorldConfig {
        let mut world = WorldConfig { seed, ..self.worlds.world(seed) };
        less.apply(&mut world);
        world
    }

    /// Runs one seed and judges it. `Err` says that it did not come to its end.
    fn one(
        &self,
        seed: u64,
        less: &Less,
        trace: Option<OsString>,
        code: &impl Code,
    ) -> Result<Report, String> {
        // Code that panics has ended its own world, and no other one.
        let run = catch_unwind(AssertUnwindSafe(|| self.judged(seed, less, trace, code)));
        run.unwrap_or_else(|panic| Err(format!("the code panicked: {}", told(&*panic))))
    }

    fn judged(
        &self,
        seed: u64,
        less: &Less,
        trace: Option<OsString>,
        code: &impl Code,
    ) -> Result<Report, String> {
        let mut config = self.world(seed, less);
        if let Some(path) = trace {
            let file = File::create(&path).map_err(|error| format!("GUID_SIM_TRACE: {error}"))?;
            let out: Box<dyn Write> = Box::new(BufWriter::new(file));
            config.trace = Some(out);
        }
        let mut report = code(config).map_err(|error| error.to_string())?;
        let own = self.worlds.expectations();
        let all: Vec<Expectation> = own.iter().chain(&self.expectations).cloned().collect();
        judge_all(&all, &mut report).map_err(|error| error.to_string())?;
        Ok(report)
    }
}

impl Test<Scenario> {
    /// Runs all seeds with the workload of the scenario itself.
    ///
    /// # Panics
    ///
    /// See [`run`](Self::run).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::Builtin;
    ///
    /// let cart = Builtin::named("split-brain-cart").unwrap().scenario()?;
    /// let passed = guid_sim::test(cart).seeds(0..4).run_scenario();
    /// assert_eq!(passed.seeds, 4);
    /// # Ok::<(), guid_sim::ScenarioError>(())
    /// ```
    #[track_caller]
    pub fn run_scenario(&self) -> Passed {
        passed(self.try_run_scenario())
    }

    /// The same, for who wants to look at the failure.
    ///
    /// # Errors
    ///
    /// The failure of the first seed that fails.
    pub fn try_run_scenario(&self) -> Result<Passed, Box<TestFailure>> {
        let scenario = &self.worlds;
        self.try_code(&|world| workload::run(scenario.workload(), world, scenario.active_ns()))
    }
}

/// What runs in a world: the nodes' code.
trait Code: Fn(WorldConfig) -> Result<Report, RunError> + Sync {}

impl<F: Fn(WorldConfig) -> Result<Report, RunError> + Sync> Code for F {}

#[track_caller]
#[expect(clippy::panic, reason = "a failed test panics")]
fn passed(result: Result<Passed, Box<TestFailure>>) -> Passed {
    match result {
        Ok(passed) => passed,
        Err(failure) => panic!("{failure}"),
    }
}

/// Reads a variable of the environment, if it is set to something.
fn from_env<T>(
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Box<TestFailure>> {
    let text = env::var_os(name).filter(|text| !text.is_empty());
    let text = text.map(|text| text.to_string_lossy().into_owned());
    let parsed = text.as_deref().map(parse).transpose();
    parsed.map_err(|why| Box::new(TestFailure::wrong_setting(name, &why)))
}

/// The message of a panic.
fn told(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| String::from(*text));
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| String::from("without a message"))
}
