//! Parameters and columns of the clients `postgres` and `tokio-postgres`, in their binary format.
//!
//! A [`Guid`] goes by the type of the column: the 12 bytes, or the UUIDv8 that embeds it.

use core::error::Error;

use bytes::{BufMut, BytesMut};
use postgres_types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

use super::{signed, unsigned};
use crate::{Guid, LocalId, ParseError};

type Failure = Box<dyn Error + Sync + Send>;

impl ToSql for Guid {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        if *ty == Type::UUID {
            out.put_u128(self.to_uuid_u128());
        } else {
            out.put_slice(self.as_bytes());
        }
        Ok(IsNull::No)
    }

    accepts!(BYTEA, UUID);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Guid {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        if *ty == Type::UUID {
            let wrong = || ParseError::length(raw.len(), "16 bytes of a UUID");
            let uuid = u128::from_be_bytes(raw.try_into().map_err(|_| wrong())?);
            let why = "a UUID that embeds an ID reads ........-....-8...-8...-......000000";
            Ok(Self::from_uuid_u128(uuid).ok_or_else(|| ParseError::not_canonical(0, why))?)
        } else {
            Ok(Self::try_from(raw)?)
        }
    }

    accepts!(BYTEA, UUID);
}

impl ToSql for LocalId {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        out.put_i64(signed(*self)?);
        Ok(IsNull::No)
    }

    accepts!(INT8);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for LocalId {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        let number = raw.try_into().map_err(|_| ParseError::length(raw.len(), "8 bytes"))?;
        Ok(unsigned(i64::from_be_bytes(number))?)
    }

    accepts!(INT8);
}
