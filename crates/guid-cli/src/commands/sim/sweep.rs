//! `guid sim sweep` and `guid sim merge`: many runs, and what they come to.

mod sink;
mod tell;

use std::{
    fs::{self, File},
    io::{self, BufReader, Write},
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, anyhow};
use guid_sim::{
    Verdict,
    sweep::{self, Header, MergeError, Results, Sweep, SweepError, Totals},
};
use indicatif::{ProgressBar, ProgressStyle};

use self::sink::Sink;
use super::load;
use crate::{
    cli::{self, Globals},
    exit::{Exit, UsageError},
    output::Output,
};

pub(crate) fn run(args: &cli::Sweep, globals: Globals) -> anyhow::Result<Exit> {
    let sweep = read(args)?;
    let mut output = Output::new(globals, args.results.json);
    refuse_overwriting(&args.results, &args.chosen.scenario)?;
    let mut sink = Sink::open(&args.results, &sweep.header(args.shard))?;
    check_last(&sink, &sweep)?;
    let jobs = args.shard.jobs(sweep.jobs());
    if sink.resumed > 0 {
        tell_resumed(sink.resumed, jobs, globals);
    }
    let bar = progress(sink.resumed, jobs, globals);
    if args.shard.is_whole() && args.nats.url().is_some() {
        remote(args, &sweep, &mut sink, &bar, globals)?;
    } else {
        local(args, &sweep, &mut sink, &bar)?;
    }
    bar.finish_and_clear();
    sink.finish(&args.results)?;
    report(&args.results, &sweep.header(args.shard), &sink.totals)?;
    tell::tell(&sink.totals, sweep.name(), args.results.json, &mut output)?;
    output.finish()?;
    Ok(exit(sink.totals.verdict()))
}

pub(crate) fn merge(args: &cli::Merge, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, args.results.json);
    for file in &args.files {
        refuse_overwriting(&args.results, &file.display().to_string())?;
    }
    let files = args.files.iter().map(|path| open(path));
    let files = files.collect::<anyhow::Result<Vec<_>>>()?;
    let Some(header) = files.first().map(|file| file.header().whole()) else {
        return Err(UsageError("there is nothing to merge".into()).into());
    };
    let mut sink = Sink::open(&args.results, &header)?;
    let bar = progress(0, header.jobs, globals);
    let merged = sweep::merge(files, |line, outcome| {
        bar.inc(1);
        // What the file to write held already was taken in when it was opened.
        if outcome.job < sink.resumed { Ok(()) } else { sink.take(line, outcome) }
    });
    merged.map_err(|error| match error {
        MergeError::File { file, error } => {
            anyhow::Error::new(error).context(args.files[file - 1].display().to_string())
        }
        MergeError::Caller(error) => error.into(),
        error => anyhow!("{error}").context(names(&args.files)),
    })?;
    bar.finish_and_clear();
    sink.finish(&args.results)?;
    report(&args.results, &header, &sink.totals)?;
    tell::tell(&sink.totals, &header.scenario, args.results.json, &mut output)?;
    output.finish()?;
    Ok(exit(sink.totals.verdict()))
}

/// Reads the scenario, and what is to be swept.
fn read(args: &cli::Sweep) -> anyhow::Result<Sweep> {
    let (name, text) = (&args.chosen.scenario, load::text(&args.chosen)?);
    let typed = |key: &str| args.vary.iter().any(|(typed, _)| typed == key);
    let sweep = Sweep::new(&text, &args.chosen.overrides, &args.vary, args.seeds.clone());
    sweep.map_err(|error| match &error {
        SweepError::Axis { key, .. } if typed(key) => UsageError(error.to_string().into()).into(),
        // With a place it is in the file; without, in what is set at some point of the grid.
        SweepError::Scenario { error, .. } if error.place.is_some() => {
            anyhow::Error::new(error.clone()).context(name.clone())
        }
        SweepError::Scenario { .. } if !args.vary.is_empty() => {
            anyhow::Error::new(error).context("--vary, --set")
        }
        SweepError::TooLarge(_) => UsageError(error.to_string().into()).into(),
        _ => anyhow::Error::new(error).context(name.clone()),
    })
}

/// Runs what is left of it on this machine.
fn local(
    args: &cli::Sweep,
    sweep: &Sweep,
    sink: &mut Sink,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    let all = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = args.threads.map_or_else(all, usize::from);
    sweep.run_from(args.shard, sink.resumed, threads, |outcome| {
        sink.take(&outcome.line(), &outcome)?;
        bar.inc(1);
        Ok::<(), io::Error>(())
    })?;
    Ok(())
}

