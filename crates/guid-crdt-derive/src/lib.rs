//! Derive macros of `guid-crdt`: a struct of replicated fields is replicated, field by field.
//!
//! Use them through the feature `derive` of `guid-crdt`, which documents and tests them.
//!
//! What is derived is what one would write: `join` joins each field, `compare` combines the
//! relations of the fields, a delta is the delta of one field, named after it. Nothing is guessed:
//! a field that is not replicated is an error at that field.

mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `Lattice`: joins and compares field by field.
#[proc_macro_derive(Lattice)]
pub fn derive_lattice(input: TokenStream) -> TokenStream {
    finish(expand::lattice(&parse_macro_input!(input as DeriveInput)))
}

/// Derives `Replicated`, and the enum of its deltas: `Cart` has `CartDelta`, a variant a field.
#[proc_macro_derive(Replicated)]
pub fn derive_replicated(input: TokenStream) -> TokenStream {
    finish(expand::replicated(&parse_macro_input!(input as DeriveInput)))
}

/// Derives `Versioned`: the version is that of the fields, in a tuple.
#[proc_macro_derive(Versioned)]
pub fn derive_versioned(input: TokenStream) -> TokenStream {
    finish(expand::versioned(&parse_macro_input!(input as DeriveInput)))
}

fn finish(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
