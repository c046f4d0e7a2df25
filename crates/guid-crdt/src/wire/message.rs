//! The bytes of [`Message`]s, so that a transport has nothing to invent.
//!
//! # Invariants
//!
//! A message names the type of its replica: what was meant for another is refused.

use super::{Decoder, Encoder, Wire, WireError};
use crate::{Gap, Message, Versioned};

const GREETING: u64 = 0;
const DELTAS: u64 = 1;
const STATE: u64 = 2;
const GAP: u64 = 3;

/// The tag of the state, then which message it is, then its parts.
impl<T> Wire for Message<T>
where
    T: Versioned<Version: Wire, Delta: Wire> + Wire,
{
    const TAG: [u8; 4] = *b"mesg";

    fn write(&self, out: &mut Encoder) -> Result<(), WireError> {
        out.bytes(&T::TAG);
        match self {
            Self::Greeting(seen) => {
                out.varint(GREETING);
                seen.write(out)
            }
            Self::Deltas { deltas, seen } => {
                out.varint(DELTAS);
                out.count(deltas.len());
                deltas.iter().try_for_each(|delta| delta.write(out))?;
                seen.write(out)
            }
            Self::State(state) => {
                out.varint(STATE);
                state.write(out)
            }
            Self::Gap { gap, seen } => {
                out.varint(GAP);
                out.value(&(gap.node, gap.have, gap.needs))?;
                seen.write(out)
            }
        }
    }

    fn read(input: &mut Decoder<'_>) -> Result<Self, WireError> {
        input.expect_tag(T::TAG)?;
        match input.varint()? {
            GREETING => Ok(Self::Greeting(T::Version::read(input)?)),
            DELTAS => {
                let count = input.count()?;
                let deltas = (0..count).map(|_| T::Delta::read(input)).collect::<Result<_, _>>()?;
                Ok(Self::Deltas { deltas, seen: T::Version::read(input)? })
            }
            STATE => Ok(Self::State(T::read(input)?)),
            GAP => {
                let (node, have, needs) = input.value()?;
                let gap = Gap { node, have, needs };
                Ok(Self::Gap { gap, seen: T::Version::read(input)? })
            }
            _ => Err(WireError::Malformed("no message has this number")),
        }
    }
}
