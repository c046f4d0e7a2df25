//! The engine as a library: a process of one's own, its crashes, its timers, its trace.

#![expect(clippy::float_cmp, reason = "counts are exact")]

use std::{cell::RefCell, io::Write, rc::Rc};

use guid_sim::{
    Ctx, DEFAULT_START_NS, Fault, NodeIndex, Process, RunError, ScheduledFault, Start, Verdict,
    WorldConfig, simulate,
};

const SECOND: u64 = 1_000_000_000;

/// Counts its ticks, remembers every second one, and tells what it remembered at a restart.
struct Ticker {
    ticks: u8,
}

impl Process for Ticker {
    type Message = ();

    fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
        ctx.set_timer(SECOND, 0);
    }

    fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}

    fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
        self.ticks += 1;
        ctx.mint();
        if self.ticks.is_multiple_of(2) {
            ctx.persist(vec![self.ticks]);
        }
        ctx.set_timer(SECOND, 0);
    }

    fn on_restart(&mut self, ctx: &mut Ctx<'_, ()>) {
        let remembered = ctx.persisted().map_or(0, |bytes| u64::from(bytes[0]));
        ctx.count("remembered", remembered);
        self.on_start(ctx);
    }
}

#[test]
fn a_crash_loses_what_was_not_persisted_and_kills_timers() {
    let node = NodeIndex::new(0);
    let mut config = WorldConfig::new(1, 1);
    config.duration_ns = 10 * SECOND;
    config.faults = vec![
        ScheduledFault::new(5_500_000_000, Fault::Crash { node }),
        ScheduledFault::new(5_600_000_000, Fault::Crash { node }), // it is down: nothing happens
        ScheduledFault::new(7_000_000_000, Fault::Restart { node }),
        ScheduledFault::new(7_100_000_000, Fault::Restart { node }), // it is up: nothing happens
    ];
    let report = simulate(config, |_| Ticker { ticks: 0 }).unwrap();
    assert_eq!(report.get("remembered").unwrap().measured.0, 4.0);
    // Ticks at 1 to 5 s, crash, restart, ticks at 8, 9 and 10 s.
    assert_eq!(report.events, 5 + 2 + 3);
    assert_eq!(report.verdict, Verdict::Holds);
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_trace_has_true_and_local_time_in_a_fixed_form() {
    let trace = || {
        let out = Shared::default();
        let mut config = WorldConfig::new(1, 1);
        config.start = Start::At(DEFAULT_START_NS);
        config.duration_ns = 2 * SECOND;
        config.faults = vec![ScheduledFault::new(
            1_500_000_000,
            Fault::ClockStep { node: NodeIndex::new(0), by_ns: -SECOND.cast_signed() },
        )];
        config.trace = Some(Box::new(out.clone()));
        simulate(config, |_| Ticker { ticks: 0 }).unwrap();
        String::from_utf8(out.0.take()).unwrap()
    };
    let text = trace();
    assert_eq!(text, trace());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        r#"{"guid_sim":1,"version":"0.1.0","scenario":"unnamed","scenario_hash":null,"set":[],"seed":"1","start_ns":"1767225600000000000","nodes":1,"observe":"follow","restart":"high-water"}"#
    );
    assert!(lines[1].starts_with(
        r#"{"event":1,"node":1,"incarnation":1,"true_ns":"1767225601000000000","local_ns":"1767225601000000000","kind":"mint","ids":{"guid96:d3":""#
    ), "{}", lines[1]);
    assert_eq!(
        lines[2],
        r#"{"event":2,"node":1,"incarnation":1,"true_ns":"1767225601500000000","local_ns":"1767225600500000000","kind":"clock-fault","by_ns":"-1000000000"}"#
    );
    for line in lines {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn a_run_that_grows_without_end_is_given_up() {
    struct Flood;
    impl Process for Flood {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            ctx.set_timer(0, 0);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
            ctx.mint();
            ctx.set_timer(0, 0);
        }
    }
    let mut config = WorldConfig::new(1, 1);
    config.max_events = 1_000;
    assert!(matches!(simulate(config, |_| Flood), Err(RunError::TooManyEvents(1_000))));
}

/// Time that stands still, and not one event: the default limit of events is out of sight.
#[test]
fn timers_without_delay_are_given_up() {
    struct Impatient;
    impl Process for Impatient {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            ctx.set_timer(0, 0);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
            ctx.set_timer(0, 0);
        }
    }
    let error = simulate(WorldConfig::new(1, 1), |_| Impatient).unwrap_err();
    assert!(matches!(error, RunError::TimeStandsStill(_)) && error.is_limit());
    assert!(error.to_string().contains("with no delay"), "{error}");
}

