//! What can be typed after `guid sim picture`.

use std::ops::Range;

use clap::{Args, ValueEnum};
use guid_sim::Scheme;

use super::{Chosen, seeds};
use crate::report::{Axis, Kind};

pub(super) const PICTURE: &str = "\
Examples:
  guid sim picture hello-clocks > run.svg
  guid sim picture hello-clocks --axis local > local.svg       by what each clock said
  guid sim picture lww-window-trap --kind space-time --events 400..440 > part.svg
  guid sim picture skew-ramp --kind misorder > ramp.svg
  guid sim picture jepsen-strobe --kind offsets > clocks.svg

A picture is SVG, for light and dark paper. `guid sim run NAME --report FILE.html` has all of
them.";

#[derive(Debug, Args)]
pub(crate) struct Picture {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// The seed [default: the scenario's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// What to draw
    #[arg(long, value_name = "KIND", default_value = "space-time")]
    pub(crate) kind: Kind,
    /// What the vertical axis of a space-time diagram is
    #[arg(long, value_name = "AXIS", default_value = "true")]
    pub(crate) axis: Axis,
    /// Whose order is looked at [default: the first with two orders]
    #[arg(long, value_name = "SCHEME")]
    pub(crate) scheme: Option<Scheme>,
    /// Which of its orders
    #[arg(long, value_name = "ORDER", default_value = "bytes")]
    pub(crate) by: Order,
    /// The events from number A up to, but not including, B [default: those that show most]
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    pub(crate) events: Option<Range<u64>>,
}

/// An order of IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// k-order, that of the bytes
    Bytes,
    /// Time order: stamp, then node
    Time,
}
