//! The bytes of the counters, flags, registers, sets, maps and documents.

use guid_core::NodeId;
use guid_crdt::{
    AwLwwMap, BoundedCounter, Causal, Delta, Doc, DwFlag, EwFlag, FwwRegister, GCounter, GSet,
    Lattice, LwwMap, LwwSet, Max, Min, OrMap, OrSet, PnCounter, RemoveBias, ResettableCounter,
    RwSet, TwoPhaseSet, wire,
};
use serde::{Serialize, de::DeserializeOwned};

use super::*;

fn g_counter() -> GCounter {
    let mut counter = GCounter::new();
    counter.add(dot(1, 10), 300).unwrap();
    counter.add(dot(7, 12), 2).unwrap();
    counter
}

fn pn_counter() -> PnCounter {
    let mut counter = PnCounter::new();
    counter.add(dot(1, 10), -300).unwrap();
    counter.add(dot(7, 12), 2).unwrap();
    counter
}

fn bounded() -> BoundedCounter {
    let mut counter = BoundedCounter::new();
    counter.add(dot(1, 10), 9).unwrap();
    counter.transfer(dot(1, 12), NodeId::new(2), 4).unwrap();
    counter.take(dot(2, 12), 3).unwrap();
    counter
}

fn resettable() -> ResettableCounter {
    let mut counter = ResettableCounter::new();
    counter.add(dot(1, 10), 9).unwrap();
    counter.reset(dot(1, 12)).unwrap();
    counter.add(dot(1, 14), -3).unwrap();
    counter.add(dot(2, 14), 4).unwrap();
    counter
}

fn lww_set() -> LwwSet<u8, RemoveBias> {
    let mut set = LwwSet::new();
    set.insert(dot(1, 10), 5).unwrap();
    set.insert(dot(2, 12), 6).unwrap();
    set.remove(dot(1, 14), 5).unwrap();
    set
}

fn rw_set() -> RwSet<u8> {
    let mut set = RwSet::new();
    set.insert(dot(1, 10), 5).unwrap();
    set.remove(dot(2, 12), 6).unwrap();
    set
}

fn two_phase() -> TwoPhaseSet<u8> {
    let mut set = TwoPhaseSet::new();
    drop((set.insert(5), set.insert(6), set.remove(5)));
    set
}

fn grow_only() -> GSet<String> {
    let mut set = GSet::new();
    drop((set.insert("tea".to_owned()), set.insert("ale".to_owned())));
    set
}

fn lww_map() -> LwwMap<String, u8> {
    let mut map = LwwMap::new();
    map.put(dot(1, 10), "a".to_owned(), 5).unwrap();
    map.put(dot(2, 12), "b".to_owned(), 6).unwrap();
    map.remove(dot(1, 14), "a".to_owned()).unwrap();
    map
}

fn aw_lww_map() -> AwLwwMap<u8, u8> {
    let (mut a, mut b) = (AwLwwMap::new(), AwLwwMap::new());
    a.put(dot(1, 10), 1, 5).unwrap();
    b.put(dot(2, 12), 1, 6).unwrap();
    a.joined(&b)
}

type Nest = OrMap<String, OrMap<u8, OrSet<u8>>>;

fn nest() -> Nest {
    let mut map = Nest::new();
    let add = |map: &mut Nest, at, key: &str, inner, element| {
        map.update(at, key.to_owned(), |map| map.update(at, inner, |set| set.insert(at, element)))
    };
    add(&mut map, dot(1, 10), "a", 1, 5).unwrap();
    add(&mut map, dot(2, 12), "a", 1, 6).unwrap();
    add(&mut map, dot(2, 13), "b", 2, 7).unwrap();
    map
}

fn doc() -> Doc {
    let mut doc = Doc::new();
    doc.edit(dot(1, 10), |doc| {
        doc.set("title", "Plan");
        doc.add("n", 2);
        doc.enable("on");
        doc.insert("tags", 7);
        doc.map("author", |author| author.set("name", "Ann"));
    })
    .unwrap();
    doc
}

fn doc_delta() -> Delta<<Doc as guid_crdt::Nested>::Store> {
    doc().edit(dot(2, 12), |doc| doc.map("author", |author| author.set("name", "Bob"))).unwrap()
}

fn enabled() -> EwFlag {
    let mut flag = EwFlag::new();
    flag.enable(dot(1, 10)).unwrap();
    flag
}

fn disabled() -> DwFlag {
    let mut flag = DwFlag::new();
    flag.disable(dot(1, 10)).unwrap();
    flag
}

fn first() -> FwwRegister<u8> {
    let mut register = FwwRegister::new();
    register.set(dot(1, 10), 77).unwrap();
    register
}

