//! The space-time diagram: nodes side by side, an axis downwards, messages as arrows.
//!
//! Along event order and true time a node's line is straight. Along local time an event stands
//! where its node's clock said that it was: arrows that rise arrived before they were sent, by the
//! clocks; and a line that is kinked is a clock that was set back.

use guid_sim::{EventKind, units::Ns};

use super::{
    scene::{Axis, Places, Scene, name, says},
    svg::{Drawing, Picture, Point, legend, short},
};

const LEFT: f64 = 92.0;
const TOP: f64 = 52.0;
/// What is said of faults stands to the right.
const RIGHT: f64 = 176.0;
/// How far a line moves aside where its clock is set back.
const ASIDE: f64 = 9.0;
/// A fault whose words would stand further from it is marked alone.
const FARTHEST: f64 = 54.0;

/// Which arrows are shown as wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong {
    /// Those of one order.
    Of(usize),
    /// Those of each order, by a class of its own: the page chooses.
    Each,
}

/// Where everything stands.
struct Layout<'a> {
    scene: &'a Scene<'a>,
    places: Places,
    /// How far an event stands beside its node's line.
    aside: Vec<f64>,
    column: f64,
}

impl Layout<'_> {
    fn x(&self, node: u32) -> f64 {
        let place = self.scene.nodes.iter().position(|&other| other == node).unwrap_or(0);
        LEFT + 40.0 + place as f64 * self.column
    }

    fn y(&self, at: usize) -> f64 {
        TOP + 16.0 + self.places.ys[at]
    }

    fn at(&self, at: usize) -> Point {
        (self.x(self.scene.node(at)) + self.aside[at], self.y(at))
    }

    fn right(&self) -> f64 {
        LEFT + 80.0 + self.scene.nodes.len().saturating_sub(1) as f64 * self.column
    }

    fn bottom(&self) -> f64 {
        TOP + 16.0 + self.places.bottom + 18.0
    }
}

/// Draws a part of a run along an axis.
pub(crate) fn draw(scene: &Scene<'_>, axis: Axis, wrong: Wrong) -> Picture {
    let column = (480.0 / scene.nodes.len().max(1) as f64).clamp(46.0, 150.0);
    let places = scene.places(axis);
    let aside = aside(scene, &places);
    let layout = Layout { scene, places, aside, column };
    let mut drawing = Drawing::default();
    ticks(&mut drawing, &layout);
    gaps(&mut drawing, &layout, axis);
    lines(&mut drawing, &layout);
    messages(&mut drawing, &layout, wrong);
    events(&mut drawing, &layout, wrong);
    faults(&mut drawing, &layout);
    let width = (layout.right() + RIGHT).max(640.0);
    let top = layout.bottom() + 18.0;
    let height = top + signs(&mut drawing, (12.0, top), width - 24.0);
    let title = format!("Space-time diagram along {}", axis.says());
    drawing.done((width, height), title, caption(scene, wrong))
}

/// Which events they are, and what there is to be seen.
fn caption(scene: &Scene<'_>, wrong: Wrong) -> String {
    let (Some(first), Some(last)) = (scene.events.first(), scene.events.last()) else {
        return "No event: nothing is drawn.".to_owned();
    };
    let start = i128::from(scene.sample.start_ns);
    let (first, last) = (&first.event, &last.event);
    let from = Ns(i128::from(first.true_ns) - start);
    let to = Ns(i128::from(last.true_ns) - start);
    let mut text =
        format!("Events {} to {}, {from} to {to} after the start", first.number, last.number);
    if scene.nodes.len() < scene.sample.nodes as usize {
        text += &format!(", {} of {} nodes", scene.nodes.len(), scene.sample.nodes);
    }
    if let Wrong::Of(sorting) = wrong
        && let Some(name) = scene.sample.sortings.get(sorting).copied().map(name)
    {
        let (wrong, of) = scene.wrong(sorting);
        text += &format!("; {name}: {wrong} of {of} receipts sort before their sending");
    }
    text + "."
}

