//! The columns of `guid-core`, run in databases: see `tests`.
//!
//! `SQLite` runs in the process. `PostgreSQL` is a server, so its tests wait for the feature
//! `postgres` and for `GUID_POSTGRES`, an address as in
//! `postgres://postgres@localhost/postgres?host=/var/run/postgresql`; what they make is temporary.
//! `databases/with-postgres COMMAND` runs a command beside a server of its own.
//!
//! A package of its own, and no default member, because it builds `SQLite` and a runtime: plain
//! `cargo test` compiles neither.
