//! The result of a run as a table for people: claims, figures, what they mean, first witnesses.

use std::io;

use guid_sim::{Check, Dropped, Report, Unit, Verdict, Witness, WitnessEvent, meaning, units::Ns};

use crate::{
    bars::{self, Bar},
    output::Output,
};

/// The columns of a row.
pub(crate) const COLUMNS: usize = 7;
pub(crate) const HEAD: [&str; COLUMNS] =
    ["guarantee", "scheme", "verdict", "measured", "expected", "z", "scenario expects"];

/// Names that belong together, in the order in which they are shown; others come after.
const NAMES: [&str; 22] = [
    "unique",
    "monotone",
    "happens-before",
    "happens-before-by-bytes",
    "vector-iff",
    "k-order",
    "k-radius",
    "k-displacement",
    "k-stride",
    "inversions",
    "edge-order",
    "lww-lost",
    "lww-lost-long-lived",
    "lww-lost-by-time",
    "lww-lost-long-lived-by-time",
    "converged",
    "strong-eventual-consistency",
    "read-your-writes",
    "monotonic-reads",
    "monotonic-writes",
    "writes-follow-reads",
    "observe-refused",
];

pub(super) fn write(report: &Report, summary: &str, output: &mut Output) -> io::Result<()> {
    title(&report.scenario, summary, output)?;
    output.line(format_args!("seed {}, {} events\n", report.seed, report.events))?;
    let Report { checks, measures, start_ns, .. } = report;
    Findings { checks, measures, start_ns, nodes: &[] }.write(output)?;
    bars_of(report, output)?;
    dropped(report, output)?;
    let [on, off] = output.verdict(report.verdict);
    output.line(format_args!("\ntrace hash {}", report.trace_hash))?;
    output.line(format_args!("verdict    {on}{}{off}", report.verdict))
}

/// What is lost or misordered as a part of all, scheme by scheme, as bars.
fn bars_of(report: &Report, output: &mut Output) -> io::Result<()> {
    let mut families: Vec<(String, Vec<Bar>)> = Vec::new();
    let checks = grouped(&report.checks).into_iter().chain(grouped(&report.measures));
    for check in checks.filter(|check| check.unit == Unit::Fraction) {
        let (family, label) = family(check);
        let measured = check.measured.show(check.unit);
        let expected = check.expected.map(|expected| expected.show(check.unit));
        let says = match expected.filter(|expected| *expected != measured) {
            Some(expected) => format!("{measured} ({expected} expected)"),
            None => measured,
        };
        let bar = Bar { label, value: check.measured.0, says };
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, bars)) => bars.push(bar),
            None => families.push((family, vec![bar])),
        }
    }
    families.iter().try_for_each(|(family, bars)| bars::write(family, bars, output))
}

/// What a figure is compared with, and which of them it is.
fn family(check: &Check) -> (String, String) {
    let scheme = check.scheme.as_deref().unwrap_or_default();
    if let Some(gap) = check.name.strip_prefix("pair-order-") {
        return ("pair-order".to_owned(), format!("{scheme}, {gap} apart"));
    }
    match check.name.strip_suffix("-by-time") {
        Some(name) => (name.to_owned(), format!("{scheme} by time")),
        None => (check.name.clone(), scheme.to_owned()),
    }
}

/// The expectations that were not judged, and why.
pub(super) fn dropped(report: &Report, output: &mut Output) -> io::Result<()> {
    for (at, dropped) in report.dropped.iter().enumerate() {
        let space = if at == 0 { "\n" } else { "" };
        output.line(format_args!("{space}{}", told(dropped)))?;
    }
    Ok(())
}

/// An expectation that was not judged, in a line.
pub(crate) fn told(dropped: &Dropped) -> String {
    let Dropped { check, expectation, why, .. } = dropped;
    format!("dropped: {check}, expected {expectation}: {why}")
}

/// What checkers found, of a run or a log.
pub(super) struct Findings<'a> {
    pub(super) checks: &'a [Check],
    pub(super) measures: &'a [Check],
    pub(super) start_ns: &'a str,
    /// The names of the nodes; `n1`, `n2`, … where there are none.
    pub(super) nodes: &'a [String],
}

impl Findings<'_> {
    /// Writes claims, figures, what they mean, and the first witnesses.
    pub(super) fn write(&self, output: &mut Output) -> io::Result<()> {
        let claims = grouped(self.checks);
        rows(HEAD, &claims, output)?;
        if !self.measures.is_empty() {
            output.line("\nmeasured, nothing claimed")?;
            let compared = self.measures.iter().any(|figure| figure.expected.is_some());
            let [expected, z] = if compared { ["expected", "z"] } else { ["", ""] };
            let head = ["figure", "scheme", "", "measured", expected, z, ""];
            rows(head, &grouped(self.measures), output)?;
        }
        self.legend(output)?;
        self.witnesses(&claims, output)
    }

    fn legend(&self, output: &mut Output) -> io::Result<()> {
        let mut names: Vec<&str> = Vec::new();
        for check in self.checks.iter().chain(self.measures) {
            if !names.contains(&check.name.as_str()) && !meaning(&check.name).is_empty() {
                names.push(&check.name);
            }
        }
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
        output.line("")?;
        for name in names {
            output.line(format_args!("{name:<width$}  {}", meaning(name)))?;
        }
        Ok(())
    }

    /// The first case against each claim that was violated, or expected to be.
    fn witnesses(&self, claims: &[&Check], output: &mut Output) -> io::Result<()> {
        let shown = claims.iter().filter(|check| {
            check.verdict == Verdict::Violated || check.expectation.is_some() && check.count > 0
        });
        for check in shown {
            if let Some(witness) = &check.witness {
                output.line(format_args!("\n{}: {}", check.key(), witness.cause))?;
                self.witness(witness, output)?;
            }
        }
        Ok(())
    }

    pub(super) fn witness(&self, witness: &Witness, output: &mut Output) -> io::Result<()> {
        for (word, event) in [("first ", &witness.first), ("second", &witness.second)] {
            let offset = minus(&event.local_ns, &event.true_ns);
            let at = minus(&event.true_ns, self.start_ns);
            // What a process claims is of an event without an ID of its own.
            let made = if event.id.is_empty() { "" } else { " made " };
            output.line(format_args!(
                "  {word} {}{made}{} after {at}, its clock off by {offset}{} (event {})",
                self.node(event.node),
                printable(&event.id),
                says(event),
                event.event,
            ))?;
        }
        match &witness.path {
            // Of one node: there is nothing between.
            Some(path) if path.is_causal && path.hops.is_empty() => Ok(()),
            Some(path) => output.line(format_args!("  {path}")),
            None => Ok(()),
        }
    }

    fn node(&self, number: u32) -> String {
        let name = usize::try_from(number).ok().and_then(|n| self.nodes.get(n.checked_sub(1)?));
        match name {
            // A number is a node of ours.
            Some(name) if name.parse::<u32>().is_err() => printable(name),
            _ => format!("n{number}"),
        }
    }
}

