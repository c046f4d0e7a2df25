//! Small worlds: as many states as there are, the shortest run, and what files may say.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test")]
#![expect(clippy::cast_possible_truncation, reason = "counts of nodes are small")]

#[path = "explore/brute.rs"]
mod brute;
#[path = "explore/own.rs"]
mod own;

use brute::{Do, Faults, count};
use guid_sim::{
    Verdict,
    explore::{Luck, SmallWorld, WORLDS},
};

const STATES_MAX: u64 = 2_000_000;

fn explored(world: &SmallWorld) -> guid_sim::explore::ExploreReport {
    world.explore(STATES_MAX, &mut |_| ())
}

/// The world of a brute-force count, as a file.
fn file(scripts: &[Vec<Do>], faults: Faults) -> String {
    let Faults { losses, doubles, crashes, clock_steps } = faults;
    let mut text = format!(
        "[world]\ntype = \"or-set\"\n[faults]\nlosses = {losses}\ndoubles = {doubles}\n\
         crashes = {crashes}\nclock-steps = {clock_steps}\n"
    );
    for script in scripts {
        let does = script.iter().map(|does| match does {
            Do::Add(x) => format!("add {x}"),
            Do::Remove(x) => format!("remove {x}"),
            Do::SendAll => "send all".to_owned(),
        });
        text += &format!("[[node]]\ndoes = {:?}\n", does.collect::<Vec<_>>());
    }
    text
}

fn agree(scripts: &[Vec<Do>], faults: Faults, least: usize) {
    let report = explored(&SmallWorld::parse(&file(scripts, faults)).unwrap());
    let by_force = count(scripts, faults);
    assert_eq!((report.verdict, report.states), (Verdict::Holds, Some(by_force as u64)));
    assert!(by_force > least, "{by_force} states are too few to show anything");
}

/// Three nodes, six writes, eight messages: the scripts of the world `or-set`.
#[test]
fn an_or_set_world_has_the_states_of_brute_force() {
    use Do::{Add, Remove, SendAll};
    let scripts = [
        vec![Add("x"), SendAll, Remove("x"), SendAll],
        vec![Add("x"), Add("y"), SendAll],
        vec![Remove("x"), Add("z"), SendAll],
    ];
    agree(&scripts, Faults::default(), 50_000);
    let shipped = SmallWorld::named("or-set").unwrap();
    assert_eq!(explored(&shipped).states, Some(59_098));
}

#[test]
fn every_kind_of_fault_adds_the_states_of_brute_force() {
    use Do::{Add, Remove, SendAll};
    let scripts =
        [vec![Add("x"), SendAll, Remove("x"), SendAll], vec![Add("x"), Remove("x"), SendAll]];
    let none = Faults::default();
    agree(&scripts, Faults { losses: 2, ..none }, 200);
    agree(&scripts, Faults { doubles: 2, ..none }, 200);
    agree(&scripts, Faults { crashes: 2, ..none }, 200);
    agree(&scripts, Faults { clock_steps: 2, ..none }, 200);
    agree(&scripts, Faults { losses: 1, doubles: 1, crashes: 1, clock_steps: 1 }, 5_000);
}

/// What ships passes, but for the two worlds that are there to fail.
#[test]
fn the_worlds_that_ship_come_out() {
    for shipped in WORLDS {
        let world = SmallWorld::named(shipped.name).unwrap();
        assert_eq!(world.name(), shipped.name);
        assert!(!world.summary().is_empty());
        let report = explored(&world);
        let fails = ["broken-or-set", "forgetful", "forgetful-ids"].contains(&shipped.name);
        assert_eq!(report.verdict, Verdict::of(!fails), "{}: {report:?}", shipped.name);
        assert!(fails || report.states.unwrap() > 10_000, "{}", shipped.name);
    }
}

#[test]
fn the_planted_bug_is_found_with_a_shortest_run() {
    let world = SmallWorld::named("broken-or-set").unwrap();
    let found = explored(&world).violation.unwrap();
    let steps: Vec<&str> = found.steps.iter().map(|step| step.step.as_str()).collect();
    assert_eq!(steps, ["n1: add x", "n1: send all", "n2: add x", "n1.1 to n2 arrives"]);
    assert_eq!(found.steps[3].shows, ["{x}", "{}", "{}"]);
    assert_eq!((found.invariant, &*found.what), ("as-specified", "n2 shows {}, expected {x}"));
}

