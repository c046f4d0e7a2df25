//! [`Tally`]: a row per node, written by its node alone.
//!
//! # Invariants
//!
//! Rows are sorted by node, one per node. A row tells all that its node did up to its stamp, so the
//! stamps are a vector clock.

use guid_core::NodeId;

use crate::{Causality, Conflict, Dot, MutateError, VectorClock};

/// Node → (stamp, total): of two rows of a node the later stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tally<T> {
    rows: Vec<(Dot, T)>,
}

impl<T> Tally<T> {
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (Dot, &T)> {
        self.rows.iter().map(|(dot, total)| (*dot, total))
    }

    pub(crate) fn get(&self, node: NodeId) -> Option<&T> {
        self.find(node).ok().map(|at| &self.rows[at].1)
    }

    pub(crate) fn clock(&self) -> VectorClock {
        self.rows.iter().map(|&(dot, _)| dot).collect()
    }

    fn find(&self, node: NodeId) -> Result<usize, usize> {
        self.rows.binary_search_by_key(&node, |(dot, _)| dot.node())
    }
}

impl<T: Clone + Ord> Tally<T> {
    /// Replaces the row of the dot's node by what `change` makes of it, and returns the new row.
    pub(crate) fn write(
        &mut self,
        dot: Dot,
        change: impl FnOnce(Option<&T>) -> Result<T, MutateError>,
    ) -> Result<Self, MutateError> {
        let at = self.find(dot.node());
        let before = at.ok().map(|at| &self.rows[at]);
        if let Some(&(known, _)) = before.filter(|(known, _)| dot <= *known) {
            return Err(MutateError::Stale { dot, known });
        }
        let row = (dot, change(before.map(|(_, total)| total))?);
        match at {
            Ok(at) => self.rows[at] = row.clone(),
            Err(at) => self.rows.insert(at, row.clone()),
        }
        Ok(Self { rows: vec![row] })
    }

    pub(crate) fn join(&mut self, other: &Self) {
        let mut mine = core::mem::take(&mut self.rows).into_iter().peekable();
        for theirs in &other.rows {
            let node = theirs.0.node();
            while let Some(row) = mine.next_if(|row| row.0.node() < node) {
                self.rows.push(row);
            }
            let same = mine.next_if(|row| row.0.node() == node);
            self.rows.push(same.filter(|row| row > theirs).unwrap_or_else(|| theirs.clone()));
        }
        self.rows.extend(mine);
    }

    pub(crate) fn compare(&self, other: &Self) -> Causality {
        Causality::from_within(self.is_within(other), other.is_within(self))
    }

    fn is_within(&self, other: &Self) -> bool {
        self.rows.iter().all(|row| other.find(row.0.node()).is_ok_and(|at| *row <= other.rows[at]))
    }

    /// The rows that a clock has not seen.
    pub(crate) fn since(&self, seen: &VectorClock) -> Self {
        let rows = self.rows.iter().filter(|(dot, _)| !seen.contains(*dot));
        Self { rows: rows.cloned().collect() }
    }

    pub(crate) fn conflict(&self, other: &Self) -> Option<Conflict> {
        let differs = |row: &&(Dot, T)| {
            let theirs = other.find(row.0.node()).ok().map(|at| &other.rows[at]);
            theirs.is_some_and(|theirs| theirs.0 == row.0 && theirs.1 != row.1)
        };
        self.rows.iter().find(differs).map(|row| Conflict::new(row.0))
    }

    /// Rows from elsewhere, if they are sorted and one per node.
    #[cfg(feature = "serde")]
    pub(crate) fn from_rows(rows: Vec<(Dot, T)>) -> Option<Self> {
        rows.is_sorted_by(|a, b| a.0.node() < b.0.node()).then_some(Self { rows })
    }
}

/// What is the same for every counter that is a [`Tally`]: its delta is a counter with the rows
/// that changed.
macro_rules! tally_type {
    ($type:ident: $total:ty, $tag:literal) => {
        impl $type {
            /// Returns the counter at zero.
            ///
            /// # Examples
            ///
            /// See [`Self`].
            pub const fn new() -> Self {
                Self(Tally::new())
            }
        }

        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::Lattice for $type {
            fn join(&mut self, other: &Self) {
                self.0.join(&other.0);
            }

            fn compare(&self, other: &Self) -> $crate::Causality {
                self.0.compare(&other.0)
            }
        }

        impl $crate::Replicated for $type {
            type Delta = Self;

            fn frontier(&self) -> $crate::VectorClock {
                self.0.clock()
            }

            fn delta_frontier(delta: &Self) -> $crate::VectorClock {
                delta.0.clock()
            }

            fn apply(&mut self, delta: &Self) -> Result<$crate::Changed, $crate::Gap> {
                Ok($crate::replicated::join_as_delta(self, delta))
            }

            fn conflict(&self, other: &Self) -> Option<$crate::Conflict> {
                self.0.conflict(&other.0)
            }
        }

        impl $crate::Versioned for $type {
            type Version = $crate::VectorClock;

            fn version(&self) -> $crate::VectorClock {
                self.0.clock()
            }

            fn delta_version(delta: &Self) -> $crate::VectorClock {
                delta.0.clock()
            }

            fn delta_since(&self, seen: &$crate::VectorClock) -> Option<Self> {
                Some(Self(self.0.since(seen)))
            }
        }

        #[cfg(feature = "serde")]
        impl ::serde::Serialize for $type {
            fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                serializer.collect_seq(self.0.iter())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<Z: ::serde::Deserializer<'de>>(input: Z) -> Result<Self, Z::Error> {
                let rows = Vec::<($crate::Dot, $total)>::deserialize(input)?;
                let broken = "expected one row a node, in the order of the nodes";
                Tally::from_rows(rows).map(Self).ok_or_else(|| ::serde::de::Error::custom(broken))
            }
        }

        /// The clock, and the totals in the order of its nodes.
        #[cfg(feature = "wire")]
        impl $crate::wire::Wire for $type {
            const TAG: [u8; 4] = *$tag;

            fn write(
                &self,
                out: &mut $crate::wire::Encoder,
            ) -> Result<(), $crate::wire::WireError> {
                self.0.clock().write(out)?;
                self.0.iter().try_for_each(|(_, total)| out.value(total))
            }

            fn read(
                input: &mut $crate::wire::Decoder<'_>,
            ) -> Result<Self, $crate::wire::WireError> {
                let clock = $crate::VectorClock::read(input)?;
                let rows = clock
                    .iter()
                    .map(|(node, stamp)| Ok(($crate::Dot::new(node, stamp), input.value()?)))
                    .collect::<Result<Vec<_>, $crate::wire::WireError>>()?;
                let broken = $crate::wire::WireError::Malformed("rows are out of order");
                Tally::from_rows(rows).map(Self).ok_or(broken)
            }
        }
    };
}

pub(crate) use tally_type;
