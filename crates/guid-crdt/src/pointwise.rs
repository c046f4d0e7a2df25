//! [`Pointwise`]: a map whose entries are joined key by key, and [`Latest`]: one of dated entries.
//!
//! The shared body of the sets and maps that keep something of every key ever written: no dot
//! stores, no removal, so deltas need no order and no key is ever forgotten.
//!
//! # Invariants
//!
//! * The states of an entry form a chain: of two, one is the greater, and the join is that one.
//! * In [`Latest`] the dot of each entry is in the context. The context may have holes: what is
//!   missing is missing, and nothing is taken for removed.

use core::{cmp::Ordering, marker::PhantomData};

use im::{OrdMap, ordmap::DiffItem};

use crate::{CausalContext, Causality, Conflict, Dot, Lattice, MutateError, Span};

/// An entry: one of a chain of states.
pub(crate) trait Entry: Clone + Eq {
    /// Which of two entries is the greater; `Equal` only if they are equal.
    fn order(&self, other: &Self) -> Ordering;
}

impl Entry for () {
    fn order(&self, (): &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Entry for bool {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

/// Key → entry, joined key by key. Parts that two maps share cost nothing.
#[derive(Clone, Debug)]
pub(crate) struct Pointwise<K: Ord, E>(OrdMap<K, E>);

impl<K: Ord, E> Pointwise<K, E> {
    pub(crate) fn new() -> Self {
        Self(OrdMap::new())
    }
}

impl<K: Ord + Clone, E: Entry> Pointwise<K, E> {
    pub(crate) fn one(key: K, entry: E) -> Self {
        Self(OrdMap::unit(key, entry))
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &E)> + ExactSizeIterator {
        self.0.iter()
    }

    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&E>
    where
        K: core::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.0.get(key)
    }

    pub(crate) fn join(&mut self, other: &Self) {
        // Collected first: the difference borrows the map that it is to change.
        let greater: Vec<(K, E)> = self
            .0
            .diff(&other.0)
            .filter_map(|item| match item {
                DiffItem::Add(key, theirs) => Some((key.clone(), theirs.clone())),
                DiffItem::Update { old: (_, mine), new: (key, theirs) } => {
                    mine.order(theirs).is_lt().then(|| (key.clone(), theirs.clone()))
                }
                DiffItem::Remove(..) => None,
            })
            .collect();
        self.0.extend(greater);
    }

    pub(crate) fn compare(&self, other: &Self) -> Causality {
        self.0.diff(&other.0).fold(Causality::Equal, |so_far, item| {
            so_far.and(match item {
                DiffItem::Add(..) => Causality::Before,
                DiffItem::Remove(..) => Causality::After,
                DiffItem::Update { old: (_, mine), new: (_, theirs) } => mine.order(theirs).into(),
            })
        })
    }
}

impl<K: Ord + Clone, E: Entry> FromIterator<(K, E)> for Pointwise<K, E> {
    fn from_iter<I: IntoIterator<Item = (K, E)>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl<K: Ord, E: Eq> PartialEq for Pointwise<K, E> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K: Ord, E: Eq> Eq for Pointwise<K, E> {}

/// Which of two writes of one key stands.
pub(crate) trait Rule<V> {
    /// The order of the writes; `Equal` only for equal ones.
    fn order(a: (Dot, &V), b: (Dot, &V)) -> Ordering;
}

/// The later dot; and the greater value under one dot, where somebody used one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByDot;

impl<V: Ord> Rule<V> for ByDot {
    fn order(a: (Dot, &V), b: (Dot, &V)) -> Ordering {
        a.cmp(&b)
    }
}

/// What was written last under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write<V, R> {
    pub(crate) dot: Dot,
    pub(crate) value: V,
    rule: PhantomData<R>,
}

impl<V, R> Write<V, R> {
    pub(crate) const fn new(dot: Dot, value: V) -> Self {
        Self { dot, value, rule: PhantomData }
    }
}

impl<V: Clone + Eq, R: Rule<V> + Clone + Eq> Entry for Write<V, R> {
    fn order(&self, other: &Self) -> Ordering {
        R::order((self.dot, &self.value), (other.dot, &other.value))
    }
}

/// Key → last write, and the context of all writes taken in. A delta is a small one of these.
#[derive(Clone, Debug)]
pub(crate) struct Latest<K: Ord, V, R> {
    entries: Pointwise<K, Write<V, R>>,
    context: CausalContext,
}

impl<K: Ord, V, R> Latest<K, V, R> {
    pub(crate) fn new() -> Self {
        Self { entries: Pointwise::new(), context: CausalContext::new() }
    }

    pub(crate) const fn context(&self) -> &CausalContext {
        &self.context
    }
}

impl<K, V, R> Latest<K, V, R>
where
    K: Ord + Clone,
    V: Clone + Eq,
    R: Rule<V> + Clone + Eq,
{
    /// One write, as importers have it: nothing is claimed of what came before.
    pub(crate) fn written(dot: Dot, key: K, value: V) -> Self {
        let context = CausalContext::from_iter([Span::exact(dot)]);
        Self { entries: Pointwise::one(key, Write::new(dot, value)), context }
    }

    pub(crate) fn write(&mut self, dot: Dot, key: K, value: V) -> Result<Self, MutateError> {
        let write = Write::new(dot, value);
        if let Some(old) = self.entries.get(&key).filter(|old| write.order(old).is_le()) {
            return Err(MutateError::Stale { dot, known: old.dot });
        }
        let last = self.context.latest_of(dot.node());
        let interval = Span::closing(last, dot).ok_or_else(|| {
            let known = last.map_or(dot, |stamp| Dot::new(dot.node(), stamp));
            MutateError::Stale { dot, known }
        })?;
        let context = CausalContext::from_iter([interval]);
        let delta = Self { entries: Pointwise::one(key, write), context };
        self.join(&delta);
        Ok(delta)
    }

    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&Write<V, R>>
    where
        K: core::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.entries.get(key)
    }

    pub(crate) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&K, &Write<V, R>)> + ExactSizeIterator {
        self.entries.iter()
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.entries.join(&other.entries);
        self.context.join(&other.context);
    }

