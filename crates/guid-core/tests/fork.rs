//! Real forks: parent and child never make one ID twice.
//!
//! What a child has to say it writes to a pipe; then it ends, without going on as a second runner
//! of these tests.

#![cfg(unix)]

use std::{
    collections::BTreeSet,
    env, fs,
    io::{self, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process, thread,
};

use fork::{Fork, fork, waitpid};
use guid_core::{
    DurableError, DurableGenerator, FileHighWater, Generator, Guid, HighWaterError, NodeId,
};

const IDS: usize = 100_000;

/// Forks; returns what the parent and what the child made of it.
fn forked<T>(ours: impl FnOnce() -> T, theirs: impl FnOnce() -> Vec<Guid>) -> (T, Vec<Guid>) {
    let (mut from_child, mut to_parent) = io::pipe().expect("a pipe");
    match fork().expect("a child") {
        Fork::Child => {
            drop(from_child);
            let told = catch_unwind(AssertUnwindSafe(|| {
                let bytes: Vec<u8> = theirs().into_iter().flat_map(Guid::to_bytes).collect();
                to_parent.write_all(&bytes)
            }));
            process::exit(i32::from(!matches!(told, Ok(Ok(())))))
        }
        Fork::Parent(child) => {
            drop(to_parent);
            let (ours, mut bytes) = (ours(), Vec::new());
            from_child.read_to_end(&mut bytes).expect("a pipe");
            assert_eq!(waitpid(child).expect("an end"), 0, "the child failed");
            let theirs = bytes.chunks_exact(12).map(|bytes| Guid::try_from(bytes).expect("12"));
            (ours, theirs.collect())
        }
    }
}

fn make() -> Vec<Guid> {
    (0..IDS).map(|_| guid_core::guid()).collect()
}

fn nodes(ids: &[Guid]) -> BTreeSet<NodeId> {
    ids.iter().map(|id| id.node()).collect()
}

#[test]
fn parent_child_and_grandchild_share_no_id() {
    let before = guid_core::guid();
    let (ours, theirs) = forked(make, || {
        let first = guid_core::guid();
        let (mut ours, theirs) = forked(make, make);
        ours.push(first);
        ours.extend(theirs);
        ours
    });
    assert_eq!((ours.len(), theirs.len()), (IDS, 2 * IDS + 1));
    let all: BTreeSet<_> = ours.iter().chain(&theirs).collect();
    assert_eq!(all.len(), 3 * IDS + 1, "an ID came twice");
    assert_eq!(nodes(&ours), BTreeSet::from([before.node()]), "the parent keeps its node");
    assert_eq!(nodes(&theirs).len(), 2, "child and grandchild have a node each");
    assert!(!nodes(&theirs).contains(&before.node()));
    // Each of them is strict, and later than what its ancestors made before the fork.
    assert!(ours.is_sorted_by(|a, b| a < b));
    assert!(theirs.iter().all(|id| id.stamp() > before.stamp()));
}

/// The thread that asks first in the child was not there when the parent forked.
#[test]
fn a_thread_of_the_child_is_in_the_child() {
    let before = guid_core::guid();
    let (ours, theirs) = forked(make, || {
        let threads = [(); 2].map(|()| thread::spawn(make));
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    assert_eq!(theirs.len(), 2 * IDS);
    assert!(!nodes(&theirs).contains(&before.node()));
    assert_eq!(ours.iter().chain(&theirs).collect::<BTreeSet<_>>().len(), 3 * IDS);
}

/// What the tests above would see if nobody looked: a generator with a fixed node goes on twice.
#[test]
fn a_fixed_node_that_nobody_guards_repeats() {
    let ids = Generator::on_clock(NodeId::new(7), || 1 << 60);
    let make = || (0..1_000).map(|_| ids.next()).collect::<Vec<_>>();
    let (ours, theirs) = forked(make, make);
    assert_eq!((ours.len(), &ours), (1_000, &theirs));
}

#[test]
fn a_durable_generator_refuses_in_the_child() {
    let folder = env::temp_dir().join(format!("guid-core-forked-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mark");
    let node = NodeId::new(7);
    let ids = DurableGenerator::new(FileHighWater::open_or_create(&path, node).unwrap()).unwrap();
    let before = ids.next().unwrap();
    let (ours, theirs) = forked(
        || ids.next().unwrap(),
        || {
            assert_eq!(ids.next(), Err(DurableError::Forked));
            assert_eq!(ids.fill(&mut [Guid::ZERO]), Err(DurableError::Forked));
            assert_eq!(ids.batch(1).err(), Some(DurableError::Forked));
            assert_eq!(ids.observe(before), Err(DurableError::Forked));
            assert_eq!(ids.renew(), Err(DurableError::Forked));
            // Nor can it open the file anew: the parent has it.
            assert_eq!(FileHighWater::open(&path, node).unwrap_err(), HighWaterError::Locked);
            vec![before]
        },
    );
    assert_eq!(theirs, [before], "every assertion of the child held");
    assert!(ours > before && ids.next().unwrap() > ours);
    fs::remove_dir_all(folder).unwrap();
}
