//! The operations, with their arguments.

use std::fmt;

use guid_core::NodeId;

use super::{
    super::{
        json::{Json, Read, hint},
        kind::Kind,
    },
    Names,
};

/// An operation. Elements and values are JSON texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Action {
    Inc(i64),
    Dec(i64),
    Transfer(u64, String, NodeId),
    Add(String),
    AddAll(Vec<String>),
    Remove(String),
    Clear,
    Set(String),
    Enable,
    Disable,
    Put(String, String),
    /// A key of a map.
    Delete(String),
    Update(String, Box<Self>),
    /// Of a type that is not here: how it stands in the line.
    Unknown(String),
}

impl Action {
    /// The operation of a type in `[name, arguments…]`.
    pub(super) fn read(
        whole: Json<'_>,
        operation: &[Json<'_>],
        kind: &Kind,
        names: &mut Names,
    ) -> Read<Self> {
        let known = kind.operations();
        let [name, args @ ..] = operation else {
            return Err(whole.error(format!("no operation: expected one of {}", known.join(", "))));
        };
        let word = name.text("an operation")?;
        if !known.contains(&&*word) {
            return Err(name.error(format!("no operation `{word}`{}", hint(&word, known))));
        }
        let (fewest, most) = arity(&word, kind);
        if args.len() < fewest || args.len() > most {
            let what =
                if fewest == most { format!("{most}") } else { format!("{fewest} or {most}") };
            let message = format!("`{word}` has {} arguments: expected {what}", args.len());
            return Err(name.error(message));
        }
        Self::with_args(&word, args, kind, names)
    }

    fn with_args(word: &str, args: &[Json<'_>], kind: &Kind, names: &mut Names) -> Read<Self> {
        let amount = || {
            let most = i64::MAX.unsigned_abs();
            let amount = args[0].natural("an amount", most)?;
            Ok(i64::try_from(amount).unwrap_or(i64::MAX))
        };
        Ok(match (kind, word) {
            (Kind::Text | Kind::Tree, _) => {
                let args = args.iter().map(|arg| arg.element()).collect::<Read<Vec<_>>>()?;
                Self::Unknown(format!("{word} {}", args.join(" ")))
            }
            (_, "inc") => Self::Inc(amount()?),
            (_, "dec") => Self::Dec(amount()?),
            (_, "transfer") => {
                let amount = args[0].natural("an amount", u64::MAX)?;
                let to = names.replica(args[1])?;
                let node = names.node(&to);
                Self::Transfer(amount, to, node)
            }
            (_, "add_all") => {
                let elements = args[0].list("`add_all`", "a list of elements")?;
                let elements = elements.into_iter().map(Json::element).collect::<Read<_>>()?;
                Self::AddAll(elements)
            }
            (_, "add") => Self::Add(args[0].element()?),
            (_, "set") => Self::Set(args[0].element()?),
            (_, "put") => Self::Put(args[0].text("a key")?, args[1].element()?),
            (kind, "remove") if kind.is_map() => Self::Delete(args[0].text("a key")?),
            (_, "remove") => Self::Remove(args[0].element()?),
            (Kind::OrMap(of), "update") => {
                let what = "[operation, arguments…]";
                let inner = args[1].list("what to do under the key", what)?;
                let inner = Self::read(args[1], &inner, of, names)?;
                Self::Update(args[0].text("a key")?, Box::new(inner))
            }
            (_, "enable") => Self::Enable,
            (_, "disable") => Self::Disable,
            _ => Self::Clear,
        })
    }
}

/// How many arguments an operation has.
fn arity(word: &str, kind: &Kind) -> (usize, usize) {
    match (kind, word) {
        (Kind::Text, "delete") => (1, 2),
        (_, "clear" | "enable" | "disable") => (0, 0),
        (_, "transfer" | "put" | "update" | "insert" | "move") => (2, 2),
        _ => (1, 1),
    }
}

/// As in the line, without brackets and commas.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inc(amount) => write!(f, "inc {amount}"),
            Self::Dec(amount) => write!(f, "dec {amount}"),
            Self::Transfer(amount, to, _) => write!(f, "transfer {amount} to {to}"),
            Self::Add(element) => write!(f, "add {element}"),
            Self::AddAll(elements) => write!(f, "add_all {}", elements.join(" ")),
            Self::Remove(element) => write!(f, "remove {element}"),
            Self::Clear => f.write_str("clear"),
            Self::Set(value) => write!(f, "set {value}"),
            Self::Enable => f.write_str("enable"),
            Self::Disable => f.write_str("disable"),
            Self::Put(key, value) => write!(f, "put {key} {value}"),
            Self::Delete(key) => write!(f, "remove {key}"),
            Self::Update(key, inner) => write!(f, "update {key}: {inner}"),
            Self::Unknown(text) => f.write_str(text),
        }
    }
}
