//! One program a concept: run one with `cargo run --example 01_first_ids`.
//!
//! Beside each program stands what it prints, and a test compares the two. Clocks are set by hand
//! here, so that every run prints the same; a program of your own would take
//! [`SystemClock`](guid_core::SystemClock).
//!
//! 1. `01_first_ids`: make IDs, take one apart, write it in other forms
//! 2. `02_two_orders`: k-order is not time order
//! 3. `03_clock_set_back`: a generator whose clock goes back, and the Go library's rule beside it
//! 4. `04_replicated_set`: two copies of a set that meet again
//! 5. `05_register_under_skew`: last-writer-wins with a clock that is half a minute late
//! 6. `06_your_process_under_skew`: code of your own in the simulator
//! 7. `07_keeping_a_replica`: what a replica stores, in which order, and what it refuses
