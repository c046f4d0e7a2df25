//! What the pages say is true: the scenario of the README reads, the tables name what exists.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{fs, path::Path};

use guid_sim::{BUILTIN, Log, LogRules, Repro, Scenario, Verdict, meaning};

const README: &str = include_str!("../../README.md");
const SCENARIOS: &str = include_str!("../SCENARIOS.md");
const TESTING: &str = include_str!("../TESTING.md");
const SHRINK: &str = include_str!("../SHRINK.md");
const TRACES: &str = include_str!("../TRACES.md");

/// The code blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_scenario_of_the_readme_runs_and_comes_out() {
    let mut texts = blocks(README, "toml");
    texts.retain(|text| text.contains("[scenario]"));
    let [text] = texts[..] else { panic!("one scenario in the README") };
    let scenario = Scenario::parse(text).unwrap();
    for seed in 0..5 {
        let report = scenario.run(seed).unwrap();
        assert_eq!(report.verdict, Verdict::Holds, "seed {seed}: {:?}", report.checks);
    }
}

/// A block `rs` below `<!-- file: PATH -->` is that file, which is compiled and run.
#[test]
fn files_that_the_readme_shows_are_those_that_run() {
    let marked: Vec<&str> = README.split("\n<!-- file: ").skip(1).collect();
    assert!(!marked.is_empty());
    for rest in marked {
        let (path, rest) = rest.split_once(" -->\n```rs\n").unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path);
        let text = fs::read_to_string(&file).unwrap();
        let (_, text) = text.split_once("\n\n").unwrap(); // below what the file says it is
        assert_eq!(rest.split("```").next().unwrap(), text, "{path}");
    }
}

/// The package of the README names every crate that its programs use, where it lies.
#[test]
fn the_package_of_the_readme_has_what_its_programs_use() {
    let blocks = blocks(README, "toml");
    let package = blocks.iter().find(|text| text.contains("[package]")).unwrap();
    let (own, of_tests) = package.split_once("[dev-dependencies]").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (part, name) in [(own, "guid-core"), (own, "guid-crdt"), (of_tests, "guid-sim")] {
        assert!(
            part.contains(&format!("\n{name} = {{ path = \".../crates/{name}\" }}\n")),
            "{name}"
        );
        assert!(root.join("crates").join(name).join("Cargo.toml").exists());
    }
    let uses = README.lines().filter_map(|line| line.strip_prefix("use guid_"));
    let crates = uses.filter_map(|rest| rest.split("::").next());
    assert!(crates.clone().count() >= 4);
    for name in crates {
        assert!(package.contains(&format!("\nguid-{name} = ")), "{name}");
    }
}

/// The names in the first column of the table under a heading.
fn documented(page: &str, heading: &str) -> Vec<String> {
    let section = page.split(heading).nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `"));
    cells
        .flat_map(|line| line.split(" | ").next().unwrap().split("`, `"))
        .map(|name| name.trim_end_matches('`').replace("…", "lww-lost-long-lived"))
        .collect()
}

#[test]
fn every_check_of_every_scenario_is_documented() {
    let documented = documented(SCENARIOS, "\n## Checks\n");
    assert!(documented.contains(&String::from("vector-iff")));
    for builtin in BUILTIN {
        let scenario = builtin.scenario().unwrap();
        let report = scenario.run(scenario.seed()).unwrap();
        for check in report.checks.iter().chain(&report.measures) {
            let named = !meaning(&check.name).is_empty();
            let known = documented.iter().any(|name| {
                *name == check.name
                    || name == "pair-order-GAP" && check.name.starts_with("pair-order-")
            });
            // What a process counts by a name of its own has no meaning that we could tell.
            assert_eq!(known, named, "{}", check.name);
        }
    }
}

/// A key that is not known is answered with those that are: each of them must be in the page.
#[test]
fn every_key_of_a_scenario_is_documented() {
    for section in ["scenario", "ids", "clock", "clock.ntp", "network", "swarm", "check"] {
        let text = format!("[{section}]\nqqqqqqqqqqqqqqqqqqqqqqqq = 1");
        let error = Scenario::parse(&text).unwrap_err().message;
        let keys = error.split("expected one of ").nth(1).unwrap();
        for key in keys.split(", ").filter(|&key| !["node", "ntp", "link"].contains(&key)) {
            assert!(SCENARIOS.contains(&format!("`{key}`")), "[{section}] {key}");
        }
    }
}

#[test]
fn the_log_of_the_page_about_traces_is_one() {
    let [text] = blocks(TRACES, "json")[..] else { panic!("one log in the page") };
    let report = Log::parse(text, LogRules::default()).unwrap().check();
    assert_eq!(report.schemes, ["guid96:d3"]);
    assert_eq!(report.get("happens-before@guid96:d3").unwrap().verdict, Verdict::Holds);
    assert_eq!(report.get("edge-order@guid96:d3").unwrap().of, 1);
}

/// Kinds of lines are answered with those that are: each of them must be in the page.
#[test]
fn the_repro_of_the_page_about_shrinking_fails_as_it_says() {
    let [text] = blocks(SHRINK, "toml")[..] else { panic!("one repro in the page") };
    assert_eq!(Repro::parse(text).unwrap().replay().verdict, Verdict::Holds);
    let unknown = text.replace("\"send\"", "\"qqqqqqqqqqqqqqqqqqqqqqqq\"");
    let error = Repro::parse(&unknown).unwrap_err().message;
    let kinds = error.split("expected one of ").nth(1).unwrap();
    assert!(kinds.split(", ").all(|kind| SHRINK.contains(&format!("`{kind}`"))), "{kinds}");
}

/// The bug of the page is the example's, and what it says is what the example prints.
#[test]
fn the_bug_of_the_page_about_testing_is_found() {
    const EXAMPLE: &str = include_str!("../../examples/08_a_bug_in_many_worlds.rs");
    const PRINTED: &str = include_str!("../../examples/08_a_bug_in_many_worlds.stdout");
    assert!(EXAMPLE.ends_with(blocks(TESTING, "rust")[0]));
    assert_eq!(blocks(TESTING, "text"), [PRINTED]);
}
