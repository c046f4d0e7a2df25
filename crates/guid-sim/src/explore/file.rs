//! [`SmallWorld`]: a world as a file, and the worlds that ship.
//!
//! TOML, read as scenarios are: a key that is not known is refused, with its place and the nearest
//! key that is. A file that also has a `[run]` holds a run that broke something, step by step.

mod write;

use guid_crdt::{
    AwLwwMap, BoundedCounter, Doc, DwFlag, EwFlag, FwwRegister, GCounter, GSet, LwwMap,
    LwwRegister, LwwSet, Max, Min, MvRegister, OrMap, OrSet, PnCounter, ResettableCounter, RwSet,
    TwoPhaseSet,
};

use super::{
    Budget, Do, ExploreReport, Luck, Progress, Replayed, Replicas, Store,
    ids::Minting,
    replicas::{NODES_MAX, WRITES_MAX},
    report::{self, Recorded},
    subject::{Known, Op, ScalarSet, Shipped},
};
use crate::{
    Builtin, ScenarioError,
    scenario::reader::{self, Reader, Section, hint},
    units,
    workload::Ship,
};

pub(super) use self::write::by;

/// The steps of a script: the place in it is a byte of a state.
const STEPS_MAX: usize = 100;
/// The steps of a recorded run.
const RUN_MAX: usize = 10_000;

macro_rules! worlds {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin {
            name: $name,
            text: include_str!(concat!("../../worlds/", $name, ".toml")),
        }),*]
    };
}

/// The worlds that ship, in the order in which they teach.
pub const WORLDS: &[Builtin] = worlds![
    "or-set",
    "broken-or-set",
    "or-set-crashes",
    "or-set-greetings",
    "or-set-ops",
    "forgetful",
    "rw-set",
    "lww-set",
    "two-phase-set",
    "g-set",
    "lww-register",
    "fww-register",
    "mv-register",
    "g-counter",
    "pn-counter",
    "resettable-counter",
    "bounded-counter",
    "ew-flag",
    "dw-flag",
    "lww-map",
    "aw-lww-map",
    "or-map",
    "doc",
    "max",
    "min",
    "four-nodes",
    "eight-messages",
    "durable-ids",
    "forgetful-ids",
];

/// A type by name, and the searches of worlds of it.
#[derive(Debug)]
struct Kind {
    name: &'static str,
    verbs: &'static [&'static str],
    verbs_under: &'static [&'static str],
    /// Whether nodes of it send and store.
    talks: bool,
    explore: fn(&SmallWorld, u64, &mut dyn FnMut(Progress)) -> ExploreReport,
    random: fn(&SmallWorld, Luck, &mut dyn FnMut(Progress)) -> ExploreReport,
    replay: fn(&SmallWorld, &Recorded) -> Replayed,
}

impl Kind {
    const fn of<T: Known>() -> Self {
        Self {
            name: T::NAME,
            verbs: T::VERBS,
            verbs_under: T::VERBS_UNDER,
            talks: true,
            explore: |world, states_max, watch| {
                report::exhaustive(&world.replicas::<T>(), &world.name, states_max, watch)
            },
            random: |world, luck, watch| {
                report::drawn(&world.replicas::<T>(), &world.name, luck, watch)
            },
            replay: |world, run| report::replayed(&world.replicas::<T>(), &world.name, run),
        }
    }

    /// Nodes that make IDs.
    const DURABLE_IDS: Self = Self {
        name: "durable-ids",
        verbs: &["mint"],
        verbs_under: &[],
        talks: false,
        explore: |world, most, watch| {
            report::exhaustive(&world.minting(true), &world.name, most, watch)
        },
        random: |world, luck, watch| report::drawn(&world.minting(true), &world.name, luck, watch),
        replay: |world, run| report::replayed(&world.minting(true), &world.name, run),
    };