/// A node's line moves aside each time it goes back up.
fn aside(scene: &Scene<'_>, places: &Places) -> Vec<f64> {
    let mut aside = vec![0.0; scene.events.len()];
    for &node in &scene.nodes {
        let (mut steps, mut last) = (0_u8, f64::NEG_INFINITY);
        for at in (0..scene.events.len()).filter(|&at| scene.node(at) == node) {
            if places.ys[at] < last {
                steps = (steps + 1) % 3;
            }
            last = places.ys[at];
            aside[at] = f64::from(steps) * ASIDE;
        }
    }
    aside
}

fn ticks(drawing: &mut Drawing, layout: &Layout<'_>) {
    let mut last = f64::NEG_INFINITY;
    for (y, says) in &layout.places.ticks {
        if y - last < 20.0 {
            continue;
        }
        last = *y;
        let y = TOP + 16.0 + y;
        drawing.line((LEFT, y), (layout.right(), y), "grid");
        drawing.text((LEFT - 8.0, y + 4.0), "soft end", says);
    }
    for y in &layout.places.cuts {
        let (x, y) = (LEFT - 4.0, TOP + 16.0 + y);
        let wave = |y: f64| format!("M{:.1} {y:.1} q4 -5 8 0 t8 0", x - 8.0);
        let waves = format!("{} {}", wave(y - 2.5), wave(y + 2.5));
        drawing.raw(&format!("<path d=\"{waves}\" class=\"cut\"/>\n"));
    }
}

/// Says where events were left out.
fn gaps(drawing: &mut Drawing, layout: &Layout<'_>, axis: Axis) {
    if axis == Axis::Local {
        return;
    }
    for pair in layout.scene.part.events.windows(2) {
        let [before, after] = pair else { continue };
        let out = after.event.number - before.event.number - 1;
        let number = after.event.number;
        let at = layout.scene.events.iter().position(|seen| seen.event.number >= number);
        let Some(at) = at.filter(|_| out > 0) else { continue };
        let y = layout.y(at) - 10.0;
        drawing.line((LEFT, y), (layout.right(), y), "world down");
        let says = format!("{out} events not drawn");
        drawing.text((layout.right() + 8.0, y + 4.0), "soft", &says);
    }
}

/// The life of each node, dotted while it is down, with its name and how far its clock is off.
fn lines(drawing: &mut Drawing, layout: &Layout<'_>) {
    drawing.text((LEFT - 8.0, 34.0), "soft end", "clock off by");
    for (place, &node) in layout.scene.nodes.iter().enumerate() {
        let own: Vec<usize> =
            (0..layout.scene.events.len()).filter(|&at| layout.scene.node(at) == node).collect();
        let x = layout.x(node);
        drawing.text((x, 18.0), "bold middle", &format!("n{node}"));
        // Where columns are narrow, every other one stands lower.
        let lower = if layout.column < 84.0 && place % 2 == 1 { 13.0 } else { 0.0 };
        let off = own.first().and_then(|&at| layout.scene.events.get(at));
        if let Some(off) = off {
            let off = i128::from(off.event.local_ns) - i128::from(off.event.true_ns);
            let sign = if off > 0 { "+" } else { "" };
            let says = short(&format!("{sign}{}", Ns(off)), 11);
            drawing.text((x, 34.0 + lower), "soft middle", &says);
        }
        line(drawing, layout, &own, x);
    }
}

