//! A part of a run, and where its events stand along an axis.

use std::collections::{BTreeMap, BTreeSet};

use guid_sim::{
    EventKind,
    sample::{By, Part, Sample, Seen, Sorting},
    units::Ns,
};

/// More columns can be neither drawn nor read.
const MOST_NODES: usize = 16;

/// Between events of one node, at least; between neighbours in time, at most; where half of them
/// stand.
const CLOSE: f64 = 15.0;
const FAR: f64 = 38.0;
const TYPICAL: f64 = 16.0;
const EVEN: f64 = 20.0;

/// What the vertical axis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Axis {
    /// The order of events
    Order,
    /// True time
    True,
    /// Each node's local time, as its clock read
    Local,
}

impl Axis {
    pub(crate) const ALL: [Self; 3] = [Self::Order, Self::True, Self::Local];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::True => "true",
            Self::Local => "local",
        }
    }

    /// What stands above the axis.
    pub(super) const fn head(self) -> &'static str {
        match self {
            Self::Order => "order ↓",
            Self::True => "true time ↓",
            Self::Local => "local time ↓",
        }
    }

    pub(crate) const fn says(self) -> &'static str {
        match self {
            Self::Order => "event order",
            Self::True => "true time",
            Self::Local => "each node's local time",
        }
    }
}

/// A message from its sending to its receipt, or to where it was lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) lost: bool,
}

/// A part of a run, ready to be drawn.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(super) sample: &'a Sample,
    pub(super) part: &'a Part,
    /// The events of the nodes that are drawn, by number.
    pub(super) events: Vec<&'a Seen>,
    /// The nodes that are drawn.
    pub(super) nodes: Vec<u32>,
    pub(super) messages: Vec<Message>,
}

