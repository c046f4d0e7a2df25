//! The report of a test of nodes: what was done to them, and how long their clients waited.

use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::{
    chart,
    chart::{Axes, HEIGHT, WIDTH, frame, plain},
    page,
    svg::{Drawing, Item, Picture, legend},
};

/// So many answers are drawn; of more, every second, third, … one.
const MARKS: usize = 4_000;
/// So many faults bear their names.
const NAMED: usize = 24;

/// What the page says of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested<'a> {
    /// A line: what was tested, and what came out.
    pub(crate) title: &'a str,
    pub(crate) verdict: guid_sim::Verdict,
    /// What the command prints for people.
    pub(crate) told: &'a str,
    /// The history, as `guid history` reads it.
    pub(crate) history: &'a str,
}

/// A request that has ended.
struct Request {
    begun_s: f64,
    took_ms: f64,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ok,
    Failed,
    Unknown,
}

/// The page of a test.
pub(crate) fn clients(tested: Tested<'_>) -> anyhow::Result<String> {
    let history: Value = serde_json::from_str(tested.history)?;
    let ops = history["history"].as_array().map_or(&[][..], Vec::as_slice);
    let picture = draw(ops).map_err(|error| chart::told(&*error))?;
    let body = html! {
        header.top {
            h1 { (tested.title) }
            p { "Verdict: " (page::verdict(tested.verdict, &tested.verdict.to_string())) }
        }
        main {
            section id="findings" { h2 { "Findings" } pre tabindex="0" { (tested.told) } }
            section id="answers" { h2 { "Answers" } (page::figure(&picture)) }
            section id="faults" { h2 { "What was done to the nodes" } (faults(ops)) }
        }
    };
    Ok(page::frame(tested.title, page::STYLE, &body))
}

fn seconds(op: &Value) -> f64 {
    op["time"].as_u64().unwrap_or(0) as f64 / 1e9
}

/// Requests with their answers: a process has one under way at a time.
fn requests(ops: &[Value]) -> Vec<Request> {
    let mut begun: std::collections::BTreeMap<u64, f64> = std::collections::BTreeMap::new();
    let mut requests = Vec::new();
    for op in ops {
        let Some(process) = op["process"].as_u64() else { continue };
        let end = match op["type"].as_str() {
            Some("ok") => End::Ok,
            Some("fail") => End::Failed,
            Some("info") => End::Unknown,
            _ => {
                begun.insert(process, seconds(op));
                continue;
            }
        };
        if let Some(begun_s) = begun.remove(&process) {
            requests.push(Request { begun_s, took_ms: (seconds(op) - begun_s) * 1e3, end });
        }
    }
    requests
}

fn nemesis(ops: &[Value]) -> impl Iterator<Item = &Value> {
    ops.iter().filter(|op| op["process"] == "nemesis")
}

fn draw(ops: &[Value]) -> Result<Picture, Box<dyn std::error::Error>> {
    let all = requests(ops);
    let step = all.len().div_ceil(MARKS).max(1);
    let slowest = all.iter().map(|request| request.took_ms).fold(1.0, f64::max);
    let longest = ops.iter().map(seconds).fold(1e-3, f64::max);
    let axes = Axes {
        x: 0.0..longest * 1.02,
        // A decade a line: answers take microseconds, and those that never came seconds.
        y: -2.0..slowest.log10().ceil().max(0.0) + 0.2,
        x_says: "time of the request (s)",
        y_says: "answered after (ms)",
        x_number: &|x| plain(*x),
        y_number: &|y| if y.fract() == 0.0 { plain(10_f64.powf(*y)) } else { String::new() },
    };
    let frame = frame(&axes)?;
    let mut drawing = Drawing::default();
    drawing.raw(&frame.text);
    for (place, op) in nemesis(ops).enumerate() {
        let (low, high) = (frame.at(seconds(op), axes.y.start), frame.at(seconds(op), axes.y.end));
        drawing.line(low, high, "faultline");
        if place < NAMED {
            let name = op["f"].as_str().unwrap_or_default();
            let down = 12.0 + 13.0 * (place % 4) as f64;
            drawing.text((high.0 + 3.0, high.1 + down), "faulttext halo", name);
        }
    }
    for request in all.iter().step_by(step) {
        let at = frame.at(request.begun_s, request.took_ms.max(0.01).log10());
        mark(&mut drawing, at, request.end);
    }
    let ends =
        [(End::Ok, "answered"), (End::Failed, "refused"), (End::Unknown, "not answered in time")];
    let items = ends.map(|(end, says)| {
        let count = all.iter().filter(|request| request.end == end).count();
        Item::new(|drawn| mark(drawn, (19.0, 0.0), end), format!("{says}: {count}"))
    });
    let top = (74.0, f64::from(HEIGHT) + 12.0);
    let below = legend(&mut drawing, top, f64::from(WIDTH) - 90.0, &items) + 12.0;
    let caption = match step {
        1 => String::from("Every request."),
        _ => format!("One request in {step}."),
    };
    let size = (f64::from(WIDTH), f64::from(HEIGHT) + below);
    Ok(drawing.done(size, String::from("Answers over time"), caption))
}

fn mark(drawing: &mut Drawing, at: (f64, f64), end: End) {
    match end {
        End::Ok => drawing.circle(at, 2.5, "p p0"),
        End::Failed => drawing.square(at, 4.0, "p p4 hollow"),
        End::Unknown => drawing.diamond(at, 5.5, "p p1 hollow"),
    }
}

fn faults(ops: &[Value]) -> Markup {
    html! {
        @if nemesis(ops).next().is_none() { p { "Nothing." } } @else {
            div.scroll tabindex="0" role="group" aria-label="What was done to the nodes" {
                table {
                    thead { tr {
                        th.number scope="col" { "s" } th scope="col" { "what" }
                        th scope="col" { "to" }
                    } }
                    tbody { @for op in nemesis(ops) { tr {
                        td.number { (format!("{:.3}", seconds(op))) }
                        td { (op["f"].as_str().unwrap_or_default()) }
                        td { (PreEscaped(page::escaped_lines(&to(&op["value"])))) }
                    } } }
                }
            }
        }
    }
}

fn to(value: &Value) -> String {
    match value {
        Value::Null => "all".to_owned(),
        Value::String(name) => name.clone(),
        Value::Array(side) => {
            let name = |node: &Value| format!("n{}", node.as_u64().unwrap_or(0) + 1);
            let side: Vec<String> = side.iter().map(name).collect();
            format!("{} from the others", side.join(", "))
        }
        other => other.to_string(),
    }
}
