//! Faults as they happen.

use super::{Core, Due, World, clocks::Strobe, node::Stable};
use crate::{
    EventKind, Fault, NodeIndex, PausedClock, Process, ScheduledFault, network::Cut,
    recorder::Storage,
};

/// The nodes that a fault starts: they do not start at the beginning.
pub(super) fn late_starters(faults: &[ScheduledFault]) -> Vec<NodeIndex> {
    let starts = faults.iter().filter(|due| due.fault.is_first_start());
    starts.filter_map(|due| due.fault.node()).collect()
}

impl<P: Process, F: FnMut(NodeIndex) -> P> World<P, F> {
    pub(super) fn fault(&mut self, fault: &Fault) {
        match *fault {
            Fault::Clone { node, of } => self.start_clone(node, of),
            Fault::Crash { node } => self.crash(node),
            Fault::Join { node, reuse } => self.join(node, reuse),
            Fault::Restart { node } => self.restart(node, Storage::Kept),
            Fault::RestartEmpty { node } => self.restart(node, Storage::Lost),
            Fault::RestartStale { node } => self.restart(node, Storage::Snapshot),
            _ => self.core.fault(fault),
        }
    }

    fn crash(&mut self, node: NodeIndex) {
        if let Some(mut process) = self.processes[node.at()].take() {
            process.on_crash();
            self.core.nodes[node.at()].up = false;
            self.core.record(node, EventKind::Crash, None);
            // Timers of the dead incarnation match nobody from here on.
            self.core.nodes[node.at()].incarnation += 1;
        }
    }

    fn restart(&mut self, node: NodeIndex, storage: Storage) {
        if self.processes[node.at()].is_none() {
            let of = &mut self.core.nodes[node.at()];
            match storage {
                Storage::Kept => {}
                Storage::Lost => of.stable = Stable::default(),
                Storage::Snapshot => of.stable.clone_from(&of.snapshot),
            }
            self.boot(node);
            self.core.record(node, EventKind::Restart, None);
            let (fresh, sequence) = self.core.identities.fresh();
            self.core.recorder.restart(node, fresh, sequence, storage);
            self.core.writers.restart(node, storage);
            self.call(node, P::on_restart);
        }
    }

    fn join(&mut self, node: NodeIndex, reuse: Option<NodeIndex>) {
        if self.processes[node.at()].is_none() {
            self.core.record(node, EventKind::Join, None);
            if let Some(of) = reuse {
                self.core.recorder.reuse(node, of);
            }
            self.start(node);
        }
    }

    fn start_clone(&mut self, node: NodeIndex, of: NodeIndex) {
        if self.processes[node.at()].is_none() {
            self.core.record(node, EventKind::Clone, None);
            self.core.recorder.clone_node(node, of);
            self.core.writers.copy(node, of);
            self.core.nodes[node.at()].stable = self.core.nodes[of.at()].stable.clone();
            self.boot(node);
            self.call(node, P::on_restart);
        }
    }
}

impl<M> Core<M> {
    /// A fault that stops and starts nobody.
    fn fault(&mut self, fault: &Fault) {
        let (now, nodes) = (self.now, self.node_count());
        match *fault {
            Fault::ClockFreeze { node, for_ns } => {
                self.record(node, EventKind::ClockFault { by_ns: 0 }, None);
                self.freeze(node, for_ns);
            }
            Fault::ClockRate { node, ppb } => {
                self.record(node, EventKind::ClockFault { by_ns: 0 }, None);
                self.set_crystal(node, ppb);
            }
            Fault::ClockSlew { node, by_ns, ppb } => {
                self.record(node, EventKind::ClockFault { by_ns: 0 }, None);
                self.slew(node, by_ns, ppb);
            }
            Fault::ClockStep { node, by_ns } => {
                self.nodes[node.at()].clock.step(now, by_ns);
                self.record(node, EventKind::ClockFault { by_ns }, None);
            }
            Fault::ClockStrobe { node, by_ns, every_ns, for_ns } => {
                let (every_ns, until) = (every_ns.max(1), now.saturating_add(for_ns));
                self.strobe(Strobe { node, by_ns, every_ns, until, away: false });
            }
            Fault::Pause { node, for_ns, clock } => self.pause(node, for_ns, clock),
            Fault::Partition { ref groups } => self.cut(Cut::groups(nodes, groups)),
            Fault::Bridge { node, ref side } => self.cut(Cut::bridge(nodes, node, side)),
            Fault::OneWay { ref from, ref to } => self.cut(Cut::one_way(nodes, from, to)),
            Fault::Ring => self.cut(Cut::Ring(nodes)),
            Fault::Heal => {
                self.record(NodeIndex::new(0), EventKind::Heal, None);
                self.network.heal();
            }
            Fault::Hold { node } => self.hold(node),
            Fault::Release => self.release(),
            Fault::Snapshot { node } => {
                let of = &mut self.nodes[node.at()];
                of.snapshot.clone_from(&of.stable);
                let here = self.here(node);
                self.recorder.snapshot(&here);
                self.writers.snapshot(node);
            }
            // These stop or start somebody: the world does them.
            Fault::Clone { .. }
            | Fault::Crash { .. }
            | Fault::Join { .. }
            | Fault::Restart { .. }
            | Fault::RestartEmpty { .. }
            | Fault::RestartStale { .. } => {}
        }
    }

    fn cut(&mut self, cut: Cut) {
        self.record(NodeIndex::new(0), EventKind::Partition, None);
        self.network.cut(cut);
    }

    fn pause(&mut self, node: NodeIndex, for_ns: u64, clock: PausedClock) {
        self.record(node, EventKind::Pause, None);
        let until = self.now.saturating_add(for_ns);
        let of = &mut self.nodes[node.at()];
        of.paused_until = of.paused_until.max(until);
        if clock == PausedClock::Stops {
            self.freeze(node, for_ns);
        }
        self.queue.push(until, Due::Resume(node));
    }

    pub(super) fn is_paused(&self, node: NodeIndex) -> bool {
        self.nodes[node.at()].paused_until > self.now
    }

    /// Whether a node does anything now: it is up and not suspended.
    pub(super) fn runs(&self, node: NodeIndex) -> bool {
        self.nodes[node.at()].up && !self.is_paused(node)
    }

    /// Another pause may have begun meanwhile.
    pub(super) fn resume(&mut self, node: NodeIndex) {
        if !self.is_paused(node) {
            self.record(node, EventKind::Resume, None);
        }
    }

    fn hold(&mut self, node: Option<NodeIndex>) {
        self.record(node.unwrap_or(NodeIndex::new(0)), EventKind::Hold, None);
        match node {
            Some(node) => self.held_back[node.at()] = true,
            None => self.held_back.fill(true),
        }
    }

    /// What was held back arrives now, in the order in which it would have.
    fn release(&mut self) {
        self.record(NodeIndex::new(0), EventKind::Release, None);
        self.held_back.fill(false);
        for envelope in std::mem::take(&mut self.held) {
            self.queue.push(self.now, Due::Deliver(envelope));
        }
    }
}
