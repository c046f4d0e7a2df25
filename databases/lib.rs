//! The columns of `guid-core`, run in databases: see `tests`.
//!
//! A package of its own, and no default member, because it builds `SQLite` and a runtime: plain
//! `cargo test` compiles neither.