#[test]
fn a_run_that_was_written_is_carried_out_again() {
    for name in ["broken-or-set", "forgetful", "forgetful-ids"] {
        let world = SmallWorld::named(name).unwrap();
        let found = explored(&world).violation.unwrap();
        let file = world.with_run(&found);
        let again = SmallWorld::parse(&file).unwrap();
        let replayed = again.replay().unwrap();
        assert_eq!((replayed.verdict, replayed.same), (Verdict::Holds, true), "{name}");
        assert_eq!(replayed.steps, found.steps);
        // The world is the same one, and its file the same file.
        assert_eq!(explored(&again).violation, Some(found));
        assert!(file.starts_with(&again.to_string()));
        assert!(world.replay().is_none() && !world.has_run());

        // With the bug gone, or with other steps, it does not fail the same way.
        let healed = file
            .replace("\"broken-or-set\"", "\"or-set\"")
            .replace("\"forgetful-ids\"", "\"durable-ids\"")
            .replace("\"asked\"", "\"before-sending\"");
        let replayed = SmallWorld::parse(&healed).unwrap().replay().unwrap();
        assert!(!replayed.same && replayed.verdict != Verdict::Holds, "{replayed:?}");
        assert_eq!(replayed.invariant, None);
    }
}

#[test]
fn a_step_that_is_not_possible_is_told_with_what_is() {
    let world = SmallWorld::named("broken-or-set").unwrap();
    let file = world.with_run(&explored(&world).violation.unwrap());
    let wrong = file.replace("\"n2: add x\",", "\"n2: ad x\",");
    let replayed = SmallWorld::parse(&wrong).unwrap().replay().unwrap();
    assert_eq!((replayed.verdict, replayed.steps.len()), (Verdict::Unknown, 2));
    let what = "step 3, `n2: ad x`, is not possible there: did you mean `n2: add x`?";
    assert_eq!(replayed.what.as_deref(), Some(what));
}

#[test]
fn too_many_states_are_unknown_and_not_well() {
    let world = SmallWorld::named("or-set").unwrap();
    let report = world.explore(1_000, &mut |_| ());
    assert_eq!((report.verdict, report.states), (Verdict::Unknown, Some(1_000)));
    // Exactly enough is enough.
    let small =
        SmallWorld::parse("[world]\ntype = \"g-set\"\n[[node]]\ndoes = [\"add x\"]").unwrap();
    assert_eq!(small.explore(2, &mut |_| ()).verdict, Verdict::Holds);
    assert_eq!(small.explore(1, &mut |_| ()).verdict, Verdict::Unknown);
}

#[test]
fn random_schedules_find_the_bug_and_shorten_it() {
    let world = SmallWorld::named("broken-or-set").unwrap();
    for seed in 0..20 {
        let report = world.random(Luck::new(500, seed * 1_000), &mut |_| ());
        let found = report.violation.as_ref().unwrap();
        assert_eq!(found.invariant, "as-specified");
        // No shorter run than the shortest; and what is not needed is left out.
        assert!((4..=8).contains(&found.steps.len()), "{found:?}");
        let alone = world.random(Luck::new(1, report.seed.unwrap()), &mut |_| ());
        assert_eq!(alone.violation, report.violation);
    }
    let sound = SmallWorld::named("or-set-crashes").unwrap();
    let report = sound.random(Luck::new(500, 1), &mut |_| ());
    assert_eq!((report.verdict, report.schedules), (Verdict::Holds, Some(500)));
}

/// The planted misuse needs a crash at the right moment.
#[test]
fn random_schedules_bring_faults() {
    let world = SmallWorld::named("forgetful").unwrap();
    let found = world.random(Luck::new(2_000, 3), &mut |_| ()).violation.unwrap();
    assert!(found.steps.iter().any(|step| step.step.ends_with(" crashes")), "{found:?}");
}

/// Every type that a replica can hold has a world; a delta of a document is told from its state.
#[test]
fn a_document_is_shown_with_all_it_holds() {
    let text = "[world]\ntype = \"doc\"\n[[node]]\ndoes = [\"put k v\", \"under k inc 3\", \
                \"under k add x\", \"under k put j u\", \"send 2\"]\n[[node]]\ndoes = [\"put k w\"]\n";
    let world = SmallWorld::parse(text).unwrap();
    assert_eq!(explored(&world).verdict, Verdict::Holds);
    let run = "[run]\nbreaks = \"nothing\"\nsteps = [\"n1: put k v\", \"n1: under k inc 3\", \
               \"n1: under k add x\", \"n1: under k put j u\", \"n2: put k w\", \"n1: send 2\", \
               \"n1.1 to n2 arrives\"]\n";
    let replayed = SmallWorld::parse(&format!("{text}{run}")).unwrap().replay().unwrap();
    let shows = &replayed.steps.last().unwrap().shows;
    assert_eq!(shows, &["(k: v +3 {x} (j: u))", "(k: v|w +3 {x} (j: u))"]);
}
