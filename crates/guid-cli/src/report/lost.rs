//! Lost updates and siblings, over the whole run.

use std::error::Error;

use guid_sim::sample::{Sample, Series};

use super::{
    chart::{Axes, HEIGHT, WIDTH, frame, plain, unit},
    svg::{Drawing, Picture, Point, legend},
};

/// As many lines can be told apart.
const LINES: usize = 6;

/// Draws it, or says why there is nothing to be drawn.
pub(crate) fn draw(sample: &Sample) -> Result<Result<Picture, String>, Box<dyn Error>> {
    let about = |series: &&Series| {
        ["lost", "sibling", "wrong", "refused"].iter().any(|word| series.name.contains(word))
    };
    let all: Vec<&Series> = sample.series.iter().filter(about).collect();
    if all.is_empty() {
        let none = "No registers in this run, and nothing else that could be lost.";
        return Ok(Err(none.to_owned()));
    }
    let most = |series: &Series| series.steps.iter().copied().max().unwrap_or(0);
    let mut shown: Vec<&Series> = all.iter().copied().filter(|series| most(series) > 0).collect();
    shown.sort_by_key(|series| std::cmp::Reverse(most(series)));
    shown.truncate(LINES);
    if shown.is_empty() {
        return Ok(Err(caption(&all, &shown)));
    }
    let highest = shown.iter().map(|series| most(series)).max().unwrap_or(1);
    let (name, scale) = unit(sample.duration_ns as f64);
    let axes = Axes {
        x: 0.0..(sample.duration_ns as f64 / scale).max(1e-9),
        y: 0.0..highest as f64 * 1.08,
        x_says: &format!("true time since the start ({name})"),
        y_says: "count",
        x_number: &|x| plain(*x),
        // There is no half of a count.
        y_number: &|y| if y.fract() == 0.0 { plain(*y) } else { String::new() },
    };
    let frame = frame(&axes)?;
    let mut drawing = Drawing::default();
    drawing.raw(&frame.text);
    for (place, series) in shown.iter().enumerate() {
        let step = axes.x.end / series.steps.len().max(1) as f64;
        let mut points: Vec<Point> = Vec::new();
        let mut before = 0;
        for (at, &count) in series.steps.iter().enumerate() {
            let x = at as f64 * step;
            if at == 0 || count != before {
                points.push(frame.at(x, before as f64));
                points.push(frame.at(x, count as f64));
            }
            before = count;
        }
        points.push(frame.at(axes.x.end, before as f64));
        drawing.path(&points, false, &format!("s s{place}"));
    }
    let height = f64::from(HEIGHT) + names(&mut drawing, &shown);
    let caption = caption(&all, &shown);
    let title = "Lost updates and siblings".to_owned();
    Ok(Ok(drawing.done((f64::from(WIDTH), height), title, caption)))
}

fn caption(all: &[&Series], shown: &[&Series]) -> String {
    let none = all.iter().filter(|series| series.steps.iter().all(|&count| count == 0));
    let none: Vec<&str> = none.map(|series| series.name.as_str()).collect();
    let mut text = String::new();
    if !none.is_empty() {
        text += &format!("Always zero: {}. ", none.join(", "));
    }
    let more = all.len() - none.len() - shown.len();
    if more > 0 {
        text += &format!("{more} lower lines are not drawn. ");
    }
    text.trim_end().to_owned()
}

fn names(drawing: &mut Drawing, shown: &[&Series]) -> f64 {
    let signs: Vec<String> = (0..shown.len())
        .map(|sign| format!("<line x1=\"0\" y1=\"0\" x2=\"38\" y2=\"0\" class=\"s s{sign}\"/>"))
        .collect();
    let says = |series: &Series| {
        let kind = if series.counts { "" } else { " (at that time)" };
        format!("{}{kind}", series.name)
    };
    let items: Vec<(&str, String)> =
        signs.iter().zip(shown).map(|(sign, series)| (sign.as_str(), says(series))).collect();
    let top = (74.0, f64::from(HEIGHT) + 12.0);
    legend(drawing, top, f64::from(WIDTH) - 90.0, &items) + 12.0
}
