//! The same worlds once more, without any of the explorer: depth first, over every interleaving,
//! states in a set as texts that say everything.
//!
//! Written from what the page says can happen, with a rule of its own for stamps: only how many
//! states there are must come out the same.

use std::collections::BTreeSet;

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, Lattice, OrSet};

/// What a script does. Nodes are counted from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Do {
    Add(&'static str),
    Remove(&'static str),
    SendAll,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    pub(crate) losses: u32,
    pub(crate) doubles: u32,
    pub(crate) crashes: u32,
    pub(crate) clock_steps: u32,
}

/// What a node knows: its set, the last stamp it made or saw, the writes it received.
#[derive(Clone, Debug, Default)]
struct Knows {
    set: OrSet<String>,
    last: u64,
    received: BTreeSet<usize>,
}

#[derive(Clone, Debug)]
struct Node {
    now: Knows,
    stored: Knows,
    place: usize,
    clock: u64,
}

#[derive(Clone, Debug)]
struct Sent {
    #[expect(dead_code, reason = "a part of the text of a state")]
    from: usize,
    to: usize,
    set: OrSet<String>,
    last: u64,
    received: BTreeSet<usize>,
}

#[derive(Clone, Debug)]
struct World {
    nodes: Vec<Node>,
    sent: Vec<Sent>,
    /// Number, stamp and what its author had received.
    writes: Vec<(usize, u64, BTreeSet<usize>)>,
    left: Faults,
}

impl World {
    /// Everything there is, as a text.
    fn text(&self) -> String {
        let mut sent: Vec<String> = self.sent.iter().map(|sent| format!("{sent:?}")).collect();
        sent.sort();
        let mut writes = self.writes.clone();
        writes.sort();
        format!("{:?} {sent:?} {writes:?} {:?}", self.nodes, self.left)
    }

    /// A write that nobody knows has not happened.
    fn forget(&mut self) {
        let Self { nodes, sent, writes, .. } = self;
        writes.retain(|(number, ..)| {
            nodes
                .iter()
                .any(|n| n.now.received.contains(number) || n.stored.received.contains(number))
                || sent.iter().any(|sent| sent.received.contains(number))
        });
    }
}

/// How many states there are, with faults up to a budget.
pub(crate) fn count(scripts: &[Vec<Do>], left: Faults) -> usize {
    let node = || {
        let (now, stored) = (Knows::default(), Knows::default());
        Node { now, stored, place: 0, clock: 1 << 40 }
    };
    let nodes = scripts.iter().map(|_| node()).collect();
    let world = World { nodes, sent: Vec::new(), writes: Vec::new(), left };
    let mut seen = BTreeSet::new();
    visit(scripts, &world, &mut seen);
    seen.len()
}

fn visit(scripts: &[Vec<Do>], world: &World, seen: &mut BTreeSet<String>) {
    if seen.insert(world.text()) {
        for next in after(scripts, world) {
            visit(scripts, &next, seen);
        }
    }
}

/// Every state that can be next.
fn after(scripts: &[Vec<Do>], world: &World) -> Vec<World> {
    let mut next = Vec::new();
    for at in 0..scripts.len() {
        next.extend(act(scripts, world, at));
        next.extend(crash(world, at));
        let writes = |does: &Do| !matches!(does, Do::SendAll);
        let to_write = scripts[at][world.nodes[at].place..].iter().any(writes);
        if world.left.clock_steps > 0 && to_write {
            for forward in [true, false] {
                let mut world = world.clone();
                world.left.clock_steps -= 1;
                let clock = &mut world.nodes[at].clock;
                *clock = if forward { *clock + (1 << 30) } else { *clock - (1 << 30) };
                next.push(world);
            }
        }
    }
    for at in 0..world.sent.len() {
        let mut lost = world.clone();
        let sent = lost.sent.remove(at);
        let mut arrived = lost.clone();
        let node = &mut arrived.nodes[sent.to].now;
        node.set.join(&sent.set);
        node.last = node.last.max(sent.last);
        node.received.extend(&sent.received);
        next.push(arrived);
        if world.left.losses > 0 {
            lost.left.losses -= 1;
            lost.forget();
            next.push(lost);
        }
        if world.left.doubles > 0 {
            let mut doubled = world.clone();
            doubled.left.doubles -= 1;
            doubled.sent.push(sent);
            next.push(doubled);
        }
    }
    next
}

fn act(scripts: &[Vec<Do>], world: &World, at: usize) -> Option<World> {
    let does = scripts[at].get(world.nodes[at].place)?;
    let mut world = world.clone();
    world.nodes[at].place += 1;
    let writes = scripts.iter().take(at).flatten().chain(&scripts[at][..world.nodes[at].place - 1]);
    let number = writes.filter(|does| !matches!(does, Do::SendAll)).count();
    let node = &mut world.nodes[at];
    let stamp = (node.now.last + 1).max(node.clock);
    let dot = || Dot::new(NodeId::new(at as u32 + 1), Stamp::from_u64(stamp).unwrap());
    match *does {
        Do::Add(x) => drop(node.now.set.insert(dot(), x.to_owned()).unwrap()),
        Do::Remove(x) => drop(node.now.set.remove(dot(), x).unwrap()),
        Do::SendAll => {
            node.stored = node.now.clone();
            let Knows { set, last, received } = node.now.clone();
            // Who looks at a state sees the stamps that are in it.
            let last = if received.is_empty() { 0 } else { last };
            for to in (0..scripts.len()).filter(|&to| to != at) {
                let (set, received) = (set.clone(), received.clone());
                world.sent.push(Sent { from: at, to, set, last, received });
            }
            return Some(world);
        }
    }
    world.writes.push((number, stamp, node.now.received.clone()));
    node.now.last = stamp;
    node.now.received.insert(number);
    Some(world)
}

fn crash(world: &World, at: usize) -> Option<World> {
    let node = &world.nodes[at];
    let loses = format!("{:?}", node.now) != format!("{:?}", node.stored);
    if world.left.crashes == 0 || !loses {
        return None;
    }
    let mut world = world.clone();
    world.left.crashes -= 1;
    world.nodes[at].now = world.nodes[at].stored.clone();
    world.forget();
    Some(world)
}
