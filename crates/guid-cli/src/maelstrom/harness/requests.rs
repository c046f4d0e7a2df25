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
    /// The type of the answer, and the key that it must have beside it, with its value.
    pub(super) reply: &'static str,
    pub(super) answer: Option<(&'static str, Answer)>,
}

/// What an answer may be. What is none of it would not be a history, so it is refused at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Anything: the checker compares.
    Any,
    /// Anything but null, which is how a history has that there is none.
    Id,
    List,
    /// A whole number that fits 64 bits, signed.
    Integer,
}

/// How deep lists may stand in lists: the history that they become part of is read again.
const DEEPEST: usize = 100;

impl Workload {
    /// Who judges the history.
    pub(super) const fn checker(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::UniqueIds => "unique-ids",
            Self::Broadcast | Self::GSet => "set-full",
            Self::GCounter => "g-counter",
            Self::PnCounter => "pn-counter",
        }
    }

    /// The n-th request of a test; every second one reads, where there is something to read.
    pub(super) fn request(self, n: u64) -> Request {
        match self {
            Self::Echo => {
                let said = json!(format!("Please echo {n}"));
                Request::write("echo", "echo", said).answered_with("echo", Answer::Any)
            }
            Self::UniqueIds => Request::ask("generate", "generate_ok", ("id", Answer::Id)),
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
        let answer = match self {
            Self::Broadcast => ("messages", Answer::List),
            Self::GCounter | Self::PnCounter => ("value", Answer::Integer),
            _ => ("value", Answer::List),
        };
        Request::ask("read", "read_ok", answer)
    }

    /// Whether the last thing that clients do is to read.
    pub(super) const fn is_read_at_the_end(self) -> bool {
        !matches!(self, Self::Echo | Self::UniqueIds)
    }
}

impl Request {
    /// Asks for something, which is to be answered under a key.
    fn ask(function: &'static str, reply: &'static str, answer: (&'static str, Answer)) -> Self {
        let body = body(function);
        Self { function, value: Value::Null, body, reply, answer: Some(answer) }
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
        Self { function, value, body, reply, answer: None }
    }

    fn answered_with(self, key: &'static str, answer: Answer) -> Self {
        Self { answer: Some((key, answer)), ..self }
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
        let own = self.answer.map(|(key, _)| key);
        let known = |key: &str| ["type", "in_reply_to", "msg_id"].contains(&key);
        let extra = reply.keys().find(|key| !known(key) && Some(key.as_str()) != own);
        if let Some(extra) = extra {
            return Err(format!("a `{kind}` has no `{extra}`"));
        }
        let Some((key, answer)) = self.answer else { return Ok(self.value.clone()) };
        let value = reply.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
        if is_deeper(value, DEEPEST) {
            return Err(format!(
                "`{key}`: expected at most {DEEPEST} lists or objects in each other"
            ));
        }
        match answer.expected(value) {
            Some(expected) => Err(format!("`{key}` is {value}, expected {expected}")),
            None => Ok(value.clone()),
        }
    }
}

impl Answer {
    /// What was expected, if a value is something else.
    fn expected(self, value: &Value) -> Option<&'static str> {
        let (is_right, expected) = match self {
            Self::Any => (true, "anything"),
            Self::Id => (!value.is_null(), "an ID"),
            Self::List => (value.is_array(), "a list"),
            Self::Integer => (value.is_i64(), "a whole number of 64 bits, signed"),
        };
        (!is_right).then_some(expected)
    }
}

/// Whether lists and objects are in each other deeper than this.
fn is_deeper(value: &Value, than: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(list) => Box::new(list.iter()),
        Value::Object(object) => Box::new(object.values()),
        _ => return false,
    };
    than == 0 || inner.any(|value| is_deeper(value, than - 1))
}
