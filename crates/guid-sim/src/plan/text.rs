//! A plan as a file that people read: what fails, the nodes, a line for everything that happened.

use std::fmt::{self, Write as _};

use guid_core::{NodeId, Stamp};
use guid_crdt::VectorClock;

use super::{Plan, Planned, Step, What, read::NO_ID};
use crate::{EventKind, Failure, Shows, config::DEFAULT_START_NS, recorder::Storage};

/// A duration as scenario files have it, exact: `1.5s`, `-250ms`, `3ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity(pub(crate) i64);

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Minutes and more only whole: 90s is clearer than 1.5min.
        const WHOLE: [(u64, &str); 3] =
            [(86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (60_000_000_000, "min")];
        const ANY: [(u64, &str); 4] =
            [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];
        let size = self.0.unsigned_abs();
        let whole = WHOLE.iter().find(|&&(unit, _)| size >= unit && size.is_multiple_of(unit));
        let any = || ANY.iter().find(|&&(unit, _)| size >= unit);
        let &(unit, name) = whole.or_else(any).unwrap_or(&ANY[0]);
        let digits = unit.ilog10() as usize;
        let mut text = format!("{}{}", if self.0 < 0 { "-" } else { "" }, size / unit);
        if !size.is_multiple_of(unit) {
            let fraction = format!("{:0digits$}", size % unit);
            text.push('.');
            text.push_str(fraction.trim_end_matches('0'));
        }
        text.push_str(name);
        f.pad(&text)
    }
}

/// A text between quotes.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\U{:08X}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

pub(crate) fn write(plan: &Plan, failure: &Failure, f: &mut impl fmt::Write) -> fmt::Result {
    head(plan, failure, f)?;
    writeln!(f, "format = 1\n\n[expect]\ncheck = {}", Quoted(&failure.check))?;
    match &failure.shows {
        Shows::Violated => writeln!(f, "shows = \"violated\"")?,
        Shows::Case => writeln!(f, "shows = \"case\"")?,
        Shows::Unmet(unmet) => {
            writeln!(f, "shows = \"unmet\"\nexpectation = {}", Quoted(&unmet.text))?;
        }
    }
    if let Some(cause) = &failure.cause {
        writeln!(f, "cause = {}", Quoted(cause))?;
    }
    let Plan { name, seed, start_ns, observe, memory, .. } = plan;
    writeln!(f, "\n[plan]\nof = {}\nseed = {seed}", Quoted(name))?;
    if *start_ns != DEFAULT_START_NS {
        writeln!(f, "start-ns = {start_ns}")?;
    }
    let schemes = plan.schemes.iter().map(|scheme| format!("\"{scheme}\""));
    writeln!(f, "schemes = [{}]", joined(schemes))?;
    writeln!(f, "observe = \"{observe}\"\nrestart = \"{memory}\"")?;
    if !plan.gaps_ns.is_empty() {
        let gaps = plan.gaps_ns.iter().map(|&gap| format!("\"{}\"", quantity(gap)));
        writeln!(f, "gaps = [{}]", joined(gaps))?;
    }
    if plan.disorder {
        writeln!(f, "disorder = true")?;
    }
    writeln!(f, "nodes = [")?;
    for (place, planned) in (0..).zip(&plan.nodes) {
        writeln!(f, "  {{ {} }},", node(place, planned))?;
    }
    writeln!(f, "]\nevents = [")?;
    for step in &plan.steps {
        writeln!(f, "  {{ {} }},", line(step))?;
    }
    writeln!(f, "]")
}

fn head(plan: &Plan, failure: &Failure, f: &mut impl fmt::Write) -> fmt::Result {
    let counted =
        |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let nodes = counted(plan.nodes() as u64, "node");
    let (events, lines) = (counted(plan.events(), "event"), counted(plan.steps() as u64, "line"));
    writeln!(f, "# A run that fails, made small: {nodes}, {events} on {lines}.")?;
    let (name, shows) = (one_line(&plan.name), one_line(&failure.to_string()));
    writeln!(f, "# It comes from {name}, seed {}, and shows", plan.seed)?;
    writeln!(f, "# {shows}.")?;
    writeln!(f, "# Replay it: guid sim replay FILE")
}

/// A text from outside, as a comment can hold it.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// Times that do not fit are refused when the file is read.
fn quantity(ns: u64) -> Quantity {
    Quantity(i64::try_from(ns).unwrap_or(i64::MAX))
}

fn node(place: u32, planned: &Planned) -> String {
    let Planned { id, sequence, machine } = planned;
    let mut text = format!("id = \"{id}\"");
    if *sequence != Stamp::MIN {
        add(&mut text, format_args!("sequence = {}", sequence.as_u64()));
    }
    if machine.as_u32() != place {
        add(&mut text, format_args!("machine = {}", machine.number()));
    }
    text
}

