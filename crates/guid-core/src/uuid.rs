//! The type of the crate `uuid` (feature `uuid`): the UUIDv8 that embeds an ID.
//!
//! # Invariants
//!
//! Lossless, and in order: UUIDs compare as the IDs do. A UUID that embeds no ID is refused.
//!
//! # References
//!
//! RFC 9562, section 5.8 (UUIDv8).

use uuid::Uuid;

use crate::{Guid, ParseError};

/// ```
/// use guid_core::{Guid, guid};
/// use uuid::Uuid;
///
/// let uuid = Uuid::from(guid!("630f93f6f56df77ff883404d"));
/// assert_eq!(uuid.to_string(), "630f93f6-f56d-8f77-8ff8-83404d000000");
/// assert_eq!(uuid.get_version_num(), 8);
/// ```
impl From<Guid> for Uuid {
    fn from(id: Guid) -> Self {
        Self::from_u128(id.to_uuid_u128())
    }
}

/// ```
/// use guid_core::{Guid, guid};
/// use uuid::Uuid;
///
/// let id = guid!("630f93f6f56df77ff883404d");
/// assert_eq!(Guid::try_from(Uuid::from(id)), Ok(id));
/// assert!(Guid::try_from(Uuid::nil()).is_err());
/// ```
impl TryFrom<Uuid> for Guid {
    type Error = ParseError;

    fn try_from(uuid: Uuid) -> Result<Self, ParseError> {
        Self::from_uuid(uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer()))
    }
}
