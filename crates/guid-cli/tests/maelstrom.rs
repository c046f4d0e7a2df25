//! `guid maelstrom`: our node passes its tests under faults, and keeps to the protocol.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    io::Write,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

fn guid(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_guid")).args(args).output().unwrap()
}

/// Runs a short test of a workload; the exit code and the JSON of what was found.
fn test(workload: &str, args: &[&str]) -> (i32, Value) {
    let mut all = vec!["maelstrom", "test", workload, "--json"];
    if !args.contains(&"--time") {
        all.extend(["--time", "2s", "--settle", "2s"]);
    }
    all.extend(args);
    let output = guid(&all);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let found = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    (output.status.code().unwrap(), found)
}

const FAULTS: [&str; 12] = [
    "--rate",
    "50",
    "--timeout",
    "1s",
    "--every",
    "500ms",
    "--latency",
    "10ms",
    "--loss",
    "10%",
    "--partition",
    "--kill",
];

/// Under all faults our node is valid; and there were faults, and most requests were answered.
fn passes(workload: &str) {
    let (exit, found) = test(workload, &FAULTS);
    assert_eq!((exit, &found["verdict"]), (0, &json!("holds")), "{found}");
    assert!(found["kills"].as_u64() >= Some(1) && found["partitions"].as_u64() >= Some(1));
    let requests = |how: &str| found["requests"][how].as_u64().unwrap();
    assert!(requests("ok") > requests("failed") + requests("unknown"), "{found}");
}

#[test]
fn echo_passes() {
    passes("echo");
}

#[test]
fn unique_ids_pass() {
    passes("unique-ids");
}

#[test]
fn broadcast_passes() {
    passes("broadcast");
}

#[test]
fn a_g_set_passes() {
    passes("g-set");
}

#[test]
fn a_g_counter_passes() {
    passes("g-counter");
}

#[test]
fn a_pn_counter_passes() {
    passes("pn-counter");
}

/// Killed again and again under load, it never gives an ID twice.
#[test]
fn ids_are_unique_over_many_kills() {
    let args = "--kill --every 50ms --rate 500 --timeout 200ms --time 6s --settle 0s";
    let (exit, found) = test("unique-ids", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(exit, 0, "{found}");
    // Some 120 kills, of one of three nodes each, and some 2,000 IDs: half of either is enough.
    assert!(found["kills"].as_u64() >= Some(50), "{found}");
    assert!(found["outcome"]["acknowledged"].as_u64() >= Some(500), "{found}");
    assert_eq!(found["outcome"]["duplicated"], json!(0), "{found}");
}

/// What an earlier test left would be taken for this one's.
#[test]
fn a_folder_with_something_in_it_is_refused() {
    let folder = std::env::temp_dir().join(format!("guid-maelstrom-twice-{}", std::process::id()));
    let name = folder.to_str().unwrap();
    let again = || guid(&["maelstrom", "test", "g-set", "--time", "1s", "--folder", name]);
    assert_eq!(again().status.code(), Some(0));
    let refused = again();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(64), "{said}");
    assert!(said.contains("is not empty"), "{said}");
    fs::remove_dir_all(folder).unwrap();
}

/// The history of an echo is one that `guid history` reads.
#[test]
fn the_history_of_an_echo_is_judged_again() {
    let file = std::env::temp_dir().join(format!("guid-echo-{}.jsonl", std::process::id()));
    let name = file.to_str().unwrap();
    let (exit, found) = test("echo", &["--history", name, "--time", "1s", "--settle", "0s"]);
    assert_eq!(exit, 0, "{found}");
    let judged = guid(&["history", "--json", name]);
    fs::remove_file(&file).unwrap();
    let outcome: Value = serde_json::from_slice(&judged.stdout).unwrap();
    assert_eq!((judged.status.code(), &outcome), (Some(0), &found["outcome"]));
    assert!(outcome["acknowledged"].as_u64() >= Some(1), "{outcome}");
}

/// A signal ends a test as its end does: no process and no folder is left.
#[cfg(target_os = "linux")]
#[test]
fn signals_leave_nothing_behind() {
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let number = format!("{}{code}", std::process::id());
        let temporary = std::env::temp_dir().join(format!("guid-maelstrom-signal-{number}"));
        fs::create_dir_all(&temporary).unwrap();
        let mark = format!("87654.{number}");
        let script = format!("sleep {mark} & {} maelstrom node echo", env!("CARGO_BIN_EXE_guid"));
        // Who runs tests in the background ignores SIGINT, and so would what they start.
        let running = Command::new("env")
            .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_guid")])
            .args(["maelstrom", "test", "echo", "--time", "2min", "--bin", "sh", "--", "-c"])
            .arg(&script)
            .env("TMPDIR", &temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let left = || {
            let found = Command::new("pgrep").args(["-f", &format!("^sleep {mark}")]).output();
            String::from_utf8(found.unwrap().stdout).unwrap().lines().count()
        };
        #[expect(clippy::disallowed_methods, reason = "processes live in real time")]
        let sleep = || std::thread::sleep(std::time::Duration::from_millis(20));
        let started = (0..1_000).any(|_| {
            sleep();
            left() == 3
        });
        assert!(started && fs::read_dir(&temporary).unwrap().count() == 1);
        let pid = running.id().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success()
        );
        let ended = running.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{said}");
        assert!(said.contains("ended by signal") && ended.stdout.is_empty(), "{said}");
        assert_eq!((left(), fs::read_dir(&temporary).unwrap().count()), (0, 0));
        fs::remove_dir_all(temporary).unwrap();
    }
}

