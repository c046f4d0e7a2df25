//! [`Scheme`]: a way to stamp events, by name.

use std::{fmt, str::FromStr};

use guid_core::{Drift, Tick};

use crate::{scenario::hint, units};

/// A way to stamp events. Every scheme of a run stamps the same execution, so schemes compare
/// event by event.
///
/// # Examples
///
/// ```
/// use guid_core::Drift;
/// use guid_sim::Scheme;
///
/// assert_eq!("guid96:d1".parse(), Ok(Scheme::Guid96(Drift::D1)));
/// assert_eq!("guid96".parse(), Ok(Scheme::Guid96(Drift::D3)));
/// assert_eq!(Scheme::Guid96(Drift::D3).to_string(), "guid96:d3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// A global with a receive rule for its bytes too: where a node would misorder what it
    /// received, it goes on to the next window.
    Bump(Drift),
    /// A counter a node, kept in memory: what people write first.
    Counter,
    /// The 64-bit local ID, beside the node that made it.
    Guid64,
    /// The 96-bit global ID at a drift code.
    Guid96(Drift),
    /// A hybrid logical clock of 64 bits of time and a counter.
    Hlc,
    /// Lamport's clock.
    Lamport,
    /// Globals of nodes that disagree on the drift code: they take the eight codes in turn.
    Mixed,
    /// A Snowflake: 41 bits of milliseconds, 10 of a configured machine, a sequence of 12 that
    /// starts over every millisecond. Holds the last millisecond while the clock is behind it.
    Snowflake,
    /// A ULID as its specification has it: milliseconds and 80 random bits, which are counted up
    /// within a millisecond.
    Ulid,
    /// The Go library's allocator as it is: wall clock and a sequence that runs freely, read apart.
    Upstream(Drift),
    /// A UUID of version 7 with nothing but random bits below its millisecond.
    Uuid7,
    /// A vector clock keyed by the node fraction.
    Vector,
}

const EXPECTED: &str = "guid96:d0 to guid96:d7, guid96:mixed, bump:d0 to bump:d7, guid64, \
                        upstream, uuid7, ulid, snowflake, counter, lamport, hlc or vector";

impl Scheme {
    /// The window inside which k-order may be wrong with perfect clocks: W for a global, the tick
    /// for schemes that put time first. `None` where an ID tells no time.
    pub fn window_ns(self) -> Option<u64> {
        match self {
            Self::Guid96(drift) | Self::Upstream(drift) | Self::Bump(drift) => {
                u64::try_from(drift.window().as_nanos()).ok()
            }
            // The widest of them; between two codes no window is wide enough.
            Self::Mixed => u64::try_from(Drift::D7.window().as_nanos()).ok(),
            Self::Guid64 => Some(Tick::NANOS),
            Self::Snowflake | Self::Ulid | Self::Uuid7 => Some(1_000_000),
            Self::Hlc => Some(1),
            Self::Counter | Self::Lamport | Self::Vector => None,
        }
    }

    /// The same scheme with the window of another drift, if it has one that can be chosen.
    pub(crate) const fn with_window(self, drift: Drift) -> Self {
        match self {
            Self::Bump(_) => Self::Bump(drift),
            Self::Guid96(_) => Self::Guid96(drift),
            Self::Upstream(_) => Self::Upstream(drift),
            other => other,
        }
    }

    /// Whether the scheme's k-order and time order differ.
    pub const fn has_two_orders(self) -> bool {
        matches!(self, Self::Guid96(_) | Self::Upstream(_) | Self::Bump(_) | Self::Mixed)
    }

    /// Whether IDs of different nodes compare at all.
    pub const fn is_ordered(self) -> bool {
        !matches!(self, Self::Counter | Self::Vector)
    }

    /// Whether its IDs have random bits.
    pub(crate) const fn is_random(self) -> bool {
        matches!(self, Self::Ulid | Self::Uuid7)
    }

    /// Whether the closed form of pairs is about this scheme: one window for all nodes, and stamps
    /// that stay near their clocks.
    pub(crate) const fn has_pair_form(self) -> bool {
        !matches!(self, Self::Bump(_) | Self::Mixed)
    }

