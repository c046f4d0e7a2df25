//! Code of one's own in many worlds: the least seed that fails is found, told and run again.

use std::{env, fs, path::PathBuf, process::Command, time::Duration};

use guid_core::Drift;
use guid_sim::{
    ClockModel, Ctx, Distribution, Fault, Log, LogRules, NetworkModel, NodeIndex, Process, Repro,
    Scenario, Scheme, Test, Verdict, WorldConfig, Worlds,
};

/// Draws numbers, and claims that none of them is a multiple of so many.
struct Dice {
    sides: u64,
    panics: bool,
}

impl Process for Dice {
    type Message = ();

    fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
        ctx.set_timer(1_000_000, 0);
    }

    fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}

    fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, timer: u64) {
        ctx.mint();
        let drawn = ctx.rng().below(self.sides);
        assert!(!self.panics || drawn > 0, "drew a zero");
        ctx.claim("nobody draws a zero", drawn > 0);
        if timer < 9 {
            ctx.set_timer(1_000_000, timer + 1);
        }
    }
}

fn dice(sides: u64) -> impl Fn(NodeIndex) -> Dice + Sync {
    move |_| Dice { sides, panics: false }
}

fn world(seed: u64) -> WorldConfig {
    WorldConfig::new(2, seed).lasting(Duration::from_secs(1)).named("dice")
}

fn test() -> Test<impl Worlds> {
    guid_sim::test(world)
}

#[test]
fn the_least_seed_that_fails_is_told_whatever_the_threads() {
    // Twenty draws a world: one in five fails at a hundred sides.
    let by_hand = |seed: u64| test().seeds(seed..seed + 1).try_run(dice(100)).is_err();
    let failing: Vec<u64> = (0..200).filter(|&seed| by_hand(seed)).collect();
    assert!((10..80).contains(&failing.len()), "{failing:?}");
    let mut told = Vec::new();
    for threads in [1, 2, 7] {
        let failure = test().threads(threads).seeds(0..200).try_run(dice(100)).unwrap_err();
        assert_eq!((failure.seed, failure.failed), (failing[0], failing.len() as u64));
        told.push(failure.to_string());
    }
    assert!(told.iter().all(|text| *text == told[0]));
    let text = &told[0];
    let seed = failing[0];
    for part in [
        format!("seed {seed} fails, the first of {} among 0..200:", failing.len()),
        String::from("nobody draws a zero: violated: "),
        String::from("    second event "),
        format!("run it alone: GUID_SIM_SEED={seed} cargo test the_least_seed_that_fails"),
    ] {
        assert!(text.contains(&part), "{part}: {text}");
    }
}

#[test]
fn what_comes_out_passes() {
    let passed = test().seeds(5..55).run(dice(u64::MAX));
    assert_eq!((passed.seeds, passed.events), (50, 50 * 20));
    let last = test().seeds(u64::MAX - 3..u64::MAX).run(dice(u64::MAX));
    assert_eq!(last.seeds, 3);
}

#[test]
#[should_panic(expected = "the first of 10 among 0..10")]
fn a_failure_panics() {
    test().seeds(0..10).run(dice(1));
}

#[test]
fn nothing_run_is_nothing_shown() {
    #[expect(clippy::reversed_empty_ranges, reason = "a mistake that people make")]
    for seeds in [5..5, 5..4] {
        let failure = test().seeds(seeds).try_run(dice(9)).unwrap_err();
        assert!(failure.to_string().contains("no seed was run"), "{failure}");
    }
    // A world in which nothing happens claims nothing.
    let silent = guid_sim::test(|seed| world(seed).with_schemes(&[]).lasting(Duration::ZERO));
    let failure = silent.seeds(0..3).try_run(dice(9)).unwrap_err();
    assert!(failure.to_string().contains("nothing was claimed"), "{failure}");
}

#[test]
fn a_panic_of_the_code_fails_its_seed() {
    let make = |_| Dice { sides: 100, panics: true };
    let failure = test().seeds(0..100).try_run(make).unwrap_err();
    assert!(failure.to_string().contains("the code panicked: drew a zero"), "{failure}");
    assert_eq!(failure.seed, test().seeds(0..100).try_run(dice(100)).unwrap_err().seed);
}

#[test]
fn a_world_that_panics_fails_its_seed() {
    let worlds = |seed| {
        assert!(seed != 7, "no such world");
        world(seed)
    };
    let failure = guid_sim::test(worlds).seeds(0..50).try_run(dice(u64::MAX)).unwrap_err();
    assert_eq!((failure.seed, failure.failed), (7, 1));
    assert!(failure.to_string().contains("the code panicked: no such world"), "{failure}");
}

