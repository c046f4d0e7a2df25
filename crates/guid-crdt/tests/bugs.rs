//! What went wrong elsewhere, and once here, as named tests; `README.md` beside has the table.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    Dot, Lattice, LwwRegister, MvRegister, OrMap, OrSet, PnCounter, Replica, ResettableCounter,
};

fn dot(node: u32, stamp: u64) -> Dot {
    Dot::new(NodeId::new(node), Stamp::from_u64(stamp).unwrap())
}

fn elements(set: &OrSet<u8>) -> Vec<u8> {
    set.iter().copied().collect()
}

/// Clients that write in turn, through one server and through two that merge: what a server has
/// seen is replaced, so there is never more than one value a server.
#[test]
fn interleaved_writers_leave_no_siblings() {
    let mut servers = [MvRegister::new(), MvRegister::new()];
    for round in 0..200_u32 {
        for (at, server) in servers.iter_mut().enumerate() {
            let node = u32::try_from(at).unwrap() + 1;
            for client in 0..3 {
                let stamp = u64::from(round * 3 + client) + 1;
                server.set(dot(node, stamp), round * 10 + client).unwrap();
                assert_eq!(server.iter().len(), 1);
            }
        }
        if round % 7 == 0 {
            let other = servers[1].clone();
            servers[0].join(&other);
            assert_eq!(servers[0].iter().len(), 2);
        }
    }
}

/// A node that goes on under another name keeps what it counted, once.
#[test]
fn a_renewed_node_counts_nothing_twice() {
    let clock = || ManualClock::new(1 << 40);
    let mut old = Replica::<PnCounter, _>::new(NodeId::new(1), clock());
    old.write(|count, dot| count.add(dot, 5)).unwrap();
    let mut peer = Replica::<PnCounter, _>::new(NodeId::new(2), clock());
    assert!(peer.join(old.state()).unwrap().changed.is_yes());
    let mut renewed = old.renew(NodeId::new(3), clock());
    renewed.write(|count, dot| count.add(dot, -2)).unwrap();
    peer.write(|count, dot| count.add(dot, 10)).unwrap();
    for _ in 0..2 {
        peer.join(renewed.state()).unwrap();
        renewed.join(peer.state()).unwrap();
    }
    assert_eq!((peer.state().value(), renewed.state().value()), (13, 13));
}

/// A remove that moves no clock is skipped by whoever compares clocks first. Ours moves it.
#[test]
fn a_remove_is_an_event() {
    let mut set = OrSet::new();
    set.insert(dot(1, 1), 7).unwrap();
    let (before, mut behind) = (set.context().clone(), set.clone());
    set.remove(dot(1, 2), &7).unwrap();
    assert_ne!(set.context(), &before);
    behind.join(&set);
    assert!(elements(&behind).is_empty());
}

/// Both sides hold the element, each by a dot that the other side has removed.
#[test]
fn an_element_whose_dots_are_all_removed_somewhere_goes() {
    let (mut a, mut b) = (OrSet::new(), OrSet::new());
    a.insert(dot(1, 1), 7).unwrap();
    b.insert(dot(2, 1), 7).unwrap();
    let (a_before, b_before) = (a.clone(), b.clone());
    a.remove(dot(1, 2), &7).unwrap();
    a.join(&b_before);
    b.remove(dot(2, 2), &7).unwrap();
    b.join(&a_before);
    assert_eq!((elements(&a), elements(&b)), (vec![7], vec![7]));
    a.join(&b);
    assert!(elements(&a).is_empty());
}

/// Two members of one batch bear one dot, and joining with a copy is no misuse.
#[test]
fn one_dot_on_two_elements_is_fine() {
    let mut set = OrSet::new();
    set.insert_all(dot(1, 1), [1, 2]).unwrap();
    let copy = set.clone();
    set.join(&copy);
    assert_eq!(elements(&set), [1, 2]);
}

