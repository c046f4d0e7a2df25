//! Sweeps: the same bytes, however the work is divided, stopped and begun again.

#![expect(clippy::unwrap_used, reason = "a test fails there")]

use std::convert::Infallible;

use guid_sim::{
    Scenario, Verdict,
    sweep::{Outcome, Results, Shard, Sweep, SweepError, Totals, merge},
};

const TEXT: &str = r#"
[scenario]
name = "little"
nodes = 4
duration = "60s"

[clock]
preset = "cloud-ntp"

[workload]
kind = "lww"
rate = "2/s"

[sweep]
seeds = "10..30"
vary = { "workload.think" = ["1s", "10s"], "network.loss" = [0, "20%"] }
"#;

fn sweep() -> Sweep {
    Sweep::new(TEXT, &[], &[], None).unwrap()
}

/// The lines of a shard from a place on, and what they come to.
fn run(sweep: &Sweep, shard: Shard, place: u64, threads: usize) -> (Vec<String>, Totals) {
    let (mut lines, mut totals) = (Vec::new(), Totals::default());
    let ran = sweep.run_from(shard, place, threads, |outcome| {
        totals.add(&outcome);
        lines.push(outcome.line());
        Ok::<(), Infallible>(())
    });
    assert_eq!(ran, Ok(()));
    (lines, totals)
}

fn shown(totals: &Totals) -> String {
    serde_json::to_string(&totals.points().collect::<Vec<_>>()).unwrap()
}

#[test]
fn threads_shards_and_stops_change_no_byte() {
    let sweep = sweep();
    let (lines, totals) = run(&sweep, Shard::WHOLE, 0, 1);
    assert_eq!((lines.len() as u64, totals.runs), (sweep.jobs(), sweep.jobs()));
    for threads in [2, 3, 16] {
        let (again, others) = run(&sweep, Shard::WHOLE, 0, threads);
        assert_eq!((&again, shown(&others)), (&lines, shown(&totals)));
    }
    let (rest, _) = run(&sweep, Shard::WHOLE, 33, 2);
    assert_eq!(rest, lines[33..]);
    let shards = ["1/3", "2/3", "3/3"].map(|shard| run(&sweep, shard.parse().unwrap(), 0, 2).0);
    let merged: Vec<String> =
        (0..lines.len()).map(|job| shards[job % 3][job / 3].clone()).collect();
    assert_eq!(merged, lines);
    let elsewhere = Sweep::parse(&sweep.definition()).unwrap();
    assert_eq!((elsewhere.id(), run(&elsewhere, Shard::WHOLE, 0, 1).0), (sweep.id(), lines));
}

#[test]
fn a_job_is_the_run_of_its_point_and_seed() {
    let sweep = sweep();
    assert_eq!((sweep.points(), sweep.jobs()), (4, 80));
    // The first axis is the slowest.
    let set = [("workload.think".into(), "10s".into()), ("network.loss".into(), "0".into())];
    assert_eq!(sweep.settings(2), set);
    assert_eq!(sweep.job(2 * 20 + 7), (2, 17));
    let outcome = sweep.run(2 * 20 + 7);
    let alone = Scenario::parse_with(TEXT, &set).unwrap().run(17).unwrap();
    assert_eq!((&outcome.trace_hash, outcome.events), (&alone.trace_hash, alone.events));
    for figure in &outcome.checks {
        let check = alone.get(&figure.check).unwrap();
        assert_eq!((figure.count, figure.of), (check.count, check.of));
        assert_eq!((figure.measured, figure.expected), (check.measured, check.expected));
    }
    assert_eq!(Outcome::parse(&outcome.line()), Ok(outcome));
}

#[test]
fn the_figures_of_a_point_are_those_of_its_runs() {
    let sweep = sweep();
    let (lines, totals) = run(&sweep, Shard::WHOLE, 0, 2);
    let outcomes: Vec<Outcome> = lines.iter().map(|line| Outcome::parse(line).unwrap()).collect();
    for point in totals.points() {
        let runs = || outcomes.iter().filter(|outcome| outcome.point == point.point);
        assert_eq!(point.runs, 20);
        assert_eq!(point.events, runs().map(|outcome| outcome.events).sum::<u64>());
        let lost = point.checks.iter().find(|check| check.check == "lww-lost@guid96:d3").unwrap();
        let of_run = |outcome: &Outcome| {
            let found = outcome.checks.iter().find(|figure| figure.check == lost.check);
            found.unwrap().measured.0
        };
        let mut measured: Vec<f64> = runs().map(of_run).collect();
        measured.sort_unstable_by(f64::total_cmp);
        let mean = measured.iter().sum::<f64>() / 20.0;
        assert!((lost.mean.0 - mean).abs() < 1e-12);
        assert!((lost.min.0, lost.max.0) == (measured[0], measured[19]));
        assert!((lost.p50.0 - measured[9]).abs() <= 0.011 * measured[9]);
        let [low, high] = lost.mean_ci95.unwrap();
        assert!(low < lost.mean && lost.mean < high);
        assert_eq!((lost.runs, lost.holds + lost.violated + lost.unknown), (20, 20));
    }
    // Thinking for longer loses fewer overwrites.
    let mean = |point: usize| {
        let summary = totals.points().nth(point).unwrap();
        summary.checks.iter().find(|c| c.check == "lww-lost@guid96:d3").unwrap().mean.0
    };
    assert!(mean(0) > mean(2) && mean(1) > mean(3));
}

