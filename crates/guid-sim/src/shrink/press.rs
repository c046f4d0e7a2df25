//! Pressing: many events of one node into one step.
//!
//! Some failures need thousands of events: a sequence of 14 bits comes round after 16,384. They are
//! one line if they happen at one moment.

use super::search::Search;
use crate::{
    Plan,
    plan::{Step, What},
};

/// Shorter plans are not pressed: leaving out does better.
const LONG: usize = 32;
/// Into so many pieces a plan is pressed at once.
const PIECES: usize = 64;

pub(super) fn all(search: &mut Search<'_>) {
    let mut long = search.plan().steps.len();
    if long >= LONG {
        search.change(|plan| plan.steps.iter_mut().for_each(mint));
    }
    while long >= LONG && !search.is_spent() {
        press(search, 0, long, (long / PIECES).max(2));
        let pressed = search.plan().steps.len();
        // Each time finer, while that is of use.
        if pressed > long / 2 {
            break;
        }
        long = pressed;
    }
    neighbours(search);
}

/// Makes it an event that nobody else knows of.
pub(super) fn mint(step: &mut Step) {
    if step.what.is_stamped() && step.what.events() == 1 {
        step.what = What::Mint { times: 1 };
    }
}

/// Presses all of a range into one step, or else each half of it.
fn press(search: &mut Search<'_>, start: usize, end: usize, shortest: usize) {
    if end - start < shortest || search.is_spent() {
        return;
    }
    if let Some(pressed) = pressed(&search.plan().steps[start..end])
        && search.change(|plan| drop(plan.steps.splice(start..end, [pressed])))
    {
        return;
    }
    let middle = usize::midpoint(start, end);
    press(search, middle, end, shortest);
    press(search, start, middle, shortest);
}

/// Steps of one node as one, at the moment of the first.
fn pressed(steps: &[Step]) -> Option<Step> {
    let first = steps.first()?;
    let mut times = 0_u64;
    for step in steps {
        match step.what {
            What::Mint { times: more } if step.node == first.node && step.random.is_empty() => {
                times = times.checked_add(more)?;
            }
            _ => return None,
        }
    }
    Some(Step { what: What::Mint { times }, ..first.clone() })
}

/// Presses neighbours, where there are few steps left but each is of many events.
fn neighbours(search: &mut Search<'_>) {
    let is_many = |step: &Step| matches!(step.what, What::Mint { times: 2.. });
    let mut at = search.plan().steps.len();
    while at > 1 {
        at -= 1;
        let Plan { steps, .. } = search.plan();
        let pair = steps.get(at - 1..=at);
        let pair = pair.filter(|pair| pair.iter().any(is_many));
        if let Some(pressed) = pair.and_then(pressed) {
            search.change(|plan| drop(plan.steps.splice(at - 1..=at, [pressed])));
        }
    }
}
