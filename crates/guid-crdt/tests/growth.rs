//! What accumulates and what does not: the table of `Stability`, measured in bytes.
//!
//! Each type is used for long by three nodes that keep merging, over few keys and over ever new
//! ones. What is removed must leave nothing, or exactly the entry that the table says.

#![cfg(feature = "wire")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "oracle/rng.rs"]
mod rng;

use core::time::Duration;

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    AwLwwMap, BoundedCounter, Doc, Dot, DwFlag, EwFlag, FwwRegister, GCounter, GSet, Lattice,
    LwwMap, LwwRegister, LwwSet, Max, MutateError, MvRegister, OrMap, OrSet, PnCounter, Replica,
    Replicated, ResettableCounter, RwSet, Stability, TwoPhaseSet, Versioned,
    wire::{self, Wire},
};
use rng::Rng;

type Change<T> = fn(&mut T, Dot, u32) -> Result<<T as Replicated>::Delta, MutateError>;

/// The bytes of a state after so many rounds in which each of three nodes makes these changes.
fn bytes<T: Replicated + Wire>(rounds: u32, changes: &[Change<T>]) -> usize {
    let replica = |node| Replica::<T, _>::new(NodeId::new(node), ManualClock::new(1 << 40));
    let mut replicas: Vec<_> =
        (1..=3).map(|node| replica(node).with_max_ahead(Duration::MAX)).collect();
    for round in 0..rounds {
        for at in 0..3 {
            for change in changes {
                replicas[at].write(|state, dot| change(state, dot, round)).unwrap();
            }
            let state = replicas[at].snapshot();
            replicas[(at + 1) % 3].join(&state).unwrap();
        }
    }
    wire::encode(replicas[0].state()).unwrap().len()
}

/// Once everything is warm nothing grows: stamps may take a byte or two more each.
#[track_caller]
fn stays<T: Replicated + Wire>(changes: &[Change<T>]) {
    let (few, many) = (bytes::<T>(50, changes), bytes::<T>(1000, changes));
    assert!(many <= few + 40 && many < 400, "{few} bytes, then {many}");
}

/// An entry for each key that was ever there, removed or not.
#[track_caller]
fn grows_by_keys<T: Replicated + Wire>(changes: &[Change<T>]) {
    let (few, many) = (bytes::<T>(100, changes), bytes::<T>(1100, changes));
    let per_key = (many - few) / 1000;
    assert!((1..=16).contains(&per_key), "{per_key} bytes a key: {few}, then {many}");
}

/// Ever new elements and keys, each removed again: the causal types keep nothing of them.
#[test]
fn causal_types_keep_nothing_of_what_is_removed() {
    stays::<OrSet<u32>>(&[|s, dot, n| s.insert(dot, n), |s, dot, n| s.remove(dot, &n)]);
    stays::<OrMap<u32, OrSet<u32>>>(&[
        |m, dot, n| m.update(dot, n, |set| set.insert(dot, n)),
        |m, dot, n| m.remove(dot, &n),
    ]);
    stays::<OrMap<u32, ResettableCounter>>(&[
        |m, dot, n| m.update(dot, n, |count| count.add(dot, 1)),
        |m, dot, n| m.remove(dot, &n),
    ]);
    stays::<AwLwwMap<u32, u32>>(&[|m, dot, n| m.put(dot, n, n), |m, dot, n| m.remove(dot, &n)]);
    stays::<MvRegister<u32>>(&[|r, dot, n| r.set(dot, n)]);
    stays::<EwFlag>(&[|f, dot, _| f.enable(dot), |f, dot, _| f.disable(dot)]);
    stays::<ResettableCounter>(&[|c, dot, _| c.add(dot, 5), |c, dot, _| c.reset(dot)]);
    stays::<Doc>(&[
        |d, dot, n| d.edit(dot, |doc| doc.map("m", |map| map.set(&n.to_string(), "x"))),
        |d, dot, n| d.edit(dot, |doc| doc.map("m", |map| map.delete(&n.to_string()))),
    ]);
}

/// One value or one row a node, however often they are written.
#[test]
fn registers_flags_and_counters_do_not_grow() {
    stays::<LwwRegister<u32>>(&[|r, dot, n| r.set(dot, n)]);
    stays::<DwFlag>(&[|f, dot, _| f.disable(dot), |f, dot, _| f.enable(dot)]);
    stays::<GCounter>(&[|c, dot, _| c.add(dot, 5)]);
    stays::<PnCounter>(&[|c, dot, _| c.add(dot, -5)]);
    stays::<BoundedCounter>(&[|c, dot, _| c.add(dot, 5), |c, dot, _| c.take(dot, 5)]);
    stays::<Max<u32>>(&[|m, _, n| Ok(m.raise(n))]);
    stays::<FwwRegister<u32>>(&[|r, dot, n| r.set(dot, n).or_else(|_| Ok(FwwRegister::new()))]);
}

/// Elements and keys that were removed stay, as the table says.
#[test]
fn the_others_keep_an_entry_for_each_key() {
    grows_by_keys::<RwSet<u32>>(&[|s, dot, n| s.insert(dot, n), |s, dot, n| s.remove(dot, n)]);
    grows_by_keys::<LwwSet<u32>>(&[|s, dot, n| s.insert(dot, n), |s, dot, n| s.remove(dot, n)]);
    grows_by_keys::<LwwMap<u32, u32>>(&[
        |m, dot, n| m.put(dot, n, n),
        |m, dot, n| m.remove(dot, n),
    ]);
    grows_by_keys::<TwoPhaseSet<u32>>(&[|s, _, n| Ok(s.insert(n)), |s, _, n| Ok(s.remove(n))]);
    grows_by_keys::<GSet<u32>>(&[|s, _, n| Ok(s.insert(n))]);
}

