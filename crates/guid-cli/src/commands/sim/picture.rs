//! `guid sim picture`: one picture of a run, as a file.

use guid_sim::sample::{By, Part, Sample};

use super::load::{load, placed};
use crate::{
    cli::{Globals, Picture, SimOrder as Order},
    exit::{Exit, UsageError},
    output::Output,
    report::{self, Kind, View},
};

pub(crate) fn run(picture: &Picture, globals: Globals) -> anyhow::Result<Exit> {
    let scenario = load(&picture.chosen)?;
    let seed = picture.seed.unwrap_or(scenario.seed());
    let told = |error| match error {
        guid_sim::RunError::NoSuchCheck(error) => placed(&picture.chosen, error),
        error => anyhow::Error::new(error).context(picture.chosen.scenario.clone()),
    };
    let (_, sample) = scenario.sample(seed).map_err(told)?;
    let sorting = sorting(picture, &sample)?;
    let asked = picture.events.clone().filter(|_| is_of_events(picture.kind));
    let asked = asked.map(|events| scenario.events(seed, events)).transpose().map_err(told)?;
    let part = asked.as_ref().or_else(|| part(picture, sorting, &sample));
    let part = part.ok_or(UsageError("the run has no event".into()))?;
    let view = View { axis: picture.axis, sorting };
    let drawn = report::picture(picture.kind, view, &sample, part)?;
    let mut output = Output::new(globals, false);
    output.bytes(drawn.alone().as_bytes())?;
    Ok(output.finish()?)
}

const fn is_of_events(kind: Kind) -> bool {
    matches!(kind, Kind::SpaceTime | Kind::Schemes | Kind::SortStrip)
}

/// Which order is looked at.
fn sorting(picture: &Picture, sample: &Sample) -> anyhow::Result<usize> {
    let by = match picture.by {
        Order::Bytes => By::Bytes,
        Order::Time => By::Time,
    };
    let main = report::main_sorting(sample);
    let scheme = picture.scheme.or_else(|| sample.sortings.get(main).map(|main| main.scheme));
    let Some(scheme) = scheme else { return Ok(main) };
    let found = |sorting: &guid_sim::sample::Sorting| sorting.scheme == scheme && sorting.by == by;
    let none = || {
        let names: Vec<String> =
            sample.sortings.iter().copied().map(report::sorting_name).collect();
        let by = if by == By::Time { " by time" } else { "" };
        let expected = names.join(", ");
        UsageError(format!("no order {scheme}{by} in this run: expected one of {expected}").into())
    };
    Ok(sample.sortings.iter().position(found).ok_or_else(none)?)
}

/// The part that shows most.
fn part<'a>(picture: &Picture, sorting: usize, sample: &'a Sample) -> Option<&'a Part> {
    match picture.kind {
        Kind::SortStrip => report::stripped(sample, sorting),
        kind if is_of_events(kind) => report::worst(sample, sorting),
        _ => sample.parts.first(),
    }
}
