//! Worlds and types of one's own, through the public traits.

use std::collections::BTreeSet;

use guid_crdt::{
    Causality, Changed, Dot, Gap, Lattice, MutateError, Replicated, VectorClock, Versioned,
    wire::{Decoder, Encoder, Wire, WireError},
};
use guid_sim::{
    Verdict,
    explore::{Do, Happened, Luck, Model, Replicas, Subject, Violation, explore, random, shorten},
    workload::Ship,
};

/// A set whose join takes what comes for the news, and drops what was added here meanwhile.
#[derive(Clone, Debug, Default, PartialEq)]
struct Newest {
    entries: BTreeSet<u8>,
    seen: VectorClock,
}

impl Lattice for Newest {
    fn join(&mut self, other: &Self) {
        match self.compare(other) {
            Causality::Before | Causality::Concurrent => self.entries.clone_from(&other.entries),
            _ => {}
        }
        self.seen.join(&other.seen);
    }

    fn compare(&self, other: &Self) -> Causality {
        self.seen.compare(&other.seen)
    }
}

impl Replicated for Newest {
    type Delta = Self;

    fn frontier(&self) -> VectorClock {
        self.seen.clone()
    }

    fn delta_frontier(delta: &Self) -> VectorClock {
        delta.seen.clone()
    }

    fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
        self.join(delta);
        Ok(Changed::Yes)
    }
}

impl Versioned for Newest {
    type Version = VectorClock;

    fn version(&self) -> VectorClock {
        self.seen.clone()
    }

    fn delta_version(delta: &Self) -> VectorClock {
        delta.seen.clone()
    }

    fn delta_since(&self, _: &VectorClock) -> Option<Self> {
        None
    }
}

impl Wire for Newest {
    const TAG: [u8; 4] = *b"Newe";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        self.seen.write(out)?;
        out.value(&self.entries)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let seen = VectorClock::read(input)?;
        Ok(Self { entries: input.value()?, seen })
    }
}

/// The set, with or without a specification.
struct Bag {
    specified: bool,
}

impl Subject for Bag {
    type State = Newest;
    type Op = u8;

    fn act(&self, state: &mut Newest, dot: Dot, &op: &u8) -> Result<Newest, MutateError> {
        state.entries.insert(op);
        state.seen.record(dot);
        Ok(state.clone())
    }

    fn show(&self, state: &Newest) -> String {
        format!("{:?}", state.entries)
    }

    fn meaning(&self, received: &[Happened<'_, u8>]) -> Option<String> {
        let all: BTreeSet<u8> = received.iter().map(|write| *write.op).collect();
        self.specified.then(|| format!("{all:?}"))
    }
}

fn bags(specified: bool) -> Replicas<Bag> {
    Replicas::new(Bag { specified }, Ship::State)
        .node([Do::Write(1), Do::SendAll, Do::Write(2)])
        .node([Do::Write(3), Do::SendAll])
        .node([Do::SendAll])
}

/// Every run up to a length, with no state remembered: whether one breaks something.
fn breaks_within<M: Model>(model: &M, state: &M::State, steps: usize) -> bool {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    steps > 0
        && actions.iter().any(|action| {
            let mut next = state.clone();
            let stepped = model.apply(&mut next, action).and_then(|()| model.check(&next));
            stepped.is_err() || breaks_within(model, &next, steps - 1)
        })
}

#[test]
fn a_join_that_drops_a_concurrent_add_is_found_and_no_shorter_run_finds_it() {
    let world = bags(true);
    let explored = explore(&world, 1_000_000, &mut |_| ());
    let found = explored.found.unwrap();
    assert_eq!(found.violation.to_string(), "as-specified: n2 shows {1}, expected {1, 3}");
    let start = world.start();
    assert!(breaks_within(&world, &start, found.run.len()));
    assert!(!breaks_within(&world, &start, found.run.len() - 1));

    // Every prefix holds, and the whole run breaks it when it is carried out by hand.
    let mut state = start;
    for (at, step) in found.run.iter().enumerate() {
        let stepped = world.apply(&mut state, step).and_then(|()| world.check(&state));
        assert_eq!(stepped.err(), (at + 1 == found.run.len()).then(|| found.violation.clone()));
    }
}

/// Without a specification it is the replicas that disagree, which takes longer to show.
#[test]
fn without_a_specification_disagreement_is_found() {
    let explored = explore(&bags(false), 1_000_000, &mut |_| ());
    assert_eq!(explored.verdict(), Verdict::Violated);
    let found = explored.found.unwrap();
    assert_eq!(found.violation.invariant, "strong-eventual-consistency");
    assert!(found.run.len() > 4);
}

/// `n` switches; what must not be is that all are on, `allowed` or not.
struct Switches {
    n: u8,
    allowed: bool,
}

impl Model for Switches {
    type State = u32;
    type Action = u8;

    fn start(&self) -> u32 {
        0
    }

    fn actions(&self, state: &u32, out: &mut Vec<u8>) {
        out.extend((0..self.n).filter(|&switch| state >> switch & 1 == 0));
    }

    fn apply(&self, state: &mut u32, &switch: &u8) -> Result<(), Violation> {
        *state |= 1 << switch;
        Ok(())
    }

    fn check(&self, state: &u32) -> Result<(), Violation> {
        // The first two on before the third.
        let wrong = !self.allowed && state & 0b111 == 0b011;
        if wrong { Err(Violation::new("third-first", format!("{state:b}"))) } else { Ok(()) }
    }

    fn encode(&self, state: &u32, out: &mut Vec<u8>) {
        out.extend(state.to_le_bytes());
    }

    fn agent(&self, _: &u32, &switch: &u8) -> Option<u64> {
        Some(switch.into())
    }
}

/// All subsets are states, and an edge for each element that is not in.
#[test]
fn a_lattice_of_subsets_is_counted() {
    let explored = explore(&Switches { n: 16, allowed: true }, 1 << 20, &mut |_| ());
    assert_eq!((explored.states, explored.transitions), (1 << 16, 16 << 15));
    assert_eq!((explored.depth, explored.ends, explored.complete), (16, 1, true));
}

#[test]
fn what_is_not_needed_is_left_out() {
    let switches = Switches { n: 20, allowed: false };
    let drawn = random(&switches, Luck::new(1_000, 5), &mut |_| ());
    let (_, found) = drawn.found.unwrap();
    let shortened = shorten(&switches, found);
    assert_eq!(shortened.violation.to_string(), "third-first: 11");
    let mut run = shortened.run;
    run.sort_unstable();
    assert_eq!(run, [0, 1]);
}

/// Who watches is told now and then, and of no more than there may be.
#[test]
fn a_search_tells_how_far_it_is() {
    let mut told = Vec::new();
    let model = Switches { n: 16, allowed: true };
    explore(&model, 1 << 15, &mut |progress| told.push((progress.done, progress.most)));
    assert_eq!(told.len(), 8);
    assert!(told.is_sorted() && told.iter().all(|&(done, most)| done <= most && most == 1 << 15));
}