#[test]
fn a_scenario_is_a_world_with_expectations() {
    let text = "[scenario]\nnodes = 3\nduration = \"1s\"\n[ids]\nschemes = [\"hlc\"]\n\
                [check]\nexpect = { \"k-radius@hlc\" = \"<= 4\" }";
    let scenario = Scenario::parse(text).unwrap();
    assert_eq!(guid_sim::test(scenario.clone()).seeds(0..9).run(dice(u64::MAX)).events, 9 * 30);
    assert_eq!(scenario.world(7).seed, 7);
    let wrong = guid_sim::test(scenario.clone()).seeds(0..9).expect("unique", ">= 1");
    let failure = wrong.try_run(dice(u64::MAX)).unwrap_err().to_string();
    assert!(failure.contains("unique@hlc: violated: 0 of 30, expected >= 1"), "{failure}");
    let typo = guid_sim::test(scenario).seeds(0..9).expect("uniqe", "0");
    let failure = typo.try_run(dice(u64::MAX)).unwrap_err().to_string();
    assert!(failure.contains("did you mean `unique`?"), "{failure}");
}

/// The child of this test is this test, with a seed in its environment.
#[test]
fn the_seed_of_the_environment_runs_alone_and_is_traced() {
    const NAME: &str = "the_seed_of_the_environment_runs_alone_and_is_traced";
    let found = || test().seeds(0..200).try_run(dice(3));
    if env::var_os("GUID_SIM_SEED").is_some() {
        println!("child: {}", found().unwrap_err());
        return;
    }
    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trial.jsonl");
    let child = |seed: &str| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", NAME, "--nocapture"]);
        command.env("GUID_SIM_SEED", seed).env("GUID_SIM_TRACE", &trace);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let told = child("17");
    assert!(told.contains("child: seed 17 fails:\n"), "{told}");
    let alone = test().seeds(17..18).try_run(dice(3)).unwrap_err().report.unwrap();
    assert!(told.contains(&alone.trace_hash), "{told}");
    let log = Log::parse(&fs::read_to_string(&trace).unwrap(), LogRules::default()).unwrap();
    assert_eq!(log.check().events, alone.events);
    assert!(child("x").contains("GUID_SIM_SEED is \"x\", expected a whole number"));
}

#[test]
fn the_builder_says_what_the_fields_do() {
    let node = NodeIndex::new(1);
    let built = WorldConfig::new(3, 1)
        .with_clock(node, 5, 7)
        .with_clocks(ClockModel::disciplined(1.0))
        .with_clock(node, 6, 8);
    assert_eq!(built.clocks.fixed.len(), 1);
    assert_eq!((built.clocks.fixed[0].offset_ns, built.clocks.fixed[0].ppb), (6, 8));
    assert!(built.clocks.discipline.is_some());
}

/// Makes IDs by the Go library's rule while its clock is set back.
fn stepping(seed: u64) -> WorldConfig {
    let node = NodeIndex::new(1);
    WorldConfig::new(3, seed)
        .lasting(Duration::from_secs(20))
        .named("stepping")
        .with_clocks(ClockModel::disciplined(1e6))
        .with_network(NetworkModel::new(Distribution::constant(5_000_000)))
        .with_schemes(&[Scheme::Upstream(Drift::D3), Scheme::Hlc])
        .with_fault(Duration::from_secs(1), Fault::Crash { node: NodeIndex::new(2) })
        .with_fault(Duration::from_millis(5), Fault::ClockStep { node, by_ns: -3_000_000_000 })
        .with_fault(Duration::from_secs(2), Fault::Restart { node: NodeIndex::new(2) })
}

