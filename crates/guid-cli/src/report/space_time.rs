//! The space-time diagram: nodes side by side, an axis downwards, messages as arrows.
//!
//! Along event order and true time a node's line is straight. Along local time an event stands
//! where its node's clock said that it was: arrows that rise arrived before they were sent, by the
//! clocks; and a line that is kinked is a clock that was set back.

use guid_sim::EventKind;

use super::{
    scene::{Axis, Places, Scene, long, name, off_by, says},
    svg::{Drawing, Item, Picture, Point, legend, short},
};

const LEFT: f64 = 92.0;
const TOP: f64 = 52.0;
/// What is said of faults stands to the right.
const RIGHT: f64 = 176.0;
/// How far a line moves aside where its clock is set back.
const ASIDE: f64 = 9.0;
/// A fault whose words would stand further from it is marked alone.
const FARTHEST: f64 = 54.0;

/// From the middle of a line of words, or of a mark, to where a page may end.
const CLEAR: f64 = 8.0;

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
    drawing.text((LEFT - 8.0, 18.0), "soft end", axis.head());
    lines(&mut drawing, &layout);
    messages(&mut drawing, &layout, wrong);
    events(&mut drawing, &layout, wrong);
    let told = faults(&mut drawing, &layout);
    let width = (layout.right() + RIGHT).max(640.0);
    let top = layout.bottom() + 18.0;
    let height = top + legend(&mut drawing, (12.0, top), width - 24.0, &signs(&layout, wrong));
    let title = format!("Space-time diagram along {}", axis.says());
    let cuts = cuts(&layout, &told);
    drawing.done((width, height), title, caption(scene, wrong)).with_cuts(cuts)
}

/// Where nothing stands but lines: in the middle between two neighbours that are far enough apart.
fn cuts(layout: &Layout<'_>, told: &[f64]) -> Vec<f64> {
    let events = (0..layout.scene.events.len()).map(|at| layout.y(at));
    let waves = layout.places.cuts.iter().map(|y| TOP + 16.0 + y);
    let mut all: Vec<f64> = events.clone().chain(waves).chain(told.iter().copied()).collect();
    // What is left out is told ten above the next event.
    all.extend(events.map(|y| y - 10.0));
    all.sort_by(f64::total_cmp);
    let apart = all.windows(2).filter(|pair| pair[1] - pair[0] > 2.0 * CLEAR);
    apart.map(|pair| f64::midpoint(pair[0], pair[1])).collect()
}

/// Which events they are, and what there is to be seen.
fn caption(scene: &Scene<'_>, wrong: Wrong) -> String {
    let (Some(first), Some(last)) = (scene.events.first(), scene.events.last()) else {
        return "No event: nothing is drawn.".to_owned();
    };
    let start = i128::from(scene.sample.start_ns);
    let (first, last) = (&first.event, &last.event);
    let from = long(i128::from(first.true_ns) - start);
    let to = long(i128::from(last.true_ns) - start);
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
        waves(drawing, (LEFT - 4.0, TOP + 16.0 + y));
    }
}

