//! How far clocks are off, over the whole run: a line a node, and a band where a clock went up and
//! down within a step.

use std::error::Error;

use guid_sim::sample::{Off, Offsets, Sample};

use super::{
    chart::{Axes, Frame, HEIGHT, WIDTH, frame, plain, unit},
    svg::{Drawing, Item, Picture, Point, legend, short, width_of},
};

/// How many signs there are.
const SIGNS: usize = 6;
/// Names beside lines stand so far apart; closer lines share one.
const APART: f64 = 14.0;
/// More than so many pixels within a step is drawn as a jump.
const JUMP: f64 = 4.0;

pub(crate) fn draw(sample: &Sample) -> Result<Picture, Box<dyn Error>> {
    let all = sample.envelope.steps.iter().flatten();
    let (mut low, mut high) = (0_i128, 0_i128);
    for off in all {
        (low, high) = (low.min(off.least_ns), high.max(off.most_ns));
    }
    let (name, scale) = unit(low.unsigned_abs().max(high.unsigned_abs()) as f64);
    let (low, high) = (low as f64 / scale, high as f64 / scale);
    let room = ((high - low) * 0.06).max(0.5);
    let (of_x, scale_x) = unit(sample.duration_ns as f64);
    let axes = Axes {
        x: 0.0..(sample.duration_ns as f64 / scale_x).max(1e-9),
        y: low - room..high + room,
        x_says: &format!("true time since the start ({of_x})"),
        y_says: &format!("clock minus true time ({name})"),
        x_number: &|x| plain(*x),
        y_number: &|y| plain(*y),
    };
    let frame = frame(&axes)?;
    let mut drawing = Drawing::default();
    drawing.raw(&frame.text);
    let stretch = Stretch { frame: &frame, x: axes.x.end, scale };
    if is_part(sample) {
        band(&mut drawing, &stretch, &sample.envelope, "all");
    }
    for (place, offsets) in sample.offsets.iter().enumerate() {
        band(&mut drawing, &stretch, offsets, &format!("b b{}", place % SIGNS));
    }
    for (place, offsets) in sample.offsets.iter().enumerate() {
        let mut points: Vec<Point> = Vec::new();
        for (x, off) in stretch.steps(offsets) {
            let to = stretch.at(x, off.last_ns);
            // A clock that is set jumps, and does not slide.
            let before = points.last().filter(|before| (before.1 - to.1).abs() > JUMP);
            points.extend(before.map(|before| (to.0, before.1)));
            points.push(to);
        }
        drawing.path(&points, false, &sign(place));
    }
    label(&mut drawing, &stretch, &sample.offsets);
    let height = f64::from(HEIGHT) + names(&mut drawing, sample);
    let mut caption =
        "A line a node, named where they are furthest apart; where a clock goes up and down within a step, a band."
            .to_owned();
    if is_part(sample) {
        let (shown, of) = (sample.offsets.len(), sample.nodes);
        caption = format!("The first {shown} of {of} nodes; the grey band is all of them.");
    }
    Ok(drawing.done((f64::from(WIDTH), height), "Clock offsets over time".to_owned(), caption))
}

/// Writes beside each line whose it is, where the lines are furthest apart: what lies on another
/// line is told by nothing else.
fn label(drawing: &mut Drawing, stretch: &Stretch<'_>, all: &[Offsets]) {
    let steps = all.iter().map(|offsets| offsets.steps.len()).max().unwrap_or(0);
    // Of moments that are as good, the last one.
    let best = (0..steps).max_by(|&a, &b| {
        let apart = |step| apart(&at_step(stretch, all, step));
        apart(a).total_cmp(&apart(b))
    });
    let mut ends = best.map_or_else(Vec::new, |step| at_step(stretch, all, step));
    ends.sort_by(|(a, _), (b, _)| a.1.total_cmp(&b.1));
    let mut groups: Vec<(Point, Vec<u32>)> = Vec::new();
    for (at, node) in ends {
        match groups.last_mut() {
            Some((top, nodes)) if at.1 - top.1 < APART => nodes.push(node),
            _ => groups.push((at, vec![node])),
        }
    }
    for ((x, y), mut nodes) in groups {
        nodes.sort_unstable();
        let names: Vec<String> = nodes.iter().map(|node| format!("n{node}")).collect();
        let says = match names.as_slice() {
            [first, .., last] if names.len() > 6 => format!("{first} … {last}"),
            few => few.join(" "),
        };
        let says = short(&says, 32);
        // To the left and above, but within the frame.
        let place = ((x - 6.0).max(width_of(&says) + 84.0), (y - 6.0).max(22.0));
        drawing.text(place, "end bold halo", &says);
    }
}

