//! Sweeps over a real NATS server: workers die and come late, the collector is killed and begun
//! again, the server goes away and comes back. The bytes are those of one process.
//!
//! Needs `nats-server`: behind the feature `test-nats`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]
#![expect(clippy::disallowed_methods, reason = "servers live in real time")]

mod setting;
mod deaths;
mod beside;
mod strangers;
