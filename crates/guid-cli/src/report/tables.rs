//! The tables of a page: what the scenario expects, every guarantee, figures, and what the words in
//! them mean.

use guid_sim::{Check, Report, Verdict, meaning, sample::Sample};
use maud::{Markup, html};

use super::{page::verdict, scheme_class};
use crate::commands::table;

/// A table with more rows that all hold is folded.
const OPEN: usize = 12;

/// Whether a check is what a reader came for: the scenario speaks of it, or it does not hold.
fn is_notable(check: &Check) -> bool {
    check.expectation.is_some() || check.verdict != Verdict::Holds
}

/// The first check that shows something: what went against a claim, as expected or not.
pub(super) fn shows(report: &Report) -> Option<&Check> {
    let mut notable: Vec<&Check> = table::grouped(&report.checks);
    notable.retain(|check| is_notable(check));
    let against = notable.iter().find(|check| check.verdict != Verdict::Holds);
    against.or_else(|| notable.iter().find(|check| check.count > 0)).copied()
}

/// What the scenario expects, and what did not hold.
pub(super) fn expected(report: &Report, sample: &Sample) -> Markup {
    let mut notable = table::grouped(&report.checks);
    notable.retain(|check| is_notable(check));
    html! {
        @if notable.is_empty() {
            p { "The scenario expects nothing of its own: what is promised holds." }
        } @else {
            (checks("What the scenario expects", &notable, sample))
        }
    }
}

/// Every guarantee, every figure, and what the words mean.
pub(super) fn all(report: &Report, sample: &Sample) -> Markup {
    let all = table::grouped(&report.checks);
    let held = all.iter().filter(|check| check.verdict == Verdict::Holds).count();
    let dull = all.iter().filter(|check| !is_notable(check)).count();
    html! {
        details open[dull <= OPEN] {
            summary { (all.len()) " guarantees, of which " (held) " came out as they should" }
            (checks("Guarantees and what was measured", &all, sample))
        }
        @if !report.measures.is_empty() {
            details {
                summary { "Measured, nothing claimed: " (report.measures.len()) " figures" }
                (figures(report, sample))
            }
        }
        (words(report))
    }
}

fn checks(label: &str, rows: &[&Check], sample: &Sample) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(label) {
            table {
                thead { tr {
                    @for (at, head) in table::HEAD.iter().enumerate() {
                        th scope="col" class=(number(at)) { (head) }
                    }
                } }
                tbody { @for check in rows { (row(check, sample)) } }
            }
        }
    }
}

fn figures(report: &Report, sample: &Sample) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Figures" {
            table {
                thead { tr {
                    th scope="col" { "figure" }
                    th scope="col" { "scheme" }
                    th.number scope="col" { "measured" }
                    th.number scope="col" { "expected" }
                    th.number scope="col" { "z" }
                } }
                tbody { @for check in table::grouped(&report.measures) {
                    @let cells = table::cells(check);
                    tr class=(of(check, sample)) {
                        td { (cells[0]) }
                        td { (cells[1]) }
                        td.number { (cells[3]) }
                        td.number { (cells[4]) }
                        td.number { (cells[5]) }
                    }
                } }
            }
        }
    }
}

/// Numbers stand to the right.
fn number(column: usize) -> &'static str {
    if (3..=5).contains(&column) { "number" } else { "" }
}

fn of(check: &Check, sample: &Sample) -> String {
    check.scheme.as_deref().map_or_else(String::new, |scheme| scheme_class(sample, scheme))
}

fn row(check: &Check, sample: &Sample) -> Markup {
    let cells = table::cells(check);
    html! {
        tr class=(of(check, sample)) {
            @for (at, cell) in cells.iter().enumerate() {
                td class=(number(at)) {
                    @if at == 2 { (verdict(check.verdict, cell)) } @else { (cell) }
                }
            }
        }
    }
}

/// What the columns mean, and the names in them, of those that occur.
fn words(report: &Report) -> Markup {
    let all = || report.checks.iter().chain(&report.measures);
    let mut names: Vec<&str> = Vec::new();
    for check in all() {
        if !names.contains(&check.name.as_str()) && !meaning(&check.name).is_empty() {
            names.push(&check.name);
        }
    }
    let any = |is: &dyn Fn(&Check) -> bool| all().any(is);
    let siblings = any(&|check| check.name.contains("sibling"));
    let terms = [
        (
            true,
            "expected",
            "what a closed form gives for the very cases that were counted; with ≤ it is a bound",
        ),
        (
            any(&|check| check.expectation.is_some()),
            "scenario expects",
            "what the file says must come out: a claim, a number with its tolerance, a range. The \
             verdict is about this, where it stands",
        ),
        (
            any(&|check| check.expectation.is_some() && check.count > 0),
            "as expected",
            "there were cases against the claim, and the scenario is there to show them",
        ),
        (
            any(&|check| check.z.is_some()),
            "z",
            "how many standard deviations measured is from expected; beyond 4 either way, once in \
             16,000 by chance, the claim is violated",
        ),
        (true, "W", "the window of a scheme: inside it IDs sort by node, whatever their time"),
        (true, "E", "how far two nodes' stamps are apart at one moment, at most: their skew"),
        (
            siblings,
            "siblings",
            "values of one register that were written without seeing each other",
        ),
    ];
    let terms = terms.into_iter().filter(|(occurs, ..)| *occurs);
    html! {
        details {
            summary { "What these words mean" }
            dl {
                @for (_, term, says) in terms { dt { (term) } dd { (says) } }
                @for name in names { dt { (name) } dd { (meaning(name)) } }
            }
        }
    }
}
