//! Reading a plan, with the place of whatever is wrong.

use std::{borrow::Cow, str::FromStr};

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, VectorClock};

use super::{Plan, Planned, Possible, Step, What};
use crate::{
    EventKind, Expectation, Failure, Memory, NodeIndex, Observe, ScenarioError, Scheme, Shows,
    config::DEFAULT_START_NS,
    recorder::Storage,
    scenario::{
        hint,
        reader::{Reader, Section, table},
    },
    units,
};

/// The most nodes, and the most events, of a plan that is read.
const MOST_NODES: usize = 65_536;
const MOST_EVENTS: u64 = 20_000_000;
/// Restarts bring a node ID that matters to those alone who take it.
pub(super) const NO_ID: NodeId = NodeId::new(0);

const KINDS: [&str; 23] = [
    "mint",
    "write",
    "send",
    "receive",
    "crash",
    "restart",
    "snapshot",
    "join",
    "clone",
    "claim",
    "client-read",
    "client-write",
    "state",
    "count",
    "most",
    "lost",
    "clock-fault",
    "partition",
    "heal",
    "pause",
    "resume",
    "hold",
    "release",
];

/// Reads a plan, and what it shows.
pub(crate) fn read(text: &str) -> Result<(Plan, Failure), ScenarioError> {
    let table = table(text)?;
    let reader = Reader::new(text, &[]);
    let mut root = Section::root(&reader, table.get_ref());
    let format = root.need("format", number::<u32>)?;
    if format != 1 {
        return Err(root.wrong("format", &format!("found {format}, expected 1")));
    }
    let failure = expect(root.section("expect")?)?;
    let plan = plan(root.section("plan")?)?;
    root.finish()?;
    Ok((plan, failure))
}

fn expect(mut section: Section<'_>) -> Result<Failure, ScenarioError> {
    let check = section.need("check", text)?;
    let kind = section.need("shows", |text| one_of(text, &["violated", "case", "unmet"]))?;
    let shows = match kind {
        "violated" => Shows::Violated,
        "case" => Shows::Case,
        _ => Shows::Unmet(section.need("expectation", |text| Expectation::new(&check, text))?),
    };
    let cause = section.get("cause", text)?;
    section.finish()?;
    Ok(Failure { check, shows, cause })
}

fn plan(mut section: Section<'_>) -> Result<Plan, ScenarioError> {
    let mut plan = Plan {
        name: section.get("of", text)?.unwrap_or_else(|| String::from("unnamed")),
        seed: section.get("seed", number)?.unwrap_or(0),
        start_ns: section.get("start-ns", number)?.unwrap_or(DEFAULT_START_NS),
        nodes: Vec::new(),
        schemes: section.list("schemes", str::parse::<Scheme>)?.unwrap_or_default(),
        observe: section.get("observe", str::parse)?.unwrap_or(Observe::Follow),
        memory: section.get("restart", str::parse)?.unwrap_or(Memory::HighWater),
        gaps_ns: section.list("gaps", units::ns)?.unwrap_or_default(),
        disorder: section.get("disorder", yes_or_no)?.unwrap_or(false),
        steps: Vec::new(),
    };
    let schemes = &plan.schemes;
    if let Some(twice) = (1..schemes.len()).find(|&i| schemes[..i].contains(&schemes[i])) {
        return Err(section.wrong("schemes", &format!("`{}` stands twice", schemes[twice])));
    }
    for (place, one) in section.sections("nodes")?.into_iter().enumerate() {
        plan.nodes.push(planned(one, place)?);
    }
    if plan.nodes.is_empty() || plan.nodes.len() > MOST_NODES {
        let message = format!("found {} nodes, expected 1 to {MOST_NODES}", plan.nodes.len());
        return Err(section.wrong("nodes", &message));
    }
    let events = section.sections("events")?;
    let mut places = Vec::new();
    for one in events {
        places.push(one.place());
        let step = step(one, plan.nodes.len())?;
        plan.steps.push(step);
    }
    let mut possible = Possible::new(&plan);
    for (step, place) in plan.steps.iter().zip(places) {
        let name = step.what.name();
        possible.step(step).map_err(|why| place.error(format!("this {name} cannot be: {why}")))?;
    }
    let events = plan.steps.iter().fold(0, |sum: u64, step| sum.saturating_add(step.what.events()));
    if events > MOST_EVENTS {
        let message = format!("found {events} events, expected at most {MOST_EVENTS}");
        return Err(section.wrong("events", &message));
    }
    section.finish()?;
    Ok(plan)
}

fn planned(mut section: Section<'_>, place: usize) -> Result<Planned, ScenarioError> {
    let own = NodeIndex::new(u32::try_from(place).unwrap_or(u32::MAX));
    let planned = Planned {
        id: section.need("id", node_id)?,
        sequence: section.get("sequence", stamp)?.unwrap_or(Stamp::MIN),
        machine: section.get("machine", |text| index(text, MOST_NODES))?.unwrap_or(own),
    };
    section.finish()?;
    Ok(planned)
}

fn step(mut section: Section<'_>, nodes: usize) -> Result<Step, ScenarioError> {
    let mut step = Step {
        at_ns: section.need("at", units::ns)?,
        node: section.need("node", |text| index(text, nodes))?,
        offset_ns: section.get("clock", units::signed_ns)?.unwrap_or(0),
        what: What::Crash,
        random: Vec::new(),
    };
    let kind = section.need("kind", |text| one_of(text, &KINDS))?;
    step.what = what(kind, &mut section, nodes)?;
    if step.what.is_stamped() {
        for (key, scheme) in [("ulid", Scheme::Ulid), ("uuid7", Scheme::Uuid7)] {
            let bits = section.get(key, digest)?;
            step.random.extend(bits.map(|bits| (scheme, bits)));
        }
    }
    section.finish()?;
    Ok(step)
}

