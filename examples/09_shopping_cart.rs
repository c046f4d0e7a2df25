//! A shopping cart on two phones without a network. What is put in counts; what is taken out takes
//! only what was seen. The same cart made of latest writes loses some of both.

use std::error::Error;

use guid_core::{ManualClock, NodeId};
use guid_crdt::{LwwMap, OrMap, Replica, ResettableCounter, WriteError};

const NOON: u64 = 1_767_268_800_000_000_000;
const SECOND: u64 = 1_000_000_000;

/// How many of each: additions add up, and removing a line resets what it has seen of it.
type Cart<'a> = Replica<OrMap<&'static str, ResettableCounter>, &'a ManualClock>;
/// The same with the latest write a line.
type Lines<'a> = Replica<LwwMap<&'static str, u64>, &'a ManualClock>;

fn put(cart: &mut Cart<'_>, item: &'static str, amount: i64) -> Result<(), WriteError> {
    cart.write(|cart, dot| cart.update(dot, item, |count| count.add(dot, amount))).map(drop)
}

fn set(lines: &mut Lines<'_>, item: &'static str, change: i64) -> Result<(), WriteError> {
    let now = lines.state().get(item).copied().unwrap_or_default();
    lines.write(|lines, dot| lines.put(dot, item, now.saturating_add_signed(change))).map(drop)
}

fn show(what: &str, cart: &Cart<'_>, lines: &Lines<'_>) {
    let cart: Vec<_> = cart.state().iter().map(|(item, count)| (*item, count.value())).collect();
    let lines: Vec<_> = lines.state().iter().collect();
    println!("{what}\n  counters:      {cart:?}\n  latest writes: {lines:?}");
}

fn main() -> Result<(), Box<dyn Error>> {
    // Ben's clock is twenty seconds behind.
    let (right, late) = (ManualClock::new(NOON), ManualClock::new(NOON - 20 * SECOND));
    let wait = || [&right, &late].map(|clock| clock.advance(SECOND));
    let [ann, ben] = [1, 2].map(NodeId::new);
    let (mut ann_cart, mut ben_cart) = (Cart::new(ann, &right), Cart::new(ben, &late));
    let (mut ann_lines, mut ben_lines) = (Lines::new(ann, &right), Lines::new(ben, &late));

    for (item, amount) in [("bread", 1), ("milk", 2)] {
        put(&mut ann_cart, item, amount)?;
        set(&mut ann_lines, item, amount)?;
    }
    ben_cart.join(ann_cart.state())?;
    ben_lines.join(ann_lines.state())?;
    show("both have seen", &ben_cart, &ben_lines);

    // In the underground: both want one more bread, Ann wants a third milk, and a second later Ben
    // takes the milk out, of which he has seen two.
    wait();
    for item in ["bread", "milk"] {
        put(&mut ann_cart, item, 1)?;
        set(&mut ann_lines, item, 1)?;
    }
    wait();
    put(&mut ben_cart, "bread", 1)?;
    set(&mut ben_lines, "bread", 1)?;
    ben_cart.write(|cart, dot| cart.remove(dot, &"milk"))?;
    ben_lines.write(|lines, dot| lines.remove(dot, "milk"))?;

    ann_cart.join(ben_cart.state())?;
    ann_lines.join(ben_lines.state())?;
    show("they meet", &ann_cart, &ann_lines);
    ben_cart.join(ann_cart.state())?;
    assert_eq!(ann_cart.state(), ben_cart.state());
    Ok(())
}
