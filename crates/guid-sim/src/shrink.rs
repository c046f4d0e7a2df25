//! Shrinking: from a run that fails to the least that fails the same way.
//!
//! The [plan](crate::Plan) of the run is made smaller again and again: parts are left out, what is
//! left is made simpler, numbers are rounded. After each attempt the plan is replayed, and the
//! attempt stands if the same check still fails of the same cause. It ends when nothing can be made
//! smaller: then no single step can be left out.
//!
//! # References
//!
//! Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002 (ddmin);
//! Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978 (the causal
//! past, to which a run is cut first).

mod failure;
mod search;
mod informed;
mod cut;
mod leave_out;
mod simplify;
mod press;
mod round;
mod rank;

use thiserror::Error;

use crate::{Plan, Repro};

pub use self::failure::{Failure, NothingToShow, Shows};
use self::search::Search;

/// How much may be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effort {
    /// The most replays.
    pub tries: u64,
    /// The most events of all replays together.
    pub events: u64,
}

impl Default for Effort {
    /// As much as takes a few seconds, a minute at worst.
    fn default() -> Self {
        Self { tries: 20_000, events: 50_000_000 }
    }
}

impl Effort {
    /// Returns an effort of at most so many replays, of at most so many events together.
    pub const fn new(tries: u64, events: u64) -> Self {
        Self { tries, events }
    }
}

/// How far shrinking has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many replays there were.
    pub tries: u64,
    /// How many nodes are left.
    pub nodes: usize,
    /// How many events are left.
    pub events: u64,
    /// On how many lines, with what processes said beside events.
    pub lines: usize,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shrunk {
    /// What is left, and how it fails.
    pub repro: Repro,
    /// How large it was, and how many replays it took.
    pub from: Progress,
    /// How large it is.
    pub to: Progress,
    /// Whether nothing could be made smaller in the end; otherwise the effort was used up.
    pub is_minimal: bool,
}

/// Why a plan cannot be shrunk.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShrinkError {
    /// The plan, replayed, does not fail like that.
    #[error("the plan does not fail like that when it is replayed")]
    DoesNotFail,
}

impl Plan {
    /// Makes the plan as small as it gets while it still fails the same way. `told` hears of every
    /// success.
    ///
    /// # Errors
    ///
    /// If it does not fail like that.
    ///
    /// # Complexity
    ///
    /// Bounded by the effort. Where few steps matter, the replays grow with the logarithm of their
    /// number.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::{Builtin, Effort, Failure};
    ///
    /// let scenario = Builtin::named("lww-window-trap").unwrap().scenario()?;
    /// let (report, plan) = scenario.plan(42)?;
    /// let failure = Failure::of(&report, "lww-lost@guid96:d3")?;
    /// let shrunk = plan.shrink(&failure, Effort::default(), &mut |_| {})?;
    /// assert!(shrunk.from.events > 1_000);
    /// assert_eq!((shrunk.to.nodes, shrunk.to.events), (2, 4)); // write, send, receive, write
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shrink(
        self,
        failure: &Failure,
        effort: Effort,
        told: &mut dyn FnMut(Progress),
    ) -> Result<Shrunk, ShrinkError> {
        let mut search = Search::new(self, failure, effort, told)?;
        let from = search.progress();
        cut::all(&mut search);
        while !search.is_spent() {
            let before = search.plan().clone();
            leave_out::all(&mut search);
            simplify::all(&mut search);
            round::all(&mut search);
            rank::all(&mut search);
            if *search.plan() == before {
                break;
            }
        }
        let (to, is_minimal) = (search.progress(), !search.is_spent());
        let repro = Repro::new(search.into_plan(), failure.clone());
        Ok(Shrunk { repro, from, to, is_minimal })
    }
}
