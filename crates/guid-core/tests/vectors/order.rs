//! Kinds `order`, `diff` and `sort`: what is before what, by how much, and in which text.

use std::cmp::Ordering;

use guid_core::{ByTime, Guid, LocalId, NodeId, Stamp};

use crate::{
    line::{Line, check_all, unhex},
    value::number,
};

/// An operand: upstream has one type for both kinds, we have two.
enum Id {
    Global(Guid),
    Local(LocalId),
}

/// The operand made of its fractions, checked against the words upstream made of them.
fn operand(line: &Line, object: &str) -> Id {
    let fractions = format!("{object}/in");
    let (drift, stamp) = (line.drift(&fractions), line.stamp(&fractions));
    if line.flag(&format!("{object}/local")) {
        let id = LocalId::new(drift, stamp);
        assert_eq!(u128::from(id.as_u64()), number(line, object));
        return Id::Local(id);
    }
    let id = Guid::new(drift, line.node(&format!("{fractions}/node")), stamp);
    assert_eq!(id.to_u128(), number(line, object));
    Id::Global(id)
}

impl Id {
    fn stamp(&self) -> Stamp {
        match self {
            Self::Global(id) => id.stamp(),
            Self::Local(id) => id.stamp(),
        }
    }

    /// Texts of one kind of ID that promise to sort as its bytes.
    fn sorted_texts(&self) -> Vec<String> {
        match self {
            Self::Global(id) => sorted_global(*id),
            Self::Local(id) => sorted_local(*id),
        }
    }
}

fn sorted_global(id: Guid) -> Vec<String> {
    vec![
        id.to_lex().to_string(),
        id.to_base32().to_string(),
        id.to_base62_padded().to_string(),
        id.to_hex().to_string(),
        id.to_uuid().to_string(),
    ]
}

fn sorted_local(id: LocalId) -> Vec<String> {
    vec![
        id.to_lex().to_string(),
        id.to_base32().to_string(),
        id.to_base62_padded().to_string(),
        id.to_hex().to_string(),
    ]
}

fn sign(ordering: Ordering) -> i64 {
    i64::from(ordering as i8)
}

#[test]
fn ids_compare_as_upstream_means() {
    check_all("order", |line| {
        let theirs = match (line.flag("/before"), line.flag("/after"), line.flag("/equal")) {
            (true, false, false) => Ordering::Less,
            (false, true, false) => Ordering::Greater,
            (false, false, true) => Ordering::Equal,
            both => panic!("{both:?}"),
        };
        let (a, b) = (operand(line, "/a"), operand(line, "/b"));
        assert_eq!(sign(a.stamp().tick().cmp(&b.stamp().tick())), line.int("/time_cmp"));
        match (&a, &b) {
            (Id::Global(a), Id::Global(b)) => check_globals(line, *a, *b, theirs),
            (Id::Local(a), Id::Local(b)) => check_locals(line, *a, *b, theirs),
            // Upstream puts every local before every global. Our types do not compare.
            (Id::Local(_), Id::Global(_)) => assert_eq!(theirs, Ordering::Less),
            (Id::Global(_), Id::Local(_)) => assert_eq!(theirs, Ordering::Greater),
        }
        let kinds_differ = line.text("/class") == "local-global";
        if !kinds_differ {
            for (a, b) in a.sorted_texts().iter().zip(&b.sorted_texts()) {
                assert_eq!(a.cmp(b), theirs, "{a} {b}");
            }
        }
    });
}

fn check_globals(line: &Line, a: Guid, b: Guid, theirs: Ordering) {
    assert_eq!(a.cmp(&b), theirs);
    assert_eq!(a == b, theirs.is_eq());
    assert_eq!(sign(a.to_bytes().cmp(&b.to_bytes())), line.int("/bytes_cmp"));
    assert_eq!(sign(a.to_lex().cmp(&b.to_lex())), line.int("/str_cmp"));
    assert_eq!(sign(a.to_base62().cmp(&b.to_base62())), line.int("/b62_cmp"));
    assert_eq!(ByTime(a).cmp(&ByTime(b)), by_time(line, "/a").cmp(&by_time(line, "/b")));
    assert_eq!(a.time_cmp(&b).is_eq(), a == b);
}

