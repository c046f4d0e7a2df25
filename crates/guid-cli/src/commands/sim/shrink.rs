//! `guid sim shrink`: the least run that fails the same way.

use std::{fs, path::Path};

use anyhow::{Context, anyhow};
use guid_sim::{
    Effort, Failure, NothingToShow, PlanError, Progress, Repro, RunError, Scenario, Shows, Shrunk,
    Verdict,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{
    load::{load, placed},
    replay,
};
use crate::{
    cli::{Globals, Shrink},
    exit::{Exit, UsageError},
    output::Output,
};

#[derive(Serialize)]
struct Told<'a> {
    schema: u32,
    scenario: &'a str,
    seed: u64,
    check: &'a str,
    shows: &'static str,
    expectation: Option<&'a str>,
    cause: Option<&'a str>,
    from: Size,
    to: Size,
    tries: u64,
    minimal: bool,
    repro: &'a str,
}

#[derive(Serialize)]
struct Size {
    nodes: usize,
    events: u64,
    lines: usize,
}

impl From<Progress> for Size {
    fn from(progress: Progress) -> Self {
        let Progress { nodes, events, lines, .. } = progress;
        Self { nodes, events, lines }
    }
}

pub(crate) fn run(shrink: &Shrink, globals: Globals) -> anyhow::Result<Exit> {
    let scenario = load(&shrink.chosen)?;
    let mut output = Output::new(globals, shrink.json);
    if let Some(path) = &shrink.out {
        refuse_scenario(path, &shrink.chosen.scenario)?;
    }
    let shrunk = match shrunk(shrink, &scenario, globals) {
        Ok(shrunk) => shrunk,
        Err(error) if is_unknown(&error) => {
            output.complain(&error)?;
            return Ok(Exit::Unknown);
        }
        Err(error) => return Err(error),
    };
    let text = shrunk.repro.to_string();
    // What is written is what was shown: it is read again.
    let again = Repro::parse(&text).map(|repro| repro.replay().verdict);
    if again != Ok(Verdict::Holds) {
        return Err(anyhow!("the repro does not replay: please report this"));
    }
    if let Some(path) = &shrink.out {
        fs::write(path, &text).with_context(|| path.display().to_string())?;
    }
    tell(shrink, &shrunk, &text, &mut output)?;
    if !shrunk.is_minimal {
        let why = anyhow!("it may not be the least: {} replays were not enough", shrunk.to.tries);
        output.complain(&why)?;
    }
    Ok(output.finish()?)
}

/// Runs that grew too large, and checks that could not tell.
fn is_unknown(error: &anyhow::Error) -> bool {
    let is_too_long = |error: &PlanError| match error {
        PlanError::TooLong => true,
        PlanError::Run(error) => error.is_limit(),
        _ => false,
    };
    error.downcast_ref().is_some_and(is_too_long)
        || matches!(error.downcast_ref(), Some(NothingToShow::Unknown))
}

fn shrunk(shrink: &Shrink, scenario: &Scenario, globals: Globals) -> anyhow::Result<Shrunk> {
    let name = || shrink.chosen.scenario.clone();
    let seed = shrink.seed.unwrap_or(scenario.seed());
    let (report, plan) = scenario.plan(seed).map_err(|error| match error {
        PlanError::Run(RunError::NoSuchCheck(error)) => placed(&shrink.chosen, error),
        error => anyhow::Error::new(error).context(name()),
    })?;
    let failure = match &shrink.check {
        None => Failure::first(&report),
        Some(check) => Failure::of(&report, check),
    };
    let failure = failure.map_err(|error| match error {
        NothingToShow::NoSuchCheck { .. } => UsageError(error.to_string().into()).into(),
        error => anyhow::Error::new(error).context(format!("{}, seed {seed}", name())),
    })?;
    let spinner = spinner(globals);
    let effort = Effort::new(shrink.tries, Effort::default().events);
    let told = &mut |progress: Progress| {
        let Progress { tries, nodes, events, .. } = progress;
        spinner.set_message(format!("{nodes} nodes, {events} events after {tries} replays"));
        spinner.tick();
    };
    let shrunk = plan.shrink(&failure, effort, told);
    spinner.finish_and_clear();
    shrunk.context("please report this")
}

fn tell(shrink: &Shrink, shrunk: &Shrunk, text: &str, output: &mut Output) -> anyhow::Result<()> {
    if shrink.json {
        let (failure, plan) = (shrunk.repro.failure(), shrunk.repro.plan());
        let (shows, expectation) = match &failure.shows {
            Shows::Case => ("case", None),
            Shows::Unmet(expectation) => ("unmet", Some(expectation.text.as_str())),
            _ => ("violated", None),
        };
        let told = Told {
            schema: 1,
            scenario: plan.name(),
            seed: plan.seed(),
            check: &failure.check,
            shows,
            expectation,
            cause: failure.cause.as_deref(),
            from: shrunk.from.into(),
            to: shrunk.to.into(),
            tries: shrunk.to.tries,
            minimal: shrunk.is_minimal,
            repro: text,
        };
        return Ok(output.json(&told)?);
    }
    let Some(path) = &shrink.out else { return Ok(output.bytes(text.as_bytes())?) };
    let Shrunk { from, to, .. } = shrunk;
    output.line(format_args!(
        "from {} nodes and {} events to {} and {}, after {} replays\n",
        from.nodes, from.events, to.nodes, to.events, to.tries
    ))?;
    replay::table(&shrunk.repro.replay(), output)?;
    Ok(output.line(format_args!("\nreplay it  guid sim replay {}", path.display()))?)
}

fn refuse_scenario(path: &Path, scenario: &str) -> anyhow::Result<()> {
    let same = path.canonicalize().ok().is_some_and(|path| {
        Path::new(scenario).canonicalize().is_ok_and(|scenario| scenario == path)
    });
    if same {
        return Err(UsageError("--out would overwrite the scenario".into()).into());
    }
    Ok(())
}

/// A line on stderr, where somebody looks.
fn spinner(globals: Globals) -> ProgressBar {
    if globals.quiet {
        return ProgressBar::hidden();
    }
    // Hidden by itself unless stderr is a terminal.
    let spinner = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg}");
    style.map_or(spinner.clone(), |style| spinner.with_style(style))
}
