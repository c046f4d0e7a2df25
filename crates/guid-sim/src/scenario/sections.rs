//! The sections of a scenario file, one function each.

use std::time::Duration;

use guid_core::Drift;

use super::{
    Scenario, ScenarioError,
    expect::Expectation,
    reader::{Entry, Reader, Section, hint},
};
use crate::{
    ClockModel, Distribution, Fault, FixedClock, Memory, NetworkModel, NodeIndex, Observe, Region,
    ScheduledFault, Scheme, units,
    workload::{
        Arrival, CartWorkload, ChainWorkload, CounterKind, CounterWorkload, GossipWorkload,
        IdsWorkload, LwwWorkload, RegisterWorkload, Session, SharingConfig, Ship, Workload,
    },
};

use toml::de::DeTable;

/// The most nodes a scenario may have.
const MOST_NODES: u32 = 65_536;

pub(super) fn read<'a>(
    reader: &'a Reader<'a>,
    table: &'a DeTable<'a>,
) -> Result<Scenario, ScenarioError> {
    let mut root = Section::root(reader, table);
    if let Some(schema) = root.get("schema", number::<u32>)?.filter(|&schema| schema != 1) {
        return Err(root.wrong("schema", &format!("found {schema}, expected 1")));
    }
    let mut scenario = head(root.section("scenario")?)?;
    ids(root.section("ids")?, &mut scenario)?;
    scenario.clocks = clocks(root.section("clock")?, scenario.nodes)?;
    scenario.network = network(root.section("network")?, scenario.nodes)?;
    let faults =
        root.sections("fault")?.into_iter().map(|fault| self::fault(fault, scenario.nodes));
    scenario.faults = faults.collect::<Result<_, _>>()?;
    check_faults(&scenario).map_err(|why| root.wrong("fault", &why))?;
    let active_ns = scenario.duration_ns;
    scenario.workload = workload(root.section("workload")?, scenario.nodes, active_ns)?;
    check(root.section("check")?, &mut scenario)?;
    root.finish()?;
    Ok(scenario)
}

fn head(mut section: Section<'_>) -> Result<Scenario, ScenarioError> {
    let nodes = section.get("nodes", number::<u32>)?.unwrap_or(3);
    if nodes == 0 || nodes > MOST_NODES {
        return Err(section.wrong("nodes", &format!("found {nodes}, expected 1 to {MOST_NODES}")));
    }
    let scenario = Scenario {
        name: section.get("name", word)?.unwrap_or_else(|| String::from("unnamed")),
        summary: section.get("summary", word)?.unwrap_or_default(),
        seed: section.get("seed", number::<u64>)?.unwrap_or(42),
        nodes,
        duration_ns: section.get("duration", units::ns)?.unwrap_or(60_000_000_000),
        max_events: section.get("max-events", number::<u64>)?.unwrap_or(20_000_000),
        settle_ns: section.get("settle", units::ns)?.unwrap_or(0),
        clocks: ClockModel::perfect(),
        network: lan(),
        faults: Vec::new(),
        schemes: vec![Scheme::Guid96(Drift::default())],
        observe: Observe::Follow,
        memory: Memory::HighWater,
        shared_node: Vec::new(),
        gaps_ns: Vec::new(),
        disorder: false,
        workload: Workload::Ids(IdsWorkload::default()),
        expectations: Vec::new(),
    };
    section.finish()?;
    Ok(scenario)
}

fn ids(mut section: Section<'_>, scenario: &mut Scenario) -> Result<(), ScenarioError> {
    if let Some(schemes) = section.list("schemes", str::parse::<Scheme>)? {
        if let Some(twice) = (1..schemes.len()).find(|&i| schemes[..i].contains(&schemes[i])) {
            let message = format!("`{}` stands twice", schemes[twice]);
            return Err(section.wrong("schemes", &message));
        }
        scenario.schemes = schemes;
    }
    if let Some(observe) = section.get("observe", str::parse::<Observe>)? {
        scenario.observe = observe;
    }
    if let Some(memory) = section.get("restart", str::parse::<Memory>)? {
        scenario.memory = memory;
    }
    let nodes = scenario.nodes;
    if let Some(shared) = section.list("shared-node", |text| node(text, nodes))? {
        scenario.shared_node = shared;
        scenario.shared_node.sort_unstable();
    }
    section.finish()
}

