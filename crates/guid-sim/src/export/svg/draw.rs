//! Lines, arrows and signs.

use std::collections::BTreeMap;

use super::{
    LEFT, Picture, TOP,
    page::{escaped, node_name, offsets_label},
};
use crate::{TraceEvent, units::Ns};

pub(super) fn diamond(x: f64, y: f64) -> String {
    let (left, right, up, down) = (x - 6.0, x + 6.0, y - 6.0, y + 6.0);
    format!(
        "<path d=\"M{x:.1} {up:.1} L{right:.1} {y:.1} L{x:.1} {down:.1} L{left:.1} {y:.1} z\" \
         class=\"fault\"/>"
    )
}

pub(super) fn cross(x: f64, y: f64) -> String {
    let (left, right, up, down) = (x - 4.0, x + 4.0, y - 4.0, y + 4.0);
    format!(
        "<path d=\"M{left:.1} {up:.1} L{right:.1} {down:.1} M{left:.1} {down:.1} L{right:.1} \
         {up:.1}\" stroke=\"var(--soft)\" stroke-width=\"1.8\"/>"
    )
}

/// Two waves: a pause was cut here.
pub(super) fn cut_mark(x: f64, y: f64) -> String {
    let wave = |y: f64| format!("M{:.1} {y:.1} q4 -5 8 0 t8 0", x - 8.0);
    format!(
        "<path d=\"{} {}\" fill=\"none\" stroke=\"var(--soft)\" stroke-width=\"1.3\"/>",
        wave(y - 2.5),
        wave(y + 2.5)
    )
}

/// Times on the left, where there is room for them.
pub(super) fn time_axis(picture: &Picture<'_>) -> String {
    let mut text = String::new();
    let right = picture.width() - 20.0;
    let mut last = f64::NEG_INFINITY;
    for (event, &y) in picture.events.iter().zip(&picture.ys) {
        if y - last < 44.0 {
            continue;
        }
        last = y;
        let since = picture.since(event.true_ns);
        text += &format!(
            "<line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" class=\"grid\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" class=\"soft small\" text-anchor=\"end\">{since}</text>\n",
            LEFT,
            LEFT - 8.0,
            y + 3.5
        );
    }
    for &y in &picture.cuts {
        text += &cut_mark(LEFT - 22.0, y);
        text.push('\n');
    }
    text
}

/// The life of each node, dotted while it is down.
pub(super) fn world_lines(picture: &Picture<'_>) -> String {
    let mut text = offsets_label();
    for &node in &picture.nodes {
        let Some(x) = picture.x(node) else { continue };
        let own = || picture.events.iter().zip(&picture.ys).filter(|(e, _)| e.node == node);
        let offset = own().next().map(|(event, _)| offset(event));
        text += &node_name(x, node, offset);
        let (mut from, mut up) = (TOP - 9.0, true);
        let mut line = |to: f64, up: bool| {
            let class = if up { "world" } else { "world down" };
            text += &format!(
                "<line x1=\"{x:.1}\" y1=\"{from:.1}\" x2=\"{x:.1}\" y2=\"{to:.1}\" class=\"{class}\"/>\n"
            );
            from = to;
        };
        for (event, &y) in own() {
            match event.kind.as_str() {
                "crash" | "restart" => {
                    line(y, up);
                    up = event.kind == "restart";
                }
                _ => {}
            }
        }
        line(picture.bottom() - 10.0, up);
    }
    text
}

fn offset(event: &TraceEvent) -> i128 {
    i128::from(event.local_ns) - i128::from(event.true_ns)
}

/// Arrows from sending to receipt; what was lost ends in a cross.
pub(super) fn messages(picture: &Picture<'_>) -> String {
    let sends = picture.sends();
    let mut arrived: BTreeMap<usize, u32> = BTreeMap::new();
    let mut text = String::new();
    for (at, event) in picture.events.iter().enumerate() {
        let Some(message) = event.message else { continue };
        let (Some(x2), y2) = (picture.x(event.node), picture.ys[at]) else { continue };
        let kind = event.kind.as_str();
        let Some(&send) = sends.get(&message) else {
            if kind == "receive" {
                // Sent before this part begins.
                let from = (x2 - 22.0, y2 - 8.0);
                text += &arrow(from, (x2 - 6.0, y2 - 2.0), "message", Some("tip"));
            }
            continue;
        };
        if kind != "receive" && kind != "lost" {
            continue;
        }
        *arrived.entry(send).or_default() += 1;
        let sender = picture.events[send];
        let Some(x1) = picture.x(sender.node) else { continue };
        let y1 = picture.ys[send];
        if kind == "lost" {
            text += &lost(picture, sender, (x1, y1), (x2, y2));
            continue;
        }
        let to = end((x1, y1), (x2, y2));
        text += &if picture.is_inverted(send, at) {
            arrow((x1, y1), to, "inverted", Some("tipinverted"))
        } else {
            arrow((x1, y1), to, "message", Some("tip"))
        };
    }
    for &send in sends.values().filter(|send| !arrived.contains_key(send)) {
        // On its way when this part ends.
        let event = picture.events[send];
        let to = event.peer.and_then(|peer| picture.x(peer));
        if let (Some(x1), Some(x2)) = (picture.x(event.node), to) {
            let (y1, aside) = (picture.ys[send], if x2 < x1 { -26.0 } else { 26.0 });
            text += &arrow((x1, y1), (x1 + aside, y1 + 9.0), "message", None);
        }
    }
    text
}

