//! What the tests have in common: folders, servers, collectors and workers that end with a test.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

pub(crate) const RUNS: usize = 600;

/// A folder of its own, gone at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("guid-nats-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A process that does not outlive its test.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn kill(&mut self) {
        self.0.kill().ok();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) store: String,
    extra: Vec<String>,
}

impl Server {
    pub(crate) fn new(folder: &Folder, extra: &[&str]) -> Self {
        let extra = extra.iter().copied().map(str::to_owned).collect();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { port: free.local_addr().unwrap().port(), store: folder.file("store"), extra }
    }

    pub(crate) fn start(&self) -> Process {
        let port = self.port.to_string();
        let arguments = ["-js", "-a", "127.0.0.1", "-p", &port, "-sd", &self.store];
        let mut command = Command::new("nats-server");
        command.args(arguments).args(&self.extra).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Process(command.spawn().expect("nats-server is installed"));
        for _ in 0..200 {
            if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return process;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("nats-server does not listen");
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

pub(crate) fn guid(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
    command.args(arguments).env_remove("GUID_NATS").stdin(Stdio::null());
    command
}

pub(crate) fn sweep(out: &str) -> Vec<String> {
    sweep_of(RUNS, out)
}

pub(crate) fn sweep_of(runs: usize, out: &str) -> Vec<String> {
    let seeds = format!("0..{}", runs / 2);
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

pub(crate) fn collector(server: &Server, out: &str) -> Command {
    collector_of(&sweep(out), 5, server)
}

pub(crate) fn collector_of(arguments: &[String], chunk: u32, server: &Server) -> Command {
    let mut command = guid(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let chunk = chunk.to_string();
    command.args(["--nats", &server.url(), "--chunk", &chunk, "--ack-wait", "2s"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn worker(server: &Server) -> Process {
    let mut command = guid(&["sim", "worker", "--threads", "1", "--nats", &server.url()]);
    Process(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
}

/// What a process says on stderr until it ends.
pub(crate) fn said(process: &mut Process) -> String {
    std::io::read_to_string(process.0.stderr.take().unwrap()).unwrap()
}

pub(crate) fn signal(signal: &str, process: &Child) {
    let pid = process.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

/// The first line of a file of results, as soon as it is there: which sweep it is of.
pub(crate) fn sweep_id(out: &str) -> String {
    wait_for(out, 1);
    let text = fs::read_to_string(out).unwrap();
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    header["sweep"].as_str().unwrap().to_owned()
}

/// What one process alone writes, says, and ends with.
pub(crate) fn alone(folder: &Folder) -> (String, Vec<u8>, Option<i32>) {
    let out = folder.file("alone.jsonl");
    alone_of(&sweep(&out), RUNS, &out)
}

pub(crate) fn alone_of(
    arguments: &[String],
    runs: usize,
    out: &str,
) -> (String, Vec<u8>, Option<i32>) {
    let ran = guid(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap();
    let text = fs::read_to_string(out).unwrap();
    assert_eq!(text.lines().count(), 1 + runs, "{}", String::from_utf8_lossy(&ran.stderr));
    (text, ran.stdout, ran.status.code())
}

/// Waits until a file has so many lines.
pub(crate) fn wait_for(path: &str, lines: usize) {
    for _ in 0..3_000 {
        let text = fs::read_to_string(Path::new(path)).unwrap_or_default();
        if text.lines().count() >= lines {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{path} does not reach {lines} lines");
}

pub(crate) fn check(ran: &Output, out: &str, (text, said, code): &(String, Vec<u8>, Option<i32>)) {
    assert_eq!(ran.status.code(), *code, "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(fs::read_to_string(out).unwrap() == *text, "the files differ");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(said));
}
