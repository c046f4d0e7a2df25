//! A call that stalls between its reading of the clock and its step, while others go on.

use std::sync::{
    LazyLock,
    atomic::{AtomicBool, Ordering},
};

use guid_core::{
    Clock, Drift, DurableError, DurableGenerator, Guid, ManualClock, MemoryHighWater, NodeId, Stamp,
};

const NODE: NodeId = NodeId::new(0x0200_0000);
const START: u64 = 1_719_822_159_109_605_709;
const MINUTES_NS: u64 = 180_000_000_000;

static WALL: ManualClock = ManualClock::new(START);
static STALL: AtomicBool = AtomicBool::new(false);
static IDS: LazyLock<DurableGenerator<MemoryHighWater, Stalling>> = LazyLock::new(|| {
    DurableGenerator::on_clock(MemoryHighWater::new(NODE), Stalling).expect("a mark in memory")
});

/// The wall. Where it stalls, three minutes pass after the reading, and somebody else makes an ID.
struct Stalling;

impl Clock for Stalling {
    fn unix_nanos(&self) -> u64 {
        let reading = WALL.unix_nanos();
        if STALL.swap(false, Ordering::Relaxed) {
            WALL.advance(MINUTES_NS);
            IDS.next().expect("the clock is right");
        }
        reading
    }
}

/// A disk that hangs for a minute stalls all who wait for the bound. The clock was right all along,
/// so that nothing is ahead of it; what truly is still is refused.
#[test]
fn a_stall_is_no_lead() {
    let before = IDS.next().expect("a first ID");
    STALL.store(true, Ordering::Relaxed);
    let after = IDS.next().expect("it leads a reading of three minutes ago, and not the clock");
    assert!(after > before && after.unix_nanos() > START + MINUTES_NS - (1 << 17));
    assert!(IDS.lead().is_zero());

    WALL.set(START);
    assert!(matches!(IDS.next(), Err(DurableError::Ahead { .. })));
    let far = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(START + MINUTES_NS));
    assert!(matches!(IDS.observe(far), Err(DurableError::Ahead { .. })));
}
