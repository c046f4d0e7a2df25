//! `guid sim sweep` and `guid sim merge`: what they write, how they end, what they refuse.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("guid-sweep-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let text = "scenario.duration = \"30s\"\nworkload = { kind = \"lww\", think = \"1s\" }\n\
                    sweep = { seeds = \"0..12\", vary = { \"network.loss\" = [0, \"5%\"] } }\n";
        fs::write(path.join("mine.toml"), text).unwrap();
        Self(path)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
        command.args(["sim"]).args(arguments.split(' ')).current_dir(&self.0);
        command.env_remove("GUID_NATS").stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a command that must end like this; returns what it said on stdout and on stderr.
    fn ends(&self, code: i32, arguments: &str) -> (String, String) {
        let ran = self.run(arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(ran.stdout), text(ran.stderr));
        assert_eq!(ran.status.code(), Some(code), "{arguments}\n{out}\n{err}");
        (out, err)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

#[test]
fn a_sweep_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = Folder::new("resume");
    let (said, _) = folder.ends(0, "sweep mine.toml --out whole.jsonl --csv whole.csv --json");
    let whole = folder.read("whole.jsonl");
    assert_eq!(whole.lines().count(), 1 + 24);
    for cut in [0, 10, whole.len() / 3, whole.len() - 1] {
        fs::write(folder.0.join("cut.jsonl"), &whole[..cut]).unwrap();
        let (again, told) =
            folder.ends(0, "sweep mine.toml --out cut.jsonl --csv cut.csv --json --threads 2");
        assert_eq!((again, folder.read("cut.jsonl")), (said.clone(), whole.clone()));
        assert_eq!(folder.read("cut.csv"), folder.read("whole.csv"));
        assert_eq!(told.contains("going on behind"), cut > 10, "{told}");
    }
    // Nothing is left to do: it is said again.
    assert_eq!(folder.ends(0, "sweep mine.toml --out whole.jsonl --json").0, said);
    let rows = folder.read("whole.csv");
    let head =
        "job,seed,network.loss,events,trace_hash,check,verdict,count,of,measured,expected,z,error";
    assert_eq!(rows.lines().next(), Some(head));
    let wide = |line: &&str| line.split(',').count() != head.split(',').count();
    assert_eq!(rows.lines().find(wide), None);
}

#[test]
fn shards_are_merged_to_the_same_bytes() {
    let folder = Folder::new("merge");
    let (said, _) = folder.ends(0, "sweep mine.toml --out whole.jsonl");
    for shard in 1..=3 {
        folder.ends(0, &format!("sweep mine.toml --shard {shard}/3 --out {shard}.jsonl"));
    }
    let merged = folder.ends(0, "merge 3.jsonl 1.jsonl 2.jsonl --out merged.jsonl --csv m.csv");
    assert_eq!((merged.0, folder.read("merged.jsonl")), (said, folder.read("whole.jsonl")));
    assert!(folder.ends(65, "merge 1.jsonl 3.jsonl").1.contains("job 1 is in none of the files"));
    folder.ends(0, "sweep mine.toml --seeds 0..13 --out other.jsonl");
    let (_, told) = folder.ends(65, "merge 1.jsonl other.jsonl");
    assert!(told.contains("1.jsonl, other.jsonl: file 2 is of another sweep"), "{told}");
    assert!(
        folder.ends(65, "merge mine.toml").1.contains("mine.toml: line 1: expected the header")
    );
    folder.ends(74, "merge nowhere.jsonl");
}

#[test]
fn the_report_is_one_file_that_says_what_was_measured() {
    let folder = Folder::new("report");
    let vary = "--vary workload.think=1s,20s --set scenario.name=<b>&";
    folder.ends(0, &format!("sweep mine.toml {vary} --out a.jsonl --report a.html"));
    folder.ends(0, "merge a.jsonl --report b.html --json");
    let page = folder.read("a.html");
    assert_eq!(page, folder.read("b.html"), "from the same results, the same page");
    assert!(page.contains("Sweep of &lt;b&gt;&amp;") && !page.contains("<b>"));
    assert!(page.contains("48 runs at 4 points") && page.contains("seeds 0..12"));
    assert!(!page.contains("src=") && !page.contains("href="), "nothing is loaded");
    let mean = |check: &str| page.find(&format!("<h3>{check}</h3>"));
    assert!(mean("lww-lost@guid96:d3") < mean("k-radius@guid96:d3"));
    assert!(mean("lww-lost@guid96:d3").is_some() && mean("unique@guid96:d3").is_none());
    // A mark for each point, and one for the legend.
    let chart = page.split("<h3>lww-lost@guid96:d3</h3>").nth(1).unwrap();
    let chart = chart.split("</svg>").next().unwrap();
    assert_eq!(chart.matches("class=\"p p0\"").count(), 5);
    assert_eq!(chart.matches("class=\"p p1 hollow\"").count(), 5);
}

#[test]
fn what_it_should_not_write_over_is_left_alone() {
    let folder = Folder::new("refuse");
    let text = folder.read("mine.toml");
    folder.ends(64, "sweep mine.toml --out mine.toml");
    folder.ends(64, "sweep mine.toml --csv mine.toml");
    folder.ends(64, "sweep mine.toml --out x --csv x");
    folder.ends(64, "sweep mine.toml --out x --csv ./x");
    folder.ends(64, "sweep mine.toml --out ../x --report .././x");
    folder.ends(64, "sweep mine.toml --report mine.toml");
    folder.ends(64, "sweep mine.toml --csv x --report x");
    fs::write(folder.0.join("notes.txt"), "mine\n").unwrap();
    let (_, told) = folder.ends(65, "sweep mine.toml --out notes.txt");
    assert!(told.contains("notes.txt: line 1: expected the header of a sweep"), "{told}");
    folder.ends(0, "sweep mine.toml --seeds 0..2 --out results.jsonl");
    let results = folder.read("results.jsonl");
    let (_, told) = folder.ends(65, "sweep mine.toml --seeds 0..3 --out results.jsonl");
    assert!(told.contains("results of another sweep"), "{told}");
    assert_eq!((folder.read("mine.toml"), folder.read("notes.txt")), (text, "mine\n".to_owned()));
    assert_eq!(folder.read("results.jsonl"), results);
    // The last run is done again: who changed it is told.
    let last = results.lines().last().unwrap();
    let changed = results.replace(last, &last.replacen("\"events\":", "\"events\":1", 1));
    fs::write(folder.0.join("results.jsonl"), changed).unwrap();
    let (_, told) = folder.ends(65, "sweep mine.toml --seeds 0..2 --out results.jsonl");
    assert!(told.contains("run 3 came to something else before"), "{told}");
}

#[test]
fn it_ends_as_its_runs_do_and_says_which_were_violated() {
    let folder = Folder::new("ends");
    let expect = "sweep mine.toml --seeds 0..3 --set check.expect.unique=false";
    let (said, _) = folder.ends(1, expect);
    assert!(said.contains("unique@guid96:d3 is violated by seeds 0, 1, 2"), "{said}");
    let given_up = "sweep mine.toml --seeds 0..3 --set scenario.max-events=10";
    let (said, _) = folder.ends(2, given_up);
    assert!(said.contains("3 unknown, of which 3 were given up: seeds [0, 1, 2]"), "{said}");
}

#[test]
fn what_cannot_be_swept_is_told_before_anything_runs() {
    let folder = Folder::new("wrong");
    for (code, arguments, expected) in [
        (65, "sweep mine.toml --vary netwrk.loss=0,1%", "did you mean `network.loss`?"),
        (
            65,
            "sweep mine.toml --vary network.loss=0,2",
            "network.loss=2: `network.loss`: found `2`",
        ),
        (64, "sweep mine.toml --vary network.loss", "expected KEY=VALUE,VALUE"),
        (64, "sweep mine.toml --seeds 5..5", "expected A..B with A less than B"),
        (64, "sweep mine.toml --shard 4/3", "expected I/N with I from 1 to N"),
        (64, "sweep mine.toml --threads 0", "0 is not in 1..=1024"),
        (64, "sweep no-such", "no scenario `no-such` ships"),
        (74, "sweep nowhere.toml", "nowhere.toml"),
        (64, "sweep mine.toml --out /dev/null", "expected a file, or the name of a new one"),
        (64, "sweep mine.toml --set network.loss=1% --vary network.loss=0", "it is set as well"),
        (65, "sweep mine.toml --set network.loss=1%", "mine.toml: `network.loss` cannot be varied"),
        (64, "merge", "required"),
    ] {
        let (said, told) = folder.ends(code, arguments);
        assert!(said.is_empty() && told.contains(expected), "{arguments}\n{told}");
    }
    let (_, told) = folder.ends(
        0,
        "sweep mine.toml --seeds 0..1 --vary ids.schemes=ulid,uuid7;guid64 --out listed.jsonl",
    );
    assert!(told.is_empty() && folder.read("listed.jsonl").contains("ulid,uuid7"));
}

#[test]
fn bars_compare_the_points_of_a_grid_where_they_are_asked_for() {
    let folder = Folder::new("bars");
    let vary = "sweep mine.toml --seeds 0..2 --vary workload.think=1s,200s \
                --set scenario.duration=10min";
    let (plain, _) = folder.ends(0, vary);
    let (drawn, _) = folder.ends(0, &format!("{vary} --bars always"));
    assert!(!plain.contains('█'));
    let lost = drawn.split("\nlww-lost@guid96:d3\n").nth(1).unwrap();
    let bar = |think: &str| {
        let label = format!("  network.loss=0  workload.think={think} ");
        let line = lost.lines().find(|line| line.starts_with(&label)).unwrap();
        line.matches('█').count()
    };
    assert!(bar("1s") > bar("200s"), "{lost}");
    let (json, _) = folder.ends(0, &format!("{vary} --json"));
    assert_eq!(json, folder.ends(0, &format!("{vary} --json --bars always")).0);
}

/// Twenty thousand runs on one thread, on two, and as two shards: the same bytes, the same said.
#[test]
fn many_runs_do_not_depend_on_who_does_them() {
    let folder = Folder::new("many");
    let text = "scenario.duration = \"1s\"\nworkload = { kind = \"lww\", think = \"100ms\" }\n\
                ids.schemes = [\"guid96\"]\n";
    fs::write(folder.0.join("short.toml"), text).unwrap();
    let sweep = "sweep short.toml --seeds 0..10000 --vary network.loss=0,5% --json";
    let (said, _) = folder.ends(0, &format!("{sweep} --threads 1 --out one.jsonl"));
    let one = folder.read("one.jsonl");
    assert_eq!(one.lines().count(), 1 + 20_000);
    assert!(said.lines().last().unwrap().contains("\"runs\":20000"), "{said}");
    let (again, _) = folder.ends(0, &format!("{sweep} --threads 2 --out two.jsonl"));
    assert!(again == said && folder.read("two.jsonl") == one, "two threads differ");
    for shard in 1..=2 {
        folder.ends(0, &format!("{sweep} --threads 1 --shard {shard}/2 --out {shard}.jsonl"));
    }
    let (merged, _) = folder.ends(0, "merge 2.jsonl 1.jsonl --json --out merged.jsonl");
    assert!(merged == said && folder.read("merged.jsonl") == one, "two shards differ");
}

/// The environment has a server; a shard is for this machine all the same.
#[test]
fn a_server_in_the_environment_is_not_typed() {
    let folder = Folder::new("environment");
    let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
    command.args(["sim", "sweep", "mine.toml", "--seeds", "0..4", "--shard", "1/2"]);
    command.env("GUID_NATS", "nats://nowhere.invalid").current_dir(&folder.0);
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    folder.ends(64, "sweep mine.toml --shard 1/2 --nats nats://nowhere.invalid");
}

/// What is swept may stand in `[sweep]` itself, under the name of the key.
#[test]
fn keys_may_stand_in_the_section_itself() {
    let folder = Folder::new("section");
    let text = folder.read("mine.toml");
    let (said, _) = folder.ends(0, "sweep mine.toml --json");
    let vary = "vary = { \"network.loss\" = [0, \"5%\"] }";
    let short = text.replace(vary, "\"network.loss\" = [0, \"5%\"]");
    assert_ne!(short, text);
    fs::write(folder.0.join("mine.toml"), short.clone()).unwrap();
    assert_eq!(folder.ends(0, "sweep mine.toml --json").0, said);
    fs::write(folder.0.join("mine.toml"), short.replace("network.loss", "netwrk.loss")).unwrap();
    let (_, told) = folder.ends(65, "sweep mine.toml");
    assert!(told.contains("did you mean `network.loss`?"), "{told}");
    fs::write(folder.0.join("mine.toml"), short.replace("seeds =", "seed =")).unwrap();
    let (_, told) = folder.ends(65, "sweep mine.toml");
    assert!(told.contains("unknown key `seed`") && told.contains("`seeds`?"), "{told}");
}
