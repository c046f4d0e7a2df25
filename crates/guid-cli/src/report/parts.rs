//! The parts of a run on a page: their diagrams along each axis, the same events by every scheme,
//! and what chooses the axis and the order.

use guid_sim::sample::{Part, Sample};
use maud::{Markup, PreEscaped, html};

use super::{
    Axis, main_sorting,
    page::figure,
    scene::{Scene, name, own_sorting},
    schemes, space_time, strip, stripped, worst,
};

/// Which axis is shown, which order arrows are judged by, and which schemes are hidden: styles, so
/// that no script is needed.
pub(super) fn switches(sample: &Sample) -> String {
    let mut css = String::new();
    for axis in Axis::ALL {
        let axis = axis.name();
        css +=
            &format!("body:has(#axis-{axis}:checked) .diagram:not(.axis-{axis}){{display:none}}\n");
    }
    let own = "body:has(#sorting-own:checked)";
    css += &format!("{own} .strip:not(.strip-own),{own} .by:not(.by-own){{display:none}}\n");
    for at in 0..sample.sortings.len() {
        let chosen = format!("body:has(#sorting-{at}:checked)");
        for on in [chosen.clone(), format!("{own} .own-{at}")] {
            css += &format!(
                "{on} svg .wrong{at}.m{{stroke:var(--wrong);stroke-width:2.4;\
                 stroke-dasharray:7 3}}\n\
                 {on} svg .wrong{at}.tip{{fill:var(--wrong);stroke:none}}\n\
                 {on} svg .below{at} .dot{{fill:var(--paper);stroke:var(--wrong);\
                 stroke-width:2.2}}\n"
            );
        }
        css += &format!(
            "{chosen} .strip:not(.strip-{at}),{chosen} .by:not(.by-{at}){{display:none}}\n"
        );
    }
    for at in 0..sample.schemes.len() {
        css += &format!("body:has(#scheme-{at}:not(:checked)) .of-{at}{{display:none}}\n");
    }
    css
}

/// Which schemes tables and charts show.
pub(super) fn filter(sample: &Sample) -> Markup {
    html! {
        @if sample.schemes.len() > 1 {
            fieldset {
                legend { "Schemes in tables and charts" }
                @for (at, scheme) in sample.schemes.iter().enumerate() {
                    label {
                        input type="checkbox" id={ "scheme-" (at) } checked;
                        " " (scheme)
                    }
                }
            }
        }
    }
}

/// Diagrams of all parts, and what they are switched with.
pub(super) fn space_and_time(sample: &Sample) -> Markup {
    html! {
        (switch(sample))
        (parts(sample))
        p.only-print { "Parts that are folded are not printed: open them first." }
    }
}

fn switch(sample: &Sample) -> Markup {
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
                label {
                    input type="radio" name="sorting" id="sorting-own" checked;
                    " what each part shows"
                }
                @for (at, sorting) in sample.sortings.iter().enumerate() {
                    label {
                        input type="radio" name="sorting" id={ "sorting-" (at) };
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
        None if part.boundary => "Where the first window ends".to_owned(),
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
    let own = own_sorting(sample, part);
    html! {
        figure class={ "own-" (own) } {
            figcaption {
                @if let Some(witness) = &part.witness { (witness.cause) ". " }
                (drawn[0].1.caption) " " (by(sample, &scene, own))
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

/// Which order is looked at, how many arrows are wrong by it, and how many by each other one.
fn by(sample: &Sample, scene: &Scene<'_>, own: usize) -> Markup {
    let count = |at: usize, sorting| {
        let (wrong, of) = scene.wrong(at);
        format!("{} {wrong} of {of}", name(sorting))
    };
    html! {
        @for (at, &sorting) in sample.sortings.iter().enumerate() {
            @let class = if at == own { " by-own" } else { "" };
            span class={ "by by-" (at) (class) } {
                "Red is wrong by the order of " b { (name(sorting)) } ". "
            }
        }
        @if !sample.sortings.is_empty() {
            "Receipts that sort before their sending: "
            @for (at, &sorting) in sample.sortings.iter().enumerate() {
                @if at > 0 { ", " }
                (count(at, sorting))
            }
            "."
        }
    }
}

/// What stands there where nothing is sorted.
const UNSORTED: &str = "No scheme of this run orders the IDs of several nodes.";

pub(super) fn by_schemes(sample: &Sample) -> Markup {
    let part = worst(sample, main_sorting(sample));
    let Some(part) = part.filter(|_| !sample.sortings.is_empty()) else {
        return html! { p { (UNSORTED) } };
    };
    html! {
        p.soft { "Of: " (heading(part)) "." }
        (figure(&schemes::draw(&Scene::new(sample, part))))
    }
}

pub(super) fn strips(sample: &Sample) -> Markup {
    let main = main_sorting(sample);
    let Some(part) = stripped(sample, main).filter(|_| !sample.sortings.is_empty()) else {
        return html! { p { (UNSORTED) } };
    };
    let scene = Scene::new(sample, part);
    html! {
        p.soft { "Of: " (heading(part)) "; the order is the one chosen above the diagrams." }
        @for at in 0..sample.sortings.len() {
            @let picture = strip::draw(&scene, at);
            @let class = if at == main { " strip-own" } else { "" };
            div class={ "strip strip-" (at) (class) } {
                p { b { (picture.title) } }
                (figure(&picture))
            }
        }
    }
}