    /// The same with a generator that stores nothing.
    const FORGETFUL_IDS: Self = Self {
        name: "forgetful-ids",
        explore: |world, most, watch| {
            report::exhaustive(&world.minting(false), &world.name, most, watch)
        },
        random: |world, luck, watch| report::drawn(&world.minting(false), &world.name, luck, watch),
        replay: |world, run| report::replayed(&world.minting(false), &world.name, run),
        ..Self::DURABLE_IDS
    };
}

static KINDS: &[Kind] = &[
    Kind::of::<OrSet<String>>(),
    Kind::of::<RwSet<String>>(),
    Kind::of::<LwwSet<String>>(),
    Kind::of::<GSet<String>>(),
    Kind::of::<TwoPhaseSet<String>>(),
    Kind::of::<LwwRegister<String>>(),
    Kind::of::<FwwRegister<String>>(),
    Kind::of::<MvRegister<String>>(),
    Kind::of::<GCounter>(),
    Kind::of::<PnCounter>(),
    Kind::of::<ResettableCounter>(),
    Kind::of::<BoundedCounter>(),
    Kind::of::<EwFlag>(),
    Kind::of::<DwFlag>(),
    Kind::of::<LwwMap<String, String>>(),
    Kind::of::<AwLwwMap<String, String>>(),
    Kind::of::<OrMap<String, OrSet<String>>>(),
    Kind::of::<Doc>(),
    Kind::of::<Max<i64>>(),
    Kind::of::<Min<i64>>(),
    Kind::of::<ScalarSet>(),
    Kind::DURABLE_IDS,
    Kind::FORGETFUL_IDS,
];

/// A world as a file describes it.
///
/// # Examples
///
/// ```
/// use guid_sim::{Verdict, explore::SmallWorld};
///
/// let world = SmallWorld::parse(
///     r#"
///     [world]
///     type = "lww-register"
///     [faults]
///     losses = 1
///     [[node]]
///     does = ["set a", "send 2"]
///     [[node]]
///     does = ["set b", "send 1"]
///     "#,
/// )?;
/// assert_eq!(world.explore(10_000, &mut |_| ()).verdict, Verdict::Holds);
///
/// let error = SmallWorld::parse("[world]\ntype = \"orset\"").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2, column 8: `world.type`: no type is called `orset`: did you mean `or-set`?",
/// );
/// # Ok::<(), guid_sim::ScenarioError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SmallWorld {
    name: String,
    summary: String,
    kind: &'static Kind,
    ship: Ship,
    store: Store,
    faults: Budget,
    nodes: Vec<ScriptedNode>,
    run: Option<Recorded>,
}

#[derive(Clone, Debug)]
struct ScriptedNode {
    clock_ns: i64,
    does: Vec<Do<Op>>,
}

impl SmallWorld {
    /// The world that ships under a name.
    ///
    /// # Errors
    ///
    /// The nearest name that exists.
    pub fn named(name: &str) -> Result<Self, String> {
        let found = WORLDS.iter().find(|world| world.name == name).ok_or_else(|| {
            let names: Vec<&str> = WORLDS.iter().map(|world| world.name).collect();
            hint(name, &names)
        })?;
        // That those which ship are read is tested.
        Self::parse(found.text).map_err(|error| format!(", as its file is wrong: {error}"))
    }

