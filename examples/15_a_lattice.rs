//! What makes copies agree: a join that cares for neither order nor repetition. Three messages in
//! every order, some of them twice.

use std::collections::BTreeSet;

use guid_crdt::{Causality, Lattice};

/// A set that only grows. Its join is the union.
#[derive(Clone, Debug, Default, PartialEq)]
struct Words(BTreeSet<&'static str>);

impl Lattice for Words {
    fn join(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    fn compare(&self, other: &Self) -> Causality {
        Causality::from_within(self.0.is_subset(&other.0), other.0.is_subset(&self.0))
    }
}

/// All the orders of three messages.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn main() {
    let said = [["time", "is"], ["is", "an"], ["an", "illusion"]].map(|words| Words(words.into()));
    let (mut unions, mut latest, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    for order in ORDERS {
        let (mut union, mut last, mut sum) = (Words::default(), Words::default(), 0);
        for at in order {
            // The first message comes twice: its sender was not sure that it had arrived.
            for _ in 0..if at == 0 { 2 } else { 1 } {
                union.join(&said[at]);
                last = said[at].clone();
                sum += said[at].0.len();
            }
        }
        unions.push(union);
        latest.push(last);
        sums.push(sum);
    }
    let distinct = |states: &[Words]| {
        let all: BTreeSet<_> = states.iter().map(|state| &state.0).collect();
        all.len()
    };
    println!("six orders, one message twice, and the outcomes:");
    println!("  the union of all:  {} outcome, {:?}", distinct(&unions), unions[0].0);
    println!("  the last to come:  {} outcomes", distinct(&latest));
    println!("  the sum of sizes:  always {}, for 6 words sent", sums[0]);

    let (a, b) = (&said[0], &said[1]);
    let both = a.clone().joined(b);
    println!("{:?} is {} to {:?}", a.0, a.compare(b), b.0);
    println!("{:?} is {} than {:?}", a.0, a.compare(&both), both.0);
}
