//! The shared scenarios: short histories from the literature and from other libraries' tests.
//!
//! `data/crdt-scenarios.jsonl` is a copy, whole; the types that are not here yet are skipped by
//! name, and the test knows how many lines it owes.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "scenarios/kinds.rs"]
mod kinds;

use core::time::Duration;
use std::collections::BTreeMap;

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    ApplyError, BoundedCounter, CausalContext, Dot, DwFlag, EwFlag, GCounter, Lattice, LwwMap,
    LwwRegister, LwwSet, Member, MutateError, MvRegister, OrMap, OrSet, PnCounter, RemoveBias,
    Replica, ResettableCounter, RwSet, Span, TwoPhaseSet, VectorClock, WriteError,
};
use serde_json::{Value, json};

use kinds::Kind;

/// Types that are not here yet, and how many scenarios each is owed.
const SKIPPED: [(&str, usize); 2] = [("text", 2), ("tree", 1)];
const RAN: [(&str, usize); 15] = [
    ("bcounter", 1),
    ("dots", 1),
    ("dwflag", 1),
    ("ewflag", 1),
    ("gcounter", 1),
    ("lwwmap", 1),
    ("lwwreg", 3),
    ("lwwset", 1),
    ("mvreg", 2),
    ("ormap", 6),
    ("orset", 10),
    ("pncounter", 1),
    ("rwset", 1),
    ("twopset", 1),
    ("vclock", 1),
];

