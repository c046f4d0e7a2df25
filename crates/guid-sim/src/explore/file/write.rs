//! A world and a run of it as a file that needs nothing else.

use std::fmt::{self, Display, Write};

use super::{SmallWorld, Store};
use crate::{
    explore::{FoundRun, replicas::does_in_words},
    workload::Ship,
};

impl SmallWorld {
    /// The world and a run of it as a file: what `guid sim explore --replay` carries out.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::explore::SmallWorld;
    ///
    /// let world = SmallWorld::named("broken-or-set")?;
    /// let found = world.explore(100_000, &mut |_| ()).violation.expect("the planted bug");
    /// let file = world.with_run(&found);
    /// let again = SmallWorld::parse(&file).expect("what is written is read").replay();
    /// assert!(again.expect("it holds a run").same);
    /// # Ok::<(), String>(())
    /// ```
    pub fn with_run(&self, found: &FoundRun) -> String {
        let mut text = self.to_string();
        let mut add = |key: &str, value: &str| text.push_str(&format!("{key} = {value}\n"));
        add("\n[run]\nbreaks", &quoted(found.invariant));
        add("what", &quoted(&found.what));
        let steps = found.steps.iter().map(|step| format!("\n    {},", quoted(&step.step)));
        add("steps", &format!("[{}\n]", steps.collect::<String>()));
        text
    }
}

/// The file of the world, without a run.
impl Display for SmallWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[world]\nname = {}", quoted(&self.name))?;
        writeln!(f, "summary = {}", quoted(&self.summary))?;
        writeln!(f, "type = {}", quoted(self.kind.name))?;
        let ship = match self.ship {
            Ship::State => "state",
            Ship::Delta => "delta",
            Ship::Op => "op",
        };
        writeln!(f, "ship = {}", quoted(ship))?;
        let store = match self.store {
            Store::Always => "always",
            Store::BeforeSending => "before-sending",
            Store::Asked => "asked",
        };
        writeln!(f, "store = {}", quoted(store))?;
        let faults = &self.faults;
        writeln!(f, "\n[faults]\nlosses = {}\ndoubles = {}", faults.losses, faults.doubles)?;
        writeln!(f, "crashes = {}\nclock-steps = {}", faults.crashes, faults.clock_steps)?;
        writeln!(f, "clock-by = {}", list(faults.clock_by_ns.iter().map(|&ns| by(ns))))?;
        for node in &self.nodes {
            writeln!(f, "\n[[node]]\nclock = {}", quoted(&by(node.clock_ns)))?;
            writeln!(f, "does = {}", list(node.does.iter().map(does_in_words)))?;
        }
        Ok(())
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| quoted(&item)).collect();
    format!("[{}]", items.join(", "))
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                // A string takes whatever is written.
                write!(quoted, "\\u{:04X}", u32::from(c)).ok();
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A signed duration in the largest unit that it is a whole number of.
pub(in crate::explore) fn by(ns: i64) -> String {
    const UNITS: [(&str, u64); 4] =
        [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
    let sign = if ns < 0 { '-' } else { '+' };
    let ns = ns.unsigned_abs();
    let whole = UNITS.iter().find(|&&(_, unit)| ns.is_multiple_of(unit));
    let &(unit, of_ns) = whole.unwrap_or(&("ns", 1));
    format!("{sign}{}{unit}", ns / of_ns)
}
