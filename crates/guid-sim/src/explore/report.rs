//! What a search found, in words: for people, for programs, and to be run again.

use serde::Serialize;

use super::{
    Luck, Model, Progress, Violation, explore, random,
    random::Drawn,
    search::{Explored, Found},
    shorten,
};
use crate::{Verdict, scenario::reader::nearest};

/// A model whose steps and states have words.
pub(super) trait Told: Model {
    /// A step that is possible in a state; no two have the same words.
    fn step(&self, state: &Self::State, action: &Self::Action) -> String;

    /// How many nodes there are.
    fn nodes(&self) -> usize;

    /// What each node shows.
    fn shows(&self, state: &Self::State) -> Vec<String>;
}

/// What a search of a world found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExploreReport {
    /// The version of this form.
    pub schema: u32,
    /// The name of the world.
    pub world: String,
    /// How it was searched: `exhaustive` or `random`.
    pub mode: &'static str,
    /// Whether all held; `unknown` if there was more to look at.
    pub verdict: Verdict,
    /// How many nodes there are.
    pub nodes: usize,
    /// Distinct states, where all were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Steps between states, or of all schedules.
    pub transitions: u64,
    /// Steps of the longest of the shortest ways to a state, or of the longest schedule.
    pub depth: u32,
    /// States in which nothing more can happen, where all were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<u64>,
    /// Schedules, where they were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedules: Option<u64>,
    /// The seed of the schedule that broke an invariant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The run that broke an invariant: a shortest one, or of a random schedule what was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<FoundRun>,
}

/// A run that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FoundRun {
    /// The name of the invariant.
    pub invariant: &'static str,
    /// What was found, and what was expected.
    pub what: String,
    /// The steps, and what the nodes show after each.
    pub steps: Vec<ShownStep>,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShownStep {
    /// What happened.
    pub step: String,
    /// What each node shows then.
    pub shows: Vec<String>,
}

/// What came of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Replayed {
    /// The version of this form.
    pub schema: u32,
    /// The name of the world.
    pub world: String,
    /// Holds if it came out as it was recorded, which is that it breaks something; violated if it
    /// did not, unknown if a step was not possible.
    pub verdict: Verdict,
    /// Whether it breaks what it broke when it was recorded, and at the same step.
    pub same: bool,
    /// How many nodes there are.
    pub nodes: usize,
    /// The steps that were carried out, and what the nodes show after each.
    pub steps: Vec<ShownStep>,
    /// The name of the invariant that broke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariant: Option<&'static str>,
    /// What was found; or which step was not possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// Looks at all states, and tells of it.
pub(super) fn exhaustive<M: Told>(
    model: &M,
    world: &str,
    states_max: u64,
    watch: &mut dyn FnMut(Progress),
) -> ExploreReport {
    let explored = explore(model, states_max, watch);
    let verdict = explored.verdict();
    let Explored { states, transitions, depth, ends, found, .. } = explored;
    ExploreReport {
        schema: 1,
        world: world.to_owned(),
        mode: "exhaustive",
        verdict,
        nodes: model.nodes(),
        states: Some(states),
        transitions,
        depth,
        ends: Some(ends),
        schedules: None,
        seed: None,
        violation: found.map(|found| told(model, &found)),
    }
}

/// Runs random schedules, shortens what was found, and tells of it.
pub(super) fn drawn<M: Told<Action: PartialEq>>(
    model: &M,
    world: &str,
    luck: Luck,
    watch: &mut dyn FnMut(Progress),
) -> ExploreReport {
    let drawn = random(model, luck, watch);
    let verdict = drawn.verdict();
    let Drawn { schedules, steps, longest, found } = drawn;
    let (seed, found) = found.unzip();
    ExploreReport {
        schema: 1,
        world: world.to_owned(),
        mode: "random",
        verdict,
        nodes: model.nodes(),
        states: None,
        transitions: steps,
        depth: longest,
        ends: None,
        schedules: Some(schedules),
        seed,
        violation: found.map(|found| told(model, &shorten(model, found))),
    }
}

fn told<M: Told>(model: &M, found: &Found<M::Action>) -> FoundRun {
    let mut state = model.start();
    let mut steps = Vec::new();
    for action in &found.run {
        let step = model.step(&state, action);
        // That the last step breaks something is what was found.
        model.apply(&mut state, action).ok();
        steps.push(ShownStep { step, shows: model.shows(&state) });
    }
    let Violation { invariant, what } = found.violation.clone();
    FoundRun { invariant, what, steps }
}

/// Carries out steps by their words.
pub(super) fn replayed<M: Told>(model: &M, world: &str, recorded: &Recorded) -> Replayed {
    let mut replayed = Replayed {
        schema: 1,
        world: world.to_owned(),
        verdict: Verdict::Violated,
        same: false,
        nodes: model.nodes(),
        steps: Vec::new(),
        invariant: None,
        what: None,
    };
    let mut state = model.start();
    let mut actions = Vec::new();
    for (number, words) in (1..).zip(&recorded.steps) {
        actions.clear();
        model.actions(&state, &mut actions);
        let Some(action) = actions.iter().find(|action| model.step(&state, action) == *words)
        else {
            let possible: Vec<String> = actions.iter().map(|a| model.step(&state, a)).collect();
            replayed.verdict = Verdict::Unknown;
            replayed.what = Some(impossible(number, words, &possible));
            return replayed;
        };
        let stepped = model.apply(&mut state, action).and_then(|()| model.check(&state));
        replayed.steps.push(ShownStep { step: words.clone(), shows: model.shows(&state) });
        if let Err(Violation { invariant, what }) = stepped {
            let is_last = number == recorded.steps.len();
            replayed.same = is_last && recorded.breaks == invariant && recorded.what == what;
            replayed.verdict = Verdict::of(replayed.same);
            (replayed.invariant, replayed.what) = (Some(invariant), Some(what));
            return replayed;
        }
    }
    replayed
}

/// A run as a file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recorded {
    pub(super) breaks: String,
    pub(super) what: String,
    pub(super) steps: Vec<String>,
}

fn impossible(number: usize, words: &str, possible: &[String]) -> String {
    let hint = match nearest(words, possible.iter().map(String::as_str)) {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None if possible.is_empty() => ": nothing can happen any more".to_owned(),
        None => format!(": possible is {}", possible.join(", ")),
    };
    format!("step {number}, `{words}`, is not possible there{hint}")
}
