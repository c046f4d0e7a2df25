//! The types of the crate as a history sees them: operations by name, values as JSON.
//!
//! Elements and values are the texts of JSON, so that any JSON is one and none needs an order of
//! its own.

use guid_core::NodeId;
use serde_json::{Value, json};

use super::script::Action;
use crate::{
    AwLwwMap, Bias, BoundedCounter, Causal, Dot, DwFlag, EwFlag, FwwRegister, GCounter, GSet,
    LwwMap, LwwRegister, LwwSet, Member, MutateError, MvRegister, Nested, OrMap, OrSet, PnCounter,
    Replicated, ResettableCounter, RwSet, TwoPhaseSet,
};

/// What an operation did; `None` if the type has no such operation: the reader lets none through.
pub(super) type Done<T> = Result<Option<<T as Replicated>::Delta>, MutateError>;

pub(super) trait Subject: Replicated<Delta: Clone> + PartialEq {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self>;

    /// The same, with what somebody else has seen for what the operation observes. Types whose
    /// operations observe nothing take it for the same.
    fn act_seen(&mut self, dot: Dot, action: &Action, _: &Self) -> Done<Self> {
        self.act(dot, action)
    }

    /// Whether the date of a write decides alone, whatever its author has seen.
    const DATED: bool = false;

    /// Of such a type the delta of one write: what importers join.
    fn written(_: Dot, _: &Action) -> Option<Self::Delta> {
        None
    }

    fn value(&self) -> Value;

    fn rights(&self, _: NodeId) -> u64 {
        0
    }
}

/// As `act_seen`, for types that have a store: the operation on the store that was seen, in the
/// context of the state that is to change.
fn seen<T: Subject + Nested>(state: &mut T, dot: Dot, action: &Action, seen: &T) -> Done<T> {
    let store = seen.causal().store().clone();
    let context = state.causal().context();
    let mut view = T::from_causal(Causal::with_context_of(store, context));
    let Some(delta) = view.act(dot, action)? else { return Ok(None) };
    // The delta starts where the state ends, and all it removes was seen: else `act` had refused.
    let applied = state.apply(&delta);
    applied.map_err(|gap| MutateError::Unseen { dot: Dot::new(gap.node, gap.needs) })?;
    Ok(Some(delta))
}

fn parsed<'a>(texts: impl IntoIterator<Item = &'a String>) -> Value {
    texts.into_iter().map(|text| json_of(text)).collect()
}

fn json_of(text: &str) -> Value {
    text.parse().unwrap_or(Value::Null)
}

fn entries<'a>(entries: impl Iterator<Item = (&'a String, &'a String)>) -> Value {
    entries.map(|(key, value)| (key.clone(), json_of(value))).collect()
}

/// A sum as JSON; beyond 64 bits as a text, as integers are read.
fn sum(sum: i128) -> Value {
    match (u64::try_from(sum), i64::try_from(sum)) {
        (Ok(sum), _) => json!(sum),
        (_, Ok(sum)) => json!(sum),
        _ => json!(sum.to_string()),
    }
}

impl Subject for OrSet<String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Add(element) => self.insert(dot, element.clone()),
            Action::AddAll(elements) => self.insert_all(dot, elements.iter().cloned()),
            Action::Remove(element) => self.remove(dot, element),
            Action::Clear => self.clear(dot),
            _ => return Ok(None),
        }
        .map(Some)
    }

    fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
        seen(self, dot, action, by)
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Subject for RwSet<String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Add(element) => self.insert(dot, element.clone()),
            Action::Remove(element) => self.remove(dot, element.clone()),
            Action::Clear => self.clear(dot),
            _ => return Ok(None),
        }
        .map(Some)
    }

    fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
        seen(self, dot, action, by)
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Subject for GSet<String> {
    fn act(&mut self, _: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Add(element) => Ok(Some(self.insert(element.clone()))),
            _ => Ok(None),
        }
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Subject for TwoPhaseSet<String> {
    fn act(&mut self, _: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Add(element) => Ok(Some(self.insert(element.clone()))),
            Action::Remove(element) => Ok(Some(self.remove(element.clone()))),
            _ => Ok(None),
        }
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl<B: Bias> Subject for LwwSet<String, B> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Add(element) => self.insert(dot, element.clone()),
            Action::Remove(element) => self.remove(dot, element.clone()),
            _ => return Ok(None),
        }
        .map(Some)
    }

    const DATED: bool = true;

    fn written(dot: Dot, action: &Action) -> Option<Self> {
        match action {
            Action::Add(element) => Some(Self::written(dot, element.clone(), Member::In)),
            Action::Remove(element) => Some(Self::written(dot, element.clone(), Member::Out)),
            _ => None,
        }
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Subject for LwwRegister<String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Set(value) => self.set(dot, value.clone()).map(Some),
            _ => Ok(None),
        }
    }

    const DATED: bool = true;

    fn written(dot: Dot, action: &Action) -> Option<Self> {
        match action {
            Action::Set(value) => Some(Self::written(dot, value.clone())),
            _ => None,
        }
    }

    fn value(&self) -> Value {
        self.get().map_or(Value::Null, |text| json_of(text))
    }
}

