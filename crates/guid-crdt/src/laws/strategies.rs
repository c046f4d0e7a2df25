//! Strategies for the small types: few nodes and low stamps, so that they meet.

use guid_core::{NodeId, Stamp};
use proptest::prelude::*;

use crate::{CausalContext, Dot, Span, VectorClock};

/// A strategy for nodes, one of four.
///
/// # Examples
///
/// ```
/// use guid_crdt::laws;
/// use proptest::prelude::*;
///
/// proptest!(|(node in laws::node())| prop_assert!(node.as_u32() < 4));
/// ```
pub fn node() -> impl Strategy<Value = NodeId> {
    (0..4_u32).prop_map(NodeId::new)
}

/// A strategy for stamps: near the beginning, and now and then near the end of time.
///
/// # Examples
///
/// ```
/// use guid_core::Stamp;
/// use guid_crdt::laws;
/// use proptest::prelude::*;
///
/// let late = Stamp::MAX.as_u64() - 4;
/// proptest!(|(stamp in laws::stamp())| {
///     prop_assert!(stamp.as_u64() < 20 || stamp.as_u64() > late);
/// });
/// ```
pub fn stamp() -> impl Strategy<Value = Stamp> {
    let near = |number: u64| Stamp::from_u64(number).unwrap_or(Stamp::MAX);
    prop_oneof![
        9 => (0..20_u64).prop_map(near),
        1 => (0..4_u64).prop_map(move |below| near(Stamp::MAX.as_u64() - below)),
    ]
}

/// A strategy for dots.
///
/// # Examples
///
/// ```
/// use guid_crdt::laws;
/// use proptest::prelude::*;
///
/// proptest!(|(dot in laws::dot())| prop_assert!(dot.node().as_u32() < 4));
/// ```
pub fn dot() -> impl Strategy<Value = Dot> {
    (node(), stamp()).prop_map(|(node, stamp)| Dot::new(node, stamp))
}

/// A strategy for spans: prefixes, single dots, and intervals.
///
/// # Examples
///
/// ```
/// use guid_crdt::laws;
/// use proptest::prelude::*;
///
/// proptest!(|(span in laws::span())| prop_assert!(span.first() <= span.upto()));
/// ```
pub fn span() -> impl Strategy<Value = Span> {
    (node(), stamp(), stamp()).prop_map(|(node, a, b)| {
        let (after, upto) = (a.min(b), a.max(b));
        Span::between(node, after, upto).unwrap_or_else(|| Span::up_to(node, upto))
    })
}

/// A strategy for contexts, with holes and without.
///
/// # Examples
///
/// ```
/// use guid_crdt::{CausalContext, laws};
/// use proptest::prelude::*;
///
/// proptest!(|(seen in laws::causal_context())| {
///     prop_assert_eq!(CausalContext::from_iter(seen.iter()), seen);
/// });
/// ```
pub fn causal_context() -> impl Strategy<Value = CausalContext> {
    prop::collection::vec(prop_oneof![span(), dot().prop_map(Span::exact)], 0..8)
        .prop_map(CausalContext::from_iter)
}

/// A strategy for vector clocks.
///
/// # Examples
///
/// ```
/// use guid_crdt::laws;
/// use proptest::prelude::*;
///
/// proptest!(|(clock in laws::vector_clock())| prop_assert!(clock.len() <= 4));
/// ```
pub fn vector_clock() -> impl Strategy<Value = VectorClock> {
    prop::collection::vec(dot(), 0..6).prop_map(VectorClock::from_iter)
}
