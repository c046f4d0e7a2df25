//! What the macros write.
//!
//! # Invariants
//!
//! Paths are absolute (`::guid_crdt::…`, `::core::…`), so that no name of the user's can get in.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Data, DeriveInput, Error, Field, Fields, Result, spanned::Spanned};

/// A struct with named fields, at least one, and without parameters of its own.
struct Struct<'a> {
    input: &'a DeriveInput,
    fields: Vec<(&'a Ident, &'a Field)>,
}

impl<'a> Struct<'a> {
    fn of(input: &'a DeriveInput) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            let what = "expected a struct: the fields of a replicated type are joined one by one";
            return Err(Error::new(input.ident.span(), what));
        };
        let Fields::Named(named) = &data.fields else {
            let what = "expected named fields: a delta is named after its field";
            return Err(Error::new(input.ident.span(), what));
        };
        if !input.generics.params.is_empty() {
            let what = "expected no parameters: write the impl by hand for a generic struct";
            return Err(Error::new(input.generics.span(), what));
        }
        let fields = named.named.iter().filter_map(|field| Some((field.ident.as_ref()?, field)));
        let fields: Vec<_> = fields.collect();
        if fields.is_empty() {
            return Err(Error::new(input.ident.span(), "expected at least one field"));
        }
        Ok(Self { input, fields })
    }

    /// One piece of code a field, with the span of its type: that is where what does not fit shows.
    fn each(&self, write: impl Fn(&Ident, TokenStream) -> TokenStream) -> Vec<TokenStream> {
        let piece = |(name, field): &(&Ident, &Field)| {
            let ty = &field.ty;
            write(name, quote_spanned! { ty.span() => #ty })
        };
        self.fields.iter().map(piece).collect()
    }

    /// The variant of a delta: `delivery_address` is `DeliveryAddress`.
    fn variant(name: &Ident) -> Ident {
        let text = name.to_string();
        let words = text.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
        let camel: String = words
            .map(|word| {
                let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
                first.to_uppercase() + rest
            })
            .collect();
        Ident::new(&camel, name.span())
    }
}

pub(crate) fn lattice(input: &DeriveInput) -> Result<TokenStream> {
    let of = Struct::of(input)?;
    let name = &input.ident;
    let joins = of.each(|field, ty| {
        quote_spanned! { ty.span() =>
            <#ty as ::guid_crdt::Lattice>::join(&mut self.#field, &other.#field);
        }
    });
    let compares = of.each(|field, ty| {
        quote_spanned! { ty.span() =>
            .and(<#ty as ::guid_crdt::Lattice>::compare(&self.#field, &other.#field))
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl ::guid_crdt::Lattice for #name {
            fn join(&mut self, other: &Self) {
                #(#joins)*
            }

            fn compare(&self, other: &Self) -> ::guid_crdt::Causality {
                ::guid_crdt::Causality::Equal #(#compares)*
            }
        }
    })
}

pub(crate) fn replicated(input: &DeriveInput) -> Result<TokenStream> {
    let of = Struct::of(input)?;
    let (name, vis) = (&input.ident, &input.vis);
    let delta = format_ident!("{name}Delta");
    let doc = format!("What a mutation of a [`{name}`] changed: the delta of one field.");
    let variants = of.each(|field, ty| {
        let (variant, doc) = (Struct::variant(field), format!("The delta of `{field}`."));
        quote! { #[doc = #doc] #variant(<#ty as ::guid_crdt::Replicated>::Delta) }
    });
    let frontiers = of.each(|field, ty| {
        quote_spanned! { ty.span() =>
            ::guid_crdt::Lattice::join(
                &mut frontier,
                &<#ty as ::guid_crdt::Replicated>::frontier(&self.#field),
            );
        }
    });
    let delta_frontiers = of.each(|field, ty| {
        let variant = Struct::variant(field);
        quote! {
            #delta::#variant(delta) => <#ty as ::guid_crdt::Replicated>::delta_frontier(delta)
        }
    });
    let applies = of.each(|field, ty| {
        let variant = Struct::variant(field);
        quote! {
            #delta::#variant(delta) => {
                <#ty as ::guid_crdt::Replicated>::apply(&mut self.#field, delta)
            }
        }
    });
    let conflicts = of.each(|field, ty| {
        quote! {
            .or_else(|| <#ty as ::guid_crdt::Replicated>::conflict(&self.#field, &other.#field))
        }
    });
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Debug)]
        #vis enum #delta { #(#variants),* }

        #[automatically_derived]
        impl ::guid_crdt::Replicated for #name {
            type Delta = #delta;

            fn frontier(&self) -> ::guid_crdt::VectorClock {
                let mut frontier = ::guid_crdt::VectorClock::new();
                #(#frontiers)*
                frontier
            }

            fn delta_frontier(delta: &Self::Delta) -> ::guid_crdt::VectorClock {
                match delta { #(#delta_frontiers),* }
            }

            fn apply(
                &mut self,
                delta: &Self::Delta,
            ) -> ::core::result::Result<::guid_crdt::Changed, ::guid_crdt::Gap> {
                match delta { #(#applies)* }
            }

            fn conflict(&self, other: &Self) -> ::core::option::Option<::guid_crdt::Conflict> {
                ::core::option::Option::None #(#conflicts)*
            }
        }
    })
}

pub(crate) fn versioned(input: &DeriveInput) -> Result<TokenStream> {
    let of = Struct::of(input)?;
    let (name, vis) = (&of.input.ident, &of.input.vis);
    let (delta, version) = (format_ident!("{name}Delta"), format_ident!("{name}Version"));
    let doc = format!("What a [`{name}`] has taken in, field by field.");
    let parts = of.each(|field, ty| {
        quote_spanned! { ty.span() => #field: <#ty as ::guid_crdt::Versioned>::Version }
    });
    let joins = of.each(|field, _| {
        quote! { ::guid_crdt::Lattice::join(&mut self.#field, &other.#field); }
    });
    let compares = of.each(|field, _| {
        quote! { .and(::guid_crdt::Lattice::compare(&self.#field, &other.#field)) }
    });
    let versions = of.each(|field, ty| {
        quote! { #field: <#ty as ::guid_crdt::Versioned>::version(&self.#field) }
    });
    let deltas = of.each(|field, ty| {
        let variant = Struct::variant(field);
        quote! {
            #delta::#variant(delta) => {
                version.#field = <#ty as ::guid_crdt::Versioned>::delta_version(delta);
            }
        }
    });
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Debug, Default)]
        #vis struct #version { #(#parts),* }

        #[automatically_derived]
        impl ::guid_crdt::Lattice for #version {
            fn join(&mut self, other: &Self) {
                #(#joins)*
            }

            fn compare(&self, other: &Self) -> ::guid_crdt::Causality {
                ::guid_crdt::Causality::Equal #(#compares)*
            }
        }

        #[automatically_derived]
        impl ::guid_crdt::Versioned for #name {
            type Version = #version;

            fn version(&self) -> #version {
                #version { #(#versions),* }
            }

            fn delta_version(delta: &Self::Delta) -> #version {
                let mut version = #version::default();
                match delta { #(#deltas)* }
                version
            }

            // A delta is that of one field, and several may be lacked.
            fn delta_since(&self, _: &#version) -> ::core::option::Option<Self::Delta> {
                ::core::option::Option::None
            }
        }
    })
}
