//! Small worlds, exhaustively: every order, loss, repetition, crash and clock step there is.
//!
//! A simulation draws one run of very many; what goes wrong in one of a million it will hardly see.
//! Here a world is so small that *all* its runs can be looked at: what can happen next in a state
//! is enumerated, each of it is carried out on a snapshot, and a state that was met before is not
//! looked at again. The search is breadth first, so the first run that breaks an invariant is a
//! shortest one. Worlds that are too large for that are run along random priorities
//! ([`random`]).
//!
//! ```
//! use guid_sim::{Verdict, explore::SmallWorld};
//!
//! let world = SmallWorld::named("broken-or-set").map_err(|hint| format!("no such world{hint}"))?;
//! let found = world.explore(1_000_000, &mut |_| ());
//! assert_eq!(found.verdict, Verdict::Violated);
//! assert_eq!(found.violation.map(|violation| violation.steps.len()), Some(4)); // and no shorter
//!
//! let world = SmallWorld::named("or-set").map_err(|hint| format!("no such world{hint}"))?;
//! let all = world.explore(1_000_000, &mut |_| ());
//! assert_eq!((all.verdict, all.states), (Verdict::Holds, Some(59_098)));
//! # Ok::<(), String>(())
//! ```
//!
//! # In reading order
//!
//! * [`Model`], [`Violation`]: a world of your own
//! * [`explore`], [`random`]: the two searches; [`shorten`]: less of a run that fails
//! * [`Subject`], [`Replicas`]: any replicated type as a world, with its invariants
//! * [`SmallWorld`]: a world as a file, and those that ship
//!
//! # Invariants
//!
//! * A state is visited once. Two states are one if their encodings hash alike (128 bits): among n
//!   states that happens by chance with a probability below n² / 2¹²⁹, which is 10⁻²⁶ for a
//!   million.
//! * Nothing here draws, but for [`random`], and that from a seed: equal worlds, equal results.
//! * A search that reached its bound on states says so, and that nothing was found means nothing.
//!
//! # References
//!
//! Holzmann, "The Model Checker SPIN", 1997 (explicit states, hashing); Burckhardt, Kothari,
//! Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs",
//! ASPLOS 2010 (PCT).

mod seen;
mod search;
mod random;
mod shorten;
mod subject;
mod replicas;
mod ids;
mod file;
mod report;

use std::fmt;

pub use self::{
    file::{SmallWorld, WORLDS},
    random::{Drawn, Luck, random},
    replicas::{Budget, Do, Name, Replicas, ReplicasState, Step, Store},
    report::{ExploreReport, FoundRun, Replayed, ShownStep},
    search::{Explored, Found, Progress, explore},
    shorten::shorten,
    subject::{Happened, Subject},
};

/// A world whose states can be enumerated.
///
/// # Examples
///
/// Two processes add one to a number, each in two steps: read, and write what was read plus one.
///
/// ```
/// use guid_sim::explore::{Model, Violation, explore};
///
/// struct Racing;
///
/// /// The number, and of each process what it has read, and whether it is done.
/// type State = (u8, [(Option<u8>, bool); 2]);
///
/// impl Model for Racing {
///     type State = State;
///     type Action = usize;
///
///     fn start(&self) -> State {
///         (0, [(None, false); 2])
///     }
///
///     fn actions(&self, state: &State, out: &mut Vec<usize>) {
///         out.extend((0..2).filter(|&process| !state.1[process].1));
///     }
///
///     fn apply(&self, state: &mut State, &process: &usize) -> Result<(), Violation> {
///         match state.1[process].0 {
///             None => state.1[process].0 = Some(state.0),
///             Some(read) => (state.0, state.1[process].1) = (read + 1, true),
///         }
///         Ok(())
///     }
///
///     fn check(&self, state: &State) -> Result<(), Violation> {
///         let all_done = state.1.iter().all(|process| process.1);
///         if all_done && state.0 != 2 {
///             return Err(Violation::new("counted", format!("{} of 2", state.0)));
///         }
///         Ok(())
///     }
///
///     fn encode(&self, state: &State, out: &mut Vec<u8>) {
///         out.push(state.0);
///         for (read, done) in state.1 {
///             out.extend([read.map_or(0, |read| read + 1), done.into()]);
///         }
///     }
///
///     fn agent(&self, _: &State, &process: &usize) -> Option<u64> {
///         Some(process as u64)
///     }
/// }
///
/// let explored = explore(&Racing, 1_000, &mut |_| ());
/// let found = explored.found.expect("a lost update");
/// assert_eq!(found.violation.to_string(), "counted: 1 of 2");
/// assert_eq!(found.run.len(), 4); // both read, then both write: no shorter run fails
/// ```
pub trait Model {
    /// A state. It is cloned for each way on: let parts be shared, so that a clone is cheap.
    type State: Clone;
    /// Something that can happen.
    type Action: Clone;

    /// Returns the state that every run begins in.
    fn start(&self) -> Self::State;

    /// Adds what can happen next, always in the same order for the same way to a state.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// Carries out one of the [`actions`](Self::actions).
    ///
    /// # Errors
    ///
    /// What happened must not happen.
    fn apply(&self, state: &mut Self::State, action: &Self::Action) -> Result<(), Violation>;

    /// Looks at a state, once for each.
    ///
    /// # Errors
    ///
    /// The state must not be.
    fn check(&self, state: &Self::State) -> Result<(), Violation>;

    /// Writes a state as bytes: the same for states that cannot be told apart by what happens
    /// next and what is checked, others for others.
    fn encode(&self, state: &Self::State, out: &mut Vec<u8>);

    /// Who does it, for [`random`] schedules: each agent gets a priority, and the highest that can
    /// do something does it. `None` for a fault, which comes at a random moment.
    fn agent(&self, state: &Self::State, action: &Self::Action) -> Option<u64>;
}

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The name of the invariant.
    pub invariant: &'static str,
    /// What was found, and what was expected.
    pub what: String,
}

impl Violation {
    /// Returns a violation of an invariant by name.
    pub const fn new(invariant: &'static str, what: String) -> Self {
        Self { invariant, what }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}
