//! Columns of databases (features `sqlx` and `postgres-types`).
//!
//! # Which column?
//!
//! Whatever keeps the order of the bytes: `BYTEA` or `BLOB` of 12 bytes, `UUID`, or text in base32.
//! The canonical text does so only under `COLLATE "C"` (or `BINARY`): a linguistic collation puts
//! nearly every row out of place. A [`LocalId`] goes into a signed `BIGINT` up to drift code 3; of
//! code 4 and above it would be negative there, sort before all others, and is refused.
//!
//! | type | `sqlx`, every backend | `postgres-types` |
//! |---|---|---|
//! | [`Guid`](crate::Guid) | 12 bytes | 12 bytes (`BYTEA`) or the UUIDv8 (`UUID`), as the column is |
//! | [`AsText`] | base32, 20 characters | – |
//! | [`AsUuid`] (with feature `uuid`) | the UUIDv8 that embeds it | – |
//! | [`LocalId`] | `BIGINT` | `BIGINT` |
//!
//! # Invariants
//!
//! What is written is read back, and a column sorts as the IDs do.

#[cfg(feature = "postgres-types")]
mod postgres;
#[cfg(feature = "sqlx")]
mod sqlx;

#[cfg(feature = "sqlx")]
pub use self::sqlx::AsText;
#[cfg(all(feature = "sqlx", feature = "uuid"))]
pub use self::sqlx::AsUuid;
use crate::{LocalId, RangeError};

/// The number of a signed column.
fn signed(id: LocalId) -> Result<i64, RangeError> {
    let code = u64::from(id.drift().code());
    id.to_i64().ok_or_else(|| RangeError::new("drift code of a signed 64-bit column", code, 3))
}

/// The ID of a number from a signed column.
fn unsigned(number: i64) -> Result<LocalId, RangeError> {
    let id = LocalId::from_u64(number.cast_unsigned());
    signed(id).map(|_| id)
}