fn max() -> Max<u16> {
    let mut register = Max::new();
    drop(register.raise(300));
    register
}

fn min() -> Min<u16> {
    let mut register = Min::new();
    drop(register.lower(300));
    register
}

/// Frozen, JSON and back, and under attack.
#[track_caller]
fn all<T>(value: &T, expected: &str)
where
    T: Wire + Serialize + DeserializeOwned + PartialEq + Debug,
{
    golden(value, expected);
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    attack(value);
}

#[test]
fn counters() {
    all(&g_counter(), "67630167637472020c010102050100fb2c0102855f3d9d");
    all(&GCounter::new(), "67630167637472005edb7e82");
    all(&pn_counter(), "67630170637472020c010102050100fb57020429e8091c");
    all(&bounded(), "67630162637472020c010100000100090001020400030056318fdf");
    all(&resettable(), "67630172637472020e010100000100020000050400085686fa27");
}

#[test]
fn flags_and_registers() {
    all(&enabled(), "6763016577666c010a0101000100d6183716");
    all(&disabled(), "6763016477666c010a0101000100000082274158");
    all(&first(), "67630166777772010a010000004df56095f4");
    all(&max(), "6763016d61787201fb2c0133f79472");
    all(&min(), "6763016d696e7201fb2c01d258f494");
    all(&Min::<u8>::new(), "6763016d696e72003d05c2b6");
}

#[test]
fn sets() {
    all(&lww_set(), "6763016c777773020e010100000102020500000006040001aef8c961");
    all(&rw_set(), "67630172777374020c0101020001000205010000010601040000df1b2752");
    all(&two_phase(), "676301327073740205010600a94ac9fa");
    all(&grow_only(), "676301677365740203616c6503746561b79e14d8");
}

#[test]
fn maps_and_documents() {
    all(&lww_map(), "6763016c77776d020e010100000102020161000000016204000106ca5ee413");
    all(&aw_lww_map(), "67630161776c6d020c01010200010001010200000504000604c1a302");
    all(&nest(), "6763016f726d70020d010103000100020161010102050100060b0101620102010701011300e989");
    all(
        &doc(),
        "676301646f636d010a0101000506617574686f720000000001046e616d650100000303416e6e00000000016e0001000004000000026f6e000001000000047461677300000001020e010000057469746c650100000304506c616e000000008d91c6b4",
    );
    all(
        &doc_delta(),
        "676301646c0013010c020100010a010000000106617574686f720000000001046e616d650104000303426f62000000000106617574686f720000000001046e616d65050000000000683472a7",
    );
}

/// A document that nests deeper than a stack is refused, by who writes and by who reads.
#[test]
fn depth_is_bounded() {
    fn deep(doc: &mut guid_crdt::DocEdit<'_>, depth: usize) {
        match depth {
            0 => doc.enable("x"),
            _ => doc.map("x", |map| deep(map, depth - 1)),
        }
    }
    let nested = |depth| {
        let mut doc = Doc::new();
        doc.edit(dot(1, 10), |doc| deep(doc, depth)).unwrap();
        doc
    };
    let encoded = wire::encode(&nested(63)).unwrap();
    assert_eq!(wire::decode::<Doc>(&encoded).unwrap(), nested(63));
    let refused = WireError::Malformed("it nests more than 64 deep");
    assert_eq!(wire::encode(&nested(64)), Err(refused.clone()));
    // Context: node 1 up to 10. Then one key "x" a level, its other parts empty.
    let level = [1, 1, b'x', 0, 0, 0, 0];
    let body = [&[1, 10, 1, 1, 0][..], &level.repeat(100_000)].concat();
    assert_eq!(wire::decode::<Doc>(&frame::<Doc>(&body)), Err(refused));
}

/// Sets are small because the gaps between the dots of a node are.
#[test]
fn gaps_are_small_in_whatever_order_the_keys_are() {
    let mut in_order = OrSet::new();
    for n in 0..1000_u32 {
        in_order.insert(dot(n % 10, u64::from(n) * 1000), n).unwrap();
    }
    // Up to 3 bytes of a number, 1 for the node, 2 for a gap of 10,000 at 7 bits a byte.
    assert!(wire::encode(&in_order).unwrap().len() < 6100);
    // In the order of other keys too: entries are written node by node, each in time order.
    let mut scattered = OrSet::new();
    for n in 0..1000_u32 {
        scattered.insert(dot(n % 10, u64::from(n) * 1000), n * 617 % 1009).unwrap();
    }
    assert!(wire::encode(&scattered).unwrap().len() < 6100);
    // A causal state on a store of one's own has bytes too.
    assert!(wire::encode(&Causal::<DotMap<u8, DotSet>>::default()).is_ok());
}
