//! Flags. An operation is true for enable.

use guid_crdt::{Dot, DwFlag, EwFlag};

use super::{Event, Mutated, Spec};
use crate::rng::Rng;

pub(crate) struct EwFlagSpec;

impl Spec for EwFlagSpec {
    type State = EwFlag;
    type Op = bool;
    type Value = bool;
    const NAME: &'static str = "EwFlag";

    fn random(rng: &mut Rng) -> bool {
        rng.chance(50)
    }

    fn mutate(state: &mut EwFlag, dot: Dot, op: &bool) -> Mutated<EwFlag> {
        if *op { state.enable(dot) } else { state.disable(dot) }
    }

    fn read(state: &EwFlag) -> bool {
        state.is_on()
    }

    /// Some enable was seen by no disable.
    fn meaning(visible: &[&Event<bool>]) -> bool {
        let disabled = |enable: &Event<_>| visible.iter().any(|e| !e.operation && e.saw(enable));
        visible.iter().any(|event| event.operation && !disabled(event))
    }
}

pub(crate) struct DwFlagSpec;

impl Spec for DwFlagSpec {
    type State = DwFlag;
    type Op = bool;
    type Value = bool;
    const NAME: &'static str = "DwFlag";

    fn random(rng: &mut Rng) -> bool {
        rng.chance(50)
    }

    fn mutate(state: &mut DwFlag, dot: Dot, op: &bool) -> Mutated<DwFlag> {
        if *op { state.enable(dot) } else { state.disable(dot) }
    }

    fn read(state: &DwFlag) -> bool {
        state.is_on()
    }

    /// It was enabled, and every disable was seen by an enable.
    fn meaning(visible: &[&Event<bool>]) -> bool {
        let undone = |disable: &Event<_>| visible.iter().any(|e| e.operation && e.saw(disable));
        visible.iter().any(|event| event.operation)
            && visible.iter().all(|event| event.operation || undone(event))
    }
}