/// Standard deviations of the presets: half the chrony pairs are closer than 0.954 of it, which
/// fits the measured medians of pair skew (18 µs, 133 µs, 585 µs).
fn clock_preset(text: &str) -> Result<ClockModel, String> {
    const KNOWN: [&str; 4] = ["perfect", "cloud-ntp", "lan-ntp", "wan-ntp"];
    match text {
        "perfect" => Ok(ClockModel::perfect()),
        "cloud-ntp" => Ok(ClockModel::disciplined(19_000.0)),
        "lan-ntp" => Ok(ClockModel::disciplined(140_000.0)),
        "wan-ntp" => Ok(ClockModel::disciplined(610_000.0)),
        _ => Err(format!("found `{text}`{}", hint(text, &KNOWN))),
    }
}

fn clocks(mut section: Section<'_>, nodes: u32) -> Result<ClockModel, ScenarioError> {
    let mut model = section.get("preset", clock_preset)?.unwrap_or_else(ClockModel::perfect);
    if let Some(sigma) = section.get("offset-sigma", units::ns)? {
        model.offset = Distribution::normal(approximate(sigma));
    }
    if let Some(sigma) = section.get("rate-sigma", units::ppb)? {
        let sigma = u64::try_from(sigma);
        let sigma = sigma.map_err(|_| section.wrong("rate-sigma", "expected no negative rate"))?;
        model.rate = Distribution::normal(approximate(sigma));
    }
    if let Some(granularity) = section.get("granularity", units::ns)? {
        model.granularity_ns = granularity.max(1);
    }
    for mut clock in section.sections("node")? {
        let node = clock.need("id", |text| node(text, nodes))?;
        let offset = clock.get("offset", units::signed_ns)?.unwrap_or(0);
        let ppb = clock.get("rate", units::ppb)?.unwrap_or(0);
        model.fixed.push(FixedClock::new(node, offset, ppb));
        clock.finish()?;
    }
    section.finish()?;
    Ok(model)
}

fn lan() -> NetworkModel {
    model("200us + exp(50us)", 0.0)
}

fn model(latency: &str, loss: f64) -> NetworkModel {
    let latency = latency.parse().unwrap_or(Distribution::constant(250_000));
    NetworkModel { loss, ..NetworkModel::new(latency) }
}

