//! `guid sim replay`: what a repro shows, line by line.

use std::{
    fs::File,
    io::{self, BufWriter, Read},
    path::Path,
};

use anyhow::{Context, anyhow};
use guid_sim::{Happened, Replayed, Repro, Verdict, explore::SmallWorld, units::Ns};

use super::table::{Findings, minus, printable, title};
use crate::{
    cli::{Globals, ReplayRepro},
    exit::{Exit, UsageError},
    lines::without_controls,
    output::Output,
};

/// The largest repro that is read.
const LARGEST: u64 = 1 << 26;

pub(crate) fn run(replay: &ReplayRepro, globals: Globals) -> anyhow::Result<Exit> {
    let name = replay.repro.display().to_string();
    let bytes = read(&replay.repro).with_context(|| name.clone())?;
    if bytes.len() as u64 > LARGEST {
        return Err(anyhow!("{name}: larger than {LARGEST} bytes: expected a repro"));
    }
    let text = String::from_utf8(bytes).with_context(|| name.clone())?;
    let repro = Repro::parse(&text).map_err(|error| match SmallWorld::parse(&text) {
        Ok(_) => anyhow!("{name}: this is of a small world: guid sim explore --replay {name}"),
        Err(_) => anyhow::Error::new(error).context(name.clone()),
    })?;
    if let Some(path) = &replay.trace {
        trace(&repro, path, &replay.repro)?;
    }
    let replayed = repro.replay();
    let mut output = Output::new(globals, replay.json);
    if replay.json {
        output.json(&replayed)?;
    } else {
        table(&replayed, &mut output)?;
    }
    output.finish()?;
    Ok(if replayed.verdict == Verdict::Holds { Exit::Holds } else { Exit::Violated })
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn trace(repro: &Repro, path: &Path, own: &Path) -> anyhow::Result<()> {
    let same = path
        .canonicalize()
        .ok()
        .is_some_and(|path| own.canonicalize().is_ok_and(|own| own == path));
    if same {
        return Err(UsageError("--trace would overwrite the repro".into()).into());
    }
    let file = File::create(path).with_context(|| path.display().to_string())?;
    repro.trace(Box::new(BufWriter::new(file))).context("the trace")
}

/// What happened, the witness, and whether it came out.
pub(super) fn table(replayed: &Replayed, output: &mut Output) -> io::Result<()> {
    let Replayed { scenario, seed, happened, check, shows, .. } = replayed;
    title(&printable(scenario), &format!("made small, from seed {seed}"), output)?;
    output.line(format_args!("shows {}\n", without_controls(shows)))?;
    rows(replayed, happened, output)?;
    if let Some(check) = check {
        let (measured, unit) = (check.measured, check.unit);
        let found = match check.of {
            0 => measured.show(unit),
            of => format!("{} of {of} go against it", check.count),
        };
        output.line(format_args!("\n{}: {found}", without_controls(&check.key())))?;
        if let Some(witness) = &check.witness {
            output.line(&witness.cause)?;
            let (checks, measures, nodes) = (&[][..], &[][..], &[][..]);
            let start_ns = &replayed.start_ns;
            Findings { checks, measures, start_ns, nodes }.witness(witness, output)?;
        }
    }
    let [on, off] = output.verdict(replayed.verdict);
    let verdict = match replayed.verdict {
        Verdict::Holds => "it fails as the file says",
        _ => "it does not fail as the file says",
    };
    output.line(format_args!("\nverdict    {on}{}{off}: {verdict}", replayed.verdict))
}

fn rows(replayed: &Replayed, happened: &[Happened], output: &mut Output) -> io::Result<()> {
    let schemes: Vec<&String> = happened
        .iter()
        .find(|one| !one.ids.is_empty())
        .map_or_else(Vec::new, |one| one.ids.keys().collect());
    let mut head = ["event", "at", "node", "its clock", "what"].map(str::to_owned).to_vec();
    head.extend(schemes.iter().map(|&scheme| scheme.clone()));
    let mut rows = vec![head];
    for one in happened {
        let clock = minus(&one.local_ns, &one.true_ns);
        let clock = match clock {
            Ns(0) => "right".to_owned(),
            Ns(ahead @ 1..) => format!("{} ahead", Ns(ahead)),
            Ns(behind) => format!("{} behind", Ns(-behind)),
        };
        let mut row = vec![
            one.event.map_or_else(String::new, |event| event.to_string()),
            minus(&one.true_ns, &replayed.start_ns).to_string(),
            format!("n{}", one.node),
            clock,
            printable(&one.what),
        ];
        row.extend(schemes.iter().map(|&scheme| one.ids.get(scheme).cloned().unwrap_or_default()));
        rows.push(row);
    }
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    for (number, row) in rows.iter().enumerate() {
        let [on, off] = if number == 0 { output.emphasis() } else { ["", ""] };
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, width))| match column {
                0 | 1 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            })
            .collect();
        output.line(format_args!("{on}{}{off}", cells.join("  ").trim_end()))?;
    }
    Ok(())
}