fn add(text: &mut String, more: fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    write!(text, ", {more}").unwrap_or_default();
}

fn line(step: &Step) -> String {
    let Step { at_ns, node, offset_ns, what, random } = step;
    let mut text = format!("at = \"{}\", node = {}", quantity(*at_ns), node.number());
    if *offset_ns != 0 {
        let sign = if *offset_ns > 0 { "+" } else { "" };
        add(&mut text, format_args!("clock = \"{sign}{}\"", Quantity(*offset_ns)));
    }
    add(&mut text, format_args!("kind = \"{}\"", what.name()));
    details(&mut text, what);
    for (scheme, bits) in random {
        add(&mut text, format_args!("{scheme} = \"{bits:x}\""));
    }
    text
}

impl What {
    /// The kind of a line.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Mint { .. } => "mint",
            Self::Write { .. } => "write",
            Self::Send { .. } => "send",
            Self::Receive { .. } => "receive",
            Self::Crash => "crash",
            Self::Restart { .. } => "restart",
            Self::Snapshot => "snapshot",
            Self::Join { .. } => "join",
            Self::Clone { .. } => "clone",
            Self::Aside(kind) => kind.name(),
            Self::Claim { .. } => "claim",
            Self::Read { .. } => "client-read",
            Self::Update { .. } => "client-write",
            Self::State { .. } => "state",
            Self::Count { .. } => "count",
            Self::Most { .. } => "most",
        }
    }
}

fn details(text: &mut String, what: &What) {
    match what {
        What::Mint { times: 2.. } => {
            add(text, format_args!("times = {}", what.events()));
        }
        What::Write { register, overwrite } => {
            add(text, format_args!("register = {register}"));
            if *overwrite {
                add(text, format_args!("overwrite = true"));
            }
        }
        What::Send { message, to } => {
            add(text, format_args!("message = {message}, to = {}", to.number()));
        }
        What::Receive { message } | What::Aside(EventKind::Lost { message }) => {
            add(text, format_args!("message = {message}"));
        }
        What::Restart { storage, fresh, sequence } => restart(text, *storage, *fresh, *sequence),
        What::Join { reuse: Some(of) } => add(text, format_args!("reuse = {}", of.number())),
        What::Clone { of } => add(text, format_args!("of = {}", of.number())),
        What::Aside(EventKind::ClockFault { by_ns }) => {
            add(text, format_args!("by = \"{}\"", Quantity(*by_ns)));
        }
        What::Claim { name, holds } => {
            add(text, format_args!("name = {}, holds = {holds}", Quoted(name)));
        }
        What::Read { client, seen } => {
            add(text, format_args!("client = {client}, seen = [{}]", entries(seen)));
        }
        What::Update { client, seen, dot } => {
            let dot = format!("{}:{}", dot.node(), dot.stamp().as_u64());
            let seen = entries(seen);
            add(text, format_args!("client = {client}, seen = [{seen}], dot = \"{dot}\""));
        }
        What::State { received, shown } => {
            add(text, format_args!("received = \"{received:x}\", shown = \"{shown:x}\""));
        }
        What::Count { name, by } => add(text, format_args!("name = {}, by = {by}", Quoted(name))),
        What::Most { name, value } => {
            add(text, format_args!("name = {}, value = {value}", Quoted(name)));
        }
        _ => {}
    }
}

fn restart(text: &mut String, storage: Storage, fresh: NodeId, sequence: Stamp) {
    let storage = match storage {
        Storage::Kept => "kept",
        Storage::Lost => "lost",
        Storage::Snapshot => "snapshot",
    };
    add(text, format_args!("storage = \"{storage}\""));
    if fresh != NO_ID {
        add(text, format_args!("id = \"{fresh}\""));
    }
    if sequence != Stamp::MIN {
        add(text, format_args!("sequence = {}", sequence.as_u64()));
    }
}

fn entries(seen: &VectorClock) -> String {
    joined(seen.iter().map(|(node, stamp)| format!("\"{node}:{}\"", stamp.as_u64())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::signed_ns;

    #[test]
    fn quantities_are_exact_and_as_people_write_them() {
        for (ns, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5us"),
            (100_000_000, "100ms"),
            (-1_638_400_000, "-1.6384s"),
            (60_000_000_000, "1min"),
            (90_000_000_000, "90s"),
            (86_400_000_000_000, "1d"),
            (1_000_000_001, "1.000000001s"),
            (i64::MAX, "9223372036.854775807s"),
        ] {
            assert_eq!(Quantity(ns).to_string(), text);
            assert_eq!(signed_ns(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn any_text_can_be_quoted() {
        let text = "a \"b\" \\ \n \u{7f} é";
        let file = format!("key = {}", Quoted(text));
        let table = toml::de::DeTable::parse(&file).unwrap();
        assert_eq!(table.get_ref()["key"].get_ref().as_str(), Some(text));
    }
}