fn line(drawing: &mut Drawing, layout: &Layout<'_>, own: &[usize], x: f64) {
    let (mut from, mut up) = ((x, TOP), true);
    for &at in own {
        let to = layout.at(at);
        let back = to.1 < from.1;
        let class = match (up, back) {
            (_, true) => "world jump",
            (true, false) => "world",
            (false, false) => "world down",
        };
        drawing.line(from, to, class);
        match layout.scene.events[at].event.kind {
            EventKind::Crash => up = false,
            EventKind::Restart | EventKind::Join => up = true,
            _ => {}
        }
        from = to;
    }
    let end = (from.0, from.1.max(layout.bottom() - 10.0));
    drawing.line(from, end, if up { "world" } else { "world down" });
}

fn messages(drawing: &mut Drawing, layout: &Layout<'_>, wrong: Wrong) {
    let scene = layout.scene;
    for message in &scene.messages {
        let (from, to) = (layout.at(message.from), layout.at(message.to));
        drawing.raw(&format!("<g data-a=\"{},{}\">", message.from, message.to));
        if message.lost {
            lost(drawing, layout, message.from, message.to);
        } else {
            let class = classes(wrong, scene, "wrong", |sorting| {
                scene.is_wrong(sorting, message.from, message.to)
            });
            drawing.arrow(from, to, &class);
        }
        drawing.close();
    }
    for at in 0..scene.events.len() {
        on_its_way(drawing, layout, at);
    }
}

/// The class of what is wrong by the chosen order, or a class for each order by which it is.
fn classes(wrong: Wrong, scene: &Scene<'_>, class: &str, is: impl Fn(usize) -> bool) -> String {
    match wrong {
        Wrong::Of(sorting) if is(sorting) => class.to_owned(),
        Wrong::Of(_) => String::new(),
        Wrong::Each => {
            let of = (0..scene.sample.sortings.len()).filter(|&sorting| is(sorting));
            of.map(|sorting| format!("{class}{sorting}")).collect::<Vec<String>>().join(" ")
        }
    }
}

/// A lost message ends on its way, or at the node that was down.
fn lost(drawing: &mut Drawing, layout: &Layout<'_>, from: usize, at: usize) {
    let (start, mut end) = (layout.at(from), layout.at(at));
    if layout.scene.node(from) == layout.scene.node(at) {
        let EventKind::Send { to, .. } = layout.scene.events[from].event.kind else { return };
        let towards = if layout.scene.nodes.contains(&to.number()) {
            layout.x(to.number())
        } else {
            layout.right()
        };
        end = (start.0 + (towards - start.0) * 0.37, start.1 + 9.0);
    }
    drawing.line(start, end, "m lost");
    drawing.cross(end);
}

/// The beginning or the end of a message whose other end stands outside.
fn on_its_way(drawing: &mut Drawing, layout: &Layout<'_>, at: usize) {
    let messages = &layout.scene.messages;
    let (x, y) = layout.at(at);
    let aside = |other: u32, node: u32| if other < node { -20.0 } else { 20.0 };
    match layout.scene.events[at].event.kind {
        EventKind::Send { to, .. } if !messages.iter().any(|message| message.from == at) => {
            let aside = aside(to.number(), layout.scene.node(at));
            drawing.line((x, y), (x + aside, y + 8.0), "m");
        }
        EventKind::Receive { from, .. } if !messages.iter().any(|message| message.to == at) => {
            let aside = aside(from.number(), layout.scene.node(at));
            drawing.arrow((x + aside, y - 8.0), (x, y), "");
        }
        _ => {}
    }
}

