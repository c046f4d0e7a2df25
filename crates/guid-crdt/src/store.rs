//! Dot stores: the data of a replicated type, filed under the dots that wrote it.
//!
//! # The idea
//!
//! A replicated type is a store of dots and a [`CausalContext`]. Whatever the type, two copies are
//! joined by one rule, applied to each dot:
//!
//! | here | there | joined |
//! |---|---|---|
//! | in the store | in the store | kept |
//! | in the store | not in the context: never heard of | kept |
//! | in the store | in the context only: removed since | dropped |
//!
//! and the same with the sides exchanged. Three stores are enough for the whole family: a set of
//! dots ([`DotSet`]), a value per dot ([`DotFun`]), and a store per key ([`DotMap`]), which nests.
//!
//! # Invariants
//!
//! * Every dot of a store is in its context.
//! * A map has no key whose store is empty.
//! * A dot may lie under several keys: one event can write several.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.3, figure 3.

mod dot_set;
mod dot_fun;
mod dot_map;

use crate::{CausalContext, Dot};

pub use self::{dot_fun::DotFun, dot_map::DotMap, dot_set::DotSet};

/// Data filed under dots.
///
/// Implemented by the three stores; implement it for a store of your own by delegating to them.
pub trait DotStore: Default + Clone + Eq {
    /// Dots by path, without values: how a delta names what is gone.
    type Gone: DotStore<Gone = Self::Gone>;

    /// Whether there is no dot in it.
    fn is_empty(&self) -> bool;

    /// Calls a function with each dot in it, in an order that depends on the contents alone.
    fn for_each_dot(&self, f: &mut dyn FnMut(Dot));

    /// Joins another state's store: the table of [`store`](self), dot by dot.
    ///
    /// The contexts are those of the two states *before* the join.
    fn join(&mut self, context: &CausalContext, other: &Self, other_context: &CausalContext);

    /// Adds and takes away by path: what `gone` names is removed where it names it, and what
    /// `added` holds is taken in unless its dot is in the context, hence known already.
    fn apply(&mut self, context: &CausalContext, added: &Self, gone: &Self::Gone);

    /// What is here and was not before, and what was before and is not here, by path: the parts of
    /// a delta that leads from one to the other.
    fn changes_from(&self, before: &Self) -> (Self, Self::Gone);

    /// All dots with their paths: what a delta that removes everything says is gone.
    fn paths(&self) -> Self::Gone;

    /// Whether some key in it holds an empty store, against the invariant.
    fn has_emptied(&self) -> bool {
        false
    }

    /// The dots in it as a context that holds exactly them.
    fn dots(&self) -> CausalContext {
        let mut dots = Vec::new();
        self.for_each_dot(&mut |dot| dots.push(dot));
        // In node order every insert goes to the end.
        dots.sort_unstable_by_key(|dot| (dot.node(), dot.stamp()));
        dots.into_iter().collect()
    }
}
