//! A set with a planted bug, for showing that the search finds one.
//!
//! [`ScalarSet`] is an observed-remove set whose author kept *one* stamp for "all that I have seen"
//! instead of one a node. A dot that is not in the other state and not above the other's stamp is
//! taken for removed. With one writer at a time, or with clocks that happen to agree with the
//! order of deliveries, all is well; a concurrent add with a lower stamp is dropped.

use std::collections::BTreeSet;

use guid_crdt::{
    Causality, Changed, Dot, Gap, Lattice, Replicated, VectorClock, Versioned,
    wire::{Decoder, Encoder, Wire, WireError},
};

/// A set that takes "up to this stamp" for "seen". Do not use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScalarSet {
    entries: BTreeSet<(String, Dot)>,
    /// Right: one stamp a node. The join below looks at the greatest of them only.
    seen: VectorClock,
}

impl ScalarSet {
    pub(super) fn insert(&mut self, dot: Dot, value: String) -> Self {
        self.entries.retain(|(known, _)| *known != value);
        self.entries.insert((value, dot));
        self.seen.record(dot);
        self.clone()
    }

    pub(super) fn remove(&mut self, dot: Dot, value: &str) -> Self {
        self.entries.retain(|(known, _)| known != value);
        self.seen.record(dot);
        self.clone()
    }

    pub(super) fn values(&self) -> BTreeSet<&str> {
        self.entries.iter().map(|(value, _)| value.as_str()).collect()
    }

    /// The entries that the other has too, or has not seen: and here is the bug.
    fn standing(&self, other: &Self) -> impl Iterator<Item = (String, Dot)> {
        let upto = other.seen.latest().map(Dot::stamp);
        let stands = move |entry: &&(String, Dot)| {
            other.entries.contains(entry) || Some(entry.1.stamp()) > upto
        };
        self.entries.iter().filter(stands).cloned()
    }
}

impl Lattice for ScalarSet {
    fn join(&mut self, other: &Self) {
        self.entries = self.standing(other).chain(other.standing(self)).collect();
        self.seen.join(&other.seen);
    }

    fn compare(&self, other: &Self) -> Causality {
        self.seen.compare(&other.seen)
    }
}

impl Replicated for ScalarSet {
    type Delta = Self;

    fn frontier(&self) -> VectorClock {
        self.seen.clone()
    }

    fn delta_frontier(delta: &Self) -> VectorClock {
        delta.seen.clone()
    }

    fn apply(&mut self, delta: &Self) -> Result<Changed, Gap> {
        if delta.compare(self).is_within() {
            return Ok(Changed::No);
        }
        self.join(delta);
        Ok(Changed::Yes)
    }
}

impl Versioned for ScalarSet {
    type Version = VectorClock;

    fn version(&self) -> VectorClock {
        self.seen.clone()
    }

    fn delta_version(delta: &Self) -> VectorClock {
        delta.seen.clone()
    }

    fn delta_since(&self, _: &VectorClock) -> Option<Self> {
        Some(self.clone())
    }
}

impl Wire for ScalarSet {
    const TAG: [u8; 4] = *b"Xscl";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        self.seen.write(out)?;
        out.value(&self.entries)
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        let seen = VectorClock::read(input)?;
        Ok(Self { entries: input.value()?, seen })
    }
}
