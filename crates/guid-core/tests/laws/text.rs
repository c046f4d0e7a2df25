//! Texts: every form comes back, has one text a value, sorts where it says so, and never panics.

use guid_core::{Guid, LocalId, NodeId, ParseError};
use proptest::{prelude::*, sample::Index};

use crate::spec::{cases, guid, local};

/// One form of one type.
struct Form<T> {
    name: &'static str,
    write: fn(T) -> Option<String>,
    read: fn(&str) -> Result<T, ParseError>,
    sorts: bool,
    either_case: bool,
}

fn global_forms() -> [Form<Guid>; 6] {
    let form = |name, write, read| Form { name, write, read, sorts: true, either_case: false };
    [
        form("lex", |id: Guid| Some(id.to_string()), str::parse),
        form("base62", |id| Some(id.to_base62_padded().to_string()), Guid::from_base62_padded),
        Form {
            sorts: false,
            ..form("unpadded", |id| id.to_base62().map(|text| text.to_string()), Guid::from_base62)
        },
        Form {
            either_case: true,
            ..form("base32", |id| Some(id.to_base32().to_string()), Guid::from_base32)
        },
        Form {
            either_case: true,
            ..form("hex", |id| Some(id.to_hex().to_string()), Guid::from_hex)
        },
        Form {
            either_case: true,
            ..form("uuid", |id| Some(id.to_uuid().to_string()), Guid::from_uuid)
        },
    ]
}

/// The starred form is apart: it carries a node that reading drops.
fn local_forms() -> [Form<LocalId>; 5] {
    let form = |name, write, read| Form { name, write, read, sorts: true, either_case: false };
    [
        form("lex", |id: LocalId| Some(id.to_string()), str::parse),
        form("base62", |id| Some(id.to_base62_padded().to_string()), LocalId::from_base62_padded),
        Form {
            sorts: false,
            ..form("unpadded", |id| id.to_base62().map(|s| s.to_string()), LocalId::from_base62)
        },
        Form {
            either_case: true,
            ..form("base32", |id| Some(id.to_base32().to_string()), LocalId::from_base32)
        },
        Form {
            either_case: true,
            ..form("hex", |id| Some(id.to_hex().to_string()), LocalId::from_hex)
        },
    ]
}

const LEX: &str = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const BASE62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE32: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

fn spelled(mut number: u128, alphabet: &str, width: usize) -> String {
    let base = alphabet.len() as u128;
    let mut digits = Vec::new();
    for _ in 0..width {
        let digit = usize::try_from(number % base).expect("below 64");
        digits.push(char::from(alphabet.as_bytes()[digit]));
        number /= base;
    }
    digits.iter().rev().collect()
}

/// Characters that are digits somewhere, nearly so, or not one byte long.
const CHARACTERS: &str = ".0189ABEFGIJLOUVZ_abefgilouz*-+/ \0\x7f`[{éß世😀０";

fn near_text() -> impl Strategy<Value = String> {
    let one = prop::sample::select(CHARACTERS.chars().collect::<Vec<_>>());
    prop::collection::vec(one, 0..40).prop_map(String::from_iter)
}

impl<T: Copy + Ord + core::fmt::Debug> Form<T> {
    fn comes_back(&self, id: T) -> Result<(), TestCaseError> {
        if let Some(text) = (self.write)(id) {
            prop_assert!(text.is_ascii());
            prop_assert_eq!((self.read)(&text), Ok(id), "{}", self.name);
            if self.either_case {
                prop_assert_eq!((self.read)(&text.to_ascii_uppercase()), Ok(id), "{}", self.name);
                prop_assert_eq!((self.read)(&text.to_ascii_lowercase()), Ok(id), "{}", self.name);
            }
        }
        Ok(())
    }

    /// What is read is written again as it was: hence no value has two texts.
    fn has_one_text(&self, text: &str) -> Result<(), TestCaseError> {
        if let Ok(id) = (self.read)(text) {
            let again = (self.write)(id).unwrap_or_default();
            let same = again == text || self.either_case && again.eq_ignore_ascii_case(text);
            prop_assert!(same, "{}: {text:?} reads as {again:?}", self.name);
        }
        Ok(())
    }