#[test]
fn a_run_that_is_given_up_is_an_outcome_and_the_others_go_on() {
    let vary = [("scenario.max-events".into(), vec!["10".into(), "1000000".into()])];
    let sweep = Sweep::new(TEXT, &[], &vary, Some(0..5)).unwrap();
    let (lines, totals) = run(&sweep, Shard::WHOLE, 0, 2);
    assert_eq!(totals.verdict(), Verdict::Unknown);
    // The points of 10 events: the first of every two, as this axis is the fastest.
    let given_up: Vec<u64> = totals.points().map(|point| point.given_up).collect();
    assert_eq!(given_up, [5, 0, 5, 0, 5, 0, 5, 0]);
    let outcome = Outcome::parse(&lines[0]).unwrap();
    assert!(outcome.error.unwrap().contains("given up after 10 events"));
}

#[test]
fn an_error_of_the_caller_ends_it_at_once() {
    let sweep = sweep();
    let mut taken = 0;
    let ended = sweep.run_from(Shard::WHOLE, 0, 2, |_| {
        taken += 1;
        if taken == 5 { Err("full") } else { Ok(()) }
    });
    assert_eq!((ended, taken), (Err("full"), 5));
}

fn refused(text: &str, vary: &[(&str, &[&str])], seeds: Option<std::ops::Range<u64>>) -> String {
    let vary: Vec<(String, Vec<String>)> = (vary.iter())
        .map(|(key, values)| ((*key).into(), values.iter().map(|&v| v.into()).collect()))
        .collect();
    Sweep::new(text, &[], &vary, seeds).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_swept_is_refused_before_anything_runs() {
    type Vary<'a> = &'a [(&'a str, &'a [&'a str])];
    let cases: [(&str, Vary<'_>, &str); 9] = [
        (
            "",
            &[("netwrk.loss", &["0"])],
            "netwrk.loss=0: no key `netwrk.loss` to set: did you mean `network.loss`?",
        ),
        ("", &[("network.loss", &["0", "2"])], "network.loss=2: `network.loss`: found `2`"),
        ("", &[("network.loss", &[])], "`network.loss` cannot be varied: it has no values"),
        ("", &[("network.loss", &["0", "0"])], "`network.loss` cannot be varied: `0` stands twice"),
        ("", &[("scenario.seed", &["1", "2"])], "give a range of seeds"),
        ("", &[("sweep.seeds", &["0..1"])], "give a range of seeds"),
        (
            "sweep.sedes = 3",
            &[],
            "line 1, column 7: unknown key `sedes` in [sweep]: did you mean `seeds`?",
        ),
        ("sweep.seeds = 3", &[], "line 1, column 15: `sweep.seeds`: found `3`, expected A..B"),
        (
            "sweep.vary = { a = 3 }",
            &[],
            "line 1, column 20: `sweep.vary.a`: found a value of type integer, expected a list",
        ),
    ];
    for (text, vary, expected) in cases {
        let error = refused(text, vary, None);
        assert!(error.starts_with(expected) || error.contains(expected), "{error}\n{expected}");
    }
    assert!(refused("", &[], Some(5..5)).contains("no seeds"));
    assert!(refused("", &[], Some(0..u64::MAX)).contains("fewer seeds"));
    let many: Vec<String> = (1..=101).map(|value| value.to_string()).collect();
    let axis = |key: &str| (String::from(key), many.clone());
    let vary = [axis("scenario.nodes"), axis("workload.rate")];
    let error = Sweep::new("", &[], &vary, None).unwrap_err();
    assert!(matches!(error, SweepError::TooLarge(_)), "{error}");
}

#[test]
fn a_definition_of_another_version_is_refused() {
    let definition = sweep().definition();
    let version = concat!("\"version\":\"", env!("CARGO_PKG_VERSION"), "\"");
    let other = definition.replace(version, "\"version\":\"99.0.0\"");
    assert_ne!(other, definition);
    assert!(matches!(Sweep::parse(&other), Err(SweepError::Version { .. })));
    assert!(matches!(Sweep::parse("{}"), Err(SweepError::Definition(_))));
    assert!(Outcome::parse("{\"job\":1,").unwrap_err().to_string().starts_with("column "));
}

/// The file of a shard.
fn file(sweep: &Sweep, shard: &str) -> String {
    let shard: Shard = shard.parse().unwrap();
    let lines = run(sweep, shard, 0, 1).0;
    [sweep.header(shard).line()].into_iter().chain(lines).map(|line| line + "\n").collect()
}

fn merged(files: &[&str]) -> Result<String, String> {
    let files = files.iter().map(|text| Results::new(text.as_bytes()).unwrap()).collect();
    let mut lines = String::new();
    let header = merge(files, |line, outcome| {
        assert_eq!(outcome.line(), line);
        lines += &format!("{line}\n");
        Ok::<(), String>(())
    });
    let header = header.map_err(|error| error.to_string())?.unwrap();
    Ok(format!("{}\n{lines}", header.line()))
}

#[test]
fn shards_merge_to_the_file_of_the_whole_and_what_is_wrong_with_them_is_said() {
    let sweep = sweep();
    let whole = file(&sweep, "1/1");
    let [one, two, three] = ["1/3", "2/3", "3/3"].map(|shard| file(&sweep, shard));
    assert_eq!(merged(&[&three, &one, &two]).unwrap(), whole);
    assert_eq!(merged(&[&whole, &two]).unwrap(), whole, "what overlaps agrees");
    assert!(merged(&[&one, &three]).unwrap_err().starts_with("job 1 is in none of the files"));
    let torn = &two[..two.len() - 5];
    assert!(merged(&[&one, torn, &three]).unwrap_err().starts_with("job 79 is in none"));
    let other = Sweep::new(TEXT, &[], &[], Some(10..31)).unwrap();
    assert!(merged(&[&one, &file(&other, "2/3")]).unwrap_err().starts_with("file 2 is of another"));
    let changed = two.replacen("\"events\":1", "\"events\":2", 1);
    assert_ne!(changed, two);
    let error = merged(&[&whole, &changed]).unwrap_err();
    assert!(error.contains("to one thing in file 1 and to another in file 2"), "{error}");
    assert_eq!(merge(Vec::<Results<&[u8]>>::new(), |_, _| Ok::<(), ()>(())).unwrap(), None);
}

#[test]
fn a_file_of_results_says_where_it_is_wrong() {
    let whole = file(&sweep(), "1/1");
    let read = |text: &str| {
        let mut results = Results::new(text.as_bytes()).map_err(|error| error.to_string())?;
        while results.next_outcome().map_err(|error| error.to_string())?.is_some() {}
        Ok::<u64, String>(results.whole_bytes())
    };
    assert_eq!(read(&whole), Ok(whole.len() as u64));
    for cut in [whole.len() - 1, whole.len() / 2, whole.find('\n').unwrap() + 1] {
        let whole_lines = whole[..cut].rfind('\n').unwrap() + 1;
        assert_eq!(read(&whole[..cut]), Ok(whole_lines as u64));
    }
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.swap(3, 4);
    assert!(
        read(&(lines.join("\n") + "\n"))
            .unwrap_err()
            .starts_with("line 4: found job 3, expected job 2")
    );
    assert!(read("").unwrap_err().starts_with("line 1: found nothing"));
    assert!(read("{}\n").unwrap_err().starts_with("line 1: expected the header of a sweep"));
    for (from, to) in [
        ("\"point\":0,", "\"point\":999,"),
        ("\"seed\":12,", "\"seed\":13,"),
        ("\"set\":[[\"workload.think\",\"1s\"]", "\"set\":[[\"workload.think\",\"2s\"]"),
    ] {
        let (head, body) = whole.split_once('\n').unwrap();
        let wrong = format!("{head}\n{}", body.replacen(from, to, 1));
        assert_ne!(wrong, whole);
        assert!(read(&wrong).unwrap_err().contains("found another one"), "{from}");
    }
    for (from, to) in [("10..30", "30..10"), ("\"jobs\":80", "\"jobs\":81"), ("10..30", "10..31")] {
        let wrong = whole.replacen(from, to, 1);
        assert!(read(&wrong).unwrap_err().starts_with("line 1: "), "{from}");
    }
    let wrong = whole.replacen("\"job\":5", "\"jab\":5", 1);
    assert!(read(&wrong).unwrap_err().starts_with("line 7: column"), "{:?}", read(&wrong));
    let long = format!("{}\n{}\n", lines[0], "x".repeat(1 << 20));
    assert!(read(&long).unwrap_err().starts_with("line 2: longer than"));
}
