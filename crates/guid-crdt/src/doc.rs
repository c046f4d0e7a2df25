//! [`Doc`]: a document of maps, registers, counters, flags and sets, nested at will.
//!
//! **Meaning:** under a key live a register, a counter, a flag, a set and a map, independent of
//! each other and each by the meaning of its type ([`MvRegister`](crate::MvRegister),
//! [`ResettableCounter`](crate::ResettableCounter), [`EwFlag`](crate::EwFlag),
//! [`OrSet`](crate::OrSet), [`OrMap`](crate::OrMap)); deleting a key resets what it has seen of all
//! five, to any depth.
//!
//! # The idea
//!
//! *What if one makes `x` a set and another a counter, at once?* Then `x` has both, and nothing is
//! lost: the kind is part of the path. A program that knows what it wants to find at `x` asks for
//! that, and the rest does not disturb it.
//!
//! An edit is a batch: any number of changes under one dot, seen by others all or none.
//!
//! **Growth:** what is there, as the five types have it; a deleted key leaves nothing behind.
//! **Complexity:** reading a path is logarithmic in the keys at each level; an edit costs the paths
//! it touches.
//!
//! # Invariants
//!
//! One context for the whole document. No key is empty.
//!
//! # References
//!
//! Kleppmann, Beresford, "A Conflict-Free Replicated JSON Datatype", 2017: the kind as part of the
//! path; Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.5.

mod branch;
mod edit;
mod scalar;

use crate::{Causal, Delta, Dot, DotMap, MutateError, counter::sum, nested::causal_type};

pub use self::{branch::Branch, edit::DocEdit, scalar::Scalar};

/// The store of a map of a document.
type Keys = DotMap<String, Branch>;

/// What an edit of a [`Doc`] changed.
pub type DocDelta = Delta<DotMap<String, Branch>>;

/// A document of replicated values.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{Doc, Dot, Lattice};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = Doc::new();
/// a.edit(dot(1, 10)?, |doc| {
///     doc.set("title", "Plan");
///     doc.map("author", |author| author.set("name", "Ann"));
///     doc.insert("tags", "draft");
/// })?;
/// let mut b = a.clone();
/// a.edit(dot(1, 20)?, |doc| doc.delete("author"))?;
/// b.edit(dot(2, 20)?, |doc| doc.map("author", |author| author.add("books", 2)))?;
/// a.join(&b);
/// assert_eq!(a.root().text("title"), Some("Plan"));
/// assert!(a.root().contains("tags", "draft"));
/// let author = a.root().map("author").ok_or("the count was not seen by the delete")?;
/// assert_eq!((author.count("books"), author.text("name")), (2, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "JSON")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc(Causal<Keys>);

causal_type!([] Doc: DotMap<String, Branch>, b"docm");

impl Doc {
    /// Carries out changes under one dot, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node, or a counter would leave its range; the
    /// document is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| {
    ///     doc.set("title", "Plan");
    ///     doc.insert("tags", "new"); // both are one event
    /// })?;
    /// assert_eq!(doc.root().text("title"), Some("Plan"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn edit(
        &mut self,
        dot: Dot,
        edit: impl FnOnce(&mut DocEdit<'_>),
    ) -> Result<DocDelta, MutateError> {
        let mut overflow = false;
        let mut after = self.0.clone();
        let delta = after.edit(dot, |keys| edit(&mut DocEdit::new(keys, dot, &mut overflow)))?;
        if overflow {
            return Err(MutateError::Overflow);
        }
        self.0 = after;
        Ok(delta)
    }

    /// The document, to read.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.set("size", 7))?;
    /// assert!(doc.root().keys().eq(["size"]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub const fn root(&self) -> DocMap<'_> {
        DocMap { keys: self.0.store() }
    }
}

/// A map of a document, to read.
///
/// # Examples
///
/// See [`Doc`].
#[derive(Clone, Copy, Debug)]
pub struct DocMap<'a> {
    keys: &'a Keys,
}

impl<'a> DocMap<'a> {
    /// The value of a register: of concurrent writes the latest.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.set("size", 7))?;
    /// assert_eq!(doc.root().get("size"), Some(&7.into()));
    /// assert_eq!(doc.root().get("title"), None);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn get(self, key: &str) -> Option<&'a Scalar> {
        self.values(key).next_back()
    }

    /// The value of a register, if it is a text.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.set("size", 7))?;
    /// doc.edit(dot(2), |doc| doc.set("title", "Plan"))?;
    /// let texts = ["size", "title"].map(|key| doc.root().text(key));
    /// assert_eq!(texts, [None, Some("Plan")]);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn text(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_text()
    }

    /// The values of a register, in time order: several, where writes were concurrent.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot, Lattice};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let (mut a, mut b) = (Doc::new(), Doc::new());
    /// b.edit(dot(2, 9), |doc| doc.set("size", 9))?;
    /// a.edit(dot(1, 5), |doc| doc.set("size", 5))?;
    /// let both = a.joined(&b);
    /// assert!(both.root().values("size").eq([&5.into(), &9.into()]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn values(self, key: &str) -> impl DoubleEndedIterator<Item = &'a Scalar> {
        let branch = self.keys.get(key).into_iter();
        branch.flat_map(|branch| branch.register.iter().map(|(_, value)| value))
    }

    /// The value of a counter; 0, if nobody counted.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.add("visits", 2))?;
    /// assert_eq!(["visits", "likes"].map(|key| doc.root().count(key)), [2, 0]);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn count(self, key: &str) -> i128 {
        self.keys.get(key).map_or(0, |branch| sum(&branch.counter))
    }

    /// Whether a flag is on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.enable("public"))?;
    /// assert!(doc.root().is_on("public") && !doc.root().is_on("locked"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_on(self, key: &str) -> bool {
        self.keys.get(key).is_some_and(|branch| !branch.flag.is_empty())
    }

    /// Whether an element is in a set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.insert("tags", "new"))?;
    /// assert!(doc.root().contains("tags", "new") && !doc.root().contains("tags", "old"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn contains(self, key: &str, element: impl Into<Scalar>) -> bool {
        self.keys.get(key).is_some_and(|branch| branch.set.get(&element.into()).is_some())
    }

    /// The elements of a set, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| {
    ///     doc.insert("tags", "old");
    ///     doc.insert("tags", "new");
    /// })?;
    /// assert!(doc.root().elements("tags").eq([&"new".into(), &"old".into()]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn elements(self, key: &str) -> impl DoubleEndedIterator<Item = &'a Scalar> {
        self.keys.get(key).into_iter().flat_map(|branch| branch.set.keys())
    }

    /// The map under a key, if something is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| doc.map("owner", |owner| owner.set("name", "Ann")))?;
    /// let owner = doc.root().map("owner");
    /// assert_eq!(owner.and_then(|owner| owner.text("name")), Some("Ann"));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn map(self, key: &str) -> Option<Self> {
        let keys = &self.keys.get(key)?.map;
        (!keys.is_empty()).then_some(Self { keys })
    }

    /// The keys, in order, whatever is under them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{Doc, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut doc = Doc::new();
    /// doc.edit(dot(1), |doc| {
    ///     doc.set("title", "Plan");
    ///     doc.enable("public");
    /// })?;
    /// assert!(doc.root().keys().eq(["public", "title"]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn keys(self) -> impl DoubleEndedIterator<Item = &'a str> + ExactSizeIterator {
        self.keys.keys().map(String::as_str)
    }
}
