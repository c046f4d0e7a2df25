//! What a sweep came to, for people and for programs.

use std::io;

use guid_sim::{
    Number, Verdict,
    sweep::{Aggregate, PointSummary, Totals},
};
use serde::Serialize;

use crate::{
    bars::{self, Bar},
    lines::without_controls,
    output::Output,
};

#[derive(Serialize)]
struct Summary<'a> {
    #[serde(rename = "summary")]
    marker: bool,
    scenario: &'a str,
    points: u64,
    runs: u64,
    events: u64,
    verdict: Verdict,
}

/// Writes the totals: a table a point, or an object a point.
pub(super) fn tell(
    totals: &Totals,
    scenario: &str,
    json: bool,
    output: &mut Output,
) -> io::Result<()> {
    let mut points = 0;
    for point in totals.points() {
        points += 1;
        if json {
            output.json(&point)?;
        } else {
            table(&point, output)?;
        }
    }
    if !json {
        bars_of(totals, output)?;
    }
    let (runs, events, verdict) = (totals.runs, totals.events, totals.verdict());
    if json {
        return output.json(&Summary { marker: true, scenario, points, runs, events, verdict });
    }
    let [on, off] = output.verdict(verdict);
    let scenario = without_controls(scenario);
    output.line(format_args!(
        "{scenario}: {runs} runs at {points} points, {events} events: {on}{verdict}{off}"
    ))
}

/// How each part of a whole changes over the points of the grid, as bars.
fn bars_of(totals: &Totals, output: &mut Output) -> io::Result<()> {
    let points: Vec<PointSummary> = totals.points().collect();
    let mut all: Vec<(&str, Vec<Bar>)> = Vec::new();
    for point in &points {
        let set = point.set.iter().map(|(key, value)| format!("{key}={value}"));
        let label = set.collect::<Vec<_>>().join("  ");
        for check in point.checks.iter().filter(|check| check.unit == guid_sim::Unit::Fraction) {
            let says = rounded(check.mean, check);
            let bar = Bar { label: label.clone(), value: check.mean.0, says };
            match all.iter_mut().find(|(known, _)| *known == check.check) {
                Some((_, bars)) => bars.push(bar),
                None => all.push((&check.check, vec![bar])),
            }
        }
    }
    all.iter().try_for_each(|(check, bars)| bars::write(check, bars, output))?;
    if output.bars() && !all.is_empty() { output.line("") } else { Ok(()) }
}

fn table(point: &PointSummary, output: &mut Output) -> io::Result<()> {
    let set = point.set.iter().map(|(key, value)| format!("{key}={value}"));
    let set = without_controls(&set.collect::<Vec<_>>().join("  "));
    let [on, off] = output.emphasis();
    let title = if set.is_empty() { "all runs" } else { &set };
    output.line(format_args!("{on}{title}{off}"))?;
    let PointSummary { runs, holds, violated, unknown, given_up, .. } = point;
    let told = format!("{runs} runs: {holds} hold, {violated} violated, {unknown} unknown");
    output.line(match given_up {
        0 => told,
        _ => format!("{told}, of which {given_up} were given up: seeds {:?}", point.given_up_seeds),
    })?;
    let head = ["check", "violated", "mean", "95 %", "median", "99 %", "most", "expected"];
    let mut rows = vec![head.map(str::to_owned)];
    // Claims that nothing went against say that in one line together.
    let (plain, telling): (Vec<_>, Vec<_>) = point.checks.iter().partition(|check| is_plain(check));
    rows.extend(telling.into_iter().map(row));
    let widths: Vec<usize> = (0..head.len())
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    for row in &rows {
        let [check, rest @ ..] = row;
        let rest = rest.iter().zip(&widths[1..]).map(|(cell, &width)| format!("  {cell:>width$}"));
        let line = format!("{check:<width$}{}", rest.collect::<String>(), width = widths[0]);
        output.line(line.trim_end())?;
    }
    if !plain.is_empty() {
        let names: Vec<&str> = plain.iter().map(|check| check.check.as_str()).collect();
        let names = without_controls(&names.join(" "));
        output.line(format_args!("0 in every run: {names}"))?;
    }
    for check in point.checks.iter().filter(|check| check.violated > 0) {
        let seeds = check.violated_seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let more = if check.violated > check.violated_seeds.len() as u64 { ", …" } else { "" };
        let name = without_controls(&check.check);
        output.line(format_args!("{name} is violated by seeds {seeds}{more}"))?;
    }
    output.line("")
}

fn is_plain(check: &Aggregate) -> bool {
    check.min.0 == 0.0 && check.max.0 == 0.0 && check.violated == 0 && check.unknown == 0
}

fn row(check: &Aggregate) -> [String; 8] {
    let show = |number: Number| number.show(check.unit);
    let interval = check.mean_ci95.map(|[low, high]| {
        let half = Number((high.0 - low.0) / 2.0);
        if half.0 == 0.0 { String::new() } else { format!("± {}", rounded(half, check)) }
    });
    [
        without_controls(&check.check),
        format!("{} of {}", check.violated, check.runs),
        rounded(check.mean, check),
        interval.unwrap_or_default(),
        rounded(check.p50, check),
        rounded(check.p99, check),
        show(check.max),
        check.expected.map(|expected| rounded(expected, check)).unwrap_or_default(),
    ]
}

/// A mean of whole numbers, or the middle of a bucket, is none: durations to the nanosecond.
fn rounded(number: Number, check: &Aggregate) -> String {
    match check.unit {
        guid_sim::Unit::Ns => Number(number.0.round()).show(check.unit),
        _ => number.show(check.unit),
    }
}
