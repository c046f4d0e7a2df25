//! The pages: all scenarios, the knobs of one, the report of a run, and what went wrong.

use axum::response::Html;
use guid_sim::{BUILTIN, Knob, Scenario};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use super::{
    knobs::{FIRST, choices, hint},
    request::{Asked, LONGEST_LINK, SET},
};
use crate::report::{self, About, STYLE};

/// A scenario that ships.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    name: &'static str,
    summary: String,
}

pub(super) fn scenarios() -> Vec<Listed> {
    let listed = BUILTIN.iter().filter_map(|builtin| {
        let scenario = builtin.scenario().ok()?;
        Some(Listed { name: builtin.name, summary: scenario.summary().to_owned() })
    });
    listed.collect()
}

fn frame(title: &str, body: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { header.top { h1 { (title) } } main { (body) } }
        }
    };
    Html(page.into_string())
}

pub(super) fn problem(why: &str) -> Html<String> {
    frame(
        "That did not work",
        &html! {
            p role="alert" { (why) }
            p { a href="/" { "All scenarios" } }
        },
    )
}

const WHAT: &str = "Pick a scenario, turn its knobs, run it. A run is the same wherever it is run \
                    again: its link carries scenario, seed and knobs.";

pub(super) fn home() -> Html<String> {
    frame(
        "What wrong clocks do",
        &html! {
            p { (WHAT) }
            dl {
                @for Listed { name, summary } in scenarios() {
                    dt { a href={ "/scenario?scenario=" (name) } { (name) } }
                    dd {
                        (summary) " "
                        a href={ "/run?scenario=" (name) } aria-label={ "Run " (name) } { "Run" }
                    }
                }
            }
            h2 { "One of your own" }
            (own("", None))
        },
    )
}

/// A scenario to be written or changed.
fn own(text: &str, seed: Option<u64>) -> Markup {
    html! {
        form method="post" action="/run" {
            p { label for="toml" { "The scenario, as in a file" } }
            textarea id="toml" name="toml" rows="18" spellcheck="false" required
                maxlength="60000" placeholder="[workload]\nkind = \"ids\"" { (text) }
            p {
                label {
                    "Seed "
                    input name="seed" inputmode="numeric" pattern="[0-9]*" value=[seed];
                }
                " " button { "Run it" }
            }
        }
    }
}

/// The knobs of a scenario, and what was wrong with them.
pub(super) fn knobs(asked: &Asked, wrong: Option<&str>) -> Html<String> {
    let name = asked.name.unwrap_or("A scenario of your own");
    let summary = Scenario::parse(&asked.text).map(|s| s.summary().to_owned()).unwrap_or_default();
    frame(
        name,
        &html! {
            p { (summary) }
            p { a href="/" { "All scenarios" } }
            @if let Some(wrong) = wrong { p.wrong role="alert" { (wrong) } }
            @if let (Some(name), Ok(knobs)) = (asked.name, Scenario::knobs(&asked.text)) {
                (turned(name, asked, wrong, &knobs))
            }
            details open[asked.name.is_none()] {
                summary { h3 { "The file" } }
                (own(&asked.text, asked.seed))
            }
        },
    )
}

/// A field for each knob: those that are turned first, then those of the file.
fn turned(name: &str, asked: &Asked, wrong: Option<&str>, knobs: &[Knob]) -> Markup {
    let is_shown = |knob: &&Knob| {
        let named = ["schema", "scenario.name", "scenario.summary", "scenario.seed"];
        !named.contains(&knob.path.as_str())
    };
    let set = |knob: &&Knob| {
        knob.value.is_some() || asked.overrides.iter().any(|(key, _)| *key == knob.path)
    };
    let first = FIRST.iter().filter_map(|path| knobs.iter().find(|knob| knob.path == *path));
    let rest = knobs.iter().filter(is_shown).filter(|knob| !FIRST.contains(&knob.path.as_str()));
    let (main, more): (Vec<&Knob>, Vec<&Knob>) = rest.partition(set);
    let unknown = asked.overrides.iter().filter(|(key, _)| !knobs.iter().any(|k| k.path == *key));
    html! {
        form method="get" action="/run" {
            input type="hidden" name="scenario" value=(name);
            p { "What stays empty is as it is now; the file below has all that the scenario says." }
            p { label { "seed " input name="seed" inputmode="numeric" pattern="[0-9]*"
                value=[asked.seed] placeholder="the scenario's"; } }
            fieldset {
                legend { "Window, skew, think time, loss, partition" }
                div.knobs { @for knob in first { (field(asked, wrong, knob)) } }
            }
            h2 { "What else the scenario sets" }
            div.knobs { @for knob in main { (field(asked, wrong, knob)) } }
            @for (key, value) in unknown {
                label { (key) " " input name={ (SET) (key) } value=(value); }
            }
            details {
                summary { "All other knobs" }
                div.knobs { @for knob in more { (field(asked, wrong, knob)) } }
            }
            p { button { "Run it" } }
        }
    }
}

fn field(asked: &Asked, wrong: Option<&str>, knob: &Knob) -> Markup {
    let given = asked.overrides.iter().rev().find(|(key, _)| *key == knob.path);
    let given = given.map(|(_, value)| value.as_str());
    let quoted = format!("`{}`", knob.path);
    let wrong = wrong.filter(|wrong| wrong.contains(&quoted));
    html! {
        label {
            b { (knob.path) } " "
            span.soft { "now " (knob.value.as_deref().unwrap_or("the default")) }
            (control(knob, given, wrong.is_some()))
            @if let Some(wrong) = wrong { span.wrong { (wrong) } }
            @else if let Some(hint) = hint(&knob.path) { span.soft { (hint) } }
        }
    }
}

/// What a value is typed into, or chosen from where there are few.
fn control(knob: &Knob, given: Option<&str>, wrong: bool) -> Markup {
    let name = format!("{SET}{}", knob.path);
    let invalid = wrong.then_some("true");
    let choices = choices(&knob.path);
    if choices.is_empty() {
        let now = knob.value.as_deref().unwrap_or("as by default");
        return html! {
            input name=(name) value=[given] placeholder=(now) aria-invalid=[invalid];
        };
    }
    let other = given.filter(|given| !choices.iter().any(|(value, _)| value == given));
    html! {
        select name=(name) aria-invalid=[invalid] {
            option value="" { "as it is" }
            @for (value, says) in &choices {
                option value=(value) selected[given == Some(value.as_str())] { (says) }
            }
            @if let Some(other) = other { option value=(other) selected { (other) } }
        }
    }
}

/// Runs the scenario, and makes the page about it.
pub(super) fn report(asked: &Asked, scenario: &Scenario) -> anyhow::Result<String> {
    let seed = asked.seed.unwrap_or(scenario.seed());
    let (report, sample) = scenario.sample(seed)?;
    let name = asked.name.unwrap_or("scenario.toml");
    let replay = report::replay(name, seed, &asked.overrides);
    let pinned = Asked { seed: Some(seed), ..asked.clone() };
    let links = [
        ("All scenarios", "/".to_owned()),
        ("Change the knobs", pinned.link("/scenario")),
        ("A link to this run", pinned.link("/run")),
    ];
    let links: Vec<(&str, String)> =
        links.into_iter().filter(|(_, link)| link.len() <= LONGEST_LINK).collect();
    let (text, overrides) = (asked.text.as_str(), &asked.overrides[..]);
    let about = About { scenario, text, overrides, replay: &replay, links: &links };
    report::page(about, &report, &sample)
}
