//! The bit picture of an ID: its fields side by side, each as wide as its share of the bits.

mod svg;

use std::fmt::Write;

use guid_core::{Drift, Tick};

use crate::{
    form::Id,
    fractions::{time, window_ns},
};

pub(crate) use self::svg::draw as svg;

/// One field of the picture.
struct Field {
    bits: usize,
    name: &'static str,
    value: String,
}

impl Field {
    /// How wide it is, in words where there is room for them.
    fn width(&self) -> String {
        let bits = self.bits;
        if bits < 8 { bits.to_string() } else { format!("{bits} bits") }
    }
}

/// With the borders of five fields this stays inside 100 columns.
const GLOBAL_CELLS: usize = 92;
const LOCAL_CELLS: usize = 64;

/// How many ticks one window holds: the part of the tick that stands below the node.
fn ticks_in_window(drift: Drift) -> u64 {
    u64::try_from(drift.window().as_nanos()).expect("2^42 ns at most") / Tick::NANOS
}

fn fields(id: Id) -> Vec<Field> {
    let (tick, seq) = (id.stamp().tick().as_u64(), id.stamp().seq().as_u16());
    let code = Field { bits: 3, name: "⟨d⟩", value: id.drift().code().to_string() };
    let seq = Field { bits: 14, name: "⟨s⟩ sequence", value: seq.to_string() };
    let Some(node) = id.node() else {
        let tick = Field { bits: 47, name: "⟨t⟩ tick", value: tick.to_string() };
        return vec![code, tick, seq];
    };
    let window = ticks_in_window(id.drift());
    let low = usize::try_from(window.ilog2()).expect("18 to 25");
    let upper = (tick / window).to_string();
    let lower = (tick % window).to_string();
    vec![
        code,
        Field { bits: 47 - low, name: "⟨t⟩ tick, upper", value: upper },
        Field { bits: 32, name: "⟨l⟩ node", value: node.to_string() },
        Field { bits: low, name: "⟨t⟩ tick, lower", value: lower },
        seq,
    ]
}

/// The widths of the fields: each its share of the cells, rounded so that they add up.
fn widths(fields: &[Field], cells: usize) -> Vec<usize> {
    let bits: usize = fields.iter().map(|field| field.bits).sum();
    let mut seen = 0;
    let mut edge = |field: &Field| {
        let start = (seen * cells + bits / 2) / bits;
        seen += field.bits;
        (seen * cells + bits / 2) / bits - start
    };
    fields.iter().map(&mut edge).collect()
}

/// A row of cells between borders, with text at the left of each.
fn row(widths: &[usize], texts: impl Iterator<Item = String>) -> String {
    let cells = widths.iter().zip(texts).map(|(&width, text)| format!("{text:<width$}"));
    format!("│{}│", cells.collect::<Vec<_>>().join("│"))
}

fn rule(widths: &[usize], [left, middle, right]: [&str; 3]) -> String {
    let lines: Vec<_> = widths.iter().map(|&width| "─".repeat(width)).collect();
    format!("{left}{}{right}", lines.join(middle))
}

/// Draws the fields, at most 100 columns wide.
pub(crate) fn draw(id: Id) -> [String; 5] {
    let fields = fields(id);
    let cells = if id.node().is_some() { GLOBAL_CELLS } else { LOCAL_CELLS };
    let widths = widths(&fields, cells);
    [
        rule(&widths, ["┌", "┬", "┐"]),
        row(&widths, fields.iter().map(|field| field.name.to_owned())),
        row(&widths, fields.iter().map(|field| field.value.clone())),
        row(&widths, fields.iter().map(Field::width)),
        rule(&widths, ["└", "┴", "┘"]),
    ]
}

/// The block that `inspect` shows to people: the fractions, the texts, the picture.
pub(crate) fn block(id: Id, texts: &[(&str, String)], emphasis: [&str; 2]) -> String {
    let mut block = String::new();
    let [on, off] = emphasis;
    let kind = match id {
        Id::Global(_) => "global, 96 bits",
        Id::Local(_) => "local, 64 bits",
    };
    let (stamp, nanos) = (id.stamp(), window_ns(id));
    let seconds = format!("{}.{:09} s", nanos / 1_000_000_000, nanos % 1_000_000_000);
    let mut line = |name: &str, value: &str| {
        writeln!(block, "  {name:<14}{value}").expect("a string takes everything");
    };
    line("kind", kind);
    line("time", &format!("{on}{}{off}", time(stamp)));
    line("unix ns", &stamp.unix_nanos().to_string());
    line("drift", &format!("code {}, window {seconds}", id.drift().code()));
    line("tick", &stamp.tick().as_u64().to_string());
    line("sequence", &stamp.seq().as_u16().to_string());
    if let Some(node) = id.node() {
        line("node", &format!("{on}{node}{off}"));
    }
    line("stamp", &stamp.as_u64().to_string());
    for (name, text) in texts {
        line(name, text);
    }
    for row in draw(id) {
        writeln!(block, "{row}").expect("a string takes everything");
    }
    block
}
