//! Make IDs, take one apart, write it in other forms.

use std::error::Error;

use guid_core::{Drift, Generator, Guid, ManualClock, NodeId};

fn main() -> Result<(), Box<dyn Error>> {
    // A clock set by hand prints the same every time; `Generator::new(node)` reads the system's.
    let clock = ManualClock::new(1_767_225_600_000_000_000);
    let ids = Generator::on_clock(NodeId::from_name("kitchen"), &clock).with_drift(Drift::D3);

    println!("three IDs of one node, in the order they were made:");
    for _ in 0..3 {
        println!("  {}", ids.next());
        clock.advance(1_000_000);
    }

    let id = ids.next();
    println!("\none of them, taken apart:");
    println!("  drift code  {} (a window of {:?})", id.drift().code(), id.drift().window());
    println!("  node        {}", id.node());
    println!("  tick        {}", id.tick().as_u64());
    println!("  sequence    {}", id.seq().as_u16());

    println!("\nthe same in other forms:");
    println!("  canonical   {id}");
    println!("  base32      {}", id.to_base32());
    println!("  hexadecimal {}", id.to_hex());
    println!("  UUID        {}", id.to_uuid());

    let read: Guid = id.to_string().parse()?;
    assert_eq!(read, id);
    if let Err(error) = "not an ID".parse::<Guid>() {
        println!("\nand what is none: {error}");
    }
    Ok(())
}
