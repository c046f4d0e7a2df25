//! Several sweeps on a server, and several collectors of one sweep.

use std::{process::Stdio, thread, time::Duration};

use crate::setting::{
    Folder, Process, Server, alone, check, collector, guid, signal, sweep_id, worker,
};

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
    signal("-STOP", &stopped);
    let later = collector(&server, &second).spawn().unwrap();
    let _worker = worker(&server);
    check(&later.wait_with_output().unwrap(), &second, &expected);
    signal("-CONT", &stopped);
    // What it had not read is gone with the sweep: it ends, and does not wait for ever.
    let ran = stopped.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(74), "{said}");
    assert!(said.contains("another collector of this sweep has ended it"), "{said}");
}

/// While both are there the first one finds that another one has begun, and says so.
#[test]
fn the_earlier_collector_of_two_ends() {
    let folder = Folder::new("earlier");
    let expected = alone(&folder);
    let server = Server::new(&folder, &[]);
    let _running = server.start();
    let (first, second) = (folder.file("first.jsonl"), folder.file("second.jsonl"));
    let earlier = collector(&server, &first).spawn().unwrap();
    sweep_id(&first);
    thread::sleep(Duration::from_secs(1));
    let later = collector(&server, &second).spawn().unwrap();
    let ran = earlier.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(74), "{said}");
    assert!(said.contains("another collector of this sweep has begun: it goes on"), "{said}");
    thread::sleep(Duration::from_secs(6));
    let _worker = worker(&server);
    let ran = later.wait_with_output().unwrap();
    check(&ran, &second, &expected);
    // Nobody worked for some seconds: who watched was told.
    assert!(String::from_utf8_lossy(&ran.stderr).contains("no worker yet"));
}
