//! The laws, for any type (feature `proptest`).
//!
//! A type that converges by test and not by hope takes five lines:
//!
//! ```
//! use guid_crdt::{OrSet, laws};
//! use proptest::prelude::*;
//!
//! let operation = any::<(bool, u8)>();
//! laws::check(laws::reached(operation, |set: &mut OrSet<u8>, dot, (add, value)| {
//!     if add { set.insert(dot, value) } else { set.remove(dot, &value) }
//! }));
//! ```
//!
//! # The idea
//!
//! Laws hold for states that can be *reached*, so states are not made up: three replicas carry out
//! a random history, in which they write, join one another in any order, and write again, with
//! stamps that tie as often as they can and nodes in every order.
//!
//! # Invariants
//!
//! The same cases on every run: the generator is seeded with a constant. `PROPTEST_CASES` sets how
//! many.
//!
//! # References
//!
//! Shapiro, Preguica, Baquero, Zawirski, "Conflict-free Replicated Data Types", 2011, section 2.3;
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 4.1 for deltas.

mod history;
mod strategies;

use core::fmt::Debug;

use proptest::{
    prelude::*,
    test_runner::{Config, TestCaseError, TestRng, TestRunner},
};

use crate::{Causality, Changed, Lattice, Replicated, Versioned};

pub use self::{
    history::{Reached, reached},
    strategies::{causal_context, dot, node, span, stamp, vector_clock},
};

/// What a law returns.
pub type Verdict = Result<(), TestCaseError>;

/// Checks every law of this module on the outcomes of random histories.
///
/// # Panics
///
/// A law does not hold; the message shows the states, shrunk.
///
/// # Examples
///
/// See [`laws`](self).
pub fn check<T>(histories: impl Strategy<Value = Reached<T>>)
where
    T: Replicated + PartialEq + Debug,
    T::Delta: Debug,
{
    run(histories, |Reached { states: [a, b, c], mutation: (before, delta, after) }| {
        lattice(&a, &b, &c)?;
        delta_has_the_effect_of_the_mutation(&before, &delta, &after)
    });
}

/// Checks the laws of versions on the outcomes of random histories.
///
/// # Panics
///
/// A law does not hold; the message shows the states, shrunk.
///
/// # Examples
///
/// ```
/// use guid_crdt::{OrSet, laws};
/// use proptest::prelude::*;
///
/// laws::check_versions(laws::reached(any::<u8>(), |set: &mut OrSet<u8>, dot, value| {
///     set.insert(dot, value)
/// }));
/// ```
pub fn check_versions<T>(histories: impl Strategy<Value = Reached<T>>)
where
    T: Versioned + PartialEq + Debug,
    T::Delta: Debug,
{
    run(histories, |Reached { states: [a, b, _], mutation: (_, delta, after) }| {
        version_stands_as_the_state(&a, &b)?;
        delta_since_brings_up_to_the_state(&a, &b)?;
        let brought = T::delta_version(&delta).compare(&after.version());
        prop_assert!(brought.is_within(), "version_of_a_delta_is_within: {:?}", delta);
        Ok(())
    });
}

/// Checks the laws of a lattice on random triples of states, for a type that is not [`Replicated`].
///
/// # Panics
///
/// A law does not hold; the message shows the states, shrunk.
///
/// # Examples
///
/// ```
/// use guid_crdt::laws;
///
/// laws::check_lattice([laws::vector_clock(), laws::vector_clock(), laws::vector_clock()]);
/// ```
pub fn check_lattice<T>(states: impl Strategy<Value = [T; 3]>)
where
    T: Lattice + Clone + PartialEq + Debug,
{
    run(states, |[a, b, c]| lattice(&a, &b, &c));
}

fn run<V: Debug>(values: impl Strategy<Value = V>, law: impl Fn(V) -> Verdict) {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    if let Err(failure) = TestRunner::new_with_rng(config, rng).run(&values, law) {
        panic!("{failure}");
    }
}

