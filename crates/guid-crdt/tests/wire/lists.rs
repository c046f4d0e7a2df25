//! Lists whose elements take no bytes: a length, and nothing behind it that could run out.

use std::collections::{BTreeMap, BTreeSet};

use guid_crdt::{GSet, Max};
use serde::{Deserialize, Serialize};

use super::*;

/// Everything through which a list can be reached.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
enum Reached {
    Alone(Vec<()>),
    InTuple(u8, Vec<[(); 3]>),
    InStruct { list: Option<Vec<()>> },
    InNewtype(Newtype),
    InList(Vec<Vec<()>>),
    InMap(BTreeMap<(), Vec<()>>),
}

#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Newtype(Vec<()>);

/// 2⁶², as bincode writes it.
const MANY: [u8; 9] = [253, 0, 0, 0, 0, 0, 0, 0, 64];

#[track_caller]
fn has_too_many<T: Wire + Debug + PartialEq>(body: &[u8]) {
    let says = "a list has too many elements that take no bytes".to_owned();
    refused::<T>(body, &WireError::Value(says));
}

/// Without an end to it, this test would count for centuries.
#[test]
#[expect(clippy::zero_sized_map_values, reason = "a map without bytes is what is tried")]
fn a_list_of_nothing_is_not_counted_to_its_end() {
    // A register written at stamp 5 of node 1.
    let written = [1, 5, 1, 0, 0, 0];
    has_too_many::<LwwRegister<Vec<()>>>(&[&written[..], &MANY].concat());
    has_too_many::<GSet<Vec<()>>>(&[&[1][..], &MANY].concat());
    has_too_many::<Max<BTreeMap<(), ()>>>(&[&[1][..], &MANY].concat());
    // Something is there; then the variant, what stands before the list, the list.
    for before in [&[1, 0][..], &[1, 1, 9], &[1, 2, 1], &[1, 3], &[1, 4, 1], &[1, 5, 1]] {
        has_too_many::<Max<Reached>>(&[before, &MANY].concat());
    }
}

/// It is all of the input that has a limit, as many lists would make a long count too.
#[test]
fn lists_of_nothing_share_a_limit() {
    let set = |lengths: &[usize]| -> GSet<Vec<()>> {
        let mut set = GSet::new();
        for &length in lengths {
            drop(set.insert(vec![(); length]));
        }
        set
    };
    let limit = 1 << 20;
    let fits = set(&[0, 1, 1000, limit - 1001]);
    assert_eq!(wire::decode(&wire::encode(&fits).unwrap()), Ok(fits));
    let more = set(&[limit / 2, limit / 2 + 100]);
    has_too_many::<GSet<Vec<()>>>(&body(&more));
    // What takes bytes does not count.
    let long = Max::new().raise(vec![7_u8; limit + 1000]);
    assert_eq!(wire::decode(&wire::encode(&long).unwrap()), Ok(long));
}

/// Whoever stands between a value and its bytes hands on everything.
#[test]
fn every_kind_of_value_comes_back() {
    #[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
    struct Unit;
    type Numbers = ((u8, u16, u32, u64, u128), (i8, i16, i32, i64, i128), (bool, char));
    let numbers: Numbers =
        ((1, 300, 70_000, 1 << 40, 1 << 80), (-1, -300, -70_000, -1 << 40, -1 << 80), (true, 'ß'));
    let texts = ("tea".to_owned(), Some("ale".to_owned()), None::<u8>, Unit, (), [7_u8; 3]);
    let lists = (vec![1, 2], BTreeSet::from(["x".to_owned()]), BTreeMap::from([(3, 4)]));
    let reached = [
        Reached::Alone(vec![()]),
        Reached::InTuple(1, vec![[(); 3]; 2]),
        Reached::InStruct { list: Some(vec![(); 3]) },
        Reached::InNewtype(Newtype(vec![(); 4])),
        Reached::InList(vec![vec![(); 5]]),
        Reached::InMap(BTreeMap::from([((), vec![(); 6])])),
    ];
    let value = Max::new().raise((numbers, texts, lists, reached));
    assert_eq!(wire::decode(&wire::encode(&value).unwrap()), Ok(value.clone()));
    attack(&value);
}

/// The one element of a set of nothings takes no bytes either.
#[test]
fn a_set_of_nothings_comes_back() {
    let mut set = GSet::new();
    drop(set.insert(()));
    attack(&set);
    assert_eq!(wire::decode(&wire::encode(&set).unwrap()), Ok(set));
    refused::<GSet<()>>(&[2], &WireError::Malformed("it ends too early"));
}
