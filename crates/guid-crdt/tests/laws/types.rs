//! The laws for the counters, flags, registers, sets, maps and documents.

use core::fmt::Debug;

use guid_core::NodeId;
use guid_crdt::{
    AwLwwMap, BoundedCounter, Causality, Doc, Dot, DwFlag, EwFlag, FwwRegister, GCounter, GSet,
    Lattice, LwwMap, LwwSet, Max, Min, MutateError, OrMap, OrSet, PnCounter, RemoveBias,
    Replicated, ResettableCounter, RwSet, TwoPhaseSet, Versioned, laws,
};
use proptest::prelude::*;

/// An operation is a kind and a number; each type makes of it what it can.
fn check<T>(mutate: impl Fn(&mut T, Dot, u8, u8) -> Result<T::Delta, MutateError> + Copy)
where
    T: Versioned + PartialEq + Debug,
    T::Delta: Debug + Clone,
{
    let histories = || {
        laws::reached((0..4_u8, 0..4_u8), move |state: &mut T, dot, (kind, number)| {
            mutate(state, dot, kind, number)
        })
    };
    laws::check(histories());
    laws::check_versions(histories());
}

#[test]
fn g_counter() {
    check(|counter: &mut GCounter, dot, _, n| counter.add(dot, n.into()));
}

#[test]
fn pn_counter() {
    check(|counter: &mut PnCounter, dot, _, n| counter.add(dot, i64::from(n) - 2));
}

#[test]
fn resettable_counter() {
    check(|counter: &mut ResettableCounter, dot, kind, n| match kind {
        0 => counter.reset(dot),
        _ => counter.add(dot, i64::from(n) - 2),
    });
}

/// What is refused is an event without an effect: a mutation of nothing.
#[test]
fn bounded_counter() {
    check(|counter: &mut BoundedCounter, dot, kind, n| {
        let amount = u64::from(n);
        let changed = match kind {
            0 | 1 => counter.add(dot, amount),
            2 => counter.take(dot, amount),
            _ => counter.transfer(dot, NodeId::new(2), amount),
        };
        match changed {
            Err(MutateError::Rights { .. }) => Ok(counter.clone()),
            changed => changed,
        }
    });
}

#[test]
fn flags() {
    check(|flag: &mut EwFlag, dot, kind, _| match kind {
        0 => flag.disable(dot),
        _ => flag.enable(dot),
    });
    check(|flag: &mut DwFlag, dot, kind, _| match kind {
        0 => flag.disable(dot),
        _ => flag.enable(dot),
    });
}

#[test]
fn registers() {
    check(|register: &mut FwwRegister<u8>, dot, _, n| match register.set(dot, n) {
        Err(MutateError::Taken { .. }) => Ok(register.clone()),
        written => written,
    });
    check(|register: &mut Max<u8>, _, _, n| Ok(register.raise(n)));
    check(|register: &mut Min<u8>, _, _, n| Ok(register.lower(n)));
}

#[test]
fn sets() {
    check(|set: &mut GSet<u8>, _, _, n| Ok(set.insert(n)));
    check(|set: &mut TwoPhaseSet<u8>, _, kind, n| match kind {
        0 => Ok(set.remove(n)),
        _ => Ok(set.insert(n)),
    });
    check(|set: &mut LwwSet<u8, RemoveBias>, dot, kind, n| match kind {
        0 | 1 => set.remove(dot, n),
        _ => set.insert(dot, n),
    });
    check(|set: &mut RwSet<u8>, dot, kind, n| match (kind, n) {
        (0, 0) => set.clear(dot),
        (0 | 1, _) => set.remove(dot, n),
        _ => set.insert(dot, n),
    });
    check(|set: &mut OrSet<u8>, dot, kind, n| match kind {
        0 | 1 => set.remove(dot, &n),
        _ => set.insert(dot, n),
    });
}

#[test]
fn maps() {
    check(|map: &mut LwwMap<u8, u8>, dot, kind, n| match kind {
        0 => map.remove(dot, n),
        _ => map.put(dot, n, kind),
    });
    check(|map: &mut AwLwwMap<u8, u8>, dot, kind, n| match kind {
        0 => map.remove(dot, &n),
        _ => map.put(dot, n, kind),
    });
    check(|map: &mut OrMap<u8, OrSet<u8>>, dot, kind, n| match kind {
        0 => map.remove(dot, &n),
        1 => map.update(dot, n, |set| set.remove(dot, &n)),
        _ => map.update(dot, n / 2, |set| set.insert(dot, n)),
    });
    check(|map: &mut OrMap<u8, OrMap<u8, ResettableCounter>>, dot, kind, n| match kind {
        0 => map.remove(dot, &(n / 2)),
        1 => map.update(dot, n / 2, |inner| inner.remove(dot, &(n % 2))),
        _ => map.update(dot, n / 2, |inner| {
            inner.update(dot, n % 2, |count| count.add(dot, i64::from(kind)))
        }),
    });
}

