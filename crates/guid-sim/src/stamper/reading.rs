//! IDs read back from their texts: keys that compare as the IDs of a scheme do.

use guid_core::{Guid, LocalId, NodeId, ParseError};

use super::{
    Snowflake, Stamped, TIME_KEY_TAIL, hlc_key, milliseconds, one_order, time_key, two_orders,
};
use crate::{NodeIndex, Scheme};

/// Reads an ID of a scheme, as its node wrote it: the key, and who made it.
pub(crate) fn read_id(
    scheme: Scheme,
    text: &str,
    node: NodeIndex,
) -> Result<(Stamped, NodeId), String> {
    let own = NodeId::new(node.as_u32());
    let wrong = || format!("found {text:?}, expected an ID of {scheme}");
    match scheme {
        Scheme::Mixed => {
            let id = global(text)?;
            Ok((two_orders(id), id.node()))
        }
        Scheme::Guid96(drift) | Scheme::Upstream(drift) | Scheme::Bump(drift) => {
            let id = global(text)?;
            if id.drift() != drift {
                let (found, expected) = (id.drift().code(), drift.code());
                return Err(format!("found an ID of drift code {found}, expected {expected}"));
            }
            Ok((two_orders(id), id.node()))
        }
        Scheme::Guid64 => {
            let id = local(text)?;
            // A local names no node: that of its line stands in.
            let id = Guid::new(id.drift(), own, id.stamp());
            Ok((one_order(time_key(id), id.unix_nanos(), TIME_KEY_TAIL), own))
        }
        Scheme::Vector => {
            let id = global(text)?;
            Ok((one_order(time_key(id), id.unix_nanos(), 0), id.node()))
        }
        Scheme::Snowflake => {
            let id: u64 = text.parse().map_err(|_| wrong())?;
            Ok((one_order(id.into(), Snowflake::ns(id), Snowflake::TAIL), own))
        }
        Scheme::Ulid => {
            let key = milliseconds::read_ulid(text).ok_or_else(wrong)?;
            Ok((one_order(key, milliseconds::ns_of(key), milliseconds::RANDOM_BITS), own))
        }
        Scheme::Uuid7 => {
            let key = milliseconds::read_uuid7(text).ok_or_else(wrong)?;
            Ok((one_order(key, milliseconds::ns_of(key), milliseconds::RANDOM_BITS), own))
        }
        Scheme::Counter | Scheme::Hlc | Scheme::Lamport => logical(scheme, text).ok_or_else(wrong),
    }
}

/// `node:count`, `count:node` and `ns.count:node`, as [`id_text`](super::id_text) writes them.
fn logical(scheme: Scheme, text: &str) -> Option<(Stamped, NodeId)> {
    let (left, right) = text.split_once(':')?;
    let node = |text: &str| u32::from_str_radix(text, 16).ok().map(NodeId::new);
    Some(match scheme {
        Scheme::Counter => {
            let (node, count) = (node(left)?, right.parse::<u64>().ok()?);
            (one_order(u128::from(node.as_u32()) << 64 | u128::from(count), 0, 0), node)
        }
        Scheme::Lamport => {
            let (count, node) = (left.parse::<u64>().ok()?, node(right)?);
            (one_order(u128::from(count) << 32 | u128::from(node.as_u32()), 0, 0), node)
        }
        _ => {
            let (ns, count) = left.split_once('.')?;
            let (ns, count) = (ns.parse().ok()?, count.parse().ok()?);
            let node = node(right)?;
            (one_order(hlc_key(ns, count, node), ns, 64), node)
        }
    })
}

/// The scheme that the form of a text tells; `None` for a text of no known form.
pub(crate) fn recognize(text: &str) -> Option<Scheme> {
    match text.len() {
        26 if milliseconds::read_ulid(text).is_some() => Some(Scheme::Ulid),
        36 if milliseconds::read_uuid7(text).is_some() => Some(Scheme::Uuid7),
        20 if text.bytes().all(|byte| byte.is_ascii_digit()) => None,
        16 | 17 | 20 | 24 | 36 if global(text).is_ok() => {
            global(text).ok().map(|id| Scheme::Guid96(id.drift()))
        }
        11 | 13 | 17 if local(text).is_ok() => Some(Scheme::Guid64),
        _ => None,
    }
}

fn told(error: ParseError) -> String {
    error.to_string()
}

/// A global in the form that its length tells.
fn global(text: &str) -> Result<Guid, String> {
    match text.len() {
        16 => text.parse().map_err(told),
        17 => Guid::from_base62_padded(text).map_err(told),
        20 => Guid::from_base32(text).map_err(told),
        24 => Guid::from_hex(text).map_err(told),
        36 => Guid::from_uuid(text).map_err(told),
        length => Err(format!(
            "found {length} bytes of text, expected 16, 17, 20, 24 or 36 of a global ID"
        )),
    }
}

/// A local in the form that its length tells.
fn local(text: &str) -> Result<LocalId, String> {
    match text.len() {
        17 => LocalId::from_starred(text).map_err(told),
        16 => text.parse().map_err(told),
        13 => LocalId::from_base32(text).map_err(told),
        11 => LocalId::from_base62_padded(text).map_err(told),
        length => Err(format!(
            "found {length} bytes of text, expected 16, 13, 11 or `*` and 16 of a local ID"
        )),
    }
}

#[cfg(test)]
mod tests {
    use guid_core::{Clock, Stamp};

    use super::{super::id_text, *};
    use crate::{
        LocalClock, Observe, Purpose, Streams,
        stamper::{Setup, Stamper},
    };

    #[test]
    fn what_a_scheme_writes_is_read_back() {
        let schemes = "counter guid64 guid96:d1 hlc lamport snowflake ulid upstream uuid7 vector";
        for scheme in schemes.split(' ').map(|name| name.parse::<Scheme>().unwrap()) {
            let clock = LocalClock::default();
            clock.set(1_767_225_600_123_456_789);
            assert!(clock.unix_nanos() > 0);
            let (node, machine) = (NodeId::new(3), NodeIndex::new(3));
            let random = Streams::new(1).of_world(Purpose::RandomIds);
            let setup = Setup { node, machine, clock, sequence: Stamp::MIN, random: random.into() };
            let mut stamper = Stamper::new(scheme, &setup, Observe::Follow);
            for _ in 0..100 {
                let stamped = stamper.stamp();
                let text = id_text(scheme, stamped.k);
                let (read, by) = read_id(scheme, &text, machine).unwrap();
                assert_eq!((read.time >> 96, read.ns), (stamped.time >> 96, stamped.ns), "{text}");
                assert_eq!(by, node);
                // Six of the random bits of a UUIDv7 do not stand in it.
                assert!(read.k == stamped.k || scheme == Scheme::Uuid7, "{text}");
                assert_eq!(id_text(scheme, read.k), text);
            }
        }
    }

    #[test]
    fn texts_of_other_kinds_are_refused() {
        for scheme in ["counter", "guid64", "guid96:d3", "hlc", "snowflake", "ulid", "uuid7"] {
            let scheme: Scheme = scheme.parse().unwrap();
            for text in ["", ":", "é", "1.2.3:4", "-1", "zzzzzzzzzzzzzzzzzzzzzzzzzz", "a:b:c"] {
                assert!(read_id(scheme, text, NodeIndex::new(0)).is_err(), "{scheme} {text}");
            }
        }
    }
}
