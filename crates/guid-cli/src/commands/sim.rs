//! `guid sim`: run scenarios, list them, show them.

mod load;
mod run;
mod sweep;
mod predict;
mod new;
mod check;
mod shrink;
mod replay;
mod explore;
mod picture;
pub(crate) mod table;

use std::{
    fs,
    io::{self, Read},
    ops::Range,
    path::Path,
};

use anyhow::Context;
use guid_sim::{BUILTIN, Builtin, Format, Trace};
use serde::Serialize;

use crate::{
    cli::{Globals, Sim, SimCommand},
    exit::{Exit, UsageError},
    output::Output,
};

pub(crate) fn run(sim: &Sim, globals: Globals) -> anyhow::Result<Exit> {
    match &sim.command {
        SimCommand::Run(run) => run::run(run, globals),
        SimCommand::Sweep(args) => sweep::run(args, globals),
        SimCommand::Merge(args) => sweep::merge(args, globals),
        SimCommand::Worker(args) => sweep::work(args, globals),
        SimCommand::Predict(predict) => predict::run(predict, globals),
        SimCommand::New { name } => new::run(name.as_deref(), globals),
        SimCommand::Shrink(shrink) => shrink::run(shrink, globals),
        SimCommand::Replay(replay) => replay::run(replay, globals),
        SimCommand::Check(check) => check::run(check, globals),
        SimCommand::Explore(explore) => explore::run(explore, globals),
        SimCommand::List { json } => list(*json, globals),
        SimCommand::Export { trace, to, events } => export(trace, *to, events.as_ref(), globals),
        SimCommand::Picture(picture) => picture::run(picture, globals),
        SimCommand::Show { name } => show(name, globals),
    }
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    summary: &'a str,
}

fn list(json: bool, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, json);
    let width = BUILTIN.iter().map(|builtin| builtin.name.len()).max().unwrap_or(0);
    for builtin in BUILTIN {
        let scenario = builtin.scenario()?;
        let (name, summary) = (builtin.name, scenario.summary());
        if json {
            output.json(&Listed { name, summary })?;
        } else {
            let [on, off] = output.emphasis();
            output.line(format_args!("{on}{name:width$}{off}  {summary}"))?;
        }
    }
    Ok(output.finish()?)
}

fn show(name: &str, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, false);
    output.bytes(named(name)?.text.as_bytes())?;
    Ok(output.finish()?)
}

fn export(
    path: &Path,
    to: Format,
    events: Option<&Range<u64>>,
    globals: Globals,
) -> anyhow::Result<Exit> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
        bytes
    } else {
        fs::read(path).with_context(|| name.clone())?
    };
    let text = String::from_utf8(bytes).with_context(|| name.clone())?;
    let mut trace = Trace::parse(&text).with_context(|| name)?;
    if let Some(range) = events {
        trace.events.retain(|event| range.contains(&event.event));
    }
    let mut output = Output::new(globals, false);
    output.bytes(to.write(&trace).as_bytes())?;
    Ok(output.finish()?)
}

/// The scenario that ships under a name.
fn named(name: &str) -> Result<&'static Builtin, UsageError> {
    Builtin::named(name)
        .map_err(|hint| UsageError(format!("no scenario `{name}` ships{hint}").into()))
}
