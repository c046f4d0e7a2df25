//! How the clocks of a run are wrong.
//!
//! Two kinds of well-kept clocks. *Statistical* ones ([`Discipline`]) have offsets of a
//! distribution that was measured, cheaply, and say nothing of how they got it. Under [`Ntp`] a
//! client polls a server over the network and steers: its errors are what paths, crystals and
//! thresholds make them.

use crate::{Distribution, NodeIndex, Ntp};

/// How the clocks of the nodes are wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClockModel {
    /// The offset each clock starts with.
    pub offset: Distribution,
    /// The rate error of each clock, in parts per billion read as nanoseconds per second.
    pub rate: Distribution,
    /// How clocks are disciplined, if they are.
    pub discipline: Option<Discipline>,
    /// Nodes whose clocks are set by hand: they are not drawn and not disciplined.
    pub fixed: Vec<FixedClock>,
    /// Clocks show multiples of this many nanoseconds.
    pub granularity_ns: u64,
    /// Whether a rate is taken forwards or backwards, by chance; at most [`RATE_MOST_PPB`] then.
    pub rate_either_way: bool,
    /// How rates wander: the deviation, in parts per billion, that a second adds to a random walk.
    pub wander_ppb: u64,
    /// Clocks that are far off, if there are any.
    pub astray: Option<Astray>,
    /// The protocol that disciplines clocks over the network, if one does.
    pub ntp: Option<Ntp>,
    /// Clocks that swing around true time, if they do.
    pub sine: Option<Sine>,
    /// Clocks that stand still now and then, as those of guests do, if they do.
    pub suspensions: Option<Suspensions>,
}

/// As fast or slow as a crystal gets that a clock takes for sound: 500 ppm.
pub const RATE_MOST_PPB: i64 = 500_000;

/// A part of all clocks that is far off.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Astray {
    /// Which part.
    pub part: f64,
    /// How far, ahead or behind.
    pub by: Distribution,
}

impl Astray {
    /// Returns a part of the clocks that is off by so much, ahead or behind.
    pub const fn new(part: f64, by: Distribution) -> Self {
        Self { part, by }
    }
}

/// Clocks of guests that are suspended now and then while their work goes on: the clock stands
/// still, runs on behind, and then jumps forward by what it missed; or, some of the time, it is set
/// wrong, and jumps back as far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suspensions {
    /// From the end of one to the beginning of the next.
    pub every: Distribution,
    /// How long the clock stands still.
    pub lasts: Distribution,
    /// No longer than this.
    pub lasts_most_ns: u64,
    /// How long it runs on behind before it is set.
    pub unnoticed: Distribution,
    /// The part of all that end in a jump back.
    pub back: f64,
}

impl Suspensions {
    /// Returns suspensions that come so often and last so long, at most `lasts_most_ns`, and are
    /// made up for 10 s later on average, a tenth of them the wrong way.
    pub const fn new(every: Distribution, lasts: Distribution, lasts_most_ns: u64) -> Self {
        let unnoticed = Distribution::exponential(10e9);
        Self { every, lasts, lasts_most_ns, unnoticed, back: 0.1 }
    }
}

/// A clock that swings around true time, as a sine, each node's with a phase of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sine {
    /// How far it goes, each way.
    pub amplitude_ns: u64,
    /// How long a swing takes.
    pub period_ns: u64,
}

impl Sine {
    /// Returns a swing of so much each way, and so long.
    pub const fn new(amplitude_ns: u64, period_ns: u64) -> Self {
        Self { amplitude_ns, period_ns }
    }
}

impl ClockModel {
    /// Clocks that are right.
    pub const fn perfect() -> Self {
        Self {
            offset: Distribution::constant(0),
            rate: Distribution::constant(0),
            discipline: None,
            fixed: Vec::new(),
            granularity_ns: 1,
            rate_either_way: false,
            wander_ppb: 0,
            astray: None,
            ntp: None,
            sine: None,
            suspensions: None,
        }
    }

    /// Clocks that are kept around true time: offsets are normal with this deviation, and wander.
    pub const fn disciplined(sigma_ns: f64) -> Self {
        let mut model = Self::perfect();
        model.offset = Distribution::normal(sigma_ns);
        model.discipline = Some(Discipline::new(16_000_000_000, Distribution::normal(sigma_ns)));
        model
    }
}

/// A statistical model of a clock under NTP: at every poll the rate is set so that the offset
/// reaches a freshly drawn target by the next poll, within the 500 ppm that NTP slews at most. The
/// reading is continuous, and its offset has the distribution of the targets at every poll.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Discipline {
    /// From poll to poll.
    pub every_ns: u64,
    /// Where the offset goes.
    pub target: Distribution,
}

impl Discipline {
    /// Returns a discipline that polls so often and steers to such offsets.
    pub const fn new(every_ns: u64, target: Distribution) -> Self {
        Self { every_ns, target }
    }
}

/// A clock set by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedClock {
    /// Whose.
    pub node: NodeIndex,
    /// Its offset at the start.
    pub offset_ns: i64,
    /// Its rate error.
    pub ppb: i64,
}

impl FixedClock {
    /// Returns a clock that starts with this offset and runs at this rate.
    pub const fn new(node: NodeIndex, offset_ns: i64, ppb: i64) -> Self {
        Self { node, offset_ns, ppb }
    }
}
