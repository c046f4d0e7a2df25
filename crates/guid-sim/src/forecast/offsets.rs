//! How far clocks are off, as far as a scenario says it: a line a stretch between faults.

use crate::{ClockModel, Distribution, Fault, NodeClock, NodeIndex, Rng, WorldConfig};

/// More changes of a clock than this are not followed.
const MOST_CHANGES: usize = 10_000;

/// The offsets of all clocks over the run.
pub(super) struct Offsets {
    start: u64,
    end: u64,
    model: ClockModel,
    clocks: Result<Vec<Clock>, &'static str>,
}

enum Clock {
    /// Known at every moment.
    Known(Vec<Stretch>),
    /// Drawn by the model.
    Random,
}

/// A clock from here on.
struct Stretch {
    from: u64,
    clock: NodeClock,
}

impl Offsets {
    pub(super) fn new(config: &WorldConfig) -> Self {
        let (start, model) = (config.start_ns(), config.clocks.clone());
        let clocks = NodeIndex::first(config.nodes).map(|node| Clock::new(node, config)).collect();
        Self { start, end: start.saturating_add(config.duration_ns), model, clocks }
    }

    /// The largest difference of two clocks' offsets, at any two moments.
    pub(super) fn spread_ns(&self) -> Result<f64, &'static str> {
        let ranges = self.known()?.into_iter().map(|line| self.range(line));
        let ranges: Vec<(i128, i128)> = ranges.collect();
        let highest = |but: usize| {
            let others = ranges.iter().enumerate().filter(move |&(i, _)| i != but);
            others.map(|(_, &(_, high))| high).max()
        };
        // Of the two highest and the lowest: the pair may not be one clock twice.
        let low = (0..ranges.len()).min_by_key(|&i| ranges[i].0);
        let high = (0..ranges.len()).max_by_key(|&i| ranges[i].1);
        let below = |i: usize| Some(highest(i)? - ranges[i].0);
        let lowest_but = |i: usize| {
            let others = ranges.iter().enumerate().filter(move |&(j, _)| i != j);
            others.map(|(_, &(low, _))| low).min().map(|low| ranges[i].1 - low)
        };
        let spread = low.and_then(below).max(high.and_then(lowest_but)).unwrap_or(0);
        Ok(spread.max(0) as f64)
    }

    /// How far apart clocks are at one moment, at most; for clocks that nothing happens to.
    pub(super) fn apart_ns(&self) -> Result<f64, &'static str> {
        let lines = self.known()?;
        if lines.iter().any(|line| line.len() > 1) {
            return Err("ε depends on who spoke when: clocks change on the way");
        }
        let apart = |at| {
            let offsets = || lines.iter().map(|line| line[0].clock.offset(at));
            offsets().max().unwrap_or(0) - offsets().min().unwrap_or(0)
        };
        Ok(apart(self.start).max(apart(self.end)) as f64)
    }

    fn known(&self) -> Result<Vec<&[Stretch]>, &'static str> {
        let clocks = self.clocks.as_ref().map_err(|&why| why)?;
        let mut lines = Vec::new();
        for clock in clocks {
            match clock {
                Clock::Known(line) => lines.push(&line[..]),
                Clock::Random => {
                    return Err("E is read off the clocks as they run: they are drawn");
                }
            }
        }
        Ok(lines)
    }

    /// The least and the greatest offset: at the ends of stretches, since each is a line.
    fn range(&self, line: &[Stretch]) -> (i128, i128) {
        let ends = line.iter().skip(1).map(|next| next.from).chain([self.end]);
        let offsets = line.iter().zip(ends).flat_map(|(stretch, end)| {
            [stretch.clock.offset(stretch.from), stretch.clock.offset(end)]
        });
        let (low, high) = offsets.fold((i128::MAX, i128::MIN), |(low, high), offset| {
            (low.min(offset), high.max(offset))
        });
        (low - i128::from(self.model.granularity_ns - 1), high)
    }

    /// A moment of the run.
    pub(super) fn moment(&self, rng: &mut Rng) -> u64 {
        self.start.saturating_add(rng.below((self.end - self.start).max(1)))
    }

    /// A node's offset then: known, or drawn.
    pub(super) fn draw(
        &self,
        node: NodeIndex,
        at: u64,
        rng: &mut Rng,
    ) -> Result<f64, &'static str> {
        let clocks = self.clocks.as_ref().map_err(|&why| why)?;
        Ok(match &clocks[node.at()] {
            Clock::Known(line) => {
                let after = line.partition_point(|stretch| stretch.from <= at);
                line[after.saturating_sub(1)].clock.offset(at) as f64
            }
            Clock::Random => self.random(at, rng),
        })
    }

    fn random(&self, at: u64, rng: &mut Rng) -> f64 {
        if let Some(discipline) = self.model.discipline {
            // Between two polls the offset goes in a line from one target to the next.
            let (from, to) = (discipline.target.sample(rng), discipline.target.sample(rng));
            let part = rng.unit();
            return from as f64 * part + to as f64 * (1.0 - part);
        }
        let elapsed_s = (at - self.start) as f64 / 1e9;
        self.model.offset.sample(rng) as f64 + self.model.rate.sample(rng) as f64 * elapsed_s
    }
}

