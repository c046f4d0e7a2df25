//! [`Snowflake`]: the 64-bit ID of Twitter and its kin, and how it becomes a [`Guid`] and back.
//!
//! # The picture
//!
//! ```text
//! │ 0 │ milliseconds since the owner's epoch: 41 │ node: 10 │ sequence: 12 │
//! ```
//!
//! # Invariants
//!
//! A millisecond is more than seven ticks, so different milliseconds are in different ticks: the
//! conversion is injective and, per node, keeps the order. Back again, the millisecond is the only
//! one that begins in the tick.
//!
//! # References
//!
//! The layout is that of Twitter's Snowflake, archived in 2014; others (Discord, Instagram) cut
//! the 22 lower bits differently, or count from other epochs.

use crate::{Drift, Epoch, Guid, NodeId, RangeError, Seq, Stamp, Tick};

const NANOS: u64 = 1_000_000;
const NODE_AT: u32 = 12;
const MILLIS_AT: u32 = 22;
const SEQ_MAX: u16 = (1 << NODE_AT) - 1;
const NODE_MAX: u32 = (1 << (MILLIS_AT - NODE_AT)) - 1;
const MILLIS_MAX: u64 = (1 << 41) - 1;

/// A Snowflake: 41 bits of milliseconds, 10 of node, 12 of sequence.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, Epoch, Guid, Snowflake};
///
/// let twitter = Epoch::from_unix_nanos(1_288_834_974_657_000_000);
/// let tweet = Snowflake::from_u64(1_541_815_603_606_036_480).unwrap();
/// let id = tweet.to_guid(twitter, Drift::D3)?;
/// assert_eq!(id.unix_nanos() / 1_000_000_000, 1_656_432_460); // 2022-06-28T16:07:40Z
/// assert_eq!(Snowflake::from_guid(id, twitter), Some(tweet));
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snowflake(u64);

impl Snowflake {
    /// Returns the Snowflake with these fractions.
    ///
    /// # Errors
    ///
    /// A fraction that is too wide: 41, 10 and 12 bits are there.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Snowflake;
    ///
    /// let id = Snowflake::new(367_597_485_448, 378, 0)?;
    /// assert_eq!(id.as_u64(), 1_541_815_603_606_036_480);
    /// assert!(Snowflake::new(0, 1_024, 0).is_err());
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn new(millis: u64, node: u32, seq: u16) -> Result<Self, RangeError> {
        if millis > MILLIS_MAX {
            return Err(RangeError::new("millisecond", millis, MILLIS_MAX));
        }
        if node > NODE_MAX {
            return Err(RangeError::new("node of a Snowflake", node as u64, NODE_MAX as u64));
        }
        if seq > SEQ_MAX {
            return Err(RangeError::new("sequence of a Snowflake", seq as u64, SEQ_MAX as u64));
        }
        Ok(Self(millis << MILLIS_AT | (node as u64) << NODE_AT | seq as u64))
    }

    /// Returns the Snowflake with this number, or `None` if its top bit is set.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Snowflake;
    ///
    /// assert!(Snowflake::from_u64(1 << 62).is_some());
    /// assert_eq!(Snowflake::from_u64(1 << 63), None);
    /// ```
    pub const fn from_u64(number: u64) -> Option<Self> {
        if number >> 63 == 0 { Some(Self(number)) } else { None }
    }

    /// The number.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Snowflake;
    ///
    /// let id = Snowflake::new(12_345, 17, 4_095)?;
    /// assert_eq!(id.as_u64(), 12_345 << 22 | 17 << 12 | 4_095);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// Milliseconds since the epoch of who made it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Snowflake;
    ///
    /// let id = Snowflake::new(12_345, 17, 4_095)?;
    /// assert_eq!(id.millis(), 12_345);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn millis(self) -> u64 {
        self.0 >> MILLIS_AT
    }

    /// Who made it, 0 to 1023.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Snowflake;
    ///
    /// let id = Snowflake::new(12_345, 17, 4_095)?;
    /// assert_eq!(id.node(), 17);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn node(self) -> u32 {
        (self.0 >> NODE_AT) as u32 & NODE_MAX
    }

    /// The sequence, 0 to 4095.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Snowflake;
    ///
    /// let id = Snowflake::new(12_345, 17, 4_095)?;
    /// assert_eq!(id.seq(), 4_095);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(self) -> u16 {
        self.0 as u16 & SEQ_MAX
    }

    /// Returns the ID that says the same, in Unix time. Nothing is lost: see
    /// [`from_guid`](Self::from_guid). IDs of one node keep their order.
    ///
    /// New IDs under the same nodes go on after the last converted one:
    /// [`with_last`](crate::LocalGenerator::with_last).
    ///
    /// # Errors
    ///
    /// The moment is after the end of time, in 2554.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Epoch, Snowflake};
    ///
    /// let snowflake = Snowflake::new(12_345, 17, 4_095)?;
    /// let id = snowflake.to_guid(Epoch::UNIX, Drift::D3)?;
    /// assert_eq!(id.node().as_u32(), 17);
    /// assert_eq!(Snowflake::from_guid(id, Epoch::UNIX), Some(snowflake));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn to_guid(self, epoch: Epoch, drift: Drift) -> Result<Guid, RangeError> {
        // 41 bits of milliseconds are under 2⁶¹ nanoseconds.
        let since = self.millis() * NANOS;
        let Some(nanos) = epoch.as_unix_nanos().checked_add(since) else {
            let room = u64::MAX - epoch.as_unix_nanos();
            return Err(RangeError::new("millisecond", self.millis(), room / NANOS));
        };
        let tick = Tick::from_unix_nanos(nanos);
        let seq = match Seq::new(self.seq()) {
            Ok(seq) => seq,
            Err(error) => return Err(error),
        };
        Ok(Guid::new(drift, NodeId::new(self.node()), Stamp::new(tick, seq)))
    }

    /// Returns the Snowflake that an ID was made from, or `None` if there is none: a node or a
    /// sequence that is too wide, or a tick in which no millisecond of this epoch begins.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Epoch, Guid, Snowflake};
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?; // its node has 32 bits
    /// assert_eq!(Snowflake::from_guid(id, Epoch::UNIX), None);
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn from_guid(id: Guid, epoch: Epoch) -> Option<Self> {
        // The first millisecond that begins at the tick or after it; its first tick may be the one
        // that contains the epoch, and begin before.
        let since = epoch.since(id.unix_nanos());
        let millis = since.div_ceil(NANOS);
        let Ok(found) = Self::new(millis, id.node().as_u32(), id.seq().as_u16()) else {
            return None;
        };
        match found.to_guid(epoch, id.drift()) {
            Ok(made) if made.to_u128() == id.to_u128() => Some(found),
            _ => None,
        }
    }
}
