//! The pages of the documentation as modules, so that `cargo test` compiles and runs their code.
//!
//! Unpublished: a package that includes files above itself cannot be packaged.

#[doc = include_str!("../README.md")]
pub mod readme {}

#[doc = include_str!("ARCHITECTURE.md")]
pub mod architecture {}

#[doc = include_str!("DESIGN.md")]
pub mod design {}

#[doc = include_str!("LAWS.md")]
pub mod laws {}

#[doc = include_str!("SCENARIOS.md")]
pub mod scenarios {}

#[doc = include_str!("TESTING.md")]
pub mod testing {}

#[doc = include_str!("SHRINK.md")]
pub mod shrink {}
#[doc = include_str!("REPORT.md")]
pub mod reports {}

#[doc = include_str!("TRACES.md")]
pub mod traces {}

#[doc = include_str!("EXPLORE.md")]
pub mod explore {}

#[doc = include_str!("HISTORIES.md")]
pub mod histories {}

#[doc = include_str!("REPLAY.md")]
pub mod replay {}

#[doc = include_str!("KEEPING.md")]
pub mod keeping {}

#[doc = include_str!("GLOSSARY.md")]
pub mod glossary {}

#[doc = include_str!("CONVENTIONS.md")]
pub mod conventions {}