    /// Reads a world.
    ///
    /// # Errors
    ///
    /// See [`ScenarioError`].
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        Self::parse_with(text, &[])
    }

    /// Reads a world of which some values are replaced: `("faults.losses", "2")`.
    ///
    /// # Errors
    ///
    /// See [`ScenarioError`]; an override of a key that does not exist is one.
    pub fn parse_with(text: &str, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        let table = reader::table(text)?;
        let reader = Reader::new(text, overrides);
        let mut root = Section::root(&reader, table.get_ref());
        let mut world = head(root.section("world")?)?;
        world.faults = faults(root.section("faults")?)?;
        let nodes = root.sections("node")?;
        if nodes.is_empty() || nodes.len() > NODES_MAX {
            let found = nodes.len();
            return Err(root.wrong("node", &format!("found {found}, expected 1 to {NODES_MAX}")));
        }
        let (count, kind) = (nodes.len(), world.kind);
        let nodes = (0..).zip(nodes).map(|(at, one)| node(one, at, count, kind));
        world.nodes = nodes.collect::<Result<_, _>>()?;
        world.check_writes().map_err(|why| root.wrong("node", &why))?;
        world.run = run(root.section("run")?)?;
        root.finish()?;
        reader.finish()?;
        Ok(world)
    }

    /// Bits of a word stand for writes.
    fn check_writes(&self) -> Result<(), String> {
        let does = self.nodes.iter().flat_map(|node| &node.does);
        let writes = does.filter(|does| matches!(does, Do::Write(_))).count();
        if writes > WRITES_MAX {
            return Err(format!("found {writes} writes in all, expected {WRITES_MAX} at most"));
        }
        Ok(())
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shows, in a sentence.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The name of the type.
    pub fn type_name(&self) -> &'static str {
        self.kind.name
    }

    /// Whether the file holds a run that can be [replayed](Self::replay).
    pub const fn has_run(&self) -> bool {
        self.run.is_some()
    }

    /// Looks at all states, up to so many.
    pub fn explore(&self, states_max: u64, watch: &mut dyn FnMut(Progress)) -> ExploreReport {
        (self.kind.explore)(self, states_max, watch)
    }

    /// Runs random schedules. See [`random`](super::random).
    pub fn random(&self, luck: Luck, watch: &mut dyn FnMut(Progress)) -> ExploreReport {
        (self.kind.random)(self, luck, watch)
    }

    /// Carries out the run that the file holds; `None` if it holds none.
    pub fn replay(&self) -> Option<Replayed> {
        Some((self.kind.replay)(self, self.run.as_ref()?))
    }

    fn minting(&self, durable: bool) -> Minting {
        let nodes = self.nodes.iter().map(|node| (node.clock_ns, node.does.len() as u32));
        Minting { durable, budget: self.faults.clone(), nodes: nodes.collect() }
    }

    fn replicas<T: Known>(&self) -> Replicas<Shipped<T>> {
        let world = Replicas::new(Shipped::new(), self.ship)
            .with_store(self.store)
            .with_budget(self.faults.clone());
        let add = |world: Replicas<_>, node: &ScriptedNode| {
            world.node_with_clock(node.clock_ns, node.does.iter().cloned())
        };
        self.nodes.iter().fold(world, add)
    }
}

fn head(mut section: Section<'_>) -> Result<SmallWorld, ScenarioError> {
    let world = SmallWorld {
        name: section.get("name", words)?.unwrap_or_else(|| "unnamed".to_owned()),
        summary: section.get("summary", words)?.unwrap_or_default(),
        kind: section.need("type", kind)?,
        ship: section.get("ship", ship)?.unwrap_or(Ship::State),
        store: section.get("store", store)?.unwrap_or_default(),
        faults: Budget::default(),
        nodes: Vec::new(),
        run: None,
    };
    section.finish()?;
    Ok(world)
}

fn faults(mut section: Section<'_>) -> Result<Budget, ScenarioError> {
    let mut budget = Budget {
        losses: section.get("losses", few)?.unwrap_or(0),
        doubles: section.get("doubles", few)?.unwrap_or(0),
        crashes: section.get("crashes", few)?.unwrap_or(0),
        clock_steps: section.get("clock-steps", few)?.unwrap_or(0),
        clock_by_ns: Vec::new(),
    };
    let by = section.list("clock-by", units::signed_ns)?;
    budget.clock_by_ns = by.unwrap_or_else(|| vec![1_000_000_000, -1_000_000_000]);
    // Two steps by the same could not be told apart.
    budget.clock_by_ns.sort_unstable();
    budget.clock_by_ns.dedup();
    if budget.clock_by_ns.len() > usize::from(FEW) {
        return Err(section.wrong("clock-by", &format!("expected {FEW} steps at most")));
    }
    section.finish()?;
    Ok(budget)
}

