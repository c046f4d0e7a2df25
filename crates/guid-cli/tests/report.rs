//! `guid sim run --report` and `guid sim picture`: one file, which loads nothing and is the same
//! every time.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

fn guid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_guid")).args(arguments).output().unwrap()
}

fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The report of a run.
fn report(name: &str, arguments: &[&str]) -> String {
    let path = place(name);
    let mut all = vec!["sim", "run"];
    all.extend(arguments);
    all.extend(["--report", path.to_str().unwrap()]);
    let output = guid(&all);
    assert!(output.status.code().is_some_and(|code| code < 64), "{output:?}");
    fs::read_to_string(path).unwrap()
}

fn picture(arguments: &[&str]) -> String {
    let output = guid(&[&["sim", "picture"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every element is closed by one of its name, but for those that have no end.
#[track_caller]
fn is_balanced(text: &str) {
    const ALONE: [&str; 4] = ["meta", "input", "br", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').unwrap() + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        match tag {
            _ if ALONE.contains(&name) || tag.ends_with('/') => {}
            _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            _ => open.push(name),
        }
        // What scripts and styles hold is no markup.
        if ["script", "style"].contains(&name) && !tag.starts_with('/') {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn a_report_is_the_same_every_time_and_another_of_another_seed() {
    let once = report("once.html", &["jepsen-strobe", "--seed", "7"]);
    assert_eq!(report("again.html", &["jepsen-strobe", "--seed", "7"]), once);
    assert_ne!(report("other.html", &["jepsen-strobe", "--seed", "8"]), once);
}

#[test]
fn a_report_holds_everything_and_loads_nothing() {
    let page = report("whole.html", &["lww-window-trap", "--set", "workload.think=2s"]);
    is_balanced(&page);
    for part in [
        "lww-lost@guid96:d3",
        "guid sim run lww-window-trap --seed 42 --set workload.think=2s",
        "Last-writer-wins on raw IDs loses writes", // the file, with its comments
        "Space-time diagram along true time",
        "Space-time diagram along each node&#39;s local time",
        "Misorder against the gap",
        "Clock offsets over time",
        "Lost updates and siblings",
        "Sorted by ID: guid96:d1 by bytes",
        "id=\"axis-local\"",
        "trace hash",
    ] {
        let told = page.to_lowercase().contains(&part.to_lowercase());
        assert!(told, "{part}");
    }
    let addresses = page.matches("http://").count() + page.matches("https://").count();
    let names = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
    assert_eq!(addresses, names, "an address that is no name of a form");
    for loads in ["src=", "url(", "@import", "<link", "fetch(", "import("] {
        assert!(!page.contains(loads), "{loads}");
    }
}

#[test]
fn what_the_scenario_expects_stands_first_with_its_picture() {
    let first = |page: &str| {
        let ids = page.split("<section id=\"").skip(1);
        let ids = ids.map(|rest| rest.split('"').next().unwrap().to_owned());
        ids.take(3).collect::<Vec<_>>()
    };
    let page = report("expected.html", &["lww-window-trap"]);
    assert_eq!(first(&page), ["expected", "lost", "verdicts"]);
    // Of the rows that all hold the table is folded; z, W and "as expected" are told.
    assert!(page.contains("<details><summary>44 guarantees"), "folded");
    for part in ["<dt>z</dt>", "<dt>W</dt>", "<dt>as expected</dt>", "<dt>scenario expects</dt>"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains(&format!("guid {}", env!("CARGO_PKG_VERSION"))));
    assert!(page.contains("lww-lost-by-time@guid96:d3: 0 of "), "the line of time order");
    let page = report("strobe.html", &["jepsen-strobe"]);
    assert_eq!(first(&page), ["expected", "space-time", "verdicts"]);
    for kind in ["clock-step", "clock-strobe", "clock-freeze"] {
        assert!(page.contains(&format!("The first {kind}")), "{kind}");
    }
    assert!(page.contains("a window ends"));
    let page = report("roaming.html", &["roaming-clients"]);
    assert_eq!(first(&page), ["expected", "lost", "verdicts"]);
    assert!(page.contains("Broken session guarantees") && page.contains("read-your-writes: "));
    let page = report("set.html", &["lww-window-trap", "--set", "ids.window=d7"]);
    assert!(page.contains("what the scenario expects is what it expects unchanged"));
    assert!(page.contains("this run has no scheme guid96:d1"));
}

#[test]
fn a_legend_has_the_signs_that_occur_and_no_others() {
    let calm = picture(&["hello-clocks", "--axis", "order"]);
    for absent in [">a fault<", ">lost<", "cut short", ">a write<", ">down<", "set back"] {
        assert!(!calm.contains(absent), "{absent}");
    }
    assert!(calm.contains("sorts before its sending"));
    let timed = picture(&["hello-clocks", "--axis", "true"]);
    assert!(timed.contains("cut short"));
    let late = picture(&["mobile-offline", "--axis", "true"]);
    let seconds = late.split('>').filter_map(|text| text.split_once(" s<")?.0.parse::<f64>().ok());
    assert!(seconds.map(f64::abs).fold(0.0, f64::max) < 7_200.0, "hours are told as hours");
    assert!(late.contains(" h<"));
}

#[test]
fn what_a_scenario_says_stands_in_the_report_as_text() {
    let path = place("hostile.toml");
    let name = r#"<script>alert(1)</script>&"'"#;
    let text = format!(
        "# </pre><script>alert(2)</script>\n[scenario]\nname = '''{name}'''\n\
         summary = '''{name}'''\nduration = \"5s\"\n"
    );
    fs::write(&path, text).unwrap();
    let page = report("hostile.html", &[path.to_str().unwrap()]);
    is_balanced(&page);
    assert_eq!(page.matches("<script>").count(), 1, "ours");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;"));
}

#[test]
fn runs_of_little_have_reports_too() {
    let nothing = "[scenario]\nnodes = 1\nduration = \"0\"\n[workload]\nrate = \"1/h\"";
    let one = "[scenario]\nnodes = 1\n[ids]\nschemes = [\"counter\"]";
    let vector = "[scenario]\nduration = \"1ms\"\n[ids]\nschemes = [\"vector\"]";
    for (at, text) in [nothing, one, vector].into_iter().enumerate() {
        let path = place(&format!("little-{at}.toml"));
        fs::write(&path, text).unwrap();
        let page = report(&format!("little-{at}.html"), &[path.to_str().unwrap()]);
        is_balanced(&page);
        assert!(!page.contains("NaN") && !page.contains("inf"), "{text}");
    }
}

#[test]
fn a_report_of_a_long_run_is_no_larger() {
    let short = report("short.html", &["lww-window-trap", "--set", "scenario.duration=2min"]);
    let long = report("long.html", &["lww-window-trap", "--set", "workload.rate=20/s"]);
    assert!(long.len() < 2 * short.len(), "{} and {}", long.len(), short.len());
    assert!(long.len() < 2_000_000);
}

#[test]
fn a_report_overwrites_neither_scenario_nor_trace() {
    let path = place("kept.toml");
    fs::write(&path, "[scenario]\nduration = \"1s\"").unwrap();
    let path = path.to_str().unwrap();
    let output = guid(&["sim", "run", path, "--report", path]);
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    assert!(fs::read_to_string(path).unwrap().starts_with("[scenario]"));
    let both = place("both.txt");
    let both = both.to_str().unwrap();
    let output = guid(&["sim", "run", path, "--trace", both, "--report", both]);
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    let output = guid(&["sim", "run", path, "--report", "/nowhere/at/all.html"]);
    assert_eq!(output.status.code(), Some(74), "{output:?}");
}

#[test]
fn a_trace_beside_a_report_is_the_trace() {
    let [alone, beside, page] = ["alone.jsonl", "beside.jsonl", "beside.html"].map(place);
    let [alone, beside, page] = [&alone, &beside, &page].map(|path| path.to_str().unwrap());
    let first = guid(&["sim", "run", "hello-clocks", "--json", "--trace", alone]);
    let second =
        guid(&["sim", "run", "hello-clocks", "--json", "--trace", beside, "--report", page]);
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(fs::read(alone).unwrap(), fs::read(beside).unwrap());
}

#[test]
fn pictures_stand_alone() {
    for kind in ["space-time", "schemes", "sort-strip", "misorder", "offsets", "lost"] {
        let svg = picture(&["skew-ramp", "--kind", kind]);
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{kind}");
        is_balanced(&svg);
        assert!(svg.contains("<title>") && svg.contains("prefers-color-scheme: dark"), "{kind}");
        assert!(!svg.contains("#010203"), "{kind}: a color that only stands for another");
    }
    let axes = ["order", "true", "local"].map(|axis| picture(&["hello-clocks", "--axis", axis]));
    assert!(axes[0] != axes[1] && axes[1] != axes[2]);
}

#[test]
fn a_picture_is_of_the_events_and_the_order_that_are_asked_for() {
    let some = picture(&["lww-window-trap", "--events", "400..410", "--axis", "order"]);
    for number in 400..410 {
        assert!(some.contains(&format!(">#{number}<")), "{number}");
    }
    assert!(!some.contains(">#399<") && !some.contains(">#410<"));
    let strip = |by| picture(&["hello-clocks", "--kind", "sort-strip", "--by", by]);
    assert!(strip("bytes").contains("24 of 36 events sort below an earlier one."));
    assert!(strip("time").contains("guid96:d3 by time"));
}

#[test]
fn wrong_pictures_are_refused() {
    for (arguments, code, says) in [
        (&["hello-clocks", "--kind", "lost"][..], 65, "No registers in this run"),
        (&["hello-clocks", "--scheme", "ulid"], 64, "expected one of lamport, hlc"),
        (&["hello-clocks", "--kind", "bits"], 64, "invalid value 'bits'"),
        (&["hello-clocks", "--events", "9..9"], 64, "expected A..B"),
        (&["helo-clocks"], 64, "did you mean `hello-clocks`?"),
    ] {
        let output = guid(&[&["sim", "picture"], arguments].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(says), "{arguments:?}: {stderr}");
    }
}
