//! A space-time diagram: nodes side by side, true time downwards, messages as arrows.
//!
//! What the eye should find: messages that seem to arrive before they were sent, by the bytes of
//! their IDs; faults; clocks that jump. Shapes and dashes say it beside the colors, so that it is
//! there in grey too.
//!
//! Time is to scale but for two things: events of one node keep a distance at which they can be
//! told apart, and long pauses are cut, with a mark.

mod draw;
mod page;

use std::collections::BTreeMap;

use crate::{NodeIndex, Scheme, Trace, TraceEvent, stamper::read_id};

/// A picture of more can be neither drawn nor read.
const MOST_EVENTS: usize = 240;
const MOST_NODES: usize = 16;

/// Where the first event stands, and how far apart columns are.
const TOP: f64 = 124.0;
const LEFT: f64 = 120.0;
/// Between events of one node, at least; between neighbours in time, at most.
const CLOSE: f64 = 15.0;
const FAR: f64 = 46.0;
const TYPICAL: f64 = 18.0;

/// What is drawn, and where.
struct Picture<'a> {
    trace: &'a Trace,
    /// The events that are drawn, in order of time.
    events: Vec<&'a TraceEvent>,
    /// The nodes that are drawn, by number.
    nodes: Vec<u32>,
    /// How far down each event is.
    ys: Vec<f64>,
    /// Where a pause was cut.
    cuts: Vec<f64>,
    scheme: Option<Scheme>,
    /// The key in k-order of each event's ID.
    keys: Vec<Option<u128>>,
}

pub(super) fn write(trace: &Trace) -> String {
    let picture = Picture::new(trace);
    let mut text = page::head(&picture);
    text += &draw::time_axis(&picture);
    text += &draw::world_lines(&picture);
    text += &draw::messages(&picture);
    text += &draw::events(&picture);
    text += &page::legend(&picture);
    text += "</svg>\n";
    text
}

impl<'a> Picture<'a> {
    fn new(trace: &'a Trace) -> Self {
        let mut events: Vec<&TraceEvent> = trace.events.iter().take(MOST_EVENTS).collect();
        events.sort_by_key(|event| event.true_ns);
        let mut nodes: Vec<u32> = events.iter().map(|event| event.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.truncate(MOST_NODES);
        events.retain(|event| nodes.contains(&event.node));
        let (ys, cuts) = place(&events);
        let scheme = scheme(&events);
        let keys = events.iter().map(|event| key(event, scheme)).collect();
        Self { trace, events, nodes, ys, cuts, scheme, keys }
    }

    /// The distance of two nodes.
    fn column(&self) -> f64 {
        (900.0 / self.nodes.len().max(1) as f64).clamp(58.0, 210.0)
    }

    fn x(&self, node: u32) -> Option<f64> {
        let place = self.nodes.iter().position(|&other| other == node)?;
        Some(LEFT + 60.0 + place as f64 * self.column())
    }

    fn width(&self) -> f64 {
        let right = LEFT + 120.0 + self.nodes.len().saturating_sub(1) as f64 * self.column();
        right.max(760.0)
    }

    fn bottom(&self) -> f64 {
        self.ys.last().copied().unwrap_or(TOP) + 34.0
    }

    fn start_ns(&self) -> u64 {
        self.events.first().map_or(0, |event| event.true_ns)
    }

    /// The time since the first event, in a unit and with digits that tell the events apart.
    fn since(&self, true_ns: u64) -> String {
        let start = self.start_ns();
        let span = self.events.last().map_or(0, |last| last.true_ns.saturating_sub(start));
        let ns = true_ns.saturating_sub(start) as f64;
        match span {
            0..10_000_000 => format!("{:.1} µs", ns / 1e3),
            10_000_000..10_000_000_000 => format!("{:.2} ms", ns / 1e6),
            _ => format!("{:.3} s", ns / 1e9),
        }
    }

    /// The place of the sending of each message that is drawn.
    fn sends(&self) -> BTreeMap<u64, usize> {
        let sends = self.events.iter().enumerate().filter(|(_, event)| event.kind == "send");
        sends.filter_map(|(at, event)| Some((event.message?, at))).collect()
    }

    /// Whether an event's ID is at or below that of an earlier one of the picture.
    fn is_below_earlier(&self, at: usize) -> bool {
        let Some(own) = self.keys[at] else { return false };
        self.keys[..at].iter().flatten().any(|&earlier| earlier >= own)
    }

    /// Whether the second of two events has the smaller ID.
    fn is_inverted(&self, first: usize, second: usize) -> bool {
        matches!((self.keys[first], self.keys[second]), (Some(a), Some(b)) if b <= a)
    }
}

/// Down from event to event: by the time between them, within bounds.
fn place(events: &[&TraceEvent]) -> (Vec<f64>, Vec<f64>) {
    let mut gaps: Vec<u64> =
        events.windows(2).map(|pair| pair[1].true_ns - pair[0].true_ns).collect();
    gaps.retain(|&gap| gap > 0);
    gaps.sort_unstable();
    let typical = gaps.get(gaps.len() / 2).copied().unwrap_or(1).max(1) as f64;
    let (mut ys, mut cuts) = (Vec::new(), Vec::new());
    let mut last_of: BTreeMap<u32, f64> = BTreeMap::new();
    let (mut y, mut before) = (TOP, None);
    for event in events {
        let gap = before.map_or(0, |before| event.true_ns - before);
        let down = gap as f64 / typical * TYPICAL;
        if down > FAR {
            cuts.push(y + FAR / 2.0);
        }
        y += down.min(FAR);
        if let Some(&last) = last_of.get(&event.node) {
            y = y.max(last + CLOSE);
        }
        last_of.insert(event.node, y);
        before = Some(event.true_ns);
        ys.push(y);
    }
    (ys, cuts)
}

/// Whose IDs are looked at: of a scheme with two orders if there is one, else the first that has
/// an order.
fn scheme(events: &[&TraceEvent]) -> Option<Scheme> {
    let bearer = events.iter().find(|event| !event.ids.is_empty())?;
    let schemes = || bearer.ids.iter().filter_map(|(name, _)| name.parse::<Scheme>().ok());
    let two = schemes().find(|scheme| scheme.has_two_orders());
    two.or_else(|| schemes().find(|scheme| scheme.is_ordered()))
}

fn key(event: &TraceEvent, scheme: Option<Scheme>) -> Option<u128> {
    let scheme = scheme?;
    let name = scheme.to_string();
    let (_, text) = event.ids.iter().find(|(of, _)| *of == name)?;
    let node = NodeIndex::new(event.node.saturating_sub(1));
    read_id(scheme, text, node).ok().map(|(stamped, _)| stamped.k)
}
