//! The page around the pictures: verdicts, the pictures, the scenario, and how to run it again.

use guid_sim::{
    Check, Report, Scenario, Verdict, meaning,
    sample::{Part, Sample},
    units::Ns,
};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    Axis, chart, lost, main_sorting, misorder, offsets,
    scene::{Scene, name},
    schemes, space_time, strip,
    svg::{Picture, escaped},
    worst,
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
    let style = format!("{STYLE}{}", switches(sample));
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

/// What a page of a run holds, without its head.
fn body(about: About<'_>, report: &Report, sample: &Sample) -> anyhow::Result<Markup> {
    let (misorder, lost) = (
        misorder::draw(sample).map_err(|error| chart::told(&*error))?,
        lost::draw(sample).map_err(|error| chart::told(&*error))?,
    );
    let offsets = offsets::draw(sample).map_err(|error| chart::told(&*error))?;
    Ok(html! {
        header.top {
            @if !about.links.is_empty() {
                nav { @for (says, link) in about.links { a href=(link) { (says) } " " } }
            }
            h1 { (report.scenario) }
            p { (about.scenario.summary()) }
            p.soft {
                "seed " (report.seed) ", " (report.events) " events, " (sample.nodes) " nodes, "
                (Ns(sample.duration_ns.into())) " of true time"
            }
            p { "Verdict: " (verdict(report.verdict, &report.verdict.to_string())) }
        }
        main {
            section id="verdicts" { h2 { "Guarantees" } (verdicts(report)) }
            section id="space-time" {
                h2 { "Space and time" }
                (switch(sample))
                (parts(sample))
            }
            section id="schemes" { h2 { "The same events by every scheme" } (by_schemes(sample)) }
            section id="sort-strip" { h2 { "Sorted by ID" } (strips(sample)) }
            section id="misorder" { h2 { "Misorder against the gap" } (maybe(&misorder)) }
            section id="offsets" { h2 { "Clock offsets" } (figure(&offsets)) }
            section id="lost" { h2 { "Lost updates and siblings" } (maybe(&lost)) }
            section id="scenario" { h2 { "The scenario" } (again(about, report)) }
        }
    })
}

/// Which axis is shown, and which order arrows are judged by: styles, so that no script is needed.
fn switches(sample: &Sample) -> String {
    let mut css = String::new();
    for axis in Axis::ALL {
        let axis = axis.name();
        css +=
            &format!("body:has(#axis-{axis}:checked) .diagram:not(.axis-{axis}){{display:none}}\n");
    }
    for at in 0..sample.sortings.len() {
        let on = format!("body:has(#sorting-{at}:checked)");
        css += &format!(
            "{on} svg .wrong{at}.m{{stroke:var(--wrong);stroke-width:2.4;stroke-dasharray:7 3}}\n\
             {on} svg .wrong{at}.tip{{fill:var(--wrong);stroke:none}}\n\
             {on} svg .below{at} .dot{{fill:var(--paper);stroke:var(--wrong);stroke-width:2.2}}\n\
             {on} .strip:not(.strip-{at}){{display:none}}\n"
        );
    }
    css
}

fn switch(sample: &Sample) -> Markup {
    let main = main_sorting(sample);
    html! {
        fieldset {
            legend { "Downwards" }
            @for axis in Axis::ALL {
                label {
                    input type="radio" name="axis" id={ "axis-" (axis.name()) }
                        checked[axis == Axis::True];
                    " " (axis.says())
                }
            }
        }
        @if !sample.sortings.is_empty() {
            fieldset {
                legend { "Wrong by the order of" }
                @for (at, sorting) in sample.sortings.iter().enumerate() {
                    label {
                        input type="radio" name="sorting" id={ "sorting-" (at) }
                            checked[at == main];
                        " " (name(*sorting))
                    }
                }
            }
        }
    }
}

/// The parts of the run, the first two open.
fn parts(sample: &Sample) -> Markup {
    html! {
        @for (at, part) in sample.parts.iter().enumerate() {
            details id={ "part-" (at) } open[at < 2] {
                summary { h3 { (heading(part)) } }
                (diagrams(sample, part))
            }
        }
        @if sample.left_out > 0 {
            p.soft { (sample.left_out) " more witnesses are in the table alone." }
        }
    }
}

fn heading(part: &Part) -> String {
    match part.of.split_first() {
        None => match part.fault {
            Some(fault) => format!("The first {fault}"),
            None => "The beginning".to_owned(),
        },
        Some((first, [])) => format!("A witness of {first}"),
        Some((first, more)) => format!("A witness of {first}, and of {}", more.join(", ")),
    }
}