#[test]
fn a_failure_tells_the_least_events_and_a_smaller_world() {
    let find = || guid_sim::test(stepping).seeds(3..6).try_run(dice(u64::MAX)).unwrap_err();
    if env::var_os("GUID_SIM_LESS").is_some() {
        println!("child: {}", find());
        return;
    }
    let failure = find();
    let shrunk = failure.shrunk.as_ref().unwrap();
    assert_eq!(shrunk.repro.failure().check, "monotone@upstream");
    assert_eq!((shrunk.to.nodes, shrunk.to.events), (1, 2));
    // Two nodes, of which the second is set back, and the fault that does it.
    let less = failure.less.clone().unwrap();
    assert!(less.starts_with("nodes=2 duration="), "{less}");
    assert!(less.ends_with(" faults=2 network=plain clocks=right"), "{less}");
    let told = failure.to_string();
    for part in [
        "the least that fails the same way, of 43 events:\n  n1 makes an ID after 0 ns, ID ",
        "  n1 makes an ID after 0 ns, its clock off by -1 s, ID ",
        "  (GUID_SIM_REPRO=FILE writes it, and `guid sim replay FILE` shows it)\n",
        &format!("in a smaller world: GUID_SIM_SEED=3 GUID_SIM_LESS=\"{less}\" cargo test a_fail"),
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }

    // What is typed then: this test, in the smaller world, and the list in a file.
    let repro = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trial-repro.toml");
    let child = |less: &str, repro: &PathBuf| {
        let mut command = Command::new(env::current_exe().unwrap());
        let name = "a_failure_tells_the_least_events_and_a_smaller_world";
        command.args(["--exact", name, "--nocapture"]);
        command.env("GUID_SIM_SEED", "3").env("GUID_SIM_LESS", less).env("GUID_SIM_REPRO", repro);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let told = child(&less, &repro);
    assert!(told.contains("child: seed 3 fails:\n  monotone@upstream: violated: 1 of "), "{told}");
    assert!(told.contains(&format!("  in {0}: guid sim replay {0}", repro.display())), "{told}");
    let written = Repro::parse(&fs::read_to_string(&repro).unwrap()).unwrap();
    assert_eq!(written.replay().verdict, Verdict::Holds);
    assert_eq!(written.failure(), shrunk.repro.failure());
    assert!(child("nodes=none", &repro).contains("GUID_SIM_LESS is nodes: found `none`"));
    let nowhere = PathBuf::from("/nowhere/there/is/no/repro.toml");
    assert!(child(&less, &nowhere).contains("  GUID_SIM_REPRO: "), "it says that it cannot");
}

/// A claim of one's own is told as it was; its least list of events says no more.
#[test]
fn a_claim_is_shown_in_a_smaller_world() {
    let world = |seed| world(seed).with_fault(Duration::ZERO, Fault::Heal);
    let failure = guid_sim::test(world).seeds(0..9).try_run(dice(3)).unwrap_err();
    let less = failure.less.clone().unwrap();
    assert!(less.contains("nodes=1 duration=") && less.contains("faults=none"), "{less}");
    let told = failure.to_string();
    assert!(!told.contains("the least") && told.contains("in a smaller world: "), "{told}");
    // A panic too, whatever numbers it tells.
    let make = |_| Dice { sides: 3, panics: true };
    let panicked = guid_sim::test(world).seeds(0..9).try_run(make).unwrap_err();
    assert!(panicked.shrunk.is_none() && panicked.less.unwrap().contains("nodes=1"));
}

#[test]
fn a_scenario_is_run_with_its_own_workload() {
    let text = include_str!("../../../scenarios/lww-window-trap.toml");
    let trap = || guid_sim::test(Scenario::parse(text).unwrap()).seeds(3..6);
    let passed = trap().run_scenario();
    let alone = |seed| Scenario::parse(text).unwrap().run(seed).unwrap().events;
    assert_eq!(passed.events, (3..6).map(alone).sum::<u64>());

    let failure = trap().expect("monotone@guid96:d3", "false").try_run_scenario().unwrap_err();
    assert_eq!((failure.seed, failure.failed), (3, 3));
}

#[test]
fn a_scenario_that_fails_comes_with_a_repro() {
    let text = "[scenario]\nnodes = 4\nduration = \"5s\"\n[workload]\nkind = \"ids\"\n\
                [clock]\noffset-sigma = \"1s\"\n[ids]\nschemes = [\"upstream\"]\n\
                [[fault]]\nat = \"2s\"\nkind = \"clock-step\"\nnode = 2\nby = \"-2s\"\n";
    let failure =
        guid_sim::test(Scenario::parse(text).unwrap()).seeds(0..3).try_run_scenario().unwrap_err();
    let shrunk = failure.shrunk.as_ref().unwrap();
    assert!(shrunk.repro.plan().events() <= 4, "{failure}");
}

/// Code that looks at something beside the seed passes every seed, and not the whole test.
#[test]
fn code_that_is_not_the_same_twice_is_caught() {
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Waits as long as a static says, which others change.
    struct Restless(&'static AtomicU64, bool);

    impl Process for Restless {
        type Message = ();
        fn on_start(&mut self, ctx: &mut Ctx<'_, ()>) {
            let drawn = self.0.fetch_add(1, Ordering::Relaxed);
            ctx.set_timer(if self.1 { drawn } else { 7 }, drawn);
        }
        fn on_message(&mut self, _: &mut Ctx<'_, ()>, _: NodeIndex, (): ()) {}
        fn on_timer(&mut self, ctx: &mut Ctx<'_, ()>, timer: u64) {
            (0..2).for_each(|_| ctx.mint());
            ctx.record_max("drawn", timer);
        }
    }

    static TIMES: AtomicU64 = AtomicU64::new(1);
    static COUNTS: AtomicU64 = AtomicU64::new(1);
    let failure = test().seeds(3..9).try_run(|_| Restless(&TIMES, true)).unwrap_err();
    let text = failure.to_string();
    assert!(text.starts_with("seed 3 fails:\n  it is not the same twice"), "{text}");
    assert!(text.contains("what happened differs") && text.contains("HashMap"), "{text}");
    // The same trace, and another figure.
    let failure = test().seeds(3..9).try_run(|_| Restless(&COUNTS, false)).unwrap_err();
    assert!(failure.to_string().contains("what it claimed or counted differs"), "{failure}");
    // Whoever keeps to what the world gives passes.
    assert_eq!(test().seeds(3..9).run(dice(u64::MAX)).seeds, 6);
}
