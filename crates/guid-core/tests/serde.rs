//! The encodings never change: golden JSON and golden bytes, and what errors say.

use guid_core::{Guid, LocalId, NodeId, Stamp};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt::Debug};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    id: Guid,
    local: LocalId,
    node: NodeId,
    stamp: Stamp,
}

/// The first line of the vectors: code 3, node 02000000, sequence 8191.
fn record() -> Record {
    let id: Guid = "Njj070....H7o_zz".parse().expect("an ID");
    let (node, local) = id.to_local();
    Record { id, local, node, stamp: id.stamp() }
}

const JSON: &str = concat!(
    r#"{"id":"Njj070....H7o_zz","local":"*Njj07.....H7o_zz","#,
    r#""node":"02000000","stamp":"214977769888702463"}"#,
);

/// In bincode's default (little-endian, fixed width): 12 bytes as they are, then u64, u32, u64.
const BYTES: [u8; 32] = [
    0x62, 0xfb, 0xc1, 0x20, 0x10, 0x00, 0x00, 0x04, 0x88, 0xd2, 0x5f,
    0xff, // the ID, big-endian
    0xff, 0x5f, 0xd2, 0x88, 0x24, 0xc1, 0xfb, 0x62, // the local
    0x00, 0x00, 0x00, 0x02, // the node
    0xff, 0x5f, 0xd2, 0x88, 0x24, 0xc1, 0xfb, 0x02, // the stamp
];

#[test]
fn json_is_frozen() {
    assert_eq!(serde_json::to_string(&record()).unwrap(), JSON);
    assert_eq!(serde_json::from_str::<Record>(JSON).unwrap(), record());
}

#[test]
fn bytes_are_frozen() {
    assert_eq!(bincode::serialize(&record()).unwrap(), BYTES);
    assert_eq!(bincode::deserialize::<Record>(&BYTES).unwrap(), record());
}

#[test]
fn the_ends_of_every_type_come_back() {
    fn both<T: Copy + Debug + PartialEq + Serialize + DeserializeOwned>(values: [T; 2]) {
        for value in values {
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value);
            let json = serde_json::to_value(value).unwrap();
            assert_eq!(serde_json::from_value::<T>(json).unwrap(), value);
            let bytes = bincode::serialize(&value).unwrap();
            assert_eq!(bincode::deserialize::<T>(&bytes).unwrap(), value);
        }
    }
    both([Guid::ZERO, Guid::MAX]);
    both([LocalId::ZERO, LocalId::MAX]);
    both([NodeId::new(0), NodeId::new(u32::MAX)]);
    both([Stamp::MIN, Stamp::MAX]);
}

