//! What an ID says: its moment, its sequence, its node; and which of its bits are time.

use guid_core::{Drift, Guid, NodeId};

use super::{Snowflake, TIME_KEY_TAIL, id_of_time_key, milliseconds};
use crate::Scheme;

/// What the ID of a key says, as far as its scheme has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Says {
    pub(crate) ns: Option<u64>,
    pub(crate) sequence: Option<u32>,
    pub(crate) node: Option<NodeId>,
}

/// What an ID in k-order says.
pub(crate) fn says(scheme: Scheme, key: u128) -> Says {
    let of_guid = |id: Guid| Says {
        ns: Some(id.unix_nanos()),
        sequence: Some(id.seq().as_u16().into()),
        node: Some(id.node()),
    };
    let at = |ns| Says { ns: Some(ns), ..Says::default() };
    match scheme {
        Scheme::Bump(_) | Scheme::Guid96(_) | Scheme::Mixed | Scheme::Upstream(_) => {
            Guid::from_u128(key).map(of_guid).unwrap_or_default()
        }
        // A local names no node; the one that made it stands with it.
        Scheme::Guid64 | Scheme::Vector => of_guid(id_of_time_key(key)),
        Scheme::Snowflake => at(Snowflake::ns(key as u64)),
        Scheme::Ulid | Scheme::Uuid7 => at(milliseconds::ns_of(key)),
        // Their texts say all there is.
        Scheme::Hlc => at((key >> 64) as u64),
        Scheme::Counter | Scheme::Lamport => Says::default(),
    }
}

/// How many low bits of a key are not its time: below them something else decides.
pub(crate) fn time_bits(scheme: Scheme, by_bytes: bool, key: u128) -> u32 {
    match scheme {
        _ if scheme.has_two_orders() && by_bytes => {
            // Node, then tick and sequence inside the window.
            let code = Guid::from_u128(key).map_or(0, |id| id.drift().code());
            32 + 18 + u32::from(code) + 14
        }
        Scheme::Snowflake => Snowflake::TAIL,
        Scheme::Ulid | Scheme::Uuid7 => milliseconds::RANDOM_BITS,
        Scheme::Hlc => 64,
        Scheme::Lamport => 32,
        _ => TIME_KEY_TAIL,
    }
}

/// The key in k-order of an ID whose key in time order this is; `drift` is that of its node.
pub(crate) fn id_of_time(scheme: Scheme, time: u128, drift: Drift) -> u128 {
    let global = |drift| {
        let id = id_of_time_key(time);
        Guid::new(drift, id.node(), id.stamp()).to_u128()
    };
    match scheme {
        Scheme::Bump(drift) | Scheme::Guid96(drift) | Scheme::Upstream(drift) => global(drift),
        Scheme::Mixed => global(drift),
        Scheme::Counter => (time & u128::from(u32::MAX)) << 64 | time >> 32,
        _ => time,
    }
}

#[cfg(test)]
mod tests {
    use guid_core::{Seq, Stamp, Tick};

    use super::{super::time_key, *};

    #[test]
    fn the_bits_that_are_time_are_those_that_the_window_changes() {
        for code in 0..8 {
            let drift = Drift::from_code(code).unwrap();
            let window = u64::try_from(drift.window().as_nanos()).unwrap();
            let key = |ns: u64, node| {
                let stamp = Stamp::new(Tick::from_unix_nanos(ns), Seq::default());
                Guid::new(drift, NodeId::new(node), stamp).to_u128()
            };
            let scheme = Scheme::Guid96(drift);
            let cell = |key: u128| key >> time_bits(scheme, true, key);
            let start = window * 1_000;
            assert_eq!(cell(key(start, 0)), cell(key(start + window - 1, u32::MAX)));
            assert_ne!(cell(key(start, 7)), cell(key(start + window, 7)));
            assert_ne!(cell(key(start, 7)), cell(key(start - 1, 7)));
        }
    }

    #[test]
    fn an_id_is_found_again_from_its_time_order() {
        let stamp = Stamp::new(Tick::from_unix_nanos(1 << 60), Seq::MAX);
        let id = Guid::new(Drift::D5, NodeId::new(77), stamp);
        for scheme in [Scheme::Guid96(Drift::D5), Scheme::Mixed, Scheme::Bump(Drift::D5)] {
            assert_eq!(id_of_time(scheme, time_key(id), Drift::D5), id.to_u128());
        }
        let said = says(Scheme::Mixed, id.to_u128());
        assert_eq!(said.node, Some(NodeId::new(77)));
        assert_eq!((said.ns, said.sequence), (Some(id.unix_nanos()), Some(16_383)));
    }
}
