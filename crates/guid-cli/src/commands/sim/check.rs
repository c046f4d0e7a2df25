//! `guid sim check`: the log of another system, or a trace, judged.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use anyhow::{Context, anyhow};
use guid_sim::{Log, LogReader, LogReport, LogRules, Verdict};

use super::table::{Findings, printable};
use crate::{
    cli::{Check, Globals},
    exit::Exit,
    output::Output,
};

/// The longest line: one event with an ID of every scheme is a thousandth of it.
const LONGEST: usize = 1 << 20;

pub(crate) fn run(check: &Check, globals: Globals) -> anyhow::Result<Exit> {
    let name = if check.log == Path::new("-") {
        "standard input".to_owned()
    } else {
        check.log.display().to_string()
    };
    let report = read(check, &name)?.check();
    let mut output = Output::new(globals, check.json);
    if check.json {
        output.json(&report)?;
    } else {
        tell(&name, &report, &mut output)?;
    }
    output.finish()?;
    Ok(match report.verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown => Exit::Unknown,
    })
}

fn read(check: &Check, name: &str) -> anyhow::Result<Log> {
    let reader: Box<dyn Read> = if check.log == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(&check.log).with_context(|| name.to_owned())?)
    };
    let mut rules = LogRules::default();
    rules.scheme.clone_from(&check.scheme);
    (rules.window_ns, rules.skew_ns) = (check.window, check.skew);
    (rules.observe, rules.gaps_ns) = (check.observe, check.gaps.clone());
    rules.disorder = check.disorder;
    let mut log = LogReader::new(rules);
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let bound = LONGEST as u64 + 1;
        let read = reader.by_ref().take(bound).read_until(b'\n', &mut line);
        if read.with_context(|| name.to_owned())? == 0 {
            break;
        }
        if line.len() > LONGEST {
            let why = format!("a line of more than {LONGEST} bytes, expected an event");
            return Err(anyhow!("{name}: line {number}, column 1: {why}"));
        }
        let text = str::from_utf8(&line).map_err(|error| {
            let column = error.valid_up_to() + 1;
            anyhow!("{name}: line {number}, column {column}: bytes that are not UTF-8 text")
        })?;
        log.line(text).with_context(|| name.to_owned())?;
    }
    log.finish().with_context(|| name.to_owned())
}

/// What a run would have been asked, and a trace cannot be: one line for all that lack the same.
fn undecided(report: &LogReport, output: &mut Output) -> io::Result<()> {
    output.line("\nnot in a trace, so not checked")?;
    for same in report.undecided.chunk_by(|a, b| a.lacks == b.lacks) {
        let names: Vec<&str> = same.iter().map(|one| one.name).collect();
        output.line(format_args!("  {}: {}", same[0].lacks, names.join(", ")))?;
    }
    Ok(())
}

fn tell(name: &str, report: &LogReport, output: &mut Output) -> io::Result<()> {
    let [on, off] = output.emphasis();
    let scenario = report.scenario.as_deref().map(printable);
    let of = scenario.map_or_else(String::new, |scenario| format!(": a trace of {scenario}"));
    output.line(format_args!("{on}{name}{off}{of}"))?;
    let LogReport { events, nodes, messages, schemes, .. } = report;
    let schemes = if schemes.is_empty() { "none".to_owned() } else { schemes.join(", ") };
    let nodes = nodes.len();
    output.line(format_args!(
        "{events} events, {nodes} nodes, {messages} messages; IDs: {schemes}\n"
    ))?;
    let LogReport { checks, measures, start_ns, nodes, .. } = report;
    Findings { checks, measures, start_ns, nodes }.write(output)?;
    undecided(report, output)?;
    let [on, off] = output.verdict(report.verdict);
    output.line(format_args!("\nverdict    {on}{}{off}", report.verdict))
}
