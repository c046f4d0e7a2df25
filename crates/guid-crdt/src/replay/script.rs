//! What a line says: the steps, read and resolved before the first of them is carried out.
//!
//! # Invariants
//!
//! Every operation is one of its type, and every message, context and saved state that is named was
//! made by a step before.

mod action;
mod names;

use guid_core::Stamp;
use serde_json::Value;

use super::{
    json::{Json, Read, hint},
    kind::{Kind, Params},
};

pub(super) use self::{action::Action, names::Names};

/// A local update.
pub(super) struct Op {
    pub(super) at: String,
    pub(super) action: Action,
    pub(super) keep_as: Option<String>,
    pub(super) seen_by: Option<String>,
    pub(super) stamp: Option<Stamp>,
    pub(super) rights: Option<u64>,
    pub(super) is_refused: bool,
}

pub(super) enum Step {
    Op(Op),
    Merge { from: String, to: String },
    Sync(Vec<String>),
    Deliver { message: String, to: String },
    Save { from: String, name: String },
    Expect(Vec<Expected>),
}

/// What a replica is to show.
pub(super) struct Expected {
    pub(super) name: String,
    /// Any of these.
    pub(super) values: Vec<Value>,
    /// How it stands in the line.
    pub(super) text: String,
}

/// Merging these in every order gives one value.
pub(super) struct AnyOrder {
    pub(super) of: Vec<String>,
    pub(super) value: Value,
}

pub(super) struct Script {
    pub(super) steps: Vec<Step>,
    pub(super) expect: Vec<Expected>,
    pub(super) any_order: Option<AnyOrder>,
    pub(super) names: Names,
    pub(super) observed_clock: bool,
}

const VERBS: [&str; 7] = ["op", "merge", "sync", "deliver", "save", "context", "expect"];
const OPTIONS: [&str; 5] = ["as", "ctx", "t", "rights", "refused"];

impl Script {
    pub(super) fn read(line: &super::Line<'_>, kind: &Kind, params: &Params<'_>) -> Read<Self> {
        let mut names = Names::read(line.nodes)?;
        let steps = line.steps.map(|steps| steps.list("`steps`", "a list of steps")).transpose()?;
        let mut read = Vec::new();
        for (number, step) in (1..).zip(steps.unwrap_or_default()) {
            let step = self::step(step, kind, &mut names);
            read.push(step.map_err(|error| error.in_step(number))?);
        }
        let expect = line.expect.map(|expect| expected(expect, kind, &mut names)).transpose()?;
        let any_order = line.any_order.map(|any| any_order(any, kind, &mut names)).transpose()?;
        let expect = expect.unwrap_or_default();
        let observed_clock = params.observed_clock;
        Ok(Self { steps: read, expect, any_order, names, observed_clock })
    }

    /// Whether anything is to be met.
    pub(super) fn expects_something(&self) -> bool {
        let in_a_step = |step: &Step| match step {
            Step::Expect(expected) => !expected.is_empty(),
            Step::Op(op) => op.rights.is_some() || op.is_refused,
            _ => false,
        };
        !self.expect.is_empty() || self.any_order.is_some() || self.steps.iter().any(in_a_step)
    }
}

fn step(step: Json<'_>, kind: &Kind, names: &mut Names) -> Read<Step> {
    let what = "an object with one of op, merge, sync, deliver, save, context, expect";
    let (mut verb, mut options) = (None, Vec::new());
    for (key, value) in step.object("it", what)? {
        match VERBS.into_iter().find(|verb| *verb == key) {
            Some(new) if verb.is_none() => verb = Some((new, value)),
            Some(new) => return Err(value.error(format!("a second thing to do: `{new}`"))),
            None if OPTIONS.contains(&&*key) => options.push((key, value)),
            None => {
                let known = [&VERBS[..], &OPTIONS].concat();
                return Err(value.error(format!("no step has `{key}`{}", hint(&key, &known))));
            }
        }
    }
    let (verb, args) = verb.ok_or_else(|| step.not("it", what))?;
    if let Some((key, value)) = options.first().filter(|_| verb != "op") {
        return Err(value.error(format!("`{key}` belongs to `op`, not to `{verb}`")));
    }
    match verb {
        "op" => Ok(Step::Op(op(args, options, kind, names)?)),
        "merge" => {
            let [from, to] = pair(args, "`merge`", "[from, to]")?;
            Ok(Step::Merge { from: names.state(from)?, to: names.replica(to)? })
        }
        "sync" => {
            let list = args.list("`sync`", "a list of replicas")?;
            Ok(Step::Sync(list.into_iter().map(|name| names.replica(name)).collect::<Read<_>>()?))
        }
        "deliver" => {
            let [message, to] = pair(args, "`deliver`", "[message, to]")?;
            Ok(Step::Deliver { message: names.message(message)?, to: names.replica(to)? })
        }
        "save" | "context" => {
            let [from, name] = pair(args, "it", "[replica, name]")?;
            Ok(Step::Save { from: names.replica(from)?, name: names.save(name)? })
        }
        _ => Ok(Step::Expect(expected(args, kind, names)?)),
    }
}

