//! What happened before what: clocks say one thing for every two events, vector clocks say when
//! there is nothing to say.

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, Lattice, VectorClock};

/// An event, and all that happened before it, itself included.
#[derive(Clone)]
struct Event {
    name: &'static str,
    dot: Dot,
    past: VectorClock,
}

/// An event of a node at a reading of its clock, after what the node has seen.
fn event(name: &'static str, node: u32, clock_s: u64, seen: &[&Event]) -> Event {
    let mut past = VectorClock::new();
    for earlier in seen {
        past.join(&earlier.past);
    }
    let dot = Dot::new(NodeId::new(node), Stamp::from_unix_nanos(clock_s * 1_000_000_000));
    past.record(dot);
    Event { name, dot, past }
}

fn main() {
    // The clock of node 2 is a minute late, and nobody corrects for what is received.
    let ask = event("ask", 1, 100, &[]);
    let answer = event("answer", 2, 45, &[&ask]); // five seconds after the question
    let apart = event("apart", 3, 103, &[]); // heard of neither
    let thanks = event("thanks", 1, 107, &[&ask, &answer]);

    println!("{:<18} {:<12} what happened", "", "the clocks");
    for (a, b) in [(&ask, &answer), (&answer, &thanks), (&ask, &apart), (&apart, &thanks)] {
        let clocks = if a.dot < b.dot { "Before" } else { "After" };
        let pair = format!("{}, {}", a.name, b.name);
        println!("{pair:<18} {clocks:<12} {:?}", a.past.compare(&b.past));
    }
}