/// Where each line stands in a step.
fn at_step(stretch: &Stretch<'_>, all: &[Offsets], step: usize) -> Vec<(Point, u32)> {
    let of = |offsets: &Offsets| {
        // A clock that nobody read in that step stands where it stood before.
        let known = offsets.steps.get(..=step)?.iter().rev().flatten().next()?;
        let x = (step as f64 + 0.5) * stretch.x / offsets.steps.len() as f64;
        Some((stretch.at(x, known.last_ns), offsets.node))
    };
    all.iter().filter_map(of).collect()
}

/// How many of the lines can be told from their neighbours, and how well.
fn apart(lines: &[(Point, u32)]) -> f64 {
    let mut ys: Vec<f64> = lines.iter().map(|(at, _)| at.1).collect();
    ys.sort_by(f64::total_cmp);
    ys.windows(2).map(|pair| (pair[1] - pair[0]).min(2.0 * APART)).sum()
}

/// Colors and dashes, and when those are used up, other widths.
fn sign(place: usize) -> String {
    const WIDTHS: [&str; 3] = ["", " thin", " thick"];
    format!("s s{}{}", place % SIGNS, WIDTHS[place / SIGNS % WIDTHS.len()])
}

/// Whether there are more clocks than are drawn one by one.
fn is_part(sample: &Sample) -> bool {
    sample.offsets.len() < sample.nodes as usize
}

/// From steps of the run to the frame.
struct Stretch<'a> {
    frame: &'a Frame,
    x: f64,
    scale: f64,
}

impl Stretch<'_> {
    /// The steps in which something happened; each stands at its middle.
    fn steps<'a>(&self, offsets: &'a Offsets) -> impl Iterator<Item = (f64, &'a Off)> + use<'a> {
        let step = self.x / offsets.steps.len().max(1) as f64;
        let steps = offsets.steps.iter().enumerate();
        steps.filter_map(move |(at, off)| Some(((at as f64 + 0.5) * step, off.as_ref()?)))
    }

    fn at(&self, x: f64, off_ns: i128) -> Point {
        self.frame.at(x, off_ns as f64 / self.scale)
    }
}

fn band(drawing: &mut Drawing, stretch: &Stretch<'_>, offsets: &Offsets, class: &str) {
    let upper = stretch.steps(offsets).map(|(x, off)| stretch.at(x, off.most_ns));
    let mut points: Vec<Point> = upper.collect();
    let half = points.len();
    points.extend(stretch.steps(offsets).map(|(x, off)| stretch.at(x, off.least_ns)));
    points[half..].reverse();
    drawing.path(&points, true, class);
}

fn names(drawing: &mut Drawing, sample: &Sample) -> f64 {
    let item = |(place, offsets): (usize, &Offsets)| {
        let line = |drawn: &mut Drawing| drawn.line((0.0, 0.0), (38.0, 0.0), &sign(place));
        Item::new(line, format!("n{}", offsets.node))
    };
    let items: Vec<Item> = sample.offsets.iter().enumerate().map(item).collect();
    let top = (74.0, f64::from(HEIGHT) + 12.0);
    legend(drawing, top, f64::from(WIDTH) - 90.0, &items) + 12.0
}
