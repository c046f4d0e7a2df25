//! What a search found, for people.

use std::io;

use guid_sim::{
    Verdict,
    explore::{ExploreReport, Replayed, ShownStep, SmallWorld, WORLDS},
};

use serde::Serialize;

use super::super::table::title;
use crate::output::Output;

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    summary: &'a str,
}

pub(super) fn list(output: &mut Output, json: bool) -> io::Result<()> {
    let width = WORLDS.iter().map(|world| world.name.len()).max().unwrap_or(0);
    for world in WORLDS {
        let summary = SmallWorld::named(world.name);
        let summary = summary.as_ref().map_or("", |world| world.summary());
        let name = world.name;
        if json {
            output.json(&Listed { name, summary })?;
        } else {
            let [on, off] = output.emphasis();
            output.line(format_args!("{on}{name:width$}{off}  {summary}"))?;
        }
    }
    Ok(())
}

pub(super) fn report(
    world: &SmallWorld,
    report: &ExploreReport,
    output: &mut Output,
) -> io::Result<()> {
    title(world.name(), world.summary(), output)?;
    output.line(format_args!("{} nodes, type {}\n", report.nodes, world.type_name()))?;
    figures(report, output)?;
    if let Some(found) = &report.violation {
        let kind = if report.seed.is_some() { "a run" } else { "a shortest run" };
        output.line(format_args!("\n{kind} that breaks {}:", found.invariant))?;
        steps(&found.steps, report.nodes, output)?;
        output.line(format_args!("\n{}: {}", found.invariant, found.what))?;
    }
    let [on, off] = output.verdict(report.verdict);
    output.line(format_args!("\nverdict    {on}{}{off}", report.verdict))
}

fn figures(report: &ExploreReport, output: &mut Output) -> io::Result<()> {
    if let Some(schedules) = report.schedules {
        output.line(format_args!("schedules   {schedules:>10}  along random priorities"))?;
        output.line(format_args!("steps       {:>10}", report.transitions))?;
        output.line(format_args!("longest     {:>10}  steps", report.depth))?;
        if let Some(seed) = report.seed {
            output.line(format_args!("seed        {seed:>10}  of the schedule that fails"))?;
        }
        return Ok(());
    }
    let more = if report.verdict == Verdict::Unknown { ", and there are more" } else { "" };
    let states = report.states.unwrap_or(0);
    output.line(format_args!("states      {states:>10}  distinct{more}"))?;
    output.line(format_args!("transitions {:>10}", report.transitions))?;
    output.line(format_args!("depth       {:>10}  steps", report.depth))?;
    let ends = report.ends.unwrap_or(0);
    output.line(format_args!("ends        {ends:>10}  states in which nothing more can happen"))
}

pub(super) fn replayed(
    world: &SmallWorld,
    replayed: &Replayed,
    output: &mut Output,
) -> io::Result<()> {
    title(world.name(), world.summary(), output)?;
    output.line(format_args!("{} nodes, type {}\n", replayed.nodes, world.type_name()))?;
    steps(&replayed.steps, replayed.nodes, output)?;
    let told = match (replayed.verdict, replayed.invariant) {
        (Verdict::Holds, _) => "it still breaks what it broke",
        (Verdict::Violated, Some(_)) => "it breaks something, but not as it was recorded",
        (Verdict::Violated, None) => "it breaks nothing any more",
        (Verdict::Unknown, _) => "it can no longer be carried out",
    };
    output.line("")?;
    if let Some(what) = &replayed.what {
        let invariant = replayed.invariant.map_or_else(String::new, |name| format!("{name}: "));
        output.line(format_args!("{invariant}{what}"))?;
    }
    let [on, off] = output.verdict(replayed.verdict);
    output.line(format_args!("\nverdict    {on}{}{off}: {told}", replayed.verdict))
}

/// A line a step: what happened, and what each node shows then where that is something new.
fn steps(steps: &[ShownStep], nodes: usize, output: &mut Output) -> io::Result<()> {
    let columns = |column: usize| steps.iter().map(move |step| &step.shows[column]);
    let width = |column| columns(column).map(|cell| cell.chars().count()).max().unwrap_or(0).max(2);
    let widths: Vec<usize> = (0..nodes).map(width).collect();
    let words = steps.iter().map(|step| step.step.chars().count()).max().unwrap_or(0).max(4);
    let heads: Vec<String> = (1..=nodes).map(|node| format!("n{node}")).collect();
    let [on, off] = output.emphasis();
    output.line(format_args!("{on}{}{off}", row("", "step", words, (&heads, &widths))))?;
    for (number, step) in (1..).zip(steps) {
        let number = number.to_string();
        output.line(row(&number, &step.step, words, (&step.shows, &widths)))?;
    }
    Ok(())
}

fn row(number: &str, step: &str, width: usize, cells: (&[String], &[usize])) -> String {
    let mut row = format!("{number:>4}  {step:<width$}");
    for (cell, width) in cells.0.iter().zip(cells.1) {
        row += &format!("  {cell:<width$}");
    }
    row.trim_end().to_owned()
}
