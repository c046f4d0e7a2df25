//! The types of other crates: what is converted comes back, in order, and what has no counterpart
//! is an error.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::BytesMut;
use guid_core::{Drift, Guid, LocalId, Stamp, Tick, TimeError, guid};
use jiff::Timestamp;
use postgres_types::{FromSql, IsNull, ToSql, Type};
use proptest::prelude::*;
use uuid::{Uuid, Variant};
use zerocopy::{FromBytes, IntoBytes};

proptest! {
    #[test]
    fn uuids_are_lossless_and_in_order(a: Guid, b: Guid) {
        let (x, y) = (Uuid::from(a), Uuid::from(b));
        prop_assert_eq!(Guid::try_from(x), Ok(a));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!((x.get_version_num(), x.get_variant()), (8, Variant::RFC4122));
        prop_assert_eq!(x.to_string(), &*a.to_uuid());
    }

    /// Most UUIDs embed no ID: those that do are the ones that come back.
    #[test]
    fn a_uuid_is_read_only_if_it_is_written_again(uuid: u128, id: Guid, bit in 0..128_u32) {
        for uuid in [uuid, id.to_uuid_u128() ^ 1 << bit].map(Uuid::from_u128) {
            if let Ok(id) = Guid::try_from(uuid) {
                prop_assert_eq!(Uuid::from(id), uuid);
            }
        }
    }

    #[test]
    fn moments_round_down_to_their_tick(stamp: Stamp, within in 0..Tick::NANOS) {
        let (tick, first) = (stamp.tick(), Stamp::from_unix_nanos(stamp.unix_nanos()));
        let within = Duration::from_nanos(within);
        let time = SystemTime::from(stamp) + within;
        prop_assert_eq!(Tick::try_from(time), Ok(tick));
        prop_assert_eq!(Stamp::try_from(time), Ok(first));
        prop_assert_eq!(time, UNIX_EPOCH + Duration::from_nanos(tick.unix_nanos()) + within);

        let time = Timestamp::from(stamp) + within;
        prop_assert_eq!(Tick::try_from(time), Ok(tick));
        prop_assert_eq!(Stamp::try_from(time), Ok(first));
        let nanos = u128::from(tick.unix_nanos()) + within.as_nanos();
        prop_assert_eq!(u128::try_from(time.as_nanosecond()), Ok(nanos));
    }

    #[test]
    fn buffers_hold_ids_in_place(ids: Vec<Guid>, rest in 0..12_usize) {
        let mut buffer: Vec<u8> = ids.iter().flat_map(|id| id.to_bytes()).collect();
        prop_assert_eq!(ids.as_bytes(), &*buffer);
        prop_assert_eq!(<[Guid]>::ref_from_bytes(&buffer).unwrap(), &*ids);
        buffer.resize(buffer.len() + rest, 0);
        prop_assert_eq!(<[Guid]>::ref_from_bytes(&buffer).is_ok(), rest == 0);
    }

    #[test]
    fn postgres_columns_come_back(id: Guid, local: LocalId) {
        prop_assert_eq!(&*sent(id, &Type::BYTEA).unwrap(), id.as_bytes());
        prop_assert_eq!(&*sent(id, &Type::UUID).unwrap(), &Uuid::from(id).into_bytes());
        for column in [Type::BYTEA, Type::UUID] {
            let raw = sent(id, &column).unwrap();
            prop_assert_eq!(Guid::from_sql(&column, &raw).unwrap(), id);
        }
        match sent(local, &Type::INT8) {
            Some(raw) => {
                prop_assert_eq!(LocalId::from_sql(&Type::INT8, &raw).unwrap(), local);
                prop_assert_eq!(&*raw, &local.to_bytes());
                prop_assert!(local.drift() <= Drift::D3);
            }
            None => prop_assert!(local.drift() >= Drift::D4),
        }
    }
}

/// What is sent for a column of this type, or nothing where that is refused.
fn sent(value: impl ToSql, column: &Type) -> Option<Vec<u8>> {
    let mut out = BytesMut::new();
    let null = value.to_sql_checked(column, &mut out).ok()?;
    assert!(matches!(null, IsNull::No));
    Some(out.to_vec())
}

#[test]
fn moments_outside_the_scale_are_refused() {
    let end = UNIX_EPOCH + Duration::from_nanos(u64::MAX);
    assert_eq!(Tick::try_from(UNIX_EPOCH), Ok(Tick::default()));
    assert_eq!(Tick::try_from(end), Ok(Tick::MAX));
    let one = Duration::from_nanos(1);
    assert_eq!(Tick::try_from(end + one), Err(TimeError::AfterEnd));
    assert_eq!(Tick::try_from(UNIX_EPOCH - one), Err(TimeError::BeforeUnixEpoch));

    let end = Timestamp::from_nanosecond(u64::MAX.into()).unwrap();
    assert_eq!(end.to_string(), "2554-07-21T23:34:33.709551615Z");
    assert_eq!(Stamp::try_from(end).map(Stamp::tick), Ok(Tick::MAX));
    assert_eq!(Tick::try_from(end + one), Err(TimeError::AfterEnd));
    assert_eq!(Tick::try_from(Timestamp::MIN), Err(TimeError::BeforeUnixEpoch));
    assert_eq!(Tick::try_from(Timestamp::MAX), Err(TimeError::AfterEnd));
}

#[test]
fn a_known_id_has_known_bytes_in_postgres() {
    let id = guid!("630f93f6f56df77ff883404d");
    let uuid = 0x630f93f6_f56d_8f77_8ff8_83404d000000_u128;
    assert_eq!(sent(id, &Type::UUID).unwrap(), uuid.to_be_bytes());
    assert_eq!(sent(id, &Type::BYTEA).unwrap(), id.to_bytes());
}

#[test]
fn other_columns_and_other_bytes_are_refused() {
    for column in [Type::TEXT, Type::INT8, Type::TIMESTAMPTZ] {
        assert!(!<Guid as FromSql>::accepts(&column));
        assert_eq!(sent(Guid::MAX, &column), None);
    }
    for column in [Type::BYTEA, Type::INT4] {
        assert_eq!(sent(LocalId::ZERO, &column), None);
    }
    assert!(Guid::from_sql(&Type::BYTEA, &[0; 16]).is_err());
    assert!(Guid::from_sql(&Type::UUID, &[0; 12]).is_err());
    assert!(Guid::from_sql(&Type::UUID, &[0; 16]).is_err());
    assert!(LocalId::from_sql(&Type::INT8, &[0; 7]).is_err());
    assert!(LocalId::from_sql(&Type::INT8, &[0xff; 8]).is_err());
}
