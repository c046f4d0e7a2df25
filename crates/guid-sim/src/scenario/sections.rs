//! The sections of a scenario file, one function each.

mod clock;
mod network;
mod fault;
mod swarm;
mod sweep;

use std::time::Duration;

use guid_core::Drift;

use super::{
    Scenario, ScenarioError,
    expect::Expectation,
    reader::{Entry, Reader, Section, hint},
};
use crate::{
    ClockModel, Memory, NodeIndex, Observe, Scheme, Start,
    config::{DEFAULT_START_NS, Source},
    units,
    workload::{
        Arrival, CartWorkload, ChainWorkload, CommitWorkload, ContactsWorkload, CounterKind,
        CounterWorkload, DrawingsWorkload, GossipWorkload, IdsWorkload, LwwWorkload,
        RegisterWorkload, Session, SharingConfig, Ship, Workload,
    },
};

use toml::de::DeTable;

pub(super) use self::swarm::Swarm;
pub(crate) use self::sweep::{SweepSection, seeds};

/// The most nodes a scenario may have.
const MOST_NODES: u32 = 65_536;
/// The most node IDs that are drawn at once.
const MOST_DRAWN: u32 = 1 << 20;
/// The latest start, after the default one: some 270 years, long before time is at its end.
const LATEST_START_NS: u64 = 100_000 * 86_400_000_000_000;

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
    scenario.clocks = clock::read(root.section("clock")?, scenario.nodes)?;
    let mut network = root.section("network")?;
    scenario.faults = network::partition(&mut network, &scenario)?;
    scenario.network = network::read(network, scenario.nodes)?;
    for one in root.sections("fault")? {
        scenario.faults.push(fault::read(one, scenario.nodes)?);
    }
    fault::check(&scenario).map_err(|why| root.wrong("fault", &why))?;
    scenario.swarm = swarm::read(root.section("swarm")?)?;
    let active_ns = scenario.duration_ns;
    scenario.workload = workload(root.section("workload")?, scenario.nodes, active_ns)?;
    check(root.section("check")?, &mut scenario)?;
    scenario.sweep = sweep::read(root.section("sweep")?)?;
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
        start: section.get("start", start)?.unwrap_or_default(),
        duration_ns: section.get("duration", units::ns)?.unwrap_or(60_000_000_000),
        max_events: section.get("max-events", number::<u64>)?.unwrap_or(20_000_000),
        settle_ns: section.get("settle", units::ns)?.unwrap_or(0),
        clocks: ClockModel::perfect(),
        network: network::lan(),
        faults: Vec::new(),
        swarm: None,
        schemes: vec![Scheme::Guid96(Drift::default())],
        observe: Observe::Follow,
        memory: Memory::HighWater,
        shared_node: Vec::new(),
        gaps_ns: Vec::new(),
        disorder: false,
        workload: Workload::Ids(IdsWorkload::default()),
        expectations: Vec::new(),
        unchanged: None,
        stop: None,
        sweep: SweepSection::default(),
        source: Source::default(),
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
    if let Some(drift) = section.get("window", window)?.flatten() {
        scenario.schemes = with_window(&scenario.schemes, drift);
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

/// The code of a window; none of an empty text, as a field that nobody filled.
fn window(text: &str) -> Result<Option<Drift>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let code = text.strip_prefix('d').and_then(|digits| digits.parse().ok());
    let drift = code.and_then(|code: u8| Drift::from_code(code).ok());
    drift.map(Some).ok_or_else(|| format!("found `{text}`, expected d0 to d7"))
}

/// The same schemes with another window, wherever they have one; those that become the same stand
/// once.
fn with_window(schemes: &[Scheme], drift: Drift) -> Vec<Scheme> {
    let mut all: Vec<Scheme> = Vec::new();
    for scheme in schemes {
        let scheme = scheme.with_window(drift);
        if !all.contains(&scheme) {
            all.push(scheme);
        }
    }
    all
}

fn workload(
    mut section: Section<'_>,
    nodes: u32,
    active_ns: u64,
) -> Result<Workload, ScenarioError> {
    const KNOWN: [&str; 10] = [
        "ids", "chain", "lww", "cart", "gossip", "counter", "register", "commit", "contacts",
        "drawings",
    ];
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
        "commit" => Workload::Commit(CommitWorkload {
            per_second: section.get("rate", units::per_second)?.unwrap_or(10.0),
        }),
        "contacts" => Workload::Contacts(ContactsWorkload {
            contacts: section.get("contacts", number::<u64>)?.unwrap_or(100),
            every_ns: section.get("every", units::ns)?.unwrap_or(100_000_000),
        }),
        "drawings" => {
            let ids = section.get("ids", number::<u32>)?.unwrap_or(65_536);
            if ids > MOST_DRAWN {
                let message = format!("found {ids}, expected at most {MOST_DRAWN}");
                return Err(section.wrong("ids", &message));
            }
            let drawings = section.get("drawings", number::<u64>)?.unwrap_or(100);
            Workload::Drawings(DrawingsWorkload { ids, drawings })
        }
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

fn start(text: &str) -> Result<Start, String> {
    if text == "drawn" {
        return Ok(Start::Drawn);
    }
    let after = units::ns(text).ok().filter(|&after| after <= LATEST_START_NS);
    let after = after.ok_or_else(|| {
        format!(
            "found `{text}`, expected `drawn`, or how long after 2026-01-01 as in `30s`, at most \
             100000d"
        )
    })?;
    Ok(Start::At(DEFAULT_START_NS + after))
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
