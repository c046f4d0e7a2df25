//! The same run stamped by several schemes, side by side: in each panel events stand in the order
//! of their IDs, so that an arrow that rises arrived before it was sent.

use super::{
    scene::{Scene, name},
    svg::{Drawing, Item, Picture, legend, short, width_of},
};

/// So many events a panel; so many panels, three a row.
const EVENTS: usize = 24;
const PANELS: usize = 9;
const COLUMNS: usize = 3;
const WIDTH: f64 = 240.0;
const STEP: f64 = 11.0;
const HEAD: f64 = 60.0;

pub(crate) fn draw(scene: &Scene<'_>) -> Picture {
    let stamped: Vec<usize> =
        (0..scene.events.len()).filter(|&at| scene.events[at].event.kind.is_stamped()).collect();
    let shown = &stamped[..stamped.len().min(EVENTS)];
    let panels = scene.sample.sortings.len().min(PANELS);
    let height = HEAD + EVENTS.min(shown.len()) as f64 * STEP + 26.0;
    let mut drawing = Drawing::default();
    for sorting in 0..panels {
        let (column, row) = (sorting % COLUMNS, sorting / COLUMNS);
        let (x, y) = (column as f64 * WIDTH, row as f64 * height);
        drawing.raw(&format!("<g transform=\"translate({x:.0} {y:.0})\">\n"));
        panel(&mut drawing, scene, sorting, shown);
        drawing.close();
    }
    let rows = panels.div_ceil(COLUMNS);
    let width = WIDTH * COLUMNS as f64;
    let top = rows as f64 * height + 8.0;
    let items = [
        Item::new(|sign| sign.arrow((0.0, 0.0), (38.0, 0.0), ""), "a message"),
        Item::new(
            |sign| sign.arrow((0.0, 0.0), (38.0, 0.0), "wrong"),
            "its receipt sorts before its sending: the arrow rises",
        ),
    ];
    let height = top + legend(&mut drawing, (12.0, top), width - 24.0, &items);
    let mut caption = format!("{} events, from the smallest ID at the top", shown.len());
    if scene.sample.sortings.len() > PANELS {
        caption += &format!(", by {PANELS} of {} orders", scene.sample.sortings.len());
    }
    caption += ".";
    let title = "The same events in the order of each scheme's IDs".to_owned();
    drawing.done((width, height), title, caption)
}

fn panel(drawing: &mut Drawing, scene: &Scene<'_>, sorting: usize, shown: &[usize]) {
    let column = 190.0 / scene.nodes.len().max(1) as f64;
    let x = |node: u32| {
        let place = scene.nodes.iter().position(|&other| other == node).unwrap_or(0);
        25.0 + column / 2.0 + place as f64 * column
    };
    let mut sorted = shown.to_vec();
    sorted.sort_by_key(|&at| (scene.events[at].keys.get(sorting).copied(), at));
    let y = |at: usize| {
        let rank = sorted.iter().position(|&other| other == at).unwrap_or(0);
        HEAD + rank as f64 * STEP
    };
    let messages = scene.messages.iter().filter(|m| !m.lost);
    let messages: Vec<_> =
        messages.filter(|m| shown.contains(&m.from) && shown.contains(&m.to)).collect();
    let wrong = messages.iter().filter(|m| scene.is_wrong(sorting, m.from, m.to)).count();
    let title = scene.sample.sortings.get(sorting).copied().map(name).unwrap_or_default();
    drawing.text((120.0, 16.0), "bold middle", &title);
    let says = format!("{wrong} of {} arrows rise", messages.len());
    drawing.text((120.0, 31.0), "soft middle", &says);
    let bottom = HEAD + sorted.len().saturating_sub(1) as f64 * STEP + 8.0;
    // Where names are wider than their columns, every second bears one, or every third.
    let names = scene.nodes.iter().map(|node| width_of(&format!("n{node}")));
    let every = (names.fold(0.0, f64::max) / column).ceil().max(1.0) as usize;
    for (place, &node) in scene.nodes.iter().enumerate() {
        if place % every == 0 {
            drawing.text((x(node), 47.0), "soft middle", &short(&format!("n{node}"), 6));
        }
        drawing.line((x(node), HEAD - 8.0), (x(node), bottom), "world");
    }
    for message in messages {
        let is_wrong = scene.is_wrong(sorting, message.from, message.to);
        let class = if is_wrong { "wrong" } else { "" };
        let from = (x(scene.node(message.from)), y(message.from));
        drawing.arrow(from, (x(scene.node(message.to)), y(message.to)), class);
    }
    for &at in shown {
        drawing.circle((x(scene.node(at)), y(at)), 3.4, "dot");
    }
}
