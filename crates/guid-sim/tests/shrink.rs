//! Plans replay to what the run was; shrunk, they still fail the same way, and nothing can be left
//! out of them.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{env, fs, path::Path};

use guid_sim::{
    BUILTIN, Builtin, Check, Effort, Failure, NothingToShow, Plan, PlanError, Purpose, Report,
    Repro, Rng, Scenario, ScenarioError, Shrunk, Streams, Verdict,
};

/// A scenario of the test data.
fn data(name: &str) -> Scenario {
    let path = format!("{}/tests/data/shrink/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::parse(&fs::read_to_string(path).unwrap()).unwrap()
}

fn builtin(name: &str) -> Scenario {
    Builtin::named(name).unwrap().scenario().unwrap()
}

fn shrink(plan: Plan, failure: &Failure) -> Shrunk {
    plan.shrink(failure, Effort::default(), &mut |_| {}).unwrap()
}

/// What a report counted: all of it but what the closed forms of rates expect of the run.
fn counted(report: &Report) -> Vec<String> {
    let show = |check: &Check| {
        let Check { name, count, of, measured, witness, outcome, .. } = check;
        // Of these two z is by rates.
        let z = check.z.filter(|_| name != "unique" && name != "monotone");
        format!("{} {count} {of} {measured:?} {z:?} {outcome:?} {witness:?}", check.key())
    };
    let mut all: Vec<String> = report.checks.iter().chain(&report.measures).map(show).collect();
    all.sort();
    all
}

/// The trace hash takes in every event and every ID: nothing else happened.
#[test]
fn the_plan_of_every_scenario_replays_to_its_report() {
    let ships = BUILTIN.iter().map(|builtin| builtin.scenario().unwrap());
    for scenario in ships.chain([data("everything"), data("planted")]) {
        let (report, plan) = scenario.plan(scenario.seed()).unwrap();
        let replayed = plan.replay();
        assert_eq!(replayed.trace_hash, report.trace_hash, "{}", scenario.name());
        assert_eq!(replayed.events, plan.events());
        assert_eq!(counted(&replayed), counted(&report), "{}", scenario.name());
    }
}

#[test]
fn a_plan_of_everything_is_written_and_read_back() {
    for seed in 0..3 {
        let (report, plan) = data("everything").plan(seed).unwrap();
        let failure = Failure::of(&report, "unique@counter").unwrap();
        let repro = Repro::new(plan, failure);
        let again = Repro::parse(&repro.to_string()).unwrap();
        assert!(again == repro, "seed {seed}");
        assert_eq!(again.plan().replay().trace_hash, report.trace_hash);
    }
}

/// Forty nodes, ten thousand events, one clock that is set back by two seconds.
#[test]
fn a_planted_failure_is_found_in_three_nodes_and_ten_events() {
    let (report, plan) = data("planted").plan(42).unwrap();
    assert!(plan.nodes() == 40 && plan.events() > 9_000, "{}", plan.events());
    let first = Failure::first(&report).unwrap();
    assert_eq!(first.check, "monotone@upstream");
    let shrunk = shrink(plan.clone(), &first);
    assert_eq!((shrunk.to.nodes, shrunk.to.events), (1, 2));
    assert!(shrunk.is_minimal && shrunk.to.tries < 1_000, "{:?}", shrunk.to);
    let checks = report.checks.iter().chain(&report.measures);
    let mut shown = 0;
    for check in checks.filter(|check| check.witness.is_some() && check.count > 0) {
        let failure = Failure::of(&report, &check.key()).unwrap();
        let shrunk = shrink(plan.clone(), &failure);
        assert!(shrunk.to.nodes <= 3 && shrunk.to.events <= 10, "{failure}: {:?}", shrunk.to);
        shown += 1;
    }
    assert!(shown >= 8, "{shown}");
}

/// Repros of old: what they show, and the IDs of every line.
///
/// `UPDATE_GOLDEN=1 cargo test -p guid-sim` writes the IDs anew, after a change that is meant to
/// change what a scheme makes of an event. The repros themselves are not written anew.
#[test]
fn an_old_repro_still_fails_the_same_way() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/repros");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    assert!(paths.len() >= 9);
    let mut lines = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let repro = Repro::parse(&fs::read_to_string(path).unwrap()).unwrap();
        let replayed = repro.replay();
        assert_eq!(replayed.verdict, Verdict::Holds, "{name}");
        lines.push(format!("{name}: {}\n", replayed.shows));
        for one in replayed.happened {
            let event = one.event.map_or_else(|| String::from("-"), |event| event.to_string());
            let ids: Vec<String> =
                one.ids.iter().map(|(scheme, id)| format!(", {scheme} {id}")).collect();
            lines.push(format!("  {event} n{} {}{}\n", one.node, one.what, ids.concat()));
        }
    }
    let (found, path) = (lines.concat(), Path::new(folder).join("expected.txt"));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(path).unwrap());
}

