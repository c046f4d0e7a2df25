//! [`Causality`]: how two events, or two states, stand to each other.
//!
//! Happens-before is a *partial* order: of two events one can be before the other, or neither.
//! "Neither" is an answer, not a failure, so it is a value here and has a name. `Ord` and
//! `PartialOrd` are absent from every partially ordered type of this crate on purpose: `a < b` and
//! `!(a >= b)` read alike and differ exactly where it matters.
//!
//! # References
//!
//! Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978.

use core::{cmp::Ordering, fmt};

/// The relation of two events or states under happens-before.
///
/// # Examples
///
/// ```
/// use guid_crdt::Causality;
///
/// assert_eq!(Causality::Before.reverse(), Causality::After);
/// assert_eq!(Causality::Concurrent.to_string(), "concurrent");
/// // A pair of fields is before another pair if neither of its fields is after.
/// assert_eq!(Causality::Before.and(Causality::Equal), Causality::Before);
/// assert_eq!(Causality::Before.and(Causality::After), Causality::Concurrent);
/// ```
#[doc(alias = "happens-before")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::exhaustive_enums, reason = "two things stand in one of these four relations")]
pub enum Causality {
    /// The left is contained in the right, and smaller: `less`.
    #[cfg_attr(feature = "serde", serde(rename = "less"))]
    Before,
    /// The same: `equal`.
    #[cfg_attr(feature = "serde", serde(rename = "equal"))]
    Equal,
    /// The left contains the right, and more: `greater`.
    #[cfg_attr(feature = "serde", serde(rename = "greater"))]
    After,
    /// Each knows something that the other does not: `concurrent`.
    #[cfg_attr(feature = "serde", serde(rename = "concurrent"))]
    Concurrent,
}

impl Causality {
    /// Returns the relation, given whether left ≤ right and whether right ≤ left.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Causality;
    ///
    /// let (a, b) = ([1, 2], [2, 2]);
    /// let within = |a: [i32; 2], b: [i32; 2]| a[0] <= b[0] && a[1] <= b[1];
    /// assert_eq!(Causality::from_within(within(a, b), within(b, a)), Causality::Before);
    /// ```
    pub const fn from_within(left_in_right: bool, right_in_left: bool) -> Self {
        match (left_in_right, right_in_left) {
            (true, true) => Self::Equal,
            (true, false) => Self::Before,
            (false, true) => Self::After,
            (false, false) => Self::Concurrent,
        }
    }

    /// Whether the left is contained in the right: before, or equal.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Causality;
    ///
    /// assert!(Causality::Equal.is_within() && Causality::Before.is_within());
    /// assert!(!Causality::After.is_within() && !Causality::Concurrent.is_within());
    /// ```
    pub const fn is_within(self) -> bool {
        matches!(self, Self::Before | Self::Equal)
    }

    /// The relation seen from the other side.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Causality;
    ///
    /// assert_eq!(Causality::Before.reverse(), Causality::After);
    /// assert_eq!(Causality::Concurrent.reverse(), Causality::Concurrent);
    /// ```
    #[must_use]
    pub const fn reverse(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
            Self::Equal | Self::Concurrent => self,
        }
    }

    /// The relation of two pairs, given that of their first and that of their second members.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Causality::{Before, Concurrent, After, Equal};
    ///
    /// assert_eq!(Before.and(Equal), Before); // one part is behind, the other not ahead
    /// assert_eq!(Before.and(After), Concurrent);
    /// ```
    #[must_use]
    pub const fn and(self, second: Self) -> Self {
        Self::from_within(
            self.is_within() && second.is_within(),
            self.reverse().is_within() && second.reverse().is_within(),
        )
    }

    /// The word used in files: `less`, `equal`, `greater`, `concurrent`.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Causality;
    ///
    /// assert_eq!(Causality::Before.as_str(), "less");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Before => "less",
            Self::Equal => "equal",
            Self::After => "greater",
            Self::Concurrent => "concurrent",
        }
    }
}

impl From<Ordering> for Causality {
    fn from(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Less => Self::Before,
            Ordering::Equal => Self::Equal,
            Ordering::Greater => Self::After,
        }
    }
}

/// The word used in files.
impl fmt::Display for Causality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
