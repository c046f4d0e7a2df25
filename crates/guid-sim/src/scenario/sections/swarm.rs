//! `[swarm]`: a mix of faults that each seed draws for itself.
//!
//! A seed switches each kind on or off by the toss of a coin, and then draws how many there are,
//! when, where and how strong. A mix that leaves some kinds out reaches states that a mix of all
//! never does.
//!
//! # References
//!
//! Groce, Zhang, Eide, Chen, Regehr, "Swarm Testing", ISSTA 2012.

use super::{ScenarioError, Section, hint};
use crate::{Fault, NodeIndex, PausedClock, Purpose, Rng, ScheduledFault, Streams, units};

/// Which faults there may be.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct Swarm {
    kinds: Vec<Kind>,
    /// How many of each kind, at most.
    most: u64,
    /// How long a partition, a pause or an outage lasts, at most.
    longest_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    ClockStep,
    ClockStrobe,
    Crash,
    Partition,
    Pause,
}

const KINDS: [(&str, Kind); 5] = [
    ("clock-step", Kind::ClockStep),
    ("clock-strobe", Kind::ClockStrobe),
    ("crash", Kind::Crash),
    ("partition", Kind::Partition),
    ("pause", Kind::Pause),
];

/// The most of each kind that a scenario may ask for.
const MOST: u64 = 1_000;

pub(super) fn read(mut section: Section<'_>) -> Result<Option<Swarm>, ScenarioError> {
    let kinds = section.list("kinds", |text| {
        let known = KINDS.into_iter().find(|&(name, _)| name == text);
        known
            .map(|(_, kind)| kind)
            .ok_or_else(|| format!("found `{text}`{}", hint(text, &KINDS.map(|(name, _)| name))))
    })?;
    let most = section.get("most", super::number::<u64>)?.unwrap_or(3);
    if most == 0 || most > MOST {
        return Err(section.wrong("most", &format!("found {most}, expected 1 to {MOST}")));
    }
    let longest_ns = section.get("longest", units::ns)?.unwrap_or(10_000_000_000).max(1);
    let lacks = kinds.is_none() && section.is_there();
    let lacking = section.wrong("kinds", "expected a list of kinds of faults");
    section.finish()?;
    if lacks {
        return Err(lacking);
    }
    Ok(kinds.map(|kinds| Swarm { kinds, most, longest_ns }))
}

impl Swarm {
    /// The faults of a seed among `nodes`, all of them over after so long: healed, up again, awake.
    /// (A clock that was stepped stays where it is.)
    pub(in crate::scenario) fn faults(
        &self,
        seed: u64,
        nodes: u32,
        duration_ns: u64,
    ) -> Vec<ScheduledFault> {
        let mut rng = Streams::new(seed).of_world(Purpose::Faults);
        let mut faults = Vec::new();
        for &kind in &self.kinds {
            if rng.below(2) == 0 {
                continue;
            }
            for _ in 0..=rng.below(self.most) {
                faults.extend(self.draw(kind, nodes, duration_ns, &mut rng));
            }
        }
        faults
    }

    fn draw(&self, kind: Kind, nodes: u32, duration_ns: u64, rng: &mut Rng) -> Vec<ScheduledFault> {
        let at = rng.below(duration_ns.max(1));
        let lasts = 1 + rng.below(self.longest_ns);
        let until = at.saturating_add(lasts).min(duration_ns);
        let for_ns = until - at;
        let node = NodeIndex::new(u32::try_from(rng.below(nodes.into())).unwrap_or_default());
        let due = ScheduledFault::new;
        match kind {
            Kind::ClockStep => vec![due(at, Fault::ClockStep { node, by_ns: bump_ns(rng) })],
            Kind::ClockStrobe => {
                let by_ns = 1_000_000 << (2 + rng.below(17));
                let every_ns = 1_000_000 << rng.below(11);
                vec![due(at, Fault::ClockStrobe { node, by_ns, every_ns, for_ns })]
            }
            // Of a node that is down already, and of one that is up again, nothing comes.
            Kind::Crash => {
                vec![due(at, Fault::Crash { node }), due(until, Fault::Restart { node })]
            }
            Kind::Partition => {
                let side = NodeIndex::first(nodes).filter(|_| rng.below(2) == 0).collect();
                let groups = vec![side];
                vec![due(at, Fault::Partition { groups }), due(until, Fault::Heal)]
            }
            Kind::Pause => {
                let stops = rng.below(2) == 0;
                let clock = if stops { PausedClock::Stops } else { PausedClock::Runs };
                vec![due(at, Fault::Pause { node, for_ns, clock })]
            }
        }
    }
}

/// A clock that is bumped as Jepsen does it: ±1.5^(6 … 31) milliseconds, 11 ms to 288 s.
fn bump_ns(rng: &mut Rng) -> i64 {
    let mut by_ns = 1_000_000_i64;
    for _ in 0..6 + rng.below(26) {
        by_ns = by_ns * 3 / 2;
    }
    if rng.below(2) == 0 { by_ns } else { -by_ns }
}
