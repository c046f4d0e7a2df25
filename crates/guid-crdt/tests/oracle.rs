//! Random histories against the meaning of each type, at every replica, after every step.
//!
//! # The idea
//!
//! What a type *means* is one line over the events that a replica has seen and happens-before among
//! them: no state, no join, no delta. A history is run twice, by the type and by such lines, and
//! the two are compared after each step. Two to five replicas write, join one another, are joined
//! while others go on, restart, and see stale snapshots; their clocks are wrong and step back.
//!
//! Four ways of exchange: full states; deltas in causal order; deltas shuffled, duplicated, grouped
//! and dropped, repaired by full states; by peers over a bad network. In the end everybody is
//! joined in every order: values, states and bytes must be equal.
//!
//! `ORACLE_HISTORIES` sets how many histories a type and way of exchange get, `ORACLE_SEED` which.
//! The long run, with a table of what was checked, is `examples/oracle.rs`.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "oracle/history.rs"]
mod history;
#[path = "oracle/peers.rs"]
mod peers;
#[path = "oracle/rng.rs"]
mod rng;
#[path = "oracle/spec.rs"]
mod spec;
#[path = "oracle/types.rs"]
mod types;

use history::{Exchange, run};
use spec::Spec;

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check<S: Spec>(exchange: Exchange) {
    check_by::<S>(&format!("{exchange:?}"), |seed, stats| run::<S>(exchange, seed, stats));
}

fn check_by_peers<S: Spec>()
where
    guid_crdt::Message<S::State>: spec::Carry,
{
    check_by::<S>("Peers", peers::run::<S>);
}

fn check_by<S: Spec>(exchange: &str, run: impl Fn(u64, &mut history::Stats)) {
    let (histories, seed) = (env("ORACLE_HISTORIES", 1500), env("ORACLE_SEED", 1));
    let mut stats = history::Stats::default();
    for number in 0..histories {
        // One seed for a history, so that a failing one can be run alone.
        run(seed.wrapping_add(number), &mut stats);
    }
    println!("{} {exchange}: {histories} histories from seed {seed}, {stats:?}", S::NAME);
    assert!(stats.checks > 5 * histories, "the states were hardly checked: {stats:?}");
}

/// Four tests a type, one a way of exchange.
macro_rules! oracle {
    ($($name:ident: $spec:ty),* $(,)?) => {
        $(mod $name {
            use super::{Exchange, check, check_by_peers, spec::*};

            #[test]
            fn by_full_state() {
                check::<$spec>(Exchange::States);
            }

            #[test]
            fn by_deltas_in_order() {
                check::<$spec>(Exchange::DeltasInOrder);
            }

            #[test]
            fn by_deltas_in_disorder() {
                check::<$spec>(Exchange::DeltasInDisorder);
            }

            #[test]
            fn by_peers() {
                check_by_peers::<$spec>();
            }
        })*
    };
}

types::every_type!(oracle);
