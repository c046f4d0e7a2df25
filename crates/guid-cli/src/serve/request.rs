//! What is asked for: a scenario, a seed, and what is replaced in it.

use axum::http::StatusCode;
use guid_sim::{Builtin, Scenario};

/// What a query or a form holds, in order.
pub(super) type Pairs = Vec<(String, String)>;

/// What stands before the key of a knob.
pub(super) const SET: &str = "set.";

/// More nodes fill the memory before the first event.
const MOST_NODES: u32 = 2_000;
/// Beyond this nothing that a form sends is meant.
const MOST_PAIRS: usize = 200;
const LONGEST_VALUE: usize = 1_000;
/// A link may be this long: browsers and proxies pass it on.
pub(super) const LONGEST_LINK: usize = 8_000;

/// A request that cannot be understood.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) status: StatusCode,
    pub(super) why: String,
}

impl Wrong {
    pub(super) fn new(why: &str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, why: why.to_owned() }
    }
}

/// A run that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The scenario that ships, unless there is a text.
    pub(super) name: Option<&'static str>,
    /// The scenario as it stands in a file.
    pub(super) text: String,
    pub(super) seed: Option<u64>,
    pub(super) overrides: Pairs,
    /// Whether there were fields that nobody filled.
    pub(super) padded: bool,
}

impl Asked {
    pub(super) fn read(pairs: Pairs) -> Result<Self, Wrong> {
        if pairs.len() > MOST_PAIRS {
            return Err(Wrong::new(&format!(
                "{} fields, expected at most {MOST_PAIRS}",
                pairs.len()
            )));
        }
        let (mut name, mut text, mut seed) = (None, None, None);
        let (mut overrides, mut padded) = (Vec::new(), false);
        for (key, value) in pairs {
            match key.as_str() {
                _ if value.is_empty() => padded = true,
                "toml" => once(&mut text, value, &key)?,
                _ if value.len() > LONGEST_VALUE => {
                    return Err(Wrong::new(&format!(
                        "`{key}` is longer than {LONGEST_VALUE} bytes"
                    )));
                }
                "scenario" => once(&mut name, named(&value)?, &key)?,
                "seed" => once(&mut seed, number(&value)?, &key)?,
                _ => overrides.push((knob(&key)?, value.trim().to_owned())),
            }
        }
        let text = match (text, name) {
            (Some(text), _) => (None, text),
            (None, Some(name)) => (Some(name.name), name.text.to_owned()),
            (None, None) => return Err(Wrong::new("no scenario: expected `scenario` or `toml`")),
        };
        let (name, text) = text;
        Ok(Self { name, text, seed, overrides, padded })
    }

    /// Reads the scenario.
    ///
    /// # Errors
    ///
    /// What is wrong in it, or too large for a page that others wait for.
    pub(super) fn scenario(&self) -> Result<Scenario, String> {
        let scenario = Scenario::parse_with(&self.text, &self.overrides);
        let scenario = scenario.map_err(|error| error.to_string())?;
        let nodes = scenario.nodes();
        if nodes > MOST_NODES {
            return Err(format!(
                "`scenario.nodes`: found {nodes}, expected at most {MOST_NODES} on this page"
            ));
        }
        Ok(scenario)
    }

    /// The address that carries all of it.
    pub(super) fn link(&self, page: &str) -> String {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        match self.name {
            Some(name) => pairs.push(("scenario", name)),
            None => pairs.push(("toml", &self.text)),
        }
        let seed = self.seed.map(|seed| seed.to_string());
        pairs.extend(seed.as_deref().map(|seed| ("seed", seed)));
        let keys: Vec<String> =
            self.overrides.iter().map(|(key, _)| format!("{SET}{key}")).collect();
        pairs.extend(
            keys.iter().zip(&self.overrides).map(|(key, (_, value))| (&key[..], &value[..])),
        );
        let query: Vec<String> = pairs
            .iter()
            .map(|(key, value)| format!("{}={}", encoded(key), encoded(value)))
            .collect();
        format!("{page}?{}", query.join("&"))
    }
}

/// Takes a field that may stand there once.
fn once<T>(field: &mut Option<T>, value: T, key: &str) -> Result<(), Wrong> {
    match field.replace(value) {
        Some(_) => Err(Wrong::new(&format!("field `{key}` stands there twice"))),
        None => Ok(()),
    }
}

/// The key of a knob, from the name of its field.
fn knob(field: &str) -> Result<String, Wrong> {
    let known = "scenario, seed, toml, or set. and a key of the scenario";
    let wrong = || Wrong::new(&format!("field `{field}`: expected {known}"));
    field.strip_prefix(SET).map(str::to_owned).ok_or_else(wrong)
}

fn named(name: &str) -> Result<&'static Builtin, Wrong> {
    Builtin::named(name).map_err(|hint| Wrong {
        status: StatusCode::NOT_FOUND,
        why: format!("no scenario `{name}` ships{hint}"),
    })
}

fn number(text: &str) -> Result<u64, Wrong> {
    let wrong =
        || Wrong::new(&format!("`seed`: found `{text}`, expected a whole number of 64 bits"));
    text.trim().parse().map_err(|_| wrong())
}

/// A text as it may stand in a query.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => {
                out.push(byte.into());
            }
            b' ' => out.push('+'),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}