/// All laws of a lattice, on three states.
///
/// # Errors
///
/// Names the law that does not hold.
///
/// # Examples
///
/// ```
/// use guid_crdt::{Causality, Lattice, laws};
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct Sum(u8); // counts twice what it hears twice
///
/// impl Lattice for Sum {
///     fn join(&mut self, other: &Self) {
///         self.0 = self.0.saturating_add(other.0);
///     }
///
///     fn compare(&self, other: &Self) -> Causality {
///         self.0.cmp(&other.0).into()
///     }
/// }
///
/// let broken = laws::lattice(&Sum(1), &Sum(2), &Sum(3)).unwrap_err();
/// assert!(broken.to_string().contains("join_is_idempotent"));
/// ```
pub fn lattice<T>(a: &T, b: &T, c: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    join_is_associative(a, b, c)?;
    join_is_commutative(a, b)?;
    join_is_idempotent(a)?;
    bottom_is_neutral(a)?;
    join_is_an_upper_bound(a, b)?;
    join_is_the_least_upper_bound(a, b, c)?;
    compare_agrees_with_join(a, b)
}

/// (a ⊔ b) ⊔ c = a ⊔ (b ⊔ c).
///
/// # Errors
///
/// It is not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::join_is_associative(&clock(1), &clock(2), &clock(3)).is_ok());
/// ```
pub fn join_is_associative<T>(a: &T, b: &T, c: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    let left = a.clone().joined(b).joined(c);
    let right = a.clone().joined(&b.clone().joined(c));
    prop_assert_eq!(left, right, "join_is_associative");
    Ok(())
}

/// a ⊔ b = b ⊔ a.
///
/// # Errors
///
/// It is not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::join_is_commutative(&clock(1), &clock(2)).is_ok());
/// ```
pub fn join_is_commutative<T>(a: &T, b: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    prop_assert_eq!(a.clone().joined(b), b.clone().joined(a), "join_is_commutative");
    Ok(())
}

/// a ⊔ a = a.
///
/// # Errors
///
/// It is not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::join_is_idempotent(&clock(1)).is_ok());
/// ```
pub fn join_is_idempotent<T>(a: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    prop_assert_eq!(&a.clone().joined(a), a, "join_is_idempotent");
    Ok(())
}

/// ⊥ ⊔ a = a = a ⊔ ⊥.
///
/// # Errors
///
/// It is not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::bottom_is_neutral(&clock(1)).is_ok());
/// ```
pub fn bottom_is_neutral<T>(a: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    prop_assert_eq!(&T::default().joined(a), a, "bottom_is_neutral");
    prop_assert_eq!(&a.clone().joined(&T::default()), a, "bottom_is_neutral");
    Ok(())
}

/// a ≤ a ⊔ b and b ≤ a ⊔ b.
///
/// # Errors
///
/// It is not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::join_is_an_upper_bound(&clock(1), &clock(2)).is_ok());
/// ```
pub fn join_is_an_upper_bound<T>(a: &T, b: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    let both = a.clone().joined(b);
    prop_assert!(a.compare(&both).is_within(), "join_is_an_upper_bound: {:?} of {:?}", both, a);
    prop_assert!(b.compare(&both).is_within(), "join_is_an_upper_bound: {:?} of {:?}", both, b);
    Ok(())
}

/// If a ≤ c and b ≤ c, then a ⊔ b ≤ c.
///
/// # Errors
///
/// It is not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::join_is_the_least_upper_bound(&clock(1), &clock(2), &clock(3)).is_ok());
/// ```
pub fn join_is_the_least_upper_bound<T>(a: &T, b: &T, c: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    // Seldom are three random states like that, so an upper bound is made of them.
    let above = a.clone().joined(c).joined(b);
    let both = a.clone().joined(b);
    prop_assert!(
        both.compare(&above).is_within(),
        "join_is_the_least_upper_bound: {:?} is not within {:?}",
        both,
        above
    );
    Ok(())
}

