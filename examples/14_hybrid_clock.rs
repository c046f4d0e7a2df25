//! A clock that is forty seconds late answers: without the receive rule the answer stands before
//! the question, with it after, at the price of a stamp that leads its clock.

use std::error::Error;

use guid_core::{ByTime, LocalGenerator, ManualClock, NodeId};

const NOON: u64 = 1_767_268_800_000_000_000;
const SECOND: u64 = 1_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let (right, late) = (ManualClock::new(NOON), ManualClock::new(NOON - 40 * SECOND));
    let mut ann = LocalGenerator::new(NodeId::new(1), &right);
    let mut deaf = LocalGenerator::new(NodeId::new(2), &late);
    let mut ben = LocalGenerator::new(NodeId::new(3), &late);

    let question = ann.next();
    let answer = deaf.next();
    println!("no receive rule: question first? {}", ByTime(question) < ByTime(answer));

    ben.observe(question)?; // its next stamp is greater
    let answer = ben.next();
    println!("receive rule:    question first? {}", ByTime(question) < ByTime(answer));
    println!("                 stamp ahead of its clock by {:.1?}", ben.lead());

    late.advance(50 * SECOND); // time goes on, and the lead with it
    let later = ben.next();
    println!("50 s later:      stamp ahead of its clock by {:.1?}", ben.lead());
    assert!(ByTime(answer) < ByTime(later));

    // A clock that is years ahead would drag everybody along: what is too far ahead is refused.
    let wild = ManualClock::new(NOON * 2);
    let mut wild = LocalGenerator::new(NodeId::new(4), &wild);
    if let Err(error) = ann.observe(wild.next()) {
        println!("from 2082:       refused: {error}");
    }
    Ok(())
}
