//! Three tickets, two box offices, no line between them. What each way to count them makes of it.

use std::error::Error;

use guid_core::{ManualClock, NodeId};
use guid_crdt::{BoundedCounter, LwwRegister, PnCounter, Replica, Replicated};

const NOON: u64 = 1_767_268_800_000_000_000;

type Office<T> = Replica<T, ManualClock>;

/// Two offices. The first puts the tickets in, and the second hears of it.
fn offices<T: Replicated>(
    stock: impl FnOnce(&mut Office<T>) -> Result<(), Box<dyn Error>>,
) -> Result<[Office<T>; 2], Box<dyn Error>> {
    let office = |node| Office::new(NodeId::new(node), ManualClock::new(NOON));
    let (mut north, mut south) = (office(1), office(2));
    stock(&mut north)?;
    south.join(north.state())?;
    Ok([north, south])
}

fn main() -> Result<(), Box<dyn Error>> {
    // A number in a register: each office writes what it knows less one. A sale is forgotten.
    let [mut north, mut south] = offices::<LwwRegister<i64>>(|north| {
        Ok(north.write(|left, dot| left.set(dot, 3)).map(drop)?)
    })?;
    for office in [&mut north, &mut south] {
        let left = office.state().get().copied().unwrap_or_default();
        office.write(|register, dot| register.set(dot, left - 1))?;
    }
    north.join(south.state())?;
    println!("register:        two sold, {:?} left", north.state().get().copied());

    // A counter: each office has a row of its own, and the value is their sum. It may oversell.
    let [mut north, mut south] =
        offices::<PnCounter>(|north| Ok(north.write(|left, dot| left.add(dot, 3)).map(drop)?))?;
    for office in [&mut north, &mut south] {
        office.write(|left, dot| left.add(dot, -2))?;
    }
    north.join(south.state())?;
    println!("counter:         four sold, {} left", north.state().value());

    // A counter with rights: who has none left is refused, whatever the others have.
    let [mut north, mut south] = offices::<BoundedCounter>(|north| {
        north.write(|left, dot| left.add(dot, 3))?;
        Ok(north.write(|left, dot| left.transfer(dot, NodeId::new(2), 1)).map(drop)?)
    })?;
    north.write(|left, dot| left.take(dot, 2))?;
    south.write(|left, dot| left.take(dot, 1))?;
    if let Err(error) = south.write(|left, dot| left.take(dot, 1)) {
        println!("bounded counter: {error}");
    }
    north.join(south.state())?;
    println!("                 three sold, {} left", north.state().value());
    Ok(())
}