/// Where things stand along the axis, from zero down.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) ys: Vec<f64>,
    /// Where a pause was cut.
    pub(super) cuts: Vec<f64>,
    /// What the axis says, and where.
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) bottom: f64,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(sample: &'a Sample, part: &'a Part) -> Self {
        let nodes = nodes(part);
        let drawn = |seen: &&Seen| nodes.contains(&seen.event.node.number());
        let events: Vec<&Seen> = part.events.iter().filter(drawn).collect();
        let messages = messages(&events);
        Self { sample, part, events, nodes, messages }
    }

    /// Whether the second of two events has the smaller ID.
    pub(super) fn is_wrong(&self, sorting: usize, first: usize, second: usize) -> bool {
        let key = |at: usize| self.events.get(at).and_then(|seen| seen.keys.get(sorting));
        matches!((key(first), key(second)), (Some(a), Some(b)) if b <= a)
    }

    /// Whether an event's ID is at or below that of an earlier event of the scene.
    pub(super) fn is_below(&self, sorting: usize, at: usize) -> bool {
        (0..at).any(|earlier| self.is_wrong(sorting, earlier, at))
    }

    /// How many messages seem to arrive before they were sent, and of how many.
    pub(super) fn wrong(&self, sorting: usize) -> (usize, usize) {
        let arrived = || self.messages.iter().filter(|message| !message.lost);
        let wrong = arrived().filter(|m| self.is_wrong(sorting, m.from, m.to)).count();
        (wrong, arrived().count())
    }

    /// How many events sort below an earlier one.
    pub(super) fn disorder(&self, sorting: usize) -> usize {
        (0..self.events.len()).filter(|&at| self.is_below(sorting, at)).count()
    }

    pub(super) fn node(&self, at: usize) -> u32 {
        self.events.get(at).map_or(0, |seen| seen.event.node.number())
    }

    pub(super) fn places(&self, axis: Axis) -> Places {
        match axis {
            Axis::Order => self.in_order(),
            Axis::True => self.by(|seen| seen.event.true_ns),
            Axis::Local => self.by(|seen| seen.event.local_ns),
        }
    }

    fn in_order(&self) -> Places {
        let ys: Vec<f64> = (0..self.events.len()).map(|at| at as f64 * EVEN).collect();
        let ticks = ys.iter().zip(&self.events);
        let ticks = ticks.map(|(&y, seen)| (y, format!("#{}", seen.event.number))).collect();
        let bottom = ys.last().copied().unwrap_or(0.0);
        Places { ys, cuts: Vec::new(), ticks, bottom }
    }

    /// To scale, but for long pauses and events that would stand on each other.
    fn by(&self, time: impl Fn(&Seen) -> u64) -> Places {
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        order.sort_by_key(|&at| (time(self.events[at]), at));
        let times: Vec<u64> = order.iter().map(|&at| time(self.events[at])).collect();
        let typical = typical(&times);
        let start = times.first().copied().unwrap_or(0);
        let span = times.last().map_or(0, |last| last - start);
        let mut places = Places { ys: vec![0.0; order.len()], ..Places::default() };
        let mut last_of: BTreeMap<u32, f64> = BTreeMap::new();
        let (mut y, mut before, mut told) = (0.0_f64, start, f64::NEG_INFINITY);
        for (&at, &time) in order.iter().zip(&times) {
            let down = (time - before) as f64 / typical * TYPICAL;
            if down > FAR {
                places.cuts.push(y + FAR / 2.0);
            }
            y += down.min(FAR);
            if let Some(&last) = last_of.get(&self.node(at)) {
                y = y.max(last + CLOSE);
            }
            last_of.insert(self.node(at), y);
            places.ys[at] = y;
            before = time;
            if y - told >= EVEN {
                places.ticks.push((y, since(time - start, span)));
                told = y;
            }
        }
        places.bottom = y;
        places
    }

    /// What an event is, for who points at it.
    pub(super) fn about(&self, at: usize) -> String {
        let Some(seen) = self.events.get(at) else { return String::new() };
        let event = &seen.event;
        let since = long(i128::from(event.true_ns) - i128::from(self.sample.start_ns));
        let off = off_by(i128::from(event.local_ns) - i128::from(event.true_ns));
        let (number, node, kind) = (event.number, event.node.number(), says(event.kind));
        let mut text =
            format!("event {number}: {kind} on n{node} after {since}, its clock off by {off}");
        for (scheme, id) in self.sample.schemes.iter().zip(&seen.ids) {
            text += &format!("; {scheme} {}", super::svg::short(id, 48));
        }
        text
    }

    /// What came directly before an event: on its node, and where its message was sent.
    pub(super) fn before(&self, at: usize) -> Vec<usize> {
        let on_node = (0..at).rev().find(|&before| self.node(before) == self.node(at));
        let sent = self.messages.iter().filter(|message| message.to == at && !message.lost);
        on_node.into_iter().chain(sent.map(|message| message.from)).collect()
    }
}

/// What happened, in words.
pub(super) fn says(kind: EventKind) -> String {
    match kind {
        EventKind::Send { message, to } => format!("send of message {message} to n{}", to.number()),
        EventKind::Receive { message, from } => {
            format!("receipt of message {message} from n{}", from.number())
        }
        EventKind::Lost { message } => format!("loss of message {message}"),
        EventKind::Write { register, overwrite: true } => {
            format!("overwrite of register {register}")
        }
        EventKind::Write { register, .. } => format!("write of register {register}"),
        EventKind::ClockFault { by_ns: 0 } => "clock freezes, or another rate".to_owned(),
        EventKind::ClockFault { by_ns } => format!("clock {}", off_by(by_ns.into())),
        kind => kind.name().to_owned(),
    }
}

/// A difference of times in a unit that people use, with its sign.
pub(super) fn off_by(ns: i128) -> String {
    let sign = if ns > 0 { "+" } else { "" };
    format!("{sign}{}", long(ns))
}

