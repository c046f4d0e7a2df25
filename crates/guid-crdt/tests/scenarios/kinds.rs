//! The types as the scenarios see them.

use core::fmt::Debug;

use guid_core::NodeId;
use guid_crdt::{
    BoundedCounter, Dot, DwFlag, EwFlag, GCounter, LwwMap, LwwRegister, MutateError, MvRegister,
    Nested, OrMap, OrSet, PnCounter, Replicated, ResettableCounter, RwSet, TwoPhaseSet,
};
use serde_json::{Value, json};

pub(crate) type Done<T> = Result<<T as Replicated>::Delta, MutateError>;

/// A type as the scenarios see it.
pub(crate) trait Kind: Replicated<Delta: Clone> + PartialEq + Debug {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], seen_by: Option<&Self>) -> Done<Self>;
    fn value(&self) -> Value;
    /// Of a bounded counter.
    fn rights(&self, _: NodeId) -> u64 {
        panic!("a type without rights")
    }
}

impl Kind for OrSet<String> {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], seen_by: Option<&Self>) -> Done<Self> {
        match name {
            "add" => self.insert(dot, args[0].to_string()),
            "add_all" => {
                self.insert_all(dot, args[0].as_array().unwrap().iter().map(Value::to_string))
            }
            "remove" => {
                let value = args[0].to_string();
                let seen = seen_by.unwrap_or(self).seen(&value);
                self.remove_seen(dot, value, &seen)
            }
            "clear" => self.clear(dot),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Kind for MvRegister<String> {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "set" => self.set(dot, args[0].to_string()),
            "clear" => self.clear(dot),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        parsed(self.values())
    }
}

impl Kind for LwwRegister<String> {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        assert_eq!(name, "set");
        self.set(dot, args[0].to_string())
    }

    fn value(&self) -> Value {
        self.get().map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
    }
}

pub(crate) fn parsed<'a>(texts: impl IntoIterator<Item = &'a String>) -> Value {
    texts.into_iter().map(|text| serde_json::from_str::<Value>(text).unwrap()).collect()
}

impl Kind for RwSet<String> {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "add" => self.insert(dot, args[0].to_string()),
            "remove" => self.remove(dot, args[0].to_string()),
            "clear" => self.clear(dot),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Kind for TwoPhaseSet<String> {
    fn op(&mut self, _: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "add" => Ok(self.insert(args[0].to_string())),
            "remove" => Ok(self.remove(args[0].to_string())),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        parsed(self.iter())
    }
}

impl Kind for GCounter {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "inc" => self.add(dot, args[0].as_u64().unwrap()),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        json!(u64::try_from(self.value()).unwrap())
    }
}

impl Kind for PnCounter {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "inc" => self.add(dot, args[0].as_i64().unwrap()),
            "dec" => self.add(dot, -args[0].as_i64().unwrap()),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        json!(i64::try_from(self.value()).unwrap())
    }
}

impl Kind for ResettableCounter {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "inc" => self.add(dot, args[0].as_i64().unwrap()),
            "dec" => self.add(dot, -args[0].as_i64().unwrap()),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        json!(i64::try_from(self.value()).unwrap())
    }
}

impl Kind for BoundedCounter {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "inc" => self.add(dot, args[0].as_u64().unwrap()),
            "dec" => self.take(dot, args[0].as_u64().unwrap()),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        json!(u64::try_from(self.value()).unwrap())
    }

    fn rights(&self, node: NodeId) -> u64 {
        self.rights_of(node)
    }
}

impl Kind for EwFlag {
    fn op(&mut self, dot: Dot, name: &str, _: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "enable" => self.enable(dot),
            "disable" => self.disable(dot),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        json!(self.is_on())
    }
}

impl Kind for DwFlag {
    fn op(&mut self, dot: Dot, name: &str, _: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "enable" => self.enable(dot),
            "disable" => self.disable(dot),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        json!(self.is_on())
    }
}

impl Kind for LwwMap<String, String> {
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "put" => self.put(dot, text(&args[0]), args[1].to_string()),
            "remove" => self.remove(dot, text(&args[0])),
            _ => panic!("no such operation: {name}"),
        }
    }

    fn value(&self) -> Value {
        self.iter().map(|(key, value)| (key.clone(), value.parse::<Value>().unwrap())).collect()
    }
}

impl<V: Kind + Nested> Kind for OrMap<String, V>
where
    V::Store: Debug,
{
    fn op(&mut self, dot: Dot, name: &str, args: &[Value], _: Option<&Self>) -> Done<Self> {
        match name {
            "update" => {
                let inner = args[1].as_array().unwrap();
                let name = inner[0].as_str().unwrap();
                self.update(dot, text(&args[0]), |value| value.op(dot, name, &inner[1..], None))
            }
            "remove" => self.remove(dot, &text(&args[0])),
            _ => panic!("no such operation: {name}"),
        }
    }

    /// Keys whose value shows nothing are left out.
    fn value(&self) -> Value {
        let values = self.iter().map(|(key, value)| (key.clone(), value.value()));
        values.filter(|(_, value)| ![json!([]), json!(0), json!(false)].contains(value)).collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
