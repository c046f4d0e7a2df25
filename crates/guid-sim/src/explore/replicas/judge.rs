//! What must hold in every state of a world of replicas.
//!
//! * `as-specified`: each replica shows what the specification says of the writes it received. Not
//!   looked at where it received a write and not all that happened before: single writes can
//!   arrive like that, and what they mean then is not specified.
//! * `strong-eventual-consistency`: replicas that received the same writes have equal states and
//!   show the same
//! * `converged`: where scripts and messages are done, the join of all is one, in either order, and
//!   shows what the specification says of all writes that somebody knows
//!
//! Two more are looked at as things happen: a replica `grows`, and what is sent is `accepted`; a
//! dot that is used twice breaks `one-dot-one-write`.

use guid_crdt::{Causality, Lattice};

use super::{
    Replicas, bits,
    state::{Events, Memory, ReplicasState},
};
use crate::explore::{Happened, Subject, Violation};

type State<S> = ReplicasState<<S as Subject>::State>;

pub(super) fn judge<S: Subject>(world: &Replicas<S>, state: &State<S>) -> Result<(), Violation> {
    for (at, node) in state.nodes.iter().enumerate() {
        shown(world, state, at, &node.now)?;
    }
    for (a, b) in pairs(state.nodes.len()) {
        alike(world, state, a, b)?;
    }
    let done = |(node, script): (&std::rc::Rc<super::state::Node<_>>, &super::Script<_>)| {
        node.place == script.does.len()
    };
    let is_over = state.letters.is_empty() && state.nodes.iter().zip(&world.scripts).all(done);
    if is_over { converged(world, state) } else { Ok(()) }
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |b| (0..b).map(move |a| (a, b)))
}

/// What a replica shows, if that is what it must show. Told once for each memory: the writes that
/// it received stay what they are.
pub(super) fn shown<'a, S: Subject>(
    world: &Replicas<S>,
    state: &State<S>,
    at: usize,
    memory: &'a Memory<S::State>,
) -> Result<&'a str, Violation> {
    let judged = memory.judged.get_or_init(|| {
        let shown = world.subject.show(memory.saved.state());
        match meaning(world, state, memory.seen) {
            Some(meant) if meant != shown => {
                let what = format!("n{} shows {shown}, expected {meant}", at + 1);
                Err(Violation::new("as-specified", what))
            }
            _ => Ok(shown),
        }
    });
    judged.as_deref().map_err(Clone::clone)
}

/// What the specification says of a set of writes; nothing where what happened before one of them
/// is not among them.
fn meaning<S: Subject>(world: &Replicas<S>, state: &State<S>, received: Events) -> Option<String> {
    let happened = |number| {
        let written = state.known[number as usize]?;
        let op = world.op(number)?;
        Some(Happened { op, dot: written.dot, number, seen: written.seen })
    };
    let writes: Vec<Happened<'_, S::Op>> = bits(received).filter_map(happened).collect();
    let is_closed = writes.iter().all(|write| write.seen & !received == 0);
    if is_closed { world.subject.meaning(&writes) } else { None }
}

/// Two replicas that received the same are the same.
fn alike<S: Subject>(
    world: &Replicas<S>,
    state: &State<S>,
    a: usize,
    b: usize,
) -> Result<(), Violation> {
    let (one, other) = (&state.nodes[a].now, &state.nodes[b].now);
    if one.seen != other.seen {
        return Ok(());
    }
    let same = one.saved.state().compare(other.saved.state()) == Causality::Equal;
    let (x, y) = (shown(world, state, a, one)?, shown(world, state, b, other)?);
    if same && x == y {
        return Ok(());
    }
    let differ = if x == y { ", and their states differ" } else { "" };
    let (a, b) = (a + 1, b + 1);
    let what = format!("n{a} and n{b} received the same and show {x} and {y}{differ}");
    Err(Violation::new("strong-eventual-consistency", what))
}

/// All states joined, upwards and downwards, are one, and show what all writes mean.
fn converged<S: Subject>(world: &Replicas<S>, state: &State<S>) -> Result<(), Violation> {
    let states = || state.nodes.iter().map(|node| node.now.saved.state());
    let up = states().fold(S::State::default(), Lattice::joined);
    let down = states().rev().fold(S::State::default(), Lattice::joined);
    let (x, y) = (world.subject.show(&up), world.subject.show(&down));
    if up.compare(&down) != Causality::Equal || x != y {
        let what = format!("joined in one order all show {x}, in the other {y}");
        return Err(Violation::new("converged", what));
    }
    let all = state.nodes.iter().fold(0, |all, node| all | node.now.seen);
    match meaning(world, state, all) {
        Some(meant) if meant != x => {
            Err(Violation::new("converged", format!("all joined show {x}, expected {meant}")))
        }
        _ => Ok(()),
    }
}
