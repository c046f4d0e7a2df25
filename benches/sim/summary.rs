//! The table at the end: the best of some rounds in turn, and what was to be reached.

use crate::{
    BARE, CHECKERS, TRACE, TURMOIL, VECTORS,
    subject::{Group, Subject, Target},
};

const ROUNDS: u32 = 7;
/// Events of one subject in one round: enough that starting and judging a run are a small part.
const EVENTS: u64 = 400_000;

/// What is to be reached at 64 nodes, in millions of events a second.
const RATES: [(&str, f64); 3] = [(CHECKERS, 5.0), (VECTORS, 2.0), (TRACE, 2.0)];
/// On a slower machine, in place of the first of the rates: half as fast as the bare loop.
const INSTEAD: (&str, f64) = (BARE, 2.0);
const RATIO: Target = Target { subject: CHECKERS, rival: Some(TURMOIL), at_most: 0.1 };

pub(crate) fn print(groups: &mut [Group]) {
    for group in groups {
        let times = times(&mut group.subjects);
        println!("\n{:<30} {:>10} {:>12} {:>8}", group.name, "ns/event", "M events/s", "ratio");
        for (subject, ns) in group.subjects.iter().zip(&times) {
            let rate = 1e3 / ns;
            println!("{:<30} {ns:>10.1} {rate:>12.2} {:>8.2}", subject.name, ns / times[0]);
        }
        if group.subjects.iter().any(|subject| subject.name == TURMOIL) {
            targets(group, &times);
        }
    }
}

fn targets(group: &Group, times: &[f64]) {
    let time = |name| {
        let at = group.subjects.iter().position(|subject| subject.name == name);
        times[at.expect("a subject of this group")]
    };
    let verdict = |reached| if reached { "reached" } else { "MISSED" };
    let (bare, at_most) = INSTEAD;
    let beside = time(CHECKERS) / time(bare);
    for (name, least) in RATES {
        let rate = 1e3 / time(name);
        let verdict = verdict(rate >= least || name == CHECKERS && beside <= at_most);
        print!("{verdict}: {name} {rate:.2} M events/s, to be at least {least:.2}");
        match name {
            CHECKERS => println!("; or / {bare} = {beside:.2} at most {at_most:.2}"),
            _ => println!(),
        }
    }
    let Target { subject, rival, at_most } = RATIO;
    let ratio = time(subject) / rival.map_or(1.0, time);
    let verdict = verdict(ratio <= at_most);
    let rival = rival.unwrap_or("a nanosecond");
    println!("{verdict}: {subject} / {rival} = {ratio:.2}, to be at most {at_most:.2}");
}

/// Nanoseconds of an event of each, the best of some rounds in which all take their turn: what
/// disturbs a round only ever adds.
fn times(subjects: &mut [Subject]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; subjects.len()];
    for _ in 0..ROUNDS {
        for (subject, best) in subjects.iter_mut().zip(&mut best) {
            let ns = (subject.run)(EVENTS).as_secs_f64() * 1e9 / crate::float(EVENTS);
            *best = best.min(ns);
        }
    }
    best
}