/// Has what is left of it done by workers.
#[cfg(feature = "nats")]
fn remote(
    args: &cli::Sweep,
    sweep: &Sweep,
    sink: &mut Sink,
    bar: &ProgressBar,
    globals: Globals,
) -> anyhow::Result<()> {
    let from = sink.resumed;
    crate::nats::collect((&args.nats, &args.queue), sweep, from, globals, |line, outcome| {
        sink.take(line, outcome)?;
        bar.inc(1);
        Ok(())
    })
}

#[cfg(not(feature = "nats"))]
fn remote(
    _: &cli::Sweep,
    _: &Sweep,
    _: &mut Sink,
    _: &ProgressBar,
    _: Globals,
) -> anyhow::Result<()> {
    Err(without_nats())
}

/// `guid sim worker`.
#[cfg(feature = "nats")]
pub(crate) fn work(args: &cli::Worker, globals: Globals) -> anyhow::Result<Exit> {
    if args.nats.url().is_none() {
        return Err(UsageError("--nats URL is missing: where are the jobs?".into()).into());
    }
    crate::nats::work(args, globals)?;
    Ok(Exit::Holds)
}

#[cfg(not(feature = "nats"))]
pub(crate) fn work(_: &cli::Worker, _: Globals) -> anyhow::Result<Exit> {
    Err(without_nats())
}

#[cfg(not(feature = "nats"))]
fn without_nats() -> anyhow::Error {
    UsageError("this `guid` was built without the feature `nats`".into()).into()
}

/// The last run that a file holds is run again: a program that computes something else must not go
/// on with it.
fn check_last(sink: &Sink, sweep: &Sweep) -> anyhow::Result<()> {
    match sink.last() {
        Some((job, line)) if sweep.run(job).line() != line => Err(anyhow!(
            "run {job} came to something else before: the file was written by another build of \
             this program, or was changed"
        )),
        _ => Ok(()),
    }
}

fn open(path: &Path) -> anyhow::Result<Results<BufReader<File>>> {
    let open = || Ok::<_, anyhow::Error>(Results::new(BufReader::new(File::open(path)?))?);
    open().with_context(|| path.display().to_string())
}

fn report(results: &cli::SweepResults, header: &Header, totals: &Totals) -> anyhow::Result<()> {
    let Some(path) = &results.report else { return Ok(()) };
    let page = crate::report::sweep(header, totals)?;
    fs::write(path, page).with_context(|| path.display().to_string())
}

fn refuse_overwriting(results: &cli::SweepResults, input: &str) -> anyhow::Result<()> {
    let cli::SweepResults { out, csv, report, .. } = results;
    let files = [("--out", out), ("--csv", csv), ("--report", report)];
    let wrong = files.iter().find(|(_, file)| {
        let file = file.as_deref().and_then(real);
        file.is_some() && file == real(Path::new(input))
    });
    if let Some((option, _)) = wrong {
        return Err(UsageError(format!("{option} would overwrite {input}").into()).into());
    }
    let named = files.iter().filter_map(|(_, file)| real(file.as_deref()?));
    let named: Vec<PathBuf> = named.collect();
    if (1..named.len()).any(|at| named[..at].contains(&named[at])) {
        return Err(UsageError("two of --out, --csv, --report name the same file".into()).into());
    }
    Ok(())
}

/// Where a file is, or would be if it were there: two names may mean one.
fn real(path: &Path) -> Option<PathBuf> {
    let would_be = || {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(would_be)
}

fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown => Exit::Unknown,
    }
}

/// Says that it goes on with a file: who did not mean to would wonder.
fn tell_resumed(done: u64, jobs: u64, globals: Globals) {
    if !globals.quiet {
        // Nobody is left to tell if this fails.
        writeln!(io::stderr(), "guid: going on behind {done} of {jobs} runs that are done").ok();
    }
}

/// A bar on stderr, where somebody looks.
fn progress(done: u64, jobs: u64, globals: Globals) -> ProgressBar {
    if globals.quiet {
        return ProgressBar::hidden();
    }
    // Hidden by itself unless stderr is a terminal.
    let bar = ProgressBar::new(jobs).with_position(done);
    bar.reset_eta();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {per_sec}, {eta} left");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
