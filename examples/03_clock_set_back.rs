//! A clock goes back by 1.6384 s. The strict generator goes on; the Go library's rule repeats.

use guid_core::{Clock, Drift, LocalGenerator, ManualClock, NodeId};
use guid_sim::UpstreamSource;

/// IDs at 10,000 a second, evenly: 2^14 of them take 1.6384 s.
const GAP_NS: u64 = 100_000;
const WRAP: u64 = 1 << 14;

fn main() {
    let node = NodeId::new(7);
    let clock = ManualClock::new(1_767_225_600_000_000_000);
    let mut strict = LocalGenerator::new(node, &clock);
    let mut upstream = UpstreamSource::new(1);

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for i in 0..2 * WRAP {
        if i == WRAP {
            clock.set(clock.unix_nanos() - WRAP * GAP_NS);
        }
        ours.push(strict.next());
        theirs.push(upstream.next(Drift::D3, node, clock.unix_nanos()));
        clock.advance(GAP_NS);
    }

    println!("{} IDs each, the clock set back by 1.6384 s half way:", 2 * WRAP);
    for (name, mut ids) in [("strict generator", ours), ("the Go library's rule", theirs)] {
        let inversions = ids.windows(2).filter(|pair| pair[1] <= pair[0]).count();
        ids.sort_unstable();
        ids.dedup();
        let repeated = 2 * WRAP - ids.len() as u64;
        println!("  {name:<22} {repeated:>6} repeated, {inversions:>2} out of order");
    }
    println!("the strict generator leads its clock by {:?} now", strict.lead());
}
