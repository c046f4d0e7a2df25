//! Parameters and columns of `sqlx`, for every backend that has the column below.
//!
//! Generic over the database: whatever stores bytes, text, a UUID or a 64-bit integer stores these.

use sqlx::{Database, Decode, Encode, Type, encode::IsNull, error::BoxDynError};

use super::{signed, unsigned};
use crate::{Guid, LocalId};

/// A [`Guid`] in a column of text: Crockford base32, which sorts under any collation.
///
/// # Examples
///
/// ```
/// use guid_core::{database::AsText, guid};
///
/// let parameter = AsText(guid!("Njj070....H7o_zz")); // to bind, or a field of a `FromRow`
/// assert_eq!(parameter.0.to_base32(), "0RQVR4G100000J4D4QZZ");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper: it will never hold anything else")]
pub struct AsText(pub Guid);

/// A [`Guid`] in a column of UUIDs: the UUIDv8 that embeds it. A UUID that embeds none is an error.
///
/// # Examples
///
/// ```
/// use guid_core::{database::AsUuid, guid};
///
/// let parameter = AsUuid(guid!("Njj070....H7o_zz")); // to bind, or a field of a `FromRow`
/// assert_eq!(parameter.0.to_uuid(), "62fbc120-1000-8000-8488-d25fff000000");
/// ```
#[cfg(feature = "uuid")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper: it will never hold anything else")]
pub struct AsUuid(pub Guid);

/// `$id` is stored as `$column`, written by one expression and read by another as `$read`.
macro_rules! column {
    ($id:ty, $column:ty, $read:ty, $write:expr, $parse:expr) => {
        impl<DB: Database> Type<DB> for $id
        where
            $column: Type<DB>,
        {
            fn type_info() -> DB::TypeInfo {
                <$column as Type<DB>>::type_info()
            }

            fn compatible(ty: &DB::TypeInfo) -> bool {
                <$column as Type<DB>>::compatible(ty)
            }
        }

        impl<'q, DB: Database> Encode<'q, DB> for $id
        where
            $column: Encode<'q, DB>,
        {
            fn encode_by_ref(
                &self,
                buf: &mut DB::ArgumentBuffer<'q>,
            ) -> Result<IsNull, BoxDynError> {
                let write: fn(&Self) -> Result<$column, BoxDynError> = $write;
                write(self)?.encode(buf)
            }
        }

        impl<'r, DB: Database> Decode<'r, DB> for $id
        where
            $read: Decode<'r, DB>,
        {
            fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
                let parse: fn($read) -> Result<Self, BoxDynError> = $parse;
                parse(Decode::decode(value)?)
            }
        }
    };
}

column!(Guid, Vec<u8>, &'r [u8], |id| Ok(id.as_bytes().to_vec()), |v| Ok(Self::try_from(v)?));
column!(LocalId, i64, i64, |id| Ok(signed(*id)?), |number| Ok(unsigned(number)?));
column!(AsText, String, &'r str, |id| Ok(id.0.to_base32().as_str().into()), |text| {
    Ok(Self(Guid::from_base32(text)?))
});
#[cfg(feature = "uuid")]
column!(AsUuid, uuid::Uuid, uuid::Uuid, |id| Ok(id.0.into()), |uuid| Ok(Self(uuid.try_into()?)));
