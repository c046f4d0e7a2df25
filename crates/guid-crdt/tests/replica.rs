//! Replicas: the four invariants, and what happens where somebody breaks them.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

use core::time::Duration;

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    ApplyError, Changed, Dot, JoinError, Lattice, LwwRegister, MutateError, OrSet, Replica,
    Replicated, WriteError,
};

type Set = Replica<OrSet<u8>, ManualClock>;

const SECOND: u64 = 1_000_000_000;

fn set(node: u32, seconds: u64) -> Set {
    Replica::new(NodeId::new(node), ManualClock::new(seconds * SECOND))
}

fn add(replica: &mut Set, value: u8) {
    replica.write(|set, dot| set.insert(dot, value)).unwrap();
}

fn elements(replica: &Set) -> Vec<u8> {
    replica.state().iter().copied().collect()
}

/// I1: over a clock that is reset, and over a restart with such a clock.
#[test]
fn stamps_increase_whatever_the_clock_says() {
    let clock = ManualClock::new(100 * SECOND);
    let mut replica =
        Replica::<OrSet<u8>, _>::new(NodeId::new(1), &clock).with_max_ahead(Duration::MAX);
    let mut dots = Vec::new();
    for seconds in [100, 50, 0, 100, 99] {
        clock.set(seconds * SECOND);
        let dot = replica.write(|set, dot| set.insert(dot, 0).map(|_| dot)).unwrap();
        dots.push(dot);
        replica = Replica::restore(replica.save(), &clock).with_max_ahead(Duration::MAX);
    }
    assert!(dots.is_sorted_by(|a, b| a < b), "{dots:?}");
}

/// I2: two replicas under one node. The one that sees the other ahead stops, and says why.
#[test]
fn a_node_that_writes_in_two_places_is_noticed() {
    let (mut first, mut twin) = (set(1, 10), set(1, 20));
    add(&mut first, 1);
    add(&mut twin, 2);

    let before = first.snapshot();
    let error = first.join(twin.state()).unwrap_err();
    let JoinError::Collision(collision) = error else { panic!("{error}") };
    assert_eq!(collision.dot.node(), NodeId::new(1));
    assert_eq!(first.state(), &before);
    let error = first.write(|set, dot| set.insert(dot, 3)).unwrap_err();
    assert_eq!(error, WriteError::Collision(collision));

    // A restart does not heal it, a new node does.
    let first = Replica::restore(first.save(), ManualClock::new(10 * SECOND));
    assert_eq!(first.collision(), Some(collision));
    let mut first = first.renew(NodeId::new(5), ManualClock::new(10 * SECOND));
    assert_eq!(first.join(twin.state()).unwrap().changed, Changed::Yes);
    add(&mut first, 3);
    assert_eq!(first.node(), NodeId::new(5));
    assert!(first.state().contains(&3));
}

/// I2, I3: a node that wrote before is no way out, as far as it can be told.
#[test]
fn renewal_under_a_used_node_writes_nothing() {
    let clock = || ManualClock::new(10 * SECOND);
    let (mut first, mut twin) = (set(1, 10), set(1, 10));
    add(&mut twin, 1);
    let mut other = set(2, 10);
    assert_eq!(other.join(twin.state()).unwrap().changed, Changed::Yes);
    assert!(first.join(twin.state()).is_err());
    for mut renewed in [
        first.renew(NodeId::new(1), clock()), // its twin goes on
        other.renew(NodeId::new(1), clock()),
        twin.renew(NodeId::new(1), clock()),
    ] {
        let error = renewed.write(|set, dot| set.insert(dot, 3)).unwrap_err();
        assert!(matches!(error, WriteError::Collision(_)), "{error}");
        add(&mut renewed.renew(NodeId::new(5), clock()), 3);
    }
}

/// I3: a replica that comes back empty under its old node. Without the refusal its next write would
/// claim, and so remove, everything it had written before.
#[test]
fn a_replica_that_lost_its_state_is_noticed() {
    let mut before = set(1, 10);
    (1..=3).for_each(|value| add(&mut before, value));
    let mut peer = set(2, 10);
    assert_eq!(peer.join(before.state()).unwrap().changed, Changed::Yes);

    let mut back = set(1, 20);
    assert!(matches!(back.join(peer.state()), Err(JoinError::Collision(_))));
    assert!(matches!(back.write(|set, dot| set.insert(dot, 9)), Err(WriteError::Collision(_))));

    let mut back = back.renew(NodeId::new(3), ManualClock::new(20 * SECOND));
    assert_eq!(back.join(peer.state()).unwrap().changed, Changed::Yes);
    add(&mut back, 9);
    assert_eq!(peer.join(back.state()).unwrap().changed, Changed::Yes);
    assert_eq!(elements(&peer), [1, 2, 3, 9]);
}