/// A length of time in a unit that people use: hours and minutes of what is long.
pub(super) fn long(ns: i128) -> String {
    const MINUTE: u128 = 60_000_000_000;
    let in_units = |unit: u128, name: &str| {
        let number = ns as f64 / unit as f64;
        let text = format!("{number:.2}");
        format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match ns.unsigned_abs() {
        size if size >= 120 * MINUTE => in_units(60 * MINUTE, "h"),
        size if size >= 10 * MINUTE => in_units(MINUTE, "min"),
        _ => Ns(ns).to_string(),
    }
}

/// The order by which a part is looked at unless another is chosen: that of the scheme whose
/// witness it shows, in the order in which the witness is one.
pub(crate) fn own_sorting(sample: &Sample, part: &Part) -> usize {
    let own = part.of.iter().find_map(|key| {
        let (name, scheme) = key.split_once('@')?;
        let by_time = name.ends_with("by-time") || name == "happens-before";
        let mut sortings = sample.sortings.iter();
        sortings.position(|sorting| {
            let by = if by_time && sorting.scheme.has_two_orders() { By::Time } else { By::Bytes };
            sorting.scheme.to_string() == scheme && sorting.by == by
        })
    });
    own.unwrap_or_else(|| main_sorting(sample))
}

/// What a sorting is called.
pub(crate) fn name(sorting: Sorting) -> String {
    match sorting.by {
        By::Bytes if sorting.scheme.has_two_orders() => format!("{} by bytes", sorting.scheme),
        By::Time => format!("{} by time", sorting.scheme),
        By::Bytes => sorting.scheme.to_string(),
    }
}

/// The sorting that is looked at unless another is chosen: the bytes of IDs with two orders.
pub(crate) fn main_sorting(sample: &Sample) -> usize {
    let two = |sorting: &Sorting| sorting.scheme.has_two_orders() && sorting.by == By::Bytes;
    sample.sortings.iter().position(two).unwrap_or(0)
}

/// A time since the beginning of a part, with digits that tell its events apart.
fn since(ns: u64, span: u64) -> String {
    let ns = ns as f64;
    match span {
        0..10_000_000 => format!("+{:.1} µs", ns / 1e3),
        10_000_000..10_000_000_000 => format!("+{:.2} ms", ns / 1e6),
        10_000_000_000..1_000_000_000_000 => format!("+{:.3} s", ns / 1e9),
        1_000_000_000_000..7_200_000_000_000 => format!("+{:.1} s", ns / 1e9),
        _ => format!("+{:.3} h", ns / 3.6e12),
    }
}

fn typical(times: &[u64]) -> f64 {
    let mut gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.retain(|&gap| gap > 0);
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied().unwrap_or(1).max(1) as f64
}

/// The nodes of the witness, then those with most events; by number.
fn nodes(part: &Part) -> Vec<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for seen in &part.events {
        *counts.entry(seen.event.node.number()).or_default() += 1;
    }
    let witness = part.witness.as_ref();
    let first: BTreeSet<u32> = witness.iter().flat_map(|w| [w.first.node, w.second.node]).collect();
    let mut nodes: Vec<u32> = counts.keys().copied().collect();
    nodes.sort_by_key(|node| (!first.contains(node), std::cmp::Reverse(counts[node]), *node));
    nodes.truncate(MOST_NODES);
    nodes.sort_unstable();
    nodes
}

fn messages(events: &[&Seen]) -> Vec<Message> {
    let mut sends: BTreeMap<u64, usize> = BTreeMap::new();
    let mut messages = Vec::new();
    for (at, seen) in events.iter().enumerate() {
        let (message, lost) = match seen.event.kind {
            EventKind::Send { message, .. } => {
                sends.insert(message, at);
                continue;
            }
            EventKind::Receive { message, .. } => (message, false),
            EventKind::Lost { message } => (message, true),
            _ => continue,
        };
        messages.extend(sends.get(&message).map(|&from| Message { from, to: at, lost }));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_told_in_hours_and_minutes() {
        const SECOND: i128 = 1_000_000_000;
        for (ns, says) in [
            (18_000 * SECOND, "+5 h"),
            (-18_090 * SECOND, "-5.03 h"),
            (900 * SECOND, "+15 min"),
            (288 * SECOND, "+288 s"),
            (-1_500_000_000, "-1.5 s"),
            (0, "0 ns"),
        ] {
            assert_eq!(off_by(ns), says);
        }
    }
}
