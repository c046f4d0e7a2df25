//! `[[fault]]`: what goes wrong, and when.

use super::{Scenario, ScenarioError, Section, hint, node};
use crate::{Fault, NodeIndex, PausedClock, ScheduledFault, units};

const KINDS: [&str; 20] = [
    "clock-step",
    "clock-strobe",
    "clock-freeze",
    "clock-rate",
    "clock-slew",
    "leap-smear",
    "leap-step",
    "pause",
    "crash",
    "snapshot",
    "restart",
    "join",
    "clone",
    "partition",
    "one-way",
    "bridge",
    "ring",
    "heal",
    "hold",
    "release",
];

/// NTP slews at most half a millisecond a second.
const SLEW_PPB: u64 = 500_000;
const LEAP_NS: i64 = -1_000_000_000;
const DAY_NS: u64 = 86_400_000_000_000;

pub(super) fn read(mut section: Section<'_>, nodes: u32) -> Result<ScheduledFault, ScenarioError> {
    let at_ns = section.need("at", units::ns)?;
    let kind = section.need("kind", |text| match KINDS.into_iter().find(|&kind| kind == text) {
        Some(kind) => Ok(kind),
        None => Err(format!("found `{text}`{}", hint(text, &KINDS))),
    })?;
    let fault = match kind {
        "partition" | "one-way" | "bridge" | "ring" | "heal" | "hold" | "release" => {
            of_network(kind, &mut section, nodes)?
        }
        "pause" | "crash" | "snapshot" | "restart" | "join" | "clone" => {
            of_node(kind, &mut section, nodes)?
        }
        _ => of_clock(kind, &mut section, nodes)?,
    };
    section.finish()?;
    Ok(ScheduledFault::new(at_ns, fault))
}

fn of_clock(kind: &str, section: &mut Section<'_>, nodes: u32) -> Result<Fault, ScenarioError> {
    let node = section.need("node", |text| node(text, nodes))?;
    Ok(match kind {
        "clock-step" => Fault::ClockStep { node, by_ns: section.need("by", units::signed_ns)? },
        "clock-freeze" => Fault::ClockFreeze { node, for_ns: section.need("for", units::ns)? },
        "clock-rate" => Fault::ClockRate { node, ppb: section.need("rate", units::ppb)? },
        "clock-strobe" => Fault::ClockStrobe {
            node,
            by_ns: section.need("by", units::signed_ns)?,
            every_ns: section.need("every", units::ns)?,
            for_ns: section.need("for", units::ns)?,
        },
        "leap-step" => {
            let by_ns = section.get("by", units::signed_ns)?.unwrap_or(LEAP_NS);
            Fault::ClockStep { node, by_ns }
        }
        "leap-smear" => {
            let by_ns = section.get("by", units::signed_ns)?.unwrap_or(LEAP_NS);
            let over = section.get("for", units::ns)?.unwrap_or(DAY_NS);
            let ppb = u128::from(by_ns.unsigned_abs()) * 1_000_000_000 / u128::from(over.max(1));
            let ppb = u64::try_from(ppb).ok().filter(|&ppb| ppb <= 500_000_000);
            let message = "expected longer: nobody smears at more than 500000ppm";
            Fault::ClockSlew { node, by_ns, ppb: ppb.ok_or_else(|| section.wrong("for", message))? }
        }
        _ => {
            let by_ns = section.need("by", units::signed_ns)?;
            let rate = section.get("rate", units::ppb)?.map_or(SLEW_PPB, i64::unsigned_abs);
            if rate == 0 {
                return Err(section.wrong("rate", "expected a rate that moves the clock"));
            }
            Fault::ClockSlew { node, by_ns, ppb: rate }
        }
    })
}

fn of_node(kind: &str, section: &mut Section<'_>, nodes: u32) -> Result<Fault, ScenarioError> {
    let index = |text: &str| node(text, nodes);
    let node = section.need("node", index)?;
    Ok(match kind {
        "pause" => Fault::Pause {
            node,
            for_ns: section.need("for", units::ns)?,
            clock: section.get("clock", paused_clock)?.unwrap_or(PausedClock::Runs),
        },
        "crash" => Fault::Crash { node },
        "snapshot" => Fault::Snapshot { node },
        "join" => Fault::Join { node, reuse: section.get("reuse", index)? },
        "clone" => Fault::Clone { node, of: section.need("of", index)? },
        _ => match section.get("storage", storage)?.unwrap_or("kept") {
            "lost" => Fault::RestartEmpty { node },
            "snapshot" => Fault::RestartStale { node },
            _ => Fault::Restart { node },
        },
    })
}

