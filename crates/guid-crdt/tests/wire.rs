//! The bytes: frozen, canonical, and read without trust.

#![cfg(feature = "wire")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "wire/lists.rs"]
mod lists;
#[path = "wire/messages.rs"]
mod messages;
#[path = "wire/types.rs"]
mod types;

use core::fmt::Debug;

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    Causal, CausalContext, Dot, DotMap, DotSet, Lattice, LwwRegister, MvRegister, MvRegisterDelta,
    OrSet, OrSetDelta, Replica, Saved, Span, VectorClock,
    wire::{self, Wire, WireError},
};

fn dot(node: u32, stamp: u64) -> Dot {
    Dot::new(NodeId::new(node), Stamp::from_u64(stamp).unwrap())
}

fn set() -> OrSet<String> {
    let (mut a, mut b) = (OrSet::new(), OrSet::new());
    a.insert(dot(7, 1000), "tea".to_owned()).unwrap();
    b.insert(dot(9, 1003), "tea".to_owned()).unwrap();
    b.insert(dot(9, 1300), "ale".to_owned()).unwrap();
    a.insert_all(dot(7, 1500), ["gin".to_owned(), "rum".to_owned()]).unwrap();
    a.remove(dot(7, 1700), "rum").unwrap();
    a.joined(&b)
}

fn set_delta() -> OrSetDelta<String> {
    let mut set = set();
    let mut delta = set.insert(dot(7, 2000), "gin".to_owned()).unwrap();
    delta.join(&set.remove(dot(7, 2001), "tea").unwrap()).unwrap();
    delta
}

fn register() -> MvRegister<u16> {
    let (mut a, mut b) = (MvRegister::new(), MvRegister::new());
    a.set(dot(1, 5), 300).unwrap();
    b.set(dot(2, 5), 7).unwrap();
    a.joined(&b)
}

fn register_delta() -> MvRegisterDelta<u16> {
    register().set(dot(2, 9), 8).unwrap()
}

fn context() -> CausalContext {
    let exact = [dot(3, 10), dot(3, 12), dot(4, 0)].map(Span::exact);
    exact.into_iter().chain([Span::up_to(NodeId::new(1), Stamp::MAX)]).collect()
}

fn clock() -> VectorClock {
    VectorClock::from_iter([dot(1, 7), dot(0xffff_ffff, 1 << 60)])
}

fn saved() -> Saved<OrSet<String>> {
    let mut replica = Replica::<OrSet<String>, _>::new(NodeId::new(7), ManualClock::new(1 << 40));
    replica.write(|set, dot| set.insert(dot, "tea".to_owned())).unwrap();
    let mut twin = Replica::<OrSet<String>, _>::new(NodeId::new(7), ManualClock::new(1 << 41));
    twin.write(|set, dot| set.insert(dot, "ale".to_owned())).unwrap();
    assert!(replica.join(twin.state()).is_err());
    replica.save()
}

fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[track_caller]
fn golden<T: Wire + PartialEq + Debug>(value: &T, expected: &str) {
    let bytes = wire::encode(value).unwrap();
    assert_eq!(hex(&bytes), expected);
    assert_eq!(wire::decode::<T>(&bytes).as_ref(), Ok(value));
}

/// Each: `6763` "gc", version, tag, body, checksum. They never change.
#[test]
fn golden_bytes() {
    golden(
        &set(),
        "6763016f72737402a40d07010001019003030374656104bc050ba9020367696e05f40303616c6509a9027cf2326d",
    );
    golden(&OrSet::<u8>::new(), "6763016f7273740000f195da76");
    golden(
        &set_delta(),
        "676301646c000701d10f070000ac0202dc0b0702f4030000000100f10300010367696e0301020374656104e80709000367696e05f403f3e8857e",
    );
    golden(&register(), "6763016d7672670205010100000100020000fb2c010400076505eb99");
    golden(
        &register_delta(),
        "676301646c0002010902000003020501000000000000000104000806000b04ccaef1e6",
    );
    golden(
        &LwwRegister::written(dot(5, 1 << 40), (1_u8, "x".to_owned())),
        "6763016c77777201808080808020050000000101789f4d8e68",
    );
    golden(&LwwRegister::<u8>::new(), "6763016c77777200de949328");
    golden(
        &context(),
        "6763016374787403ffffffffffffffff1f0101000102f5ffffffffffffff1f00f3ffffffffffffff1f000001ffffffffffffffff1f67e8b29d",
    );
    golden(
        &saved(),
        "676301736176656f72737407fd010000002000000001fd010000002000000001fd01000000400000000701fd01000000200000000181808080800407010001037465610100e171239f",
    );
    golden(
        &clock(),
        "67630176636c6b028080808080808080100101f9ffffffffffffff0ffdffffff0f0100fbfe1bdf",
    );
}