fn network_preset(text: &str) -> Result<NetworkModel, String> {
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

fn network(mut section: Section<'_>, nodes: u32) -> Result<NetworkModel, ScenarioError> {
    let mut model = section.get("preset", network_preset)?.unwrap_or_else(lan);
    if let Some(latency) = section.get("latency", str::parse::<Distribution>)? {
        if latency.least_ns() < 0 {
            let message = "expected a latency that is never negative (but for a normal tail)";
            return Err(section.wrong("latency", message));
        }
        model.latency = latency;
    }
    if let Some(loss) = section.get("loss", units::probability)? {
        model.loss = loss;
    }
    if let Some(duplicate) = section.get("duplicate", units::probability)? {
        model.duplicate = duplicate;
    }
    if let Some(regions) = section.list("regions", str::parse::<Region>)? {
        model = model.in_regions(nodes, &regions);
    }
    section.finish()?;
    Ok(model)
}

fn fault(mut section: Section<'_>, nodes: u32) -> Result<ScheduledFault, ScenarioError> {
    const KNOWN: [&str; 8] = [
        "clock-step",
        "clock-strobe",
        "clock-freeze",
        "clock-rate",
        "crash",
        "restart",
        "partition",
        "heal",
    ];
    let at_ns = section.need("at", units::ns)?;
    let kind = section.need("kind", |text| match KNOWN.into_iter().find(|&kind| kind == text) {
        Some(kind) => Ok(kind),
        None => Err(format!("found `{text}`{}", hint(text, &KNOWN))),
    })?;
    let on = |section: &mut Section<'_>| section.need("node", |text| node(text, nodes));
    let fault = match kind {
        "clock-step" => Fault::ClockStep {
            node: on(&mut section)?,
            by_ns: section.need("by", units::signed_ns)?,
        },
        "clock-freeze" => {
            Fault::ClockFreeze { node: on(&mut section)?, for_ns: section.need("for", units::ns)? }
        }
        "clock-rate" => {
            Fault::ClockRate { node: on(&mut section)?, ppb: section.need("rate", units::ppb)? }
        }
        "clock-strobe" => Fault::ClockStrobe {
            node: on(&mut section)?,
            by_ns: section.need("by", units::signed_ns)?,
            every_ns: section.need("every", units::ns)?,
            for_ns: section.need("for", units::ns)?,
        },
        "crash" => Fault::Crash { node: on(&mut section)? },
        "restart" => Fault::Restart { node: on(&mut section)? },
        "heal" => Fault::Heal,
        _ => {
            let groups = section.lists("groups", |text| node(text, nodes))?;
            let groups = groups.unwrap_or_default();
            check_groups(&groups, nodes).map_err(|why| section.wrong("groups", &why))?;
            Fault::Partition { groups }
        }
    };
    section.finish()?;
    Ok(ScheduledFault::new(at_ns, fault))
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
fn check_faults(scenario: &Scenario) -> Result<(), String> {
    let end = scenario.duration_ns.saturating_add(scenario.settle_ns);
    let mut faults: Vec<&ScheduledFault> = scenario.faults.iter().collect();
    faults.sort_by_key(|due| due.at_ns);
    let mut down: Vec<NodeIndex> = Vec::new();
    for due in faults {
        let (name, at) = (due.fault.name(), units::Ns(due.at_ns.into()));
        if due.at_ns > end {
            let end = units::Ns(end.into());
            return Err(format!("the {name} at {at} comes after the end of the run, {end}"));
        }
        match due.fault {
            Fault::Crash { node } if down.contains(&node) => {
                return Err(format!("the crash at {at}: {node} is down by then"));
            }
            Fault::Restart { node } if !down.contains(&node) => {
                return Err(format!("the restart at {at}: {node} is up by then"));
            }
            Fault::Crash { node } => down.push(node),
            Fault::Restart { node } => down.retain(|&other| other != node),
            _ => {}
        }
    }
    Ok(())
}

fn workload(
    mut section: Section<'_>,
    nodes: u32,
    active_ns: u64,
) -> Result<Workload, ScenarioError> {
    const KNOWN: [&str; 7] = ["ids", "chain", "lww", "cart", "gossip", "counter", "register"];
    let kind = section.get("kind", |text| match KNOWN.into_iter().find(|&kind| kind == text) {
        Some(kind) => Ok(kind),
        None => Err(format!("found `{text}`{}", hint(text, &KNOWN))),
    })?;
    let workload = match kind.unwrap_or("ids") {
        "chain" => Workload::Chain(ChainWorkload {
            think_ns: section.get("think", units::ns)?.unwrap_or(100_000_000),
            mint_every_ns: section.get("mint-every", units::ns)?,
        }),
        "lww" => Workload::Lww(LwwWorkload {
            per_second: section.get("rate", units::per_second)?.unwrap_or(1.0),
            think_ns: section.get("think", units::ns)?.unwrap_or(1_000_000_000),
        }),
        "cart" => Workload::Cart(CartWorkload {
            per_second: section.get("rate", units::per_second)?.unwrap_or(2.0),
            gossip_ns: section.get("gossip", units::ns)?.unwrap_or(200_000_000),
            writers: section.list("writers", |text| node(text, nodes))?.unwrap_or_default(),
            write_every_ns: section.get("write-every", units::ns)?.unwrap_or(5_000_000_000).max(1),
        }),
        "gossip" => Workload::Gossip(GossipWorkload { sharing: sharing(&mut section, active_ns)? }),
        "counter" => Workload::Counter(CounterWorkload {
            kind: section.get("type", counter)?.unwrap_or(CounterKind::PosNeg),
            sharing: sharing(&mut section, active_ns)?,
        }),
        "register" => Workload::Register(RegisterWorkload {
            per_second: section.get("rate", units::per_second)?.unwrap_or(1.0),
            think_ns: section.get("think", units::ns)?.unwrap_or(100_000_000),
            gossip_ns: section.get("gossip", units::ns)?.unwrap_or(200_000_000),
            session: section.get("session", session)?.unwrap_or(Session::Sticky),
        }),
        _ => Workload::Ids(IdsWorkload {
            per_second: section.get("rate", units::per_second)?.unwrap_or(10.0),
            arrival: section.get("arrival", arrival)?.unwrap_or(Arrival::Poisson),
        }),
    };
    section.finish()?;
    Ok(workload)
}

/// How a value is shared: a rate, and how changes travel.
fn sharing(section: &mut Section<'_>, active_ns: u64) -> Result<SharingConfig, ScenarioError> {
    let mut sharing = SharingConfig::new(Ship::State, Duration::from_nanos(active_ns));
    if let Some(ship) = section.get("ship", ship)? {
        sharing.ship = ship;
    }
    if let Some(rate) = section.get("rate", units::per_second)? {
        sharing.per_second = rate;
    }
    if let Some(gossip) = section.get("gossip", units::ns)? {
        sharing.gossip_ns = gossip;
    }
    Ok(sharing)
}

/// One of a few words, each of which means a value.
fn one_of<T: Copy, const N: usize>(text: &str, known: [(&str, T); N]) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == text).map(|&(_, value)| value);
    found.ok_or_else(|| format!("found `{text}`{}", hint(text, &known.map(|(name, _)| name))))
}

