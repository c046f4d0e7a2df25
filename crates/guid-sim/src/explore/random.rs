//! Random schedules, for worlds that are too large to be looked at in full.
//!
//! Choosing the next step by lot at every step seldom delays one thing for long, which is what most
//! bugs need. Here every agent (a script, a message) gets a random *priority* when it first shows
//! up, and the highest that can do something does it; at a few random moments the one that is about
//! to act falls behind all others. A bug that needs d orderings among n agents and k steps, and no
//! fault, is found by one such schedule with probability at least 1 / (n kᵈ⁻¹).
//!
//! Faults belong to nobody: each schedule draws a few moments for them, and which, from what is
//! possible then.
//!
//! # References
//!
//! Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
//! Guarantees of Finding Bugs", ASPLOS 2010, section 3: priorities and their change points.
//! Ozkan et al., "Randomized Testing of Distributed Systems with Probabilistic Guarantees", OOPSLA
//! 2018: the same where messages are what is scheduled.

use std::collections::BTreeMap;

use super::{Found, Model, Progress, Violation};
use crate::{Purpose, Rng, Streams, Verdict};

/// The steps of a schedule; what goes on for longer is cut.
const STEPS_MAX: usize = 10_000;

/// How random schedules are drawn.
///
/// # Examples
///
/// See [`random`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Luck {
    /// How many schedules.
    pub schedules: u64,
    /// What decides all of them: the schedule of number i is that of seed + i.
    pub seed: u64,
    /// The depth d of the bugs that are looked for: d − 1 times an agent falls behind.
    pub depth: u32,
    /// The most faults a schedule tries to bring.
    pub faults_max: u32,
}

impl Luck {
    /// Returns that many schedules from a seed, for bugs of depth 3, with up to four faults each.
    pub const fn new(schedules: u64, seed: u64) -> Self {
        Self { schedules, seed, depth: 3, faults_max: 4 }
    }
}

/// What random schedules found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drawn<A> {
    /// Schedules that were run.
    pub schedules: u64,
    /// Their steps together.
    pub steps: u64,
    /// The steps of the longest.
    pub longest: u32,
    /// The seed of the schedule that broke an invariant, and its run as it was drawn.
    pub found: Option<(u64, Found<A>)>,
}

impl<A> Drawn<A> {
    /// Violated if something was found; else it held on these runs, and that is all.
    pub const fn verdict(&self) -> Verdict {
        Verdict::of(self.found.is_none())
    }
}

/// Runs random schedules until one breaks an invariant; each ends where nothing more can happen but
/// faults, or after 10,000 steps.
///
/// # Examples
///
/// ```
/// use guid_sim::explore::{Luck, SmallWorld};
///
/// let world = SmallWorld::named("broken-or-set").map_err(|hint| format!("no such world{hint}"))?;
/// let report = world.random(Luck::new(1_000, 7), &mut |_| ());
/// assert_eq!(report.violation.map(|found| found.invariant), Some("as-specified"));
/// # Ok::<(), String>(())
/// ```
pub fn random<M: Model>(
    model: &M,
    luck: Luck,
    watch: &mut dyn FnMut(Progress),
) -> Drawn<M::Action> {
    let mut drawn = Drawn { schedules: 0, steps: 0, longest: 0, found: None };
    let usual = usual_steps(model);
    for number in 0..luck.schedules {
        let seed = luck.seed.wrapping_add(number);
        let mut schedule = Schedule::new(luck, seed, usual);
        let mut run = Vec::new();
        let ended = schedule.run(model, &mut run);
        drawn.schedules += 1;
        drawn.steps += run.len() as u64;
        drawn.longest = drawn.longest.max(run.len() as u32);
        if let Err(violation) = ended {
            drawn.found = Some((seed, Found { violation, run }));
            return drawn;
        }
        watch(Progress { done: drawn.schedules, most: luck.schedules });
    }
    drawn
}

/// How long a schedule is that no lot is cast for: what moments are drawn from, so that a schedule
/// is a matter of its seed alone.
fn usual_steps<M: Model>(model: &M) -> u64 {
    let mut state = model.start();
    let mut actions = Vec::new();
    for step in 0..STEPS_MAX {
        actions.clear();
        model.actions(&state, &mut actions);
        let first = actions.iter().find(|action| model.agent(&state, action).is_some());
        let Some(action) = first.cloned() else { return step as u64 };
        if model.apply(&mut state, &action).is_err() {
            return step as u64;
        }
    }
    STEPS_MAX as u64
}

/// The draws of one schedule.
struct Schedule {
    rng: Rng,
    /// By agent; greater goes first. Drawn ones have the upper bit, those that fell have not.
    priorities: BTreeMap<u64, u64>,
    /// The steps before which the next to act falls behind, and before which a fault comes.
    falls: Vec<u64>,
    faults: Vec<u64>,
}

impl Schedule {
    fn new(luck: Luck, seed: u64, usual: u64) -> Self {
        let mut rng = Streams::new(seed).of_world(Purpose::Schedule);
        let steps = usual.max(8);
        let falls = (1..luck.depth.min(64)).map(|_| rng.below(steps)).collect();
        let count = rng.below(u64::from(luck.faults_max.min(64)) + 1);
        let faults = (0..count).map(|_| rng.below(steps)).collect();
        Self { rng, priorities: BTreeMap::new(), falls, faults }
    }

    fn run<M: Model>(&mut self, model: &M, run: &mut Vec<M::Action>) -> Result<(), Violation> {
        let mut state = model.start();
        model.check(&state)?;
        let mut actions = Vec::new();
        while run.len() < STEPS_MAX {
            actions.clear();
            model.actions(&state, &mut actions);
            let Some(at) = self.choose(model, &state, &actions, run.len() as u64) else { break };
            let action = actions.swap_remove(at);
            run.push(action.clone());
            model.apply(&mut state, &action)?;
            model.check(&state)?;
        }
        Ok(())
    }

    /// Which action comes next; none where nobody can do anything.
    fn choose<M: Model>(
        &mut self,
        model: &M,
        state: &M::State,
        actions: &[M::Action],
        step: u64,
    ) -> Option<usize> {
        let agents: Vec<Option<u64>> = actions.iter().map(|a| model.agent(state, a)).collect();
        if self.faults.contains(&step) {
            let faults: Vec<usize> = (0..actions.len()).filter(|&a| agents[a].is_none()).collect();
            if !faults.is_empty() {
                return Some(faults[self.rng.below(faults.len() as u64) as usize]);
            }
        }
        let falls = self.falls.iter().filter(|&&fall| fall == step).count();
        for _ in 0..falls {
            let first = self.first(&agents)?;
            let lowest = self.priorities.values().min().map_or(0, |&lowest| lowest);
            // Those that fell later are behind those that fell before.
            let behind = lowest.min(1 << 32).saturating_sub(1);
            self.priorities.extend(agents[first].map(|agent| (agent, behind)));
        }
        self.first(&agents)
    }

    /// The action of the agent with the highest priority.
    fn first(&mut self, agents: &[Option<u64>]) -> Option<usize> {
        let mut first = None;
        for (at, agent) in agents.iter().enumerate() {
            let Some(agent) = *agent else { continue };
            let rng = &mut self.rng;
            let priority =
                *self.priorities.entry(agent).or_insert_with(|| rng.next_u64() | 1 << 63);
            if first.is_none_or(|(_, highest)| priority > highest) {
                first = Some((at, priority));
            }
        }
        first.map(|(at, _)| at)
    }
}
