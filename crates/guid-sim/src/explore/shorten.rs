//! A run that breaks an invariant, with the steps left out that it breaks it without.
//!
//! # References
//!
//! Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002: halves,
//! quarters, and so on to single steps. Here steps that are no longer possible fall away too.

use super::{Found, Model};

/// Returns the run without the steps that it breaks the same invariant without.
///
/// No single step can be left out of the result. A shorter run of other steps may exist, which only
/// [`explore`](super::explore) finds.
///
/// # Complexity
///
/// At worst the square of the number of steps, in runs.
pub fn shorten<M>(model: &M, found: Found<M::Action>) -> Found<M::Action>
where
    M: Model<Action: PartialEq>,
{
    let mut best = found;
    let mut chunk = best.run.len();
    while chunk > 0 {
        let mut from = 0;
        while from < best.run.len() {
            let upto = (from + chunk).min(best.run.len());
            let rest = best.run[..from].iter().chain(&best.run[upto..]);
            match rerun(model, rest, best.violation.invariant) {
                Some(shorter) => best = shorter,
                None => from = upto,
            }
        }
        chunk /= 2;
    }
    best
}

/// Carries out the steps that are possible; the run, if it breaks the invariant.
fn rerun<'a, M>(
    model: &M,
    steps: impl Iterator<Item = &'a M::Action>,
    invariant: &str,
) -> Option<Found<M::Action>>
where
    M: Model<Action: PartialEq> + 'a,
{
    let mut state = model.start();
    let (mut run, mut actions) = (Vec::new(), Vec::new());
    for step in steps {
        actions.clear();
        model.actions(&state, &mut actions);
        if !actions.contains(step) {
            continue;
        }
        run.push(step.clone());
        let stepped = model.apply(&mut state, step).and_then(|()| model.check(&state));
        if let Err(violation) = stepped {
            return (violation.invariant == invariant).then_some(Found { violation, run });
        }
    }
    None
}
