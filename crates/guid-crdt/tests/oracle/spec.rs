//! What a type must show, as a function of visible events and happens-before; a file a family.

use std::fmt::Debug;

use guid_crdt::{Delta, Dot, DotStore, Lattice, MutateError, Versioned};

use crate::rng::Rng;

#[path = "spec/counter.rs"]
mod counter;
#[path = "spec/doc.rs"]
mod doc;
#[path = "spec/flag.rs"]
mod flag;
#[path = "spec/map.rs"]
mod map;
#[path = "spec/register.rs"]
mod register;
#[path = "spec/set.rs"]
mod set;

pub(crate) use self::{
    counter::{BoundedSpec, GCounterSpec, PnCounterSpec, ResettableSpec},
    doc::DocSpec,
    flag::{DwFlagSpec, EwFlagSpec},
    map::{AwLwwMapSpec, LwwMapSpec, OrMapSpec},
    register::{FwwSpec, LwwSpec, MaxSpec, MinSpec, MvSpec},
    set::{GSetSpec, LwwSetSpec, OrSetSpec, RwSetSpec, TwoPhaseSpec},
};

/// A set of events, by number.
pub(crate) type Events = u64;

#[derive(Clone)]
pub(crate) struct Event<O> {
    pub(crate) number: usize,
    pub(crate) dot: Dot,
    pub(crate) operation: O,
    /// The events that happened before it: those its author had seen.
    pub(crate) seen: Events,
}

impl<O> Event<O> {
    pub(crate) fn saw<P>(&self, other: &Event<P>) -> bool {
        self.seen >> other.number & 1 == 1
    }

    /// The same event, seen as one of a part of the state.
    pub(crate) fn of<P>(&self, operation: P) -> Event<P> {
        Event { number: self.number, dot: self.dot, operation, seen: self.seen }
    }
}

pub(crate) trait Spec {
    type State: Versioned<Delta: Clone + Group> + PartialEq + Debug + Bytes;
    type Op: Clone + Debug;
    type Value: PartialEq + Debug;
    const NAME: &'static str;
    /// Whether the state shows the dots of its events, so that writes are stamped after them.
    const DOTS: bool = true;

    fn random(rng: &mut Rng) -> Self::Op;
    fn mutate(state: &mut Self::State, dot: Dot, op: &Self::Op) -> Mutated<Self::State>;
    fn read(state: &Self::State) -> Self::Value;
    /// What must be read where these events are visible.
    fn meaning(visible: &[&Event<Self::Op>]) -> Self::Value;
}

pub(crate) type Mutated<T> = Result<<T as guid_crdt::Replicated>::Delta, MutateError>;

/// Deltas that can be sent as one; tells whether they touch.
pub(crate) trait Group {
    fn group(&mut self, next: &Self) -> bool;
}

impl<S: DotStore> Group for Delta<S> {
    fn group(&mut self, next: &Self) -> bool {
        self.join(next).is_ok()
    }
}

/// States that are their own deltas.
macro_rules! states_group {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {
        $(impl<$($generics)*> Group for $type {
            fn group(&mut self, next: &Self) -> bool {
                self.join(next);
                true
            }
        })*
    };
}

states_group!(
    [] guid_crdt::GCounter,
    [] guid_crdt::PnCounter,
    [] guid_crdt::BoundedCounter,
    [V: Ord + Clone] guid_crdt::LwwRegister<V>,
    [V: Ord + Clone] guid_crdt::FwwRegister<V>,
    [V: Ord + Clone] guid_crdt::Max<V>,
    [V: Ord + Clone] guid_crdt::Min<V>,
    [V: Ord + Clone] guid_crdt::GSet<V>,
    [V: Ord + Clone] guid_crdt::TwoPhaseSet<V>,
    [V: Ord + Clone, B: guid_crdt::Bias] guid_crdt::LwwSet<V, B>,
    [K: Ord + Clone, V: Ord + Clone] guid_crdt::LwwMap<K, V>,
);

/// The bytes of a state, which read back as the state.
pub(crate) trait Bytes {
    fn bytes(&self) -> Vec<u8>;
}

#[cfg(feature = "wire")]
impl<T: guid_crdt::wire::Wire + PartialEq + Debug> Bytes for T {
    fn bytes(&self) -> Vec<u8> {
        let bytes = guid_crdt::wire::encode(self).unwrap();
        assert_eq!(guid_crdt::wire::decode::<T>(&bytes).as_ref(), Ok(self));
        bytes
    }
}

#[cfg(not(feature = "wire"))]
impl<T> Bytes for T {
    fn bytes(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// What is sent, as it comes out at the other end.
pub(crate) trait Carry: Sized {
    fn carry(self) -> Self;
}

#[cfg(feature = "wire")]
impl<T: guid_crdt::wire::Wire> Carry for T {
    fn carry(self) -> Self {
        let bytes = guid_crdt::wire::encode(&self).unwrap();
        let carried = guid_crdt::wire::decode::<T>(&bytes).unwrap();
        assert_eq!(guid_crdt::wire::encode(&carried).as_ref(), Ok(&bytes));
        carried
    }
}

#[cfg(not(feature = "wire"))]
impl<T> Carry for T {
    fn carry(self) -> Self {
        self
    }
}

/// A number below `n`, small enough for an element or a key.
pub(crate) fn small(rng: &mut Rng, n: usize) -> u8 {
    u8::try_from(rng.below(n)).unwrap()
}