fn one<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[usize::try_from(rng.below(of.len() as u64)).unwrap()]
}

/// A small world with much that goes wrong.
fn small_world(rng: &mut Rng) -> Scenario {
    let (nodes, node) = (2 + rng.below(4), 1 + rng.below(2));
    let scheme =
        one(rng, &["upstream", "guid96:d0", "guid96:d1", "counter", "ulid", "snowflake", "uuid7"]);
    let workload = one(rng, &["lww", "ids", "chain", "register", "cart", "gossip"]);
    let network = one(rng, &["lan", "wifi", "mobile"]);
    let clock = one(rng, &["perfect", "cloud-ntp", "wan-ntp-far", "quartz"]);
    let storage = one(rng, &["kept", "lost"]);
    let memory = one(rng, &["amnesia", "fresh-node", "high-water"]);
    let observe = one(rng, &["follow", "off"]);
    let step = 1 + rng.below(3_000);
    let text = format!(
        "[scenario]\nnodes = {nodes}\nduration = \"8s\"\nsettle = \"1s\"\n\
         [ids]\nschemes = [\"{scheme}\"]\nobserve = \"{observe}\"\nrestart = \"{memory}\"\n\
         [clock]\npreset = \"{clock}\"\n[network]\npreset = \"{network}\"\n\
         [workload]\nkind = \"{workload}\"\n\
         [[fault]]\nat = \"3s\"\nkind = \"clock-step\"\nnode = {node}\nby = \"-{step}ms\"\n\
         [[fault]]\nat = \"4s\"\nkind = \"crash\"\nnode = {node}\n\
         [[fault]]\nat = \"4500ms\"\nkind = \"restart\"\nnode = {node}\nstorage = \"{storage}\"\n",
    );
    Scenario::parse(&text).unwrap()
}

/// The text of a repro without each of its lines.
fn without_one(text: &str) -> Vec<String> {
    let is_event = |line: &&str| line.starts_with("  { at = ");
    let events = text.lines().filter(is_event).count();
    let without = |left_out: usize| {
        let mut number = 0;
        let kept = text.lines().filter(|line| {
            number += usize::from(is_event(line));
            !is_event(line) || number != left_out
        });
        kept.collect::<Vec<_>>().join("\n")
    };
    (1..=events).map(without).collect()
}