impl Subject for FwwRegister<String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Set(value) => self.set(dot, value.clone()).map(Some),
            _ => Ok(None),
        }
    }

    const DATED: bool = true;

    fn written(dot: Dot, action: &Action) -> Option<Self> {
        Self::new().act(dot, action).ok().flatten()
    }

    fn value(&self) -> Value {
        self.get().map_or(Value::Null, |text| json_of(text))
    }
}

impl Subject for MvRegister<String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Set(value) => self.set(dot, value.clone()),
            Action::Clear => self.clear(dot),
            _ => return Ok(None),
        }
        .map(Some)
    }

    fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
        seen(self, dot, action, by)
    }

    fn value(&self) -> Value {
        parsed(self.values())
    }
}

impl Subject for GCounter {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Inc(amount) => self.add(dot, amount.unsigned_abs()).map(Some),
            _ => Ok(None),
        }
    }

    fn value(&self) -> Value {
        sum(i128::try_from(self.value()).unwrap_or(i128::MAX))
    }
}

impl Subject for PnCounter {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Inc(amount) => self.add(dot, *amount).map(Some),
            Action::Dec(amount) => self.add(dot, -amount).map(Some),
            _ => Ok(None),
        }
    }

    fn value(&self) -> Value {
        sum(self.value())
    }
}

impl Subject for ResettableCounter {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Inc(amount) => self.add(dot, *amount).map(Some),
            Action::Dec(amount) => self.add(dot, -amount).map(Some),
            _ => Ok(None),
        }
    }

    fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
        seen(self, dot, action, by)
    }

    fn value(&self) -> Value {
        sum(self.value())
    }
}

impl Subject for BoundedCounter {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Inc(amount) => self.add(dot, amount.unsigned_abs()).map(Some),
            Action::Dec(amount) => self.take(dot, amount.unsigned_abs()).map(Some),
            Action::Transfer(amount, _, to) => self.transfer(dot, *to, *amount).map(Some),
            _ => Ok(None),
        }
    }

    fn value(&self) -> Value {
        sum(i128::try_from(self.value()).unwrap_or(i128::MAX))
    }

    fn rights(&self, node: NodeId) -> u64 {
        self.rights_of(node)
    }
}

macro_rules! flag {
    ($type:ty) => {
        impl Subject for $type {
            fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
                match action {
                    Action::Enable => self.enable(dot).map(Some),
                    Action::Disable => self.disable(dot).map(Some),
                    _ => Ok(None),
                }
            }

            fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
                seen(self, dot, action, by)
            }

            fn value(&self) -> Value {
                json!(self.is_on())
            }
        }
    };
}

flag!(EwFlag);
flag!(DwFlag);

impl Subject for LwwMap<String, String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Put(key, value) => self.put(dot, key.clone(), value.clone()),
            Action::Delete(key) => self.remove(dot, key.clone()),
            _ => return Ok(None),
        }
        .map(Some)
    }

    const DATED: bool = true;

    fn written(dot: Dot, action: &Action) -> Option<Self> {
        match action {
            Action::Put(key, value) => Some(Self::written(dot, key.clone(), Some(value.clone()))),
            Action::Delete(key) => Some(Self::written(dot, key.clone(), None)),
            _ => None,
        }
    }

    fn value(&self) -> Value {
        entries(self.iter())
    }
}

impl Subject for AwLwwMap<String, String> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Put(key, value) => self.put(dot, key.clone(), value.clone()),
            Action::Delete(key) => self.remove(dot, key),
            _ => return Ok(None),
        }
        .map(Some)
    }

    fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
        seen(self, dot, action, by)
    }

    fn value(&self) -> Value {
        entries(self.iter())
    }
}

impl<V: Subject + Nested> Subject for OrMap<String, V> {
    fn act(&mut self, dot: Dot, action: &Action) -> Done<Self> {
        match action {
            Action::Update(key, inner) => {
                let mut known = true;
                let updated = self.update(dot, key.clone(), |value| {
                    let done = value.act(dot, inner)?;
                    known = done.is_some();
                    Ok(done.unwrap_or_else(crate::Delta::nothing))
                });
                updated.map(|delta| known.then_some(delta))
            }
            Action::Delete(key) => self.remove(dot, key).map(Some),
            _ => Ok(None),
        }
    }

    fn act_seen(&mut self, dot: Dot, action: &Action, by: &Self) -> Done<Self> {
        seen(self, dot, action, by)
    }

    fn value(&self) -> Value {
        self.iter().map(|(key, value)| (key.clone(), value.value())).collect()
    }
}