fn what(kind: &str, section: &mut Section<'_>, nodes: usize) -> Result<What, ScenarioError> {
    let node = |text: &str| index(text, nodes);
    Ok(match kind {
        "mint" => What::Mint { times: section.get("times", count)?.unwrap_or(1) },
        "write" => What::Write {
            register: section.need("register", number)?,
            overwrite: section.get("overwrite", yes_or_no)?.unwrap_or(false),
        },
        "send" => {
            What::Send { message: section.need("message", number)?, to: section.need("to", node)? }
        }
        "receive" => What::Receive { message: section.need("message", number)? },
        "crash" => What::Crash,
        "restart" => What::Restart {
            storage: section.get("storage", storage)?.unwrap_or(Storage::Kept),
            fresh: section.get("id", node_id)?.unwrap_or(NO_ID),
            sequence: section.get("sequence", stamp)?.unwrap_or(Stamp::MIN),
        },
        "snapshot" => What::Snapshot,
        "join" => What::Join { reuse: section.get("reuse", node)? },
        "clone" => What::Clone { of: section.need("of", node)? },
        "claim" | "client-read" | "client-write" | "state" | "count" | "most" => {
            told(kind, section)?
        }
        _ => What::Aside(aside(kind, section)?),
    })
}

/// What a process says, beside events.
fn told(kind: &str, section: &mut Section<'_>) -> Result<What, ScenarioError> {
    let seen = |section: &mut Section<'_>| {
        let dots = section.list("seen", dot)?.unwrap_or_default();
        Ok::<_, ScenarioError>(dots.into_iter().collect::<VectorClock>())
    };
    Ok(match kind {
        "claim" => What::Claim {
            name: Cow::Owned(section.need("name", text)?),
            holds: section.need("holds", yes_or_no)?,
        },
        "client-read" => {
            What::Read { client: section.need("client", number)?, seen: seen(section)? }
        }
        "client-write" => What::Update {
            client: section.need("client", number)?,
            seen: seen(section)?,
            dot: section.need("dot", dot)?,
        },
        "state" => What::State {
            received: section.need("received", digest)?,
            shown: section.need("shown", digest)?,
        },
        "count" => What::Count {
            name: Cow::Owned(section.need("name", text)?),
            by: section.need("by", number)?,
        },
        _ => What::Most {
            name: Cow::Owned(section.need("name", text)?),
            value: section.need("value", number)?,
        },
    })
}

fn aside(kind: &str, section: &mut Section<'_>) -> Result<EventKind, ScenarioError> {
    Ok(match kind {
        "lost" => EventKind::Lost { message: section.need("message", number)? },
        "clock-fault" => EventKind::ClockFault { by_ns: section.need("by", units::signed_ns)? },
        "partition" => EventKind::Partition,
        "heal" => EventKind::Heal,
        "pause" => EventKind::Pause,
        "resume" => EventKind::Resume,
        "hold" => EventKind::Hold,
        _ => EventKind::Release,
    })
}

fn one_of(text: &str, known: &[&'static str]) -> Result<&'static str, String> {
    let found = known.iter().copied().find(|&known| known == text);
    found.ok_or_else(|| format!("found `{text}`{}", hint(text, known)))
}

#[expect(clippy::unnecessary_wraps, reason = "the form of all that read a value")]
fn text(text: &str) -> Result<String, String> {
    Ok(String::from(text))
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("found `{text}`, expected true or false"))
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("found `{text}`, expected a whole number in range"))
}

fn count(text: &str) -> Result<u64, String> {
    let count: u64 = number(text)?;
    if count == 0 { Err(String::from("found 0, expected at least 1")) } else { Ok(count) }
}

fn index(text: &str, nodes: usize) -> Result<NodeIndex, String> {
    match text.parse::<u32>() {
        Ok(number) if number > 0 && number as usize <= nodes => Ok(NodeIndex::new(number - 1)),
        _ => Err(format!("found `{text}`, expected a node from 1 to {nodes}")),
    }
}

fn node_id(text: &str) -> Result<NodeId, String> {
    text.parse().map_err(|error: guid_core::ParseError| error.to_string())
}

fn stamp(text: &str) -> Result<Stamp, String> {
    Stamp::from_u64(number(text)?).map_err(|error| error.to_string())
}

fn storage(text: &str) -> Result<Storage, String> {
    Ok(match one_of(text, &["kept", "lost", "snapshot"])? {
        "kept" => Storage::Kept,
        "lost" => Storage::Lost,
        _ => Storage::Snapshot,
    })
}

fn digest(text: &str) -> Result<u128, String> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let number = digits.and_then(|text| u128::from_str_radix(text, 16).ok());
    number.ok_or_else(|| format!("found `{text}`, expected up to 32 hexadecimal digits"))
}

/// A node ID and a stamp: `00000001:5`.
fn dot(text: &str) -> Result<Dot, String> {
    let error = || format!("found `{text}`, expected a node ID and a stamp, as in `00000001:5`");
    let (node, stamp_text) = text.split_once(':').ok_or_else(error)?;
    Ok(Dot::new(node_id(node).map_err(|_| error())?, stamp(stamp_text).map_err(|_| error())?))
}