/// Upstream's IDs cannot be keys of a JSON object.
#[test]
fn ids_are_keys_of_maps() {
    let map = BTreeMap::from([(record().id, 1), (Guid::MAX, 2)]);
    let json = serde_json::to_string(&map).unwrap();
    assert_eq!(json, r#"{"Njj070....H7o_zz":1,"zzzzzzzzzzzzzzzz":2}"#);
    assert_eq!(serde_json::from_str::<BTreeMap<Guid, i32>>(&json).unwrap(), map);
}

/// A local is text: over 2⁶¹ it is a number that a double cannot hold.
#[test]
fn another_form_is_a_string() {
    let json = serde_json::to_string(&record().id.to_base32()).unwrap();
    assert_eq!(json, r#""0RQVR4G100000J4D4QZZ""#);
}

#[track_caller]
fn refused<T: DeserializeOwned + Debug>(json: &str) -> String {
    serde_json::from_str::<T>(json).expect_err("a wrong value").to_string()
}

#[test]
fn errors_say_what_was_found_and_expected() {
    assert_eq!(
        refused::<Guid>("null"),
        "invalid type: null, expected the canonical text of an ID at line 1 column 4",
    );
    assert_eq!(
        refused::<Guid>(r#""""#),
        "invalid length 0 of an ID: expected 16 characters at line 1 column 2",
    );
    assert_eq!(
        refused::<Guid>(r#""Njj070..é.H7o_z""#),
        "invalid character `é` at index 8 of an ID: expected one of `.0-9A-Z_a-z` \
         at line 1 column 18",
    );
    assert_eq!(
        refused::<LocalId>(r#""*Njj07.....H7o_z!""#),
        "invalid character `!` at index 16 of an ID: expected one of `.0-9A-Z_a-z` \
         at line 1 column 19",
    );
    assert_eq!(
        refused::<LocalId>("7132133241388621823"),
        "invalid type: integer `7132133241388621823`, expected `*` and the canonical text of an ID \
         at line 1 column 19",
    );
    assert_eq!(
        refused::<NodeId>(r#""2000000""#),
        "invalid length 7 of an ID: expected 8 hexadecimal digits at line 1 column 9",
    );
}

/// One value, one text: no sign, no leading zero, no space.
#[test]
fn a_stamp_has_one_text() {
    for text in ["", "+5", "-5", "05", "00", " 5", "5 ", "5.0", "0x5", "５", "18446744073709551616"]
    {
        let error = refused::<Stamp>(&format!("\"{text}\""));
        assert!(error.starts_with("invalid stamp"), "{error}");
    }
    assert_eq!(
        refused::<Stamp>(r#""+5""#),
        "invalid stamp \"+5\": expected decimal digits without a leading zero at line 1 column 4",
    );
    assert_eq!(
        refused::<Stamp>(r#""2305843009213693952""#),
        "stamp 2305843009213693952 is out of range: expected at most 2305843009213693951 \
         at line 1 column 21",
    );
    assert_eq!(serde_json::from_str::<Stamp>(r#""0""#).unwrap(), Stamp::MIN);
}

#[test]
fn short_and_wide_bytes_are_refused() {
    assert!(bincode::deserialize::<Guid>(&BYTES[..11]).is_err());
    assert!(bincode::deserialize::<LocalId>(&BYTES[..7]).is_err());
    let error = bincode::deserialize::<Stamp>(&[0xff; 8]).unwrap_err().to_string();
    assert_eq!(
        error,
        "stamp 18446744073709551615 is out of range: expected at most 2305843009213693951",
    );
}

/// The other forms, as fields; `local` is absent in `uuid`, which no local has.
macro_rules! with_module {
    ($name:ident, $module:literal, $json:literal) => {
        #[test]
        fn $name() {
            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            struct Fields {
                #[serde(with = $module)]
                id: Guid,
                #[serde(with = $module)]
                local: LocalId,
                #[serde(with = $module)]
                some: Option<Guid>,
                #[serde(with = $module)]
                none: Option<LocalId>,
            }
            let Record { id, local, .. } = record();
            let fields = Fields { id, local, some: Some(Guid::MAX), none: None };
            let json = serde_json::to_string(&fields).unwrap();
            assert_eq!(json, $json);
            assert_eq!(serde_json::from_str::<Fields>(&json).unwrap(), fields);
            let bytes = bincode::serialize(&fields).unwrap();
            assert_eq!(bincode::deserialize::<Fields>(&bytes).unwrap(), fields);
        }
    };
}

with_module!(
    base32_fields_are_frozen,
    "guid_core::serde::base32",
    r#"{"id":"0RQVR4G100000J4D4QZZ","local":"65YY14J4D4QZZ","some":"1ZZZZZZZZZZZZZZZZZZZ","none":null}"#
);
with_module!(
    base62_fields_are_frozen,
    "guid_core::serde::base62_padded",
    r#"{"id":"0dq7YumjEa745gWTv","local":"8UsxJwyLANj","some":"1f2SI9UJPXvb7vdJ1","none":null}"#
);
with_module!(
    hex_fields_are_frozen,
    "guid_core::serde::hex",
    r#"{"id":"62fbc1201000000488d25fff","local":"62fbc12488d25fff","some":"ffffffffffffffffffffffff","none":null}"#
);
with_module!(
    byte_fields_are_frozen,
    "guid_core::serde::bytes",
    r#"{"id":[98,251,193,32,16,0,0,4,136,210,95,255],"local":[98,251,193,36,136,210,95,255],"some":[255,255,255,255,255,255,255,255,255,255,255,255],"none":null}"#
);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AsUuid(#[serde(with = "guid_core::serde::uuid")] Guid);

#[derive(Debug, Serialize, Deserialize)]
struct AsBytes(#[serde(with = "guid_core::serde::bytes")] Guid);

#[test]
fn a_uuid_field_is_frozen() {
    let json = r#""62fbc120-1000-8000-8488-d25fff000000""#;
    assert_eq!(serde_json::to_string(&AsUuid(record().id)).unwrap(), json);
    assert_eq!(serde_json::from_str::<AsUuid>(json).unwrap(), AsUuid(record().id));
    let error = refused::<AsUuid>(r#""62fbc120-1000-4000-8488-d25fff000000""#);
    assert!(error.starts_with("not the text of an ID at index 14"), "{error}");
}

/// A byte string carries its length; one byte more or less is no ID.
#[test]
fn byte_fields_have_one_length() {
    let bytes = bincode::serialize(&AsBytes(record().id)).unwrap();
    assert_eq!(bytes, [&[12, 0, 0, 0, 0, 0, 0, 0], &BYTES[..12]].concat());
    assert!(refused::<AsBytes>("[1,2,3,4,5,6,7,8,9,10,11]").contains("expected 12 bytes of an ID"));
    assert!(refused::<AsBytes>("[1,2,3,4,5,6,7,8,9,10,11,12,13]").contains("invalid length 13"));
    let short = [&[11, 0, 0, 0, 0, 0, 0, 0], &BYTES[..11]].concat();
    let error = bincode::deserialize::<AsBytes>(&short).unwrap_err().to_string();
    assert_eq!(error, "invalid length 11, expected 12 bytes of an ID");
}