#[test]
fn documents() {
    check(|doc: &mut Doc, dot, kind, n| {
        doc.edit(dot, |doc| match (kind, n) {
            (0, _) => doc.delete("a"),
            (1, 0 | 1) => doc.insert("a", i64::from(n)),
            (1, _) => doc.remove("a", i64::from(n) - 2),
            (2, _) => doc.map("a", |map| map.set("b", i64::from(n))),
            (_, 0) => doc.enable("a"),
            _ => doc.add("a", 1),
        })
    });
}

/// Reading a key and joining commute: a value taken out of a map is a state of its own.
#[test]
fn values_of_maps_join_as_their_maps() {
    type Map = OrMap<u8, OrSet<u8>>;
    let histories = laws::reached((0..4_u8, 0..4_u8), |map: &mut Map, dot, (kind, n)| match kind {
        0 => map.remove(dot, &n),
        _ => map.update(dot, n / 2, |set| set.insert(dot, n)),
    });
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(reached in histories)| {
        let [a, b, _] = reached.states;
        let joined = a.clone().joined(&b);
        for key in 0..2 {
            let (Some(mine), Some(theirs)) = (a.get(&key), b.get(&key)) else { continue };
            let alone = mine.joined(&theirs);
            let within = joined.get(&key).unwrap_or_default();
            prop_assert!(alone.iter().eq(within.iter()));
        }
    });
}

/// Overflow is refused, not wrapped, and changes nothing.
#[test]
fn sums_stay_in_range() {
    let dot = |stamp| Dot::new(NodeId::new(1), guid_core::Stamp::from_u64(stamp).unwrap());
    let mut counter = GCounter::new();
    counter.add(dot(1), u64::MAX).unwrap();
    assert_eq!(counter.add(dot(2), 1), Err(MutateError::Overflow));
    let mut counter = PnCounter::new();
    counter.add(dot(1), i64::MIN).unwrap();
    assert_eq!(counter.add(dot(2), -1), Err(MutateError::Overflow));
    assert_eq!(counter.value(), i64::MIN.into());
    let mut doc = Doc::new();
    let full = doc.edit(dot(1), |doc| {
        doc.add("n", i64::MAX);
        doc.add("n", 1);
    });
    assert_eq!((full, doc.compare_to_new()), (Err(MutateError::Overflow), Causality::Equal));
}

trait CompareToNew {
    fn compare_to_new(&self) -> Causality;
}

impl<T: Replicated> CompareToNew for T {
    fn compare_to_new(&self) -> Causality {
        self.compare(&T::default())
    }
}

/// What is derived for a struct of replicated fields, also where one of them is such a struct.
#[cfg(feature = "derive")]
mod derived {
    use guid_crdt::{
        EwFlag, GCounter, Lattice, LwwRegister, MvRegister, OrSet, Replicated, Versioned,
    };

    use super::check;

    #[derive(Clone, Debug, Default, PartialEq, Lattice, Replicated, Versioned)]
    struct Cart {
        items: OrSet<u8>,
        address: LwwRegister<u8>,
        visits: GCounter,
        note: MvRegister<u8>,
    }

    #[derive(Clone, Debug, Default, PartialEq, Lattice, Replicated, Versioned)]
    struct Shop {
        cart: Cart,
        open: EwFlag,
    }

    #[test]
    fn a_derived_struct() {
        check(|cart: &mut Cart, dot, kind, n| match (kind, n % 2) {
            (0, 0) => cart.items.insert(dot, n).map(CartDelta::Items),
            (0, _) => cart.items.remove(dot, &(n - 1)).map(CartDelta::Items),
            (1, _) => cart.address.set(dot, n).map(CartDelta::Address),
            (2, _) => cart.visits.add(dot, n.into()).map(CartDelta::Visits),
            _ => cart.note.set(dot, n).map(CartDelta::Note),
        });
    }

    #[test]
    fn a_derived_struct_in_another() {
        check(|shop: &mut Shop, dot, kind, n| match (kind, n % 2) {
            (0, 0) => shop.open.enable(dot).map(ShopDelta::Open),
            (0, _) => shop.open.disable(dot).map(ShopDelta::Open),
            (1, _) => {
                let delta = shop.cart.items.insert(dot, n).map(CartDelta::Items);
                delta.map(ShopDelta::Cart)
            }
            _ => shop.cart.note.set(dot, n).map(|delta| ShopDelta::Cart(CartDelta::Note(delta))),
        });
    }
}