fn check_locals(line: &Line, a: LocalId, b: LocalId, theirs: Ordering) {
    assert_eq!(a.cmp(&b), theirs);
    assert_eq!(sign(a.to_bytes().cmp(&b.to_bytes())), line.int("/bytes_cmp"));
    assert_eq!(sign(a.to_lex().cmp(&b.to_lex())), line.int("/str_cmp"));
    assert_eq!(sign(a.to_base62().cmp(&b.to_base62())), line.int("/b62_cmp"));
}

/// Time order from the fractions handed in: tick, sequence, node, and the code last.
fn by_time(line: &Line, object: &str) -> (u64, i64, NodeId, i64) {
    let at = |name| format!("{object}/in/{name}");
    let tick = line.hex(&at("t")) / 131_072;
    (tick, line.int(&at("seq")), line.node(&at("node")), line.int(&at("drift")))
}

#[test]
fn distances_are_signed() {
    check_all("diff", |line| {
        let (a, b) = (operand(line, "/a"), operand(line, "/b"));
        let diff = match (&a, &b) {
            (Id::Global(a), Id::Global(b)) => a.diff(*b),
            (Id::Local(a), Id::Local(b)) => a.diff(*b),
            (a, b) => a.stamp().diff(b.stamp()),
        };
        let tick = |object| i128::from(line.hex(&format!("{object}/in/t"))) / 131_072;
        let seq = |object| i128::from(line.int(&format!("{object}/in/seq")));
        let (ticks, seqs) = (tick("/a") - tick("/b"), seq("/a") - seq("/b"));
        assert_eq!(i128::from(diff.ticks()), ticks);
        assert_eq!(i128::from(diff.seq()), seqs);
        assert_eq!(i128::from(diff.stamps()), ticks * 16_384 + seqs);
        assert_eq!(diff.duration().as_nanos(), ticks.unsigned_abs() * 131_072);
        // Upstream subtracts without a sign: a distance only where nothing went below zero.
        assert_eq!(line.flag("/underflow"), ticks < 0 || seqs < 0);
        if !line.flag("/underflow") {
            assert_eq!(u128::from(line.hex("/diff_parts/time")), diff.duration().as_nanos());
            assert_eq!(line.int("/diff_parts/seq"), i64::from(diff.seq()));
        }
    });
}

#[test]
fn sorted_texts_are_sorted_ids() {
    check_all("sort", |line| {
        let bytes: Vec<_> = line.texts("/bytes").map(unhex).collect();
        let order = line.indices("/order");
        let (texts, ticks) = if line.flag("/local") {
            let ids: Vec<_> =
                bytes.iter().map(|bytes| LocalId::try_from(&**bytes).expect("8")).collect();
            assert_eq!(sorted(&ids), order);
            texts_and_ticks(&ids, sorted_local, LocalId::stamp)
        } else {
            let ids: Vec<_> =
                bytes.iter().map(|bytes| Guid::try_from(&**bytes).expect("12")).collect();
            assert_eq!(sorted(&ids), order);
            texts_and_ticks(&ids, sorted_global, Guid::stamp)
        };
        for form in 0..texts[0].len() {
            let texts: Vec<_> = texts.iter().map(|texts| &texts[form]).collect();
            assert_eq!(sorted(&texts), order);
        }
        let rising = order.windows(2).all(|pair| ticks[pair[0]] <= ticks[pair[1]]);
        assert_eq!(rising, line.flag("/time_same"));
    });
}

fn texts_and_ticks<T: Copy>(
    ids: &[T],
    texts: fn(T) -> Vec<String>,
    stamp: fn(T) -> Stamp,
) -> (Vec<Vec<String>>, Vec<u64>) {
    ids.iter().map(|&id| (texts(id), stamp(id).tick().as_u64())).unzip()
}

/// The indices in order, equal ones as they came.
fn sorted<T: Ord>(items: &[T]) -> Vec<usize> {
    let mut order: Vec<_> = (0..items.len()).collect();
    order.sort_by_key(|&i| &items[i]);
    order
}