    /// Another character anywhere gives an error inside the text, or another ID.
    fn notices(&self, id: T, at: Index, with: char) -> Result<(), TestCaseError> {
        let Some(text) = (self.write)(id) else { return Ok(()) };
        let at = at.index(text.len());
        let changed = format!("{}{with}{}", &text[..at], &text[at + 1..]);
        let same = changed == text || self.either_case && changed.eq_ignore_ascii_case(&text);
        match (self.read)(&changed) {
            Ok(other) => prop_assert_eq!(other == id, same, "{}: {} {}", self.name, text, changed),
            Err(error) => {
                prop_assert!(!same, "{}: {error}", self.name);
                let inside = error.offset().is_none_or(|at| changed.is_char_boundary(at));
                prop_assert!(inside, "{}: {error} in {changed:?}", self.name);
            }
        }
        self.has_one_text(&changed)
    }

    /// No text goes on after its end, begins before its start, or stops short.
    fn has_one_length(&self, id: T, more: &str) -> Result<(), TestCaseError> {
        let Some(text) = (self.write)(id) else { return Ok(()) };
        for other in [format!("{text}{more}"), format!("{more}{text}")] {
            if self.name != "unpadded" {
                prop_assert!((self.read)(&other).is_err(), "{}: {other:?}", self.name);
            }
            self.has_one_text(&other)?;
        }
        prop_assert_ne!((self.read)(&text[1..]), Ok(id), "{}", self.name);
        prop_assert_ne!((self.read)(&text[..text.len() - 1]), Ok(id), "{}", self.name);
        Ok(())
    }

