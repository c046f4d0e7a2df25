//! The page around the pictures: verdicts, the pictures, the scenario, and how to run it again.

use guid_sim::{Report, Scenario, Verdict, sample::Sample};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    chart, lost, misorder, offsets, parts,
    scene::long,
    svg::{Picture, escaped},
    tables::{self, shows},
};
use crate::commands::table;

/// How pages look.
pub(crate) const STYLE: &str = concat!(include_str!("picture.css"), include_str!("page.css"));
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
const SCRIPT: &str = include_str!("page.js");

/// What a page says of the run besides what came out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    pub(crate) scenario: &'a Scenario,
    /// The scenario as it stands in its file.
    pub(crate) text: &'a str,
    /// What was replaced in it.
    pub(crate) overrides: &'a [(String, String)],
    /// What to type to see the same.
    pub(crate) replay: &'a str,
    /// Where one may go from here.
    pub(crate) links: &'a [(&'a str, String)],
}

/// The page of a run.
pub(crate) fn page(about: About<'_>, report: &Report, sample: &Sample) -> anyhow::Result<String> {
    let style = format!("{STYLE}{}", parts::switches(sample));
    let title = format!("{}, seed {}", report.scenario, report.seed);
    let body = body(about, report, sample)?;
    Ok(frame(&title, &style, &body))
}

/// A page with a head.
pub(super) fn frame(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Whoever opens the file loads nothing from anywhere.
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// What a page of a run holds, without its head: first what the scenario expects and the picture
/// that shows it.
fn body(about: About<'_>, report: &Report, sample: &Sample) -> anyhow::Result<Markup> {
    let mut pictures = pictures(sample)?;
    let first = shows(report).map_or("space-time", |check| shown_in(&check.name));
    let drawn = |section: &Section| section.id == first && section.is_drawn;
    if let Some(at) = pictures.iter().position(drawn) {
        pictures[..=at].rotate_right(1);
    }
    Ok(html! {
        header.top { (top(about, report, sample)) }
        main {
            section id="expected" {
                h2 { "What the scenario expects" }
                (parts::filter(sample))
                (tables::expected(report, sample))
            }
            @for (at, section) in pictures.iter().enumerate() {
                @let whole = if section.id == "space-time" { "" } else { "whole" };
                section id=(section.id) class=(whole) { h2 { (section.title) } (section.body) }
                @if at == 0 {
                    section id="verdicts" { h2 { "Guarantees" } (tables::all(report, sample)) }
                }
            }
            section id="scenario" { h2 { "The scenario" } (again(about, report)) }
        }
    })
}

fn top(about: About<'_>, report: &Report, sample: &Sample) -> Markup {
    html! {
        @if !about.links.is_empty() {
            nav { @for (says, link) in about.links { a href=(link) { (says) } " " } }
        }
        h1 { (report.scenario) }
        p { (about.scenario.summary()) }
        p.soft {
            "seed " (report.seed) ", " (report.events) " events, " (sample.nodes) " nodes, "
            (long(sample.duration_ns.into())) " of true time, guid " (env!("CARGO_PKG_VERSION"))
        }
        p { "Verdict: " (verdict(report.verdict, &report.verdict.to_string())) }
        @if !about.overrides.is_empty() {
            p.soft {
                "Values were replaced: what the scenario expects is what it expects unchanged."
            }
        }
        @for dropped in &report.dropped { p.soft { (table::told(dropped)) } }
    }
}

/// A section with a picture, or with why there is none.
struct Section {
    id: &'static str,
    title: String,
    body: Markup,
    is_drawn: bool,
}

fn pictures(sample: &Sample) -> anyhow::Result<Vec<Section>> {
    let told = |error: Box<dyn std::error::Error>| chart::told(&*error);
    let misorder = misorder::draw(sample).map_err(told)?;
    let lost = lost::draw(sample).map_err(told)?;
    let offsets = offsets::draw(sample).map_err(told)?;
    let of_losses = lost.as_ref().map_or("Lost updates and siblings", |lost| lost.title.as_str());
    let section =
        |id, title: &str, body| Section { id, title: title.to_owned(), body, is_drawn: true };
    Ok(vec![
        section("space-time", "Space and time", parts::space_and_time(sample)),
        section("schemes", "The same events by every scheme", parts::by_schemes(sample)),
        section("sort-strip", "Sorted by ID", parts::strips(sample)),
        Section {
            is_drawn: misorder.is_ok(),
            ..section("misorder", "Misorder against the gap", maybe(&misorder))
        },
        section("offsets", "Clock offsets", figure(&offsets)),
        Section { is_drawn: lost.is_ok(), ..section("lost", of_losses, maybe(&lost)) },
    ])
}

/// The section whose picture shows a check.
fn shown_in(check: &str) -> &'static str {
    match check {
        name if lost::is_of_loss(name) => "lost",
        name if name.starts_with("pair-order") || name == "k-order" => "misorder",
        "lead" | "stamp-skew" => "offsets",
        _ => "space-time",
    }
}

pub(super) fn figure(picture: &Picture) -> Markup {
    html! {
        figure {
            div.zoom {}
            div.scroll tabindex="0" role="group" aria-label=(picture.title) {
                (PreEscaped(picture.inline()))
            }
            figcaption { (picture.caption) }
        }
    }
}

/// A picture, or why there is none.
fn maybe(picture: &Result<Picture, String>) -> Markup {
    match picture {
        Ok(picture) => figure(picture),
        Err(why) => html! { p { (why) } },
    }
}

pub(super) fn verdict(verdict: Verdict, says: &str) -> Markup {
    let class = format!("verdict {verdict}");
    html! { span class=(class) { (says) } }
}

/// The scenario, and how to run it again.
fn again(about: About<'_>, report: &Report) -> Markup {
    html! {
        p { "Again: " code { (about.replay) } }
        p { "Trace hash: " code { (report.trace_hash) } }
        @if !about.overrides.is_empty() {
            p { "Replaced in it: "
                @for (key, value) in about.overrides { code { (key) " = " (value) } " " }
            }
        }
        pre tabindex="0" { (PreEscaped(escaped_lines(about.text))) }
    }
}

/// A text of lines: they stay, other controls go.
pub(super) fn escaped_lines(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().map(|line| escaped(&line.replace('\t', "    "))).collect();
    lines.join("\n")
}
