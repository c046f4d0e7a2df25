//! The types of the format by name, their operations, and how their values are compared.

use serde_json::Value;

use super::json::{Json, Read, hint};

/// A type of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    GCounter,
    PnCounter,
    BoundedCounter,
    GSet,
    TwoPhaseSet,
    OrSet,
    RwSet,
    LwwSet { add_stays: bool },
    LwwRegister,
    FwwRegister,
    MvRegister,
    EwFlag,
    DwFlag,
    LwwMap,
    AwLwwMap,
    OrMap(Box<Self>),
    Text,
    Tree,
    VectorClock,
    Dots,
}

/// How deep types are read; reading recurses, and the stack ends.
const DEPTH_MAX: usize = 64;

const NAMES: [(&str, Kind); 19] = [
    ("gcounter", Kind::GCounter),
    ("pncounter", Kind::PnCounter),
    ("bcounter", Kind::BoundedCounter),
    ("gset", Kind::GSet),
    ("twopset", Kind::TwoPhaseSet),
    ("orset", Kind::OrSet),
    ("rwset", Kind::RwSet),
    ("lwwset", Kind::LwwSet { add_stays: true }),
    ("lwwreg", Kind::LwwRegister),
    ("fwwreg", Kind::FwwRegister),
    ("mvreg", Kind::MvRegister),
    ("ewflag", Kind::EwFlag),
    ("dwflag", Kind::DwFlag),
    ("lwwmap", Kind::LwwMap),
    ("awlwwmap", Kind::AwLwwMap),
    ("text", Kind::Text),
    ("tree", Kind::Tree),
    ("vclock", Kind::VectorClock),
    ("dots", Kind::Dots),
];

/// What a type takes beside its name.
#[derive(Default)]
pub(super) struct Params<'a> {
    pub(super) of: Option<Json<'a>>,
    pub(super) bias: Option<Json<'a>>,
    pub(super) observed_clock: bool,
}

impl<'a> Params<'a> {
    /// `of`, `bias` and `clock`, as far as they belong to the type.
    pub(super) fn read(kind: &str, params: Json<'a>) -> Read<Self> {
        let own: &[&str] = match kind {
            "ormap" => &["of"],
            "lwwset" => &["bias"],
            "lwwreg" => &["clock"],
            _ => &[],
        };
        let mut read = Self::default();
        for (key, value) in params.object("`params`", "an object")? {
            match key.as_str() {
                key if !own.contains(&key) => {
                    let message = format!("`{key}` is no parameter of `{kind}`{}", hint(key, own));
                    return Err(value.error(message));
                }
                "of" => read.of = Some(value),
                "bias" => read.bias = Some(value),
                _ => {
                    let clock = value.text("`clock`")?;
                    if !["wall", "observed"].contains(&&*clock) {
                        return Err(value.not("`clock`", "`wall` or `observed`"));
                    }
                    read.observed_clock = clock == "observed";
                }
            }
        }
        Ok(read)
    }
}

impl Kind {
    /// The type of a name.
    pub(super) fn read(name: Json<'_>, params: &Params<'_>) -> Read<Self> {
        Self::read_at(0, name, params)
    }

    fn read_at(depth: usize, name: Json<'_>, params: &Params<'_>) -> Read<Self> {
        let word = name.text("`type`")?;
        if word == "ormap" {
            let of = params.of.ok_or_else(|| {
                name.error("a map of what? expected `params`: {\"of\": {\"type\": …}}")
            })?;
            if depth == DEPTH_MAX {
                return Err(name.error(format!("maps in maps more than {DEPTH_MAX} deep")));
            }
            return Ok(Self::OrMap(Box::new(Self::of(depth + 1, of)?)));
        }
        if word == "lwwset" {
            let bias = params.bias.map(|bias| Ok((bias, bias.text("`bias`")?))).transpose()?;
            return match bias.as_ref().map(|(bias, word)| (bias, word.as_str())) {
                None | Some((_, "add")) => Ok(Self::LwwSet { add_stays: true }),
                Some((_, "remove")) => Ok(Self::LwwSet { add_stays: false }),
                Some((bias, _)) => Err(bias.not("`bias`", "`add` or `remove`")),
            };
        }
        if let Some((_, kind)) = NAMES.iter().find(|(name, _)| *name == word) {
            return Ok(kind.clone());
        }
        let mut names: Vec<&str> = NAMES.iter().map(|&(name, _)| name).collect();
        names.push("ormap");
        Err(name.error(format!("no type is called `{word}`{}", hint(&word, &names))))
    }

    /// What a map holds: `{"type": …}`, for a map with its own `of`.
    fn of(depth: usize, of: Json<'_>) -> Read<Self> {
        let (mut name, mut params) = (None, Params::default());
        for (key, value) in of.object("`of`", "an object with `type`")? {
            match key.as_str() {
                "type" => name = Some(value),
                "of" => params.of = Some(value),
                "bias" => params.bias = Some(value),
                _ => {
                    let message = format!("no key `{key}` here{}", hint(&key, &["type", "of"]));
                    return Err(value.error(message));
                }
            }
        }
        let name = name.ok_or_else(|| of.not("`of`", "an object with `type`"))?;
        Self::read_at(depth, name, &params)
    }

    /// The operations.
    pub(super) const fn operations(&self) -> &'static [&'static str] {
        match self {
            Self::GCounter => &["inc"],
            Self::PnCounter => &["inc", "dec"],
            Self::BoundedCounter => &["inc", "dec", "transfer"],
            Self::GSet => &["add"],
            Self::TwoPhaseSet | Self::LwwSet { .. } => &["add", "remove"],
            Self::OrSet => &["add", "remove", "add_all", "clear"],
            Self::RwSet => &["add", "remove", "clear"],
            Self::LwwRegister | Self::FwwRegister => &["set"],
            Self::MvRegister => &["set", "clear"],
            Self::EwFlag | Self::DwFlag => &["enable", "disable"],
            Self::LwwMap | Self::AwLwwMap => &["put", "remove"],
            Self::OrMap(_) => &["update", "remove"],
            Self::Text => &["insert", "delete"],
            Self::Tree => &["move"],
            Self::VectorClock | Self::Dots => &[],
        }
    }

    /// Whether an operation says what it has seen, so that an older context makes a difference.
    pub(super) const fn observes(&self) -> bool {
        matches!(
            self,
            Self::OrSet
                | Self::RwSet
                | Self::MvRegister
                | Self::EwFlag
                | Self::DwFlag
                | Self::AwLwwMap
                | Self::OrMap(_)
        )
    }

    /// Whether keys are texts.
    pub(super) const fn is_map(&self) -> bool {
        matches!(self, Self::LwwMap | Self::AwLwwMap | Self::OrMap(_))
    }

    /// A value as it is compared: sets in one order, and of a map what shows something.
    pub(super) fn normal(&self, value: Value) -> Value {
        match (self, value) {
            (
                Self::GSet
                | Self::TwoPhaseSet
                | Self::OrSet
                | Self::RwSet
                | Self::LwwSet { .. }
                | Self::MvRegister,
                Value::Array(mut items),
            ) => {
                items.sort_by_cached_key(Value::to_string);
                items.dedup();
                Value::Array(items)
            }
            (Self::OrMap(of), Value::Object(entries)) => {
                let entries = entries.into_iter().map(|(key, value)| (key, of.normal(value)));
                Value::Object(entries.filter(|(_, value)| shows(value)).collect())
            }
            (_, value) => value,
        }
    }
}

/// Whether a value under a key is more than an emptied one.
fn shows(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_i64() != Some(0),
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    }
}
