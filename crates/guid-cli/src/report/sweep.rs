//! The report of a sweep: how each check changes over the points of the grid.

use guid_sim::{
    Number, Unit,
    sweep::{Aggregate, Header, PointSummary, Totals},
};
use maud::{Markup, html};

use super::{
    chart,
    chart::{Axes, HEIGHT, WIDTH, frame, plain, unit},
    page,
    svg::{Drawing, Item, Picture, legend, short},
};

/// More charts nobody looks through; the tables have the rest.
const CHARTS: usize = 40;
/// More points are no longer told apart, and their tables fill the page.
const TABLES: usize = 200;

/// The page of a sweep.
pub(crate) fn sweep(header: &Header, totals: &Totals) -> anyhow::Result<String> {
    let points: Vec<PointSummary> = totals.points().collect();
    let charts = telling(&points).into_iter().take(CHARTS);
    let charts = charts.map(|check| draw(check, header, &points).map_err(|e| chart::told(&*e)));
    let charts = charts.collect::<anyhow::Result<Vec<_>>>()?;
    let verdict = totals.verdict();
    let body = html! {
        header.top {
            h1 { "Sweep of " (header.scenario) }
            p.soft {
                (totals.runs) " runs at " (points.len()) " points, " (totals.events)
                " events, seeds " (header.seeds) ", guid " (header.version)
            }
            p { "Verdict: " (page::verdict(verdict, &verdict.to_string())) }
        }
        main {
            section id="points" { h2 { "Points" } (grid(&points)) }
            section id="charts" {
                h2 { "Over the grid" }
                p { "Means of the runs of each point, with their 95 % interval; the thin line is "
                    "from the least to the most. Checks that are zero in every run are left out." }
                @for picture in &charts { h3 { (picture.title) } (page::figure(picture)) }
                @if charts.is_empty() { p { "Every check is zero in every run." } }
            }
            section id="tables" {
                h2 { "Every check" }
                @for point in points.iter().take(TABLES) { (table(point)) }
                @if points.len() > TABLES {
                    p { "The first " (TABLES) " points; --json and --csv have all." }
                }
            }
        }
    };
    Ok(page::frame(&format!("Sweep of {}", header.scenario), page::STYLE, &body))
}

/// What is set at a point.
fn settings(point: &PointSummary) -> String {
    let set = point.set.iter().map(|(key, value)| format!("{key}={value}"));
    let set = set.collect::<Vec<_>>().join(" ");
    if set.is_empty() { "all runs".to_owned() } else { set }
}

fn grid(points: &[PointSummary]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Points of the grid" {
            table {
                thead { tr {
                    @for head in ["", "set"] { th scope="col" { (head) } }
                    @for head in ["runs", "hold", "violated", "unknown"] {
                        th.number scope="col" { (head) }
                    }
                    th scope="col" { "seeds that violate" }
                } }
                tbody { @for point in points.iter().take(TABLES) { tr {
                    td { (point.point + 1) }
                    td { code { (settings(point)) } }
                    @for count in [point.runs, point.holds, point.violated, point.unknown] {
                        td.number { (count) }
                    }
                    td { (seeds(point.violated, &point.violated_seeds)) }
                } } }
            }
        }
    }
}

fn seeds(count: u64, first: &[u64]) -> String {
    let more = if count > first.len() as u64 { ", …" } else { "" };
    first.iter().map(u64::to_string).collect::<Vec<_>>().join(", ") + more
}

fn table(point: &PointSummary) -> Markup {
    const HEADS: [&str; 8] =
        ["violated", "mean", "95 %", "least", "median", "99 %", "most", "expected"];
    html! {
        details {
            summary { h3 { "Point " (point.point + 1) ": " (settings(point)) } }
            div.scroll tabindex="0" role="group" aria-label={ "Point " (point.point + 1) } {
                table {
                    thead { tr {
                        th scope="col" { "check" }
                        @for head in HEADS { th.number scope="col" { (head) } }
                    } }
                    tbody { @for check in &point.checks { tr {
                        td { (check.check) }
                        @for cell in cells(check) { td.number { (cell) } }
                    } } }
                }
            }
        }
    }
}

fn cells(check: &Aggregate) -> [String; 8] {
    let show = |number: Number| match check.unit {
        Unit::Ns => Number(number.0.round()).show(check.unit),
        _ => number.show(check.unit),
    };
    let half = check.mean_ci95.map(|[low, high]| Number((high.0 - low.0) / 2.0));
    [
        format!("{} of {}", check.violated, check.runs),
        show(check.mean),
        half.map(|half| format!("± {}", show(half))).unwrap_or_default(),
        show(check.min),
        show(check.p50),
        show(check.p99),
        show(check.max),
        check.expected.map(show).unwrap_or_default(),
    ]
}

