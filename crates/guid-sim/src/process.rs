//! [`Process`]: the code of a node, and [`Ctx`]: all it can see and do.
//!
//! A process sees its local clock, never true time, and draws from its own stream of randomness.
//! What it persists survives a crash; the process itself does not: it is dropped, and a new one is
//! made at restart.

use std::{any::Any, fmt, rc::Rc};

use guid_crdt::{Dot, VectorClock};

use crate::{LocalClock, Memory, NodeIndex, Rng, world::Core};

/// The code that runs on one node.
///
/// # Examples
///
/// Two nodes pass a ball until it has crossed ten times.
///
/// ```
/// use guid_sim::{Ctx, NodeIndex, Process, WorldConfig, simulate};
///
/// struct Player;
///
/// impl Process for Player {
///     type Message = u32;
///
///     fn on_start(&mut self, ctx: &mut Ctx<'_, u32>) {
///         if ctx.id() == NodeIndex::new(0) {
///             ctx.send(NodeIndex::new(1), 1);
///         }
///     }
///
///     fn on_message(&mut self, ctx: &mut Ctx<'_, u32>, from: NodeIndex, crossings: u32) {
///         if crossings < 10 {
///             ctx.send(from, crossings + 1);
///         }
///     }
/// }
///
/// let report = simulate(WorldConfig::new(2, 42), |_| Player)?;
/// assert_eq!(report.events, 20); // ten sends, ten receives
/// # Ok::<(), guid_sim::RunError>(())
/// ```
pub trait Process {
    /// What nodes send to each other.
    type Message: Clone + fmt::Debug;

    /// The node starts, for the first time.
    fn on_start(&mut self, ctx: &mut Ctx<'_, Self::Message>) {
        let _: &Ctx<'_, Self::Message> = ctx;
    }

    /// A message arrived.
    fn on_message(
        &mut self,
        ctx: &mut Ctx<'_, Self::Message>,
        from: NodeIndex,
        message: Self::Message,
    );

    /// A timer set by [`Ctx::set_timer`] fired.
    fn on_timer(&mut self, ctx: &mut Ctx<'_, Self::Message>, timer: u64) {
        let _: (&Ctx<'_, Self::Message>, u64) = (ctx, timer);
    }

    /// The node is about to crash: a last look at the process before it is dropped. It can do
    /// nothing any more.
    fn on_crash(&mut self) {}

    /// The node came back, as a new process; what the old one persisted is in [`Ctx::persisted`]
    /// and [`Ctx::stored`].
    /// Starts afresh unless told otherwise.
    fn on_restart(&mut self, ctx: &mut Ctx<'_, Self::Message>) {
        self.on_start(ctx);
    }
}

/// What a process can see and do while it handles something.
pub struct Ctx<'a, M> {
    pub(crate) core: &'a mut Core<M>,
    pub(crate) node: NodeIndex,
}

impl<M> fmt::Debug for Ctx<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx").field("node", &self.node).finish_non_exhaustive()
    }
}