#[test]
fn what_is_left_of_random_worlds_fails_the_same_way_and_nothing_can_be_left_out() {
    let mut rng = Streams::new(42).of_world(Purpose::Workload);
    let (mut shown, mut tried) = (0, 0);
    for seed in 0..80 {
        let scenario = small_world(&mut rng);
        let (report, plan) = scenario.plan(seed).unwrap();
        let checks = report.checks.iter().chain(&report.measures);
        for check in checks.filter(|check| check.count > 0) {
            let failure = Failure::of(&report, &check.key()).unwrap();
            let shrunk = shrink(plan.clone(), &failure);
            shown += 1;
            assert!(shrunk.is_minimal && shrunk.to.lines <= 12, "{failure}: {:?}", shrunk.to);
            let text = shrunk.repro.to_string();
            let again = Repro::parse(&text).unwrap();
            assert_eq!(again, shrunk.repro);
            let replayed = again.replay();
            assert_eq!(replayed.verdict, Verdict::Holds, "{text}");
            let found = replayed.check.unwrap();
            assert_eq!((found.key(), found.count > 0), (check.key(), true));
            assert_eq!(found.witness.map(|w| w.cause), check.witness.clone().map(|w| w.cause));
            // Who overwrites must have seen what he overwrites: that is not part of the check.
            if text.contains("overwrite = true") {
                continue;
            }
            for fewer in without_one(&text) {
                tried += 1;
                let still = Repro::parse(&fewer)
                    .is_ok_and(|repro| repro.replay().verdict == Verdict::Holds);
                assert!(!still, "{text}\n{fewer}");
            }
        }
    }
    assert!(shown > 100 && tried > 200, "{shown} {tried}");
}

/// The true time and the kind of every line, for what must stay as it was in the world.
fn lines(repro: &Repro) -> Vec<(u64, String)> {
    let replayed = repro.replay();
    let start: u64 = replayed.start_ns.parse().unwrap();
    let line =
        |one: &guid_sim::Happened| (one.true_ns.parse::<u64>().unwrap() - start, one.what.clone());
    replayed.happened.iter().map(line).collect()
}

#[test]
fn a_lost_overwrite_is_one_of_what_was_seen_and_no_message_is_faster_than_it_was() {
    for name in ["lww-window-trap", "skew-ramp", "mobile-offline"] {
        let (report, plan) = builtin(name).plan(42).unwrap();
        let failure = Failure::of(&report, "lww-lost@guid96:d3").unwrap();
        let shrunk = shrink(plan, &failure);
        let lines = lines(&shrunk.repro);
        let kinds: Vec<&str> =
            lines.iter().map(|(_, what)| what.split(' ').next().unwrap()).collect();
        assert_eq!(kinds, ["writes", "sends", "receives", "overwrites"], "{name}");
        // The fastest link of these scenarios takes 200 µs.
        assert!(lines[2].0 - lines[1].0 >= 200_000, "{name}: {lines:?}");
    }
}

#[test]
fn what_needs_thousands_of_events_is_a_few_lines() {
    let (report, plan) = builtin("step-back-duplicates").plan(42).unwrap();
    let shrunk = shrink(plan, &Failure::of(&report, "unique@upstream").unwrap());
    // The sequence has 14 bits: it is where it was after 16,384 events.
    assert_eq!(shrunk.to.events, 16_385);
    assert!(shrunk.to.lines <= 4, "{:?}", shrunk.to);
}

#[test]
fn an_effort_that_is_used_up_leaves_what_still_fails() {
    let (report, plan) = data("planted").plan(42).unwrap();
    let failure = Failure::first(&report).unwrap();
    let mut last = plan.events();
    for tries in [0, 1, 5, 20] {
        let effort = Effort::new(tries, u64::MAX);
        let shrunk = plan.clone().shrink(&failure, effort, &mut |_| {}).unwrap();
        assert!(!shrunk.is_minimal && shrunk.to.tries == tries);
        assert!(shrunk.to.events <= last);
        last = shrunk.to.events;
        assert_eq!(shrunk.repro.replay().verdict, Verdict::Holds);
    }
    assert!(last < plan.events());
    let none = plan.clone().shrink(&failure, Effort::new(u64::MAX, 100), &mut |_| {}).unwrap();
    assert_eq!((none.to.tries, none.is_minimal), (0, false));
    let mut other = failure;
    other.check = String::from("monotone@hlc");
    assert!(plan.shrink(&other, Effort::default(), &mut |_| {}).is_err());
}

