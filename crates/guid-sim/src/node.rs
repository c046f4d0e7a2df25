//! [`NodeIndex`]: which node of the simulation, counted from zero inside and from one outside.

use std::fmt;

/// One node of the simulation. Shown as `n1`, `n2`, … as scenario files count.
///
/// Not its [`NodeId`](guid_core::NodeId), which is the fraction of the IDs it makes and may be
/// random, change at a restart, or (a fault worth showing) be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(u32);

impl NodeIndex {
    /// Not a node: the world, as the owner of streams of randomness.
    pub(crate) const WORLD: Self = Self(u32::MAX);

    /// Returns the node with this index, from zero.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The index, from zero.
    pub const fn as_u32(self) -> u32 {
        self.0
    }

    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }

    /// The number in scenario files and traces, from one.
    pub const fn number(self) -> u32 {
        self.0.wrapping_add(1)
    }

    /// The first `count` nodes.
    pub fn first(count: u32) -> impl ExactSizeIterator<Item = Self> + Clone {
        (0..count).map(Self)
    }
}

impl fmt::Display for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("n{}", self.number()))
    }
}
