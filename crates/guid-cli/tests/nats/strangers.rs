//! Whoever can write to the server can write anything; and workers can die of anything.

use std::{thread, time::Duration};

use crate::setting::{
    Folder, RUNS, Server, alone, check, collector, collector_of, said, sweep, sweep_id, worker,
};

/// A client without a library: it takes jobs, and gives them back as a worker that dies does.
struct Client(std::net::TcpStream, std::io::BufReader<std::net::TcpStream>);

impl Client {
    fn new(server: &Server) -> Self {
        use std::io::{BufRead, Write};
        let stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let mut lines = std::io::BufReader::new(stream.try_clone().unwrap());
        lines.read_line(&mut String::new()).unwrap();
        let mut client = Self(stream, lines);
        write!(client.0, "CONNECT {{\"verbose\":false}}\r\nSUB jobs 1\r\n").unwrap();
        client
    }

    fn say(&mut self, subject: &str, text: &str) {
        use std::io::Write;
        write!(self.0, "PUB {subject} {}\r\n{text}\r\n", text.len()).unwrap();
    }

    /// Takes the next job and refuses it; which one it is, and how often it was given out.
    fn refuse(&mut self, id: &str) -> (u32, u32) {
        use std::io::{BufRead, Write};
        let next = format!("$JS.API.CONSUMER.MSG.NEXT.guid-jobs-{id}.workers");
        let ask = "{\"batch\":1,\"expires\":20000000000}";
        write!(self.0, "PUB {next} jobs {}\r\n{ask}\r\n", ask.len()).unwrap();
        loop {
            let mut line = String::new();
            assert!(self.1.read_line(&mut line).unwrap() > 0, "the server hung up");
            // `MSG subject sid reply bytes`; the reply is `$JS.ACK.stream.consumer.often.which...`
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() == Some(&"PING") {
                write!(self.0, "PONG\r\n").unwrap();
            } else if let [_, _, _, reply, _] = words[..]
                && reply.starts_with("$JS.ACK.")
            {
                let reply = reply.to_owned();
                self.say(&reply, "-NAK");
                let mut numbers = reply.split('.').skip(4).map(|word| word.parse().unwrap());
                let often = numbers.next().unwrap();
                return (numbers.next().unwrap(), often);
            }
        }
    }
}

/// Whoever may write to the server may write nonsense: it is passed over.
#[test]
fn nonsense_in_the_streams_harms_nobody() {
    let folder = Folder::new("nonsense");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let running = collector(&server, &out).spawn().unwrap();
    let id = sweep_id(&out);
    thread::sleep(Duration::from_secs(1));
    let mut client = Client::new(&server);
    let mut say = |subject: &str, text: &str| client.say(subject, text);
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

/// Workers of different builds, or a run that is not deterministic: the second result differs.
#[test]
fn results_that_differ_end_the_sweep() {
    let folder = Folder::new("differ");
    let (text, ..) = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let running = collector(&server, &out).spawn().unwrap();
    let id = sweep_id(&out);
    thread::sleep(Duration::from_secs(1));
    let line = text.lines().nth(1).unwrap();
    let other = line.replacen("\"events\":", "\"events\":1", 1);
    let mut client = Client::new(&server);
    client.say(&format!("guid.results.{id}"), line);
    client.say(&format!("guid.results.{id}"), &other);
    let ran = running.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(65), "{said}");
    assert!(said.contains("run 0 came to one thing on one worker and to another"), "{said}");
}

/// Some workers die over a range of runs: they are given out one by one, and all is well.
#[test]
fn runs_that_workers_died_over_are_given_out_alone() {
    let folder = Folder::new("preempted");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let all = u32::try_from(RUNS).unwrap();
    let collector = collector_of(&sweep(&out), all, &server).spawn().unwrap();
    let id = sweep_id(&out);
    thread::sleep(Duration::from_secs(1));
    let mut dying = Client::new(&server);
    assert_eq!([1, 2, 3].map(|_| dying.refuse(&id)), [(1, 1), (1, 2), (1, 3)]);
    let _worker = worker(&server);
    check(&collector.wait_with_output().unwrap(), &out, &expected);
}

/// One run that every worker dies of ends the sweep, with its name. Typed again it goes on.
#[test]
fn a_run_that_workers_die_of_is_named() {
    let folder = Folder::new("deadly");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let first = collector_of(&sweep(&out), 1, &server).spawn().unwrap();
    let id = sweep_id(&out);
    thread::sleep(Duration::from_secs(1));
    let mut dying = Client::new(&server);
    // What is given back is given out again before anything else, if it is there in time.
    while dying.refuse(&id) != (1, 8) {
        thread::sleep(Duration::from_millis(100));
    }
    let mut worker = worker(&server);
    let ran = first.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(74), "{told}");
    assert!(told.contains("run 0 was given to 8 workers"), "{told}");
    assert!(told.contains("guid sim run --set network.loss=0 --seed 0"), "{told}");
    check(&collector(&server, &out).output().unwrap(), &out, &expected);
    assert!(said(&mut worker).contains("run 0 was given to 8 workers"));
}

/// A sweep of another version is for other workers: these go on with their own, and end with it.
#[test]
fn a_sweep_of_another_version_is_left_alone() {
    let folder = Folder::new("version");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let running = collector(&server, &out).spawn().unwrap();
    sweep_id(&out);
    thread::sleep(Duration::from_secs(1));
    let other = serde_json::json!({"collector": "1", "sweep": serde_json::json!({
        "guid_sweep": 1, "version": "99.0.0", "scenario": "", "set": [], "vary": [],
        "first_seed": 0, "end_seed": 1,
    }).to_string()});
    Client::new(&server).say("guid.sweep.0other", &other.to_string());
    let mut worker = worker(&server);
    check(&running.wait_with_output().unwrap(), &out, &expected);
    let told = said(&mut worker);
    assert!(worker.0.wait().unwrap().success(), "{told}");
    assert!(
        told.contains("the sweep is of version 99.0.0") && told.contains("left alone"),
        "{told}"
    );
}