/// Found here by the oracle: 1 and 2 bear one dot; somebody overwrites 1. A group of deltas that
/// also writes 2 must not take the dot for removed under 2.
#[test]
fn a_group_of_deltas_removes_by_path_and_not_by_dot() {
    let (mut a, mut b) = (OrSet::new(), OrSet::new());
    let mut group = b.insert(dot(2, 1), 2).unwrap();
    a.insert_all(dot(1, 1), [1, 2]).unwrap();
    b.join(&a);
    group.join(&b.insert(dot(2, 2), 1).unwrap()).unwrap();
    a.apply(&group).unwrap();
    assert_eq!(elements(&a), [1, 2]);
    assert_eq!(a.seen(&2).len(), 2);
    assert_eq!(a, b);
}

/// An add takes the place of those it saw: one dot an element, however often it is added.
#[test]
fn adding_again_does_not_pile_up() {
    let mut set = OrSet::new();
    for stamp in 1..100 {
        set.insert(dot(1, stamp), 7).unwrap();
    }
    assert_eq!(set.seen(&7).as_slice(), [dot(1, 99)]);
}

/// Ten thousand elements came and went: what stays is a span per node.
#[test]
fn removed_elements_leave_no_tombstones() {
    let mut set = OrSet::new();
    for stamp in 0..10_000_u64 {
        let node = u32::from(stamp % 3 == 0);
        set.insert(dot(node, 2 * stamp), stamp % 7).unwrap();
        set.remove(dot(node, 2 * stamp + 1), &(stamp % 7)).unwrap();
    }
    assert!(set.is_empty());
    assert_eq!(set.context().len(), 2);
}

/// "Adds stop appearing": a remove's delta that claims the whole history of its writer makes the
/// receiver refuse what it has not seen. It must claim its own event and what it removed.
#[test]
fn a_remove_delta_claims_no_more_than_it_removed() {
    let (mut a, mut b) = (OrSet::new(), OrSet::new());
    let first = b.insert(dot(2, 5), 1).unwrap();
    b.insert(dot(2, 6), 2).unwrap();
    a.join(&b);
    let remove = a.remove(dot(1, 7), &1).unwrap();

    let mut receiver = OrSet::new();
    receiver.apply(&first).unwrap();
    receiver.apply(&remove).unwrap();
    assert!(elements(&receiver).is_empty());
    receiver.join(&b); // brings 2, which the remove's author had seen
    assert_eq!(elements(&receiver), [2]);
}

/// Deltas out of order make no holes that work as deletes.
#[test]
fn a_delta_that_skips_one_deletes_nothing() {
    let mut a = OrSet::new();
    let one = a.insert(dot(1, 1), 1).unwrap();
    let two = a.insert(dot(1, 2), 2).unwrap();
    let three = a.insert(dot(1, 3), 3).unwrap();
    let mut b = OrSet::new();
    b.apply(&one).unwrap();
    assert!(b.apply(&three).is_err());
    b.apply(&two).unwrap();
    b.apply(&three).unwrap();
    assert_eq!(a, b);
}

/// A remove before its add is refused, even where stamps are next to each other and would fuse.
/// Taken in, "2@6 is gone" would claim the event 2@6, which replaced 2@5, and 2@5 would stay for
/// good.
#[test]
fn a_remove_of_what_was_not_seen_is_refused() {
    let (mut a, mut b) = (OrSet::new(), OrSet::new());
    let add = b.insert(dot(2, 5), 1).unwrap();
    let again = b.insert(dot(2, 6), 1).unwrap();
    a.join(&b);
    let remove = a.remove(dot(1, 7), &1).unwrap();

    let mut receiver = OrSet::new();
    receiver.apply(&add).unwrap();
    let gap = receiver.apply(&remove).unwrap_err();
    assert_eq!(
        (gap.node, gap.have, gap.needs),
        (NodeId::new(2), Some(add_stamp()), dot(2, 6).stamp())
    );
    receiver.apply(&again).unwrap();
    receiver.apply(&remove).unwrap();
    assert_eq!(receiver, a);
}