fn of_network(kind: &str, section: &mut Section<'_>, nodes: u32) -> Result<Fault, ScenarioError> {
    let index = |text: &str| node(text, nodes);
    Ok(match kind {
        "partition" => {
            let groups = section.lists("groups", index)?.unwrap_or_default();
            check_groups(&groups, nodes).map_err(|why| section.wrong("groups", &why))?;
            Fault::Partition { groups }
        }
        "one-way" => {
            let from = some(section, "from", nodes)?;
            Fault::OneWay { from, to: section.list("to", index)?.unwrap_or_default() }
        }
        "bridge" => {
            let node = section.need("node", index)?;
            Fault::Bridge { node, side: some(section, "side", nodes)? }
        }
        "ring" => Fault::Ring,
        "hold" => Fault::Hold { node: section.get("node", index)? },
        "release" => Fault::Release,
        _ => Fault::Heal,
    })
}

/// A list of nodes that is not empty.
fn some(
    section: &mut Section<'_>,
    key: &'static str,
    nodes: u32,
) -> Result<Vec<NodeIndex>, ScenarioError> {
    let list = section.list(key, |text| node(text, nodes))?.unwrap_or_default();
    if list.is_empty() {
        return Err(section.wrong(key, "expected a list of nodes"));
    }
    Ok(list)
}

fn paused_clock(text: &str) -> Result<PausedClock, String> {
    match text {
        "runs" => Ok(PausedClock::Runs),
        "stops" => Ok(PausedClock::Stops),
        _ => Err(format!("found `{text}`{}", hint(text, &["runs", "stops"]))),
    }
}

fn storage(text: &str) -> Result<&'static str, String> {
    const KNOWN: [&str; 3] = ["kept", "lost", "snapshot"];
    let known = KNOWN.into_iter().find(|&known| known == text);
    known.ok_or_else(|| format!("found `{text}`{}", hint(text, &KNOWN)))
}

/// A partition splits: every group has a node, no node is in two, not all are in one.
fn check_groups(groups: &[Vec<NodeIndex>], nodes: u32) -> Result<(), String> {
    let mut all: Vec<NodeIndex> = groups.concat();
    let named = all.len();
    all.sort_unstable();
    all.dedup();
    if groups.is_empty() || groups.iter().any(Vec::is_empty) {
        return Err(String::from("expected a list of groups, each a list of nodes"));
    }
    if all.len() < named {
        return Err(String::from("a node is in two groups"));
    }
    if groups.len() == 1 && all.len() == nodes as usize {
        return Err(String::from("all nodes are in one group: that splits nothing"));
    }
    Ok(())
}

/// Faults that can have no effect are mistakes: after the end, a crash of what is down, a restart
/// of what is up.
pub(super) fn check(scenario: &Scenario) -> Result<(), String> {
    let end = scenario.duration_ns.saturating_add(scenario.settle_ns);
    let mut faults: Vec<&ScheduledFault> = scenario.faults.iter().collect();
    faults.sort_by_key(|due| due.at_ns);
    let mut down = vec![false; scenario.nodes as usize];
    for late in faults.iter().filter(|due| due.fault.is_first_start()) {
        late.fault.node().into_iter().for_each(|node| down[node.at()] = true);
    }
    for due in faults {
        let (name, at) = (due.fault.name(), units::Ns(due.at_ns.into()));
        if due.at_ns > end {
            let end = units::Ns(end.into());
            return Err(format!("the {name} at {at} comes after the end of the run, {end}"));
        }
        let Some(node) = due.fault.node() else { continue };
        let is_down = &mut down[node.at()];
        match due.fault {
            Fault::Crash { .. } if *is_down => {
                return Err(format!("the {name} at {at}: {node} is down by then"));
            }
            Fault::Crash { .. } => *is_down = true,
            ref fault if fault.is_restart() || fault.is_first_start() => {
                if !*is_down {
                    return Err(format!("the {name} at {at}: {node} is up by then"));
                }
                *is_down = false;
            }
            _ => {}
        }
    }
    Ok(())
}
