//! What is done to the types that ship, as text.

use std::fmt;

/// The longest word: an element, a key, a value.
const WORD_MAX: usize = 32;
/// The greatest amount: sums of as many as there are writes stay far from the ends of the range.
const AMOUNT_MAX: i64 = 1_000_000;
/// The most keys, one below the other.
const DEPTH_MAX: usize = 8;

/// An operation of some type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Op {
    Add(String),
    Remove(String),
    Clear,
    Set(String),
    Inc(i64),
    Dec(i64),
    Reset,
    Enable,
    Disable,
    Put(String, String),
    Delete(String),
    Raise(i64),
    Lower(i64),
    Under(String, Box<Self>),
    /// Of worlds in which IDs are made.
    Mint,
}

impl Op {
    /// Reads an operation; its first word must be one of `verbs`, and that of what it does under a
    /// key one of `under`. `others` can stand there too, but not like this.
    pub(crate) fn parse(
        text: &str,
        verbs: &[&str],
        under: &[&str],
        others: &[&str],
    ) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let verb = words.first().copied().unwrap_or_default();
        if !verbs.contains(&verb) {
            let known = [verbs, others].concat();
            return Err(format!("no step like this{}", crate::scenario::hint(verb, &known)));
        }
        if text.chars().any(char::is_control) {
            return Err("found a control character, expected words".to_owned());
        }
        if let Some(long) = words.iter().find(|word| word.chars().count() > WORD_MAX) {
            let count = long.chars().count();
            return Err(format!("a word of {count} characters, expected {WORD_MAX} at most"));
        }
        let text = str::to_owned;
        let op = match words[..] {
            ["add", x] => Self::Add(text(x)),
            ["remove", x] => Self::Remove(text(x)),
            ["clear"] => Self::Clear,
            ["set", x] => Self::Set(text(x)),
            ["inc", n] => Self::Inc(amount(n)?),
            ["dec", n] => Self::Dec(amount(n)?),
            ["reset"] => Self::Reset,
            ["enable"] => Self::Enable,
            ["disable"] => Self::Disable,
            ["mint"] => Self::Mint,
            ["put", k, v] => Self::Put(text(k), text(v)),
            ["delete", k] => Self::Delete(text(k)),
            ["raise", n] => Self::Raise(amount(n)?),
            ["lower", n] => Self::Lower(amount(n)?),
            // A depth is as many words of the text.
            ["under", ..] if words.len() > 2 * DEPTH_MAX => {
                return Err(format!("found {} words, expected less depth", words.len()));
            }
            ["under", k, ref rest @ ..] => {
                let inner = Self::parse(&rest.join(" "), under, under, &[])?;
                Self::Under(text(k), Box::new(inner))
            }
            _ => return Err(format!("found {} words, expected {}", words.len(), form(verb))),
        };
        Ok(op)
    }
}

/// How an operation is written.
fn form(verb: &str) -> String {
    match verb {
        "add" | "remove" => format!("`{verb} ELEMENT`"),
        "set" => "`set VALUE`".to_owned(),
        "inc" | "dec" | "raise" | "lower" => format!("`{verb} AMOUNT`"),
        "put" => "`put KEY VALUE`".to_owned(),
        "delete" => "`delete KEY`".to_owned(),
        "under" => "`under KEY add ELEMENT`".to_owned(),
        _ => format!("`{verb}` alone"),
    }
}

fn amount(text: &str) -> Result<i64, String> {
    let amount = text.parse().ok().filter(|amount| (0..=AMOUNT_MAX).contains(amount));
    amount.ok_or_else(|| format!("found `{text}`, expected an amount from 0 to {AMOUNT_MAX}"))
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(x) => write!(f, "add {x}"),
            Self::Remove(x) => write!(f, "remove {x}"),
            Self::Clear => f.write_str("clear"),
            Self::Set(x) => write!(f, "set {x}"),
            Self::Inc(n) => write!(f, "inc {n}"),
            Self::Dec(n) => write!(f, "dec {n}"),
            Self::Reset => f.write_str("reset"),
            Self::Enable => f.write_str("enable"),
            Self::Disable => f.write_str("disable"),
            Self::Mint => f.write_str("mint"),
            Self::Put(k, v) => write!(f, "put {k} {v}"),
            Self::Delete(k) => write!(f, "delete {k}"),
            Self::Raise(n) => write!(f, "raise {n}"),
            Self::Lower(n) => write!(f, "lower {n}"),
            Self::Under(k, op) => write!(f, "under {k} {op}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let all = [
            ("add x", "add"),
            ("remove x", "remove"),
            ("clear", "clear"),
            ("set v", "set"),
            ("inc 3", "inc"),
            ("dec 0", "dec"),
            ("reset", "reset"),
            ("enable", "enable"),
            ("disable", "disable"),
            ("mint", "mint"),
            ("put k v", "put"),
            ("delete k", "delete"),
            ("under k remove x", "under"),
            ("under k under j inc 2", "under"),
            ("raise 3", "raise"),
            ("lower 3", "lower"),
        ];
        for (text, verb) in all {
            let parse =
                |text: &str, verb| Op::parse(text, &[verb], &["remove", "inc", "under"], &[]);
            assert_eq!(parse(text, verb).map(|op| op.to_string()), Ok(text.to_owned()));
            assert!(parse(&format!("{text} more words here"), verb).is_err());
            assert!(parse(text, "other").is_err());
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        let wrong = |text| {
            Op::parse(text, &["add", "inc", "under"], &["add", "under"], &["send"]).unwrap_err()
        };
        assert_eq!(wrong("ad x"), "no step like this: did you mean `add`?");
        assert_eq!(wrong("sent"), "no step like this: did you mean `send`?");
        assert_eq!(wrong("add \u{1b}[2J"), "found a control character, expected words");
        assert_eq!(wrong("add"), "found 1 words, expected `add ELEMENT`");
        assert_eq!(wrong("inc -1"), "found `-1`, expected an amount from 0 to 1000000");
        assert_eq!(wrong("under k"), "no step like this: expected one of add, under");
        let deep = "under k ".repeat(100) + "add x";
        assert_eq!(wrong(&deep), "found 202 words, expected less depth");
        assert!(wrong(&format!("add {}", "x".repeat(33))).starts_with("a word of 33"));
    }
}
