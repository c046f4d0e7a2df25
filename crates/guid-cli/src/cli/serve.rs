//! What can be typed after `guid serve`.

use std::net::IpAddr;

use clap::Args;

pub(super) const SERVE: &str = "\
Examples:
  guid serve                       then open the address that it prints
  guid serve --port 0              at a port that is free
  curl 'http://127.0.0.1:8080/api/run?scenario=lww-window-trap&seed=7&set.workload.think=30s'

A link carries scenario, seed and knobs, so whoever opens it sees the same run. What a run may take
is bounded: events, time, memory, and how many go on at once.";

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The port; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 8080)]
    pub(crate) port: u16,
    /// The address to listen at; anything but a loopback address lets others in
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// A run is given up beyond this many events
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) max_events: u64,
    /// So many runs go on at once; others wait
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) max_runs: u16,
    /// A run is given up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) max_seconds: u64,
}
