//! Showing a plan to the checkers: no process, no network, no randomness.

use std::{collections::BTreeMap, io, io::Write};

use super::{Plan, Planned, Step, What};
use crate::{
    Event, EventKind, LocalClock, NodeIndex, Number, Report, SessionOp, WorldConfig,
    recorder::{Load, Recorder},
    stamper::{RandomBits, Setup},
    verdict,
};

/// A step as it was replayed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played<'a> {
    pub(crate) step: &'a Step,
    /// The number of its event; of a step that is none, that of the event before.
    pub(crate) number: u64,
    /// The ID that each scheme gave it, if it bears IDs; of many the last.
    pub(crate) keys: &'a [u128],
}

/// Replays a plan; `each` is told of every step.
pub(crate) fn replay(plan: &Plan, each: &mut dyn FnMut(Played<'_>)) -> Report {
    let mut player = Player::new(plan, None);
    player.play(each)
}

/// The same, with a trace.
pub(crate) fn replay_traced(
    plan: &Plan,
    trace: Option<Box<dyn Write>>,
    each: &mut dyn FnMut(Played<'_>),
) -> io::Result<Report> {
    let mut player = Player::new(plan, trace);
    let report = player.play(each);
    player.recorder.finish_trace()?;
    Ok(report)
}

struct Player<'a> {
    plan: &'a Plan,
    recorder: Recorder,
    clocks: Vec<LocalClock>,
    incarnations: Vec<u32>,
    under_way: BTreeMap<u64, UnderWay>,
}

/// A message that is received so many times from here on.
#[derive(Debug)]
struct UnderWay {
    from: NodeIndex,
    load: Option<Load>,
    left: u64,
}

impl UnderWay {
    const UNSENT: Self = Self { from: NodeIndex::new(0), load: None, left: 0 };
}

impl<'a> Player<'a> {
    fn new(plan: &'a Plan, trace: Option<Box<dyn Write>>) -> Self {
        let clocks: Vec<LocalClock> = plan.nodes.iter().map(|_| LocalClock::default()).collect();
        let setup = |(planned, clock): (&Planned, &LocalClock)| {
            let Planned { id: node, sequence, machine } = *planned;
            let random = RandomBits::Given(0);
            Setup { node, machine, clock: clock.clone(), sequence, random }
        };
        let setups: Vec<Setup> = plan.nodes.iter().zip(&clocks).map(setup).collect();
        let mut under_way: BTreeMap<u64, UnderWay> = BTreeMap::new();
        for step in &plan.steps {
            if let What::Receive { message } = step.what {
                under_way.entry(message).or_insert(UnderWay::UNSENT).left += 1;
            }
        }
        Self {
            plan,
            recorder: Recorder::new(&mut WorldConfig { trace, ..plan.config() }, &setups),
            incarnations: vec![1; clocks.len()],
            clocks,
            under_way,
        }
    }

    fn play(&mut self, each: &mut dyn FnMut(Played<'_>)) -> Report {
        for step in &self.plan.steps {
            self.step(step);
            let keys = if step.what.is_stamped() { &self.recorder.keys[..] } else { &[] };
            each(Played { step, number: self.recorder.events, keys });
        }
        let mut report = verdict::report(&self.plan.config(), &self.recorder);
        // Closed forms of rates are about the run that the plan comes from, not about what is left.
        for check in &mut report.checks {
            if matches!(check.name.as_str(), "unique" | "monotone") {
                (check.expected, check.z) = (Some(Number(0.0)), None);
            }
        }
        report
    }

    fn step(&mut self, step: &Step) {
        let node = step.node;
        self.clocks[node.at()].set(self.plan.local_ns(step));
        match &step.what {
            What::Mint { times } => self.mint(step, *times),
            &What::Write { register, overwrite } => {
                self.stamped(step, EventKind::Write { register, overwrite });
            }
            &What::Send { message, to } => self.send(step, message, to),
            &What::Receive { message } => self.receive(step, message),
            What::Crash => {
                self.event(step, EventKind::Crash, None);
                self.incarnations[node.at()] += 1;
            }
            &What::Restart { storage, fresh, sequence } => {
                self.event(step, EventKind::Restart, None);
                self.recorder.restart(node, fresh, sequence, storage);
            }
            What::Snapshot => self.recorder.snapshot(&self.here(step)),
            &What::Join { reuse } => {
                self.event(step, EventKind::Join, None);
                if let Some(of) = reuse {
                    self.recorder.reuse(node, of);
                }
            }
            &What::Clone { of } => {
                self.event(step, EventKind::Clone, None);
                self.recorder.clone_node(node, of);
            }
            &What::Aside(kind) => self.event(step, kind, None),
            told => self.told(step, told),
        }
    }

    /// What a process says, beside events.
    fn told(&mut self, step: &Step, what: &What) {
        let here = self.here(step);
        let recorder = &mut self.recorder;
        match what {
            What::Claim { name, holds } => recorder.claim(here, name.clone(), *holds),
            What::Read { client, seen } => {
                recorder.session(here, *client, SessionOp::Read { seen });
            }
            What::Update { client, seen, dot } => {
                recorder.session(here, *client, SessionOp::Write { seen, dot: *dot });
            }
            What::State { received, shown } => recorder.replica_state(&here, *received, *shown),
            What::Count { name, by } => recorder.count(&here, name.clone(), *by),
            What::Most { name, value } => recorder.record_max(&here, name.clone(), *value),
            _ => {}
        }
    }

    fn mint(&mut self, step: &Step, times: u64) {
        for made in 0..times {
            self.give(step, made.into());
            self.event(step, EventKind::Mint, None);
        }
    }

    fn stamped(&mut self, step: &Step, kind: EventKind) {
        self.give(step, 0);
        self.event(step, kind, None);
    }

    fn send(&mut self, step: &Step, message: u64, to: NodeIndex) {
        self.stamped(step, EventKind::Send { message, to });
        if let Some(under_way) = self.under_way.get_mut(&message) {
            (under_way.from, under_way.load) = (step.node, Some(self.recorder.load()));
        }
    }

    fn receive(&mut self, step: &Step, message: u64) {
        let under_way = self.under_way.remove(&message).unwrap_or(UnderWay::UNSENT);
        self.give(step, 0);
        let kind = EventKind::Receive { message, from: under_way.from };
        self.event(step, kind, under_way.load.as_ref());
        match under_way {
            UnderWay { left: 2.., .. } => {
                let left = under_way.left - 1;
                self.under_way.insert(message, UnderWay { left, ..under_way });
            }
            UnderWay { load: Some(load), .. } => self.recorder.unload(load),
            UnderWay { .. } => {}
        }
    }

    /// The random bits of the IDs that the step is about to be given.
    fn give(&mut self, step: &Step, add: u128) {
        for &(scheme, bits) in &step.random {
            let of_scheme = |lane: &&mut crate::lane::Lane| lane.scheme == scheme;
            if let Some(lane) = self.recorder.lanes.iter_mut().find(of_scheme) {
                lane.give(step.node, bits.wrapping_add(add));
            }
        }
    }

    fn event(&mut self, step: &Step, kind: EventKind, received: Option<&Load>) {
        let event = Event { kind, ..self.here(step) };
        self.recorder.event(event, received);
    }

    /// The latest event, as seen from the step's node.
    fn here(&self, step: &Step) -> Event {
        Event {
            number: self.recorder.events,
            node: step.node,
            incarnation: self.incarnations[step.node.at()],
            true_ns: self.plan.true_ns(step),
            local_ns: self.plan.local_ns(step),
            kind: EventKind::Mint,
        }
    }
}
