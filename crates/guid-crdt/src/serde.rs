//! serde for the types with invariants (feature `serde`): a plain structure, checked when read.
//!
//! The same structure in every format; nodes and stamps are text where people read (a double cannot
//! hold a stamp) and numbers where machines do.
//!
//! | type | structure |
//! |---|---|
//! | [`Dot`] | `{stamp, node}` |
//! | [`VectorClock`] | map: node → stamp |
//! | [`Span`] | `{node, after, upto}`; `after` is null at the beginning |
//! | [`CausalContext`] | list of spans |
//! | [`DotSet`] | list of dots |
//! | [`DotFun`] | list of (dot, value) |
//! | [`DotMap`] | list of (key, store): keys need not be text |
//! | [`Causal`] and every type on it | `{store, context}` |
//! | [`Delta`] | `{added, gone, intervals}` |
//! | [`LwwRegister`](crate::LwwRegister), [`FwwRegister`](crate::FwwRegister) | null, or (dot, value) |
//! | [`Max`](crate::Max), [`Min`](crate::Min) | null, or the value |
//! | counters but the resettable one | list of (dot, total) |
//! | [`LwwSet`](crate::LwwSet), [`LwwMap`](crate::LwwMap) | `{entries: [(key, dot, value)], context}` |
//! | [`GSet`](crate::GSet), [`TwoPhaseSet`](crate::TwoPhaseSet) | list of (element, what is said of it) |
//!
//! For bytes that are compact and canonical, see the module `wire`.
//!
//! # Invariants
//!
//! Reading gives a value that keeps the invariants of its type, or an error.

use std::collections::BTreeMap;

use guid_core::{NodeId, Stamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{
    Causal, CausalContext, Delta, Dot, DotFun, DotMap, DotSet, DotStore, Span, VectorClock,
};

impl Serialize for VectorClock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for VectorClock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::<NodeId, Stamp>::deserialize(deserializer).map(Self::from_iter)
    }
}

/// A dot by its parts.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Dot")]
pub(crate) struct DotParts {
    stamp: Stamp,
    node: NodeId,
}

impl From<Dot> for DotParts {
    fn from(dot: Dot) -> Self {
        Self { stamp: dot.stamp(), node: dot.node() }
    }
}

impl From<DotParts> for Dot {
    fn from(parts: DotParts) -> Self {
        Self::new(parts.node, parts.stamp)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Span")]
struct SpanParts {
    node: NodeId,
    after: Option<Stamp>,
    upto: Stamp,
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (node, after, upto) = (self.node(), self.after(), self.upto());
        SpanParts { node, after, upto }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SpanParts { node, after, upto } = SpanParts::deserialize(deserializer)?;
        Self::closing(after, Dot::new(node, upto))
            .ok_or_else(|| D::Error::custom("a span holds nothing: expected after < upto"))
    }
}

impl Serialize for CausalContext {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for CausalContext {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut spans = Vec::<Span>::deserialize(deserializer)?;
        // In order every insert goes to the end: linear, whatever was sent.
        spans.sort_unstable_by_key(|span| (span.node(), span.first()));
        Ok(spans.into_iter().collect())
    }
}

impl Serialize for DotSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for DotSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Dot>::deserialize(deserializer).map(Self::from_iter)
    }
}

impl<V: Serialize> Serialize for DotFun<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, V: Deserialize<'de> + Ord> Deserialize<'de> for DotFun<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<(Dot, V)>::deserialize(deserializer).map(Self::from_iter)
    }
}

impl<K: Serialize + Ord, T: Serialize> Serialize for DotMap<K, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, K, T> Deserialize<'de> for DotMap<K, T>
where
    K: Deserialize<'de> + Ord + Clone,
    T: Deserialize<'de> + Clone,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<(K, T)>::deserialize(deserializer).map(Self::from_iter)
    }
}

#[derive(Serialize)]
#[serde(rename = "Causal")]
struct CausalView<'a, S> {
    store: &'a S,
    context: &'a CausalContext,
}

#[derive(Deserialize)]
#[serde(rename = "Causal")]
struct CausalParts<S> {
    store: S,
    context: CausalContext,
}

impl<T: Serialize + DotStore> Serialize for Causal<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        CausalView { store: self.store(), context: self.context() }.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + DotStore> Deserialize<'de> for Causal<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let CausalParts { store, context } = CausalParts::deserialize(deserializer)?;
        Self::from_parts(store, context).ok_or_else(|| {
            D::Error::custom("a state holds a dot outside its context, or an empty key")
        })
    }
}

#[derive(Serialize)]
#[serde(rename = "Delta")]
struct DeltaView<'a, S, G> {
    added: &'a S,
    gone: &'a G,
    intervals: &'a CausalContext,
}

#[derive(Deserialize)]
#[serde(rename = "Delta")]
struct DeltaParts<S, G> {
    added: S,
    gone: G,
    intervals: CausalContext,
}

impl<T: Serialize + DotStore<Gone: Serialize>> Serialize for Delta<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (added, gone, intervals) = (self.added(), self.gone(), self.intervals());
        DeltaView { added, gone, intervals }.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Delta<T>
where
    T: Deserialize<'de> + DotStore<Gone: Deserialize<'de>>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DeltaParts { added, gone, intervals } = DeltaParts::deserialize(deserializer)?;
        Self::from_parts(added, gone, intervals).ok_or_else(|| {
            D::Error::custom("a delta adds a dot outside its intervals, or what is gone")
        })
    }
}

/// What `LwwMap` and `LwwSet` look like.
#[derive(Serialize)]
#[serde(rename = "Latest")]
pub(crate) struct LatestView<'a, K, V> {
    pub(crate) entries: Vec<(&'a K, Dot, &'a V)>,
    pub(crate) context: &'a CausalContext,
}

#[derive(Deserialize)]
#[serde(rename = "Latest")]
pub(crate) struct LatestParts<K, V> {
    pub(crate) entries: Vec<(K, Dot, V)>,
    pub(crate) context: CausalContext,
}
