//! Benches: `cargo bench -p guid-benches --bench ids`.