fn ship(text: &str) -> Result<Ship, String> {
    one_of(text, [("state", Ship::State), ("delta", Ship::Delta), ("op", Ship::Op)])
}

fn counter(text: &str) -> Result<CounterKind, String> {
    let known = [
        ("g", CounterKind::Grow),
        ("pn", CounterKind::PosNeg),
        ("resettable", CounterKind::Resettable),
        ("bounded", CounterKind::Bounded),
    ];
    one_of(text, known)
}

fn session(text: &str) -> Result<Session, String> {
    let known = [("sticky", Session::Sticky), ("roam", Session::Roam), ("carry", Session::Carry)];
    one_of(text, known)
}

fn arrival(text: &str) -> Result<Arrival, String> {
    match text {
        "poisson" => Ok(Arrival::Poisson),
        "even" => Ok(Arrival::Even),
        _ => Err(format!("found `{text}`, expected `poisson` or `even`")),
    }
}

fn check(mut section: Section<'_>, scenario: &mut Scenario) -> Result<(), ScenarioError> {
    scenario.gaps_ns = section.list("gaps", units::ns)?.unwrap_or_default();
    scenario.disorder = section.get("disorder", yes_or_no)?.unwrap_or(false);
    let expect = section.section("expect")?;
    for Entry { key, text, at } in expect.entries()? {
        let wrong = |why| expect.wrong_entry(at, format!("`check.expect.{key}`: {why}"));
        let place = wrong(String::new()).place;
        let expectation = Expectation::parse(&key, &text, place).map_err(wrong)?;
        scenario.expectations.push(expectation);
    }
    section.finish()
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("found `{text}`, expected true or false"))
}

fn word(text: &str) -> Result<String, String> {
    if text.chars().any(char::is_control) {
        return Err(format!("found {text:?}, expected text without control characters"));
    }
    Ok(String::from(text))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let digits = text.replace('_', "");
    digits.parse().map_err(|_| format!("found `{text}`, expected a whole number in range"))
}

fn node(text: &str, nodes: u32) -> Result<NodeIndex, String> {
    match text.parse::<u32>() {
        Ok(number) if (1..=nodes).contains(&number) => Ok(NodeIndex::new(number - 1)),
        _ => Err(format!("found `{text}`, expected a node from 1 to {nodes}")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a standard deviation needs no 53 bits")]
fn approximate(number: u64) -> f64 {
    number as f64
}