/// What an ID says, where its text does not say it to people.
fn says(event: &WitnessEvent) -> String {
    let stamp = event.stamp_ns.as_ref().map(|stamp| minus(stamp, &event.true_ns));
    let mut says = stamp.map_or_else(String::new, |off| format!(", its stamp by {off}"));
    if let Some(sequence) = event.sequence {
        says += &format!(", sequence {sequence}");
    }
    if let Some(node) = &event.id_node {
        says += &format!(", node {node}");
    }
    says
}

/// A text from outside, without what a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    const WIDTH: usize = 80;
    let told = text.chars().take(WIDTH).map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let dots = if text.chars().nth(WIDTH).is_some() { "…" } else { "" };
    told.chain(dots.chars()).collect()
}

/// The name of a scenario, and what it shows.
pub(super) fn title(name: &str, summary: &str, output: &mut Output) -> io::Result<()> {
    let [on, off] = output.emphasis();
    let colon = if summary.is_empty() { "" } else { ": " };
    output.line(format_args!("{on}{name}{off}{colon}{summary}"))
}

/// The place of a name among all.
pub(super) fn place(name: &str) -> usize {
    NAMES.iter().position(|&known| known == name).unwrap_or(NAMES.len())
}

/// The checks of one name together, by their place among all names, then by scheme.
pub(crate) fn grouped(checks: &[Check]) -> Vec<&Check> {
    let first = |check: &Check| checks.iter().position(|other| other.name == check.name);
    let scheme = |check: &Check| checks.iter().position(|other| other.scheme == check.scheme);
    let mut grouped: Vec<&Check> = checks.iter().collect();
    grouped.sort_by_key(|check| (place(&check.name), first(check), scheme(check)));
    grouped
}

/// What a verdict is called: a violation that the scenario is there to show is no surprise.
fn verdict(check: &Check) -> String {
    let shown = check.expectation.is_some() && check.count > 0;
    match check.verdict {
        _ if !check.claim => String::new(),
        Verdict::Holds if shown => "as expected".to_owned(),
        verdict => verdict.to_string(),
    }
}

/// The cells of a check. `expected` is a bound where it begins with `<`.
pub(crate) fn cells(check: &Check) -> [String; COLUMNS] {
    let sign = if check.bound { "≤ " } else { "" };
    let measured = check.measured.show(check.unit);
    // Nothing of nothing is not a measurement.
    let of = if check.of > 0 && check.claim && !check.bound {
        format!("{measured} of {}", check.of)
    } else {
        measured
    };
    [
        check.name.clone(),
        check.scheme.clone().unwrap_or_default(),
        verdict(check),
        of,
        check
            .expected
            .map_or_else(String::new, |number| sign.to_owned() + &number.show(check.unit)),
        check.z.map_or_else(String::new, |z| format!("{:+.2}", z.0)),
        check.expectation.clone().unwrap_or_default(),
    ]
}

fn rows(head: [&str; COLUMNS], checks: &[&Check], output: &mut Output) -> io::Result<()> {
    let cells: Vec<[String; COLUMNS]> = checks.iter().map(|check| cells(check)).collect();
    let mut widths = head.map(|word| word.chars().count());
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let [on, off] = output.emphasis();
    output.line(format_args!("{on}{}{off}", line(&head.map(str::to_owned), widths, ["", ""])))?;
    let mut last = "";
    for (check, mut row) in checks.iter().zip(cells) {
        // A name stands once, beside the first of its schemes.
        if check.name == last {
            row[0].clear();
        }
        last = &check.name;
        let color = output.verdict(check.verdict);
        output.line(line(&row, widths, color))?;
    }
    Ok(())
}

fn line(row: &[String; COLUMNS], widths: [usize; COLUMNS], verdict: [&str; 2]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        // Numbers stand to the right, words to the left; the verdict has a color.
        let cell = match column {
            2 => format!("{}{cell:<width$}{}", verdict[0], verdict[1]),
            3..=5 => format!("{cell:>width$}"),
            _ => format!("{cell:<width$}"),
        };
        line += &cell;
        line += "  ";
    }
    line.trim_end().to_owned()
}

/// The difference of two times in decimal.
pub(super) fn minus(later: &str, earlier: &str) -> Ns {
    let number = |text: &str| text.parse::<i128>().unwrap_or(0);
    Ns(number(later) - number(earlier))
}