fn node(
    mut section: Section<'_>,
    at: u32,
    count: usize,
    kind: &Kind,
) -> Result<ScriptedNode, ScenarioError> {
    let clock_ns = section.get("clock", units::signed_ns)?.unwrap_or(0);
    let does = section.list("does", |text| does(text, at, count, kind))?.unwrap_or_default();
    if does.len() > STEPS_MAX {
        let found = does.len();
        return Err(section.wrong("does", &format!("found {found}, expected {STEPS_MAX} at most")));
    }
    section.finish()?;
    Ok(ScriptedNode { clock_ns, does })
}

/// A step of the script of the node `at` of so many.
fn does(text: &str, at: u32, count: usize, kind: &Kind) -> Result<Do<Op>, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["send", "all"] if kind.talks => Ok(Do::SendAll),
        ["send", to] if kind.talks => {
            let to = to.parse().ok().filter(|to| (1..=count as u32).contains(to) && to - 1 != at);
            let to: u32 = to.ok_or_else(|| {
                let text = printable(text);
                format!("`{text}`: expected `send all`, or another node from 1 to {count}")
            })?;
            Ok(Do::Send(to - 1))
        }
        ["store"] if kind.talks => Ok(Do::Store),
        _ => {
            let others: &[&str] = if kind.talks { &["send", "store"] } else { &[] };
            let op = Op::parse(text, kind.verbs, kind.verbs_under, others);
            op.map(Do::Write).map_err(|why| format!("`{}`: {why}", printable(text)))
        }
    }
}

fn run(mut section: Section<'_>) -> Result<Option<Recorded>, ScenarioError> {
    if !section.is_there() {
        return Ok(None);
    }
    let recorded = Recorded {
        breaks: section.need("breaks", words)?,
        what: section.get("what", words)?.unwrap_or_default(),
        steps: section.list("steps", words)?.unwrap_or_default(),
    };
    if recorded.steps.len() > RUN_MAX {
        return Err(section.wrong("steps", &format!("expected {RUN_MAX} steps at most")));
    }
    section.finish()?;
    Ok(Some(recorded))
}

fn kind(text: &str) -> Result<&'static Kind, String> {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let found = KINDS.iter().find(|kind| kind.name == text);
    found.ok_or_else(|| format!("no type is called `{}`{}", printable(text), hint(text, &names)))
}

fn ship(text: &str) -> Result<Ship, String> {
    match text {
        "state" => Ok(Ship::State),
        "delta" => Ok(Ship::Delta),
        "op" => Ok(Ship::Op),
        _ => Err(format!("found `{}`, expected state, delta or op", printable(text))),
    }
}

fn store(text: &str) -> Result<Store, String> {
    match text {
        "always" => Ok(Store::Always),
        "before-sending" => Ok(Store::BeforeSending),
        "asked" => Ok(Store::Asked),
        _ => {
            let found = printable(text);
            Err(format!("found `{found}`, expected always, before-sending or asked"))
        }
    }
}

/// The most faults of a kind.
const FEW: u8 = 16;

fn few(text: &str) -> Result<u8, String> {
    let few = text.parse().ok().filter(|few| (0..=FEW).contains(few));
    few.ok_or_else(|| format!("found `{}`, expected a number from 0 to {FEW}", printable(text)))
}

/// A text on one line, without what a terminal would obey.
fn words(text: &str) -> Result<String, String> {
    if text.chars().any(char::is_control) {
        return Err("found a control character, expected text on one line".to_owned());
    }
    Ok(text.to_owned())
}

fn printable(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
