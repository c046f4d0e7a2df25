//! `[sweep]`: which seeds and values `guid sim sweep` runs through, unless told otherwise.

use std::ops::Range;

use super::{ScenarioError, Section};

/// What a scenario says of the sweep it is made for.
#[derive(Clone, Debug, Default)]
pub(crate) struct SweepSection {
    pub(crate) seeds: Option<Range<u64>>,
    /// The keys that are varied, with their values, as text.
    pub(crate) vary: Vec<(String, Vec<String>)>,
}

pub(super) fn read(mut section: Section<'_>) -> Result<SweepSection, ScenarioError> {
    let seeds = section.get("seeds", seeds)?;
    let mut vary = section.section("vary")?.lists_of_entries(|_| true)?;
    // `"clock.offset-sigma" = [...]` may stand in `[sweep]` itself: no key of its own has a dot.
    let is_path = |key: &str| key.contains('.');
    vary.extend(section.lists_of_entries(is_path)?);
    section.finish_besides(is_path)?;
    Ok(SweepSection { seeds, vary })
}

/// `A..B`: from A up to, but not including, B.
pub(crate) fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parse = || {
        let (start, end) = text.split_once("..")?;
        Some(start.trim().parse().ok()?..end.trim().parse().ok()?)
    };
    match parse() {
        Some(range) if range.start < range.end => Ok(range),
        _ => Err(format!("found `{text}`, expected A..B with A less than B, as in 0..100")),
    }
}
