//! Real processes: killed two hundred times, and two on one file.
//!
//! A test starts its own program again, for the same test, with the file named in the environment:
//! then it is the child.

use std::{
    env,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use guid_core::{DurableGenerator, FileHighWater, Guid, HighWaterError, NodeId};

use crate::folder::Folder;

const NODE: NodeId = NodeId::new(7);
const FILE: &str = "GUID_CORE_TEST_FILE";

/// The file to work on, in a child.
fn file_of_child() -> Option<PathBuf> {
    env::var_os(FILE).map(PathBuf::from)
}

/// This program again, for one test. What the child says, it says on stderr.
fn spawn(test: &str, file: &Path) -> Child {
    Command::new(env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env(FILE, file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child")
}

/// Makes IDs for ever and tells each; now and then it skips stamps, so that bounds are stored
/// often.
fn make_ids_for_ever(file: &Path) -> ! {
    let mark = FileHighWater::open_or_create(file, NODE).expect("a mark");
    let ids = DurableGenerator::new(mark).expect("a generator");
    loop {
        let mut slots = [Guid::ZERO; 16];
        ids.fill(&mut slots).expect("a reservation");
        let bytes: Vec<u8> = slots.into_iter().flat_map(Guid::to_bytes).collect();
        io::stderr().write_all(&bytes).expect("the parent listens");
        let skipped = ids.batch(200_000).expect("a reservation");
        assert_eq!(skipped.len(), 200_000);
    }
}

/// Reads a number of IDs, kills the child, and reads what else it had told.
fn ids_until_killed(mut child: Child, count: usize) -> Vec<Guid> {
    let mut told = child.stderr.take().expect("piped");
    let mut bytes = vec![0; count * 12];
    // Short only if the child died by itself, which its status tells below.
    let read = told.read_exact(&mut bytes);
    child.kill().expect("a child to kill");
    told.read_to_end(&mut bytes).expect("a pipe");
    let status = child.wait().expect("an end");
    let text = String::from_utf8_lossy(&bytes);
    assert!(read.is_ok() && status.code().is_none(), "it ended by itself: {status} {text}");
    bytes.chunks_exact(12).map(|bytes| Guid::try_from(bytes).expect("12 bytes")).collect()
}

#[cfg(unix)]
#[test]
fn ids_increase_over_two_hundred_kills() {
    if let Some(file) = file_of_child() {
        make_ids_for_ever(&file);
    }
    let folder = Folder::new("killed");
    let (file, mut last, mut total) = (folder.join("mark"), Guid::ZERO, 0);
    let mut told = 0;
    for round in 0..200_usize {
        // From none, which kills it while it starts or creates the file, to a few hundred.
        let count = round * 7_919 % 331;
        let child = spawn("processes::ids_increase_over_two_hundred_kills", &file);
        let ids = ids_until_killed(child, count);
        for id in &ids {
            assert!(*id > last, "{id} after {last} in round {round}");
            last = *id;
        }
        told += usize::from(!ids.is_empty());
        total += ids.len();
    }
    assert!(told > 190 && total > 20_000, "{told} children told {total} IDs");
}

#[test]
fn a_second_process_is_refused() {
    if let Some(file) = file_of_child() {
        let opened = FileHighWater::open(file, NODE).map(drop);
        std::process::exit(if opened == Err(HighWaterError::Locked) { 17 } else { 18 });
    }
    let folder = Folder::new("second");
    let file = folder.join("mark");
    let mark = FileHighWater::create(&file, NODE).unwrap();
    let code = || {
        let child = spawn("processes::a_second_process_is_refused", &file);
        child.wait_with_output().unwrap().status.code()
    };
    assert_eq!(code(), Some(17));
    drop(mark);
    assert_eq!(code(), Some(18), "it is free again");
}
