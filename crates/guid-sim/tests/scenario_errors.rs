//! What is wrong with a scenario file is said with its place, and the nearest right word.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use guid_sim::Scenario;

#[track_caller]
fn error(text: &str, expected: &str) {
    assert_eq!(Scenario::parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn keys_that_are_not_known() {
    error(
        "[workload]\nkind = \"lww\"\nthinks = \"1s\"",
        "line 3, column 1: unknown key `thinks` in [workload]: did you mean `think`?",
    );
    error(
        "[scenarios]\nname = \"x\"",
        "line 1, column 2: unknown key `scenarios` in the file: did you mean `scenario`?",
    );
    error(
        "[[fault]]\nat = \"1s\"\nkind = \"heal\"\nnode = 1",
        "line 4, column 1: unknown key `node` in [fault]: expected one of at, kind",
    );
    error(
        "[clock]\n[[clock.node]]\nid = 1\nofset = \"1s\"",
        "line 4, column 1: unknown key `ofset` in [clock.node]: did you mean `offset`?",
    );
}

#[test]
fn values_that_do_not_read() {
    error(
        "[scenario]\nduration = \"20\"",
        "line 2, column 12: `scenario.duration`: found `20`, expected a duration such as `250ms`, \
         `1.5s`, `20min` (ns, us, ms, s, min, h, d)",
    );
    error(
        "[scenario]\nnodes = 0",
        "line 2, column 9: `nodes`: found 0, expected 1 to 65536"
            .replace("`nodes`", "`scenario.nodes`")
            .as_str(),
    );
    error(
        "[scenario]\nnodes = -3",
        "line 2, column 9: `scenario.nodes`: found `-3`, expected a whole number in range",
    );
    error(
        "[ids]\nschemes = [\"guid96:d9\"]",
        "line 2, column 12: `ids.schemes`: found `guid96:d9`, expected guid96:d0 to guid96:d7, \
         guid96:mixed, bump:d0 to bump:d7, guid64, upstream, uuid7, ulid, snowflake, counter, \
         lamport, hlc or vector",
    );
    error(
        "[ids]\nschemes = \"hlc\"",
        "line 2, column 11: `ids.schemes`: found a value of type string, expected a list",
    );
    error(
        "[workload]\nkind = \"lwww\"",
        "line 2, column 8: `workload.kind`: found `lwww`: did you mean `lww`?",
    );
    error(
        "[network]\npreset = \"lam\"",
        "line 2, column 10: `network.preset`: found `lam`: did you mean `lan`?",
    );
    error(
        "[[fault]]\nat = \"1s\"\nkind = \"crash\"\nnode = 4",
        "line 4, column 8: `fault.node`: found `4`, expected a node from 1 to 3",
    );
    error("[[fault]]\nkind = \"heal\"", "line 1, column 1: [fault] lacks `at`");
    error(
        "[check.expect]\nunique = \"maybe\"",
        "line 2, column 1: `check.expect.unique`: found `maybe`, expected true, false, any, a \
         number, `0.4982 +- 0.03`, `>= 1`, `<= 3` or `1 .. 3`",
    );
    error("schema = 2", "line 1, column 10: `schema`: found 2, expected 1");
}

#[test]
fn values_that_cannot_be_meant() {
    error(
        "[scenario]\nnodes = 0x10",
        "line 2, column 9: `scenario.nodes`: found a number of base 16, expected a decimal one",
    );
    error(
        "[ids]\nschemes = [\"hlc\", \"hlc\"]",
        "line 2, column 11: `ids.schemes`: `hlc` stands twice",
    );
    error(
        "[network]\nlatency = \"-5s\"",
        "line 2, column 11: `network.latency`: expected a latency that is never negative (but for \
         a normal tail)",
    );
    let fault = |rest: &str| format!("[scenario]\nduration = \"1min\"\n[[fault]]\n{rest}");
    for (rest, why) in [
        (
            "at = \"2min\"\nkind = \"heal\"",
            "the heal at 120 s comes after the end of the run, 60 s",
        ),
        ("at = \"2s\"\nkind = \"restart\"\nnode = 1", "the restart at 2 s: n1 is up by then"),
    ] {
        assert_eq!(Scenario::parse(&fault(rest)).unwrap_err().message, format!("`fault`: {why}"));
    }
    for (groups, why) in [
        ("[]", "expected a list of groups, each a list of nodes"),
        ("[[], [1]]", "expected a list of groups, each a list of nodes"),
        ("[[1, 2], [2, 3]]", "a node is in two groups"),
        ("[[1, 2, 3]]", "all nodes are in one group: that splits nothing"),
    ] {
        let text = fault(&format!("at = \"1s\"\nkind = \"partition\"\ngroups = {groups}"));
        let message = Scenario::parse(&text).unwrap_err().message;
        assert_eq!(message, format!("`fault.groups`: {why}"));
    }
}

#[test]
fn clocks_links_and_faults_that_cannot_be() {
    error(
        "[clock]\npreset = \"cloud-ntp\"\n[clock.ntp]\npoll = \"1s\"",
        "line 3, column 1: `clock.ntp`: expected none: clocks of this preset are disciplined already",
    );
    error(
        "[clock]\nsine-amplitude = \"1s\"\nsine-period = \"10s\"",
        "line 3, column 15: `clock.sine-period`: expected at least thirteen times the amplitude, so \
         that clocks run forward",
    );
    error(
        "[clock.ntp]\npoll = \"10us\"",
        "line 2, column 8: `clock.ntp.poll`: expected a millisecond at least",
    );
    error("[[network.link]]\nfrom = 1", "line 1, column 1: [network.link] lacks `to`");
    error(
        "[swarm]\nkinds = [\"crush\"]",
        "line 2, column 10: `swarm.kinds`: found `crush`: did you mean `crash`?",
    );
    error("[swarm]", "line 1, column 1: `swarm.kinds`: expected a list of kinds of faults");
    let fault = |rest: &str| Scenario::parse(&format!("[[fault]]\n{rest}")).unwrap_err().message;
    for (rest, why) in [
        ("at = \"1s\"\nkind = \"clone\"\nnode = 1", "[fault] lacks `of`"),
        ("at = \"1s\"\nkind = \"one-way\"\nto = [1]", "`fault.from`: expected a list of nodes"),
        (
            "at = \"1s\"\nkind = \"restart\"\nnode = 1\nstorage = \"stale\"",
            "`fault.storage`: found `stale`: expected one of kept, lost, snapshot",
        ),
        (
            "at = \"1s\"\nkind = \"leap-smear\"\nnode = 1\nfor = \"1s\"",
            "`fault.for`: expected longer: nobody smears at more than 500000ppm",
        ),
        (
            "at = \"1s\"\nkind = \"crash\"\nnode = 1\n\
             [[fault]]\nat = \"2s\"\nkind = \"join\"\nnode = 1",
            "`fault`: the crash at 1 s: n1 is down by then",
        ),
        (
            "at = \"1s\"\nkind = \"join\"\nnode = 1\n\
             [[fault]]\nat = \"2s\"\nkind = \"clone\"\nnode = 1\nof = 2",
            "`fault`: the clone at 2 s: n1 is up by then",
        ),
    ] {
        assert_eq!(fault(rest), why);
    }
}

#[test]
fn what_is_not_toml() {
    let place = |text| {
        let error = Scenario::parse(text).unwrap_err();
        error.place.unwrap()
    };
    assert_eq!(place("[scenario\n"), (1, 10));
    assert_eq!(place("[scenario]\nname = \"ü\" \"x\""), (2, 12));
    assert_eq!(place("a = 1\na = 2"), (2, 1));
}

#[test]
fn overrides() {
    let set = |key: &str, value: &str| [(String::from(key), String::from(value))];
    let text = "[workload]\nkind = \"ids\"\nrate = \"5/s\"";
    assert!(Scenario::parse_with(text, &set("workload.rate", "7/s")).is_ok());
    let error = Scenario::parse_with(text, &set("workload.raet", "7/s")).unwrap_err();
    assert!(error.message.contains("did you mean `workload.rate`?"), "{error}");
    for path in ["scenario", "fault", "fault.at", "check.expect", "clock.node.offset"] {
        let error = Scenario::parse_with(text, &set(path, "1")).unwrap_err();
        assert!(error.message.starts_with(&format!("no key `{path}` to set")), "{error}");
    }
    let expected = Scenario::parse_with(text, &set("check.expect.unique", "false")).unwrap();
    assert_eq!(expected.run(1).unwrap().verdict, guid_sim::Verdict::Violated);
    let error = Scenario::parse_with(text, &set("workload.rate", "seven")).unwrap_err();
    assert!(error.message.contains("found `seven`"), "{error}");
}

#[test]
fn an_expectation_of_a_check_that_the_run_does_not_have() {
    let text = "[scenario]\nduration = \"1s\"\n[check]\nexpect = { uniqe = true }";
    let error = Scenario::parse(text).unwrap().run(1).unwrap_err().to_string();
    assert_eq!(error, "line 4, column 12: no check `uniqe` in this run: did you mean `unique`?");
}

const TWO_SCHEMES: &str = r#"
[scenario]
duration = "5s"
[ids]
schemes = ["guid96:d3", "hlc"]
[workload]
kind = "lww"
[check]
gaps = ["1s"]
expect = { "lww-lost@guid96:d3" = ">= 0", "pair-order-1s@guid96:d3" = ">= 0", unique = true }
"#;

fn set(key: &str, value: &str) -> [(String, String); 1] {
    [(String::from(key), String::from(value))]
}

fn dropped(text: &str, key: &str, value: &str) -> Vec<(String, String)> {
    let report = Scenario::parse_with(text, &set(key, value)).unwrap().run(1).unwrap();
    let of = |dropped: guid_sim::Dropped| (dropped.check, dropped.why);
    report.dropped.into_iter().map(of).collect()
}

#[test]
fn expectations_about_what_a_replaced_value_took_away_are_dropped() {
    assert_eq!(Scenario::parse(TWO_SCHEMES).unwrap().run(1).unwrap().dropped, []);
    assert_eq!(dropped(TWO_SCHEMES, "workload.think", "2s"), []);
    let lost = String::from("lww-lost@guid96:d3");
    let pairs = String::from("pair-order-1s@guid96:d3");
    let scheme = String::from("this run has no scheme guid96:d3");
    let set = String::from("with what is set, this run has no such check");
    let both = [(lost.clone(), scheme.clone()), (pairs.clone(), scheme)];
    assert_eq!(dropped(TWO_SCHEMES, "ids.schemes", "hlc"), both);
    assert_eq!(dropped(TWO_SCHEMES, "ids.window", "d7"), both);
    assert_eq!(dropped(TWO_SCHEMES, "workload.kind", "ids"), [(lost, set.clone())]);
    assert_eq!(dropped(TWO_SCHEMES, "check.gaps", "2s"), [(pairs, set)]);
}

#[test]
fn expectations_about_what_never_was_are_refused_whatever_is_replaced() {
    let file = "[ids]\nschemes = [\"hlc\"]\n[check]\nexpect = { \"unique@guid96:d3\" = 0 }";
    let typed = [
        (String::from("ids.schemes"), String::from("hlc")),
        (String::from("check.expect.unique@guid96:d3"), String::from("0")),
    ];
    for (text, set) in [
        (file, &set("ids.schemes", "ulid")[..]),
        (file, &set("network.loss", "1%")),
        ("[check]\nexpect = { uniqe = true }", &set("network.loss", "1%")),
        ("", &typed),
    ] {
        let error = Scenario::parse_with(text, set).unwrap().run(1).unwrap_err().to_string();
        assert!(error.contains("no check `uniq"), "{set:?}: {error}");
    }
}

#[test]
fn a_window_is_that_of_every_scheme_that_has_one() {
    let text = "[ids]\nschemes = [\"guid96:d1\", \"guid96:d3\", \"hlc\", \"upstream\"]";
    let schemes = |value| {
        let scenario = Scenario::parse_with(text, &set("ids.window", value)).unwrap();
        scenario.schemes().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(schemes(""), "guid96:d1 guid96:d3 hlc upstream");
    assert_eq!(schemes("d7"), "guid96:d7 hlc upstream:d7");
    for value in ["d8", "7", "d-1", "d07x", "275s"] {
        let error = Scenario::parse_with(text, &set("ids.window", value)).unwrap_err();
        let expected = format!("`ids.window`: found `{value}`, expected d0 to d7");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_partition_is_two_faults_in_one_value() {
    let with = |value| {
        let text = "[scenario]\nnodes = 4\nduration = \"1min\"\n[workload]\nkind = \"gossip\"";
        Scenario::parse_with(text, &set("network.partition", value))
    };
    let by_faults = "[scenario]\nnodes = 4\nduration = \"1min\"\n[workload]\nkind = \"gossip\"\n\
                     [[fault]]\nat = \"20s\"\nkind = \"partition\"\ngroups = [[1, 2]]\n\
                     [[fault]]\nat = \"40s\"\nkind = \"heal\"";
    let hash = |scenario: Scenario| scenario.run(1).unwrap().trace_hash;
    let by_faults = hash(Scenario::parse(by_faults).unwrap());
    assert_eq!(hash(with("20s..40s").unwrap()), by_faults);
    assert_ne!(hash(with("").unwrap()), by_faults);
    for value in ["20s", "40s..20s", "20s..20s", "20s..61s", "..", "a..b", "20..40", "-1s..1s"] {
        let error = with(value).unwrap_err().to_string();
        assert!(error.starts_with("`network.partition`: "), "{value}: {error}");
    }
    let alone = Scenario::parse_with("[scenario]\nnodes = 1", &set("network.partition", "1s..2s"));
    assert!(alone.unwrap_err().to_string().contains("two nodes or more"));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        drop(Scenario::parse(&text));
    }

    #[test]
    fn no_value_makes_the_reader_panic(key in 0..10_usize, value in "[-+.0-9a-zé%/() ,]{0,12}") {
        let path = ["scenario.duration", "scenario.nodes", "ids.schemes", "clock.offset-sigma",
            "network.latency", "network.loss", "workload.rate", "ids.observe", "ids.window",
            "network.partition"][key];
        let overrides = [(String::from(path), value)];
        drop(Scenario::parse_with("", &overrides));
    }
}
