//! Random histories: where states to check laws on come from.
//!
//! # Invariants
//!
//! Histories are honest: each replica stamps after everything it has seen (I1), writes under its
//! own node (I2, I3), and takes in whole states (I4).

use core::fmt::Debug;

use guid_core::{NodeId, Stamp};
use proptest::prelude::*;

use crate::{Dot, MutateError, Replicated};

/// What a random history left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reached<T: Replicated> {
    /// The states of three replicas of one history.
    pub states: [T; 3],
    /// The first of them, a mutation's delta, and the state after it.
    pub mutation: (T, T::Delta, T),
}

/// Returns a strategy for the outcomes of random histories of a type.
///
/// `mutate` carries out an operation under a dot and returns the delta.
///
/// # Examples
///
/// See [`laws`](super).
pub fn reached<T, O, F>(operations: O, mutate: F) -> impl Strategy<Value = Reached<T>>
where
    T: Replicated + Debug,
    T::Delta: Debug,
    O: Strategy + 'static,
    O::Value: Clone,
    F: Fn(&mut T, Dot, O::Value) -> Result<T::Delta, MutateError>,
{
    let steps = prop::collection::vec(step(operations), 1..24);
    let nodes = Just([1, 2, 3]).prop_shuffle();
    (nodes, steps).prop_filter_map("the last step refused its dot", move |(nodes, steps)| {
        carry_out(nodes.map(NodeId::new), steps, &mutate)
    })
}

/// One step of a history, at the replica `at`.
#[derive(Clone, Debug)]
struct Step<O> {
    at: usize,
    /// Joins this replica first; itself, for none.
    from: usize,
    /// The stamp, if the replica has seen none as great. Few of them, so that they tie.
    clock: u64,
    operation: O,
    writes: bool,
}

fn step<O: Strategy>(operations: O) -> impl Strategy<Value = Step<O::Value>> {
    (0..3_usize, 0..3_usize, 1..6_u64, operations, any::<bool>()).prop_map(
        |(at, from, clock, operation, writes)| Step { at, from, clock, operation, writes },
    )
}

fn carry_out<T: Replicated, V: Clone>(
    nodes: [NodeId; 3],
    steps: Vec<Step<V>>,
    mutate: &impl Fn(&mut T, Dot, V) -> Result<T::Delta, MutateError>,
) -> Option<Reached<T>> {
    let mut states = [T::default(), T::default(), T::default()];
    let last = steps.last().cloned()?;
    for step in steps {
        let other = states[step.from].clone();
        states[step.at].join(&other);
        if step.writes {
            let dot = next_dot(&states[step.at], nodes[step.at], step.clock)?;
            mutate(&mut states[step.at], dot, step.operation).ok()?;
        }
    }
    let (before, mut after) = (states[0].clone(), states[0].clone());
    let dot = next_dot(&after, nodes[0], last.clock)?;
    let delta = mutate(&mut after, dot, last.operation).ok()?;
    Some(Reached { states, mutation: (before, delta, after) })
}

/// The dot of a replica's next write: after everything seen, and not before its clock.
fn next_dot<T: Replicated>(state: &T, node: NodeId, clock: u64) -> Option<Dot> {
    let seen = state.frontier().latest();
    let next = seen.map_or(Some(Stamp::MIN), |dot| dot.stamp().next())?;
    let clock = Stamp::from_u64(clock).ok()?;
    Some(Dot::new(node, next.max(clock)))
}
