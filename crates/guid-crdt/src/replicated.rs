//! [`Replicated`]: what a [`Replica`](crate::Replica) must know of a state.
//!
//! A replica writes after everything it has seen, refuses what lies too far ahead, and notices when
//! somebody else writes under its node. For that it asks a state one thing beyond joining: the
//! greatest stamp of each node it shows.

use crate::{Changed, Dot, Gap, Lattice, VectorClock};

/// A state that a [`Replica`](crate::Replica) can hold.
///
/// # Examples
///
/// Several replicated fields make a replicated struct, field by field. A delta is the delta of one
/// field, so it is applied whole or not at all.
///
/// ```
/// use guid_core::{ManualClock, NodeId};
/// use guid_crdt::{
///     Causality, Changed, Conflict, Gap, Lattice, LwwRegister, MvRegister, MvRegisterDelta,
///     OrSet, OrSetDelta, Replica, Replicated, VectorClock,
/// };
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct Cart {
///     items: OrSet<String>,
///     address: LwwRegister<String>,
///     note: MvRegister<String>,
/// }
///
/// enum CartDelta {
///     Items(OrSetDelta<String>),
///     Address(LwwRegister<String>),
///     Note(MvRegisterDelta<String>),
/// }
///
/// impl Lattice for Cart {
///     fn join(&mut self, other: &Self) {
///         self.items.join(&other.items);
///         self.address.join(&other.address);
///         self.note.join(&other.note);
///     }
///
///     fn compare(&self, other: &Self) -> Causality {
///         let fields = self.items.compare(&other.items).and(self.address.compare(&other.address));
///         fields.and(self.note.compare(&other.note))
///     }
/// }
///
/// impl Replicated for Cart {
///     type Delta = CartDelta;
///
///     fn frontier(&self) -> VectorClock {
///         self.items.frontier().joined(&self.address.frontier()).joined(&self.note.frontier())
///     }
///
///     fn delta_frontier(delta: &CartDelta) -> VectorClock {
///         match delta {
///             CartDelta::Items(delta) => delta.frontier(),
///             CartDelta::Address(delta) => delta.frontier(),
///             CartDelta::Note(delta) => delta.frontier(),
///         }
///     }
///
///     fn apply(&mut self, delta: &CartDelta) -> Result<Changed, Gap> {
///         match delta {
///             CartDelta::Items(delta) => self.items.apply(delta),
///             CartDelta::Address(delta) => self.address.apply(delta),
///             CartDelta::Note(delta) => self.note.apply(delta),
///         }
///     }
///
///     fn conflict(&self, other: &Self) -> Option<Conflict> {
///         self.address.conflict(&other.address).or_else(|| self.note.conflict(&other.note))
///     }
/// }
///
/// let mut here = Replica::<Cart, _>::new(NodeId::new(1), ManualClock::new(9 << 17));
/// let mut there = Replica::<Cart, _>::new(NodeId::new(2), ManualClock::new(5 << 17));
/// let delta = here.write(|cart, dot| cart.items.insert(dot, "tea".into()).map(CartDelta::Items))?;
/// there.apply(&delta)?;
/// let delta =
///     there.write(|cart, dot| cart.address.set(dot, "Bern".into()).map(CartDelta::Address))?;
/// here.apply(&delta)?;
/// assert_eq!(here.state(), there.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Replicated: Lattice + Clone {
    /// What a mutation changed. A type without deltas of its own uses itself and `join`.
    type Delta;

    /// The greatest stamp of each node that the state shows, however it came by it.
    fn frontier(&self) -> VectorClock;

    /// The greatest stamp of each node that a delta shows.
    fn delta_frontier(delta: &Self::Delta) -> VectorClock;

    /// Applies a delta.
    ///
    /// # Errors
    ///
    /// A [`Gap`]: events before the delta are missing. Nothing may be changed then.
    fn apply(&mut self, delta: &Self::Delta) -> Result<Changed, Gap>;

    /// Returns an event for which the two states hold different values: proof that a node or a
    /// clock was used twice. Joining stays total, this only makes it known.
    fn conflict(&self, other: &Self) -> Option<Conflict> {
        let _ = other;
        None
    }
}

/// Applies a delta that is a state: joins it, and tells whether it brought anything.
pub(crate) fn join_as_delta<T: Lattice>(state: &mut T, delta: &T) -> Changed {
    if delta.compare(state).is_within() {
        return Changed::No;
    }
    state.join(delta);
    Changed::Yes
}

/// Two values under one dot: one event of one node wrote both, which no honest history does.
///
/// The join takes the greater value everywhere, so copies agree; one write is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[error("dot {dot} bears two different values: its node writes in two places")]
#[non_exhaustive]
pub struct Conflict {
    /// The dot.
    pub dot: Dot,
}

impl Conflict {
    /// Returns the conflict at a dot.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{ManualClock, NodeId};
    /// # use guid_crdt::{Conflict, LwwRegister, Replica};
    /// # let clock = || ManualClock::new(9 << 30);
    /// # let register = |node| Replica::<LwwRegister<u8>, _>::new(NodeId::new(node), clock());
    /// let (mut a, mut twin, mut other) = (register(1), register(1), register(2));
    /// a.write(|register, dot| register.set(dot, 7))?;
    /// twin.write(|register, dot| register.set(dot, 8))?; // under the same dot
    /// other.join(a.state())?;
    /// other.join(twin.state())?;
    /// assert_eq!(other.conflict(), a.state().dot().map(Conflict::new));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn new(dot: Dot) -> Self {
        Self { dot }
    }
}
