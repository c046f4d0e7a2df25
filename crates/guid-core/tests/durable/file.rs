//! The mark in a file: what it refuses, and that it says what to do.

use std::{
    fs,
    io::{self, Write},
};

use guid_core::{DurableGenerator, FileHighWater, HighWater, HighWaterError, NodeId, Stamp};

use crate::folder::Folder;

const NODE: NodeId = NodeId::new(7);

#[test]
fn a_bound_is_found_again() {
    let folder = Folder::new("found");
    let path = folder.join("mark");
    let mut mark = FileHighWater::create(&path, NODE).unwrap();
    assert_eq!(mark.load(), Ok(Some(Stamp::MIN)));
    for bound in [5, 1 << 40, Stamp::MAX.as_u64()].map(|bound| Stamp::from_u64(bound).unwrap()) {
        mark.store(bound).unwrap();
        assert_eq!(mark.load(), Ok(Some(bound)));
        drop(mark);
        mark = FileHighWater::open(&path, NODE).unwrap();
        assert_eq!(mark.load(), Ok(Some(bound)));
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft is left");
}

/// One process, two generators on one file, under two names of it.
#[test]
fn a_file_in_use_is_locked_under_any_name() {
    let folder = Folder::new("locked");
    let (path, alias) = (folder.join("mark"), folder.join("alias"));
    let ids = DurableGenerator::new(FileHighWater::create(&path, NODE).unwrap()).unwrap();
    fs::hard_link(&path, &alias).unwrap();
    for name in [&path, &alias] {
        assert_eq!(FileHighWater::open(name, NODE).unwrap_err(), HighWaterError::Locked);
        assert_eq!(FileHighWater::open_or_create(name, NODE).unwrap_err(), HighWaterError::Locked);
    }
    drop(ids);
    FileHighWater::open(&alias, NODE).unwrap();
}

/// With the file its lock is gone: whoever opens the path then has another file, and the same node.
#[cfg(unix)]
#[test]
fn a_file_that_was_removed_or_replaced_takes_no_store() {
    let folder = Folder::new("removed");
    let (path, other) = (folder.join("mark"), folder.join("other"));
    let [first, second] = [1 << 40, 1 << 41].map(|bound| Stamp::from_u64(bound).unwrap());
    let mut mark = FileHighWater::create(&path, NODE).unwrap();
    fs::rename(&path, &other).unwrap();
    assert_eq!(mark.store(first), Ok(()), "it was moved: the lock went along");
    fs::rename(&other, &path).unwrap();

    fs::remove_file(&path).unwrap();
    assert_eq!(mark.store(second), Err(HighWaterError::Missing));

    let mut mark = FileHighWater::create(&path, NODE).unwrap();
    drop(FileHighWater::create(&other, NODE).unwrap());
    fs::rename(&other, &path).unwrap();
    assert_eq!(mark.store(first), Err(HighWaterError::Missing));
}

#[test]
fn another_nodes_file_is_refused() {
    let folder = Folder::new("foreign");
    let path = folder.join("mark");
    drop(FileHighWater::create(&path, NODE).unwrap());
    let error = FileHighWater::open(&path, NodeId::new(8)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the high-water mark belongs to node 00000007, expected 00000008: give each node its own",
    );
}

#[test]
fn missing_and_present_are_told_apart() {
    let folder = Folder::new("missing");
    let path = folder.join("mark");
    assert_eq!(FileHighWater::open(&path, NODE).unwrap_err(), HighWaterError::Missing);
    drop(FileHighWater::open_or_create(&path, NODE).unwrap());
    assert_eq!(FileHighWater::create(&path, NODE).unwrap_err(), HighWaterError::Exists);
    drop(FileHighWater::open_or_create(&path, NODE).unwrap());
    let nowhere = folder.join("no folder").join("mark");
    let error = FileHighWater::create(nowhere, NODE).unwrap_err();
    let HighWaterError::Io { kind, .. } = error else { panic!("{error}") };
    assert_eq!(kind, io::ErrorKind::NotFound);
}

/// Cut short, grown, emptied, overwritten: refused, and left as it is.
#[test]
fn a_damaged_file_is_refused_and_not_touched() {
    let folder = Folder::new("damaged");
    let path = folder.join("mark");
    drop(FileHighWater::create(&path, NODE).unwrap());
    let sound = fs::read(&path).unwrap();
    let mut grown = sound.clone();
    grown.push(0);
    let zeroed = vec![0; sound.len()];
    for bytes in [&sound[..0], &sound[..100], &sound[..8191], &grown, &zeroed, b"hello"] {
        fs::write(&path, bytes).unwrap();
        for opened in [FileHighWater::open(&path, NODE), FileHighWater::open_or_create(&path, NODE)]
        {
            let error = opened.unwrap_err();
            assert!(matches!(error, HighWaterError::Corrupt { .. }), "{error}");
            assert!(error.to_string().contains("restore it"));
        }
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

/// Two that create at once: one file, one holder.
#[test]
fn of_many_who_create_one_holds_it() {
    let folder = Folder::new("race");
    for round in 0..50 {
        let path = folder.join(&round.to_string());
        let open = || FileHighWater::open_or_create(&path, NODE);
        let opened: Vec<_> = std::thread::scope(|threads| {
            // All are started before the first is waited for.
            let all = [(); 4].map(|()| threads.spawn(open));
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (held, refused): (Vec<_>, Vec<_>) = opened.into_iter().partition(Result::is_ok);
        assert_eq!((held.len(), refused.len()), (1, 3));
        assert!(refused.into_iter().all(|opened| opened.unwrap_err() == HighWaterError::Locked));
    }
}

/// A system without writes: the device that is always full takes the place of the file.
#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_mark() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap().write(b"x");
    assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
    let error = FileHighWater::open("/dev/full", NODE).unwrap_err();
    assert!(matches!(error, HighWaterError::Corrupt { .. }), "{error}");
}