fn add_stamp() -> Stamp {
    dot(2, 5).stamp()
}

/// A mutation without an effect is an event too, so that the next delta of its writer connects.
#[test]
fn an_update_without_effect_keeps_the_chain() {
    let mut a = OrSet::new();
    let one = a.insert(dot(1, 1), 1).unwrap();
    let nothing = a.remove(dot(1, 2), &9).unwrap();
    let two = a.insert(dot(1, 3), 2).unwrap();
    let mut b = OrSet::new();
    b.apply(&one).unwrap();
    assert!(b.apply(&two).is_err());
    b.apply(&nothing).unwrap();
    b.apply(&two).unwrap();
    assert_eq!(a, b);
}

/// An old delta, delivered again after a re-add, undoes nothing.
#[test]
fn an_old_delta_does_not_undo_a_re_add() {
    let mut a = OrSet::new();
    a.insert(dot(1, 1), 1).unwrap();
    let remove = a.remove(dot(1, 2), &1).unwrap();
    a.insert(dot(1, 3), 1).unwrap();
    a.apply(&remove).unwrap();
    assert_eq!(elements(&a), [1]);
}

/// Equal stamps: the node decides, in whatever order states meet and nodes are numbered.
#[test]
fn ties_do_not_depend_on_luck() {
    for (x, y) in [(1, 2), (2, 1)] {
        let (a, b) = (LwwRegister::written(dot(x, 5), 'a'), LwwRegister::written(dot(y, 5), 'b'));
        assert_eq!(a.clone().joined(&b), b.clone().joined(&a));
        let winner = if x > y { 'a' } else { 'b' };
        assert_eq!(a.joined(&b).get(), Some(&winner));
    }
}

/// Three concurrent writes, one of them overwritten: a value per dot, and not a clock per value.
#[test]
fn overwriting_some_of_the_values_keeps_the_others() {
    let mut registers: Vec<MvRegister<u8>> = vec![MvRegister::new(); 4];
    for (node, register) in (1..).zip(&mut registers[..3]) {
        register.set(dot(node, 5), u8::try_from(node).unwrap()).unwrap();
    }
    let (others, last) = registers.split_at_mut(3);
    last[0].join(&others[0]);
    last[0].join(&others[1]);
    last[0].set(dot(4, 6), 4).unwrap();
    last[0].join(&others[2]);
    assert_eq!(last[0].values(), [&3, &4]);
}

type Sets = OrMap<&'static str, OrSet<u8>>;
type Counts = OrMap<&'static str, ResettableCounter>;

fn elements_of(map: &Sets) -> Vec<u8> {
    map.get("f").iter().flat_map(elements).collect()
}

fn count_of(map: &Counts) -> i128 {
    map.get("n").map_or(0, |count| count.value())
}

/// The writer of what was removed writes again, without having seen the remove: what was removed
/// stays removed, and what is new stays.
#[test]
fn a_removed_key_is_reset_for_its_own_writer_too() {
    let mut a = Sets::new();
    a.update(dot(1, 1), "f", |set| set.insert(dot(1, 1), 1)).unwrap();
    let mut b = a.clone();
    b.remove(dot(2, 2), "f").unwrap();
    a.update(dot(1, 2), "f", |set| set.insert(dot(1, 2), 2)).unwrap();
    assert_eq!(elements_of(&a.clone().joined(&b)), [2]);
    assert_eq!(elements_of(&b.joined(&a)), [2]);
}