/// a ≤ b exactly if a ⊔ b = b; equal exactly if a = b; and b stands to a as a to b, reversed.
///
/// # Errors
///
/// It does not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, VectorClock, laws};
/// # let clock = |node| VectorClock::from_iter([Dot::new(NodeId::new(node), Stamp::MAX)]);
/// assert!(laws::compare_agrees_with_join(&clock(1), &clock(2)).is_ok());
/// ```
pub fn compare_agrees_with_join<T>(a: &T, b: &T) -> Verdict
where
    T: Lattice + Clone + PartialEq + Debug,
{
    let causality = a.compare(b);
    let within = a.clone().joined(b) == *b;
    prop_assert_eq!(causality.is_within(), within, "compare_agrees_with_join: {:?} {:?}", a, b);
    prop_assert_eq!(causality == Causality::Equal, a == b, "compare_agrees_with_join");
    prop_assert_eq!(causality.reverse(), b.compare(a), "compare_agrees_with_join");
    Ok(())
}

/// m(x) = x ⊔ mᵟ(x), it contains x, and applying the delta again changes nothing.
///
/// # Errors
///
/// It does not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, OrSet, laws};
/// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
/// let mut set = OrSet::new();
/// let before = set.clone();
/// let delta = set.insert(dot(1), "tea")?;
/// let law = |after| laws::delta_has_the_effect_of_the_mutation(&before, &delta, after);
/// assert!(law(&set).is_ok() && law(&before).is_err());
/// # Ok::<(), guid_crdt::MutateError>(())
/// ```
pub fn delta_has_the_effect_of_the_mutation<T>(before: &T, delta: &T::Delta, after: &T) -> Verdict
where
    T: Replicated + PartialEq + Debug,
    T::Delta: Debug,
{
    let mut applied = before.clone();
    prop_assert!(applied.apply(delta).is_ok(), "delta_has_the_effect_of_the_mutation: {:?}", delta);
    prop_assert_eq!(&applied, after, "delta_has_the_effect_of_the_mutation");
    prop_assert!(before.compare(after).is_within(), "mutators_are_inflationary");
    prop_assert_eq!(applied.apply(delta), Ok(Changed::No), "delta_is_idempotent");
    Ok(())
}

/// v(a) stands to v(b) as a to b, and v(a ⊔ b) is as v(a) ⊔ v(b).
///
/// # Errors
///
/// It does not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, OrSet, laws};
/// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
/// let (mut a, mut b) = (OrSet::new(), OrSet::new());
/// a.insert(dot(1, 5), "tea")?;
/// b.insert(dot(2, 5), "ale")?;
/// assert!(laws::version_stands_as_the_state(&a, &b).is_ok());
/// # Ok::<(), guid_crdt::MutateError>(())
/// ```
pub fn version_stands_as_the_state<T>(a: &T, b: &T) -> Verdict
where
    T: Versioned + Debug,
{
    let causality = a.version().compare(&b.version());
    prop_assert_eq!(causality, a.compare(b), "version_stands_as_the_state: {:?} {:?}", a, b);
    let joined = a.clone().joined(b).version();
    let both = a.version().joined(&b.version());
    prop_assert_eq!(joined.compare(&both), Causality::Equal, "version_stands_as_the_state");
    Ok(())
}

/// Where a state tells what a version lacks, it brings whoever has it up to the join.
///
/// # Errors
///
/// It does not.
///
/// # Examples
///
/// ```
/// # use guid_core::{NodeId, Stamp};
/// # use guid_crdt::{Dot, OrSet, laws};
/// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
/// let (mut a, mut b) = (OrSet::new(), OrSet::new());
/// a.insert(dot(1, 5), "tea")?;
/// b.insert(dot(2, 5), "ale")?;
/// assert!(laws::delta_since_brings_up_to_the_state(&a, &b).is_ok());
/// # Ok::<(), guid_crdt::MutateError>(())
/// ```
pub fn delta_since_brings_up_to_the_state<T>(a: &T, b: &T) -> Verdict
where
    T: Versioned + PartialEq + Debug,
{
    let Some(delta) = a.delta_since(&b.version()) else { return Ok(()) };
    let mut caught_up = b.clone();
    prop_assert!(caught_up.apply(&delta).is_ok(), "delta_since_brings_up_to_the_state");
    prop_assert_eq!(caught_up, b.clone().joined(a), "delta_since_brings_up_to_the_state");
    Ok(())
}