fn waves(drawing: &mut Drawing, (x, y): Point) {
    let wave = |y: f64| format!("M{:.1} {y:.1} q4 -5 8 0 t8 0", x - 8.0);
    let waves = format!("{} {}", wave(y - 2.5), wave(y + 2.5));
    drawing.raw(&format!("<path d=\"{waves}\" class=\"cut\"/>\n"));
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

/// The life of each node, dotted while it is down, with its name and how far its clock is off at
/// its first event here.
fn lines(drawing: &mut Drawing, layout: &Layout<'_>) {
    drawing.text((LEFT - 8.0, 34.0), "soft end", "off at first");
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
            let says = short(&off_by(off), 11);
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

/// Whether the other end of a message stands outside.
fn is_on_its_way(scene: &Scene<'_>, at: usize) -> bool {
    match scene.events[at].event.kind {
        EventKind::Send { .. } => !scene.messages.iter().any(|message| message.from == at),
        EventKind::Receive { .. } => !scene.messages.iter().any(|message| message.to == at),
        _ => false,
    }
}

/// The beginning or the end of a message whose other end stands outside.
fn on_its_way(drawing: &mut Drawing, layout: &Layout<'_>, at: usize) {
    if !is_on_its_way(layout.scene, at) {
        return;
    }
    let (x, y) = layout.at(at);
    let aside = |other: u32, node: u32| if other < node { -20.0 } else { 20.0 };
    match layout.scene.events[at].event.kind {
        EventKind::Send { to, .. } => {
            let aside = aside(to.number(), layout.scene.node(at));
            drawing.line((x, y), (x + aside, y + 8.0), "m");
        }
        EventKind::Receive { from, .. } => {
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

/// What happened to clocks, nodes and network, in words on the right, as far as there is room; at
/// which heights.
fn faults(drawing: &mut Drawing, layout: &Layout<'_>) -> Vec<f64> {
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
    for (y, at, says) in &told {
        drawing.line((layout.right() - 30.0, *y), (x - 2.0, *at), "grid");
        drawing.text((x, at + 4.0), "faulttext", &short(says, 24));
    }
    if silent > 0 {
        let says = format!("and {silent} more faults");
        drawing.text((x, layout.bottom() + 4.0), "soft", &says);
    }
    told.into_iter().map(|(_, at, _)| at).collect()
}

/// The signs that occur, and what they mean.
fn signs(layout: &Layout<'_>, wrong: Wrong) -> Vec<Item> {
    let scene = layout.scene;
    let kinds = || scene.events.iter().map(|seen| seen.event.kind);
    let any = |is: &dyn Fn(usize) -> bool| match wrong {
        Wrong::Of(sorting) => is(sorting),
        Wrong::Each => (0..scene.sample.sortings.len()).any(is),
    };
    let across = (0.0, 0.0);
    let items = [
        (
            scene.messages.iter().any(|message| !message.lost),
            Item::new(|sign| sign.arrow(across, (38.0, 0.0), ""), "a message"),
        ),
        (
            any(&|sorting| scene.wrong(sorting).0 > 0),
            Item::new(
                |sign| sign.arrow(across, (38.0, 0.0), "wrong"),
                "its receipt sorts before its sending",
            ),
        ),
        (
            scene.messages.iter().any(|message| message.lost),
            Item::new(
                |sign| {
                    sign.line(across, (30.0, 0.0), "m lost");
                    sign.cross((32.0, 0.0));
                },
                "lost",
            ),
        ),
        (
            (0..scene.events.len()).any(|at| is_on_its_way(scene, at)),
            Item::new(
                |sign| {
                    sign.line((2.0, -4.0), (20.0, 4.0), "m");
                    sign.circle((2.0, -4.0), 4.2, "dot");
                },
                "a message whose other end is not drawn",
            ),
        ),
        (
            kinds().any(EventKind::is_stamped),
            Item::new(|sign| sign.circle((20.0, 0.0), 4.2, "dot"), "an event"),
        ),
        (
            kinds().any(|kind| matches!(kind, EventKind::Write { .. })),
            Item::new(|sign| sign.square((20.0, 0.0), 4.2, "dot"), "a write"),
        ),
        (
            any(&|sorting| scene.disorder(sorting) > 0),
            Item::new(
                |sign| {
                    sign.group("below");
                    sign.circle((20.0, 0.0), 4.2, "dot");
                    sign.close();
                },
                "sorts below an earlier event",
            ),
        ),
        (
            scene.part.witness.is_some(),
            Item::new(|sign| sign.circle((20.0, 0.0), 8.0, "of-witness"), "a witness"),
        ),
    ];
    let shown = items.into_iter().filter(|(occurs, _)| *occurs).map(|(_, item)| item);
    shown.chain(rarer_signs(layout)).collect()
}

/// Those of faults, and of what the axis does.
fn rarer_signs(layout: &Layout<'_>) -> impl Iterator<Item = Item> {
    let kinds = || layout.scene.events.iter().map(|seen| seen.event.kind);
    let split = |kind| matches!(kind, EventKind::Partition | EventKind::Heal);
    let is_fault = |kind: EventKind| {
        !kind.is_stamped() && !split(kind) && !matches!(kind, EventKind::Lost { .. })
    };
    let items = [
        (
            kinds().any(is_fault),
            Item::new(|sign| sign.diamond((20.0, 0.0), 6.0, "fault"), "a fault"),
        ),
        (
            kinds().any(|kind| kind == EventKind::Crash),
            Item::new(|sign| sign.line((0.0, 0.0), (38.0, 0.0), "world down"), "down"),
        ),
        (
            !layout.places.cuts.is_empty(),
            Item::new(|sign| waves(sign, (26.0, 0.0)), "time in which nothing happens, cut short"),
        ),
        (
            layout.aside.iter().any(|&aside| aside > 0.0),
            Item::new(
                |sign| sign.line((12.0, 4.0), (26.0, -4.0), "world jump"),
                "a clock that was set back: its line goes on beside",
            ),
        ),
    ];
    items.into_iter().filter(|(occurs, _)| *occurs).map(|(_, item)| item)
}