#[test]
fn which_failure_is_meant() {
    let text = |expect: &str| {
        format!(
            "[scenario]\nduration = \"5s\"\n[ids]\nschemes = [\"guid96:d3\", \"hlc\"]\n\
             [workload]\nkind = \"lww\"\n[check]\nexpect = {{ {expect} }}"
        )
    };
    let first = |expect: &str| {
        let (report, plan) = Scenario::parse(&text(expect)).unwrap().plan(1).unwrap();
        (Failure::first(&report), report, plan)
    };
    let (found, report, plan) = first("\"lww-lost\" = \"any\"");
    assert_eq!(found, Err(NothingToShow::NothingFails));
    let of = |key: &str| Failure::of(&report, key).map(|failure| failure.check);
    assert_eq!(of("lww-lost"), Ok(String::from("lww-lost@guid96:d3")));
    assert_eq!(of("unique@hlc"), Err(NothingToShow::NoCase(String::from("unique@hlc"))));
    let error = of("lww-lots@hlc").unwrap_err().to_string();
    assert_eq!(error, "no check `lww-lots@hlc` in this run: did you mean `lww-lost@hlc`?");

    // Too much of something is shown by less; too little of it is not.
    let (found, ..) = first("\"lww-lost@guid96:d3\" = \"<= 0.1\"");
    let failure = found.unwrap();
    assert_eq!(failure.to_string().split(':').next(), Some("lww-lost@guid96"));
    let shrunk = shrink(plan, &failure);
    let text = shrunk.repro.to_string();
    assert!(text.contains("shows = \"unmet\"\nexpectation = \"<= 0.1\"\n"), "{text}");
    assert_eq!(shrunk.to.events, 4);
    for little in ["\"unique@hlc\" = false", "\"unique@hlc\" = \">= 1\"", "\"unique@hlc\" = \"5\""]
    {
        let too_little = NothingToShow::TooLittle(String::from("unique@hlc"));
        assert_eq!(first(little).0, Err(too_little), "{little}");
    }
}

#[test]
fn a_run_that_is_too_long_has_no_plan() {
    let text = "[scenario]\nnodes = 2\nduration = \"2100s\"\n[workload]\nrate = \"500/s\"\n\
                [ids]\nschemes = [\"counter\"]";
    let error = Scenario::parse(text).unwrap().plan(1).unwrap_err();
    assert!(matches!(error, PlanError::TooLong), "{error}");
}

const SMALL: &str = r#"format = 1
[expect]
check = "monotone@upstream"
shows = "violated"
[plan]
schemes = ["upstream"]
nodes = [{ id = "00000001" }, { id = "00000002" }]
events = [
  { at = "0s", node = 1, kind = "send", message = 1, to = 2 },
  { at = "1s", node = 2, kind = "receive", message = 1 },
  { at = "1s", node = 1, clock = "-2s", kind = "mint" },
]
"#;

