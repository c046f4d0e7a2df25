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
//! 8. `08_a_bug_in_many_worlds`: what a failed test says
//! 9. `09_shopping_cart`: quantities that add up, and a removal that takes only what it saw
//! 10. `10_todo_list`: a document on two phones, as bytes over a bad network
//! 11. `11_in_a_database`: IDs and a replica in an `SQLite` file (a program of `databases`, so that
//!     plain `cargo test` does not compile `SQLite`)
//! 12. `12_your_own_crdt_under_skew`: a replicated type of your own, its laws, and fifty worlds
//!
//! And four small ones that the guide needs (`docs/guide`):
//!
//! 13. `13_causality`: what clocks say and what happened, side by side
//! 14. `14_hybrid_clock`: the receive rule, and what it costs
//! 15. `15_a_lattice`: a join in every order, some messages twice
//! 16. `16_registers_and_counters`: three tickets, two box offices
