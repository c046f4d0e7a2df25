//! Bars below a table, for whoever looks at a terminal.
//!
//! # Invariants
//!
//! * What is piped has none unless it is asked for, so that what programs read does not change.
//! * A value that is not zero has a bar that can be seen; zero has none.

use std::io;

use clap::ValueEnum;

use crate::{lines::without_controls, output::Output};

/// How many characters the longest bar has.
const WIDTH: usize = 40;
/// More bars than that nobody compares.
const MOST: usize = 24;

/// When there are bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Wherever the output goes
    Always,
    /// Nowhere
    Never,
}

/// A number, and what it is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The number in words.
    pub(crate) says: String,
}

/// Writes bars on one scale, below a title; nothing where there is nothing to compare, where all
/// are zero, or where nobody looks.
pub(crate) fn write(title: &str, bars: &[Bar], output: &mut Output) -> io::Result<()> {
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    if !output.bars() || bars.len() < 2 || !most.is_normal() {
        return Ok(());
    }
    let [on, off] = output.emphasis();
    output.line(format_args!("\n{on}{}{off}", without_controls(title)))?;
    let shown = &bars[..bars.len().min(MOST)];
    let labels: Vec<String> = shown.iter().map(|bar| without_controls(&bar.label)).collect();
    let wide = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    for (bar, label) in shown.iter().zip(labels) {
        let drawn = drawn(bar.value / most);
        output.line(format_args!("  {label:<wide$}  {drawn:<WIDTH$}  {}", bar.says))?;
    }
    match bars.len() - shown.len() {
        0 => Ok(()),
        more => output.line(format_args!("  and {more} more")),
    }
}

/// A bar of a length from 0 to 1, in eighths of a character.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "at most 320 eighths"
)]
fn drawn(length: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length.clamp(0.0, 1.0) * (WIDTH * 8) as f64).round() as usize;
    let eighths = if length > 0.0 { eighths.max(1) } else { 0 };
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_number() {
        assert_eq!(drawn(0.0), "");
        assert_eq!(drawn(1e-9), "▏");
        assert_eq!(drawn(0.5), "█".repeat(20));
        assert_eq!(drawn(1.0), "█".repeat(40));
        assert_eq!(drawn(f64::INFINITY), "█".repeat(40));
        assert_eq!(drawn(0.5 + 1.0 / 320.0), "█".repeat(20) + "▏");
        assert_eq!(drawn(f64::NAN), "");
    }
}
