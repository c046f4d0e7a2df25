//! The messages: `{"src": "c1", "dest": "n1", "body": {"type": …, "msg_id": …}}`, one a line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a message says. The type, and whom it answers, are keys like all others.
pub(crate) type Body = Map<String, Value>;

/// One line. A key beside these three, such as Maelstrom's own `id`, is passed over.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Message {
    pub(crate) src: String,
    pub(crate) dest: String,
    pub(crate) body: Body,
}

impl Message {
    pub(crate) fn new(src: &str, dest: &str, body: Body) -> Self {
        Self { src: src.to_owned(), dest: dest.to_owned(), body }
    }

    pub(crate) fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// What kind of message it is; empty where it does not say.
    pub(crate) fn kind(&self) -> &str {
        self.body.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn to_line(&self) -> String {
        // A map with text keys and values from JSON is always JSON again.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A body of this type.
pub(crate) fn body(kind: &str) -> Body {
    Body::from_iter([("type".to_owned(), kind.into())])
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

    pub(crate) fn into_body(self) -> Body {
        let mut body = body("error");
        body.insert("code".to_owned(), (self.0 as i64).into());
        body.insert("text".to_owned(), self.1.into());
        body
    }
}