    fn sorts_as_promised(&self, a: T, b: T) -> Result<(), TestCaseError> {
        if self.sorts {
            prop_assert_eq!((self.write)(a).cmp(&(self.write)(b)), a.cmp(&b), "{}", self.name);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_form_comes_back(id in guid(), local in local()) {
        global_forms().iter().try_for_each(|form| form.comes_back(id))?;
        local_forms().iter().try_for_each(|form| form.comes_back(local))?;
    }

    /// The digits are those of the number, counted off by division.
    #[test]
    fn digits_are_those_of_the_number(id in guid(), local in local()) {
        let number = id.to_u128();
        prop_assert_eq!(&*id.to_lex(), spelled(number, LEX, 16));
        prop_assert_eq!(&*id.to_base62_padded(), spelled(number, BASE62, 17));
        prop_assert_eq!(&*id.to_base32(), spelled(number, BASE32, 20));
        prop_assert_eq!(&*id.to_hex(), format!("{number:024x}"));
        let number = u128::from(local.as_u64());
        prop_assert_eq!(&*local.to_lex(), spelled(number, &LEX[..16], 16));
        prop_assert_eq!(&*local.to_base62_padded(), spelled(number, BASE62, 11));
        prop_assert_eq!(&*local.to_base32(), spelled(number, BASE32, 13));
        prop_assert_eq!(&*local.to_hex(), format!("{number:016x}"));
    }

    #[test]
    fn forms_sort_as_the_bytes(a in guid(), b in guid(), c in local(), d in local()) {
        global_forms().iter().try_for_each(|form| form.sorts_as_promised(a, b))?;
        local_forms().iter().try_for_each(|form| form.sorts_as_promised(c, d))?;
    }

    #[test]
    fn a_changed_character_is_noticed(
        id in guid(),
        local in local(),
        at: Index,
        with in prop_oneof![any::<char>(), (0..128_u8).prop_map(char::from)],
    ) {
        global_forms().iter().try_for_each(|form| form.notices(id, at, with))?;
        local_forms().iter().try_for_each(|form| form.notices(local, at, with))?;
    }

    #[test]
    fn a_text_has_one_length(id in guid(), local in local(), more in "[0-9a-f.*]{1,3}") {
        global_forms().iter().try_for_each(|form| form.has_one_length(id, &more))?;
        local_forms().iter().try_for_each(|form| form.has_one_length(local, &more))?;
    }

    #[test]
    fn any_text_is_safe_and_reading_is_injective(any in any::<String>(), near in near_text()) {
        for text in [&*any, &*near] {
            global_forms().iter().try_for_each(|form| form.has_one_text(text))?;
            local_forms().iter().try_for_each(|form| form.has_one_text(text))?;
            if let Ok(node) = text.parse::<NodeId>() {
                prop_assert!(node.to_string().eq_ignore_ascii_case(text));
            }
        }
    }

    /// Texts of exactly the right length in bytes, where slicing at a fixed place would fall
    /// inside a character.
    #[test]
    fn multi_byte_text_of_the_right_length_is_refused(width in 8..37_usize, near in near_text()) {
        let mut text: String = near.chars().take_while(char::is_ascii).take(width - 3).collect();
        text.push('世');
        while text.len() < width {
            text.push('0');
        }
        for form in global_forms() {
            prop_assert!((form.read)(&text).is_err(), "{}", form.name);
        }
        for form in local_forms() {
            prop_assert!((form.read)(&text).is_err(), "{}", form.name);
        }
        prop_assert!(text.parse::<NodeId>().is_err());
    }

    /// The starred form of a local is a `*` and any global of it.
    #[test]
    fn a_starred_local_is_a_star_and_a_global(
        local in local(),
        node: u32,
        any in any::<String>(),
        near in near_text(),
    ) {
        let global = local.to_global(NodeId::new(node));
        prop_assert_eq!(LocalId::from_starred(&format!("*{global}")), Ok(local));
        let nobody = local.to_global(NodeId::new(0));
        prop_assert_eq!(local.to_starred().to_string(), format!("*{nobody}"));
        for text in [any.clone(), near.clone(), format!("*{any}"), format!("*{near}")] {
            let global = text.strip_prefix('*').and_then(|text| text.parse().ok());
            let expected = global.map(|id: Guid| id.to_local().1);
            prop_assert_eq!(LocalId::from_starred(&text).ok(), expected);
        }
    }

    #[test]
    fn a_node_is_eight_digits(node: u32) {
        prop_assert_eq!(NodeId::new(node).to_string(), format!("{node:08x}"));
        prop_assert_eq!(format!("{node:08X}").parse(), Ok(NodeId::new(node)));
    }
}

/// Thirty-three digits whose last thirty-two embed an ID: a reader that shifts the first one out
/// would take it.
#[test]
fn a_uuid_with_a_digit_too_many_is_refused() {
    let digits = Guid::MAX.to_uuid().replace('-', "");
    let mut text = format!("0{digits}");
    for at in [8, 13, 18, 23] {
        text.insert(at, '-');
    }
    assert_eq!(text.len(), 37);
    assert!(Guid::from_uuid(&text).is_err());
}

/// Unpadded base62 begins where upstream can read it: at the first value of full width. It has no
/// leading zero, not even one.
#[test]
fn unpadded_base62_begins_at_full_width() {
    let (below, first) = ((1_u128 << 88) - 1, 1_u128 << 88);
    let id = |number| Guid::from_u128(number).unwrap();
    let text = spelled(below, BASE62, 17).trim_start_matches('0').to_owned();
    assert_eq!((id(below).to_base62(), Guid::from_base62(&text).is_ok()), (None, false));
    let text = spelled(first, BASE62, 17).trim_start_matches('0').to_owned();
    assert_eq!(id(first).to_base62().as_deref(), Some(&*text));
    assert_eq!(Guid::from_base62(&text), Ok(id(first)));
    assert_eq!(Guid::from_base62(&format!("0{text}")).unwrap_err().offset(), Some(0));

    let (below, first) = ((1_u64 << 56) - 1, 1_u64 << 56);
    let text = spelled(below.into(), BASE62, 11).trim_start_matches('0').to_owned();
    assert_eq!(LocalId::from_u64(below).to_base62(), None);
    assert!(LocalId::from_base62(&text).is_err());
    let text = spelled(first.into(), BASE62, 11).trim_start_matches('0').to_owned();
    assert_eq!(LocalId::from_base62(&text), Ok(LocalId::from_u64(first)));
    assert_eq!(LocalId::from_base62(&format!("0{text}")).unwrap_err().offset(), Some(0));
}

/// The largest text of each form and the one after it: `8ZZ…` must not wrap to `0ZZ…`.
#[test]
fn a_number_over_the_end_is_refused() {
    assert_eq!(Guid::from_base32("3ZZZZZZZZZZZZZZZZZZZ").unwrap_err().offset(), Some(0));
    assert_eq!(Guid::MAX.to_base32(), "1ZZZZZZZZZZZZZZZZZZZ");
    assert!(Guid::from_base32("20000000000000000000").is_err());
    assert_eq!(LocalId::MAX.to_base32(), "FZZZZZZZZZZZZ");
    assert!(LocalId::from_base32("G000000000000").is_err());
    assert_eq!(Guid::MAX.to_base62_padded(), "1f2SI9UJPXvb7vdJ1");
    assert!(Guid::from_base62_padded("1f2SI9UJPXvb7vdJ2").is_err());
    assert!(Guid::from_base62_padded("zzzzzzzzzzzzzzzzz").is_err());
    assert_eq!(LocalId::MAX.to_base62_padded(), "LygHa16AHYF");
    assert!(LocalId::from_base62_padded("LygHa16AHYG").is_err());
    assert!(LocalId::from_base62("zzzzzzzzzzz").is_err());
}
