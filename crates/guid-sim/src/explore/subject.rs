//! A replicated type on trial, and what it must show.
//!
//! What a type *means* is a line over the writes that a replica has received and which of them had
//! seen which: no state, no join, no delta. That line is the judge of every state of every replica,
//! so it shares nothing with the type. Those of the types that ship are in the folder beside.

mod shipped;
mod op;
mod broken;

use std::fmt::Display;

use guid_crdt::{Dot, MutateError, Replicated, Versioned, wire::Wire};

pub(super) use self::{
    broken::ScalarSet,
    op::Op,
    shipped::{Known, Shipped},
};

/// A replicated type, what is done to it, and what it must show.
///
/// # Examples
///
/// A counter, whose specification is a sum:
///
/// ```
/// use guid_crdt::{Dot, GCounter, MutateError};
/// use guid_sim::{Verdict, explore::{Do, Happened, Replicas, Subject, explore}, workload::Ship};
///
/// struct Visits;
///
/// impl Subject for Visits {
///     type State = GCounter;
///     type Op = u64;
///
///     fn act(&self, state: &mut GCounter, dot: Dot, op: &u64) -> Result<GCounter, MutateError> {
///         state.add(dot, *op)
///     }
///
///     fn show(&self, state: &GCounter) -> String {
///         state.value().to_string()
///     }
///
///     fn meaning(&self, received: &[Happened<'_, u64>]) -> Option<String> {
///         Some(received.iter().map(|write| write.op).sum::<u64>().to_string())
///     }
/// }
///
/// let world = Replicas::new(Visits, Ship::State)
///     .node([Do::Write(1), Do::SendAll])
///     .node([Do::Write(2), Do::Write(3), Do::SendAll]);
/// let explored = explore(&world, 10_000, &mut |_| ());
/// assert_eq!(explored.verdict(), Verdict::Holds);
/// ```
pub trait Subject {
    /// The replicated type.
    type State: Versioned<Delta: Clone + Wire, Version: Wire> + Wire;
    /// What can be done to it.
    type Op: Clone + Display;

    /// Does it, under this dot, and returns the delta.
    ///
    /// # Errors
    ///
    /// Those of the type. See [`may_refuse`](Self::may_refuse).
    fn act(
        &self,
        state: &mut Self::State,
        dot: Dot,
        op: &Self::Op,
    ) -> Result<<Self::State as Replicated>::Delta, MutateError>;

    /// What a reader of the state is shown.
    fn show(&self, state: &Self::State) -> String;

    /// What must be shown where these writes were received; `None` if nobody can say. Replicas that
    /// received the same must show the same, in any case.
    fn meaning(&self, received: &[Happened<'_, Self::Op>]) -> Option<String>;

    /// Whether a write may be refused like this: it then has not happened. None may, unless told
    /// otherwise.
    fn may_refuse(&self, error: &MutateError) -> bool {
        let _ = error;
        false
    }
}

/// A write that happened.
#[derive(Debug)]
#[non_exhaustive]
pub struct Happened<'a, O> {
    /// What was done.
    pub op: &'a O,
    /// The dot that it bears.
    pub dot: Dot,
    /// Its place among all writes of the world.
    pub(super) number: u32,
    /// The writes that its author had received, a bit each.
    pub(super) seen: u64,
}

impl<O> Clone for Happened<'_, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for Happened<'_, O> {}

impl<O> Happened<'_, O> {
    /// Whether the author of this one had received the other.
    pub const fn saw<P>(&self, other: &Happened<'_, P>) -> bool {
        self.seen >> other.number & 1 == 1
    }
}

impl<'a, O> Happened<'a, O> {
    /// The same write, taken for one of a part of the state.
    pub(super) const fn of<'b, P>(&self, op: &'b P) -> Happened<'b, P>
    where
        'a: 'b,
    {
        Happened { op, dot: self.dot, number: self.number, seen: self.seen }
    }
}
