//! What was lost over the whole run: updates, siblings of registers, session guarantees.

use std::error::Error;

use guid_sim::sample::{Sample, Series};

use super::{
    chart::{Axes, HEIGHT, WIDTH, frame, plain, unit},
    scheme_class,
    svg::{Drawing, Item, Picture, Point, legend},
};

/// As many lines can be told apart.
const LINES: usize = 6;

/// The names of what clients may rely on.
const SESSIONS: [&str; 4] =
    ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"];

/// Whether a series is about what was lost.
pub(super) fn is_of_loss(name: &str) -> bool {
    SESSIONS.contains(&name)
        || ["lost", "sibling", "wrong", "refused"].iter().any(|word| name.contains(word))
}

/// Draws it, or says why there is nothing to be drawn.
pub(crate) fn draw(sample: &Sample) -> Result<Result<Picture, String>, Box<dyn Error>> {
    let all: Vec<&Series> =
        sample.series.iter().filter(|series| is_of_loss(&series.name)).collect();
    if all.is_empty() {
        let none = "No registers in this run, no clients with sessions, and nothing else that \
                    could be lost.";
        return Ok(Err(none.to_owned()));
    }
    let shown = shown(sample, &all);
    if shown.iter().all(|series| most(series) == 0) {
        return Ok(Err(caption(&all, &[])));
    }
    let highest = shown.iter().map(|series| most(series)).max().unwrap_or(1);
    let (name, scale) = unit(sample.duration_ns as f64);
    let axes = Axes {
        x: 0.0..(sample.duration_ns as f64 / scale).max(1e-9),
        y: 0.0..highest as f64 * 1.08,
        x_says: &format!("true time since the start ({name})"),
        y_says: "count so far",
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
        drawing.group(&class(sample, series));
        drawing.path(&points, false, &format!("s s{place}"));
        drawing.close();
    }
    let height = f64::from(HEIGHT) + names(&mut drawing, sample, &shown);
    let caption = caption(&all, &shown);
    let sessions = shown.iter().all(|series| SESSIONS.contains(&series.name.as_str()));
    let title = if sessions { "Broken session guarantees" } else { "Lost updates and siblings" };
    Ok(Ok(drawing.done((f64::from(WIDTH), height), title.to_owned(), caption)))
}

fn most(series: &Series) -> u64 {
    series.steps.iter().copied().max().unwrap_or(0)
}

/// The highest lines; and of one scheme that of time order, though it is zero: it is what the
/// others are compared with.
fn shown<'a>(sample: &Sample, all: &[&'a Series]) -> Vec<&'a Series> {
    let mut shown: Vec<&Series> = all.iter().copied().filter(|series| most(series) > 0).collect();
    shown.sort_by_key(|series| std::cmp::Reverse(most(series)));
    let zero = sample.schemes.iter().find_map(|scheme| {
        let name = format!("lww-lost-by-time@{scheme}");
        all.iter().copied().find(|series| series.name == name && most(series) == 0)
    });
    shown.truncate(LINES - usize::from(zero.is_some()));
    shown.extend(zero);
    shown
}

fn class(sample: &Sample, series: &Series) -> String {
    series.name.split_once('@').map_or_else(String::new, |(_, scheme)| scheme_class(sample, scheme))
}

fn caption(all: &[&Series], shown: &[&Series]) -> String {
    let hidden = || all.iter().filter(|one| !shown.iter().any(|other| other.name == one.name));
    let none = hidden().filter(|series| most(series) == 0);
    let none: Vec<&str> = none.map(|series| series.name.as_str()).collect();
    let mut text = String::new();
    if shown.iter().any(|series| series.name.contains("by-time") && most(series) == 0) {
        text += "Time order loses none: its line lies on the axis. ";
    }
    if !none.is_empty() {
        text += &format!("Always zero: {}. ", none.join(", "));
    }
    let more = hidden().count() - none.len();
    if more > 0 {
        text += &format!("{more} lower lines are not drawn. ");
    }
    text.trim_end().to_owned()
}

fn names(drawing: &mut Drawing, sample: &Sample, shown: &[&Series]) -> f64 {
    let says = |series: &Series| {
        let last = series.steps.last().copied().unwrap_or(0);
        let total = match series.of {
            Some(of) => format!(": {last} of {of}"),
            None if series.counts => format!(": {last}"),
            None => " (at that time)".to_owned(),
        };
        format!("{}{total}", series.name)
    };
    let item = |(place, series): (usize, &&Series)| {
        let class_of = class(sample, series);
        let line = |drawn: &mut Drawing| {
            drawn.line((0.0, 0.0), (38.0, 0.0), &format!("s s{place}"));
        };
        Item::new(line, says(series)).of(class_of)
    };
    let items: Vec<Item> = shown.iter().enumerate().map(item).collect();
    let top = (74.0, f64::from(HEIGHT) + 12.0);
    legend(drawing, top, f64::from(WIDTH) - 90.0, &items) + 12.0
}