/// The same state by another way, and in memory in another shape, has the same bytes.
#[test]
fn equal_states_have_equal_bytes() {
    let (mut forward, mut backward) = (OrSet::new(), OrSet::new());
    let parts: Vec<OrSet<u32>> = (0..50)
        .map(|node| {
            let mut set = OrSet::new();
            set.insert_all(dot(node, 10), node * 3..node * 3 + 9).unwrap();
            set
        })
        .collect();
    for (part, last) in parts.iter().zip(parts.iter().rev()) {
        forward.join(part);
        backward.join(last);
    }
    assert_eq!(forward, backward);
    assert_eq!(wire::encode(&forward), wire::encode(&backward));
}

/// Gives a body its frame, so that the tests reach what is behind the checksum.
fn frame<T: Wire>(body: &[u8]) -> Vec<u8> {
    let mut bytes = [b"gc\x01".as_slice(), &T::TAG, body].concat();
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn body<T: Wire>(value: &T) -> Vec<u8> {
    let bytes = wire::encode(value).unwrap();
    bytes[7..bytes.len() - 4].to_vec()
}

/// Whatever is read is a value whose bytes are the bytes that were read.
#[track_caller]
fn reads_or_refuses<T: Wire + Debug>(bytes: &[u8]) -> bool {
    match wire::decode::<T>(bytes) {
        Ok(value) => assert_eq!(wire::encode(&value).unwrap(), bytes),
        Err(_) => return false,
    }
    true
}

fn attack<T: Wire + Debug>(value: &T) {
    let (bytes, body) = (wire::encode(value).unwrap(), body(value));
    for length in 0..bytes.len() {
        assert!(!reads_or_refuses::<T>(&bytes[..length]), "cut to {length}");
    }
    for length in 0..body.len() {
        reads_or_refuses::<T>(&frame::<T>(&body[..length]));
    }
    for at in 0..bytes.len() {
        for flip in 1..=255 {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            assert!(!reads_or_refuses::<T>(&damaged), "byte {at} ^ {flip}");
        }
    }
    for at in 0..body.len() {
        for flip in 1..=255 {
            let mut damaged = body.clone();
            damaged[at] ^= flip;
            reads_or_refuses::<T>(&frame::<T>(&damaged));
        }
        // A length that lies, in place of what was there.
        for lie in [&[0xff, 0xff, 0xff, 0xff, 0x0f][..], &[0xff; 9], &[0xff; 12]] {
            let lying = [&body[..at], lie, &body[at + 1..]].concat();
            reads_or_refuses::<T>(&frame::<T>(&lying));
        }
    }
    let mut noise = 1_u64;
    for length in 0..2000 {
        let random = (0..length % 60).map(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Low bytes are common in bodies, so random bodies should have them.
            let byte = (noise >> 56).to_le_bytes()[0];
            if noise >> 55 & 1 == 0 { byte % 4 } else { byte }
        });
        let random: Vec<u8> = random.collect();
        reads_or_refuses::<T>(&frame::<T>(&random));
        reads_or_refuses::<T>(&random);
    }
}

#[test]
fn hostile_bytes_give_a_value_or_an_error() {
    attack(&set());
    attack(&set_delta());
    attack(&register());
    attack(&register_delta());
    attack(&LwwRegister::written(dot(5, 1 << 40), vec![1_u8, 2]));
    attack(&context());
    attack(&clock());
    attack(&saved());
    attack(&OrSet::<()>::new());
    attack(&Causal::<DotMap<u8, DotMap<String, DotSet>>>::default());
}

