//! `guid serve`: what it answers, and that nothing that is sent brings it down.

#![cfg(feature = "serve")]
#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

/// A run that nobody waits for to the end.
const ENDLESS: &str = "/api/run?scenario=node-id-birthday&set.workload.ids=1000000\
                       &set.workload.drawings=100000000";

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server of the test's own, ended with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_guid"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("serving on http://").unwrap();
        let address = address.split('/').next().unwrap().to_owned();
        Self { child, address }
    }

    /// Sends bytes as they are; what comes back until the other side closes, or says no more.
    fn raw(&self, bytes: &[u8], patience: Duration) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(patience)).unwrap();
        // It may close before it has read everything.
        stream.write_all(bytes).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        answer
    }

    fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let answer = String::from_utf8_lossy(&self.raw(request.as_bytes(), PATIENCE)).into_owned();
        let status = answer.get(9..12).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{head}: {answer}")), answer)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.ask(&format!("GET {path}"), "")
    }

    /// The object of an answer.
    fn json(&self, path: &str) -> (u16, Value) {
        let (status, answer) = self.get(path);
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(body).unwrap())
    }

    /// Ends it; what it said on stderr.
    fn end(mut self) -> String {
        self.child.kill().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn from_the_list_to_the_report() {
    let server = Server::start(&[]);
    let (status, home) = server.get("/");
    assert_eq!(status, 200);
    assert!(home.contains("/scenario?scenario=lww-window-trap"));
    let (status, knobs) = server.get("/scenario?scenario=lww-window-trap");
    assert_eq!(status, 200);
    for part in ["name=\"set.workload.think\"", "placeholder=\"1s\"", "name=\"set.network.loss\""] {
        assert!(knobs.contains(part), "{part}");
    }
    let (status, page) = server.get("/run?scenario=hello-clocks&seed=7&set.workload.think=50ms");
    assert_eq!(status, 200);
    assert!(page.contains("guid sim run hello-clocks --seed 7 --set workload.think=50ms"));
    assert!(page.contains("/run?scenario=hello-clocks&amp;seed=7&amp;set.workload.think=50ms"));
    for header in ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff"]
    {
        assert!(page.contains(header), "{header}");
    }
}

#[test]
fn the_page_and_the_command_say_the_same() {
    let server = Server::start(&[]);
    let (status, answer) =
        server.get("/api/run?scenario=hello-clocks&seed=9&set.network.loss=1%25");
    assert_eq!(status, 200);
    let set = ["sim", "run", "hello-clocks", "--seed", "9", "--json", "--set", "network.loss=1%"];
    let output = Command::new(env!("CARGO_BIN_EXE_guid")).args(set).output().unwrap();
    assert_eq!(answer.split_once("\r\n\r\n").unwrap().1, String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_first_knobs_are_window_skew_think_time_loss_and_partition() {
    let server = Server::start(&[]);
    let (_, page) = server.get("/scenario?scenario=lww-window-trap&set.ids.window=d7");
    let place = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part}"));
    let keys = ["ids.window", "clock.offset-sigma", "workload.think", "network.loss"];
    let mut places = keys.map(|key| place(&format!("name=\"set.{key}\""))).to_vec();
    places.push(place("name=\"set.network.partition\""));
    places.push(place("name=\"set.ids.schemes\""));
    assert!(places.is_sorted(), "{places:?}");
    for part in ["<option value=\"d3\">d3: 275 s</option>", "value=\"d7\" selected"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn expectations_that_a_knob_took_away_are_told() {
    let server = Server::start(&[]);
    for set in ["set.ids.schemes=guid96:d7", "set.ids.window=d7"] {
        let (status, page) = server.get(&format!("/run?scenario=lww-window-trap&{set}"));
        assert_eq!(status, 200, "{set}");
        let told = "dropped: lww-lost-long-lived@guid96:d3, expected &gt;= 0.9: this run has no \
                    scheme guid96:d3";
        assert!(page.contains(told), "{set}");
    }
    let asked = "/api/run?scenario=hello-clocks&set.network.partition=5s..10s";
    let (status, split) = server.json(asked);
    assert_eq!(status, 200, "{split}");
    assert_ne!(split["trace_hash"], server.json("/api/run?scenario=hello-clocks").1["trace_hash"]);
    assert!(split.get("dropped").is_none(), "{split}");
}

#[test]
fn a_form_with_empty_fields_leads_to_the_link_without_them() {
    let server = Server::start(&[]);
    let (status, answer) =
        server.get("/run?scenario=hello-clocks&seed=&set.network.loss=&set.workload.think=5ms");
    assert_eq!(status, 303);
    assert!(
        answer.contains("location: /run?scenario=hello-clocks&set.workload.think=5ms\r\n"),
        "{answer}"
    );
}

#[test]
fn a_scenario_can_be_posted() {
    let server = Server::start(&[]);
    let body = "toml=%5Bworkload%5D%0Akind+%3D+%22chain%22&seed=3";
    let (status, page) = server.ask("POST /run", body);
    assert_eq!(status, 200);
    assert!(page.contains("kind = &quot;chain&quot;"));
    let (status, answer) = server.ask("POST /api/run", body);
    assert_eq!(status, 200, "{answer}");
    let (status, answer) = server.ask("POST /run", "toml=%5Bworklaod%5D");
    assert_eq!(status, 422);
    assert!(answer.contains("line 1, column 2"), "{answer}");
    let (status, _) = server.ask("POST /run", &format!("toml={}", "a".repeat(70_000)));
    assert_eq!(status, 413);
}

#[test]
fn what_is_wrong_is_said_beside_the_form() {
    let server = Server::start(&[]);
    for (path, status, says) in [
        ("/run?scenario=hello-clock", 404, "did you mean `hello-clocks`?"),
        ("/run?scenario=hello-clocks&set.workload.think=5parsecs", 422, "expected a duration"),
        ("/run?scenario=hello-clocks&set.ids.window=d8", 422, "expected d0 to d7"),
        ("/run?scenario=hello-clocks&set.ids.window=%22%3E%3Cscript%3Ealert", 422, "expected d0"),
        ("/run?scenario=hello-clocks&set.network.partition=9s..1s", 422, "expected two moments"),
        ("/run?scenario=hello-clocks&set.network.partition=1s..9999d", 422, "within the run"),
        ("/run?scenario=hello-clocks&set.worload.think=5s", 422, "no key `worload.think`"),
        ("/run?scenario=hello-clocks&set.scenario.nodes=60000", 422, "at most 2000"),
        ("/run?scenario=hello-clocks&seed=x", 400, "expected a whole number"),
        ("/run?scenario=hello-clocks&sed=1", 400, "field `sed`"),
        ("/run", 400, "no scenario"),
        ("/scenario?scenario=%00", 404, "no scenario"),
        ("/nowhere", 404, "no such page"),
        ("/run?scenario=%3Cscript%3Ealert(1)%3C/script%3E", 404, "&lt;script&gt;"),
    ] {
        let (found, answer) = server.get(path);
        assert_eq!(found, status, "{path}");
        assert!(answer.contains(says), "{path}: {answer}");
        assert!(!answer.contains("<script>alert"), "{path}");
        // Beside its field, or that of the key which was meant.
        assert_eq!(status == 422, answer.contains("aria-invalid=\"true\"><"), "{path}");
    }
}

#[test]
fn a_run_that_grows_too_large_or_takes_too_long_is_given_up() {
    let server = Server::start(&["--max-events", "5000", "--max-seconds", "1"]);
    let (status, error) = server.json("/api/run?scenario=lww-window-trap");
    assert_eq!(status, 422);
    assert!(error["error"].as_str().unwrap().contains("5000 events"), "{error}");
    let (status, error) = server.json(ENDLESS);
    assert_eq!(status, 422);
    assert!(error["error"].as_str().unwrap().contains("given up after 1 s"), "{error}");
    assert_eq!(server.get("/").0, 200);
}

#[test]
fn only_names_of_this_machine_are_served() {
    let server = Server::start(&[]);
    let ask = |host: &str| {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        String::from_utf8_lossy(&server.raw(request.as_bytes(), PATIENCE))
            .get(9..12)
            .map(str::to_owned)
    };
    for host in ["localhost", "localhost:1", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST"] {
        assert_eq!(ask(host).as_deref(), Some("200"), "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "[::1"]
    {
        assert!(matches!(ask(host).as_deref(), Some("421" | "400")), "{host}");
    }
    let posted = "POST /run HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\
                  Content-Length: 0\r\nConnection: close\r\n\r\n";
    assert!(server.raw(posted.as_bytes(), PATIENCE).starts_with(b"HTTP/1.1 403"));
}

#[test]
#[expect(clippy::needless_collect, reason = "all are asked before one is waited for")]
fn fifty_at_once_are_served() {
    let server = Server::start(&[]);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let ask = |seed: u32| {
            let path = format!("/run?scenario=hello-clocks&seed={seed}");
            let server = &server;
            scope.spawn(move || server.get(&path).0)
        };
        let asked: Vec<_> = (0..50).map(ask).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200; 50]);
    assert!(!server.end().contains("panicked"));
}

#[test]
#[expect(clippy::needless_collect, reason = "all are asked before one is waited for")]
fn beyond_the_queue_one_is_told_to_come_back() {
    let server = Server::start(&["--max-runs", "1", "--max-seconds", "2"]);
    let request = format!("GET {ENDLESS} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let answers: Vec<String> = thread::scope(|scope| {
        let ask = || server.raw(request.as_bytes(), Duration::from_secs(4));
        let asked: Vec<_> = (0..90).map(|_| scope.spawn(ask)).collect();
        let answers = asked.into_iter().map(|asked| asked.join().unwrap());
        answers.map(|answer| String::from_utf8_lossy(&answer).into_owned()).collect()
    });
    // One runs, 64 wait, and whoever waits for longer than these have patience gets no answer.
    let busy = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 503"));
    assert!(busy.clone().count() >= 25, "{answers:?}");
    assert!(busy.clone().all(|answer| answer.contains("retry-after: 5")));
    let known = ["HTTP/1.1 503", "HTTP/1.1 422"];
    let is_known = |answer: &String| known.iter().any(|start| answer.starts_with(start));
    assert!(answers.iter().filter(|answer| !answer.is_empty()).all(is_known), "{answers:?}");
    assert_eq!(server.get("/").0, 200);
}

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// A request that has been damaged.
fn damaged(numbers: &mut Numbers) -> Vec<u8> {
    let whole = [
        "GET /run?scenario=hello-clocks&seed=1&set.workload.think=1s HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: 35\r\n\r\ntoml=%5Bscenario%5D%0Anodes+%3D+2",
        "GET /scenario?scenario=five-regions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    ];
    let mut bytes = whole[numbers.below(whole.len())].as_bytes().to_vec();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
        match numbers.below(6) {
            0 => bytes.truncate(at),
            1 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
            2 => drop(bytes.splice(at..at, b"%".iter().copied())),
            3 => drop(bytes.splice(at..at, b"\r\n".iter().copied())),
            4 => {
                bytes = (0..numbers.below(300))
                    .map(|_| u8::try_from(numbers.below(256)).unwrap())
                    .collect();
            }
            _ => drop(bytes.splice(at..at, std::iter::repeat_n(b'9', numbers.below(20_000)))),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn a_thousand_damaged_requests_harm_nobody() {
    let server = Server::start(&[]);
    thread::scope(|scope| {
        for seed in 0..4 {
            let server = &server;
            scope.spawn(move || {
                let mut numbers = Numbers(seed);
                for _ in 0..250 {
                    let answer = server.raw(&damaged(&mut numbers), Duration::from_millis(40));
                    let is_ours = answer.starts_with(b"HTTP/1.1 500");
                    assert!(!is_ours, "{}", String::from_utf8_lossy(&answer));
                }
            });
        }
        for _ in 0..20 {
            assert_eq!(server.get("/run?scenario=hello-clocks").0, 200);
        }
    });
    assert!(!server.end().contains("panicked"));
}

/// Each asks for half a thing, and then says nothing, or posts nothing of what it announced.
#[test]
fn those_who_never_finish_asking_take_no_place_for_long() {
    let server = Server::start(&[]);
    let half = |number: usize| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let head: &[u8] = match number % 3 {
            0 => b"",
            1 => b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
            _ => b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
        };
        stream.write_all(head).unwrap();
        stream
    };
    let held: Vec<TcpStream> = (0..300).map(half).collect();
    let whole = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    // They are ended after some seconds; who is silent for a minute would be still here.
    let answer = server.raw(whole, Duration::from_secs(40));
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    drop(held);
    assert_eq!(server.end(), "");
}

#[test]
fn what_is_asked_twice_is_refused() {
    let server = Server::start(&[]);
    let (status, answer) = server.get("/run?scenario=hello-clocks&seed=1&seed=2");
    assert!(status == 400 && answer.contains("field `seed` stands there twice"), "{answer}");
}
