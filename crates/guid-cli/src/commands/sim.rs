//! `guid sim`: run scenarios, list them, show them.

mod run;
mod table;

use guid_sim::{BUILTIN, Builtin};
use serde::Serialize;

use crate::{
    cli::{Globals, Sim, SimCommand},
    exit::{Exit, UsageError},
    output::Output,
};

pub(crate) fn run(sim: &Sim, globals: Globals) -> anyhow::Result<Exit> {
    match &sim.command {
        SimCommand::Run(run) => run::run(run, globals),
        SimCommand::List { json } => list(*json, globals),
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

/// The scenario that ships under a name.
fn named(name: &str) -> Result<&'static Builtin, UsageError> {
    Builtin::named(name)
        .map_err(|hint| UsageError(format!("no scenario `{name}` ships{hint}").into()))
}