/// I3: an old save is refused, where it is known what the node has sent; so is an empty one.
#[test]
fn a_state_without_its_last_writes_is_refused() {
    let mut replica = set(1, 10);
    let nothing = replica.save();
    add(&mut replica, 1);
    let backup = replica.save();
    add(&mut replica, 2);
    let (latest, mark) = (replica.save(), replica.issued());
    let restore = |saved, mark| Replica::restore_after(saved, mark, ManualClock::new(20 * SECOND));

    for (stale, covers) in [(&nothing, "none".to_owned()), (&backup, number(backup.last_made()))] {
        let error = restore(stale.clone(), mark).unwrap_err();
        assert_eq!((error.node, error.mark), (NodeId::new(1), mark.unwrap()));
        let expected = format!(
            "the state of node 00000001 covers its writes up to {covers}, but it wrote up to {}: \
             put the latest state back, or go on under a new node",
            number(mark)
        );
        assert_eq!(error.to_string(), expected);
    }
    // A state may be ahead of the mark: the process died between the two.
    assert!(restore(latest.clone(), backup.last_made()).is_ok());
    assert!(restore(nothing, None).is_ok());
    let mut back = restore(latest, mark).unwrap();
    add(&mut back, 3);
    assert_eq!(elements(&back), [1, 2, 3]);
}

fn number(stamp: Option<Stamp>) -> String {
    stamp.unwrap().as_u64().to_string()
}

/// A save and the deltas after it are a later save, of own writes and of others', in any mix.
#[test]
fn a_save_and_a_log_are_a_later_save() {
    let (mut here, mut there) = (set(1, 10), set(2, 10));
    let mut saved = here.save();
    for value in 0..20 {
        let delta = if value % 3 == 0 {
            let delta = there.write(|set, dot| set.insert(dot, value)).unwrap();
            assert_eq!(here.apply(&delta), Ok(Changed::Yes));
            delta
        } else {
            here.write(|set, dot| set.remove(dot, &(value / 2))).unwrap()
        };
        assert_eq!(saved.apply(&delta), Ok(Changed::Yes));
        assert_eq!(saved.apply(&delta), Ok(Changed::No));
        assert_eq!((saved.state(), saved.last_made()), (here.state(), here.issued()));
        assert!(saved.last() >= here.state().frontier().latest().unwrap().stamp());
    }
}

/// I4: a delta that builds on a missing one is refused, and changes nothing.
#[test]
fn a_delta_over_a_gap_is_refused() {
    let (mut from, mut to) = (set(1, 10), set(2, 10));
    let first = from.write(|set, dot| set.insert(dot, 1)).unwrap();
    let second = from.write(|set, dot| set.insert(dot, 2)).unwrap();

    let error = to.apply(&second).unwrap_err();
    let ApplyError::Gap(gap) = error else { panic!("{error}") };
    assert_eq!((gap.node, gap.have), (NodeId::new(1), None));
    assert_eq!(Some(gap.needs), first.frontier().get(NodeId::new(1)));
    assert!(to.state().is_empty() && to.state().context().is_empty());

    assert_eq!(to.apply(&first), Ok(Changed::Yes));
    assert_eq!(to.apply(&second), Ok(Changed::Yes));
    assert_eq!(to.apply(&second), Ok(Changed::No));
    assert_eq!(to.state(), from.state());
}

/// A clock that is a day ahead: by default it is refused, and changes nothing.
#[test]
fn states_from_the_future_are_refused_unless_asked_for() {
    let (mut fast, mut here) = (set(1, 86_400), set(2, 10));
    let delta = fast.write(|set, dot| set.insert(dot, 1)).unwrap();
    let error = here.join(fast.state()).unwrap_err();
    let JoinError::Ahead { by } = error else { panic!("{error}") };
    // 86,400 s against 10 s, each rounded down to its tick, of 131 us.
    assert_eq!((by + Duration::from_millis(1)).as_secs(), 86_390);
    assert!(matches!(here.apply(&delta), Err(ApplyError::Ahead { .. })));
    assert_eq!(here.state(), &OrSet::new());
    assert_eq!(here.lead(), Duration::ZERO);

    let mut follower = set(3, 10).with_max_ahead(Duration::MAX);
    assert_eq!(follower.join(fast.state()).unwrap().changed, Changed::Yes);
    let dot = follower.write(|set, dot| set.insert(dot, 2).map(|_| dot)).unwrap();
    assert!(dot > fast.state().frontier().latest().unwrap());
}

