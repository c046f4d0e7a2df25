//! Somebody dies, sleeps or comes late, and nothing changes.

use std::{fs, thread, time::Duration};

use crate::setting::{
    Folder, Process, RUNS, Server, alone, alone_of, check, collector, collector_of, said, signal,
    sweep_of, wait_for, worker,
};

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

/// The disk of the server is gone, and all streams with it: they are made anew.
#[test]
fn a_server_that_lost_its_disk_is_filled_again() {
    let folder = Folder::new("disk");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let mut running = server.start();
    let out = folder.file("out.jsonl");
    let collector = collector(&server, &out).spawn().unwrap();
    let _workers = [worker(&server), worker(&server)];
    wait_for(&out, RUNS / 6);
    running.kill();
    fs::remove_dir_all(&server.store).unwrap();
    let done = fs::read_to_string(&out).unwrap().lines().count();
    assert!(done < RUNS, "it was lost mid-way");
    let _again = server.start();
    let ran = collector.wait_with_output().unwrap();
    check(&ran, &out, &expected);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("the server has lost its streams: they are made anew"), "{said}");
}

/// A worker that was taken for dead comes back: what it did is there twice, and the same.
#[test]
fn a_worker_that_slept_does_its_runs_twice() {
    const MANY: usize = 1_000;
    let folder = Folder::new("slept");
    let out = folder.file("alone.jsonl");
    let expected = alone_of(&sweep_of(MANY, &out), MANY, &out);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let collector = collector_of(&sweep_of(MANY, &out), 5, &server).spawn().unwrap();
    let mut sleeper = worker(&server);
    wait_for(&out, 20);
    signal("-STOP", &sleeper.0);
    // Longer than its runs are kept for it.
    thread::sleep(Duration::from_secs(3));
    let done = fs::read_to_string(&out).unwrap().lines().count();
    let mut other = worker(&server);
    // In the file they are in order: the other one has done the sleeper's.
    wait_for(&out, done + 10);
    signal("-CONT", &sleeper.0);
    check(&collector.wait_with_output().unwrap(), &out, &expected);
    let runs = [&mut sleeper, &mut other].map(|worker| {
        let said = said(worker);
        let runs = said.lines().find_map(|line| line.strip_suffix(" runs done"));
        let runs = runs.and_then(|line| line.strip_prefix("guid: "));
        runs.unwrap_or_else(|| panic!("{said}")).parse::<usize>().unwrap()
    });
    assert!(runs.iter().sum::<usize>() > MANY, "some were done twice: {runs:?}");
}

/// Twenty thousand runs and three workers, one of which is killed and one of which comes late.
#[test]
fn many_runs_come_to_the_bytes_of_one_thread() {
    const MANY: usize = 20_000;
    let folder = Folder::new("many");
    let file = folder.file("short.toml");
    let text = "scenario.duration = \"1s\"\nworkload = { kind = \"lww\", think = \"100ms\" }\n\
                ids.schemes = [\"guid96\"]\n";
    fs::write(&file, text).unwrap();
    let short = |out: &str| -> Vec<String> {
        let arguments = format!(
            "sim sweep {file} --seeds 0..{} --vary network.loss=0,5% --json --out {out}",
            MANY / 2
        );
        arguments.split_whitespace().map(str::to_owned).collect()
    };
    let out = folder.file("alone.jsonl");
    let one_thread = [short(&out), ["--threads", "1"].map(str::to_owned).into()].concat();
    let expected = alone_of(&one_thread, MANY, &out);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let out = folder.file("out.jsonl");
    let collector = collector_of(&short(&out), 20, &server).spawn().unwrap();
    let (mut killed, mut stays) = (worker(&server), worker(&server));
    wait_for(&out, MANY / 20);
    killed.kill();
    let done = fs::read_to_string(&out).unwrap().lines().count();
    assert!(done < MANY, "it was killed mid-way");
    let mut late = worker(&server);
    check(&collector.wait_with_output().unwrap(), &out, &expected);
    assert!(stays.0.wait().unwrap().success() && late.0.wait().unwrap().success());
}
