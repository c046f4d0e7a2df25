//! Quantities with units, as people write them in scenario files: exact, in integers.
//!
//! `"1.6384s"` is 1,638,400,000 ns, not the nearest double. A quantity without its unit is refused.

use std::fmt;

const TIME_UNITS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

const RATE_UNITS: [(&str, u64); 2] = [("ppb", 1), ("ppm", 1_000)];

const TIME_EXPECTED: &str =
    "a duration such as `250ms`, `1.5s`, `20min` (ns, us, ms, s, min, h, d)";

/// Reads a signed duration into nanoseconds: `"-1.6384s"`, `"250ms"`, `"0"`.
///
/// # Errors
///
/// What was found and what was expected, as text.
///
/// # Examples
///
/// ```
/// use guid_sim::units::signed_ns;
///
/// assert_eq!(signed_ns("-1.6384s"), Ok(-1_638_400_000));
/// assert!(signed_ns("250").unwrap_err().contains("expected a duration"));
/// ```
pub fn signed_ns(text: &str) -> Result<i64, String> {
    scaled(text, &TIME_UNITS, TIME_EXPECTED)
}

/// Reads a duration into nanoseconds.
///
/// # Errors
///
/// What was found and what was expected, as text; a negative duration is one.
pub fn ns(text: &str) -> Result<u64, String> {
    let signed = signed_ns(text)?;
    u64::try_from(signed)
        .map_err(|_| format!("found `{text}`, expected {TIME_EXPECTED}, not negative"))
}

/// Reads a clock's rate error into parts per billion: `"-35ppm"`.
///
/// # Errors
///
/// What was found and what was expected, as text. The bound of ±500,000 ppm keeps clocks running
/// forward.
pub fn ppb(text: &str) -> Result<i64, String> {
    const EXPECTED: &str = "a rate such as `-35ppm` or `20ppb`, within ±500000ppm";
    scaled(text, &RATE_UNITS, EXPECTED)
        .ok()
        .filter(|ppb| ppb.unsigned_abs() <= 500_000_000)
        .ok_or_else(|| format!("found `{text}`, expected {EXPECTED}"))
}

/// Reads a probability: `"0.5%"`, `"0.005"`.
///
/// # Errors
///
/// What was found and what was expected, as text.
pub fn probability(text: &str) -> Result<f64, String> {
    let error = || format!("found `{text}`, expected a probability such as `0.5%` or `0.005`");
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent, 100.0),
        None => (text, 1.0),
    };
    let value = number.trim().parse::<f64>().map_err(|_| error())? / scale;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(error()) }
}

/// Reads a rate of events: `"2/s"`, `"600/min"`; the result is per second.
///
/// # Errors
///
/// What was found and what was expected, as text.
pub fn per_second(text: &str) -> Result<f64, String> {
    let error = || format!("found `{text}`, expected a rate such as `2/s`, `600/min` or `10/h`");
    let (number, unit) = text.split_once('/').ok_or_else(error)?;
    let seconds = match unit.trim() {
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(error()),
    };
    let value = number.trim().parse::<f64>().map_err(|_| error())? / seconds;
    if value > 0.0 && value <= 1e9 { Ok(value) } else { Err(error()) }
}

/// Reads decimal digits and a unit exactly, rounding toward zero below the base unit.
fn scaled(text: &str, units: &[(&str, u64)], expected: &str) -> Result<i64, String> {
    let error = || format!("found `{text}`, expected {expected}");
    let trimmed = text.trim();
    if trimmed == "0" {
        return Ok(0);
    }
    let (negative, digits) = match trimmed.strip_prefix(['+', '-']) {
        Some(rest) => (trimmed.starts_with('-'), rest),
        None => (false, trimmed),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(error)?;
    let (number, unit) = digits.split_at(end);
    let unit = unit.trim();
    let scale = units.iter().find(|(name, _)| *name == unit).ok_or_else(error)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') || fraction.len() > 18 {
        return Err(error());
    }
    // Digits alone: what cannot be read is a number that is too long, never one that is no number.
    let whole = if whole.is_empty() { Some(0) } else { whole.parse::<u128>().ok() };
    let part = fraction.bytes().fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    let part = part * u128::from(scale) / 10_u128.pow(fraction.len() as u32);
    let value = whole.and_then(|whole| whole.checked_mul(u128::from(scale))?.checked_add(part));
    let value = value.and_then(|value| i64::try_from(value).ok()).ok_or_else(|| {
        let (name, scale) = units[units.len() - 1];
        format!("found `{text}`, which is too large: at most {}{name}", i64::MAX as u64 / scale)
    })?;
    Ok(if negative { -value } else { value })
}

/// A duration in nanoseconds, shown with the unit that suits it: `274.88 s`, `131.07 µs`.
///
/// # Examples
///
/// ```
/// use guid_sim::units::Ns;
///
/// assert_eq!(Ns(274_877_906_944).to_string(), "274.88 s");
/// assert_eq!(Ns(-250_000).to_string(), "-250 µs");
/// assert_eq!(Ns(999_996_000).to_string(), "1 s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper for `Display`")]
pub struct Ns(pub i128);

impl fmt::Display for Ns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        // The limits are where rounding to hundredths would show a thousand of the smaller unit.
        let (scale, unit) = match size {
            0..1_000 => (1, "ns"),
            1_000..999_995 => (1_000, "µs"),
            999_995..999_995_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let hundredths = (size * 100 + scale / 2) / scale;
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100);
        f.pad(&format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact() {
        assert_eq!(ns("1.6384s"), Ok(1_638_400_000));
        assert_eq!(ns("20min"), Ok(1_200_000_000_000));
        assert_eq!(ns("0"), Ok(0));
        assert_eq!(signed_ns("+250ms"), Ok(250_000_000));
        assert_eq!(ns("33 us"), Ok(33_000));
        assert_eq!(ppb("-35ppm"), Ok(-35_000));
    }

    #[test]
    fn what_is_too_large_is_told_as_that() {
        assert_eq!(signed_ns("106751d"), Ok(106_751 * 86_400_000_000_000));
        for text in ["106752d", "-99999999999999999999s", &format!("{}s", "9".repeat(60))] {
            let told = signed_ns(text).unwrap_err();
            assert_eq!(told, format!("found `{text}`, which is too large: at most 106751d"));
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "5", "s", ".s", "1..2s", "5 parsecs", "-", "1.2.3s", "1e9s", "∞s"] {
            assert!(signed_ns(text).is_err(), "{text}");
        }
        assert!(ns("-1s").is_err());
        assert!(ppb("900000ppm").is_err());
        for text in ["101%", "-1%", "NaN", "x", ""] {
            assert!(probability(text).is_err(), "{text}");
        }
        for text in ["2", "0/s", "-1/s", "2/fortnight", "inf/s", "NaN/s"] {
            assert!(per_second(text).is_err(), "{text}");
        }
    }
}
