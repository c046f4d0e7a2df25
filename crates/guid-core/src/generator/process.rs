//! The generator of the whole process, for those who need no more than an ID.
//!
//! # The idea
//!
//! The node is random, drawn when the first ID is made. With the feature `fork`, a child that was
//! forked off draws another when it makes its first: the nodes of a process and its ancestors form
//! a list, and the last one is the process's own.
//!
//! Where the sequence starts is drawn too. Many processes make one ID and end; if all of them
//! began at the same sequence, two with equal nodes would need no more than an equal tick to make
//! one ID twice. So they need an equal sequence as well, one in 16,384.
//!
//! # Invariants
//!
//! * No call waits for another, also not in a child that was forked off while one of the parent's
//!   other threads drew the node, and so will never see that draw finished: who finds a draw
//!   under way gives its one ID a node of its own.
//! * The stamps increase over forks: the child goes on where the parent was.

use core::sync::atomic::{AtomicBool, Ordering};
use std::{io, sync::OnceLock};

use super::{
    fork::ForkGuard,
    rule::{Gap, next_run},
    word::Word,
};
use crate::{Clock, Drift, Guid, NodeId, Seq, Stamp, SystemClock};

static WORD: Word = Word::new(0, Gap { after: 0, upto: 0 });
static FIRST: Slot = Slot::new();

/// A process that drew a node, and its child if it was forked.
struct Process {
    node: NodeId,
    fork: ForkGuard,
    child: Slot,
}

/// Room for a process. The claim says whose draw is put in, so that nobody waits for it.
struct Slot {
    claimed: AtomicBool,
    process: OnceLock<Box<Process>>,
}

impl Slot {
    const fn new() -> Self {
        Self { claimed: AtomicBool::new(false), process: OnceLock::new() }
    }

    /// Draws a node, and where the sequence starts. The first to do so draws the node for all,
    /// everyone else for one ID.
    #[cold]
    fn draw(&self) -> io::Result<NodeId> {
        let node = NodeId::random()?;
        // A stamp of the first tick is no obstacle to any clock, and none to what was made before.
        WORD.jump(random_seq()?.as_u16().into());
        if !self.claimed.swap(true, Ordering::AcqRel) {
            let process = Process { node, fork: ForkGuard::new(), child: Self::new() };
            // It is empty: the claim was ours.
            self.process.set(Box::new(process)).ok();
        }
        Ok(node)
    }
}

/// The lowest bits of what is a node elsewhere.
fn random_seq() -> io::Result<Seq> {
    NodeId::random().map(|random| Stamp::from_masked(random.as_u32().into()).seq())
}

/// The node of this process.
fn node() -> io::Result<NodeId> {
    let mut slot = &FIRST;
    loop {
        match slot.process.get() {
            None => return slot.draw(),
            Some(process) if process.fork.forked() => slot = &process.child,
            Some(process) => return Ok(process.node),
        }
    }
}

/// Returns the next ID of this process: strict and lock-free, at the default drift, on the system
/// clock, under a node drawn at random when the first one is made.
///
/// With the feature `fork`, a forked child takes a node of its own (not after a bare `clone` system
/// call, nor in a signal handler that forks). Without it, parent and child make the same IDs.
///
/// Up to a thousand processes or so may rely on random nodes: see [`NodeId`] for the odds.
///
/// # Panics
///
/// The operating system has no randomness to give ([`try_guid`] says so instead); after the last
/// stamp, in 2554.
///
/// # Examples
///
/// ```
/// let (a, b) = (guid_core::guid(), guid_core::guid());
/// assert!(a < b);
/// ```
pub fn guid() -> Guid {
    try_guid().expect("the operating system gives randomness for a node")
}

/// Returns the next ID of this process: see [`guid`].
///
/// # Errors
///
/// The operating system has no randomness to give. Once a process has its node, it never fails.
///
/// # Panics
///
/// After the last stamp, in 2554.
///
/// # Examples
///
/// ```
/// let id = guid_core::try_guid()?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn try_guid() -> io::Result<Guid> {
    let node = node()?;
    let now = SystemClock::new().unix_nanos();
    let run = WORD.advance(|last| next_run(last, now, 1).ok_or(()));
    Ok(Guid::new(Drift::D3, node, run.expect("time ends in 2554").first()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a child finds it whose parent was about to put its node in: claimed and empty for ever.
    #[test]
    fn an_unfinished_draw_costs_a_node_for_each_id_and_no_waiting() {
        let slot = Slot { claimed: AtomicBool::new(true), process: OnceLock::new() };
        let nodes = [(); 4].map(|()| slot.draw().unwrap());
        assert!(nodes.iter().any(|node| *node != nodes[0]), "four equal draws: 1 in 2^96");
        assert!(slot.process.get().is_none());
    }

    /// Whatever other tests made, the sequence of the last stamp is beyond the first one.
    #[test]
    fn a_draw_moves_the_sequence_from_its_beginning() {
        let starts = [(); 4].map(|()| random_seq().unwrap());
        assert!(starts.iter().any(|seq| *seq != starts[0]), "four equal draws: 1 in 2^42");
        let starts = [(); 4].map(|()| {
            Slot::new().draw().unwrap();
            WORD.last()
        });
        assert_ne!(starts, [0; 4], "zero four times: 1 in 2^56");
    }

    #[test]
    fn the_first_draw_is_for_all() {
        let slot = Slot::new();
        let node = slot.draw().unwrap();
        slot.draw().unwrap();
        assert_eq!(slot.process.get().map(|process| process.node), Some(node));
    }
}
