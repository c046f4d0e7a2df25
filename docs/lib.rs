//! The pages of the documentation as modules, so that `cargo test` compiles and runs their code.
//!
//! Unpublished: a package that includes files above itself cannot be packaged.
//!
#![doc = include_str!("README.md")]
#![expect(clippy::doc_markdown, reason = "names of people and systems are no code")]

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
pub mod report {}

#[doc = include_str!("SWEEPS.md")]
pub mod sweeps {}

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

#[doc = include_str!("WIRE.md")]
pub mod wire {}

#[doc = include_str!("FORMAT.md")]
pub mod format {}

#[doc = include_str!("COMPARE.md")]
pub mod compare {}

#[doc = include_str!("RELEASING.md")]
pub mod releasing {}

/// The chapters of the guide.
pub mod guide {
    #![doc = include_str!("guide/README.md")]

    #[doc = include_str!("guide/01-identity.md")]
    pub mod c01 {}

    #[doc = include_str!("guide/02-time-is-wrong.md")]
    pub mod c02 {}

    #[doc = include_str!("guide/03-order.md")]
    pub mod c03 {}

    #[doc = include_str!("guide/04-last-writer-wins.md")]
    pub mod c04 {}

    #[doc = include_str!("guide/05-causality.md")]
    pub mod c05 {}

    #[doc = include_str!("guide/06-hybrid-clocks.md")]
    pub mod c06 {}

    #[doc = include_str!("guide/07-lattices.md")]
    pub mod c07 {}

    #[doc = include_str!("guide/08-registers-and-counters.md")]
    pub mod c08 {}

    #[doc = include_str!("guide/09-sets.md")]
    pub mod c09 {}

    #[doc = include_str!("guide/10-maps-and-documents.md")]
    pub mod c10 {}

    #[doc = include_str!("guide/11-simulating.md")]
    pub mod c11 {}

    #[doc = include_str!("guide/12-your-own-type.md")]
    pub mod c12 {}

    #[doc = include_str!("guide/13-experiments.md")]
    pub mod c13 {}
}
