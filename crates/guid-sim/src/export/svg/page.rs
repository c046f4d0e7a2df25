//! The page around the diagram: what it is, what its signs mean, and its colors.

use super::{LEFT, MOST_EVENTS, MOST_NODES, Picture, TOP};
use crate::units::Ns;

/// Dark on light, or light on dark, as the reader has it. Colors go with shapes and dashes.
const STYLE: &str = "
  svg { --paper: #ffffff; --ink: #1b1f24; --soft: #5b6673; --line: #c3cad3; --message: #3d6ea8;
        --wrong: #b5280b; --fault: #6a3d9a; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171b; --ink: #eceff3; --soft: #a0abb8; --line: #46505c; --message: #82b3e8;
          --wrong: #ff9a70; --fault: #cda9f5; }
  }
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: var(--ink); }
  .title { font-size: 17px; font-weight: 600; }
  .soft { fill: var(--soft); }
  .name { font-weight: 600; text-anchor: middle; }
  .small { font-size: 10.5px; }
  .mono { font-family: ui-monospace, monospace; font-size: 10.5px; }
  .world { stroke: var(--line); stroke-width: 2; }
  .down { stroke-dasharray: 2 6; }
  .grid { stroke: var(--line); stroke-width: 0.5; }
  .message { stroke: var(--message); stroke-width: 1.2; fill: none; }
  .inverted { stroke: var(--wrong); stroke-width: 2.4; stroke-dasharray: 7 3; fill: none; }
  .lost { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 1.5 3; fill: none; }
  .event { fill: var(--ink); stroke: var(--paper); stroke-width: 1; }
  .below { fill: var(--paper); stroke: var(--wrong); stroke-width: 2.2; }
  .fault { fill: var(--fault); stroke: var(--paper); stroke-width: 1; }
  .faultline { stroke: var(--fault); stroke-width: 1.4; stroke-dasharray: 10 3 2 3; }
  .faulttext { fill: var(--fault); font-size: 10.5px; font-weight: 600; paint-order: stroke;
               stroke: var(--paper); stroke-width: 3px; }
  .tip { fill: var(--message); }
  .tipinverted { fill: var(--wrong); }
";

/// A text as it may stand in a document.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            // Neither control characters nor the two that are no characters may stand there.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The beginning of a name.
fn short(text: &str) -> String {
    const WIDTH: usize = 60;
    let dots = if text.chars().nth(WIDTH).is_some() { "…" } else { "" };
    escaped(&text.chars().take(WIDTH).chain(dots.chars()).collect::<String>())
}

pub(super) fn head(picture: &Picture<'_>) -> String {
    let (width, height) = (picture.width(), picture.bottom() + LEGEND);
    let title = short(&picture.trace.header.scenario);
    let (what, verdict) = (part(picture), inverted(picture));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>{title}</title>\n<desc>Space-time diagram: nodes side by side, true time \
         downwards, messages as arrows. {what} {verdict}</desc>\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n\
         <defs>\n{}{}</defs>\n\
         <text x=\"20\" y=\"32\" class=\"title\">{title}</text>\n\
         <text x=\"20\" y=\"50\" class=\"soft\">{what}</text>\n\
         <text x=\"20\" y=\"66\" class=\"soft\">{verdict}</text>\n",
        tip("tip"),
        tip("tipinverted"),
    )
}

/// The head of an arrow.
fn tip(class: &str) -> String {
    format!(
        "<marker id=\"{class}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" \
         markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path d=\"M0 1 L10 5 L0 9 z\" class=\"{class}\"/></marker>\n"
    )
}

/// Which part of the run this is.
fn part(picture: &Picture<'_>) -> String {
    let (Some(first), Some(last)) = (picture.events.first(), picture.events.last()) else {
        return String::from("No event: nothing is drawn.");
    };
    let all = picture.trace.events.len();
    let drawn = picture.events.len();
    let span = Ns(i128::from(last.true_ns) - i128::from(first.true_ns));
    let (from, to) = (first.event.min(last.event), first.event.max(last.event));
    if drawn == all {
        format!("Events {from} to {to}, {span}.")
    } else {
        format!(
            "Events {from} to {to}, {span}: {drawn} of {all}, as no more than {MOST_EVENTS} of \
             {MOST_NODES} nodes are drawn."
        )
    }
}

