//! Sweeps over a real NATS server: workers die and come late, the collector is killed and begun
//! again, the server goes away and comes back. The bytes are those of one process.
//!
//! Needs `nats-server`: behind the feature `test-nats`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]
#![expect(clippy::disallowed_methods, reason = "servers live in real time")]

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

const RUNS: usize = 600;

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("guid-nats-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A process that does not outlive its test.
struct Process(Child);

impl Process {
    fn kill(&mut self) {
        self.0.kill().ok();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

struct Server {
    port: u16,
    store: String,
    extra: &'static [&'static str],
}

impl Server {
    fn new(folder: &Folder, extra: &'static [&'static str]) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { port: free.local_addr().unwrap().port(), store: folder.file("store"), extra }
    }

    fn start(&self) -> Process {
        let port = self.port.to_string();
        let arguments = ["-js", "-a", "127.0.0.1", "-p", &port, "-sd", &self.store];
        let mut command = Command::new("nats-server");
        command.args(arguments).args(self.extra).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Process(command.spawn().expect("nats-server is installed"));
        for _ in 0..200 {
            if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return process;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("nats-server does not listen");
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

fn guid(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
    command.args(arguments).env_remove("GUID_NATS").stdin(Stdio::null());
    command
}

fn sweep(out: &str) -> Vec<String> {
    let seeds = format!("0..{}", RUNS / 2);
    let arguments = [
        "sim",
        "sweep",
        "hello-clocks",
        "--seeds",
        &seeds,
        "--vary",
        "network.loss=0,5%",
        "--json",
        "--out",
        out,
    ];
    arguments.map(str::to_owned).into()
}

fn collector(server: &Server, out: &str) -> Command {
    let arguments = sweep(out);
    let mut command = guid(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    command.args(["--nats", &server.url(), "--chunk", "5", "--ack-wait", "2s"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn worker(server: &Server) -> Process {
    let mut command = guid(&["sim", "worker", "--threads", "1", "--nats", &server.url()]);
    Process(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// What one process alone writes, says, and ends with.
fn alone(folder: &Folder) -> (String, Vec<u8>, Option<i32>) {
    let out = folder.file("alone.jsonl");
    let arguments = sweep(&out);
    let ran = guid(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap();
    let text = fs::read_to_string(out).unwrap();
    assert_eq!(text.lines().count(), 1 + RUNS, "{}", String::from_utf8_lossy(&ran.stderr));
    (text, ran.stdout, ran.status.code())
}

/// Waits until a file has so many lines.
fn wait_for(path: &str, lines: usize) {
    for _ in 0..3_000 {
        let text = fs::read_to_string(Path::new(path)).unwrap_or_default();
        if text.lines().count() >= lines {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{path} does not reach {lines} lines");
}

fn check(ran: &Output, out: &str, (text, said, code): &(String, Vec<u8>, Option<i32>)) {
    assert_eq!(ran.status.code(), *code, "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(fs::read_to_string(out).unwrap() == *text, "the files differ");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(said));
}

#[test]
fn workers_that_die_and_come_late_change_nothing() {
    let folder = Folder::new("workers");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let collector = collector(&server, &out).spawn().unwrap();
    let (mut killed, mut stays) = (worker(&server), worker(&server));
    wait_for(&out, RUNS / 6);
    killed.kill();
    let mut late = worker(&server);
    let ran = collector.wait_with_output().unwrap();
    check(&ran, &out, &expected);
    // The sweep is done: workers end by themselves.
    assert!(stays.0.wait().unwrap().success() && late.0.wait().unwrap().success());
}

#[test]
fn a_collector_that_was_killed_is_begun_again() {
    let folder = Folder::new("collector");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let mut first = Process(collector(&server, &out).spawn().unwrap());
    let _workers = [worker(&server), worker(&server)];
    wait_for(&out, RUNS / 6);
    first.kill();
    let done = fs::read_to_string(&out).unwrap().lines().count();
    assert!(done < RUNS, "it was killed mid-way");
    let ran = collector(&server, &out).output().unwrap();
    check(&ran, &out, &expected);
    assert!(String::from_utf8_lossy(&ran.stderr).contains("going on behind"));
}

#[test]
fn a_server_that_goes_away_is_waited_for() {
    let folder = Folder::new("server");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let mut running = server.start();
    let out = folder.file("out.jsonl");
    let collector = collector(&server, &out).spawn().unwrap();
    let _workers = [worker(&server), worker(&server), worker(&server)];
    wait_for(&out, RUNS / 6);
    running.kill();
    thread::sleep(Duration::from_secs(1));
    let _again = server.start();
    let ran = collector.wait_with_output().unwrap();
    check(&ran, &out, &expected);
}

#[test]
fn a_password_is_asked_for_and_not_told() {
    let folder = Folder::new("password");
    let server = Server::new(&folder, &["--user", "sweeper", "--pass", "s@cret"]);
    let _running = server.start();
    let port = server.port;
    let try_with = |who: &str| {
        let url = format!("nats://{who}127.0.0.1:{port}");
        let idle = ["--idle", "1s"];
        guid(&["sim", "worker", "--nats", &url]).args(idle).output().unwrap()
    };
    let right = try_with("sweeper:s%40cret@");
    assert!(right.status.success(), "{}", String::from_utf8_lossy(&right.stderr));
    for who in ["", "sweeper:wrong-word@"] {
        let ran = try_with(who);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(74), "{said}");
        assert!(said.contains("authorization"), "{said}");
        assert!(!said.contains("wrong-word"), "{said}");
    }
}

/// A sweep beside another one, whose collector begins and ends while the first one waits.
#[test]
fn sweeps_beside_each_other_do_not_meet() {
    let folder = Folder::new("beside");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let slow = collector(&server, &out).spawn().unwrap();
    thread::sleep(Duration::from_secs(1));
    let other = ["sim", "sweep", "hello-clocks", "--seeds", "7..30", "--nats"];
    let other = guid(&other).arg(server.url()).stdout(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_secs(1));
    let _workers = [worker(&server), worker(&server)];
    assert!(Process(other).0.wait().unwrap().code() <= Some(1));
    check(&slow.wait_with_output().unwrap(), &out, &expected);
}

/// Of two collectors of one sweep the later one goes on, and the first one says so and ends.
#[test]
fn the_later_collector_of_a_sweep_takes_over() {
    let folder = Folder::new("later");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let (first, second) = (folder.file("first.jsonl"), folder.file("second.jsonl"));
    let mut stopped = collector(&server, &first);
    let stopped = stopped.args(["--patience", "5s"]).spawn().unwrap();
    thread::sleep(Duration::from_secs(1));
    let pid = stopped.id().to_string();
    assert!(Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
    let later = collector(&server, &second).spawn().unwrap();
    let _worker = worker(&server);
    check(&later.wait_with_output().unwrap(), &second, &expected);
    assert!(Command::new("kill").args(["-CONT", &pid]).status().unwrap().success());
    // What it had not read is gone with the sweep: it ends, and does not wait for ever.
    let ran = stopped.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(74), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Whoever may write to the server may write nonsense: it is passed over.
#[test]
fn nonsense_in_the_streams_harms_nobody() {
    use std::io::Write;
    let folder = Folder::new("nonsense");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let running = collector(&server, &out).spawn().unwrap();
    wait_for(&out, 1);
    let header: serde_json::Value =
        serde_json::from_str(fs::read_to_string(&out).unwrap().lines().next().unwrap()).unwrap();
    let id = header["sweep"].as_str().unwrap();
    thread::sleep(Duration::from_secs(1));
    let mut client = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let mut say = |subject: &str, text: &str| {
        write!(client, "PUB {subject} {}\r\n{text}\r\n", text.len()).unwrap();
    };
    for text in ["", "nonsense", "{}", "{\"first\":5,\"end\":99999999999}"] {
        say(&format!("guid.jobs.{id}"), text);
        say(&format!("guid.results.{id}"), text);
        say("guid.sweep.nonsense", text);
    }
    thread::sleep(Duration::from_millis(300));
    let _workers = [worker(&server), worker(&server)];
    let ran = running.wait_with_output().unwrap();
    check(&ran, &out, &expected);
    assert!(String::from_utf8_lossy(&ran.stderr).contains("what is no result: passed over"));
}
