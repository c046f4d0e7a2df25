//! `guid maelstrom`: a node of ours, and a test of anybody's.

use std::{fs, time::Duration};

use anyhow::Context;
use guid_sim::Verdict;
use indicatif::ProgressBar;
use serde_json::json;

use super::history;
use crate::{
    cli::{Globals, Maelstrom, MaelstromCommand, Test},
    exit::Exit,
    maelstrom::{
        harness::{self, Findings},
        node,
    },
    output::Output,
    report::{self, Tested},
};

pub(crate) fn run(maelstrom: &Maelstrom, globals: Globals) -> anyhow::Result<Exit> {
    match &maelstrom.command {
        MaelstromCommand::Node(own) => node::run(own.workload, own.state.as_deref()),
        MaelstromCommand::Test(test) => run_test(test, globals),
    }
}

fn run_test(test: &Test, globals: Globals) -> anyhow::Result<Exit> {
    let bar = spinner(globals);
    let findings = harness::run(test, &|stage| bar.set_message(stage.to_owned()))?;
    bar.finish_and_clear();
    if let Some(path) = &test.history {
        fs::write(path, format!("{}\n", findings.history))
            .with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &test.report {
        let page = page(test, &findings)?;
        fs::write(path, page).with_context(|| path.display().to_string())?;
    }
    let mut output = Output::new(globals, test.json);
    if test.json {
        output.json(&to_json(test, &findings))?;
    } else {
        let verdict = findings.verdict();
        let [on, off] = output.verdict(verdict);
        output.line(format_args!("{}: {on}{}{off}", title(test), word(verdict)))?;
        output.bytes(told(test, &findings).as_bytes())?;
    }
    output.finish()?;
    Ok(match findings.verdict() {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown => Exit::Unknown,
    })
}

/// Says what is going on, where somebody looks.
fn spinner(globals: Globals) -> ProgressBar {
    if globals.quiet {
        return ProgressBar::hidden();
    }
    // It is hidden by itself where stderr is no terminal.
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn to_json(test: &Test, findings: &Findings) -> serde_json::Value {
    json!({
        "schema": 1,
        "workload": test.workload.name(),
        "nodes": test.nodes,
        "seed": test.seed,
        "requests": {"ok": findings.ok, "failed": findings.failed, "unknown": findings.unknown},
        "messages": {"sent": findings.sent, "lost": findings.lost},
        "kills": findings.kills,
        "partitions": findings.partitions,
        "clock_steps": findings.steps,
        "faults": findings.faults,
        "outcome": findings.outcome,
        "unjudged": findings.unjudged,
        "witness": findings.outcome.as_ref().and_then(|outcome| outcome.witness.as_ref())
            .map(|witness| &witness.says),
        "verdict": findings.verdict(),
    })
}

fn title(test: &Test) -> String {
    format!("{} on {} nodes", test.workload.name(), test.nodes)
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "valid",
        Verdict::Violated => "invalid",
        Verdict::Unknown => "unknown",
    }
}

fn page(test: &Test, findings: &Findings) -> anyhow::Result<String> {
    report::clients(Tested {
        title: &title(test),
        verdict: findings.verdict(),
        told: &told(test, findings),
        history: &findings.history,
    })
}

/// What was found, in lines.
fn told(test: &Test, findings: &Findings) -> String {
    let Findings { ok, failed, unknown, sent, lost, kills, partitions, steps, .. } = findings;
    let mut told = format!(
        "  requests   {ok} ok, {failed} failed, {unknown} unknown\n\
         \x20 messages   {sent} between nodes, {lost} lost\n\
         \x20 nodes      {partitions} partitions, {kills} kills, {steps} clock steps\n"
    );
    if let Some(outcome) = &findings.outcome {
        let counts = history::counts(&outcome.counts);
        told += &format!("  {:<10} {counts}\n", outcome.checker);
        if let Some(witness) = &outcome.witness {
            told += &format!("  because    {}\n", witness.says);
        }
    }
    if let Some(why) = &findings.unjudged {
        told += &format!("  not judged {why}\n");
    }
    for fault in &findings.faults {
        told += &format!("  fault      {fault}\n");
    }
    if !findings.faults.is_empty() || test.folder.is_some() {
        let folder = findings.folder.display();
        told += &format!("  stderr     {folder}/n1/stderr.txt and so on\n");
    }
    told
}
