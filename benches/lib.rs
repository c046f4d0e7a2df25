//! Benches: `cargo bench -p guid-benches --bench ids`, `--bench crdt`, `--bench crdt-sizes`.
