//! Ranges of time as ranges of IDs: what a scan of an index asks for.
//!
//! # The idea
//!
//! In k-order the node stands above the lower part of the time. So "all IDs since t" is no exact
//! range; the tightest one begins at node 0 at t, and ends at the greatest node.
//!
//! ```text
//!            window of t
//! … │ node 0: ─────t═════ │ node 1: ─────t═════ │ node 2: … │ next window ═════ …
//!                  └ first_at(t): all of ═ lie behind it, and some of ─ do
//! ```
//!
//! # Invariants
//!
//! * Every ID of the drift with a tick at or after that of t is at or above `first_at(t)`; one at
//!   or before, at or below `last_at(t)`. Both bounds are IDs of that tick: neither can be tighter.
//! * What else lies in the range is in the windows of its two ends: at most W before the first
//!   moment and W after the last, so a scan filters there by [`Guid::stamp`], and nowhere else.

use core::ops::RangeInclusive;

use crate::{Drift, Guid, NodeId, Seq, Stamp, Tick};

impl Guid {
    /// Returns the least ID, in k-order, of the tick that contains a moment: every ID of this drift
    /// made at the moment or later is at or above it, whatever its node.
    ///
    /// A scan from here on also meets IDs made before: those of other nodes in the same
    /// [window](Drift::window). Filter by [`stamp`](Self::stamp) until the window is over. It does
    /// not meet IDs of other drift codes: each in use is a range of its own.
    ///
    /// Times are those *in the IDs*. A node whose clock is slow by e stamps a moment e earlier: to
    /// miss nothing that was truly made since t, ask for t − e.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Guid, NodeId, Stamp};
    ///
    /// let t = 1_719_822_159_109_605_709;
    /// let since = Guid::first_at(Drift::D3, t);
    /// let later = Guid::new(Drift::D3, NodeId::new(1), Stamp::from_unix_nanos(t + 1));
    /// assert!(since <= later);
    /// ```
    pub const fn first_at(drift: Drift, unix_nanos: u64) -> Self {
        Self::new(drift, NodeId::new(0), Stamp::from_unix_nanos(unix_nanos))
    }

    /// Returns the greatest ID, in k-order, of the tick that contains a moment: every ID of this
    /// drift made at the moment or earlier is at or below it, whatever its node.
    ///
    /// A scan up to here also meets IDs made later: see [`first_at`](Self::first_at).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Guid, NodeId, Stamp};
    ///
    /// let t = 1_719_822_159_109_605_709;
    /// let until = Guid::last_at(Drift::D3, t);
    /// let earlier = Guid::new(Drift::D3, NodeId::new(u32::MAX), Stamp::from_unix_nanos(t - 1));
    /// assert!(earlier <= until);
    /// ```
    pub const fn last_at(drift: Drift, unix_nanos: u64) -> Self {
        let tick = Tick::from_unix_nanos(unix_nanos);
        Self::new(drift, NodeId::new(u32::MAX), Stamp::new(tick, Seq::MAX))
    }

    /// Returns the IDs that a scan for the moments `from` to `to` visits, both included. If `from`
    /// is in a later window than `to`, the range is empty (and the maps of std panic on it).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use guid_core::{Drift, Generator, Guid, ManualClock, NodeId, Tick};
    ///
    /// let second = 1_000_000_000;
    /// let clock = ManualClock::new(1_719_822_159 * second);
    /// let nodes = [1, 2, 3].map(|node| Generator::on_clock(NodeId::new(node), &clock));
    /// let mut index = BTreeSet::new();
    /// for _ in 0..1_000 {
    ///     clock.advance(second);
    ///     index.extend(nodes.iter().map(Generator::next));
    /// }
    ///
    /// let (from, to) = (1_719_822_500 * second, 1_719_822_600 * second);
    /// let seen = index.range(Guid::scan(Drift::D3, from, to));
    /// let ticks = Tick::from_unix_nanos(from)..=Tick::from_unix_nanos(to);
    /// let wanted = seen.filter(|id| ticks.contains(&id.tick()));
    /// assert_eq!(wanted.count(), 3 * 101);
    /// ```
    pub const fn scan(drift: Drift, from: u64, to: u64) -> RangeInclusive<Self> {
        RangeInclusive::new(Self::first_at(drift, from), Self::last_at(drift, to))
    }

    /// Returns the IDs that a scan for the moments of one millisecond visits, counted from the Unix
    /// epoch; a millisecond after 2554 gives that year's last.
    ///
    /// For rows that are keyed by [`millis_of_uuid_v7`] or [`millis_of_ulid`].
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Drift, Guid, NodeId, Stamp};
    ///
    /// let range = Guid::scan_of_millis(Drift::D3, 1_645_557_742_000);
    /// let stamp = Stamp::from_unix_nanos(1_645_557_742_000_999_999);
    /// let id = Guid::new(Drift::D3, NodeId::new(7), stamp);
    /// assert!(range.contains(&id));
    /// ```
    pub const fn scan_of_millis(drift: Drift, unix_millis: u64) -> RangeInclusive<Self> {
        let from = unix_millis.saturating_mul(1_000_000);
        Self::scan(drift, from, from.saturating_add(999_999))
    }
}

/// Returns the milliseconds since 1970 in a UUID of version 7 (RFC 9562, section 5.7), or `None` if
/// it is of another version or variant.
///
/// The UUID itself does not fit an ID: its random bits are lost. For bounds of scans, not identity.
///
/// # Examples
///
/// ```
/// use guid_core::millis_of_uuid_v7;
///
/// // The example of RFC 9562: Tuesday, February 22, 2022 2:22:22.00 PM GMT-05:00.
/// let uuid = 0x017F22E2_79B0_7CC3_98C4_DC0C0C07398F;
/// assert_eq!(millis_of_uuid_v7(uuid), Some(1_645_557_742_000));
/// assert_eq!(millis_of_uuid_v7(uuid ^ 1 << 76), None); // version 6
/// ```
pub const fn millis_of_uuid_v7(uuid: u128) -> Option<u64> {
    let (version, variant) = (uuid >> 76 & 0xf, uuid >> 62 & 0b11);
    if version == 7 && variant == 0b10 { Some(millis_on_top(uuid)) } else { None }
}

/// Returns the milliseconds since 1970 in a ULID; every number of 128 bits is one.
///
/// # Examples
///
/// ```
/// use guid_core::millis_of_ulid;
///
/// let ulid = 0x01563E3A_B5D3_D676_4C61_EFB99302BD5B; // 01ARZ3NDEKTSV4RRFFQ69G5FAV
/// assert_eq!(millis_of_ulid(ulid), 1_469_922_850_259);
/// ```
pub const fn millis_of_ulid(ulid: u128) -> u64 {
    millis_on_top(ulid)
}

/// Both kinds begin with 48 bits of milliseconds.
const fn millis_on_top(bits: u128) -> u64 {
    (bits >> 80) as u64
}
