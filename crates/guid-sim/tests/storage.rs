//! What a crash takes from replicated values, and what it leaves: stored state that is kept, lost,
//! or that of an earlier moment.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    time::Duration,
};

use guid_crdt::{Dot, MutateError, OrSet, OrSetDelta};
use guid_sim::{
    Fault, Memory, NodeIndex, Report, Rng, Scenario, Verdict, WorldConfig, simulate,
    workload::{Share, Sharing, SharingConfig, Ship},
};

/// What all nodes told, and what the replica of each shows: known to the test alone.
#[derive(Clone, Default)]
struct Known {
    told: Rc<RefCell<Vec<Dot>>>,
    shown: Rc<RefCell<BTreeMap<NodeIndex, BTreeSet<Dot>>>>,
}

impl Known {
    fn missing(&self) -> usize {
        let shown: BTreeSet<Dot> = self.shown.borrow().values().flatten().copied().collect();
        self.told.borrow().iter().filter(|&dot| !shown.contains(dot)).count()
    }

    fn repeated(&self) -> usize {
        let told = self.told.borrow();
        told.len() - told.iter().collect::<BTreeSet<_>>().len()
    }
}

/// A set that only gains: whatever was told must be shown.
struct News {
    node: NodeIndex,
    known: Known,
}

impl Share for News {
    type State = OrSet<Dot>;

    fn change(
        &mut self,
        state: &mut OrSet<Dot>,
        dot: Dot,
        _: &mut Rng,
    ) -> Result<OrSetDelta<Dot>, MutateError> {
        let delta = state.insert(dot, dot)?;
        self.known.told.borrow_mut().push(dot);
        Ok(delta)
    }

    fn show(&self, state: &OrSet<Dot>) -> String {
        self.known.shown.borrow_mut().insert(self.node, state.iter().copied().collect());
        format!("{:?}", state.iter().collect::<Vec<_>>())
    }
}

const NODE: NodeIndex = NodeIndex::new(0);

/// Three nodes gossip; the first crashes at 6.5 s and comes back a second later, its clock set back
/// by so much meanwhile. Its storage was copied at 3 s.
fn run(ship: Ship, memory: Memory, restart: Fault, back_ns: i64) -> (Report, Known) {
    let at = |seconds: f64| Duration::from_secs_f64(seconds);
    let mut config = WorldConfig::new(3, 42)
        .lasting(at(30.0))
        .with_fault(at(3.0), Fault::Snapshot { node: NODE })
        .with_fault(at(6.5), Fault::Crash { node: NODE })
        .with_fault(at(7.0), Fault::ClockStep { node: NODE, by_ns: -back_ns })
        .with_fault(at(7.5), restart);
    config.memory = memory;
    let mut sharing = SharingConfig::new(ship, at(10.0));
    (sharing.per_second, sharing.gossip_ns) = (20.0, 700_000_000);
    let known = Known::default();
    let report =
        simulate(config, |node| Sharing::new(News { node, known: known.clone() }, sharing));
    (report.unwrap(), known)
}

fn lost(report: &Report) -> usize {
    report.get("writes-lost").unwrap().measured.0.to_string().parse().unwrap()
}

const SHIPS: [Ship; 3] = [Ship::State, Ship::Delta, Ship::Op];

#[test]
fn storage_that_is_kept_loses_nothing_and_goes_on_under_its_node() {
    for ship in SHIPS {
        let (report, known) = run(ship, Memory::HighWater, Fault::Restart { node: NODE }, 0);
        assert_eq!(report.verdict, Verdict::Holds, "{ship:?}: {report:?}");
        assert_eq!((lost(&report), known.missing(), known.repeated()), (0, 0, 0), "{ship:?}");
        let writers: BTreeSet<_> = known.told.borrow().iter().map(|dot| dot.node()).collect();
        assert_eq!(writers.len(), 3, "{ship:?}: it goes on under the ID that it had");
        // It wrote again, knowing all that it had written.
        let one = report.get("one-writer").unwrap();
        assert!(one.verdict == Verdict::Holds && one.of > 20, "{one:?}");
    }
}

/// The clock of the node is behind what it had stamped: what came back keeps it from repeating.
#[test]
fn a_kept_state_keeps_dots_apart_from_a_clock_that_went_back() {
    let (report, known) =
        run(Ship::State, Memory::HighWater, Fault::Restart { node: NODE }, 5_000_000_000);
    assert_eq!((report.verdict, known.repeated(), known.missing()), (Verdict::Holds, 0, 0));
}

#[test]
fn storage_that_is_lost_takes_along_what_nobody_else_had() {
    for ship in [Ship::State, Ship::Delta] {
        let (report, known) = run(ship, Memory::HighWater, Fault::RestartEmpty { node: NODE }, 0);
        // Others go on; nothing is accused that went on under a new name.
        assert_eq!(report.verdict, Verdict::Holds, "{ship:?}: {report:?}");
        assert!(known.missing() > 0, "{ship:?}: a crash between two messages");
        assert_eq!(lost(&report), known.missing(), "{ship:?}");
        let writers: BTreeSet<_> = known.told.borrow().iter().map(|dot| dot.node()).collect();
        assert_eq!(writers.len(), 4, "{ship:?}: it goes on under another ID");
    }
}

