//! Breadth first through all states, each once.

use std::{collections::VecDeque, mem};

use super::{
    Model, Violation,
    seen::{Origin, Seen, digest},
};
use crate::Verdict;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explored<A> {
    /// Distinct states that were met.
    pub states: u64,
    /// Steps that were carried out from one state to another, or to itself.
    pub transitions: u64,
    /// Steps of the longest of the shortest ways to a state.
    pub depth: u32,
    /// States in which nothing more can happen.
    pub ends: u64,
    /// Whether nothing is left to look at.
    pub complete: bool,
    /// A shortest run that breaks an invariant, if one was met.
    pub found: Option<Found<A>>,
}

impl<A> Explored<A> {
    /// Violated if something was found, unknown if there was more to look at.
    pub const fn verdict(&self) -> Verdict {
        match (&self.found, self.complete) {
            (Some(_), _) => Verdict::Violated,
            (None, true) => Verdict::Holds,
            (None, false) => Verdict::Unknown,
        }
    }
}

/// A run that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found<A> {
    /// What is broken, by the last step.
    pub violation: Violation,
    /// The steps, from the start.
    pub run: Vec<A>,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Distinct states that were met; in a random search, schedules that were run.
    pub done: u64,
    /// The most there may be.
    pub most: u64,
}

/// How many states lie between two calls of who watches.
const WATCHED: u64 = 1 << 12;

/// Looks at every state of a world that can be reached, up to `states_max` of them.
///
/// Breadth first: no run that breaks an invariant is shorter than the one that is found. `watch` is
/// called now and then.
///
/// # Examples
///
/// See [`Model`].
///
/// # Complexity
///
/// One snapshot, step and encoding a transition. In memory, 32 to 40 bytes a state, and snapshots
/// of the states that are met and not yet looked at.
pub fn explore<M: Model>(
    model: &M,
    states_max: u64,
    watch: &mut dyn FnMut(Progress),
) -> Explored<M::Action> {
    // Numbers of states are of 32 bits; the first state is always looked at.
    let states_max = states_max.clamp(1, u64::from(u32::MAX) - 1);
    let mut search = Search {
        model,
        states_max,
        watch,
        seen: Seen::new(),
        edge: VecDeque::new(),
        bytes: Vec::new(),
        so_far: Explored {
            states: 0,
            transitions: 0,
            depth: 0,
            ends: 0,
            complete: true,
            found: None,
        },
    };
    search.so_far.found = search.run().err();
    search.so_far
}

struct Search<'a, M: Model> {
    model: &'a M,
    states_max: u64,
    watch: &'a mut dyn FnMut(Progress),
    seen: Seen,
    /// What was met and not yet looked at: snapshots, their numbers and depths.
    edge: VecDeque<(M::State, u32, u32)>,
    bytes: Vec<u8>,
    so_far: Explored<M::Action>,
}

impl<M: Model> Search<'_, M> {
    fn run(&mut self) -> Result<(), Found<M::Action>> {
        let start = self.model.start();
        self.meet(start, Origin { parent: 0, action: 0 }, 0)?;
        let mut actions = Vec::new();
        while let Some((state, number, depth)) = self.edge.pop_front() {
            actions.clear();
            self.model.actions(&state, &mut actions);
            self.so_far.ends += u64::from(actions.is_empty());
            for (at, action) in actions.iter().enumerate() {
                self.so_far.transitions += 1;
                let mut next = state.clone();
                let applied = self.model.apply(&mut next, action);
                let origin = Origin { parent: number, action: at as u32 };
                applied.map_err(|violation| self.found(origin, violation))?;
                self.meet(next, origin, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Takes a state in, and looks at it if it is new.
    fn meet(
        &mut self,
        state: M::State,
        origin: Origin,
        depth: u32,
    ) -> Result<(), Found<M::Action>> {
        let mut bytes = mem::take(&mut self.bytes);
        bytes.clear();
        self.model.encode(&state, &mut bytes);
        let hash = digest(&bytes);
        self.bytes = bytes;
        let is_full = self.so_far.states >= self.states_max;
        if is_full {
            // What is new beyond the bound is not looked at, and that is told.
            self.so_far.complete &= self.seen.has(hash);
            return Ok(());
        }
        let Some(number) = self.seen.insert(hash, origin) else { return Ok(()) };
        self.so_far.states += 1;
        self.so_far.depth = depth;
        if self.so_far.states.is_multiple_of(WATCHED) {
            (self.watch)(Progress { done: self.so_far.states, most: self.states_max });
        }
        let checked = self.model.check(&state);
        checked.map_err(|violation| self.found(origin, violation))?;
        self.edge.push_back((state, number, depth));
        Ok(())
    }

    /// The run along which a state was met, found anew from the start.
    fn found(&self, origin: Origin, violation: Violation) -> Found<M::Action> {
        let mut way = self.seen.way_to(origin.parent);
        if self.so_far.transitions > 0 {
            way.push(origin.action as usize);
        }
        let mut state = self.model.start();
        let (mut run, mut actions) = (Vec::new(), Vec::new());
        for at in way {
            actions.clear();
            self.model.actions(&state, &mut actions);
            let action = actions.swap_remove(at);
            // Whether the last step is refused is known already.
            self.model.apply(&mut state, &action).ok();
            run.push(action);
        }
        Found { violation, run }
    }
}
