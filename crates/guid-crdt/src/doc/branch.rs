//! [`Branch`]: the store of all that may live under one key of a document.
//!
//! # Invariants
//!
//! The five parts know nothing of each other. A branch is empty if all of them are.

use super::Scalar;
use crate::{CausalContext, Dot, DotFun, DotMap, DotSet, DotStore};

/// A register, a counter, a flag, a set and a map, side by side.
///
/// With dot sets in place of values it is what a delta says is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Branch<R: DotStore = DotFun<Scalar>, C: DotStore = DotFun<i64>> {
    pub(super) register: R,
    pub(super) counter: C,
    pub(super) flag: DotSet,
    pub(super) set: DotMap<Scalar, DotSet>,
    pub(super) map: DotMap<String, Self>,
}

impl<R, C> DotStore for Branch<R, C>
where
    R: DotStore<Gone = DotSet>,
    C: DotStore<Gone = DotSet>,
{
    type Gone = Branch<DotSet, DotSet>;

    fn is_empty(&self) -> bool {
        self.register.is_empty()
            && self.counter.is_empty()
            && self.flag.is_empty()
            && self.set.is_empty()
            && self.map.is_empty()
    }

    fn for_each_dot(&self, f: &mut dyn FnMut(Dot)) {
        self.register.for_each_dot(f);
        self.counter.for_each_dot(f);
        self.flag.for_each_dot(f);
        self.set.for_each_dot(f);
        self.map.for_each_dot(f);
    }

    fn join(&mut self, context: &CausalContext, other: &Self, other_context: &CausalContext) {
        self.register.join(context, &other.register, other_context);
        self.counter.join(context, &other.counter, other_context);
        self.flag.join(context, &other.flag, other_context);
        self.set.join(context, &other.set, other_context);
        self.map.join(context, &other.map, other_context);
    }

    fn apply(&mut self, context: &CausalContext, added: &Self, gone: &Self::Gone) {
        self.register.apply(context, &added.register, &gone.register);
        self.counter.apply(context, &added.counter, &gone.counter);
        self.flag.apply(context, &added.flag, &gone.flag);
        self.set.apply(context, &added.set, &gone.set);
        self.map.apply(context, &added.map, &gone.map);
    }

    fn changes_from(&self, before: &Self) -> (Self, Self::Gone) {
        let (register, register_gone) = self.register.changes_from(&before.register);
        let (counter, counter_gone) = self.counter.changes_from(&before.counter);
        let (flag, flag_gone) = self.flag.changes_from(&before.flag);
        let (set, set_gone) = self.set.changes_from(&before.set);
        let (map, map_gone) = self.map.changes_from(&before.map);
        let gone = Branch {
            register: register_gone,
            counter: counter_gone,
            flag: flag_gone,
            set: set_gone,
            map: map_gone,
        };
        (Self { register, counter, flag, set, map }, gone)
    }

    fn paths(&self) -> Self::Gone {
        Branch {
            register: self.register.paths(),
            counter: self.counter.paths(),
            flag: self.flag.clone(),
            set: self.set.clone(),
            map: self.map.paths(),
        }
    }

    fn has_emptied(&self) -> bool {
        self.set.has_emptied() || self.map.has_emptied()
    }
}

/// The five parts one after the other. How deep maps nest is bounded when it is read: a hostile
/// message shall not take the stack.
#[cfg(feature = "wire")]
mod bytes {
    use super::Branch;
    use crate::{
        DotMap, DotSet, DotStore,
        wire::{Decoder, Encoder, NodeTable, WireError, WireStore},
    };

    impl<R, C> WireStore for Branch<R, C>
    where
        R: WireStore + DotStore<Gone = DotSet>,
        C: WireStore + DotStore<Gone = DotSet>,
    {
        const SHAPE: u16 = 4;

        fn write(&self, nodes: &mut NodeTable, out: &mut Encoder) -> Result<(), WireError> {
            self.register.write(nodes, out)?;
            self.counter.write(nodes, out)?;
            self.flag.write(nodes, out)?;
            self.set.write(nodes, out)?;
            out.nested(|out| self.map.write(nodes, out))
        }

        fn read(nodes: &mut NodeTable, input: &mut Decoder<'_>) -> Result<Self, WireError> {
            Ok(Self {
                register: R::read(nodes, input)?,
                counter: C::read(nodes, input)?,
                flag: DotSet::read(nodes, input)?,
                set: WireStore::read(nodes, input)?,
                map: input.nested(|input| DotMap::read(nodes, input))?,
            })
        }
    }
}
