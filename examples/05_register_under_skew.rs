//! A last-writer-wins register, with a clock that is half a minute late.
//!
//! (More than a minute, and a replica refuses to follow unless told otherwise: see `max_ahead`.)

use std::error::Error;

use guid_core::{ManualClock, NodeId};
use guid_crdt::{LwwRegister, MvRegister, Replica};

const NOON: u64 = 1_767_268_800_000_000_000;
const SECOND: u64 = 1_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let (right, late) = (ManualClock::new(NOON), ManualClock::new(NOON - 30 * SECOND));
    let wait = |seconds| [&right, &late].map(|clock| clock.advance(seconds * SECOND));
    let nodes = [NodeId::new(1), NodeId::new(2)];

    let mut a = Replica::<LwwRegister<&str>, _>::new(nodes[0], &right);
    let mut b = Replica::<LwwRegister<&str>, _>::new(nodes[1], &late);
    a.write(|name, dot| name.set(dot, "draft"))?;
    b.join(a.state())?;
    wait(1);
    // Earlier than the draft by its clock, but it has seen the draft: its stamp goes past it.
    b.write(|name, dot| name.set(dot, "final"))?;
    a.join(b.state())?;
    println!("a write that saw what it replaces wins:     {:?}", a.state().get());

    // Both write without having seen each other. The second one comes ten seconds later, by a
    // clock that is thirty seconds late: it is lost.
    wait(1);
    a.write(|name, dot| name.set(dot, "first, by the right clock"))?;
    wait(10);
    b.write(|name, dot| name.set(dot, "second, by the late clock"))?;
    a.join(b.state())?;
    println!("of two that saw nothing, the clocks choose: {:?}", a.state().get());

    // A multi-value register keeps both, for somebody to decide.
    let mut a = Replica::<MvRegister<&str>, _>::new(NodeId::new(3), &right);
    let mut b = Replica::<MvRegister<&str>, _>::new(NodeId::new(4), &late);
    a.write(|name, dot| name.set(dot, "first, by the right clock"))?;
    wait(10);
    b.write(|name, dot| name.set(dot, "second, by the late clock"))?;
    a.join(b.state())?;
    println!("a multi-value register has both:            {:?}", a.state().values());
    a.write(|name, dot| name.set(dot, "decided"))?;
    println!("until somebody who saw both decides:        {:?}", a.state().values());
    Ok(())
}
