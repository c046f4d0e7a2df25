//! What clients ask for in a workload, and how they understand the answers.

use serde_json::{Value, json};

use super::{
    super::{
        Workload,
        protocol::{Body, body},
    },
    record::Operation,
};

/// What a client asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// The operation in the history.
    pub(super) function: &'static str,
    /// Its value there: what is written; null for what is read.
    pub(super) value: Value,
    pub(super) body: Body,
    /// The type of the answer, and the key that it must have beside it.
    pub(super) reply: &'static str,
    pub(super) key: Option<&'static str>,
}

impl Workload {
    /// Who judges the history; an echo is judged at once.
    pub(super) const fn checker(self) -> Option<&'static str> {
        match self {
            Self::Echo => None,
            Self::UniqueIds => Some("unique-ids"),
            Self::Broadcast | Self::GSet => Some("set-full"),
            Self::GCounter => Some("g-counter"),
            Self::PnCounter => Some("pn-counter"),
        }
    }

    /// The n-th request of a test; every second one reads, where there is something to read.
    pub(super) fn request(self, n: u64) -> Request {
        match self {
            Self::Echo => {
                let said = json!(format!("Please echo {n}"));
                Request::write("echo", "echo", said).answered_with(Some("echo"))
            }
            Self::UniqueIds => Request::ask("generate", "generate_ok", "id"),
            _ if n % 2 == 1 => self.read(),
            Self::Broadcast => Request::write("broadcast", "message", json!(n / 2)),
            Self::GSet => Request::write("add", "element", json!(n / 2)),
            Self::GCounter => Request::write("add", "delta", json!(n / 2 % 5)),
            // From -5 to 4, in an order that does not cancel itself out.
            Self::PnCounter => {
                let delta = i64::try_from(n / 2 * 7 % 10).unwrap_or_default() - 5;
                Request::write("add", "delta", json!(delta))
            }
        }
    }

    pub(super) fn read(self) -> Request {
        let key = if self == Self::Broadcast { "messages" } else { "value" };
        Request::ask("read", "read_ok", key)
    }

    /// Whether the last thing that clients do is to read.
    pub(super) const fn is_read_at_the_end(self) -> bool {
        !matches!(self, Self::Echo | Self::UniqueIds)
    }
}

impl Request {
    /// Asks for something, which is to be answered under a key.
    fn ask(function: &'static str, reply: &'static str, key: &'static str) -> Self {
        let body = body(function);
        Self { function, value: Value::Null, body, reply, key: Some(key) }
    }

    /// Hands a value over under a key; the answer has none.
    fn write(function: &'static str, key: &str, value: Value) -> Self {
        let reply = match function {
            "echo" => "echo_ok",
            "broadcast" => "broadcast_ok",
            _ => "add_ok",
        };
        let mut body = body(function);
        body.insert(key.to_owned(), value.clone());
        Self { function, value, body, reply, key: None }
    }

    fn answered_with(self, key: Option<&'static str>) -> Self {
        Self { key, ..self }
    }

    pub(super) const fn operation(&self, is_final: bool) -> Operation<'_> {
        Operation { function: self.function, value: &self.value, is_final }
    }

    /// What an answer says, or what is wrong with it.
    pub(super) fn understand(&self, reply: &Body) -> Result<Value, String> {
        let kind = reply.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind != self.reply {
            return Err(format!("its type is `{kind}`, expected `{}`", self.reply));
        }
        let known = |key: &str| ["type", "in_reply_to", "msg_id"].contains(&key);
        let extra = reply.keys().find(|key| !known(key) && Some(key.as_str()) != self.key);
        if let Some(extra) = extra {
            return Err(format!("a `{kind}` has no `{extra}`"));
        }
        let Some(key) = self.key else { return Ok(self.value.clone()) };
        let value = reply.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
        match self.function {
            "echo" if *value != self.value => Err(format!("it echoes {value}, not {}", self.value)),
            "read" if key == "messages" && !value.is_array() => {
                Err(format!("`{key}` is {value}, expected a list"))
            }
            _ => Ok(value.clone()),
        }
    }
}
