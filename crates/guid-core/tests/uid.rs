//! Golden values of the Erlang library `fogfish/uid` 1.3.5: 300 lines of six kinds, each checked
//! and counted. Where the library is wrong, the check asserts what we do instead.

#![cfg(feature = "uid")]

use std::{cmp::Ordering, collections::BTreeMap};

use guid_core::{
    NodeId, Seq,
    uid::{Distance, DriftBits, Entry, LocalUid, Missing, Moment, Node, Uid, VectorClock},
};
use serde_json::Value;

const DATA: &str = include_str!("data/uid-v1.jsonl");

const KINDS: [(&str, usize); 6] =
    [("codec", 117), ("decode", 23), ("distance", 29), ("node", 31), ("order", 37), ("vclock", 63)];

fn lines() -> impl Iterator<Item = Value> {
    DATA.lines().map(|line| serde_json::from_str(line).expect("the vectors are JSON"))
}

/// Runs a check on all lines of a kind, and asserts that they were as many as the table says.
fn check_all(kind: &str, check: impl Fn(&Value)) {
    let checked = lines().filter(|line| line["kind"] == kind).map(|line| check(&line)).count();
    assert!(KINDS.contains(&(kind, checked)), "{checked} lines of kind {kind}");
}

#[test]
fn every_line_has_a_kind_that_is_checked() {
    let mut found = BTreeMap::new();
    for line in lines() {
        *found.entry(text(&line["kind"]).to_owned()).or_insert(0) += 1;
    }
    assert_eq!(found, KINDS.map(|(kind, count)| (kind.to_owned(), count)).into());
    assert_eq!(found.values().sum::<usize>(), 300);
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

#[track_caller]
fn int(value: &Value) -> i64 {
    value.as_i64().expect("an integer")
}

fn moment(value: &Value) -> Moment {
    let part = |i: usize| u32::try_from(int(&value[i])).expect("not negative");
    Moment::new(part(0), part(1), part(2)).expect("20 bits each")
}

fn seq(value: &Value) -> Seq {
    Seq::new(u16::try_from(int(value)).expect("16 bits")).expect("14 bits")
}

fn bits(line: &Value) -> DriftBits {
    DriftBits::new(u8::try_from(int(&line["bits"])).expect("small")).expect("5 to 10")
}

fn hash(value: &Value) -> NodeId {
    text(value).parse().expect("8 hexadecimal digits")
}

/// An event: a node by name or hash, a moment, a sequence.
fn entry(value: &Value) -> Entry {
    let node = match value["node"].as_str() {
        Some(name) => Node::atom(name),
        None => Node::hash(hash(&value["node_hex"])),
    };
    Entry::new(node, moment(&value["t"]), seq(&value["seq"]))
}

fn global(bits: DriftBits, entry: &Entry) -> Uid {
    Uid::new(bits, entry.node().id(), entry.moment(), entry.seq())
}

fn local(entry: &Entry) -> LocalUid {
    LocalUid::new(entry.moment(), entry.seq())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn unhex<const N: usize>(value: &Value) -> Option<[u8; N]> {
    let pair = |i: usize| u8::from_str_radix(&text(value)[2 * i..2 * i + 2], 16).expect("hex");
    (text(value).len() == 2 * N).then(|| core::array::from_fn(pair))
}

#[test]
fn codec() {
    check_all("codec", |line| {
        let (bits, made) = (bits(line), entry(&line["in"]));
        let (g, l) = (global(bits, &made), local(&made));
        assert_eq!(hex(&g.to_bytes()), text(&line["g"]["hex"]));
        assert_eq!(g.to_string(), text(&line["g"]["text"]));
        assert_eq!(g.to_string().parse(), Ok(g));
        assert_eq!(g.node(bits), hash(&line["node_hex"]));
        assert_eq!(g.node(bits), hash(&line["g_decoded"]["node_hex"]));
        assert_eq!(g.moment(bits), moment(&line["g_decoded"]["t"]));
        assert_eq!(g.moment(bits), made.moment().as_kept());
        assert_eq!(g.seq(), seq(&line["g_decoded"]["seq"]));

        assert_eq!(hex(&l.to_bytes()), text(&line["l"]["hex"]));
        assert_eq!(l.to_string(), text(&line["l"]["text"]));
        assert_eq!(l.to_string().parse(), Ok(l));
        assert_eq!(l.moment(), moment(&line["l_decoded"]["t"]));
        assert_eq!(l.seq(), seq(&line["l_decoded"]["seq"]));

        let millis = |value: &Value| value.as_u64().expect("a number");
        assert_eq!(made.moment().unix_millis(), millis(&line["t_ms"]));
        assert_eq!(g.moment(bits).unix_millis(), millis(&line["g_decoded_t_ms"]));
    });
}

#[test]
fn decode() {
    check_all("decode", |line| {
        let bits = bits(line);
        assert_eq!(line["hex"], line["back"]);
        if let Some(bytes) = unhex(&line["hex"]) {
            let id = Uid::from_bytes(bytes);
            assert_eq!(id.node(bits), hash(&line["node_hex"]));
            assert_eq!(id.moment(bits), moment(&line["t"]));
            assert_eq!(id.seq(), seq(&line["seq"]));
            assert_eq!(id.to_string(), text(&line["text"]));
            assert_eq!(Uid::new(bits, id.node(bits), id.moment(bits), id.seq()), id);
        } else {
            let id = LocalUid::from_bytes(unhex(&line["hex"]).expect("12 or 8 bytes"));
            assert_eq!(id.moment(), moment(&line["t"]));
            assert_eq!(id.seq(), seq(&line["seq"]));
            assert_eq!(id.to_string(), text(&line["text"]));
            assert_eq!(LocalUid::new(id.moment(), id.seq()), id);
        }
    });
}

#[test]
fn node() {
    check_all("node", |line| {
        let id = Node::atom(text(&line["name"])).id();
        assert_eq!(id, hash(&line["node_hex"]));
        assert_eq!(u64::from(id.as_u32()), line["phash2"].as_u64().expect("a number"));
    });
}

#[test]
fn order() {
    let sign = |value: &Value| int(value).cmp(&0);
    check_all("order", |line| {
        let (a, b) = (entry(&line["a"]), entry(&line["b"]));
        let (x, y) = (global(bits(line), &a), global(bits(line), &b));
        assert_eq!(hex(&x.to_bytes()), text(&line["a_hex"]));
        assert_eq!(hex(&y.to_bytes()), text(&line["b_hex"]));
        assert_eq!(x.cmp(&y), sign(&line["hex_cmp"]));
        assert_eq!(x.to_string().cmp(&y.to_string()), sign(&line["text_cmp"]));
        let (x, y) = (local(&a), local(&b));
        assert_eq!(x.cmp(&y), sign(&line["local_hex_cmp"]));
        assert_eq!(x.to_string().cmp(&y.to_string()), sign(&line["local_text_cmp"]));
        let event = |entry: &Entry| (entry.moment(), entry.seq());
        assert_eq!(a.cmp(&b), sign(&line["term_cmp"]));
        assert_eq!(event(&a).cmp(&event(&b)), sign(&line["local_term_cmp"]));
    });
}

/// Upstream's distance is an ID with negative fields, which writing cuts to their width; ours is a
/// distance, and an ID only where nothing is negative.
#[test]
fn distance() {
    check_all("distance", |line| {
        let (a, b) = (entry(&line["a"]), entry(&line["b"]));
        let distance = Distance::between((a.moment(), a.seq()), (b.moment(), b.seq()));
        assert_distance(distance, &line["d"]);
        let bits = DriftBits::default();
        let written = distance
            .to_moment()
            .map(|(moment, seq)| hex(&Uid::new(bits, a.node().id(), moment, seq).to_bytes()));
        let negative = distance.micros() < 0 || distance.seq() < 0;
        let expected = (!negative).then(|| text(&line["d_encoded_bits8"]).to_owned());
        assert_eq!(written, expected);
    });
}

fn assert_distance(distance: Distance, value: &Value) {
    assert_eq!(distance.parts(), [0, 1, 2].map(|i| int(&value["t"][i])));
    assert_eq!(i64::from(distance.seq()), int(&value["seq"]));
}

fn clock(value: &Value) -> VectorClock {
    let entries = value.as_array().expect("a list").iter().map(entry);
    VectorClock::try_from_entries(entries).expect("no node twice")
}

fn joined(a: &VectorClock, b: &VectorClock) -> VectorClock {
    let mut joined = a.clone();
    joined.join(b);
    joined
}

#[test]
fn vclock() {
    check_all("vclock", |line| {
        let (a, b) = (clock(&line["a"]), clock(&line["b"]));
        let flag = |key: &str| line[key].as_bool().expect("a boolean");
        let join: Vec<_> = line["join"].as_array().expect("a list").iter().map(entry).collect();
        assert!(joined(&a, &b).entries().eq(join));
        assert_eq!(joined(&a, &b) == joined(&b, &a), flag("join_ba_same"));
        assert_eq!(a.descends(&b), flag("descend_ab"));
        assert_eq!(b.descends(&a), flag("descend_ba"));
        assert_eq!(a.partial_cmp(&b).is_none(), flag("concurrent"));
        let peer = Node::atom(text(&line["peer"]));
        assert_eq!(a.descends_except(&b, &peer), flag("descend_ab_but_peer"));
        assert_missing(&a, &b, &line["diff_ab"]);
        assert_missing(&b, &a, &line["diff_ba"]);
    });
}

/// Upstream gives the distance in place of the event where the node is known.
fn assert_missing(ours: &VectorClock, theirs: &VectorClock, expected: &Value) {
    let key = |value: &Value| (value["node"].clone(), value["node_hex"].clone());
    let missing: Vec<Missing> = ours.missing(theirs);
    let expected = expected.as_array().expect("a list");
    assert_eq!(missing.len(), expected.len());
    for Missing { entry: found, after, .. } in missing {
        let names = |value: &&Value| match found.node().name() {
            Some(name) => key(value).0 == name,
            None => key(value).1 == found.node().to_string(),
        };
        let value = expected.iter().find(names).expect("an event of this node");
        assert!(theirs.entries().any(|entry| entry == found));
        match after {
            Some(distance) => assert_distance(distance, value),
            None => assert_eq!(found, entry(value)),
        }
    }
}

/// Upstream never returns from 4 and 11 on writing, and crashes on 21 on reading.
#[test]
fn drift_bits_outside_5_to_10_are_refused() {
    let accepted: Vec<_> = (0..=u8::MAX).filter(|&n| DriftBits::new(n).is_ok()).collect();
    assert_eq!(accepted, [5, 6, 7, 8, 9, 10]);
    assert_eq!(DriftBits::ALL.map(DriftBits::get), *accepted);
}

/// Upstream cuts: 16,384 becomes 0, and a negative second 1,048,575 (a type cannot hold one here).
#[test]
fn fields_that_are_too_wide_are_refused() {
    let max = 1_048_575;
    assert!(Moment::new(max, max, max).is_ok());
    for wide in [max + 1, u32::MAX] {
        assert!(Moment::new(wide, 0, 0).is_err());
        assert!(Moment::new(0, wide, 0).is_err());
        assert!(Moment::new(0, 0, wide).is_err());
    }
    assert!(Seq::new(16_384).is_err());
    let end = (u64::from(max) + 1) * 1_000_000_000_000;
    assert_eq!(Moment::from_unix_micros(end - 1), Ok(Moment::MAX));
    assert!(Moment::from_unix_micros(end).is_err());
}

/// Upstream reads four texts as one ID.
#[test]
fn a_local_has_one_text() {
    let alphabet = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    let one_text = |text: &String| text.parse::<LocalUid>().is_ok_and(|id| id.to_string() == *text);
    let texts = alphabet.chars().map(|last| format!(".5dBv_Q3yQ{last}"));
    assert_eq!(texts.filter(one_text).count(), 16);
    for loose in [".5dBv_Q3yQp", ".5dBv_Q3yQ0", "zzzzzzzzzzz", ".5dBv_Q3yQ!", ".5dBv_Q3yQ", ""] {
        assert!(loose.parse::<LocalUid>().is_err(), "{loose}");
    }
    for wrong in ["", ".5dBv_y.slxqlEa", ".5dBv_y.slxqlEaxx", ".5dBv_y.slxqlEa!", "世世世世世."]
    {
        assert!(wrong.parse::<Uid>().is_err(), "{wrong}");
    }
}

/// Upstream's clock takes the wall clock as it is: set back, the new event is before the old one.
#[test]
fn a_tick_descends_from_its_past_whatever_the_clock_says() {
    let node = Node::atom("a@127.0.0.1");
    let at = |micros, seq| {
        (Moment::from_unix_micros(micros).expect("in range"), Seq::new(seq).expect("14 bits"))
    };
    let mut clock = VectorClock::new();
    let second = 1_600_000_000_000_000;
    // Back by a second, at the end of the sequence, and there again in the last unit of a second.
    for reading in [
        at(second, 5),
        at(second - 1_000_000, 7),
        at(second, 16_383),
        at(second, 0),
        at(second + 999_999, 16_383),
        at(second + 999_999, 16_383),
        at(second, 1),
        at(second + 1_000_000, 0),
    ] {
        let before = clock.clone();
        clock.tick(node.clone(), reading);
        assert_eq!(clock.partial_cmp(&before), Some(Ordering::Greater));
        let entry = clock.entries().next().expect("one entry");
        assert_eq!(entry.moment(), entry.moment().as_kept());
        assert_eq!(local(&entry).moment(), entry.moment(), "an ID keeps it");
    }
}

/// Upstream's join keeps both.
#[test]
fn a_node_that_occurs_twice_is_refused() {
    let entry = |name| Entry::new(Node::atom(name), Moment::default(), Seq::default());
    let clock = VectorClock::try_from_entries([entry("a@host"), entry("b@host")]);
    assert_eq!(clock.map(|clock| clock.entries().count()), Ok(2));
    let error = VectorClock::try_from_entries([entry("a@host"), entry("a@host")]).unwrap_err();
    assert_eq!(error.to_string(), "node a@host occurs twice in a vector clock");
}
