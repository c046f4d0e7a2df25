//! The frame of a chart: axes with their numbers, drawn by plotters, and what maps values onto it.

use std::{error::Error, ops::Range};

use plotters::prelude::{
    ChartBuilder, Color, FontFamily, IntoDrawingArea, IntoFont, RGBColor, SVGBackend, TextStyle,
};

use super::svg::Point;

pub(super) const WIDTH: u32 = 720;
pub(super) const HEIGHT: u32 = 300;

/// Colors that stand for what a reader has chosen, dark on light or light on dark.
const INK: RGBColor = RGBColor(1, 2, 3);
const SOFT: RGBColor = RGBColor(1, 2, 4);
const GRID: RGBColor = RGBColor(1, 2, 5);
const MEANT: [(&str, &str); 3] =
    [("#010203", "var(--ink)"), ("#010204", "var(--soft)"), ("#010205", "var(--line)")];

/// What the axes are.
pub(super) struct Axes<'a> {
    pub(super) x: Range<f64>,
    pub(super) y: Range<f64>,
    pub(super) x_says: &'a str,
    pub(super) y_says: &'a str,
    pub(super) x_number: &'a dyn Fn(&f64) -> String,
    pub(super) y_number: &'a dyn Fn(&f64) -> String,
}

/// The frame, and where values stand in it.
pub(super) struct Frame {
    pub(super) text: String,
    zero: Point,
    scale: Point,
    low: Point,
    high: Point,
}

impl Frame {
    /// Where a value stands; what lies outside stands at the border.
    pub(super) fn at(&self, x: f64, y: f64) -> Point {
        let (x, y) = (x.clamp(self.low.0, self.high.0), y.clamp(self.low.1, self.high.1));
        let (dx, dy) = (x - self.low.0, y - self.low.1);
        (self.zero.0 + dx * self.scale.0, self.zero.1 + dy * self.scale.1)
    }
}

/// A number without trailing zeros.
pub(super) fn plain(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The unit of times up to this many nanoseconds, and how many of them it has.
pub(super) fn unit(most_ns: f64) -> (&'static str, f64) {
    match most_ns.abs() {
        most if most < 2e3 => ("ns", 1.0),
        most if most < 2e6 => ("µs", 1e3),
        most if most < 2e9 => ("ms", 1e6),
        most if most < 1.3e12 => ("s", 1e9),
        most if most < 2e13 => ("min", 6e10),
        _ => ("h", 3.6e12),
    }
}

pub(super) fn frame(axes: &Axes<'_>) -> Result<Frame, Box<dyn Error>> {
    let mut text = String::new();
    let place = {
        let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(10)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(70)
            .build_cartesian_2d(axes.x.clone(), axes.y.clone())?;
        chart
            .configure_mesh()
            .x_labels(8)
            .y_labels(6)
            .x_label_formatter(axes.x_number)
            .y_label_formatter(axes.y_number)
            .x_desc(axes.x_says)
            .y_desc(axes.y_says)
            .axis_style(INK.stroke_width(1))
            .bold_line_style(GRID.stroke_width(1))
            .light_line_style(GRID.mix(0.0))
            .label_style(style(&SOFT))
            .axis_desc_style(style(&INK))
            .draw()?;
        let low = chart.backend_coord(&(axes.x.start, axes.y.start));
        let high = chart.backend_coord(&(axes.x.end, axes.y.end));
        root.present()?;
        [low, high].map(|(x, y)| (f64::from(x), f64::from(y)))
    };
    let [zero, end] = place;
    let scale = (
        (end.0 - zero.0) / (axes.x.end - axes.x.start),
        (end.1 - zero.1) / (axes.y.end - axes.y.start),
    );
    let (low, high) = ((axes.x.start, axes.y.start), (axes.x.end, axes.y.end));
    Ok(Frame { text: inside(&text), zero, scale, low, high })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the style borrows it")]
fn style(color: &'static RGBColor) -> TextStyle<'static> {
    TextStyle::from((FontFamily::SansSerif, 12).into_font()).color(color)
}

/// What stands inside the element, in the colors that are meant.
fn inside(text: &str) -> String {
    let begin = text.find("<svg").and_then(|at| text[at..].find('>').map(|end| at + end + 1));
    let end = text.rfind("</svg>").unwrap_or(text.len());
    let mut inside = text.get(begin.unwrap_or(0)..end).unwrap_or_default().to_owned();
    for (stands, means) in MEANT {
        inside = inside.replace(stands, means);
    }
    inside
}

/// The error of a chart is of a kind of its own, and of no thread but this.
pub(super) fn told(error: &dyn Error) -> anyhow::Error {
    anyhow::anyhow!("a chart: {error}")
}
