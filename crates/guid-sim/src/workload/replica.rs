//! The replica of a node that starts, or comes back with what it had stored.

use std::time::Duration;

use guid_crdt::{Replica, Replicated, Saved};

use crate::{Ctx, LocalClock, Memory};

/// Returns the replica of a node. With nothing stored it is empty, under a node ID that nobody
/// has borne; with something it goes on from there, under the same ID unless this world takes a new
/// one at every restart.
pub(super) fn begin<T: Replicated, M: Clone>(
    ctx: &Ctx<'_, M>,
    stored: Option<Saved<T>>,
) -> Replica<T, LocalClock> {
    let replica = match stored {
        None => Replica::new(ctx.node_id(), ctx.clock()),
        Some(saved) if ctx.memory() == Memory::FreshNode => {
            Replica::restore(saved, ctx.clock()).renew(ctx.node_id(), ctx.clock())
        }
        Some(saved) => Replica::restore(saved, ctx.clock()),
    };
    replica.with_max_ahead(Duration::MAX)
}
