//! k-order is not time order: inside a window the node decides.

use guid_core::{ByTime, Drift, Guid, NodeId, Stamp};

/// An ID made by a node at a second of the day.
fn made(node: u32, second: u64) -> Guid {
    let day = 1_767_225_600_000_000_000;
    Guid::new(Drift::D3, NodeId::new(node), Stamp::from_unix_nanos(day + second * 1_000_000_000))
}

fn main() {
    let mut ids = [
        ("node 9 at  10 s", made(9, 10)),
        ("node 1 at  11 s", made(1, 11)),
        ("node 9 at  12 s", made(9, 12)),
        ("node 1 at 400 s", made(1, 400)),
    ];

    ids.sort_by_key(|&(_, id)| id);
    println!("in k-order, the order of the bytes:");
    for (what, id) in ids {
        println!("  {id}  {what}");
    }

    ids.sort_by_key(|&(_, id)| ByTime(id));
    println!("in time order:");
    for (what, id) in ids {
        println!("  {id}  {what}");
    }

    println!("\nA window of drift code 3 is {:?}.", Drift::D3.window());
    println!("Two IDs that are a window and the clocks' skew apart are in order either way.");
}