/// Timers that set two each double their number at every tick, and make no event.
#[test]
fn timers_that_multiply_are_given_up() {
    struct Doubling;
    impl Process for Doubling {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            ctx.set_timer(1, 0);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
            ctx.set_timer(1, 0);
            ctx.set_timer(1, 0);
        }
    }
    let given_up = simulate(WorldConfig::new(1, 1), |_| Doubling);
    assert!(matches!(given_up, Err(RunError::TooMuchUnderWay(4_194_305))), "{given_up:?}");
}

/// Messages that are held back and never released are under way as others are.
#[test]
fn messages_that_are_held_back_are_counted() {
    struct Chatter;
    impl Process for Chatter {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            ctx.set_timer(1_000, 0);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
            (0..1_000).for_each(|_| ctx.send(NodeIndex::new(1), ()));
            ctx.set_timer(1_000_000, 0);
        }
    }
    let run = |hold: bool| {
        let mut config = WorldConfig::new(2, 1).with_schemes(&[]);
        config.max_events = 9_000_000;
        let hold = hold.then_some(ScheduledFault::new(0, Fault::Hold { node: None }));
        config.faults = hold.into_iter().collect();
        simulate(config, |_| Chatter)
    };
    let given_up = run(true);
    let about = 4_194_305..4_200_000;
    assert!(
        matches!(given_up, Err(RunError::TooMuchUnderWay(held)) if about.contains(&held)),
        "{given_up:?}"
    );
    // The same messages, not held back, are no reason to give up: there are too many, later.
    assert!(matches!(run(false), Err(RunError::TooManyEvents(_))));
}

/// A node that crashes at the very start had started.
#[test]
fn a_crash_at_the_start_is_one() {
    struct Starter;
    impl Process for Starter {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            ctx.count("starts", 1);
            ctx.set_timer(SECOND, 0);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, _: u64) {
            ctx.count("timers", 1);
        }
    }
    let node = NodeIndex::new(0);
    let count = |faults: &[Fault], name: &str| {
        let mut config = WorldConfig::new(2, 1);
        config.faults = faults.iter().map(|one| ScheduledFault::new(0, one.clone())).collect();
        let report = simulate(config, |_| Starter).unwrap();
        report.get(name).map_or(0.0, |check| check.measured.0)
    };
    let crash = Fault::Crash { node };
    assert_eq!((count(&[], "starts"), count(&[], "timers")), (2.0, 2.0));
    let crashed = [crash.clone()];
    assert_eq!((count(&crashed, "starts"), count(&crashed, "timers")), (2.0, 1.0));
    let back = [crash, Fault::Restart { node }];
    assert_eq!((count(&back, "starts"), count(&back, "timers")), (3.0, 2.0));
}

/// Replicas that forget to exchange what they have must not be said to have converged.
#[test]
fn replicas_that_differ_are_caught() {
    struct Loner;
    impl Process for Loner {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            let own = u128::from(ctx.id().as_u32());
            ctx.replica_state(1, own); // all say that they received the same, and show their own
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
    }
    let report = simulate(WorldConfig::new(3, 1), |_| Loner).unwrap();
    assert_eq!(report.get("converged").unwrap().verdict, Verdict::Violated);
    assert_eq!(report.get("strong-eventual-consistency").unwrap().count, 2);
    assert_eq!(report.verdict, Verdict::Violated);
}
