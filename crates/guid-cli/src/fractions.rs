//! The JSON object of an ID: every fraction and every text. Its keys and their order are a stable
//! contract; keys that do not apply are absent.

use guid_core::{NodeId, Stamp};
use jiff::Timestamp;
use serde::Serialize;

use crate::form::{Form, Id, write};

/// What `inspect` and `compose` tell of an ID. Quantities that a double cannot hold are text.
#[derive(Debug, Serialize)]
pub(crate) struct Fractions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    kind: &'static str,
    code: u8,
    window_ns: u64,
    tick: u64,
    seq: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<NodeId>,
    unix_ns: String,
    time: String,
    stamp: Stamp,
    bytes: String,
    lex: String,
    base32: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base62: Option<String>,
    base62_padded: String,
    hex: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    local: Option<String>,
}

impl<'a> Fractions<'a> {
    pub(crate) fn new(id: Id, input: Option<&'a str>) -> Self {
        let stamp = id.stamp();
        let always = |form| write(id, form).unwrap_or_default();
        Self {
            input,
            kind: match id {
                Id::Global(_) => "global",
                Id::Local(_) => "local",
            },
            code: id.drift().code(),
            window_ns: window_ns(id),
            tick: stamp.tick().as_u64(),
            seq: stamp.seq().as_u16(),
            node: id.node(),
            unix_ns: stamp.unix_nanos().to_string(),
            time: time(stamp),
            stamp,
            bytes: always(Form::Hex),
            lex: always(Form::Lex),
            base32: always(Form::Base32),
            base62: write(id, Form::Base62).ok(),
            base62_padded: always(Form::Base62Padded),
            hex: always(Form::Hex),
            uuid: write(id, Form::Uuid).ok(),
            local: match id {
                Id::Global(id) => Some(id.to_local().1.to_string()),
                Id::Local(_) => None,
            },
        }
    }
}

pub(crate) fn window_ns(id: Id) -> u64 {
    u64::try_from(id.drift().window().as_nanos()).expect("the widest window is 2^42 ns")
}

/// RFC 3339 in UTC, with nanoseconds.
pub(crate) fn time(stamp: Stamp) -> String {
    let timestamp = Timestamp::from_nanosecond(stamp.unix_nanos().into());
    format!("{:.9}", timestamp.expect("an ID's time ends in 2554, a timestamp's in 9999"))
}
