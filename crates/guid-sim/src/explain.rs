//! How the first event of a witness came to be known to the second: the messages between them.
//!
//! A run keeps no graph. Where there is a witness, the same seed is run once more, up to its second
//! event, and what has heard of the first is followed: the node, what it sends, who receives that.
//!
//! # Invariants
//!
//! Each node is reached once, by the message that was there first: so what is kept is bounded by
//! nodes and by messages under way, and the path is the one by which the news came.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use crate::{
    Event, EventKind, Hop, Memory, NodeIndex, Path, Report, RunError, Scenario, Verdict, Witness,
    WitnessEvent, WorldConfig,
};

/// How many hops a path shows at each of its ends.
const SHOWN: usize = 4;
/// How many messages under way are followed.
const MOST_SENT: usize = 1 << 18;

impl Scenario {
    /// Says of each witness of a report how its first event came to be known to its second: of
    /// violations, and of what the scenario expects. It runs the seed again as far as it must.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    ///
    /// # Examples
    ///
    /// ```
    /// let scenario = guid_sim::Builtin::named("hello-clocks").unwrap().scenario()?;
    /// let mut report = scenario.run(42)?;
    /// scenario.explain(&mut report)?;
    /// let check = report.get("happens-before-by-bytes@guid96:d3").unwrap();
    /// let path = check.witness.as_ref().unwrap().path.as_ref().unwrap();
    /// assert!(path.is_causal && path.hops[0].sent < path.hops[0].received);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, report: &mut Report) -> Result<(), RunError> {
        let config = self.config(report.seed, None);
        explain(report, config, |config| self.run_config(config))
    }
}

/// The same, of a run that `run` repeats.
pub(crate) fn explain(
    report: &mut Report,
    mut config: WorldConfig,
    run: impl FnOnce(WorldConfig) -> Result<Report, RunError>,
) -> Result<(), RunError> {
    let targets: Vec<Target> = told(report).filter_map(|witness| Target::new(witness)).collect();
    let Some(last) = targets.iter().map(|target| target.second.0).max() else { return Ok(()) };
    let finder =
        Rc::new(RefCell::new(Finder { targets, forgets: config.memory == Memory::FreshNode }));
    config.finder = Some(Rc::clone(&finder));
    let most = config.max_events;
    config.max_events = last.min(most);
    match run(config) {
        // Given up where it was told to.
        Err(RunError::TooManyEvents(at)) if at < most => {}
        other => drop(other?),
    }
    let finder = finder.borrow();
    for witness in told(report) {
        let Some(target) = Target::new(witness) else { continue };
        let same = |other: &&Target| (other.first, other.second) == (target.first, target.second);
        witness.path = finder.targets.iter().find(same).and_then(|found| found.path.clone());
    }
    Ok(())
}

/// The witnesses that a report tells of: those of violations, and of what was expected.
fn told(report: &mut Report) -> impl Iterator<Item = &mut Witness> {
    let told = report.checks.iter_mut().filter(|check| {
        check.verdict == Verdict::Violated || check.expectation.is_some() && check.count > 0
    });
    told.filter_map(|check| check.witness.as_mut())
}

/// Watches a run for the paths between pairs of events.
#[derive(Debug)]
pub(crate) struct Finder {
    targets: Vec<Target>,
    /// Whether a node that comes back knows nothing of its past.
    forgets: bool,
}

/// A pair of events, and what has heard of the first.
#[derive(Debug)]
struct Target {
    first: (u64, NodeIndex),
    second: (u64, NodeIndex),
    /// The nodes that have heard of it, and through which messages.
    reached: BTreeMap<NodeIndex, Chain>,
    /// Messages under way that will tell of it: sent by which event of whom.
    sent: BTreeMap<u64, (u64, NodeIndex)>,
    path: Option<Path>,
}

/// The hops to a node, last first; none for where it began.
type Chain = Option<Rc<Link>>;

#[derive(Debug)]
struct Link {
    hop: Hop,
    before: Chain,
}

impl Finder {
    pub(crate) fn event(&mut self, event: &Event) {
        for target in &mut self.targets {
            if (target.first.0..=target.second.0).contains(&event.number) {
                target.event(event, self.forgets);
            }
        }
    }
}

impl Target {
    fn new(witness: &Witness) -> Option<Self> {
        let [first, second] = [&witness.first, &witness.second]
            .map(|&WitnessEvent { event, node, .. }| (event, NodeIndex::new(node.wrapping_sub(1))));
        let (reached, sent) = (BTreeMap::new(), BTreeMap::new());
        (first.0 < second.0).then_some(Self { first, second, reached, sent, path: None })
    }

    fn event(&mut self, event: &Event, forgets: bool) {
        let Event { number, node, kind, .. } = *event;
        match kind {
            EventKind::Receive { message, .. } => self.receive(event, message),
            EventKind::Restart if forgets => drop(self.reached.remove(&node)),
            EventKind::Send { message, to }
                if self.reached.contains_key(&node)
                    && !self.reached.contains_key(&to)
                    && self.sent.len() < MOST_SENT =>
            {
                self.sent.insert(message, (number, node));
            }
            _ => {}
        }
        if number == self.first.0 {
            self.reached.insert(self.first.1, None);
            // The first may be a sending itself.
            if let EventKind::Send { message, .. } = kind
                && node == self.first.1
            {
                self.sent.insert(message, (number, node));
            }
        }
        if number == self.second.0 {
            self.path = Some(self.reached.get(&self.second.1).map_or_else(Path::default, path));
        }
    }

    fn receive(&mut self, event: &Event, message: u64) {
        let node = event.node;
        let Some(&(sent, from)) = self.sent.get(&message) else { return };
        if self.reached.contains_key(&node) {
            return;
        }
        let Some(before) = self.reached.get(&from).cloned() else { return };
        let (from, to) = (from.number(), node.number());
        let hop = Hop { message, from, sent, to, received: event.number };
        self.reached.insert(node, Some(Rc::new(Link { hop, before })));
        self.sent.remove(&message);
    }
}

fn path(chain: &Chain) -> Path {
    let links = std::iter::successors(chain.as_deref(), |link| link.before.as_deref());
    let mut hops: Vec<Hop> = links.map(|link| link.hop).collect();
    hops.reverse();
    let left_out = hops.len().saturating_sub(2 * SHOWN);
    if left_out > 0 {
        hops.drain(SHOWN..SHOWN + left_out);
    }
    Path { is_causal: true, hops, left_out: left_out as u64 }
}