/// What a node says to lines, one answer a line.
fn node(workload: &str, lines: &[Value]) -> Vec<Value> {
    let lines = node_lines(workload, lines);
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn node_lines(workload: &str, lines: &[Value]) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
        .args(["maelstrom", "node", workload])
        .env_remove("GUID_STATE_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        let text = line.as_str().map_or_else(|| line.to_string(), str::to_owned);
        writeln!(stdin, "{text}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(str::to_owned).collect()
}

fn to_node(body: &Value) -> Value {
    json!({"src": "c1", "dest": "n1", "body": body})
}

fn init() -> Value {
    to_node(&json!({"type": "init", "msg_id": 1, "node_id": "n1", "node_ids": ["n1"]}))
}

#[test]
fn replies_are_exact() {
    let ask = |kind| to_node(&json!({"type": kind, "msg_id": 2, "element": [1], "echo": null}));
    let bodies = |replies: Vec<Value>| -> Vec<Value> {
        replies.iter().map(|reply| reply["body"].clone()).collect()
    };
    assert_eq!(
        bodies(node("g-set", &[init(), ask("add"), ask("read"), ask("topology")])),
        [
            json!({"type": "init_ok", "in_reply_to": 1}),
            json!({"type": "add_ok", "in_reply_to": 2}),
            json!({"type": "read_ok", "in_reply_to": 2, "value": [[1]]}),
            json!({"type": "topology_ok", "in_reply_to": 2}),
        ]
    );
    assert_eq!(
        bodies(node("echo", &[init(), ask("echo")]))[1],
        json!({"type": "echo_ok", "in_reply_to": 2, "echo": null})
    );
}

/// What a client says comes back digit by digit, whatever its numbers.
#[test]
fn numbers_of_clients_come_back_as_they_were_written() {
    let mut wide =
        ["123456789012345678901234567890", "1e999", "0.12345678901234567890123", "1.50", "7"];
    let ask = |body: &str| Value::from(format!(r#"{{"src":"c1","dest":"n1","body":{{{body}}}}}"#));
    let adds = wide.map(|n| ask(&format!(r#""type":"broadcast","msg_id":2,"message":{n}"#)));
    let read = ask(r#""type":"read","msg_id":3"#);
    let said = node_lines("broadcast", &[&[init()], &adds[..], &[read]].concat());
    let read = said.last().unwrap();
    let list = read.split_once('[').unwrap().1.split_once(']').unwrap().0;
    let mut found: Vec<&str> = list.split(',').collect();
    found.sort_unstable();
    wide.sort_unstable();
    assert_eq!(found, wide);
    let echo = ask(r#""type":"echo","msg_id":4,"echo":[1e999, 1.50]"#);
    let said = node_lines("echo", &[init(), echo]);
    assert!(said[1].contains("[1e999, 1.50]"), "{said:?}");
}

/// A counter does not go further than its readers can count.
#[test]
fn a_counter_ends_at_64_bits() {
    let most = i64::MAX;
    let add = |delta: Value| to_node(&json!({"type": "add", "msg_id": 2, "delta": delta}));
    let read = to_node(&json!({"type": "read", "msg_id": 3}));
    let body = |replies: &[Value], at: usize, key: &str| replies[at]["body"][key].clone();
    for workload in ["g-counter", "pn-counter"] {
        let beyond = add(json!(9_223_372_036_854_775_808_u64));
        let said = node(workload, &[init(), beyond, add(json!(most)), add(json!(1)), read.clone()]);
        assert_eq!(body(&said, 1, "code"), json!(12), "{workload}: a number beyond");
        assert_eq!(body(&said, 2, "type"), json!("add_ok"));
        assert_eq!(body(&said, 3, "code"), json!(22), "{workload}: a sum beyond");
        assert_eq!(body(&said, 4, "value"), json!(most));
    }
}

#[test]
fn what_cannot_be_answered_is_refused_with_its_code() {
    let code = |workload: &str, lines: &[Value]| {
        node(workload, lines).last().map(|reply| reply["body"]["code"].clone())
    };
    let ask = |body| to_node(&body);
    // Before `init`.
    assert_eq!(code("g-set", &[ask(json!({"type": "read", "msg_id": 1}))]), Some(json!(11)));
    for (workload, body, expected) in [
        ("g-set", json!({"type": "generate", "msg_id": 2}), 10),
        ("unique-ids", json!({"type": "read", "msg_id": 2}), 10),
        ("g-set", json!({"type": "add", "msg_id": 2}), 12),
        ("g-set", json!({"msg_id": 2}), 12),
        ("g-counter", json!({"type": "add", "msg_id": 2, "delta": -1}), 12),
        ("pn-counter", json!({"type": "add", "msg_id": 2, "delta": 1.5}), 12),
        ("echo", json!({"type": "echo", "msg_id": 2}), 12),
        ("echo", json!({"type": "init", "msg_id": 2, "node_id": "n1", "node_ids": []}), 12),
    ] {
        let found = code(workload, &[init(), ask(body.clone())]);
        assert_eq!(found, Some(json!(expected)), "{workload}: {body}");
    }
}

/// Lines that are no messages, and news that is none, are passed over.
#[test]
fn nonsense_ends_nothing() {
    let lines = [
        json!("no json"),
        json!("{\"src\": 1}"),
        init(),
        to_node(&json!({"type": "guid_news"})),
        to_node(&json!({"type": "guid_news", "news": {"Greeting": 5}})),
        to_node(&json!({"type": "read"})),
        to_node(&json!({"type": "read", "msg_id": "odd"})),
    ];
    let replies = node("g-set", &lines);
    assert_eq!(replies.len(), 2, "{replies:?}");
    assert_eq!(replies[1]["body"]["in_reply_to"], json!("odd"));
}

/// What was acknowledged before a kill is there after it: the state file holds it.
#[test]
fn the_state_file_is_written_before_the_answer() {
    let folder = std::env::temp_dir().join(format!("guid-maelstrom-state-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let state = folder.to_str().unwrap();
    let run = |lines: &[Value]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
            .args(["maelstrom", "node", "pn-counter", "--state", state])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for line in lines {
            writeln!(stdin, "{line}").unwrap();
        }
        drop(stdin);
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    run(&[init(), to_node(&json!({"type": "add", "msg_id": 2, "delta": -7}))]);
    let said = run(&[init(), to_node(&json!({"type": "read", "msg_id": 3}))]);
    assert!(said.contains(r#""value":-7"#), "{said}");

    fs::write(folder.join("n1.pn-counter.json"), "{}").unwrap();
    let said = run(&[init()]);
    assert!(said.contains("is damaged") && said.contains(r#""code":13"#), "{said}");
    fs::remove_dir_all(folder).unwrap();
}

/// A node that is a script: what the script started is killed with it.
#[cfg(target_os = "linux")]
#[test]
fn what_a_node_started_does_not_outlive_it() {
    let mark = format!("98765.{}", std::process::id());
    let script = format!("sleep {mark} & {} maelstrom node echo", env!("CARGO_BIN_EXE_guid"));
    let (exit, found) =
        test("echo", &["--kill", "--every", "500ms", "--bin", "sh", "--", "-c", &script]);
    assert_eq!(exit, 0, "{found}");
    let left = Command::new("pgrep").args(["-f", &format!("^sleep {mark}")]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}

/// One node sends without end; the other one answers `init`, and reads no more.
#[test]
fn a_node_that_does_not_read_is_told() {
    let script = r#"read -r line; name=$(echo "$line" | sed 's/.*"node_id":"\([^"]*\)".*/\1/')
        echo '{"src":"'$name'","dest":"c0","body":{"type":"init_ok","in_reply_to":1}}'
        [ $name = n2 ] && exec sleep 60
        exec yes '{"src":"n1","dest":"n2","body":{"type":"much"}}'"#;
    let (exit, found) = test("echo", &["--nodes", "2", "--bin", "sh", "--", "-c", script]);
    assert_eq!(exit, 1, "{found}");
    let faults = found["faults"].to_string();
    assert!(faults.contains("n2 does not read what it is told: 16384 lines wait"), "{faults}");
}

#[test]
fn the_report_shows_every_answer_and_what_was_done() {
    let page = std::env::temp_dir().join(format!("guid-answers-{}.html", std::process::id()));
    let report = ["--report", page.to_str().unwrap(), "--kill", "--every", "500ms"];
    let (exit, found) = test("unique-ids", &report);
    let text = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    assert_eq!(exit, 0, "{found}");
    let (ok, kills) = (found["requests"]["ok"].as_u64().unwrap(), found["kills"].as_u64().unwrap());
    assert!(ok > 0 && text.contains("unique-ids on 3 nodes"));
    // A mark an answer, and one in the legend.
    assert_eq!(text.matches("class=\"p p0\"").count() as u64, ok + 1);
    assert!(text.contains(&format!("answered: {ok}<")));
    assert_eq!(text.matches("<td>kill</td>").count() as u64, kills);
    assert!(!text.contains("src=") && !text.contains("href="), "nothing is loaded");
}
