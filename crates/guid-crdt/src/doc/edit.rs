//! [`DocEdit`]: changes to a map of a document, all under one dot.
//!
//! # Invariants
//!
//! What is written here bears the dot of the edit; a second change of the same place in one edit
//! takes the place of the first, or adds to it.

use super::{Branch, Keys, Scalar};
use crate::{Dot, DotFun, DotSet};

/// A map of a document, to change.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Doc, Dot};
///
/// let mut doc = Doc::new();
/// doc.edit(Dot::new(NodeId::new(1), Stamp::MIN), |doc| {
///     doc.set("size", 7);
///     doc.add("visits", 1);
///     doc.add("visits", 1);
///     doc.enable("public");
///     doc.insert("tags", "new");
///     doc.map("owner", |owner| owner.set("name", "Ann"));
/// })?;
/// let root = doc.root();
/// assert_eq!((root.count("visits"), root.is_on("public")), (2, true));
/// # Ok::<(), guid_crdt::MutateError>(())
/// ```
#[derive(Debug)]
pub struct DocEdit<'a> {
    keys: &'a mut Keys,
    dot: Dot,
    overflow: &'a mut bool,
}

impl<'a> DocEdit<'a> {
    pub(super) const fn new(keys: &'a mut Keys, dot: Dot, overflow: &'a mut bool) -> Self {
        Self { keys, dot, overflow }
    }

    /// Writes a register, in place of all that was written to it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.set("title", "Plan"))?;
    /// doc.edit(dot(2), |doc| doc.set("title", "Plan B"))?; // in place of the first
    /// assert_eq!(doc.root().text("title"), Some("Plan B"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn set(&mut self, key: &str, value: impl Into<Scalar>) {
        let write = DotFun::one(self.dot, value.into());
        self.branch(key, |branch| branch.register = write);
    }

    /// Adds to a counter.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.add("visits", 2))?;
    /// doc.edit(dot(2), |doc| doc.add("visits", -1))?;
    /// assert_eq!(doc.root().count("visits"), 1);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn add(&mut self, key: &str, amount: i64) {
        let mut so_far = 0;
        if let Some(branch) = self.keys.get(key) {
            so_far = branch.counter.get(self.dot).copied().unwrap_or(0);
        }
        let Some(total) = so_far.checked_add(amount) else {
            *self.overflow = true;
            return;
        };
        let dot = self.dot;
        self.branch(key, |branch| {
            let others = branch.counter.iter().filter(|&(other, _)| other != dot);
            let others = others.map(|(dot, &amount)| (dot, amount));
            branch.counter = others.chain([(dot, total)]).collect();
        });
    }

    /// Turns a flag on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.enable("public"))?;
    /// assert!(doc.root().is_on("public"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn enable(&mut self, key: &str) {
        let dot = self.dot;
        self.branch(key, |branch| branch.flag = DotSet::one(dot));
    }

    /// Turns a flag off.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.enable("public"))?;
    /// doc.edit(dot(2), |doc| doc.disable("public"))?;
    /// assert!(!doc.root().is_on("public"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn disable(&mut self, key: &str) {
        self.branch(key, |branch| branch.flag = DotSet::new());
    }

    /// Adds an element to a set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.insert("tags", 7))?;
    /// assert!(doc.root().contains("tags", 7));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn insert(&mut self, key: &str, element: impl Into<Scalar>) {
        let (dot, element) = (self.dot, element.into());
        self.branch(key, |branch| branch.set.edit(element, |dots| *dots = DotSet::one(dot)));
    }

    /// Removes an element from a set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.insert("tags", 7))?;
    /// doc.edit(dot(2), |doc| doc.remove("tags", 7))?;
    /// assert!(!doc.root().contains("tags", 7));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn remove(&mut self, key: &str, element: impl Into<Scalar>) {
        let element = element.into();
        self.branch(key, |branch| branch.set.remove(&element));
    }

    /// Changes the map under a key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.map("owner", |owner| owner.map("at", |at| at.add("n", 1))))?;
    /// let at = doc.root().map("owner").and_then(|owner| owner.map("at"));
    /// assert_eq!(at.map(|at| at.count("n")), Some(1));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn map(&mut self, key: &str, edit: impl FnOnce(&mut DocEdit<'_>)) {
        let dot = self.dot;
        let overflow = &mut *self.overflow;
        self.keys.edit(key.to_owned(), |branch: &mut Branch| {
            edit(&mut DocEdit::new(&mut branch.map, dot, overflow));
        });
    }

    /// Deletes a key and all that is under it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.map("owner", |owner| owner.set("name", "Ann")))?;
    /// doc.edit(dot(2), |doc| doc.delete("owner"))?; // and all that is under it
    /// assert!(doc.root().map("owner").is_none());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn delete(&mut self, key: &str) {
        self.keys.remove(key);
    }

    /// Deletes all keys and all that is under them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.set("title", "Plan"))?;
    /// doc.edit(dot(2), |doc| doc.clear())?;
    /// assert_eq!(doc.root().text("title"), None);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn clear(&mut self) {
        *self.keys = Keys::new();
    }

    fn branch(&mut self, key: &str, edit: impl FnOnce(&mut Branch)) {
        self.keys.edit(key.to_owned(), edit);
    }
}