#[test]
fn every_scenario_of_a_type_that_exists() {
    let (mut ran, mut skipped) = (BTreeMap::new(), BTreeMap::new());
    for line in include_str!("data/crdt-scenarios.jsonl").lines() {
        let scenario: Value = serde_json::from_str(line).unwrap();
        let kind = scenario["type"].as_str().unwrap().to_owned();
        let count = if run(&kind, &scenario) { &mut ran } else { &mut skipped };
        *count.entry(kind).or_default() += 1;
    }
    let named = |counts: &[(&str, usize)]| {
        counts.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!((ran, skipped), (named(&RAN), named(&SKIPPED)));
}

/// Runs a scenario, if there is such a type.
fn run(kind: &str, scenario: &Value) -> bool {
    match kind {
        "orset" => World::<OrSet<String>>::run(scenario),
        "mvreg" => World::<MvRegister<String>>::run(scenario),
        "lwwreg" => World::<LwwRegister<String>>::run(scenario),
        "rwset" => World::<RwSet<String>>::run(scenario),
        "twopset" => World::<TwoPhaseSet<String>>::run(scenario),
        "lwwset" => written_sets(scenario),
        "gcounter" => World::<GCounter>::run(scenario),
        "pncounter" => World::<PnCounter>::run(scenario),
        "bcounter" => World::<BoundedCounter>::run(scenario),
        "ewflag" => World::<EwFlag>::run(scenario),
        "dwflag" => World::<DwFlag>::run(scenario),
        "lwwmap" => World::<LwwMap<String, String>>::run(scenario),
        "ormap" => match scenario["params"]["of"]["type"].as_str().unwrap() {
            "orset" => World::<OrMap<String, OrSet<String>>>::run(scenario),
            "pncounter" => World::<OrMap<String, ResettableCounter>>::run(scenario),
            other => panic!("no map of {other}"),
        },
        "vclock" => vector_clocks(scenario),
        "dots" => dots(scenario),
        _ => return false,
    }
    true
}

struct World<T: Kind> {
    id: String,
    observed_clock: bool,
    nodes: Value,
    replicas: BTreeMap<String, Replica<T, ManualClock>>,
    saved: BTreeMap<String, T>,
    deltas: BTreeMap<String, T::Delta>,
    /// Deltas that did not connect: held back, and tried again after each delivery.
    held: Vec<(String, T::Delta)>,
}

impl<T: Kind> World<T> {
    fn run(scenario: &Value) {
        let mut world = Self {
            id: scenario["id"].as_str().unwrap().to_owned(),
            observed_clock: scenario["params"]["clock"] == "observed",
            nodes: scenario["nodes"].clone(),
            replicas: BTreeMap::new(),
            saved: BTreeMap::new(),
            deltas: BTreeMap::new(),
            held: Vec::new(),
        };
        for step in scenario["steps"].as_array().unwrap() {
            world.step(step);
        }
        world.expect(&scenario["expect"]);
        if !scenario["any_order"].is_null() {
            world.any_order(&scenario["any_order"]);
        }
    }

    fn step(&mut self, step: &Value) {
        let (verb, args) = step
            .as_object()
            .unwrap()
            .iter()
            .find(|(key, _)| {
                ["op", "merge", "sync", "deliver", "save", "context", "expect"]
                    .contains(&key.as_str())
            })
            .unwrap();
        let name = |at: usize| args[at].as_str().unwrap().to_owned();
        match verb.as_str() {
            "op" => self.op(step, args.as_array().unwrap()),
            "merge" => {
                let state = self.state(&name(0));
                assert_eq!(self.replica(&name(1)).join(&state).unwrap().conflict, None);
            }
            "sync" => self.sync(args.as_array().unwrap()),
            "deliver" => self.deliver(&name(0), &name(1)),
            "save" | "context" => {
                let state = self.state(&name(0));
                self.saved.insert(name(1), state);
            }
            _ => self.expect(args),
        }
    }

    fn op(&mut self, step: &Value, args: &[Value]) {
        let (at, name, rest) = (args[0].as_str().unwrap(), args[1].as_str().unwrap(), &args[2..]);
        let seen_by = step["ctx"].as_str().map(|name| self.saved[name].clone());
        let observed_clock = self.observed_clock;
        let replica = self.replica(at);
        let stamp = step["t"].as_u64().map(|t| {
            let seen = replica.state().frontier().latest();
            let next = seen.map_or(0, |dot| dot.stamp().as_u64() + 1);
            Stamp::from_u64(if observed_clock { t.max(next) } else { t }).unwrap()
        });
        let node = replica.node();
        if let Some(rights) = step["rights"].as_u64() {
            assert_eq!(replica.state().rights(node), rights, "{}: rights", self.id);
        }
        let write = |replica: &mut Replica<T, ManualClock>| {
            let mutate = |state: &mut T, dot| state.op(dot, name, rest, seen_by.as_ref());
            match stamp {
                Some(stamp) => replica.write_with_stamp(stamp, mutate),
                None => replica.write(mutate),
            }
        };
        let mut written = write(replica);
        if let Err(WriteError::Refused(MutateError::Unseen { .. })) = written {
            // What the client saw has not arrived here: it is fetched first.
            assert!(replica.join(seen_by.as_ref().unwrap()).unwrap().changed.is_yes());
            written = write(replica);
        }
        if step["refused"] == true {
            let refused = WriteError::Refused(MutateError::Rights { held: 4, needed: 6 });
            assert_eq!(written.err(), Some(refused), "{}", self.id);
            return;
        }
        match (written, step["as"].as_str()) {
            (Ok(delta), Some(name)) => drop(self.deltas.insert(name.to_owned(), delta)),
            (Ok(_), None) => {}
            // A raw stamp that is not after what it would overwrite: the write is lost, aloud.
            (Err(WriteError::Refused(MutateError::Stale { .. })), None) if stamp.is_some() => {}
            (Err(error), _) => panic!("{}: {error}", self.id),
        }
    }

    fn deliver(&mut self, delta: &str, to: &str) {
        self.held.push((to.to_owned(), self.deltas[delta].clone()));
        while let Some(at) = (0..self.held.len()).find(|&at| {
            let (to, delta) = self.held[at].clone();
            match self.replica(&to).apply(&delta) {
                Ok(_) => true,
                Err(ApplyError::Gap(_)) => false,
                Err(error) => panic!("{error}"),
            }
        }) {
            self.held.remove(at);
        }
    }

    fn sync(&mut self, names: &[Value]) {
        let all = names.iter().map(|name| self.state(name.as_str().unwrap()));
        let all = all.reduce(|a, b| a.joined(&b)).unwrap();
        for name in names {
            assert_eq!(self.replica(name.as_str().unwrap()).join(&all).unwrap().conflict, None);
        }
    }

    fn replica(&mut self, name: &str) -> &mut Replica<T, ManualClock> {
        let next = u32::try_from(self.replicas.len()).unwrap() + 1;
        let node = self.nodes[name].as_u64().map_or(next, |node| u32::try_from(node).unwrap());
        self.replicas.entry(name.to_owned()).or_insert_with(|| {
            let replica = Replica::new(NodeId::new(node), ManualClock::new(0));
            replica.with_max_ahead(Duration::MAX)
        })
    }

    fn state(&mut self, name: &str) -> T {
        self.saved.get(name).cloned().unwrap_or_else(|| self.replica(name).snapshot())
    }

    fn expect(&mut self, expected: &Value) {
        let Some(expected) = expected.as_object() else { return };
        for (name, expected) in expected {
            let found = self.state(name).value();
            let matches = match expected["one_of"].as_array() {
                Some(values) => values.contains(&found),
                None => *expected == found,
            };
            assert!(matches, "{}: {name} shows {found}, expected {expected}", self.id);
        }
    }

    fn any_order(&mut self, any_order: &Value) {
        let names = any_order["of"].as_array().unwrap();
        let states: Vec<T> = names.iter().map(|name| self.state(name.as_str().unwrap())).collect();
        for order in permutations(states.len()) {
            let mut joined = T::default();
            for &at in &order {
                joined.join(&states[at]);
            }
            assert_eq!(joined.value(), any_order["value"], "{}: order {order:?}", self.id);
        }
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for item in 0..n {
        let longer = |order: Vec<usize>| {
            (0..=order.len()).map(move |at| [&order[..at], &[item], &order[at..]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders
}

/// Sets of writes with given stamps, which go up and down: no replica makes such, importers do.
fn written_sets(scenario: &Value) {
    let mut sets: BTreeMap<String, LwwSet<String, RemoveBias>> = BTreeMap::new();
    assert_eq!(scenario["params"]["bias"], "remove");
    for step in scenario["steps"].as_array().unwrap() {
        let (name, op) = (step["op"][0].as_str().unwrap(), step["op"][1].as_str().unwrap());
        let node = u32::from(name.as_bytes()[0]);
        let stamp = Stamp::from_u64(step["t"].as_u64().unwrap()).unwrap();
        let member = if op == "add" { Member::In } else { Member::Out };
        let dot = Dot::new(NodeId::new(node), stamp);
        let write = LwwSet::written(dot, step["op"][2].to_string(), member);
        sets.entry(name.to_owned()).or_default().join(&write);
    }
    let names = scenario["any_order"]["of"].as_array().unwrap();
    for order in permutations(names.len()) {
        let mut joined = LwwSet::default();
        for at in order {
            joined.join(&sets[names[at].as_str().unwrap()]);
        }
        assert_eq!(kinds::parsed(joined.iter()), scenario["any_order"]["value"]);
    }
}

/// Count n of actor X is the stamp n − 1 of node X: counts start at 1, stamps at 0.
fn dot_of(actor: &str, count: u64) -> Dot {
    let node = u32::from(actor.as_bytes()[0]);
    Dot::new(NodeId::new(node), Stamp::from_u64(count - 1).unwrap())
}

fn clock_of(counts: &Value) -> VectorClock {
    let counts = counts.as_object().unwrap();
    counts.iter().map(|(actor, count)| dot_of(actor, count.as_u64().unwrap())).collect()
}

fn vector_clocks(scenario: &Value) {
    let (a, b, expect) = (clock_of(&scenario["a"]), clock_of(&scenario["b"]), &scenario["expect"]);
    assert_eq!(a.compare(&b).as_str(), expect["cmp"]);
    assert_eq!(a.meet(&b), clock_of(&expect["glb"]));
    assert_eq!(a.minus(&b), clock_of(&expect["minus"]));
    assert_eq!(a.joined(&b), clock_of(&expect["merge"]));
}

fn dots(scenario: &Value) {
    let read = |value: &Value| dot_of(value[0].as_str().unwrap(), value[1].as_u64().unwrap());
    let list = |value: &Value| value.as_array().unwrap().iter().map(read).collect::<Vec<_>>();
    let expect = &scenario["expect"];
    let context: CausalContext = list(&scenario["dots"]).into_iter().collect();
    let contains: Vec<bool> =
        list(&scenario["ask"]).into_iter().map(|dot| context.contains(dot)).collect();
    assert_eq!(json!(contains), expect["contains"]);
    assert_eq!(context.clock(), clock_of(&expect["compact"]));
    let strays: Vec<Span> = context.iter().filter(|span| !span.is_prefix()).collect();
    assert_eq!(strays, list(&expect["cloud"]).into_iter().map(Span::exact).collect::<Vec<_>>());
}
