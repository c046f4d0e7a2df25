//! A new node for a running generator, and what is known of the old one's stamps.

use guid_core::{
    ByTime, Drift, Generator, Guid, LocalGenerator, ManualClock, NodeId, ObserveError, Stamp,
};

use crate::spec::TICK_NS;

const OLD: NodeId = NodeId::new(7);
const NEW: NodeId = NodeId::new(8);
const PEER: NodeId = NodeId::new(9);

fn at_tick(node: NodeId, tick: u64) -> Guid {
    Guid::new(Drift::D3, node, Stamp::from_unix_nanos(tick * TICK_NS))
}

fn collides(result: Result<(), ObserveError>) -> bool {
    matches!(result, Err(ObserveError::NodeCollision { .. }))
}

/// What was observed is not what was issued: a twin below the last ID observed is seen.
#[test]
fn a_twin_below_an_observed_id_collides() {
    let clock = ManualClock::new(10 * TICK_NS);
    let shared = Generator::on_clock(OLD, &clock);
    let mut local = LocalGenerator::new(OLD, &clock);
    let own = shared.next();
    assert_eq!(local.next(), own);
    for tick in [20, 30] {
        shared.observe(at_tick(PEER, tick)).unwrap();
        local.observe(at_tick(PEER, tick)).unwrap();
    }
    for twin in [11, 15, 20, 25, 30, 31].map(|tick| at_tick(OLD, tick)) {
        assert!(collides(shared.observe(twin)) && collides(local.observe(twin)), "{twin}");
    }
    // Our own come back, and making more forgets nothing of the jump.
    let later = shared.next();
    assert_eq!(local.next(), later);
    for id in [own, later] {
        assert_eq!((shared.observe(id), local.observe(id)), (Ok(()), Ok(())));
    }
    assert!(
        collides(shared.observe(at_tick(OLD, 15))) && collides(local.observe(at_tick(OLD, 15)))
    );
    // The next jump is another one: of the former nothing is known any more.
    shared.observe(at_tick(PEER, 40)).unwrap();
    local.observe(at_tick(PEER, 40)).unwrap();
    assert_eq!(shared.observe(at_tick(OLD, 15)), Ok(()));
    assert_eq!(local.observe(at_tick(OLD, 15)), Ok(()));
    assert!(
        collides(shared.observe(at_tick(OLD, 35))) && collides(local.observe(at_tick(OLD, 35)))
    );
}

/// After a restart with `with_last`, what lies below may have been issued before it.
#[test]
fn stamps_before_a_restart_are_nobodys_twins() {
    let ids = Generator::on_clock(OLD, || 0).with_last(Stamp::from_unix_nanos(50 * TICK_NS));
    assert_eq!(ids.observe(at_tick(OLD, 20)), Ok(()));
    ids.observe(at_tick(PEER, 60)).unwrap();
    assert_eq!(ids.observe(at_tick(OLD, 50)), Ok(()));
    assert!(collides(ids.observe(at_tick(OLD, 55))));
}

#[test]
fn a_reseeded_generator_goes_on_later_under_another_node() {
    let clock = ManualClock::new(10 * TICK_NS);
    let mut shared = Generator::on_clock(OLD, &clock).with_drift(Drift::D1);
    let mut local = LocalGenerator::new(OLD, &clock).with_drift(Drift::D1);
    let before = [shared.next(), local.next()];
    clock.set(0);
    shared.reseed(NEW);
    local.reseed(NEW);
    for (id, before) in [shared.next(), local.next()].into_iter().zip(before) {
        assert_eq!((id.node(), id.drift()), (NEW, Drift::D1));
        assert!(ByTime(id) > ByTime(before));
    }
    // Under the new node nothing older was issued; under the old one it is no longer ours.
    let twin = Guid::new(Drift::D1, NEW, before[0].stamp());
    assert!(collides(shared.observe(twin)) && collides(local.observe(twin)));
    assert_eq!((shared.observe(before[0]), local.observe(before[1])), (Ok(()), Ok(())));
}

#[test]
fn a_restarted_generator_follows_the_clock() {
    let clock = ManualClock::new(1 << 60);
    let mut shared = Generator::on_clock(OLD, &clock);
    let mut local = LocalGenerator::new(OLD, &clock);
    let seq = shared.next().seq();
    assert_eq!(local.next().seq(), seq);
    clock.set(10 * TICK_NS);
    shared.restart(NEW);
    local.restart(NEW);
    for id in [shared.next(), local.next()] {
        assert_eq!((id.node(), id.tick().as_u64()), (NEW, 10));
        assert_eq!(id.seq().as_u16(), seq.as_u16() + 1, "the sequence runs on");
    }
    assert!(shared.lead().is_zero() && local.lead().is_zero());
}

/// Under the node it has, a generator that forgot its stamp would repeat its IDs.
#[test]
fn the_same_node_is_no_restart() {
    let clock = ManualClock::new(1 << 60);
    let mut shared = Generator::on_clock(OLD, &clock);
    let mut local = LocalGenerator::new(OLD, &clock);
    let before = [shared.next(), local.next()];
    clock.set(0);
    shared.restart(OLD);
    local.restart(OLD);
    shared.reseed(OLD);
    local.reseed(OLD);
    let after = [shared.next(), local.next()];
    assert!(before.iter().zip(&after).all(|(before, after)| before < after));
}
