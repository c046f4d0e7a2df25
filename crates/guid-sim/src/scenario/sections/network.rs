//! `[network]`: how messages travel.

use super::{Scenario, ScenarioError, Section, hint, node};
use crate::{Distribution, Fault, Link, NetworkModel, NodeIndex, Region, ScheduledFault, units};

pub(super) fn lan() -> NetworkModel {
    model("200us + exp(50us)", 0.0)
}

fn model(latency: &str, loss: f64) -> NetworkModel {
    let latency = latency.parse().unwrap_or(Distribution::constant(250_000));
    NetworkModel { loss, ..NetworkModel::new(latency) }
}

fn preset(text: &str) -> Result<NetworkModel, String> {
    const KNOWN: [&str; 7] =
        ["same-host", "same-az", "lan", "cross-az", "wifi", "mobile", "satellite"];
    match text {
        "same-host" => Ok(model("20us + exp(5us)", 0.0)),
        "same-az" => Ok(model("100us + exp(25us)", 0.0)),
        "lan" => Ok(lan()),
        "cross-az" => Ok(model("1.6ms + exp(100us)", 0.0)),
        "wifi" => Ok(model("2ms + lognormal(1ms, 1)", 0.01)),
        "mobile" => Ok(model("40ms + exp(40ms)", 0.02)),
        "satellite" => Ok(model("270ms + exp(5ms)", 0.001)),
        _ => Err(format!("found `{text}`{}", hint(text, &KNOWN))),
    }
}

/// `partition = "20s..40s"`: the nodes fall into two halves for that stretch. The same as two
/// faults,
/// in one value, which can be replaced.
pub(super) fn partition(
    section: &mut Section<'_>,
    scenario: &Scenario,
) -> Result<Vec<ScheduledFault>, ScenarioError> {
    let Some(Some((from_ns, to_ns))) = section.get("partition", stretch)? else {
        return Ok(Vec::new());
    };
    let end_ns = scenario.duration_ns.saturating_add(scenario.settle_ns);
    if to_ns > end_ns {
        let message = format!("expected an end within the run, {}", units::Ns(end_ns.into()));
        return Err(section.wrong("partition", &message));
    }
    if scenario.nodes < 2 {
        return Err(section.wrong("partition", "expected two nodes or more"));
    }
    let half = (0..scenario.nodes / 2).map(NodeIndex::new).collect();
    let groups = std::iter::once(half).collect();
    Ok(Vec::from([
        ScheduledFault::new(from_ns, Fault::Partition { groups }),
        ScheduledFault::new(to_ns, Fault::Heal),
    ]))
}

/// Two moments, the first before the second; none of an empty text.
fn stretch(text: &str) -> Result<Option<(u64, u64)>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let expected = || format!("found `{text}`, expected two moments, as in 20s..40s");
    let (from, to) = text.split_once("..").ok_or_else(expected)?;
    let (from, to) = (units::ns(from.trim())?, units::ns(to.trim())?);
    if from < to { Ok(Some((from, to))) } else { Err(expected()) }
}

pub(super) fn read(mut section: Section<'_>, nodes: u32) -> Result<NetworkModel, ScenarioError> {
    let mut model = section.get("preset", preset)?.unwrap_or_else(lan);
    model.latency = latency(&mut section)?.unwrap_or(model.latency);
    if let Some(loss) = section.get("loss", units::probability)? {
        model.loss = loss;
    }
    if let Some(duplicate) = section.get("duplicate", units::probability)? {
        model.duplicate = duplicate;
    }
    if let Some(reorder) = section.get("reorder", units::probability)? {
        model.reorder = reorder;
    }
    model.in_order = section.get("in-order", flag)?.unwrap_or(false);
    model.spacing_ns = section.get("capacity", spacing)?.unwrap_or(0);
    if let Some(regions) = section.list("regions", str::parse::<Region>)? {
        model = model.in_regions(nodes, &regions);
    }
    for mut section in section.sections("link")? {
        let from = section.need("from", |text| node(text, nodes))?;
        let to = section.need("to", |text| node(text, nodes))?;
        let mut link = Link::new(from, to);
        link.latency = latency(&mut section)?;
        link.loss = section.get("loss", units::probability)?;
        link.spacing_ns = section.get("capacity", spacing)?;
        model.links.push(link);
        section.finish()?;
    }
    section.finish()?;
    Ok(model)
}

fn latency(section: &mut Section<'_>) -> Result<Option<Distribution>, ScenarioError> {
    let latency = section.get("latency", str::parse::<Distribution>)?;
    if latency.is_some_and(|latency| latency.least_ns() < 0) {
        let message = "expected a latency that is never negative (but for a normal tail)";
        return Err(section.wrong("latency", message));
    }
    Ok(latency)
}

/// Messages a second, as the time between two of them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to an hour")]
fn spacing(text: &str) -> Result<u64, String> {
    units::per_second(text).map(|rate| (1e9 / rate) as u64)
}

fn flag(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("found `{text}`, expected true or false"))
}