    /// Whether the scheme has a receive rule.
    pub const fn observes(self) -> bool {
        matches!(
            self,
            Self::Bump(_)
                | Self::Guid64
                | Self::Guid96(_)
                | Self::Hlc
                | Self::Lamport
                | Self::Mixed
                | Self::Vector
        )
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Bump(drift) => return f.pad(&format!("bump:d{}", drift.code())),
            Self::Counter => "counter",
            Self::Guid64 => "guid64",
            Self::Guid96(drift) => return f.pad(&format!("guid96:d{}", drift.code())),
            Self::Hlc => "hlc",
            Self::Lamport => "lamport",
            Self::Mixed => "guid96:mixed",
            Self::Snowflake => "snowflake",
            Self::Ulid => "ulid",
            Self::Uuid7 => "uuid7",
            Self::Upstream(Drift::D3) => "upstream",
            Self::Upstream(drift) => return f.pad(&format!("upstream:d{}", drift.code())),
            Self::Vector => "vector",
        };
        f.pad(name)
    }
}

impl FromStr for Scheme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("found `{text}`, expected {EXPECTED}");
        let (name, code) = match text.split_once(':') {
            Some((name, code)) => (name, Some(code)),
            None => (text, None),
        };
        let drift = || match code {
            None => Ok(Drift::default()),
            Some(code) => {
                let digits = code.strip_prefix('d').ok_or_else(error)?;
                let code = digits.parse::<u8>().map_err(|_| error())?;
                Drift::from_code(code).map_err(|_| error())
            }
        };
        match (name, code) {
            ("guid96", Some("mixed")) => Ok(Self::Mixed),
            ("guid96", _) => Ok(Self::Guid96(drift()?)),
            ("bump", _) => Ok(Self::Bump(drift()?)),
            ("upstream", _) => Ok(Self::Upstream(drift()?)),
            ("guid64", None) => Ok(Self::Guid64),
            ("counter", None) => Ok(Self::Counter),
            ("lamport", None) => Ok(Self::Lamport),
            ("snowflake", None) => Ok(Self::Snowflake),
            ("ulid", None) => Ok(Self::Ulid),
            ("uuid7", None) => Ok(Self::Uuid7),
            ("hlc", None) => Ok(Self::Hlc),
            ("vector", None) => Ok(Self::Vector),
            _ => Err(error()),
        }
    }
}

/// What a node does with the IDs it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the receive rules there are")]
pub enum Observe {
    /// Nothing: IDs are made from the clock alone.
    Off,
    /// Follows them, however far ahead they are.
    Follow,
    /// Follows them unless they are further ahead of the own clock, in nanoseconds.
    Reject(u64),
}

impl fmt::Display for Observe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.pad("off"),
            Self::Follow => f.pad("follow"),
            Self::Reject(ns) => f.pad(&format!("reject {ns}ns")),
        }
    }
}

impl FromStr for Observe {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(' ') {
            None if text == "follow" => Ok(Self::Follow),
            None if text == "off" => Ok(Self::Off),
            Some(("reject", bound)) => units::ns(bound).map(Self::Reject),
            _ => Err(format!("found `{text}`, expected `follow`, `off` or `reject 60s`")),
        }
    }
}

/// How an ID source comes back after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "remember, forget, or be somebody else")]
pub enum Memory {
    /// It remembers nothing and keeps its node.
    Amnesia,
    /// It remembers nothing and takes a new node.
    FreshNode,
    /// It keeps its node, and continues after a bound that was stored before IDs up to it were
    /// made.
    HighWater,
}

impl Memory {
    const NAMES: [(&'static str, Self); 3] = [
        ("high-water", Self::HighWater),
        ("amnesia", Self::Amnesia),
        ("fresh-node", Self::FreshNode),
    ];
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::NAMES.iter().find(|(_, memory)| memory == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        let names = Self::NAMES.map(|(name, _)| name);
        found
            .map(|&(_, memory)| memory)
            .ok_or_else(|| format!("found `{text}`{}", hint(text, &names)))
    }
}