#[track_caller]
fn refused<T: Wire + Debug + PartialEq>(body: &[u8], error: &WireError) {
    assert_eq!(wire::decode::<T>(&frame::<T>(body)).as_ref(), Err(error));
}

#[test]
fn invariants_are_checked_when_read() {
    let malformed = |what| WireError::Malformed(what);
    // A stamp over 2^61 - 1: base 2^61.
    let base = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20];
    let body = [&[1][..], &base, &[1, 1, 0]].concat();
    refused::<CausalContext>(&body, &malformed("a stamp is out of range"));
    // Two spans of node 1 that touch: (4, 5] and (5, 6] are (4, 6].
    refused::<CausalContext>(
        &[1, 6, 1, 2, 1, 0, 0, 0],
        &malformed("spans overlap or are out of order"),
    );
    // A base that no span reaches.
    refused::<CausalContext>(&[1, 6, 1, 1, 1], &WireError::NotCanonical);
    // A number in two bytes where one does.
    refused::<CausalContext>(&[0x80, 0], &WireError::NotCanonical);
    // A node over 32 bits.
    refused::<CausalContext>(
        &[2, 6, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0, 0, 1, 0],
        &malformed("a node is over 32 bits"),
    );
    // A state whose context has a hole, which no state has: (4, 5] of node 1.
    let broken = malformed("a dot outside the context, or a key without a dot");
    refused::<OrSet<u8>>(&[1, 5, 1, 0, 0, 0, 0], &broken);
    // An element without a dot, context 5] of node 1.
    refused::<OrSet<u8>>(&[1, 5, 1, 1, 0, 1, 77, 0], &broken);
    // Elements out of order: 78, then 77.
    refused::<OrSet<u8>>(
        &[1, 5, 1, 1, 0, 2, 78, 1, 0, 77, 1, 0],
        &malformed("entries are out of order"),
    );
    // A dot of a node outside the table: index 1 of 1.
    refused::<OrSet<u8>>(
        &[1, 5, 1, 1, 0, 1, 77, 9, 0],
        &malformed("a dot of a node outside the table"),
    );
    refused::<VectorClock>(
        &[1, 5, 1, 0, 0, 0],
        &malformed("a vector clock has one span a node, from the beginning"),
    );
    refused::<VectorClock>(&[0, 0], &malformed("bytes are left over"));
}

#[test]
fn frames_are_told_apart() {
    let bytes = wire::encode(&set()).unwrap();
    let error = wire::decode::<MvRegister<String>>(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "the frame holds `orst`, expected `mvrg`");
    // A saved replica names the type of its state, too.
    let error = wire::decode::<Saved<MvRegister<u8>>>(&wire::encode(&saved()).unwrap());
    assert_eq!(error, Err(WireError::Type { found: *b"orst", expected: *b"mvrg" }));
    let mut later = bytes[..bytes.len() - 4].to_vec();
    later[2] = 2;
    later.extend(crc32fast::hash(&later).to_le_bytes());
    assert_eq!(wire::decode::<OrSet<String>>(&later), Err(WireError::Version { found: 2 }));
}

/// JSON of every type, and back: keys need not be text, and nothing is lost.
#[test]
fn json_round_trips() {
    #[track_caller]
    fn round<T>(value: &T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug,
    {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    }
    round(&set());
    round(&set_delta());
    round(&register());
    round(&register_delta());
    round(&LwwRegister::written(dot(5, 1 << 60), 1));
    round(&LwwRegister::<u8>::new());
    round(&context());
    round(&clock());
    round(&saved());
    let json = serde_json::to_string(&clock()).unwrap();
    assert_eq!(json, r#"{"00000001":"7","ffffffff":"1152921504606846976"}"#);
    let text = r#"{"store":[[1,[]]],"context":[]}"#;
    assert!(serde_json::from_str::<OrSet<u8>>(text).is_err(), "an element without a dot");
    let text = r#"{"store":[[1,[{"stamp":"5","node":"00000001"}]]],"context":[]}"#;
    assert!(serde_json::from_str::<OrSet<u8>>(text).is_err(), "a dot outside the context");
}