/// What stands in the place of what, and what is said of it.
const WRONG: [(&str, &str, &str); 16] = [
    (
        "[\"upstream\"]",
        "[\"upstream\", \"hlc\", \"upstream\"]",
        "line 6, column 11: `plan.schemes`: `upstream` stands twice",
    ),
    ("format = 1\n", "", "line 1, column 1: the file lacks `format`"),
    ("format = 1", "format = 2", "line 1, column 10: `format`: found 2, expected 1"),
    (
        "\"mint\"",
        "\"mimt\"",
        "line 11, column 48: `plan.events.kind`: found `mimt`: did you \
                                  mean `mint`?",
    ),
    (
        "clock =",
        "clok =",
        "line 11, column 26: unknown key `clok` in [plan.events]: did you \
                               mean `clock`?",
    ),
    (
        "node = 2, kind",
        "node = 3, kind",
        "line 10, column 23: `plan.events.node`: found `3`, \
                                              expected a node from 1 to 2",
    ),
    (
        "kind = \"receive\", message = 1",
        "kind = \"receive\", message = 2",
        "line 10, column 3: this receive cannot be: the message was not sent before",
    ),
    (
        "to = 2 }",
        "to = 1 }",
        "line 10, column 3: this receive cannot be: the message was sent to another node",
    ),
    (
        "\"1s\", node = 1",
        "\"0.5s\", node = 1",
        "line 11, column 3: this mint cannot be: it stands after what happened later",
    ),
    (
        "kind = \"mint\"",
        "kind = \"restart\"",
        "line 9, column 3: this send cannot be: the node is down by then",
    ),
    (
        "kind = \"mint\"",
        "kind = \"clone\", of = 9",
        "line 11, column 62: `plan.events.of`: found `9`, expected a node from 1 to 2",
    ),
    (
        "kind = \"mint\"",
        "kind = \"mint\", times = 0",
        "line 11, column 64: `plan.events.times`: found 0, expected at least 1",
    ),
    (
        "kind = \"mint\"",
        "kind = \"mint\", times = 20000001",
        "line 8, column 10: `plan.events`: found 20000003 events, expected at most 20000000",
    ),
    (
        "kind = \"mint\"",
        "kind = \"client-read\", client = 1, seen = [\"1:5\"]",
        "line 11, column 83: `plan.events.seen`: found `1:5`, expected a node ID and a stamp, as \
          in `00000001:5`",
    ),
    (
        "nodes = [{ id = \"00000001\" }, { id = \"00000002\" }]",
        "nodes = []",
        "line 7, column 9: `plan.nodes`: found 0 nodes, expected 1 to 65536",
    ),
    ("\"violated\"", "\"unmet\"", "line 2, column 1: [expect] lacks `expectation`"),
];

#[test]
fn what_is_wrong_with_a_repro_is_told_with_its_place() {
    assert_eq!(Repro::parse(SMALL).unwrap().replay().verdict, Verdict::Holds);
    for (old, new, told) in WRONG {
        let text = SMALL.replace(old, new);
        assert_ne!(text, SMALL);
        let error: ScenarioError = Repro::parse(&text).unwrap_err();
        assert_eq!(error.to_string(), told);
    }
}

/// Damaged repros are refused with their place, or they are repros, which replay.
#[test]
fn damaged_repros_are_refused_or_replay() {
    const VALUES: [&str; 14] = [
        "0",
        "1",
        "-1",
        "18446744073709551615",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"-106751d\"",
        "\"106751d\"",
        "\"ffffffff\"",
        "\"uuid7\"",
        "\"receive\"",
        "\"crash\"",
    ];
    let mut rng = Streams::new(7).of_world(Purpose::Workload);
    let (_, plan) = data("everything").plan(1).unwrap();
    let failure = Repro::parse(SMALL).unwrap().failure().clone();
    let whole = Repro::new(plan, failure).to_string();
    let head: Vec<&str> = whole.lines().take_while(|line| !line.starts_with("  { at")).collect();
    let events: Vec<&str> = whole.lines().filter(|line| line.starts_with("  { at")).collect();
    let (mut refused, mut replayed) = (0, 0);
    for _ in 0..3_000 {
        let start = usize::try_from(rng.below(events.len() as u64)).unwrap();
        let some = events[start..].iter().take(12).copied();
        let mut lines: Vec<String> =
            head.iter().copied().chain(some).chain(["]"]).map(String::from).collect();
        for _ in 0..rng.below(3) {
            let line = usize::try_from(rng.below(lines.len() as u64)).unwrap();
            let words: Vec<&str> = lines[line].split(' ').collect();
            let at = usize::try_from(rng.below(words.len() as u64)).unwrap();
            let mut words: Vec<&str> = words.clone();
            words[at] = one(&mut rng, &VALUES);
            lines[line] = words.join(" ");
        }
        match Repro::parse(&lines.join("\n")) {
            Ok(repro) => {
                replayed += 1;
                drop(repro.replay());
            }
            Err(error) => {
                refused += 1;
                assert!(error.place.is_some(), "{error}");
            }
        }
    }
    assert!(refused > 1_000 && replayed > 300, "{refused} {replayed}");
}