fn events(drawing: &mut Drawing, layout: &Layout<'_>, wrong: Wrong) {
    let scene = layout.scene;
    let witness = scene.part.witness.as_ref();
    let of_witness: Vec<u64> =
        witness.iter().flat_map(|w| [w.first.event, w.second.event]).collect();
    for (at, seen) in scene.events.iter().enumerate() {
        let below = classes(wrong, scene, "below", |sorting| scene.is_below(sorting, at));
        let before: Vec<String> = scene.before(at).iter().map(usize::to_string).collect();
        let before = before.join(",");
        let attributes = format!("class=\"e {below}\" data-i=\"{at}\" data-p=\"{before}\"");
        drawing.open(&attributes, &scene.about(at));
        let place = layout.at(at);
        if of_witness.contains(&seen.event.number) {
            drawing.circle(place, 9.0, "of-witness");
        }
        match seen.event.kind {
            EventKind::Lost { .. } => {}
            EventKind::Write { .. } => drawing.square(place, 4.2, "dot"),
            kind if kind.is_stamped() => drawing.circle(place, 4.2, "dot"),
            EventKind::Partition | EventKind::Heal => {
                let y = place.1;
                drawing.line((LEFT, y), (layout.right(), y), "faultline");
            }
            _ => drawing.diamond(place, 6.0, "fault"),
        }
        drawing.close();
    }
}

/// What happened to clocks, nodes and network, in words on the right, as far as there is room.
fn faults(drawing: &mut Drawing, layout: &Layout<'_>) {
    let x = layout.right() + 8.0;
    let mut told: Vec<(f64, f64, String)> = Vec::new();
    let mut silent = 0_usize;
    let mut order: Vec<usize> = (0..layout.scene.events.len()).collect();
    order.sort_by(|&a, &b| layout.y(a).total_cmp(&layout.y(b)));
    let mut low = f64::NEG_INFINITY;
    for at in order {
        let event = &layout.scene.events[at].event;
        let says = match event.kind {
            EventKind::Lost { .. } => continue,
            kind if kind.is_stamped() => continue,
            EventKind::Partition => "the network splits".to_owned(),
            EventKind::Heal => "the network is whole".to_owned(),
            kind => format!("n{}: {}", event.node.number(), says(kind)),
        };
        let y = layout.y(at);
        let at = y.max(low + 15.0);
        if at - y > FARTHEST {
            silent += 1;
            continue;
        }
        low = at;
        told.push((y, at, says));
    }
    for (y, at, says) in told {
        drawing.line((layout.right() - 30.0, y), (x - 2.0, at), "grid");
        drawing.text((x, at + 4.0), "faulttext", &short(&says, 24));
    }
    if silent > 0 {
        let says = format!("and {silent} more faults");
        drawing.text((x, layout.bottom() + 4.0), "soft", &says);
    }
}

fn signs(drawing: &mut Drawing, at: Point, width: f64) -> f64 {
    let sign = |draw: &dyn Fn(&mut Drawing)| {
        let mut sign = Drawing::default();
        draw(&mut sign);
        sign.into_text()
    };
    let message = sign(&|sign| sign.arrow((0.0, 0.0), (38.0, 0.0), ""));
    let wrong = sign(&|sign| sign.arrow((0.0, 0.0), (38.0, 0.0), "wrong"));
    let lost = sign(&|sign| {
        sign.line((0.0, 0.0), (30.0, 0.0), "m lost");
        sign.cross((32.0, 0.0));
    });
    let dot = sign(&|sign| {
        sign.circle((12.0, 0.0), 4.2, "dot");
        sign.square((28.0, 0.0), 4.2, "dot");
    });
    let below = sign(&|sign| {
        sign.raw("<g class=\"below\">");
        sign.circle((20.0, 0.0), 4.2, "dot");
        sign.close();
    });
    let witness = sign(&|sign| sign.circle((20.0, 0.0), 8.0, "of-witness"));
    let fault = sign(&|sign| sign.diamond((20.0, 0.0), 6.0, "fault"));
    let items = [
        (message.as_str(), "a message".to_owned()),
        (wrong.as_str(), "its receipt sorts before its sending".to_owned()),
        (lost.as_str(), "lost".to_owned()),
        (dot.as_str(), "an event, a write".to_owned()),
        (below.as_str(), "sorts below an earlier event".to_owned()),
        (witness.as_str(), "a witness".to_owned()),
        (fault.as_str(), "a fault".to_owned()),
    ];
    legend(drawing, at, width, &items)
}
