//! The types that ship, as subjects: a file a family, each with its meaning.

mod set;
mod register;
mod counter;
mod flag;
mod map;
mod doc;

use std::{fmt::Display, marker::PhantomData};

use guid_crdt::{Dot, MutateError, Replicated, Versioned, wire::Wire};

use super::{Happened, Op, Subject};

/// What an operation did; `None` if the type has no such operation: the reader lets none through.
type Done<T> = Option<Result<<T as Replicated>::Delta, MutateError>>;

/// The writes that a replica received.
type Received<'a> = [Happened<'a, Op>];

/// A type that a world file can name.
pub(crate) trait Known: Versioned<Delta: Clone + Wire, Version: Wire> + Wire {
    /// Its name in files.
    const NAME: &'static str;
    /// The first words of its operations.
    const VERBS: &'static [&'static str];
    /// The first words of what can be done under a key.
    const VERBS_UNDER: &'static [&'static str] = &["add", "remove"];

    fn act(&mut self, dot: Dot, op: &Op) -> Done<Self>;
    fn show(&self) -> String;
    fn meaning(received: &Received<'_>) -> String;

    fn may_refuse(_: &MutateError) -> bool {
        false
    }
}

/// A type that ships, as a subject.
pub(crate) struct Shipped<T>(PhantomData<T>);

impl<T> Shipped<T> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Known> Subject for Shipped<T> {
    type State = T;
    type Op = Op;

    fn act(&self, state: &mut T, dot: Dot, op: &Op) -> Result<T::Delta, MutateError> {
        // Operations that the type lacks were refused when the file was read.
        state.act(dot, op).unwrap_or(Err(MutateError::Overflow))
    }

    fn show(&self, state: &T) -> String {
        state.show()
    }

    fn meaning(&self, received: &Received<'_>) -> Option<String> {
        Some(T::meaning(received))
    }

    fn may_refuse(&self, error: &MutateError) -> bool {
        T::may_refuse(error)
    }
}

/// `{a, b}`: elements in their order.
fn braced(items: impl IntoIterator<Item = impl Display>) -> String {
    let mut text = String::from("{");
    for item in items {
        if text.len() > 1 {
            text += ", ";
        }
        text += &item.to_string();
    }
    text + "}"
}

/// A value that may be missing.
fn or_nothing(value: Option<&String>) -> String {
    value.map_or_else(|| "-".to_owned(), String::clone)
}
