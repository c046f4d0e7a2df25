//! The table at the end: the best of many short rounds in turn, ratios, and what was to be reached.
//!
//! The best, not the median: on a machine that others use too, what disturbs a round only ever
//! adds. On threads the median: the best round is one in which the threads missed each other.

use std::time::Duration;

use crate::{
    next::{ALONE, COARSE, COARSE_FLOOR, FILL, FLOOR, OWNED, SHARED, TOGETHER},
    sets::{DERIVED, OURS},
    subject::{Group, Subject, Target},
    text::{LEX, SORTABLE, UUID},
};

const ROUNDS: usize = 101;
/// How long one subject runs in one round: short against what disturbs it.
const ROUND: Duration = Duration::from_millis(2);

pub(crate) fn print(groups: &mut [Group]) {
    for group in groups {
        let pick = if group.name == "threads" { median } else { best };
        let times: Vec<f64> = rounds(&mut group.subjects).into_iter().map(pick).collect();
        println!("\n{:<36} {:>10} {:>8}", group.name, "ns", "ratio");
        for (subject, ns) in group.subjects.iter().zip(&times) {
            println!("{:<36} {ns:>10.2} {:>8.2}", subject.name, ns / times[0]);
        }
        for target in targets(group.name) {
            let time = |name| {
                let at = group.subjects.iter().position(|subject| subject.name == name);
                times[at.expect("a subject of this group")]
            };
            let Target { subject, rival, at_most } = target;
            let ratio = time(subject) / rival.map_or(1.0, time);
            let verdict = if ratio <= at_most { "reached" } else { "MISSED" };
            let rival = rival.unwrap_or("a nanosecond");
            println!("{verdict}: {subject} / {rival} = {ratio:.2}, to be at most {at_most:.2}");
        }
    }
}

fn targets(group: &str) -> Vec<Target> {
    let target = |subject, rival, at_most| Target { subject, rival: Some(rival), at_most };
    match group {
        "next" => vec![target(OWNED, FLOOR, 1.3), target(SHARED, FLOOR, 1.6)],
        "coarse" => vec![target(COARSE, COARSE_FLOOR, 1.4)],
        "fill" => vec![Target { subject: FILL, rival: None, at_most: 1.0 }],
        "encode" => vec![target(LEX, UUID, 1.0)],
        "parse" => SORTABLE.map(|rival| target(LEX, rival, 1.0)).into(),
        // Linear but for what two cores share.
        "threads" => vec![target(TOGETHER, ALONE, 1.15)],
        // As good as what the compiler derives, but for what one run differs from the next.
        _ => vec![target(OURS, DERIVED, 1.05)],
    }
}

/// Nanoseconds of one turn of each, in every one of some rounds in which all take their turn.
fn rounds(subjects: &mut [Subject]) -> Vec<Vec<f64>> {
    let turns: Vec<u64> = subjects.iter_mut().map(turns_of_a_round).collect();
    // A subject that takes long by itself gets fewer rounds.
    let longest = subjects.iter_mut().zip(&turns).map(|(subject, &n)| (subject.run)(n)).max();
    let rounds = if longest > Some(ROUND * 8) { 9 } else { ROUNDS };
    let mut times = vec![Vec::with_capacity(rounds); subjects.len()];
    for _ in 0..rounds {
        for ((subject, &n), times) in subjects.iter_mut().zip(&turns).zip(&mut times) {
            times.push((subject.run)(n).as_secs_f64() * 1e9 / float(n));
        }
    }
    times
}

fn best(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn turns_of_a_round(subject: &mut Subject) -> u64 {
    let mut n = 1_024;
    while (subject.run)(n) < ROUND / 2 {
        n *= 2;
    }
    n
}

#[expect(clippy::cast_precision_loss, reason = "turns are far below 2^53")]
fn float(n: u64) -> f64 {
    n as f64
}