/// A lost message ends on its way, beside the lines of nodes in between, or at the node that was
/// down.
fn lost(picture: &Picture<'_>, sender: &TraceEvent, from: (f64, f64), at: (f64, f64)) -> String {
    let (x1, y1) = from;
    let to = match sender.peer.and_then(|peer| picture.x(peer)) {
        Some(x2) if at.0.total_cmp(&x1).is_eq() => (x1 + (x2 - x1) * 0.37, y1 + 9.0),
        _ => end(from, at),
    };
    arrow(from, to, "lost", None) + &cross(to.0, to.1) + "\n"
}

/// A little before the end, so that the head is seen.
fn end((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> (f64, f64) {
    let length = libm::sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)).max(1.0);
    let part = ((length - 6.0) / length).max(0.0);
    (x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)
}

fn arrow(from: (f64, f64), to: (f64, f64), class: &str, tip: Option<&str>) -> String {
    let tip = tip.map_or_else(String::new, |tip| format!(" marker-end=\"url(#{tip})\""));
    format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"{tip}/>\n",
        from.0, from.1, to.0, to.1
    )
}

/// The events, each with what is known of it for who points at it.
pub(super) fn events(picture: &Picture<'_>) -> String {
    let mut text = String::new();
    for (at, event) in picture.events.iter().enumerate() {
        let (Some(x), y) = (picture.x(event.node), picture.ys[at]) else { continue };
        text += &format!("<g><title>{}</title>", escaped(&about(event, picture.start_ns())));
        text += &match event.kind.as_str() {
            "partition" | "heal" => across(picture, y, &event.kind),
            "clock-fault" | "clone" | "crash" | "hold" | "join" | "pause" | "release"
            | "restart" | "resume" => diamond(x, y) + &fault_text(x, y, &fault_says(event)),
            "lost" => String::new(),
            kind => {
                let class = if picture.is_below_earlier(at) { "below" } else { "event" };
                if kind == "write" {
                    let (left, up) = (x - 4.0, y - 4.0);
                    format!(
                        "<rect x=\"{left:.1}\" y=\"{up:.1}\" width=\"8\" height=\"8\" class=\"{class}\"/>"
                    )
                } else {
                    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" class=\"{class}\"/>")
                }
            }
        };
        text += "</g>\n";
    }
    text
}

fn fault_says(event: &TraceEvent) -> String {
    match (event.kind.as_str(), event.by_ns) {
        ("clock-fault", Some(by)) if by != 0 => {
            let sign = if by > 0 { "+" } else { "" };
            format!("clock {sign}{}", Ns(by.into()))
        }
        ("clock-fault", _) => String::from("clock freezes, or another rate"),
        (kind, _) => String::from(kind),
    }
}

fn fault_text(x: f64, y: f64, says: &str) -> String {
    let (x, y) = (x + 10.0, y + 3.5);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"faulttext\">{}</text>", escaped(says))
}

/// What happens to the network happens to all.
fn across(picture: &Picture<'_>, y: f64, kind: &str) -> String {
    let right = picture.width() - 20.0;
    let says = if kind == "partition" { "the network splits" } else { "the network is whole" };
    format!(
        "<line x1=\"{LEFT:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" class=\"faultline\"/>"
    ) + &fault_text(LEFT - 4.0, y - 7.0, says)
}

fn about(event: &TraceEvent, start: u64) -> String {
    let since = Ns(i128::from(event.true_ns) - i128::from(start));
    let mut text = format!(
        "event {}: {} on n{} after {since}, its clock off by {}",
        event.event,
        super::super::label(event),
        event.node,
        Ns(offset(event))
    );
    for (scheme, id) in event.ids.iter().take(12) {
        text += &format!("\n{scheme} {}", id.chars().take(60).collect::<String>());
    }
    text.replace('\n', "; ")
}