/// A resettable counter keeps an entry for each addition since the last reset, and no longer.
#[test]
fn a_resettable_counter_grows_until_it_is_reset() {
    let added = bytes::<ResettableCounter>(1000, &[|c, dot, _| c.add(dot, 5)]);
    assert!(added > 3 * 1000 * 3, "{added} bytes for 3,000 additions");
    stays::<ResettableCounter>(&[
        |c, dot, _| c.add(dot, 5),
        |c, dot, n| if n % 10 == 9 { c.reset(dot) } else { c.add(dot, 1) },
    ]);
}

/// Of each node that ever wrote, every context keeps a span: some bytes, and no more.
#[test]
fn a_context_keeps_a_span_a_node() {
    let state = |nodes: u32| {
        let mut set = OrSet::<u32>::default();
        for node in 1..=nodes {
            let mut one = Replica::<OrSet<u32>, _>::new(
                NodeId::new(node.wrapping_mul(0x9e37_79b9)),
                ManualClock::new((1 << 40) + (u64::from(node) << 30)),
            );
            one.write(|set, dot| set.insert(dot, 1)).unwrap();
            one.write(|set, dot| set.remove(dot, &1)).unwrap();
            set.join(one.state());
        }
        assert!(set.is_empty());
        wire::encode(&set).unwrap().len()
    };
    let per_node = (state(1100) - state(100)) / 1000;
    assert!((8..=16).contains(&per_node), "{per_node} bytes a node");
}

/// A remove-wins set forgets what is settled: it is as small as if nothing had been removed.
#[test]
fn a_remove_wins_set_forgets_what_is_settled() {
    let clock = || ManualClock::new(1 << 40);
    let mut here = Replica::<RwSet<u32>, _>::new(NodeId::new(1), clock());
    let mut there = Replica::<RwSet<u32>, _>::new(NodeId::new(2), clock());
    for n in 0..100 {
        here.write(|set, dot| set.insert(dot, n)).unwrap();
        here.write(|set, dot| set.remove(dot, n)).unwrap();
    }
    let mut group = Stability::of([here.node(), there.node()]);
    let heard = |group: &mut Stability, replica: &Replica<RwSet<u32>, ManualClock>| {
        group.heard(replica.node(), &replica.state().version());
    };
    let forget = |group: &Stability, replica: &mut Replica<RwSet<u32>, ManualClock>| {
        let settled = group.settled(replica.state().context());
        replica.write(|set, dot| set.forget(dot, &settled)).unwrap();
        wire::encode(replica.state()).unwrap().len()
    };
    heard(&mut group, &here);
    heard(&mut group, &there);
    let before = forget(&group, &mut here);
    assert!(before > 300, "the other one has seen nothing: {before} bytes");
    there.join(here.state()).unwrap();
    there.write(|set, dot| set.insert(dot, 7)).unwrap();
    heard(&mut group, &there);
    assert!(forget(&group, &mut here) > 300, "what the other one added is not here yet");
    here.join(there.state()).unwrap();
    let after = forget(&group, &mut here);
    assert!(after < 60, "{before} bytes, then {after}");
    there.join(here.state()).unwrap();
    assert!(there.state().iter().eq(&[7]));
}

/// Sets that forget now and then, beside the same sets that never do: they show the same, at every
/// replica after every step.
#[test]
fn forgetting_shows_nowhere() {
    let (mut forgot, mut left) = (0, 0);
    for seed in 0..3000 {
        let mut random = Rng::new(seed);
        let replica = |node| {
            let set = Replica::<RwSet<u32>, _>::new(NodeId::new(node), ManualClock::new(0));
            set.with_max_ahead(Duration::MAX)
        };
        let mut sets: Vec<_> = (1..=3).map(replica).collect();
        let mut shadows: Vec<_> = (1..=3).map(replica).collect();
        let mut groups = vec![Stability::of((1..=3).map(NodeId::new)); 3];
        for step in 0..40_u64 {
            // One stamp for both; nodes write in turn often enough that clocks do not matter.
            let (at, from) = (random.below(3), random.below(3));
            let element = u32::try_from(random.below(3)).unwrap();
            let stamp = Stamp::from_u64(step + 1).unwrap();
            let write = |set: &mut Replica<RwSet<u32>, ManualClock>, on: bool, element| {
                set.write_with_stamp(stamp, |set, dot| {
                    if on { set.insert(dot, element) } else { set.remove(dot, element) }
                })
                .unwrap();
            };
            match random.below(8) {
                0..2 => {
                    let on = random.chance(50);
                    write(&mut sets[at], on, element);
                    write(&mut shadows[at], on, element);
                }
                2..5 => {
                    let (state, shadow) = (sets[from].snapshot(), shadows[from].snapshot());
                    sets[at].join(&state).unwrap();
                    shadows[at].join(&shadow).unwrap();
                }
                5..7 => {
                    // What the others have seen is heard of at once, or late.
                    for other in &sets {
                        if random.chance(70) {
                            groups[at].heard(other.node(), other.state().context());
                        }
                    }
                }
                _ => {
                    let settled = groups[at].settled(sets[at].state().context());
                    let set = &mut sets[at];
                    let delta = set.write_with_stamp(stamp, |set, dot| set.forget(dot, &settled));
                    forgot += usize::from(!delta.unwrap().builds_on().is_empty());
                    write(&mut shadows[at], false, 99); // an event that shows nothing
                }
            }
            for (set, shadow) in sets.iter().zip(&shadows) {
                assert!(set.state().iter().eq(shadow.state().iter()), "seed {seed}, step {step}");
            }
        }
        left += sets[0].state().len();
    }
    assert!(forgot > 100 && left > 300, "{forgot} forgotten, {left} left");
}