/// The checks that are not zero everywhere, those that were violated first.
fn telling(points: &[PointSummary]) -> Vec<&str> {
    let all = || points.iter().flat_map(|point| &point.checks);
    let mut names: Vec<&str> = Vec::new();
    for wanted in [true, false] {
        for check in all().filter(|check| (check.violated > 0) == wanted) {
            let zero = check.min.0 == 0.0 && check.max.0 == 0.0 && check.violated == 0;
            if !zero && !names.contains(&check.check.as_str()) {
                names.push(&check.check);
            }
        }
    }
    names
}

fn draw(
    check: &str,
    header: &Header,
    points: &[PointSummary],
) -> Result<Picture, Box<dyn std::error::Error>> {
    let at: Vec<(usize, &Aggregate)> = (points.iter().enumerate())
        .filter_map(|(place, point)| {
            Some((place, point.checks.iter().find(|found| found.check == check)?))
        })
        .collect();
    let ends = |of: fn(&Aggregate) -> f64, take: fn(f64, f64) -> f64| {
        at.iter().map(|(_, found)| of(found)).reduce(take).unwrap_or(0.0)
    };
    let expected = |found: &Aggregate| found.expected.map_or(found.max.0, |e| e.0.max(found.max.0));
    let (low, high) = (ends(|f| f.min.0, f64::min).min(0.0), ends(expected, f64::max));
    let is_time = at.first().is_some_and(|(_, found)| found.unit == Unit::Ns);
    let (name, scale) = if is_time { unit(high.max(-low)) } else { ("", 1.0) };
    let only = header.vary.first().filter(|_| header.vary.len() == 1);
    let label = |x: &f64| label(*x, only.map(|(_, values)| values.as_slice()), points.len());
    let axes = Axes {
        x: 0.5..points.len() as f64 + 0.5,
        y: low / scale..(high / scale * 1.08).max(low / scale + 1e-9),
        x_says: only.map_or("point of the grid, as numbered above", |(key, _)| key),
        y_says: if is_time { name } else { "measured" },
        x_number: &label,
        y_number: &|y| plain(*y),
    };
    let frame = frame(&axes)?;
    let mut drawing = Drawing::default();
    drawing.raw(&frame.text);
    for (place, found) in &at {
        let to = |value: f64| frame.at(*place as f64 + 1.0, value / scale);
        drawing.line(to(found.min.0), to(found.max.0), "s s0 thin");
        if let Some([low, high]) = found.mean_ci95 {
            drawing.line(to(low.0), to(high.0), "s s0 thick");
        }
        if let Some(expected) = found.expected {
            drawing.diamond(to(expected.0), 8.0, "p p1 hollow");
        }
        drawing.circle(to(found.mean.0), 4.0, "p p0");
    }
    let below = names(&mut drawing, at.iter().any(|(_, found)| found.expected.is_some()));
    let size = (f64::from(WIDTH), f64::from(HEIGHT) + below);
    Ok(drawing.done(size, check.to_owned(), caption(check, &at)))
}

/// The number of a point, or its value where only one key is varied.
fn label(x: f64, values: Option<&[String]>, points: usize) -> String {
    if x.fract() != 0.0 || x < 1.0 || x > points as f64 {
        return String::new();
    }
    match values.and_then(|values| values.get(x as usize - 1)) {
        Some(value) => short(value, 12),
        None => plain(x),
    }
}

fn caption(check: &str, at: &[(usize, &Aggregate)]) -> String {
    let name = check.split('@').next().unwrap_or(check);
    let violated: u64 = at.iter().map(|(_, found)| found.violated).sum();
    let runs: u64 = at.iter().map(|(_, found)| found.runs).sum();
    let meaning = guid_sim::meaning(name);
    let meaning = if meaning.is_empty() { String::new() } else { format!(" ({meaning})") };
    format!("{check}{meaning}: violated in {violated} of {runs} runs.")
}

fn names(drawing: &mut Drawing, expected: bool) -> f64 {
    let mean = Item::new(
        |drawn| drawn.circle((19.0, 0.0), 4.0, "p p0"),
        "mean, its 95 % interval, least to most",
    );
    let mut items = vec![mean];
    if expected {
        items.push(Item::new(|drawn| drawn.diamond((19.0, 0.0), 8.0, "p p1 hollow"), "expected"));
    }
    let top = (74.0, f64::from(HEIGHT) + 12.0);
    legend(drawing, top, f64::from(WIDTH) - 90.0, &items) + 12.0
}
