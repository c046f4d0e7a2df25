//! `guid sim run`: one run or many, judged.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use anyhow::{Context, anyhow};
use guid_sim::{Report, RunError, Scenario, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{
    load::{load, placed},
    table,
};
use crate::{
    cli::{Globals, Run},
    exit::{Exit, UsageError},
    output::Output,
};

pub(crate) fn run(run: &Run, globals: Globals) -> anyhow::Result<Exit> {
    let scenario = load(&run.chosen)?;
    let mut output = Output::new(globals, run.json);
    let verdict = match run.seeds.clone() {
        None => one(run, &scenario, &mut output),
        Some(_) => many(run, &scenario, &mut output, globals),
    };
    // A run that grew too large is no input error: it could not be told what it would have shown.
    let verdict = verdict.or_else(|error| match error.downcast_ref::<RunError>() {
        Some(limit) if limit.is_limit() => {
            output.complain(&error)?;
            Ok(Verdict::Unknown)
        }
        _ => Err(error),
    })?;
    output.finish()?;
    Ok(match verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown => Exit::Unknown,
    })
}

/// Runs a seed, twice if asked to.
fn simulate(run: &Run, scenario: &Scenario, seed: u64) -> anyhow::Result<Report> {
    let trace = run.trace.as_deref().map(|path| create(path, &run.chosen.scenario)).transpose()?;
    let report = scenario.run_traced(seed, trace).map_err(|error| match error {
        RunError::NoSuchCheck(error) => placed(&run.chosen, error),
        RunError::Trace(error) => anyhow::Error::new(error).context("the trace"),
        error => anyhow::Error::new(error).context(run.chosen.scenario.clone()),
    })?;
    if run.check_determinism && scenario.run(seed)? != report {
        return Err(anyhow!("seed {seed}: two runs differ: please report this"));
    }
    Ok(report)
}

fn create(path: &Path, scenario: &str) -> anyhow::Result<Box<dyn Write>> {
    let same = path.canonicalize().ok().is_some_and(|path| {
        Path::new(scenario).canonicalize().is_ok_and(|scenario| scenario == path)
    });
    if same {
        return Err(UsageError("--trace would overwrite the scenario".into()).into());
    }
    let file = File::create(path).with_context(|| path.display().to_string())?;
    Ok(Box::new(BufWriter::new(file)))
}

fn one(run: &Run, scenario: &Scenario, output: &mut Output) -> anyhow::Result<Verdict> {
    let report = simulate(run, scenario, run.seed.unwrap_or(scenario.seed()))?;
    if run.json {
        output.json(&report)?;
    } else {
        table::write(&report, scenario.summary(), output)?;
    }
    Ok(report.verdict)
}

/// What many runs came to.
#[derive(Serialize)]
struct Summary {
    #[serde(rename = "summary")]
    marker: bool,
    seeds: u64,
    holds: u64,
    violated: u64,
    unknown: u64,
    verdict: Verdict,
}

fn many(
    run: &Run,
    scenario: &Scenario,
    output: &mut Output,
    globals: Globals,
) -> anyhow::Result<Verdict> {
    let seeds = run.seeds.clone().unwrap_or_default();
    let bar = progress(seeds.end - seeds.start, globals);
    let mut summary = Summary {
        marker: true,
        seeds: 0,
        holds: 0,
        violated: 0,
        unknown: 0,
        verdict: Verdict::Holds,
    };
    for seed in seeds {
        let report = simulate(run, scenario, seed)?;
        summary.count(report.verdict);
        bar.suspend(|| tell(run, &report, output))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if run.json {
        output.json(&summary)?;
    } else {
        let Summary { seeds, holds, violated, unknown, verdict, .. } = summary;
        output.line(format_args!(
            "{seeds} seeds: {holds} hold, {violated} violated, {unknown} unknown: {verdict}"
        ))?;
    }
    Ok(summary.verdict)
}

impl Summary {
    fn count(&mut self, verdict: Verdict) {
        self.seeds += 1;
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::Violated => self.violated += 1,
            Verdict::Unknown => self.unknown += 1,
        }
        self.verdict = self.verdict.max(verdict);
    }
}

/// One of many runs: an object, or a line with what did not hold.
fn tell(run: &Run, report: &Report, output: &mut Output) -> io::Result<()> {
    if run.json {
        output.json(report)?;
    } else {
        let Report { seed, events, trace_hash, verdict, .. } = report;
        let wrong = report.checks.iter().filter(|check| check.verdict != Verdict::Holds);
        let wrong: Vec<String> = wrong.map(guid_sim::Check::key).collect();
        let wrong = wrong.join(", ");
        let line = format!("seed {seed:<6} {verdict:<8} {events:>9} events  {trace_hash}  {wrong}");
        output.line(line.trim_end())?;
    }
    output.flush()
}

/// A bar on stderr, where somebody looks.
fn progress(seeds: u64, globals: Globals) -> ProgressBar {
    if globals.quiet {
        return ProgressBar::hidden();
    }
    // Hidden by itself unless stderr is a terminal.
    let bar = ProgressBar::new(seeds);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} seeds, {eta} left");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
