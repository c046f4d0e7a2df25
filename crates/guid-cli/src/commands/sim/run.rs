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
    load::{load, placed, text},
    table,
};
use crate::{
    cli::{Globals, Run},
    exit::{Exit, UsageError},
    output::Output,
    report,
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
    let trace = run.trace.as_deref().map(|path| create(path, run, "--trace")).transpose()?;
    let report = match &run.report {
        Some(path) => with_page(run, scenario, seed, (path, trace))?,
        None => scenario.run_traced(seed, trace).map_err(|error| told(run, error))?,
    };
    if run.check_determinism && scenario.run(seed)? != report {
        return Err(anyhow!("seed {seed}: two runs differ: please report this"));
    }
    Ok(report)
}

/// The same, and how the events of its witnesses came to be known to each other.
fn explained(run: &Run, scenario: &Scenario, seed: u64) -> anyhow::Result<Report> {
    let mut report = simulate(run, scenario, seed)?;
    scenario.explain(&mut report).map_err(|error| told(run, error))?;
    Ok(report)
}

/// Where the page goes, and where the trace.
type Files<'a> = (&'a Path, Option<Box<dyn Write>>);

/// Runs a seed, and writes the page about it.
fn with_page(
    run: &Run,
    scenario: &Scenario,
    seed: u64,
    (path, trace): Files<'_>,
) -> anyhow::Result<Report> {
    let text = text(&run.chosen)?;
    let mut file = create(path, run, "--report")?;
    let (report, sample) = scenario.sample_traced(seed, trace).map_err(|error| told(run, error))?;
    let overrides = &run.chosen.overrides;
    let replay = report::replay(&run.chosen.scenario, seed, overrides);
    let about = report::About { scenario, text: &text, overrides, replay: &replay, links: &[] };
    let page = report::page(about, &report, &sample)?;
    let written = file.write_all(page.as_bytes()).and_then(|()| file.flush());
    written.with_context(|| path.display().to_string())?;
    Ok(report)
}

fn told(run: &Run, error: RunError) -> anyhow::Error {
    match error {
        RunError::NoSuchCheck(error) => placed(&run.chosen, error),
        RunError::Trace(error) => anyhow::Error::new(error).context("the trace"),
        error => anyhow::Error::new(error).context(run.chosen.scenario.clone()),
    }
}

/// Creates a file that is none of those that the run reads or writes already.
fn create(path: &Path, run: &Run, option: &str) -> anyhow::Result<Box<dyn Write>> {
    let whole = |path: &Path| path.canonicalize().ok();
    let trace = run.trace.as_deref().filter(|_| option != "--trace");
    let mut others = [Some(Path::new(&run.chosen.scenario)), trace].into_iter().flatten();
    if whole(path).is_some_and(|path| others.any(|other| whole(other) == Some(path.clone()))) {
        let why = format!("{option} would overwrite another file of this run");
        return Err(UsageError(why.into()).into());
    }
    let file = File::create(path).with_context(|| path.display().to_string())?;
    Ok(Box::new(BufWriter::new(file)))
}

fn one(run: &Run, scenario: &Scenario, output: &mut Output) -> anyhow::Result<Verdict> {
    let seed = run.seed.unwrap_or(scenario.seed());
    let report = explained(run, scenario, seed)?;
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
        if summary.seeds == 1 && !run.json {
            bar.suspend(|| table::dropped(&report, output))?;
        }
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
