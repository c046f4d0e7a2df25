//! The probability that two IDs are in the wrong order, against how far apart they are: measured
//! points over the ramp ½ (1 − gap / W) of the closed form.

use std::error::Error;

use guid_sim::{
    predict,
    sample::{Ramp, Sample},
};

use super::{
    chart::{Axes, HEIGHT, WIDTH, frame, plain, unit},
    scheme_class,
    svg::{Drawing, Item, Picture, Point, legend},
};

const SIGNS: usize = 6;
/// Marks of two schemes at one gap stand so far apart that both are seen.
const BESIDE: f64 = 5.0;

/// So many windows a run should hold for its pairs to come out as a form of all pairs says.
const ENOUGH: u64 = 10;

/// Draws it, or says why there is nothing to be drawn.
pub(crate) fn draw(sample: &Sample) -> Result<Result<Picture, String>, Box<dyn Error>> {
    let points = || sample.ramps.iter().flat_map(|ramp| &ramp.points);
    let Some(longest) = points().map(|point| point.gap_ns).reduce(f64::max) else {
        let none = "No scheme of this run has a closed form and a window of a second or more.";
        return Ok(Err(none.to_owned()));
    };
    let highest = points().map(|point| point.measured + 2.0 * point.deviation);
    let highest = highest.fold(0.5, f64::max);
    let (name, scale) = unit(longest);
    let axes = Axes {
        x: 0.0..longest * 1.03 / scale,
        y: 0.0..(highest * 1.08).min(1.0),
        x_says: &format!("gap in true time ({name})"),
        y_says: "part in the wrong order",
        x_number: &|x| plain(*x),
        y_number: &|y| plain(*y),
    };
    let frame = frame(&axes)?;
    let mut drawing = Drawing::default();
    drawing.raw(&frame.text);
    let middle = sample.ramps.len().saturating_sub(1) as f64 / 2.0;
    for (place, ramp) in sample.ramps.iter().enumerate() {
        let aside = (place as f64 - middle) * BESIDE;
        let at = |x: f64, y: f64| {
            let (x, y) = frame.at(x, y);
            (x + aside, y)
        };
        drawing.group(&scheme_class(sample, &ramp.scheme.to_string()));
        let sign = place % SIGNS;
        let window = ramp.window_ns as f64;
        let line: Vec<Point> = [0.0, window.min(longest * 1.03), longest * 1.03]
            .iter()
            .map(|&gap| frame.at(gap / scale, predict::misorder(gap, window, 0.5)))
            .collect();
        drawing.path(&line, false, &format!("s s{sign}"));
        for point in &ramp.points {
            let x = point.gap_ns / scale;
            let bar = |sign: f64| at(x, point.measured + sign * 2.0 * point.deviation);
            drawing.line(bar(-1.0), bar(1.0), &format!("s s{sign} p"));
            mark(&mut drawing, at(x, point.expected), sign, true);
            mark(&mut drawing, at(x, point.measured), sign, false);
        }
        drawing.close();
    }
    let height = f64::from(HEIGHT) + names(&mut drawing, sample);
    let title = "Misorder against the gap".to_owned();
    let mut caption = "Lines: ½ (1 − gap / W), for random nodes and clocks in step; where one \
                       node makes most IDs, or clocks are off, points stand elsewhere. Filled: \
                       measured, ± 2σ; hollow: expected of these pairs, from their nodes and their \
                       clocks. Schemes stand a little beside each other."
        .to_owned();
    if let Some(few) = few_windows(sample) {
        caption += &format!(" {few}");
    }
    Ok(Ok(drawing.done((f64::from(WIDTH), height), title, caption)))
}

/// Says of which schemes the run holds so few windows that points need not stand near their lines.
fn few_windows(sample: &Sample) -> Option<String> {
    let few = sample.ramps.iter().filter(|ramp| sample.duration_ns < ENOUGH * ramp.window_ns);
    let few: Vec<String> = few.map(|ramp| ramp.scheme.to_string()).collect();
    if few.is_empty() {
        return None;
    }
    Some(format!(
        "The run holds fewer than {ENOUGH} windows of {}: it sees few of their boundaries, so its \
         points may stand far from the lines.",
        few.join(", ")
    ))
}

/// A mark of a shape of its own for each scheme.
fn mark(drawing: &mut Drawing, at: Point, sign: usize, hollow: bool) {
    let size = if hollow { 6.5 } else { 4.0 };
    let class = format!("p p{sign}{}", if hollow { " hollow" } else { "" });
    match sign % 3 {
        0 => drawing.circle(at, size, &class),
        1 => drawing.square(at, size, &class),
        _ => drawing.diamond(at, size * 1.3, &class),
    }
}

fn names(drawing: &mut Drawing, sample: &Sample) -> f64 {
    let says = |ramp: &Ramp| {
        let (name, scale) = unit(ramp.window_ns as f64);
        let window = plain((ramp.window_ns as f64 / scale * 100.0).round() / 100.0);
        format!("{}, W = {window} {name}", ramp.scheme)
    };
    let item = |(place, ramp): (usize, &Ramp)| {
        let sign = |drawn: &mut Drawing| {
            let sign = place % SIGNS;
            drawn.line((0.0, 0.0), (38.0, 0.0), &format!("s s{sign}"));
            mark(drawn, (19.0, 0.0), sign, false);
        };
        Item::new(sign, says(ramp)).of(scheme_class(sample, &ramp.scheme.to_string()))
    };
    let items: Vec<Item> = sample.ramps.iter().enumerate().map(item).collect();
    let top = (74.0, f64::from(HEIGHT) + 12.0);
    legend(drawing, top, f64::from(WIDTH) - 90.0, &items) + 12.0
}