/// A backup from before its last writes, under the same node: its dots are a branch of their own,
/// behind what was made before where the clock went back.
#[test]
fn a_stale_state_under_the_same_node_is_caught() {
    let stale = || Fault::RestartStale { node: NODE };
    let (report, known) = run(Ship::State, Memory::HighWater, stale(), 0);
    let one = report.get("one-writer").unwrap();
    assert!(one.verdict == Verdict::Violated && one.witness.is_some(), "{one:?}");
    assert!(known.missing() > 0, "what others had of it was taken for removed");
    // Its clock is back before the crash: what it makes stands among what it had made.
    let (report, known) = run(Ship::State, Memory::HighWater, stale(), 4_000_000_000);
    assert_eq!(report.get("one-writer").unwrap().verdict, Verdict::Violated);
    assert_eq!(known.repeated(), 0, "random moments meet no dot of 131 us twice");
}

/// The same backup, under a new node: what others have comes back, and only what nobody has is
/// gone.
#[test]
fn a_stale_state_under_a_new_node_diverges_nowhere() {
    for back_ns in [0, 4_000_000_000] {
        let stale = Fault::RestartStale { node: NODE };
        let (report, known) = run(Ship::State, Memory::FreshNode, stale, back_ns);
        assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
        assert_eq!(report.get("one-writer").unwrap().count, 0);
        assert_eq!(known.repeated(), 0);
        assert_eq!(lost(&report), known.missing());
    }
}

/// A process of one's own that stores nothing but a number makes the same dot again.
mod reuse {
    use super::*;
    use guid_core::{NodeId, Stamp};
    use guid_crdt::VectorClock;
    use guid_sim::{Ctx, Process};

    #[derive(Default)]
    struct Counting {
        next: u64,
        seen: VectorClock,
        stores: bool,
    }

    impl Process for Counting {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            self.next = ctx.stored().copied().unwrap_or(0);
            let node = NodeId::new(ctx.id().as_u32());
            if self.next > 0 {
                self.seen.record(Dot::new(node, Stamp::from_u64(self.next).unwrap()));
            }
            ctx.set_timer(1_000_000_000, 0);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
            self.next += 1;
            let node = NodeId::new(ctx.id().as_u32());
            let dot = Dot::new(node, Stamp::from_u64(self.next).unwrap());
            ctx.wrote(dot, &self.seen);
            self.seen.record(dot);
            if self.stores {
                ctx.store(self.next);
            }
            ctx.holds(self.seen.clone());
            ctx.set_timer(1_000_000_000, 0);
        }
    }

    #[test]
    fn a_dot_that_is_made_twice_is_caught() {
        let run = |stores: bool| {
            let config = WorldConfig::new(1, 1)
                .lasting(Duration::from_secs(10))
                .with_fault(Duration::from_millis(5_500), Fault::Crash { node: NODE })
                .with_fault(Duration::from_millis(6_500), Fault::Restart { node: NODE });
            simulate(config, |_| Counting { stores, ..Counting::default() }).unwrap()
        };
        let naive = run(false);
        let one = naive.get("one-writer").unwrap();
        assert_eq!((one.count, one.of), (3, 3), "1, 2 and 3 once more");
        let stored = run(true);
        assert_eq!(stored.get("one-writer").unwrap().count, 0);
        assert_eq!(lost(&stored), 0);
    }
}

/// Of every workload with replicas, each storage is a run of its own.
#[test]
fn each_storage_is_another_run() {
    for workload in ["gossip", "counter", "cart", "register"] {
        let hash = |storage: &str| {
            let text = format!(
                "[scenario]\nnodes = 3\nduration = \"10s\"\nsettle = \"5s\"\n\
                 [workload]\nkind = \"{workload}\"\nrate = \"5/s\"\ngossip = \"2s\"\n\
                 [[fault]]\nat = \"3s\"\nkind = \"snapshot\"\nnode = 1\n\
                 [[fault]]\nat = \"5s\"\nkind = \"crash\"\nnode = 1\n\
                 [[fault]]\nat = \"6s\"\nkind = \"restart\"\nnode = 1\nstorage = \"{storage}\""
            );
            let (report, plan) = Scenario::parse(&text).unwrap().plan(42).unwrap();
            // What the oracle found is in the plan, too.
            let replayed = plan.replay();
            assert_eq!(replayed.measures, report.measures, "{workload}, {storage}");
            // Who hears of its own writes before it makes others refuses to go on.
            let count = |name: &str| report.get(name).map_or(0.0, |check| check.measured.0);
            let refused = count("writes-refused") + count("joins-refused") > 0.0;
            let forked = report.get("one-writer").is_some_and(|one| one.count > 0);
            assert_eq!(forked || refused, storage == "snapshot", "{workload}, {storage}");
            assert_eq!(replayed.trace_hash, report.trace_hash, "{workload}, {storage}");
            report.trace_hash
        };
        let hashes: BTreeSet<_> = ["kept", "lost", "snapshot"].map(hash).into_iter().collect();
        assert_eq!(hashes.len(), 3, "{workload}");
    }
}

/// A node that comes back late in the run begins no new work after its end.
#[test]
fn work_ends_when_it_is_to_end_for_those_who_came_back_too() {
    let text = "[scenario]\nnodes = 2\nduration = \"10s\"\nsettle = \"30s\"\n\
        [workload]\nkind = \"gossip\"\nrate = \"5/s\"\n\
        [[fault]]\nat = \"5s\"\nkind = \"crash\"\nnode = 1\n\
        [[fault]]\nat = \"6s\"\nkind = \"restart\"\nnode = 1";
    let (report, _) = Scenario::parse(text).unwrap().plan(42).unwrap();
    assert_eq!(report.verdict, Verdict::Holds);
    // 5 a second for 10 s and 9 s: 95, and four deviations. With 10 s more it would be 125.
    let writes = report.get("one-writer").unwrap().of;
    assert!((4..36).contains(&writes), "{writes} by the node that came back in four seconds");
}