impl<M: Clone> Ctx<'_, M> {
    /// Which node this is.
    pub fn id(&self) -> NodeIndex {
        self.node
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.core.node_count()
    }

    /// What the node's clock reads, in Unix nanoseconds.
    pub fn now_local(&self) -> u64 {
        self.core.local_ns(self.node)
    }

    /// The node's clock as something a generator or a replica can own.
    pub fn clock(&self) -> LocalClock {
        self.core.local_clock(self.node)
    }

    /// The node's stream of randomness.
    pub fn rng(&mut self) -> &mut Rng {
        self.core.workload_rng(self.node)
    }

    /// A node fraction for this incarnation of the node: nobody else has it, and a restart brings a
    /// new one, as a process that remembers nothing must have.
    pub fn node_id(&self) -> guid_core::NodeId {
        self.core.node_id(self.node)
    }

    /// All other nodes.
    pub fn others(&self) -> impl Iterator<Item = NodeIndex> + use<M> {
        let own = self.node;
        NodeIndex::first(self.nodes()).filter(move |&node| node != own)
    }

    /// Another node, drawn at random; itself if it is alone.
    pub fn random_other(&mut self) -> NodeIndex {
        let others = u64::from(self.nodes()) - 1;
        if others == 0 {
            return self.node;
        }
        let own = u64::from(self.node.as_u32());
        let drawn = self.rng().below(others);
        NodeIndex::new(u32::try_from(drawn + u64::from(drawn >= own)).unwrap_or_default())
    }

    /// Sends a message: an event, which bears IDs.
    pub fn send(&mut self, to: NodeIndex, message: M) {
        self.core.send(self.node, to, message);
    }

    /// Asks for `on_timer(timer)` after `local_ns` of the node's monotonic clock: its rate error
    /// counts, its steps do not. A crash forgets it.
    pub fn set_timer(&mut self, local_ns: u64, timer: u64) {
        self.core.set_timer(self.node, local_ns, timer);
    }

    /// Records an event of the node's own, which bears IDs.
    pub fn mint(&mut self) {
        self.core.mint(self.node);
    }

    /// Records a write to a register, which bears IDs. `overwrite` says that the writer had seen a
    /// value there.
    pub fn write(&mut self, register: u64, overwrite: Overwrite) {
        self.core.write(self.node, register, overwrite == Overwrite::Seen);
    }

    /// Reports the state of a replica: a digest of *what it has received* and one of *what it
    /// shows*. Replicas that received the same must show the same, at every event.
    pub fn replica_state(&mut self, received: u128, shown: u128) {
        self.core.replica_state(self.node, received, shown);
    }

    /// Adds to a count of the run that is reported by name.
    pub fn count(&mut self, name: &'static str, by: u64) {
        self.core.count(self.node, name, by);
    }

    /// Raises a maximum of the run that is reported by name.
    pub fn record_max(&mut self, name: &'static str, value: u64) {
        self.core.record_max(self.node, name, value);
    }

    /// Tells what a client did at the replica of this node, for the session guarantees: read your
    /// writes, monotonic reads, monotonic writes, writes follow reads.
    pub fn session(&mut self, client: u64, op: SessionOp<'_>) {
        self.core.session(self.node, client, op);
    }

    /// Claims that something of your own holds, here and now: a check of the run by this name,
    /// which is violated if it ever does not. The witness shows where it held last and where no
    /// longer.
    pub fn claim(&mut self, name: &'static str, holds: bool) {
        self.core.claim(self.node, name, holds);
    }

    /// Stores bytes that survive a crash, in place of those stored before.
    pub fn persist(&mut self, bytes: Vec<u8>) {
        self.core.persist(self.node, bytes);
    }

    /// What was persisted last.
    pub fn persisted(&self) -> Option<&[u8]> {
        self.core.persisted(self.node)
    }

    /// Stores a value that survives a crash as it is, beside the bytes, in place of the one stored
    /// before: what a process does that writes it out, without the form of the bytes.
    pub fn store<T: Any>(&mut self, value: T) {
        self.core.store(self.node, Rc::new(value));
    }

    /// The value that was stored last, if it is of this type.
    pub fn stored<T: Any>(&self) -> Option<&T> {
        self.core.stored(self.node)?.downcast_ref()
    }

    /// How whoever makes IDs in this world comes back.
    pub fn memory(&self) -> Memory {
        self.core.memory()
    }

    /// The replica of this node made a write under this dot and acknowledged it, on a state that
    /// had taken in all this. Checked where a node came back, or was copied: it knows all that was
    /// written under its node ID (`one-writer`); and counted in the end: acknowledged writes that
    /// no replica has any more (`writes-lost`).
    pub fn wrote(&mut self, dot: Dot, seen: &VectorClock) {
        self.core.wrote(self.node, dot, seen);
    }

    /// What the replica of this node has taken in by now, and would find again after a crash.
    pub fn holds(&mut self, seen: VectorClock) {
        self.core.holds(self.node, seen);
    }

    pub(crate) fn since_start_ns(&self) -> u64 {
        self.core.since_start_ns()
    }
}

/// Whether the writer of a register had seen a value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "seen or not: there is no third")]
pub enum Overwrite {
    /// The register was fresh to the writer.
    Fresh,
    /// The writer saw the value that it replaces.
    Seen,
}

/// What a client does at a replica.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a client reads or writes")]
pub enum SessionOp<'a> {
    /// It reads.
    Read {
        /// All writes that the replica has taken in.
        seen: &'a VectorClock,
    },
    /// It writes.
    Write {
        /// All writes that the replica had taken in before.
        seen: &'a VectorClock,
        /// The write.
        dot: Dot,
    },
}