/// A chain of writes that each saw the last, joined in the order that broke it: one value.
#[test]
fn an_overwritten_value_in_a_map_does_not_come_back() {
    type Registers = OrMap<u8, MvRegister<u8>>;
    let (mut a, mut b, mut c) = (Registers::new(), Registers::new(), Registers::new());
    c.update(dot(3, 1), 0, |register| register.set(dot(3, 1), 2)).unwrap();
    a.join(&c);
    a.update(dot(1, 2), 1, |register| register.set(dot(1, 2), 6)).unwrap();
    b.join(&a);
    b.update(dot(2, 3), 1, |register| register.set(dot(2, 3), 12)).unwrap();
    let joined = b.joined(&c).joined(&a);
    assert_eq!(joined.get(&1).unwrap().values(), [&12]);
    assert_eq!(joined.get(&0).unwrap().values(), [&2]);
}

/// A count in a map: what the remove has seen is gone, what it has not seen counts. By states …
#[test]
fn a_count_that_is_removed_keeps_what_was_not_seen() {
    let mut a = Counts::new();
    a.update(dot(1, 1), "n", |count| count.add(dot(1, 1), 2)).unwrap();
    let mut b = a.clone();
    b.remove(dot(2, 2), "n").unwrap();
    a.update(dot(1, 2), "n", |count| count.add(dot(1, 2), 3)).unwrap();
    assert_eq!(count_of(&a.joined(&b)), 3);
}

/// … and by deltas, in a map in which much else goes on.
#[test]
fn a_count_in_a_busy_map_is_reset_by_deltas_too() {
    let mut a = Counts::new();
    for stamp in 1..50 {
        a.update(dot(1, stamp), "other", |count| count.add(dot(1, stamp), 1)).unwrap();
    }
    a.update(dot(1, 50), "n", |count| count.add(dot(1, 50), 1)).unwrap();
    let mut b = a.clone();
    let remove = b.remove(dot(2, 51), "n").unwrap();
    let add = a.update(dot(1, 52), "n", |count| count.add(dot(1, 52), 1)).unwrap();
    a.apply(&remove).unwrap();
    b.apply(&add).unwrap();
    assert_eq!((count_of(&a), count_of(&b)), (1, 1));
    assert_eq!(a, b);
}

/// An update without an effect does not keep a removed key alive.
#[test]
fn an_update_without_effect_does_not_resurrect() {
    let mut a = Sets::new();
    a.update(dot(1, 1), "f", |set| set.insert(dot(1, 1), 1)).unwrap();
    let mut b = a.clone();
    a.remove(dot(1, 2), "f").unwrap();
    b.update(dot(2, 2), "f", |set| set.remove(dot(2, 2), &9)).unwrap();
    a.join(&b);
    assert!(!a.contains_key("f"));
    assert!(a.is_empty());
}

/// Two resets at once and an update: what they saw is taken away once.
#[test]
fn two_concurrent_resets_take_away_once() {
    let mut a = Counts::new();
    a.update(dot(1, 1), "n", |count| count.add(dot(1, 1), 7)).unwrap();
    let (mut b, mut c) = (a.clone(), a.clone());
    b.remove(dot(2, 2), "n").unwrap();
    c.remove(dot(3, 2), "n").unwrap();
    a.update(dot(1, 2), "n", |count| count.add(dot(1, 2), 1)).unwrap();
    assert_eq!(count_of(&a.joined(&b).joined(&c)), 1);
}

/// A key that is removed and made anew does not bring its old content back, for any of several
/// levels.
#[test]
fn what_is_made_anew_is_empty() {
    type Nest = OrMap<u8, OrMap<u8, OrSet<u8>>>;
    let add = |map: &mut Nest, at, value| {
        map.update(at, 0, |inner| inner.update(at, 0, |set| set.insert(at, value))).unwrap()
    };
    let mut a = Nest::new();
    add(&mut a, dot(1, 1), 1);
    let old = a.clone();
    a.remove(dot(1, 2), &0).unwrap();
    add(&mut a, dot(1, 3), 2);
    a.join(&old);
    assert_eq!(elements(&a.get(&0).unwrap().get(&0).unwrap()), [2]);
}