impl Clock {
    fn new(node: NodeIndex, config: &WorldConfig) -> Result<Self, &'static str> {
        let model = &config.clocks;
        if model.ntp.is_some() || model.sine.is_some() || model.wander_ppb > 0 {
            return Err("no form: clocks move by themselves");
        }
        let faults = config
            .faults
            .iter()
            .filter(|due| due.fault.is_of_clocks() && due.fault.node().is_none_or(|of| of == node));
        let mut faults: Vec<(u64, &Fault)> =
            faults.map(|due| (config.start_ns().saturating_add(due.at_ns), &due.fault)).collect();
        faults.sort_by_key(|&(at, _)| at);
        let fixed = model.fixed.iter().find(|fixed| fixed.node == node);
        let drawn = model.discipline.is_some() || !always(model.offset) || !always(model.rate);
        let (offset, ppb) = match fixed {
            Some(fixed) => (fixed.offset_ns, fixed.ppb),
            None if model.astray.is_some() || model.rate_either_way => {
                return Err("no form: who is astray, and which way, is drawn");
            }
            None if drawn && faults.is_empty() => return Ok(Self::Random),
            None if drawn => return Err("no form: clocks are drawn, and faults change them"),
            None => (value(model.offset), value(model.rate)),
        };
        let first = Stretch {
            from: config.start_ns(),
            clock: NodeClock::new(config.start_ns(), offset, ppb),
        };
        let mut changes = changes(&faults)?;
        changes.sort_by_key(|&(at, _)| at);
        let mut line = vec![first];
        for (at, change) in changes {
            let Some(mut clock) = line.last().map(|last| last.clock.clone()) else { break };
            match change {
                Change::Step(by_ns) => clock.step(at, by_ns),
                Change::Rate(ppb) => clock.set_rate(at, ppb),
                Change::Freeze => clock.freeze(at),
                Change::Thaw => clock.thaw(at),
            }
            line.push(Stretch { from: at, clock });
        }
        Ok(Self::Known(line))
    }
}

/// The one value of a distribution that has only one.
fn value(distribution: Distribution) -> i64 {
    distribution.mean_ns().map_or(0, |mean| mean as i64)
}

fn always(distribution: Distribution) -> bool {
    distribution == Distribution::constant(value(distribution))
}

enum Change {
    Step(i64),
    Rate(i64),
    Freeze,
    Thaw,
}

/// Whether a freeze that has begun by then goes on.
fn frozen_still(faults: &[(u64, &Fault)], then: u64) -> bool {
    faults.iter().any(|&(at, fault)| match *fault {
        Fault::ClockFreeze { for_ns, .. } => at <= then && then < at.saturating_add(for_ns),
        _ => false,
    })
}

fn changes(faults: &[(u64, &Fault)]) -> Result<Vec<(u64, Change)>, &'static str> {
    let mut changes = Vec::new();
    for &(at, fault) in faults {
        match *fault {
            Fault::ClockStep { by_ns, .. } => changes.push((at, Change::Step(by_ns))),
            Fault::ClockRate { ppb, .. } => changes.push((at, Change::Rate(ppb))),
            Fault::ClockFreeze { for_ns, .. } => {
                changes.push((at, Change::Freeze));
                let until = at.saturating_add(for_ns);
                if !frozen_still(faults, until) {
                    changes.push((until, Change::Thaw));
                }
            }
            Fault::ClockStrobe { by_ns, every_ns, for_ns, .. } => {
                let (mut next, mut away, until) = (at, false, at.saturating_add(for_ns));
                while next < until || away {
                    let by = if away { by_ns.saturating_neg() } else { by_ns };
                    changes.push((next, Change::Step(by)));
                    away = !away;
                    next = next.saturating_add(every_ns.max(1));
                    next = if away { next.min(until) } else { next };
                    if changes.len() > MOST_CHANGES {
                        return Err("no form: clocks change too often to follow");
                    }
                }
            }
            _ => return Err("no form: a fault whose effect on clocks is not known beforehand"),
        }
    }
    Ok(changes)
}
