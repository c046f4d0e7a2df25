//! The messages: `{"src": "c1", "dest": "n1", "body": {"type": …, "msg_id": …}}`, one a line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

/// What a message says. The type, and whom it answers, are keys like all others.
pub(crate) type Body = Map<String, Value>;

/// The same with values that are texts still: what is only handed on comes back as it was written,
/// numbers that no machine word holds included.
pub(crate) type RawBody = BTreeMap<String, Box<RawValue>>;

/// One line. A key beside these three, such as Maelstrom's own `id`, is passed over.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Message<B = Body> {
    pub(crate) src: String,
    pub(crate) dest: String,
    pub(crate) body: B,
}

impl<B: Serialize + DeserializeOwned> Message<B> {
    pub(crate) fn new(src: &str, dest: &str, body: B) -> Self {
        Self { src: src.to_owned(), dest: dest.to_owned(), body }
    }

    pub(crate) fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    pub(crate) fn to_line(&self) -> String {
        // A map with text keys and values from JSON is always JSON again.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Message {
    /// What kind of message it is; empty where it does not say.
    pub(crate) fn kind(&self) -> &str {
        self.body.get("type").and_then(Value::as_str).unwrap_or_default()
    }
}

/// A body of this type.
pub(crate) fn body(kind: &str) -> Body {
    Body::from_iter([("type".to_owned(), kind.into())])
}

/// A body of this type, of values that are texts.
pub(crate) fn raw_body(kind: &str) -> RawBody {
    RawBody::from_iter([("type".to_owned(), raw(&kind))])
}

/// A value as a text.
pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    // What is written here has text keys, and is JSON; null is never needed.
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Why a request was not carried out: the codes of the protocol that are used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The request is of a kind that is not known here.
    NotSupported = 10,
    /// Not now.
    TemporarilyUnavailable = 11,
    /// A key is missing, or not what it should be.
    MalformedRequest = 12,
    /// It may or may not have happened.
    Crash = 13,
    /// It would come to what cannot be.
    PreconditionFailed = 22,
}

/// Whether a failure of this code says for certain that nothing happened.
pub(crate) const fn is_definite(code: i64) -> bool {
    matches!(code, 1 | 10 | 11 | 12 | 14 | 20 | 21 | 22 | 30)
}

/// A refusal: the code, and a text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) Code, pub(crate) String);

impl Refusal {
    pub(crate) fn malformed(why: impl Into<String>) -> Self {
        Self(Code::MalformedRequest, why.into())
    }

    pub(crate) fn into_body(self) -> RawBody {
        let mut body = raw_body("error");
        body.insert("code".to_owned(), raw(&(self.0 as i64)));
        body.insert("text".to_owned(), raw(&self.1));
        body
    }
}
