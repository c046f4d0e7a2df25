//! The strip: true order on top, the order of the IDs below, lines between. Crossings are disorder;
//! below, the IDs of one node stand together where a window or a run puts them.

use super::{
    scene::{Scene, name},
    svg::{Drawing, Item, Picture, legend, width_of},
};

/// So many events at most; fewer where the numbers of nodes are long.
const EVENTS: usize = 36;
const ROOM: f64 = 630.0;
const LEFT: f64 = 84.0;
const STEP: f64 = 17.5;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 176.0;

pub(crate) fn draw(scene: &Scene<'_>, sorting: usize) -> Picture {
    let stamped = (0..scene.events.len()).filter(|&at| scene.events[at].event.kind.is_stamped());
    let longest = scene.nodes.iter().map(|node| width_of(&node.to_string())).fold(0.0, f64::max);
    let step = (longest + 4.0).max(STEP);
    let shown: Vec<usize> = stamped.take(EVENTS.min((ROOM / step) as usize)).collect();
    let mut sorted = shown.clone();
    sorted.sort_by_key(|&at| (scene.events[at].keys.get(sorting).copied(), at));
    let x = |place: usize| LEFT + 12.0 + place as f64 * step;
    let mut drawing = Drawing::default();
    drawing.text((LEFT - 8.0, TOP - 14.0), "soft end", "true order");
    drawing.text((LEFT - 8.0, BOTTOM + 24.0), "soft end", "by ID");
    let ends = boundaries(&mut drawing, scene, sorting, (&shown, &sorted), &x);
    let mut moved = 0;
    for (top, &at) in shown.iter().enumerate() {
        let bottom = sorted.iter().position(|&other| other == at).unwrap_or(top);
        let below = shown[..top].iter().any(|&earlier| scene.is_wrong(sorting, earlier, at));
        moved += usize::from(below);
        let class = if below { "e below" } else { "e" };
        drawing.open(&format!("class=\"{class}\""), &scene.about(at));
        let line = if below { "moved" } else { "kept" };
        drawing.line((x(top), TOP), (x(bottom), BOTTOM), line);
        let node = scene.node(at).to_string();
        for (place, dot, text) in [(top, TOP, TOP - 10.0), (bottom, BOTTOM, BOTTOM + 19.0)] {
            drawing.circle((x(place), dot), 4.0, "dot");
            drawing.text((x(place), text), "middle", &node);
        }
        drawing.close();
    }
    let by = scene.sample.sortings.get(sorting).copied().map(name).unwrap_or_default();
    let width = (x(shown.len()) + 8.0).max(420.0);
    let line =
        |class: &'static str| move |sign: &mut Drawing| sign.line((0.0, 0.0), (36.0, 0.0), class);
    let mut items = vec![
        Item::new(line("kept"), "above all earlier events"),
        Item::new(line("moved"), "below an earlier one"),
        Item::new(|sign| sign.text((20.0, 4.0), "", "3"), "its node"),
    ];
    if ends > 0 {
        items.push(Item::new(line("boundary"), "a window ends"));
    }
    let height = BOTTOM + 46.0;
    let height = height + legend(&mut drawing, (12.0, height), width - 24.0, &items);
    let mut caption = format!("{moved} of {} events sort below an earlier one.", shown.len());
    if ends > 0 {
        caption += " Where a window ends, nothing crosses but by the skew of clocks.";
    }
    drawing.done((width, height), format!("Sorted by ID: {by}"), caption)
}

/// Marks where windows end, above and below; how many times.
fn boundaries(
    drawing: &mut Drawing,
    scene: &Scene<'_>,
    sorting: usize,
    (shown, sorted): (&[usize], &[usize]),
    x: &impl Fn(usize) -> f64,
) -> usize {
    let Some(of) = scene.sample.sortings.get(sorting) else { return 0 };
    let window = |at: usize| of.window(*scene.events.get(at)?.keys.get(sorting)?);
    let mut ends = 0;
    for (row, y) in [(shown, TOP), (sorted, BOTTOM)] {
        for (place, pair) in row.windows(2).enumerate() {
            if window(pair[0]) != window(pair[1]) {
                let middle = f64::midpoint(x(place), x(place + 1));
                drawing.line((middle, y - 24.0), (middle, y + 24.0), "boundary");
                ends += 1;
            }
        }
    }
    ends
}