/// A write that overwrites what its author saw wins, though its clock is behind.
#[test]
fn an_observed_write_is_overwritten() {
    let register = |node, seconds| {
        let clock = ManualClock::new(seconds * SECOND);
        Replica::<LwwRegister<&str>, _>::new(NodeId::new(node), clock)
    };
    let (mut ahead, mut behind) = (register(9, 50), register(1, 10));
    ahead.write(|register, dot| register.set(dot, "old")).unwrap();
    assert_eq!(behind.join(ahead.state()).unwrap().changed, Changed::Yes);
    behind.write(|register, dot| register.set(dot, "new")).unwrap();
    assert_eq!(ahead.join(behind.state()).unwrap().changed, Changed::Yes);
    assert_eq!(ahead.state().get(), Some(&"new"));
}

/// One event, two values: the join takes the greater one everywhere, and says so.
#[test]
fn two_values_under_one_dot_are_reported() {
    let dot = Dot::new(NodeId::new(7), Stamp::from_u64(5).unwrap());
    let (one, two) = (LwwRegister::written(dot, 1), LwwRegister::written(dot, 2));
    assert_eq!(one.conflict(&two).unwrap().dot, dot);
    assert_eq!(one.conflict(&one.clone()), None);
    for (first, second) in [(&one, &two), (&two, &one)] {
        let mut replica = Replica::new(NodeId::new(1), ManualClock::new(0));
        assert_eq!(replica.join(first).unwrap().conflict, None);
        assert_eq!(replica.join(second).unwrap().conflict.unwrap().dot, dot);
        assert_eq!(replica.conflict().unwrap().dot, dot, "kept, for whoever did not look");
        assert_eq!(replica.state().get(), Some(&2));
    }

    let mv = |value| {
        let mut register = guid_crdt::MvRegister::new();
        register.set(dot, value).unwrap();
        register
    };
    for (first, second) in [(mv(1), mv(2)), (mv(2), mv(1))] {
        let mut replica = Replica::new(NodeId::new(1), ManualClock::new(0));
        assert_eq!(replica.join(&first).unwrap().conflict, None);
        assert_eq!(replica.join(&second).unwrap().conflict.unwrap().dot, dot);
        assert_eq!(replica.state().values(), [&2]);
    }
}

/// A raw stamp must go up; a mutator that gets one dot twice refuses the second time.
#[test]
fn a_dot_is_used_once() {
    let mut replica = set(1, 10);
    let stamp = |number| Stamp::from_u64(number).unwrap();
    replica.write_with_stamp(stamp(500), |set, dot| set.insert(dot, 1)).unwrap();
    for stale in [500, 499] {
        let error = replica.write_with_stamp(stamp(stale), |set, dot| set.insert(dot, 2));
        let error = error.unwrap_err();
        assert!(matches!(error, WriteError::Refused(MutateError::Stale { .. })), "{error}");
    }
    let twice = replica.write(|set, dot| {
        set.insert(dot, 3)?;
        set.insert(dot, 4)
    });
    assert!(matches!(twice, Err(WriteError::Refused(MutateError::Stale { .. }))));
    assert_eq!(elements(&replica), [1, 3]);
}

/// A snapshot stays as it is while the replica goes on.
#[test]
fn a_snapshot_does_not_move() {
    let mut replica = set(1, 10);
    add(&mut replica, 1);
    let snapshot = replica.snapshot();
    add(&mut replica, 2);
    assert_eq!(snapshot.len(), 1);
    assert!(snapshot.compare(replica.state()).is_within());
}

/// The end of time is an error, as any other reason not to write is.
#[test]
fn the_last_stamp_is_not_exceeded() {
    let mut replica = set(1, 10).with_max_ahead(Duration::MAX);
    replica.write_with_stamp(Stamp::MAX, |set, dot| set.insert(dot, 1)).unwrap();
    let error = replica.write(|set, dot| set.insert(dot, 2)).unwrap_err();
    assert_eq!(error, WriteError::Exhausted);
    let first = Stamp::MIN;
    let mut early = set(2, 10);
    early.write_with_stamp(first, |set, dot| set.insert(dot, 3)).unwrap();
    assert!(early.state().context().is_prefix());
}
