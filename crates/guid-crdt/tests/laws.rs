//! The laws, by the public suite, for every type; and contexts against sets of single dots.

#![cfg(feature = "proptest")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]

#[path = "laws/types.rs"]
mod types;

use std::collections::BTreeSet;

use guid_core::{NodeId, Stamp};
use guid_crdt::{
    CausalContext, Causality, Changed, Dot, Gap, Lattice, LwwRegister, MvRegister, MvRegisterDelta,
    OrSet, OrSetDelta, Replicated, Span, VectorClock, laws,
};
use proptest::prelude::*;

#[test]
fn vector_clock_is_a_lattice() {
    laws::check_lattice([laws::vector_clock(), laws::vector_clock(), laws::vector_clock()]);
}

#[test]
fn causal_context_is_a_lattice() {
    laws::check_lattice([laws::causal_context(), laws::causal_context(), laws::causal_context()]);
}

#[test]
fn lww_register() {
    laws::check(laws::reached(0..4_u8, |register: &mut LwwRegister<u8>, dot, value| {
        register.set(dot, value)
    }));
}

/// States that no honest history reaches: one dot, two values. The join is total all the same.
#[test]
fn lww_register_under_conflict() {
    let write = || (laws::dot(), 0..3_u8).prop_map(|(dot, value)| LwwRegister::written(dot, value));
    laws::check_lattice([write(), write(), write()]);
}

#[test]
fn mv_register() {
    laws::check(laws::reached(
        prop::option::of(0..4_u8),
        |register: &mut MvRegister<u8>, dot, value| match value {
            Some(value) => register.set(dot, value),
            None => register.clear(dot),
        },
    ));
}

#[derive(Clone, Debug)]
enum SetOp {
    Insert(u8),
    InsertAll(Vec<u8>),
    Remove(u8),
    Clear,
}

fn set_op() -> impl Strategy<Value = SetOp> {
    prop_oneof![
        4 => (0..4_u8).prop_map(SetOp::Insert),
        1 => prop::collection::vec(0..4_u8, 0..3).prop_map(SetOp::InsertAll),
        3 => (0..4_u8).prop_map(SetOp::Remove),
        1 => Just(SetOp::Clear),
    ]
}

#[test]
fn or_set() {
    laws::check(laws::reached(set_op(), |set: &mut OrSet<u8>, dot, op| match op {
        SetOp::Insert(value) => set.insert(dot, value),
        SetOp::InsertAll(values) => set.insert_all(dot, values),
        SetOp::Remove(value) => set.remove(dot, &value),
        SetOp::Clear => set.clear(dot),
    }));
}

/// A struct of replicated fields, as a user would write one.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cart {
    items: OrSet<u8>,
    address: LwwRegister<u8>,
    note: MvRegister<u8>,
}

#[derive(Clone, Debug)]
enum CartDelta {
    Items(OrSetDelta<u8>),
    Address(LwwRegister<u8>),
    Note(MvRegisterDelta<u8>),
}

impl Lattice for Cart {
    fn join(&mut self, other: &Self) {
        self.items.join(&other.items);
        self.address.join(&other.address);
        self.note.join(&other.note);
    }

    fn compare(&self, other: &Self) -> Causality {
        let items = self.items.compare(&other.items);
        items.and(self.address.compare(&other.address)).and(self.note.compare(&other.note))
    }
}

impl Replicated for Cart {
    type Delta = CartDelta;

    fn frontier(&self) -> VectorClock {
        self.items.frontier().joined(&self.address.frontier()).joined(&self.note.frontier())
    }

    fn delta_frontier(delta: &CartDelta) -> VectorClock {
        match delta {
            CartDelta::Items(delta) => delta.frontier(),
            CartDelta::Address(delta) => delta.frontier(),
            CartDelta::Note(delta) => delta.frontier(),
        }
    }

    fn apply(&mut self, delta: &CartDelta) -> Result<Changed, Gap> {
        match delta {
            CartDelta::Items(delta) => self.items.apply(delta),
            CartDelta::Address(delta) => self.address.apply(delta),
            CartDelta::Note(delta) => self.note.apply(delta),
        }
    }
}

#[test]
fn a_struct_of_replicated_fields() {
    laws::check(laws::reached((0..4_u8, 0..4_u8), |cart: &mut Cart, dot, (field, value)| {
        Ok(match field {
            0 => CartDelta::Items(cart.items.insert(dot, value)?),
            1 => CartDelta::Items(cart.items.remove(dot, &value)?),
            2 => CartDelta::Address(cart.address.set(dot, value)?),
            _ => CartDelta::Note(cart.note.set(dot, value)?),
        })
    }));
}

