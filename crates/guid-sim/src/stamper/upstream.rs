//! The Go library's allocator as it is: for showing its faults, and for nothing else.
//!
//! It joins the wall clock and a free-running 14-bit sequence. Nothing remembers the last ID, so an
//! ID repeats when the clock returns to a tick with the sequence where it was, and sorts before its
//! predecessor whenever the sequence wraps inside a tick.
//!
//! # References
//!
//! `fogfish/guid` v2, `clock.go`; the `run` lines of its vectors are a test of this file.

use guid_core::{Drift, Guid, NodeId, Seq, Stamp, Tick};

/// A source of IDs by the rule of the Go library.
///
/// # Examples
///
/// ```
/// use guid_core::{Drift, NodeId};
/// use guid_sim::UpstreamSource;
///
/// let mut ids = UpstreamSource::new(16_383);
/// let node = NodeId::new(1);
/// let a = ids.next(Drift::D3, node, 1 << 50);
/// let b = ids.next(Drift::D3, node, 1 << 50); // the same tick, and the sequence wraps
/// assert!(b < a); // not the order they were made in
/// ```
#[derive(Clone, Debug)]
pub struct UpstreamSource {
    /// Of the next ID; its low 14 bits count.
    sequence: u16,
}

impl UpstreamSource {
    /// Returns a source whose first ID bears this sequence (its low 14 bits). A process of the Go
    /// library starts at 1.
    pub const fn new(first: u16) -> Self {
        Self { sequence: first }
    }

    /// Returns the ID for a clock reading.
    pub fn next(&mut self, drift: Drift, node: NodeId, unix_nanos: u64) -> Guid {
        let seq = Seq::new(self.sequence & Seq::MAX.as_u16()).unwrap_or_default();
        self.sequence = self.sequence.wrapping_add(1);
        Guid::new(drift, node, Stamp::new(Tick::from_unix_nanos(unix_nanos), seq))
    }
}
