//! What is taken away from a world that fails, so that a smaller one fails the same way.

use std::{fmt, str::FromStr};

use crate::{
    ClockModel, Distribution, Fault, NetworkModel, NodeIndex, WorldConfig, plan::Quantity,
    scenario::hint, units,
};

/// The one-way latency of a LAN.
const PLAIN_NS: i64 = 250_000;

const KEYS: [&str; 5] = ["nodes", "duration", "faults", "network", "clocks"];

/// What is taken away. In words, as `GUID_SIM_LESS` has them:
/// `nodes=2 duration=3s faults=1,4 network=plain clocks=right`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Less {
    /// The first so many nodes are left.
    pub(super) nodes: Option<u32>,
    pub(super) duration_ns: Option<u64>,
    /// The faults that are left, counted from one.
    pub(super) faults: Option<Vec<usize>>,
    /// Messages take 250 µs, and none is lost.
    pub(super) plain_network: bool,
    /// Clocks are right, but for faults.
    pub(super) right_clocks: bool,
}

impl Less {
    /// Takes it away from a world.
    pub(super) fn apply(&self, world: &mut WorldConfig) {
        if let Some(kept) = &self.faults {
            let mut number = 0;
            world.faults.retain(|_| {
                number += 1;
                kept.contains(&number)
            });
        }
        if self.plain_network {
            world.network = plain_network();
        }
        if self.right_clocks {
            world.clocks = ClockModel::perfect();
        }
        if let Some(nodes) = self.nodes {
            world.nodes = world.nodes.min(nodes).max(1);
            of_first_nodes(world);
        }
        if let Some(duration_ns) = self.duration_ns {
            world.duration_ns = world.duration_ns.min(duration_ns);
        }
    }
}

/// A network in which nothing goes wrong.
pub(super) fn plain_network() -> NetworkModel {
    NetworkModel::new(Distribution::constant(PLAIN_NS))
}

/// Nobody speaks of nodes that are not there.
fn of_first_nodes(world: &mut WorldConfig) {
    let nodes = world.nodes;
    let is_there = |node: NodeIndex| node.as_u32() < nodes;
    world.clocks.fixed.retain(|fixed| is_there(fixed.node));
    world.shared_node.retain(|&node| is_there(node));
    world.network.links.retain(|link| is_there(link.from) && is_there(link.to));
    // A time protocol without its server asks nobody.
    if world.clocks.ntp.as_ref().and_then(|ntp| ntp.server).is_some_and(|node| !is_there(node)) {
        world.clocks.ntp = None;
    }
    world.faults.retain(|due| nodes_of(&due.fault).into_iter().all(is_there));
}

fn nodes_of(fault: &Fault) -> Vec<NodeIndex> {
    let mut nodes: Vec<NodeIndex> = fault.node().into_iter().collect();
    match fault {
        Fault::Bridge { node, side } => nodes.extend(side.iter().copied().chain([*node])),
        Fault::Clone { of, .. } | Fault::Join { reuse: Some(of), .. } => nodes.push(*of),
        Fault::OneWay { from, to } => nodes.extend(from.iter().chain(to)),
        Fault::Partition { groups } => nodes.extend(groups.iter().flatten()),
        _ => {}
    }
    nodes
}

impl fmt::Display for Less {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        let duration = self.duration_ns.and_then(|ns| i64::try_from(ns).ok());
        words.extend(duration.map(|ns| format!("duration={}", Quantity(ns))));
        if let Some(kept) = &self.faults {
            let numbers: Vec<String> = kept.iter().map(usize::to_string).collect();
            let numbers = if numbers.is_empty() { vec![String::from("none")] } else { numbers };
            words.push(format!("faults={}", numbers.join(",")));
        }
        words.extend(self.plain_network.then(|| String::from("network=plain")));
        words.extend(self.right_clocks.then(|| String::from("clocks=right")));
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Less {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut less = Self::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                format!("found `{word}`, expected words such as `nodes=2 duration=3s`")
            })?;
            less.read(key, value).map_err(|why| format!("{key}: {why}"))?;
        }
        Ok(less)
    }
}

impl Less {
    fn read(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = |text: &str| match text.parse::<usize>() {
            Ok(number @ 1..) => Ok(number),
            _ => Err(format!("found `{text}`, expected a number from 1")),
        };
        let only = |word: &str| {
            let error = || format!("found `{value}`, expected `{word}`");
            (value == word).then_some(true).ok_or_else(error)
        };
        match key {
            "nodes" => self.nodes = u32::try_from(number(value)?).ok(),
            "duration" => self.duration_ns = Some(units::ns(value)?),
            "faults" if value == "none" => self.faults = Some(Vec::new()),
            "faults" => {
                self.faults = Some(value.split(',').map(number).collect::<Result<_, _>>()?);
            }
            "network" => self.plain_network = only("plain")?,
            "clocks" => self.right_clocks = only("right")?,
            _ => return Err(format!("there is no such word{}", hint(key, &KEYS))),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_words_read_back() {
        for text in [
            "",
            "nodes=2",
            "nodes=2 duration=1.5s faults=1,4 network=plain clocks=right",
            "faults=none",
        ] {
            assert_eq!(text.parse::<Less>().unwrap().to_string(), text);
        }
        for (text, why) in [
            ("nodes", "found `nodes`, expected words such as `nodes=2 duration=3s`"),
            ("nodes=0", "nodes: found `0`, expected a number from 1"),
            ("node=2", "node: there is no such word: did you mean `nodes`?"),
            ("faults=1,x", "faults: found `x`, expected a number from 1"),
            ("clocks=wrong", "clocks: found `wrong`, expected `right`"),
        ] {
            assert_eq!(text.parse::<Less>(), Err(String::from(why)));
        }
    }

    #[test]
    fn nobody_speaks_of_nodes_that_are_taken_away() {
        let [one, three] = [0, 2].map(NodeIndex::new);
        let second = Duration::from_secs(1);
        let mut world = WorldConfig::new(3, 1)
            .with_clock(three, 5, 0)
            .with_fault(second, Fault::Crash { node: one })
            .with_fault(second, Fault::Partition { groups: vec![vec![one], vec![three]] })
            .with_fault(second, Fault::OneWay { from: vec![one], to: vec![three] })
            .with_fault(second, Fault::Heal);
        "nodes=2 duration=30s".parse::<Less>().unwrap().apply(&mut world);
        assert_eq!((world.nodes, world.duration_ns), (2, 30_000_000_000));
        let names: Vec<&str> = world.faults.iter().map(|due| due.fault.name()).collect();
        assert_eq!(names, ["crash", "heal"]);
        assert!(world.clocks.fixed.is_empty());
    }
}
