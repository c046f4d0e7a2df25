//! What holds for every input of every decoder.
//!
//! Nothing panics. What is read is written again as it was (but for the case of letters, where
//! either case is read), so two texts that differ are two IDs. An error points inside the text, at
//! the beginning of a character.

use std::fmt::{Debug, Display};

use guid_core::{
    Guid, LocalId, ParseError,
    uid::{LocalUid, Uid},
};

/// A decoder, and a text of the ID with these bytes to begin from.
pub(crate) struct Decoder {
    /// How it is called in tests, in the fuzzer, and in file names.
    pub(crate) name: &'static str,
    /// Checks one input and says whether it was read.
    pub(crate) check: fn(&[u8]) -> bool,
    /// The text that it would write of an ID.
    pub(crate) text: fn([u8; 12]) -> String,
}

/// Whether letters are read in either case.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    Exact,
    Either,
}

fn text_of(input: &[u8]) -> Option<&str> {
    str::from_utf8(input).ok()
}

/// Reads a text and writes it again.
fn check<T: Copy + Debug, W: Display>(
    input: &[u8],
    case: Case,
    read: fn(&str) -> Result<T, ParseError>,
    write: fn(T) -> W,
) -> bool {
    let Some(text) = text_of(input) else { return false };
    match read(text) {
        Ok(id) => {
            let again = write(id).to_string();
            let same = again == text || case == Case::Either && again.eq_ignore_ascii_case(text);
            assert!(same, "{text:?} reads as {again:?}");
            true
        }
        Err(error) => {
            let inside =
                error.offset().is_none_or(|at| at < text.len() && text.is_char_boundary(at));
            assert!(inside, "{error} in {text:?}");
            false
        }
    }
}

/// Reads a JSON text and writes it again; `same` compares what JSON itself leaves open.
fn check_json<T>(input: &[u8], same: impl Fn(&str, &str) -> bool) -> bool
where
    T: Copy + Debug + serde::Serialize + serde::de::DeserializeOwned,
{
    let Some(text) = text_of(input) else { return false };
    let Ok(id) = serde_json::from_str::<T>(text) else { return false };
    let again = serde_json::to_string(&id).expect("an ID is JSON");
    let (plain, again): (String, String) = (
        serde_json::from_str(text).expect("an ID is a string"),
        serde_json::from_str(&again).expect("an ID is a string"),
    );
    assert!(same(&plain, &again), "{text:?} reads as {again:?}");
    true
}

fn local(bytes: [u8; 12]) -> LocalId {
    let [bytes @ .., _, _, _, _] = bytes;
    LocalId::from_bytes(bytes)
}

fn global(bytes: [u8; 12]) -> Guid {
    Guid::from_bytes(bytes)
}

/// A decoder of text.
macro_rules! decoder {
    ($name:literal, $case:ident, $make:expr, $read:expr, $write:expr) => {
        Decoder {
            name: $name,
            check: |input| check(input, Case::$case, $read, $write),
            text: |bytes| ($write)($make(bytes)).to_string(),
        }
    };
}

/// Unpadded base62 has no text for some IDs; those begin from the padded one.
fn unpadded<W: Display>(text: Option<W>) -> String {
    text.map_or_else(|| "0".repeat(17), |text| text.to_string())
}

fn star(text: &str) -> String {
    format!("*{text}")
}

/// All decoders.
pub(crate) const DECODERS: [Decoder; 16] = [
    decoder!("lex", Exact, global, str::parse, Guid::to_lex),
    decoder!("lex-local", Exact, local, str::parse, LocalId::to_lex),
    decoder!("base32", Either, global, Guid::from_base32, Guid::to_base32),
    decoder!("base32-local", Either, local, LocalId::from_base32, LocalId::to_base32),
    decoder!("base62", Exact, global, Guid::from_base62, |id: Guid| unpadded(id.to_base62())),
    decoder!("base62-local", Exact, local, LocalId::from_base62, |id: LocalId| {
        unpadded(id.to_base62())
    }),
    decoder!("base62-padded", Exact, global, Guid::from_base62_padded, Guid::to_base62_padded),
    decoder!(
        "base62-padded-local",
        Exact,
        local,
        LocalId::from_base62_padded,
        LocalId::to_base62_padded
    ),
    decoder!("hex", Either, global, Guid::from_hex, Guid::to_hex),
    decoder!("hex-local", Either, local, LocalId::from_hex, LocalId::to_hex),
    decoder!("uuid", Either, global, Guid::from_uuid, Guid::to_uuid),
    // The node is read and dropped: what is left of it is compared as a global.
    Decoder {
        name: "starred",
        check: |input| {
            let Some(text) = text_of(input) else { return false };
            let Ok(id) = LocalId::from_starred(text) else { return false };
            let global: Guid = text[1..].parse().expect("a global stands behind the star");
            assert_eq!((global.to_local().1, star(&global.to_lex())), (id, text.to_owned()));
            true
        },
        text: |bytes| star(&global(bytes).to_lex()),
    },
    Decoder {
        name: "json",
        check: |input| check_json::<Guid>(input, |text, again| text == again),
        text: |bytes| serde_json::to_string(&global(bytes)).expect("an ID is JSON"),
    },
    Decoder {
        name: "json-local",
        check: |input| {
            check_json::<LocalId>(input, |text, again| {
                LocalId::from_starred(text) == LocalId::from_starred(again)
            })
        },
        text: |bytes| serde_json::to_string(&star(&global(bytes).to_lex())).expect("JSON"),
    },
    decoder!("uid", Exact, Uid::from_bytes, str::parse, Uid::to_text),
    decoder!(
        "uid-local",
        Exact,
        |[bytes @ .., _, _, _, _]: [u8; 12]| LocalUid::from_bytes(bytes),
        str::parse,
        LocalUid::to_text
    ),
];

/// The decoder of this name.
pub(crate) fn decoder(name: &str) -> &'static Decoder {
    const ALL: &[Decoder; 16] = &DECODERS;
    ALL.iter().find(|decoder| decoder.name == name).expect("a decoder of this name")
}