/// How many messages the IDs tell wrong.
fn inverted(picture: &Picture<'_>) -> String {
    let Some(scheme) = picture.scheme else { return String::new() };
    let (sends, mut of, mut count) = (picture.sends(), 0, 0);
    for (at, event) in picture.events.iter().enumerate() {
        let sent = event.message.filter(|_| event.kind == "receive");
        if let Some(&send) = sent.and_then(|message| sends.get(&message)) {
            of += 1;
            count += u64::from(picture.is_inverted(send, at));
        }
    }
    format!(
        "By the bytes of their IDs ({scheme}), {count} of {of} messages arrive before they were \
         sent."
    )
}

/// How much room the legend takes.
const LEGEND: f64 = 96.0;

pub(super) fn legend(picture: &Picture<'_>) -> String {
    let y = picture.bottom() + 16.0;
    let mut text = format!(
        "<line x1=\"20\" y1=\"{0:.1}\" x2=\"{1:.1}\" y2=\"{0:.1}\" class=\"grid\"/>\n",
        y - 6.0,
        picture.width() - 20.0
    );
    let row = |n: u8| y + 14.0 + f64::from(n) * 21.0;
    let columns = [20.0, 270.0, 520.0];
    let mut put = |column: usize, n: u8, sign: &str, says: &str| {
        let (x, y) = (columns[column], row(n));
        text += &format!("<g transform=\"translate({x:.1} {y:.1})\">{sign}");
        text += &format!("<text x=\"44\" y=\"4\" class=\"small\">{says}</text></g>\n");
    };
    let arrow = |class: &str, tip: &str| {
        format!(
            "<line x1=\"0\" y1=\"0\" x2=\"34\" y2=\"0\" class=\"{class}\" marker-end=\"url(#{tip})\"/>"
        )
    };
    put(0, 0, &arrow("message", "tip"), "a message");
    put(0, 1, &arrow("inverted", "tipinverted"), "one whose receipt has the smaller ID");
    put(
        0,
        2,
        &format!("{}{}", arrow("lost", ""), super::draw::cross(34.0, 0.0)),
        "one that was lost",
    );
    let dot = "<circle cx=\"17\" cy=\"0\" r=\"4\" class=\"event\"/>";
    put(1, 0, dot, "an event (square: a write)");
    let below = "<circle cx=\"17\" cy=\"0\" r=\"4.5\" class=\"below\"/>";
    put(1, 1, below, "its ID sorts below an earlier one's");
    put(1, 2, &super::draw::diamond(17.0, 0.0), "a fault: a clock jumps, a node stops");
    let down = "<line x1=\"0\" y1=\"0\" x2=\"34\" y2=\"0\" class=\"world down\"/>";
    put(2, 0, down, "a node that is down");
    let cut = super::draw::cut_mark(17.0, 0.0);
    put(2, 1, &cut, "a pause, cut short");
    put(2, 2, "", "else, time is to scale");
    text
}

/// The name of a node above its line, and how far its clock is off at first.
pub(super) fn node_name(x: f64, node: u32, offset: Option<i128>) -> String {
    let mut text =
        format!("<text x=\"{x:.1}\" y=\"{:.1}\" class=\"name\">n{node}</text>\n", TOP - 30.0);
    if let Some(offset) = offset {
        let sign = if offset > 0 { "+" } else { "" };
        text += &format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" class=\"soft small\" text-anchor=\"middle\">{sign}{}</text>\n",
            TOP - 16.0,
            Ns(offset)
        );
    }
    text
}

/// What the numbers under the names are.
pub(super) fn offsets_label() -> String {
    format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" class=\"soft small\" text-anchor=\"end\">clock off by</text>\n",
        LEFT - 8.0,
        TOP - 16.0
    )
}
