//! `guid sim explore`: every run of a small world, or some of a larger one.

mod show;

use std::{fs, path::Path};

use anyhow::{Context, anyhow};
use guid_sim::{
    Builtin, Repro, Verdict,
    explore::{ExploreReport, Luck, Progress, SmallWorld, WORLDS},
};
use indicatif::{ProgressBar, ProgressStyle};

use super::load;
use crate::{
    cli::{Explore, Globals},
    exit::{Exit, UsageError},
    output::Output,
};

pub(crate) fn run(explore: &Explore, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, explore.json);
    let Some(name) = explore.world.as_deref().filter(|_| !explore.list) else {
        show::list(&mut output, explore.json)?;
        return Ok(output.finish()?);
    };
    refuse_to_overwrite(explore, name)?;
    let text = text(name)?;
    if explore.print && explore.overrides.is_empty() {
        // As it was written, with its comments.
        output.bytes(text.as_bytes())?;
        return Ok(output.finish()?);
    }
    let world = SmallWorld::parse_with(&text, &explore.overrides).map_err(|error| {
        if Repro::parse(&text).is_ok() {
            return anyhow!("{name}: this is a run that was made small: guid sim replay {name}");
        }
        let source = if error.place.is_some() { name.to_owned() } else { "--set".to_owned() };
        anyhow::Error::new(error).context(source)
    })?;
    if explore.print {
        output.bytes(world.to_string().as_bytes())?;
        return Ok(output.finish()?);
    }
    let verdict = if explore.replay {
        replay(&world, name, &mut output, explore.json)?
    } else {
        search(explore, &world, &mut output, globals)?
    };
    output.finish()?;
    Ok(match verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown => Exit::Unknown,
    })
}

/// The run goes beside the world, never over it.
fn refuse_to_overwrite(explore: &Explore, name: &str) -> Result<(), UsageError> {
    let real = |path: &Path| path.canonicalize().ok();
    let out = explore.out.as_deref().and_then(real);
    if out.is_some() && out == real(Path::new(name)) {
        return Err(UsageError("--out would overwrite the world".into()));
    }
    Ok(())
}

/// A file if it looks like one or is one, else a world that ships.
fn text(name: &str) -> anyhow::Result<String> {
    let path = Path::new(name);
    let shipped = WORLDS.iter().find(|world| world.name == name);
    let looks_like_one = path.extension().is_some_and(|extension| extension == "toml")
        || path.components().count() > 1;
    match shipped {
        Some(world) if !looks_like_one => Ok(world.text.to_owned()),
        None if !looks_like_one && !path.exists() => {
            let hint = SmallWorld::named(name).err().unwrap_or_default();
            let scenario = Builtin::named(name).is_ok();
            let hint =
                if scenario { ": it is a scenario, for `guid sim run`".into() } else { hint };
            Err(UsageError(format!("no world `{name}` ships{hint}").into()).into())
        }
        _ => load::file(name),
    }
}

fn replay(
    world: &SmallWorld,
    name: &str,
    output: &mut Output,
    json: bool,
) -> anyhow::Result<Verdict> {
    let replayed = world
        .replay()
        .ok_or_else(|| anyhow!("{name}: no [run] to replay: expected a file that --out wrote"))?;
    if json {
        output.json(&replayed)?;
    } else {
        show::replayed(world, &replayed, output)?;
    }
    Ok(replayed.verdict)
}

fn search(
    explore: &Explore,
    world: &SmallWorld,
    output: &mut Output,
    globals: Globals,
) -> anyhow::Result<Verdict> {
    let bar = bar(explore, globals);
    let mut watch = |progress: Progress| bar.set_position(progress.done);
    let report = match explore.random {
        Some(schedules) => {
            let mut luck = Luck::new(schedules, explore.seed);
            luck.depth = explore.depth;
            world.random(luck, &mut watch)
        }
        None => world.explore(explore.max_states, &mut watch),
    };
    bar.finish_and_clear();
    if explore.json {
        output.json(&report)?;
    } else {
        show::report(world, &report, output)?;
    }
    if let Some(path) = &explore.out {
        write(path, world, &report, output, explore.json)?;
    }
    Ok(report.verdict)
}

/// Writes the run that was found, if one was.
fn write(
    path: &Path,
    world: &SmallWorld,
    report: &ExploreReport,
    output: &mut Output,
    json: bool,
) -> anyhow::Result<()> {
    let told = match &report.violation {
        Some(found) => {
            let file = path.display();
            fs::write(path, world.with_run(found)).with_context(|| file.to_string())?;
            format!("{file} is written: guid sim explore --replay {file}")
        }
        None => format!("nothing was found: {} is not written", path.display()),
    };
    if json { Ok(()) } else { Ok(output.line(told)?) }
}

/// A bar on stderr, where somebody looks.
fn bar(explore: &Explore, globals: Globals) -> ProgressBar {
    if globals.quiet {
        return ProgressBar::hidden();
    }
    let (length, what) = match explore.random {
        Some(schedules) => (schedules, "schedules"),
        None => (explore.max_states, "states at most"),
    };
    // Hidden by itself unless stderr is a terminal.
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}"));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