/// The naive model of a context: a set of dots, over the stamps that occur in the tests.
fn model(context: &CausalContext) -> BTreeSet<(u32, u64)> {
    universe().into_iter().filter(|&dot| context.contains(to_dot(dot))).collect()
}

fn to_dot((node, stamp): (u32, u64)) -> Dot {
    Dot::new(NodeId::new(node), Stamp::from_u64(stamp).unwrap())
}

fn universe() -> Vec<(u32, u64)> {
    let low = 0..24;
    let high = Stamp::MAX.as_u64() - 8..=Stamp::MAX.as_u64();
    let stamps: Vec<u64> = low.chain(high).collect();
    (0..4).flat_map(|node| stamps.iter().map(move |&stamp| (node, stamp))).collect()
}

fn is_normal(context: &CausalContext) -> bool {
    let spans: Vec<Span> = context.iter().collect();
    spans.windows(2).all(|pair| {
        let (a, b) = (pair[0], pair[1]);
        a.node() < b.node() || (a.node() == b.node() && a.upto().as_u64() + 1 < b.first().as_u64())
    })
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn contexts_are_sets_of_dots(
        a in laws::causal_context(),
        b in laws::causal_context(),
        dot in laws::dot(),
    ) {
        let (ma, mb) = (model(&a), model(&b));
        let union = a.clone().joined(&b);
        prop_assert_eq!(model(&union), &ma | &mb);
        prop_assert_eq!(model(&a.meet(&b)), &ma & &mb);
        prop_assert_eq!(model(&a.minus(&b)), &ma - &mb);
        let causality = Causality::from_within(ma.is_subset(&mb), mb.is_subset(&ma));
        prop_assert_eq!(a.compare(&b), causality);
        for context in [&a, &b, &union, &a.meet(&b), &a.minus(&b)] {
            prop_assert!(is_normal(context), "{}", context);
        }
        let mut more = a;
        more.insert(Span::exact(dot));
        let key = (dot.node().as_u32(), dot.stamp().as_u64());
        prop_assert_eq!(model(&more), &ma | &BTreeSet::from([key]));
    }

    #[test]
    fn views_of_a_context_agree_with_its_set(a in laws::causal_context()) {
        let set = model(&a);
        for node in 0..4 {
            let of_node: Vec<u64> = set.iter().filter(|d| d.0 == node).map(|d| d.1).collect();
            let latest = a.latest_of(NodeId::new(node)).map(Stamp::as_u64);
            prop_assert_eq!(latest, of_node.last().copied());
            prop_assert_eq!(latest, a.frontier().get(NodeId::new(node)).map(Stamp::as_u64));
            let closed = a.closed_upto(NodeId::new(node)).map(Stamp::as_u64);
            prop_assert_eq!(closed.is_some(), of_node.first() == Some(&0));
            if let Some(closed) = closed {
                let mut below = universe().into_iter().filter(|d| d.0 == node && d.1 <= closed);
                prop_assert!(below.all(|dot| set.contains(&dot)));
                let next = Stamp::from_u64(closed + 1).ok();
                prop_assert!(!next.is_some_and(|s| a.contains(Dot::new(NodeId::new(node), s))));
            }
        }
        prop_assert_eq!(CausalContext::from(&a.clock()).is_prefix(), true);
        prop_assert!(CausalContext::from(&a.clock()).compare(&a).is_within());
    }

    /// What connects to a closed history leaves it closed; what does not is reported.
    #[test]
    fn what_has_no_gap_keeps_a_history_closed(clock in laws::vector_clock(), span in laws::span()) {
        let mut history = CausalContext::from(&clock);
        let gap = history.gap(&CausalContext::from_iter([span]));
        let have = history.closed_upto(span.node());
        history.insert(span);
        prop_assert_eq!(gap.is_none(), history.is_prefix());
        if let Some(gap) = gap {
            let expected = (span.node(), have, span.after());
            prop_assert_eq!((gap.node, gap.have, Some(gap.needs)), expected);
        }
    }

    #[test]
    fn vector_clocks_agree_with_prefixes(a in laws::vector_clock(), b in laws::vector_clock()) {
        let (ca, cb) = (CausalContext::from(&a), CausalContext::from(&b));
        prop_assert_eq!(a.compare(&b), ca.compare(&cb));
        prop_assert_eq!(a.clone().joined(&b), ca.clone().joined(&cb).clock());
        prop_assert_eq!(a.meet(&b), ca.meet(&cb).clock());
        // Whole entries of a clock are left, of a context what is above.
        prop_assert_eq!(a.minus(&b), ca.minus(&cb).frontier());
    }
}