    pub(crate) fn compare(&self, other: &Self) -> Causality {
        self.context.compare(&other.context).and(self.entries.compare(&other.entries))
    }

    pub(crate) fn since(&self, seen: &CausalContext) -> Self {
        let new = self.iter().filter(|(_, write)| !seen.contains(write.dot));
        let entries = new.map(|(key, write)| (key.clone(), write.clone())).collect();
        Self { entries, context: self.context.minus(seen) }
    }

    pub(crate) fn conflict(&self, other: &Self) -> Option<Conflict> {
        self.entries.0.diff(&other.entries.0).find_map(|item| match item {
            DiffItem::Update { old: (_, a), new: (_, b) } if a.dot == b.dot => {
                Some(Conflict::new(a.dot))
            }
            _ => None,
        })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(entries: Vec<(K, Dot, V)>, context: CausalContext) -> Option<Self> {
        let sorted = entries.is_sorted_by(|a, b| a.0 < b.0);
        let covered = entries.iter().all(|&(_, dot, _)| context.contains(dot));
        let entries = entries.into_iter().map(|(key, dot, value)| (key, Write::new(dot, value)));
        (sorted && covered).then(|| Self { entries: entries.collect(), context })
    }
}

impl<K: Ord, V: Eq, R: Eq> PartialEq for Latest<K, V, R> {
    fn eq(&self, other: &Self) -> bool {
        self.context == other.context && self.entries == other.entries
    }
}

impl<K: Ord, V: Eq, R: Eq> Eq for Latest<K, V, R> {}

/// What is the same for every type that is a [`Latest`]: `[generics] type: key, value, tag`.
macro_rules! latest_type {
    ([$($generics:tt)*] $type:ty: $key:ty, $value:ty, $tag:literal) => {
        impl<$($generics)*> Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<$($generics)*> $type {
            /// Returns the state in which nothing has happened.
            ///
            /// # Examples
            ///
            /// See [`Self`].
            pub fn new() -> Self {
                Self($crate::pointwise::Latest::new())
            }

            /// What was taken in. Deltas need no order here, so it may have holes.
            ///
            /// # Examples
            ///
            /// See [`Causal::context`](crate::Causal::context).
            pub const fn context(&self) -> &$crate::CausalContext {
                self.0.context()
            }
        }

        impl<$($generics)*> $crate::Lattice for $type {
            fn join(&mut self, other: &Self) {
                self.0.join(&other.0);
            }

            fn compare(&self, other: &Self) -> $crate::Causality {
                self.0.compare(&other.0)
            }
        }

        impl<$($generics)*> $crate::Replicated for $type {
            type Delta = Self;

            fn frontier(&self) -> $crate::VectorClock {
                self.context().frontier()
            }

            fn delta_frontier(delta: &Self) -> $crate::VectorClock {
                delta.frontier()
            }

            fn apply(&mut self, delta: &Self) -> Result<$crate::Changed, $crate::Gap> {
                Ok($crate::replicated::join_as_delta(self, delta))
            }

            fn conflict(&self, other: &Self) -> Option<$crate::Conflict> {
                self.0.conflict(&other.0)
            }
        }

        impl<$($generics)*> $crate::Versioned for $type {
            type Version = $crate::CausalContext;

            fn version(&self) -> $crate::CausalContext {
                self.context().clone()
            }

            fn delta_version(delta: &Self) -> $crate::CausalContext {
                delta.context().clone()
            }

            fn delta_since(&self, seen: &$crate::CausalContext) -> Option<Self> {
                Some(Self(self.0.since(seen)))
            }
        }

        /// `{entries: [(key, dot, value)], context}`.
        #[cfg(feature = "serde")]
        impl<$($generics)*> ::serde::Serialize for $type
        where
            $key: ::serde::Serialize,
            $value: ::serde::Serialize,
        {
            fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                let entries = self.0.iter().map(|(key, write)| (key, write.dot, &write.value));
                $crate::serde::LatestView { entries: entries.collect(), context: self.context() }
                    .serialize(serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de, $($generics)*> ::serde::Deserialize<'de> for $type
        where
            $key: ::serde::Deserialize<'de>,
            $value: ::serde::Deserialize<'de>,
        {
            fn deserialize<Z: ::serde::Deserializer<'de>>(input: Z) -> Result<Self, Z::Error> {
                let parts = $crate::serde::LatestParts::deserialize(input)?;
                let broken = "expected sorted keys, and no dot outside the context";
                $crate::pointwise::Latest::from_parts(parts.entries, parts.context)
                    .map(Self)
                    .ok_or_else(|| ::serde::de::Error::custom(broken))
            }
        }

        /// The context; how many keys; each with its dot and what was written.
        #[cfg(feature = "wire")]
        impl<$($generics)*> $crate::wire::Wire for $type
        where
            $key: ::serde::Serialize + ::serde::de::DeserializeOwned,
            $value: ::serde::Serialize + ::serde::de::DeserializeOwned,
        {
            const TAG: [u8; 4] = *$tag;

            fn write(
                &self,
                out: &mut $crate::wire::Encoder,
            ) -> Result<(), $crate::wire::WireError> {
                out.context(self.context());
                out.count(self.0.iter().len());
                let mut nodes = $crate::wire::NodeTable::new(self.context());
                self.0.iter().try_for_each(|(key, write)| {
                    out.value(key)?;
                    out.dot(&mut nodes, write.dot)?;
                    out.value(&write.value)
                })
            }

            fn read(
                input: &mut $crate::wire::Decoder<'_>,
            ) -> Result<Self, $crate::wire::WireError> {
                let context = input.context()?;
                let mut nodes = $crate::wire::NodeTable::new(&context);
                let mut entries = Vec::new();
                for _ in 0..input.count()? {
                    entries.push((input.value()?, input.dot(&mut nodes)?, input.value()?));
                }
                let broken = $crate::wire::WireError::Malformed("entries are out of order");
                $crate::pointwise::Latest::from_parts(entries, context).map(Self).ok_or(broken)
            }
        }
    };
}

pub(crate) use latest_type;