fn pair<'a>(args: Json<'a>, name: &str, what: &str) -> Read<[Json<'a>; 2]> {
    args.list(name, what)?.try_into().map_err(|_| args.not(name, what))
}

fn op(
    args: Json<'_>,
    options: Vec<(String, Json<'_>)>,
    kind: &Kind,
    names: &mut Names,
) -> Read<Op> {
    let what = "[replica, operation, arguments…]";
    let list = args.list("`op`", what)?;
    let [at, operation @ ..] = &list[..] else { return Err(args.not("`op`", what)) };
    let at = names.replica(*at)?;
    let action = Action::read(args, operation, kind, names)?;
    let mut op = Op {
        at,
        action,
        keep_as: None,
        seen_by: None,
        stamp: None,
        rights: None,
        is_refused: false,
    };
    for (key, value) in options {
        match key.as_str() {
            "as" => op.keep_as = Some(names.keep(value)?),
            "ctx" if kind.observes() => op.seen_by = Some(names.saved(value)?),
            "ctx" => return Err(value.error("operations of this type observe nothing")),
            "t" => {
                let stamp = Stamp::from_u64(value.natural("`t`", Stamp::MAX.as_u64())?);
                op.stamp = Some(stamp.map_err(|error| value.error(error.to_string()))?);
            }
            "rights" | "refused" if *kind != Kind::BoundedCounter => {
                return Err(value.error(format!("`{key}` is for `bcounter`")));
            }
            "rights" => op.rights = Some(value.natural("`rights`", u64::MAX)?),
            _ => op.is_refused = value.flag("`refused`")?,
        }
    }
    if op.is_refused && op.keep_as.is_some() {
        return Err(args.error("an operation that is refused leaves no message for `as`"));
    }
    Ok(op)
}

fn expected(expect: Json<'_>, kind: &Kind, names: &mut Names) -> Read<Vec<Expected>> {
    let entries = expect.object("`expect`", "an object: replica to value")?;
    let one = |(name, value): (String, Json<'_>)| {
        names.use_state(&name);
        let json = value.value()?;
        let text = json.to_string();
        let values = match json {
            Value::Object(entries) if entries.len() == 1 && entries.contains_key("one_of") => {
                let list = entries.into_iter().next().map_or(Value::Null, |(_, list)| list);
                let Value::Array(values) = list else {
                    return Err(value.not("`one_of`", "a list of values"));
                };
                values
            }
            json => vec![json],
        };
        let values = values.into_iter().map(|value| kind.normal(value)).collect();
        Ok(Expected { name, values, text })
    };
    entries.into_iter().map(one).collect()
}

fn any_order(any_order: Json<'_>, kind: &Kind, names: &mut Names) -> Read<AnyOrder> {
    const KEYS: [&str; 2] = ["of", "value"];
    let what = "an object with `of` and `value`";
    let (mut of, mut value) = (None, None);
    for (key, json) in any_order.object("`any_order`", what)? {
        match key.as_str() {
            "of" => of = Some(json.list("`of`", "a list of replicas and saved states")?),
            "value" => value = Some(kind.normal(json.value()?)),
            _ => {
                let message = format!("`any_order` has no `{key}`{}", hint(&key, &KEYS));
                return Err(json.error(message));
            }
        }
    }
    let (Some(of), Some(value)) = (of, value) else {
        return Err(any_order.not("`any_order`", what));
    };
    let of = of.into_iter().map(|name| names.state(name)).collect::<Read<_>>()?;
    Ok(AnyOrder { of, value })
}
