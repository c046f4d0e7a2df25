//! The bit picture as SVG: for pages, in print and in the dark.
//!
//! # Invariants
//!
//! Integers alone, so that the same IDs give the same bytes everywhere. A bit is as wide in every
//! row.

use std::fmt::Write;

use super::{Field, fields};
use crate::form::Id;

const LEFT: usize = 20;
/// How wide a bit is, in pixels: 96 of them and the margins make a page.
const BIT: usize = 9;
const ROW: usize = 96;
const BOX: usize = 44;
const TOP: usize = 20;

/// A font whose characters are at most this wide.
const CHARACTER: usize = 7;

const STYLE: &str = "\
<style>
  svg { --paper: #ffffff; --ink: #1b1f24; --soft: #5b6673; --time: #d7e6f7; --node: #f7e3c4;
        --seq: #dcefdc; --code: #e6dcf2; --edge: #7a8694; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171b; --ink: #eceff3; --soft: #a0abb8; --time: #23415f; --node: #5b4420;
          --seq: #27492a; --code: #43345a; --edge: #8994a1; }
  }
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: var(--ink); }
  .id { font: 600 14px ui-monospace, monospace; }
  .soft { fill: var(--soft); font-size: 10.5px; }
  .middle { text-anchor: middle; }
  .time, .node, .seq, .code { stroke: var(--edge); }
  .time { fill: var(--time); } .node { fill: var(--node); }
  .seq { fill: var(--seq); } .code { fill: var(--code); }
</style>
";

/// Draws IDs below each other, bit below bit.
pub(crate) fn draw(ids: &[(String, Id)]) -> String {
    let (width, height) = (2 * LEFT + 96 * BIT, TOP + ids.len() * ROW);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>The bits of {} {}</title>\n\
         {STYLE}<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n",
        ids.len(),
        if ids.len() == 1 { "ID" } else { "IDs" },
    );
    for (at, (text, id)) in ids.iter().enumerate() {
        row(&mut svg, TOP + at * ROW, text, *id);
    }
    svg.push_str("</svg>\n");
    svg
}

fn row(svg: &mut String, top: usize, text: &str, id: Id) {
    label(svg, (LEFT, top + 12), "id", text);
    let mut at = LEFT;
    for field in fields(id) {
        let (width, y) = (field.bits * BIT, top + 20);
        let class = class(&field);
        writeln!(
            svg,
            "<rect x=\"{at}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" class=\"{class}\"/>"
        )
        .expect("a string takes everything");
        let fits = |text: &str| text.chars().count() * CHARACTER <= width;
        let sign = field.name.split(' ').next().unwrap_or_default();
        let middle = at + width / 2;
        label(svg, (middle, y + 18), "middle", if fits(field.name) { field.name } else { sign });
        label(svg, (middle, y + 35), "middle", &field.value);
        label(svg, (middle, y + BOX + 13), "middle soft", &field.width());
        at += width;
    }
}

/// The color: what a field is, wherever it stands.
fn class(field: &Field) -> &'static str {
    match field.name.chars().nth(1) {
        Some('d') => "code",
        Some('l') => "node",
        Some('s') => "seq",
        _ => "time",
    }
}

fn label(svg: &mut String, (x, y): (usize, usize), class: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{text}</text>")
        .expect("a string takes everything");
}
