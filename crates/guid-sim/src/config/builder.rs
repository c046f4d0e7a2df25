//! A world put together step by step.

use std::time::Duration;

use super::{ClockModel, DEFAULT_START_NS, Start, WorldConfig};
use crate::{Fault, FixedClock, NetworkModel, NodeIndex, ScheduledFault, Scheme};

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl WorldConfig {
    /// Sets what the run is called.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: String::from(name), ..self }
    }

    /// Sets how long it runs, in true time.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use guid_sim::{ClockModel, Fault, NodeIndex, Scheme, WorldConfig};
    ///
    /// let second = Duration::from_secs(1);
    /// let [one, two] = [0, 1].map(NodeIndex::new);
    /// let world = WorldConfig::new(2, 42)
    ///     .lasting(30 * second)
    ///     .with_clocks(ClockModel::disciplined(1e6)) // normal, 1 ms
    ///     .with_clock(two, -2_000_000_000, -35_000) // 2 s behind, at -35 ppm
    ///     .with_fault(10 * second, Fault::ClockStep { node: one, by_ns: -5_000_000_000 })
    ///     .with_schemes(&[Scheme::Hlc, Scheme::Vector]);
    /// assert_eq!(world.faults.len(), 1);
    /// ```
    #[must_use]
    pub fn lasting(self, duration: Duration) -> Self {
        Self { duration_ns: ns(duration), ..self }
    }

    /// Sets when it begins, for every seed: so long after [`DEFAULT_START_NS`]. Drawn by the seed
    /// unless told otherwise, so that runs of many seeds see every phase of a window.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use guid_sim::{DEFAULT_START_NS, WorldConfig};
    ///
    /// let world = WorldConfig::new(2, 42).starting_after(Duration::from_secs(1));
    /// assert_eq!(world.start_ns(), DEFAULT_START_NS + 1_000_000_000);
    /// ```
    #[must_use]
    pub fn starting_after(self, duration: Duration) -> Self {
        Self { start: Start::At(DEFAULT_START_NS.saturating_add(ns(duration))), ..self }
    }

    /// Sets how clocks are wrong.
    #[must_use]
    pub fn with_clocks(mut self, clocks: ClockModel) -> Self {
        let fixed = std::mem::take(&mut self.clocks.fixed);
        self.clocks = clocks;
        self.clocks.fixed.extend(fixed);
        self
    }

    /// Sets one node's clock by hand: its offset at the start, and its rate error.
    #[must_use]
    pub fn with_clock(mut self, node: NodeIndex, offset_ns: i64, ppb: i64) -> Self {
        self.clocks.fixed.retain(|fixed| fixed.node != node);
        self.clocks.fixed.push(FixedClock::new(node, offset_ns, ppb));
        self
    }

    /// Sets how messages travel.
    #[must_use]
    pub fn with_network(self, network: NetworkModel) -> Self {
        Self { network, ..self }
    }

    /// Adds something that goes wrong, or right again, so long after the start.
    #[must_use]
    pub fn with_fault(mut self, at: Duration, fault: Fault) -> Self {
        self.faults.push(ScheduledFault::new(ns(at), fault));
        self
    }

    /// Sets what stamps the events.
    #[must_use]
    pub fn with_schemes(self, schemes: &[Scheme]) -> Self {
        Self { schemes: schemes.into(), ..self }
    }
}