fn diagrams(sample: &Sample, part: &Part) -> Markup {
    const HINT: &str = "Point at an event to see its past (filled), its future (ringed) and what \
                        is concurrent (faint); or tab to the diagram and use the arrow keys.";
    let scene = Scene::new(sample, part);
    let drawn =
        Axis::ALL.map(|axis| (axis, space_time::draw(&scene, axis, space_time::Wrong::Each)));
    html! {
        figure {
            figcaption {
                @if let Some(witness) = &part.witness { (witness.cause) ". " }
                (drawn[0].1.caption) " " (counted(&scene))
            }
            div.zoom {}
            output.about data-hint=(HINT) { (HINT) }
            @for (axis, picture) in &drawn {
                div class={ "diagram scroll axis-" (axis.name()) } tabindex="0" role="group"
                    aria-label={ (picture.title) ": arrow keys go from event to event" } {
                    (PreEscaped(picture.inline()))
                }
            }
        }
    }
}

/// How many arrows are wrong by each order.
fn counted(scene: &Scene<'_>) -> String {
    let sortings = scene.sample.sortings.iter().enumerate();
    let of = sortings.map(|(at, sorting)| {
        let (wrong, of) = scene.wrong(at);
        format!("{} {wrong} of {of}", name(*sorting))
    });
    let of: Vec<String> = of.collect();
    if of.is_empty() {
        return String::new();
    }
    format!("Receipts that sort before their sending: {}.", of.join(", "))
}

fn by_schemes(sample: &Sample) -> Markup {
    let part = worst(sample, main_sorting(sample));
    let Some(part) = part.filter(|_| !sample.sortings.is_empty()) else {
        return html! { p { "No scheme of this run orders the IDs of several nodes." } };
    };
    html! {
        p.soft { "Of: " (heading(part)) "." }
        (figure(&schemes::draw(&Scene::new(sample, part))))
    }
}

fn strips(sample: &Sample) -> Markup {
    let main = main_sorting(sample);
    let Some(part) = worst(sample, main).filter(|_| !sample.sortings.is_empty()) else {
        return html! { p { "No scheme of this run orders the IDs of several nodes." } };
    };
    let scene = Scene::new(sample, part);
    html! {
        p.soft { "Of: " (heading(part)) "; the order is the one chosen above." }
        @for at in 0..sample.sortings.len() {
            @let picture = strip::draw(&scene, at);
            div class={ "strip strip-" (at) } {
                p { b { (picture.title) } }
                (figure(&picture))
            }
        }
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

fn verdicts(report: &Report) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Guarantees and what was measured" {
            table {
                thead { tr {
                    @for (at, head) in table::HEAD.iter().enumerate() {
                        th scope="col" class=(number(at)) { (head) }
                    }
                } }
                tbody { @for check in table::grouped(&report.checks) { (row(check)) } }
            }
        }
        @if !report.measures.is_empty() {
            details {
                summary { "Measured, nothing claimed: " (report.measures.len()) " figures" }
                div.scroll tabindex="0" role="group" aria-label="Figures" {
                    table {
                        thead { tr {
                            th scope="col" { "figure" }
                            th scope="col" { "scheme" }
                            th.number scope="col" { "measured" }
                        } }
                        tbody { @for check in table::grouped(&report.measures) {
                            tr {
                                td { (check.name) }
                                td { (check.scheme.as_deref().unwrap_or_default()) }
                                td.number { (check.measured.show(check.unit)) }
                            }
                        } }
                    }
                }
            }
        }
        (meanings(report))
    }
}

/// Numbers stand to the right.
fn number(column: usize) -> &'static str {
    if (3..=5).contains(&column) { "number" } else { "" }
}

fn row(check: &Check) -> Markup {
    let cells = table::cells(check);
    html! {
        tr {
            @for (at, cell) in cells.iter().enumerate() {
                td class=(number(at)) {
                    @if at == 2 { (verdict(check.verdict, cell)) } @else { (cell) }
                }
            }
        }
    }
}

fn meanings(report: &Report) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for check in report.checks.iter().chain(&report.measures) {
        if !names.contains(&check.name.as_str()) && !meaning(&check.name).is_empty() {
            names.push(&check.name);
        }
    }
    html! {
        details {
            summary { "What these are" }
            dl { @for name in names { dt { (name) } dd { (meaning(name)) } } }
        }
    }
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
