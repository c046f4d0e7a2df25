//! A high-water mark in memory: for tests and examples.

use super::{HighWater, HighWaterError};
use crate::{NodeId, Stamp};

/// A bound that is gone with the process: for tests, as [`ManualClock`](crate::ManualClock) is.
///
/// # Examples
///
/// ```
/// use guid_core::{DurableGenerator, ManualClock, MemoryHighWater, NodeId};
///
/// let clock = ManualClock::new(1 << 60);
/// let ids = DurableGenerator::on_clock(MemoryHighWater::new(NodeId::new(7)), &clock)?;
/// assert_eq!(ids.next()?.node(), NodeId::new(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MemoryHighWater {
    node: NodeId,
    bound: Option<Stamp>,
}

impl MemoryHighWater {
    /// Returns the mark of a node that never made an ID.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{HighWater, MemoryHighWater, NodeId};
    ///
    /// let mut mark = MemoryHighWater::new(NodeId::new(7));
    /// assert_eq!(mark.load()?, None);
    /// # Ok::<(), guid_core::HighWaterError>(())
    /// ```
    pub const fn new(node: NodeId) -> Self {
        Self { node, bound: None }
    }
}

impl HighWater for MemoryHighWater {
    fn node(&self) -> NodeId {
        self.node
    }

    fn load(&mut self) -> Result<Option<Stamp>, HighWaterError> {
        Ok(self.bound)
    }

    fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError> {
        self.bound = Some(bound);
        Ok(())
    }
}
