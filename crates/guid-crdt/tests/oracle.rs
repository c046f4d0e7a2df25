//! Random histories against the meaning of each type, at every replica, after every step.
//!
//! # The idea
//!
//! What a type *means* is one line over the events that a replica has seen and happens-before among
//! them: no state, no join, no delta. A history is run twice, by the type and by such lines, and
//! the two are compared after each step. Two to five replicas write, join one another, are joined
//! while others go on, restart, and see stale snapshots; their clocks are wrong and step back.
//!
//! Three ways of exchange: full states; deltas in causal order; deltas shuffled, duplicated,
//! grouped and dropped, repaired by full states. In the end everybody is joined in every order:
//! values, states and bytes must be equal.
//!
//! `ORACLE_HISTORIES` sets how many histories a type and way of exchange get, `ORACLE_SEED` which.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "oracle/history.rs"]
mod history;
#[path = "oracle/rng.rs"]
mod rng;
#[path = "oracle/spec.rs"]
mod spec;

use history::{Exchange, run};
use spec::{LwwSpec, MvSpec, OrSetSpec, Spec};

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check<S: Spec>(exchange: Exchange) {
    let (histories, seed) = (env("ORACLE_HISTORIES", 1500), env("ORACLE_SEED", 1));
    let mut stats = history::Stats::default();
    for number in 0..histories {
        // One seed for a history, so that a failing one can be run alone.
        run::<S>(exchange, seed.wrapping_add(number), &mut stats);
    }
    println!("{} {exchange:?}: {histories} histories from seed {seed}, {stats:?}", S::NAME);
    assert!(stats.checks > 5 * histories, "the states were hardly checked: {stats:?}");
}

#[test]
fn or_set_by_full_state() {
    check::<OrSetSpec>(Exchange::States);
}

#[test]
fn or_set_by_deltas_in_order() {
    check::<OrSetSpec>(Exchange::DeltasInOrder);
}

#[test]
fn or_set_by_deltas_in_disorder() {
    check::<OrSetSpec>(Exchange::DeltasInDisorder);
}

#[test]
fn lww_register_by_full_state() {
    check::<LwwSpec>(Exchange::States);
}

#[test]
fn lww_register_by_deltas_in_order() {
    check::<LwwSpec>(Exchange::DeltasInOrder);
}

#[test]
fn lww_register_by_deltas_in_disorder() {
    check::<LwwSpec>(Exchange::DeltasInDisorder);
}

#[test]
fn mv_register_by_full_state() {
    check::<MvSpec>(Exchange::States);
}

#[test]
fn mv_register_by_deltas_in_order() {
    check::<MvSpec>(Exchange::DeltasInOrder);
}

#[test]
fn mv_register_by_deltas_in_disorder() {
    check::<MvSpec>(Exchange::DeltasInDisorder);
}
